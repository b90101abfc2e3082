// The limit of a paid plan (R34): how many active monitors an application may have. It is checked in the transaction
// that creates a monitor or ends its pause. A monitor that is active already is never refused.

import { type Refusal, refuse, refuseField } from "../domain/errors.ts";
import { isActive, type Pauses } from "../domain/monitor/monitor.ts";
import type { Policy } from "../domain/settings/policy.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import type { Store } from "../store/store.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";

export type Owner = Readonly<{ id: number; slug: string }>;

type Books = Readonly<{ policy: Policy; active: ActiveCounts }>;

/** How many more active monitors the application may have: Infinity without a limit, negative beyond it. */
export function capacityLeft({ policy, active }: Books, { id, slug }: Owner): number {
  const most = mostActiveOf(policy, slug);
  return most === Number.POSITIVE_INFINITY ? most : most - active.of(id);
}

/** Returns a refusal (402) when the application has no room for one more active monitor, otherwise `null`. */
export const refuseOneMore = (books: Books, owner: Owner, key: string): Refusal | null =>
  capacityLeft(books, owner) >= 1
    ? null
    : refuse("PLAN_LIMIT_REACHED", `monitor ${JSON.stringify(key)} ${beyondCapacity(books, owner)}`);

/** Returns a refusal (402) when the application has no room for `more` further active monitors, otherwise `null`. */
export function refuseMore(books: Books, owner: Owner, more: number): Refusal | null {
  const room = Math.max(0, capacityLeft(books, owner));
  if (more <= room) return null;
  const setting = `applications.${owner.slug}.max_active_monitors`;
  const message = `${more} more would be active, and application "${owner.slug}" has room for ${room} (${setting})`;
  return refuseField("monitors", `${message}; raise the setting, or take fewer`, "PLAN_LIMIT_REACHED");
}

/** Returns a refusal (402) when `pauses` would make a paused monitor active without room for it; otherwise `null`. */
export function refuseActivating(books: Books, monitor: MonitorRecord, pauses: Pauses): Refusal | null {
  if (isActive(monitor.monitor.pauses) || !isActive(pauses)) return null;
  return refuseOneMore(books, { id: monitor.applicationId, slug: monitor.application }, monitor.key);
}

export const beyondCapacity = ({ policy }: Pick<Books, "policy">, { slug }: Owner): string =>
  `would be one too many: application "${slug}" may have ${counted(mostActiveOf(policy, slug), "active monitor")} ` +
  `(applications.${slug}.max_active_monitors); pause or delete another, or raise the setting`;

// Below: the number of active monitors of each application, kept in memory. Counting 100,000 monitors each time one is
// created would delay reports. After a rollback the numbers are forgotten and counted again from the database.

export type ActiveCounts = ReturnType<typeof createActiveCounts>;

export function createActiveCounts({ monitors }: Pick<Store, "monitors">) {
  /** The number of active monitors by the application's id, for each application that was asked for. */
  const counts = new Map<number, number>();
  /**
   * Forgets the numbers, so that the monitors are counted again. Must be called after a change that `noteChange` did
   * not see.
   */
  const forget = (): void => counts.clear();
  return {
    /**
     * Returns the number of the application's active monitors. Inside a transaction it includes the changes of that
     * transaction.
     */
    of: (applicationId: number) => {
      const count = counts.get(applicationId) ?? monitors.countActive(applicationId);
      counts.set(applicationId, count);
      return count;
    },
    /**
     * Notes that the pauses of a monitor changed from `before` to `after`; `before` is `null` for a new monitor. Must
     * be called in each transaction that writes a monitor.
     */
    noteChange: (applicationId: number, before: Pauses | null, after: Pauses) => {
      const count = counts.get(applicationId);
      const more = Number(isActive(after)) - Number(before !== null && isActive(before));
      if (count !== undefined && more !== 0) counts.set(applicationId, count + more);
    },
    forget,
    memory: { begin: () => forget, mark: () => forget },
  };
}

/** How many active monitors an application may have (R34); Infinity without a limit. */
export function mostActiveOf(policy: Policy, application: string): number {
  const most = policy.applications.get(application)?.maxActiveMonitors ?? 0;
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}
