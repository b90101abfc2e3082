// How many monitors of each application are active (R34), kept in memory: counting 100,000 for every new monitor would
// keep reports waiting. The rows are the truth: where a change may have been undone, they are counted again.

import { isActive, type Pauses } from "../domain/monitor/monitor.ts";
import type { Store } from "../store/store.ts";

export type ActiveCounts = ReturnType<typeof createActiveCounts>;

export function createActiveCounts({ monitors }: Pick<Store, "monitors">) {
  /** By application; those that were never asked for are missing. */
  const counts = new Map<number, number>();
  /** Something was changed without a note. */
  const forget = (): void => counts.clear();
  return {
    /** How many there are now; in a transaction, with what it has changed. */
    of: (applicationId: number) => {
      const count = counts.get(applicationId) ?? monitors.countActive(applicationId);
      counts.set(applicationId, count);
      return count;
    },
    /** A monitor was written, in a transaction. `before` null: it is new. */
    noteChange: (applicationId: number, before: Pauses | null, after: Pauses) => {
      const count = counts.get(applicationId);
      const more = Number(isActive(after)) - Number(before !== null && isActive(before));
      if (count !== undefined && more !== 0) counts.set(applicationId, count + more);
    },
    forget,
    memory: { begin: () => forget, mark: () => forget },
  };
}
