// Drills: when the next one of a monitor's alerts is due, and what became of one. Pure; who is told, and how, is the
// engine's business.

import { type Instant, MINUTE, SECOND } from "../time.ts";

/**
 * For so long, in milliseconds, a drill is tried: an alert that takes longer calls itself late (R36). What has not been
 * taken by then is given up, and the drill has failed.
 */
export const DRILL_PATIENCE = 15 * MINUTE;

/** When the next drill is due. `lastAt`: when the last went out; null: none did, and it counts from the monitor's creation. */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/**
 * Whether one is due. An instant further ahead than a drill is away was written by a clock that was wrong then, and must
 * not put the next one off until the right one gets there.
 */
export function isDrillDue(everySeconds: number, createdAt: Instant, lastAt: Instant | null, now: Instant): boolean {
  return Math.abs(now - (lastAt ?? createdAt)) >= everySeconds * SECOND;
}

export type DrillOutcome = "delivered" | "failed";

/** What became of one delivery; `outcome` null: it is on its way. */
export interface Delivered {
  readonly destination: string;
  readonly recipient: string | null;
  readonly outcome: "sent" | "given_up" | null;
}

/** What a drill came to; null: not all is decided. Without anywhere to go it has failed. */
export function drillOutcome(deliveries: readonly Delivered[]): DrillOutcome | null {
  const last = lastToEach(deliveries);
  if (last.some(({ outcome }) => outcome === null)) return null;
  return last.length > 0 && last.every(({ outcome }) => outcome === "sent") ? "delivered" : "failed";
}

/** The newest of each address: one that a person sent again counts in place of the one before. `deliveries`: oldest first. */
export const lastToEach = <Each extends Delivered>(deliveries: readonly Each[]): Each[] => [
  ...new Map(deliveries.map((each) => [JSON.stringify([each.destination, each.recipient]), each])).values(),
];
