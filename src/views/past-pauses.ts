// Says when a monitor was paused, and which of its slots fall into a pause, for everything that shows its past. Pure.

import { isPaused, type Pauses, unstoredPause } from "../domain/monitor/monitor.ts";
import type { Span } from "../domain/monitor/window.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { PausedRow } from "../store/paused-spans.ts";

/**
 * A time in which a monitor was not watched. `to` is its end, which may be planned, or infinity while none is known.
 */
export interface PausedSpan extends Span {
  /**
   * The slots from this instant until `to` fall into the pause: none of them was expected. It may lie before `from`,
   * or after it.
   */
  readonly firstSlot: Instant;
}

/** The monitor's pauses in ascending order; they do not overlap. `rows` are those that are stored. */
export function pausedSpansOf(
  monitor: Pick<MonitorOutline, "pauses" | "receivedAt" | "createdAt" | "expectedAt">,
  rows: readonly PausedRow[],
): PausedSpan[] {
  const { pauses, expectedAt } = monitor;
  const isNow = isPaused(monitor);
  const stored = rows.map(({ from, to, firstSlot }): PausedSpan => {
    const isLasting = to === null && isNow;
    const end = isLasting ? plannedEnd(pauses) : (to ?? from);
    // While a pause lasts, slots before it that an open run covers are in it, too: no report has filled them.
    return { from, to: end, firstSlot: isLasting ? Math.min(firstSlot, expectedAt ?? firstSlot) : firstSlot };
  });
  const isStored = !isNow || rows.some(({ to }) => to === null);
  const all = isStored ? stored : [...stored, { ...unstoredPause(monitor), to: plannedEnd(pauses) }];
  const spans: PausedSpan[] = [];
  for (const span of all.toSorted((a, b) => a.from - b.from)) {
    const before = spans.at(-1);
    if (span.to < span.from) continue;
    if (before === undefined || span.from > before.to)
      spans.push({ ...span, firstSlot: Math.max(span.firstSlot, (before?.to ?? Number.NEGATIVE_INFINITY) + 1) });
    else if (span.to > before.to) spans[spans.length - 1] = { ...before, to: span.to };
  }
  return spans;
}

/** When the monitor's pauses end by time; infinity when only a person, a registry or the paid plan ends them. */
const plannedEnd = ({ manual, discovery, plan, suspension }: Pauses): Instant =>
  discovery || plan || suspension ? Number.POSITIVE_INFINITY : (manual?.until ?? Number.POSITIVE_INFINITY);

/** The pause into which the slot fell, so that no report was expected for it (R24); `undefined` when there is none. */
export const pauseOfSlot = (spans: readonly PausedSpan[], slot: Instant): PausedSpan | undefined =>
  spans.find(({ firstSlot, to }) => firstSlot <= slot && slot <= to);

/** For how many milliseconds of [from, until) the monitor was paused. */
export const pausedTimeIn = (spans: readonly PausedSpan[], from: Instant, until: Instant): number =>
  spans.reduce((sum, span) => sum + Math.max(0, Math.min(until, span.to) - Math.max(from, span.from)), 0);

/** Whether the slot fell into a pause. */
export const isPausedSlot = (spans: readonly PausedSpan[], slot: Instant): boolean =>
  pauseOfSlot(spans, slot) !== undefined;

/**
 * Counts the slots in [from, until) that fell into no pause. `count` returns the number of all slots in [from, until);
 * it is called only where `from` is earlier than `until`.
 */
export function countUnpausedSlots(
  spans: readonly PausedSpan[],
  from: Instant,
  until: Instant,
  count: (from: Instant, until: Instant) => number,
): number {
  const countIn = (begin: Instant, end: Instant): number => (begin < end ? count(begin, end) : 0);
  return spans.reduce(
    (left, { firstSlot, to }) => left - countIn(Math.max(from, firstSlot), Math.min(until, to + 1)),
    countIn(from, until),
  );
}
