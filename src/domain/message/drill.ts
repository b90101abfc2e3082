// Drills: when the next one of a monitor's alerts is due, and what became of one. Pure; who is told, and how, is the
// engine's business.

import { type Instant, MINUTE, SECOND } from "../time.ts";

/**
 * How long a drill is tried, in milliseconds: an alert that takes longer calls itself late (R36). A delivery that was not
 * taken by then is given up, and the drill has failed.
 */
export const DRILL_PATIENCE = 15 * MINUTE;

/** When the next drill is due. `lastAt`: when the last went out; null: none did, and it counts from the monitor's creation. */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/**
 * Whether one is due. If the last drill lies further ahead than a drill is away, a wrong clock wrote that. It must
 * not put off the next drill until the right clock gets there.
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

/** The result of a drill; null: not all is decided. A drill with nowhere to go has failed. */
export function drillOutcome(deliveries: readonly Delivered[]): DrillOutcome | null {
  const last = lastToEach(deliveries);
  if (last.some(({ outcome }) => outcome === null)) return null;
  return last.length > 0 && last.every(({ outcome }) => outcome === "sent") ? "delivered" : "failed";
}

/** The newest of each address: a delivery that a person sent again replaces the one before. `deliveries`: oldest first. */
export const lastToEach = <Each extends Delivered>(deliveries: readonly Each[]): Each[] => [
  ...new Map(deliveries.map((each) => [JSON.stringify([each.destination, each.recipient]), each])).values(),
];
