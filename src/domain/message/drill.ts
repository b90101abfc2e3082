// Drills: when the next drill of a monitor's alerts is due, and how one ended. Pure; the engine decides whom to tell.

import { type Instant, MINUTE, SECOND } from "../time.ts";

/**
 * How long we try a drill, in milliseconds: an alert that takes longer calls itself late (R36). We give up a delivery
 * that was not taken by then, and the drill has failed.
 */
export const DRILL_PATIENCE = 15 * MINUTE;

/** When the next drill is due. `lastAt`: when the last was sent; null: none was, count from the monitor's creation. */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/**
 * Whether a drill is due. If the last one lies further ahead than the interval, a wrong clock wrote it. It must not put
 * off the next drill until the right clock gets there.
 */
export function isDrillDue(everySeconds: number, createdAt: Instant, lastAt: Instant | null, now: Instant): boolean {
  return Math.abs(now - (lastAt ?? createdAt)) >= everySeconds * SECOND;
}

export type DrillOutcome = "delivered" | "failed";

export interface Delivered {
  readonly destination: string;
  readonly recipient: string | null;
  readonly outcome: "sent" | "given_up" | null;
}

/** The result of a drill; null: some deliveries are still on their way. A drill with nowhere to go has failed. */
export function drillOutcome(deliveries: readonly Delivered[]): DrillOutcome | null {
  const last = lastToEach(deliveries);
  if (last.some(({ outcome }) => outcome === null)) return null;
  return last.length > 0 && last.every(({ outcome }) => outcome === "sent") ? "delivered" : "failed";
}

/** The newest delivery to each address: one sent again replaces the one before. `deliveries`: oldest first. */
export const lastToEach = <Each extends Delivered>(deliveries: readonly Each[]): Each[] => [
  ...new Map(deliveries.map((each) => [JSON.stringify([each.destination, each.recipient]), each])).values(),
];
