// Decides when the next drill of a monitor is due, and how a drill has ended.

import { type Instant, SECOND } from "../time.ts";

/**
 * When the next drill is due. `lastAt` is when the last one went out. With `null` the time counts from the monitor's
 * creation.
 */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/**
 * Whether the next drill is due. A last drill that lies far in the future was written by a wrong clock, and does not
 * delay the next one.
 */
export function isDrillDue(everySeconds: number, createdAt: Instant, lastAt: Instant | null, now: Instant): boolean {
  return Math.abs(now - (lastAt ?? createdAt)) >= everySeconds * SECOND;
}

export type DrillVerdict = "delivered" | "failed";

export interface Delivered {
  readonly destination: string;
  readonly recipient: string | null;
  readonly outcome: "sent" | "given_up" | "not_sent" | null;
}

/** How a drill has ended; `null` while a delivery is still on its way. A drill that goes nowhere has failed. */
export function drillVerdict(deliveries: readonly Delivered[]): DrillVerdict | null {
  const last = lastToEach(deliveries);
  if (last.some(({ outcome }) => outcome === null)) return null;
  return last.length > 0 && last.every(({ outcome }) => outcome === "sent") ? "delivered" : "failed";
}

/** The newest delivery to each address. `deliveries` must have the oldest first. */
export const lastToEach = <Each extends Delivered>(deliveries: readonly Each[]): Each[] => [
  ...new Map(deliveries.map((each) => [JSON.stringify([each.destination, each.recipient]), each])).values(),
];
