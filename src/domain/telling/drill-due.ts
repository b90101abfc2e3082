// Decides when the next drill of a monitor is due.

import { type Instant, SECOND } from "../time.ts";

/** `lastAt` is when the last drill went out. With `null` the time counts from the monitor's creation. */
export const drillDueAt = (everySeconds: number, createdAt: Instant, lastAt: Instant | null): Instant =>
  (lastAt ?? createdAt) + everySeconds * SECOND;

/** A last drill that lies far in the future was written by a wrong clock, and does not delay the next one. */
export function isDrillDue(everySeconds: number, createdAt: Instant, lastAt: Instant | null, now: Instant): boolean {
  return Math.abs(now - (lastAt ?? createdAt)) >= everySeconds * SECOND;
}
