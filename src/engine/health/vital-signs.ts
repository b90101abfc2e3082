// Whether this process does its work: looks at the clock, writes, and gets messages out. Another monitor is told so
// while it holds (`[self]`), and `/metrics` shows it. Decides nothing else; what a report or an alert meets is in
// troubles.ts.

import { STORAGE_FAULT_WORDS } from "../../domain/storage-fault.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { stuckDestinations } from "../../views/deliveries.ts";
import type { EngineTools } from "../tools.ts";

/** A tick comes each second, and its work is done in the turns after it. Milliseconds. */
const TICK_LATE = 10 * SECOND;
/** Something is written at least every ten seconds: that we are alive (R26). */
const COMMIT_LATE = 30 * SECOND;

export type VitalSigns = ReturnType<typeof createVitalSigns>;

export function createVitalSigns({ context, clock, committer, turns }: EngineTools) {
  let tickedAt: number | null = null;

  const instantOf = (seenAt: number | null): Instant | null =>
    seenAt === null ? null : Math.round(clock.now() - (clock.monotonic() - seenAt));

  const isLate = (seenAt: number | null, limit: number): boolean =>
    seenAt === null || clock.monotonic() - seenAt > limit;

  /**
   * Why this process does not do its work, for its operator; empty when it does (`[self]`). Throws what SQLite throws.
   */
  function failing(): string[] {
    const fault = committer.failing()?.fault;
    const stuck = stuckDestinations(context, clock.now());
    return [
      isLate(tickedAt, TICK_LATE) && "the clock is not looked at",
      fault !== undefined && STORAGE_FAULT_WORDS[fault],
      fault === undefined && isLate(committer.committedAt(), COMMIT_LATE) && "nothing is written",
      stuck.length > 0 && `messages are stuck at ${stuck.join(", ")}`,
    ].filter((why) => why !== false);
  }

  return {
    /** To be called at the end of each tick. Turns are taken in order, so everything before it has been done. */
    ticked: () =>
      turns.later(() => {
        tickedAt = clock.monotonic();
      }),
    /** When all that a tick had asked for had its turn; null: not yet. */
    tickedAt: () => instantOf(tickedAt),
    /** When something was last written; null: nothing was. */
    committedAt: () => instantOf(committer.committedAt()),
    failing,
  };
}
