// Decides which gaps leave a slot or a run in doubt (R26): a long gap always does, a short one only when the report was
// likely to come in it. Pure.

import { FAR_APART, LIKELY_WITHIN, LIKELY_WITHIN_FAR_APART, RETRY_AFTER_GAP, SHORT_GAP } from "../limits.ts";
import { intervalOf } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import type { Instant } from "../time.ts";
import type { Gap, LastSuccess, Monitor, Watch } from "./monitor.ts";
import { countExpectedSlots, lastEndAt, slotAfter } from "./monitor.ts";
import type { OpenRun } from "./run.ts";
import { closingDelay, earliestWindow, earlyTolerance, type Span, windowOf } from "./window.ts";

const NO_GAPS: readonly never[] = [];

/**
 * The gaps that overlap the span. Usually the span lies after the last gap, so that case is decided without a search.
 */
export const gapsTouching = <One extends Gap>(gaps: readonly One[], { from, to }: Span): readonly One[] =>
  gaps.length === 0 || gaps.at(-1)!.to < from ? NO_GAPS : gaps.filter((gap) => gap.from <= to && gap.to >= from);

/** The gaps that leave the slot in doubt, in ascending order. */
export function doubtsOnSlot(monitor: Monitor, slot: Instant, gaps: readonly Gap[]): readonly Gap[] {
  // This test spares most pings a costly search for the window of their slot, even when there was a gap at the start.
  if (gaps.length === 0 || gaps.at(-1)!.to < earliestWindow(monitor.watch, slot)) return NO_GAPS;
  const likelyAt = distancesOf(monitor.lastSuccess).map((distance) => slot + distance);
  return doubtsIn(gaps, windowOf(monitor, slot), likelyAt, farApart(monitor.watch));
}

/**
 * Returns a function that tells whether a gap lies between slots that are far apart. It must be asked in ascending
 * order.
 */
function farApart(watch: Watch): (gap: Gap) => boolean {
  const interval = intervalOf(watch);
  if (interval !== null) return () => interval > FAR_APART;
  let around: SlotsAround | null = null;
  return ({ from }) => {
    // The slots around are computed once, because hundreds of gaps may lie between two slots.
    if (around === null || around.after === null || from >= around.after)
      around = slotsAround(watch.schedule!, watch.timezone, from);
    const { before, after } = around;
    return before === null || after === null || after - before > FAR_APART;
  };
}

const isShort = ({ from, to }: Gap): boolean => to - from <= SHORT_GAP;

const isNear = ({ from, to }: Gap, instants: readonly Instant[], within: number): boolean =>
  instants.some((at) => at >= from - within && at <= to + within);

function distancesOf(lastSuccess: LastSuccess | null): readonly number[] {
  if (lastSuccess === null) return [];
  const { afterSlotMs, startAfterSlotMs } = lastSuccess;
  return startAfterSlotMs === null ? [afterSlotMs] : [afterSlotMs, startAfterSlotMs];
}

/**
 * The span in which the report of a missed slot may have come; an alarm names every gap in it. For an interval it
 * begins at the last end, because any later end would have moved the slot (R44).
 */
export const silenceBefore = (monitor: Monitor, slot: Instant): Span =>
  intervalOf(monitor.watch) === null
    ? windowOf(monitor, slot)
    : { from: lastEndAt(monitor) + 1, to: slot + closingDelay(monitor.watch) };

/** The gaps that leave the end of the run in doubt, in ascending order. */
export const doubtsOnRun = ({ lastRunMs }: Monitor, run: OpenRun, gaps: readonly Gap[]): readonly Gap[] =>
  doubtsIn(
    gaps,
    { from: run.startedAt, to: run.deadline },
    lastRunMs === null ? [] : [run.startedAt + lastRunMs],
    () => false,
  );

/** Whether the run may have ended by `until` without being heard. A gap counts here even if it excuses nothing. */
export function mayHaveEnded(monitor: Monitor, run: OpenRun, until: Instant, gaps: readonly Gap[]): boolean {
  const spans = gaps.map(({ from, to }): Gap => ({ from, to }));
  return doubtsOnRun(monitor, { ...run, deadline: until }, spans).length > 0;
}

/**
 * The gaps that leave the report of this window in doubt. `likelyAt` lists the instants at which the report was likely.
 * If none lies in the window, every instant of the window counts as likely, except in a short gap for which `isStrict`
 * holds.
 */
function doubtsIn(
  gaps: readonly Gap[],
  window: Span,
  likelyAt: readonly Instant[],
  isStrict: (gap: Gap) => boolean,
): readonly Gap[] {
  const touching = gapsTouching(gaps, window).filter((gap) => window.to <= excusesUntil(gap));
  if (touching.length === 0) return touching;
  const likely = likelyAt.filter((at) => isNear(window, [at], LIKELY_WITHIN));
  return touching.filter((gap) => {
    if (!isShort(gap) || isNear(gap, likely, LIKELY_WITHIN_FAR_APART)) return true;
    const mayBeThen = likely.length === 0 || isNear(gap, likely, LIKELY_WITHIN);
    return mayBeThen && !isStrict(gap);
  });
}

/** The last instant at which a slot may close, or a deadline pass, and still be excused by the gap. */
function excusesUntil({ to, excuses }: Gap): Instant {
  if (excuses === undefined) return Number.POSITIVE_INFINITY;
  return excuses === "closed" ? to + RETRY_AFTER_GAP : Number.NEGATIVE_INFINITY;
}

/**
 * Whether the gap no longer leaves anything in doubt. `undecidedSince` is the start of the earliest slot or run that is
 * not judged yet; `nextWakeAt` is when time next changes it. Both are Infinity when everything is judged. A gap that
 * went on for too long (`closed`) waits only for slots that close within a minute after it, and then excuses nothing
 * more.
 */
export const isDecided = ({ to, excuses }: Gap, undecidedSince: Instant, nextWakeAt: Instant): boolean =>
  to < undecidedSince || (excuses === "closed" && to + RETRY_AFTER_GAP < nextWakeAt);

/**
 * Counts the expected slots of (after, until] that gaps leave in doubt. It computes the number without visiting each
 * slot. The monitor must have a schedule or an interval.
 */
export function countDoubtful(monitor: Monitor, after: Instant, until: Instant, gaps: readonly Gap[]): number {
  const spans = gaps.flatMap((gap) => doubtfulSlots(monitor, gap)).sort((a, b) => a.from - b.from);
  let counted = after;
  let count = 0;
  for (const { from, to } of spans) {
    const [before, last] = [Math.max(counted, from - 1), Math.min(to, until)];
    if (last <= before) continue;
    count += countExpectedSlots(monitor, before, last);
    counted = last;
  }
  return count;
}

function doubtfulSlots(monitor: Monitor, gap: Gap): readonly Span[] {
  const { watch, lastSuccess } = monitor;
  const delay = closingDelay(watch);
  const next = slotAfter(monitor, gap.to);
  const last = next !== null && windowOf(monitor, next).from <= gap.to ? next : gap.to;
  const all: Span = { from: gap.from - delay, to: Math.min(last, excusesUntil(gap) - delay) };
  if (!isShort(gap)) return [all];
  const isStrict = farApart(watch)(gap);
  const likely = distancesOf(lastSuccess).filter((distance) => distance - LIKELY_WITHIN <= delay);
  if (likely.length === 0 && !isStrict) return [all];
  const within = isStrict ? LIKELY_WITHIN_FAR_APART : LIKELY_WITHIN;
  return likely.map((distance) => ({
    from: Math.max(all.from, gap.from - distance - within),
    to: Math.min(all.to, gap.to - distance + within),
  }));
}

/**
 * How long after its slot a success at `at` came, and how long after it the run began. With a schedule the run's start
 * decides the slot, and a report without a start may be early (R20). With an interval the slot is the one expected
 * since the end before. `null` without slots, or before the first end of an interval. `monitor` must not count this
 * success yet.
 */
export function lastSuccessAt(monitor: Monitor, at: Instant, startedAt: Instant | null): LastSuccess | null {
  const { watch } = monitor;
  const interval = intervalOf(watch);
  if (interval !== null) {
    if (monitor.succeededAt === null && monitor.failedAt === null) return null;
    return { afterSlotMs: Math.max(0, at - lastEndAt(monitor)) - interval, startAfterSlotMs: null };
  }
  const afterSlotMs = distanceFromSlot(watch, at, startedAt === null);
  if (afterSlotMs === null) return null;
  return { afterSlotMs, startAfterSlotMs: startedAt === null ? null : distanceFromSlot(watch, startedAt, true) };
}

/** The distance is negative when a report came early and filled the next slot. */
function distanceFromSlot({ schedule, timezone }: Watch, at: Instant, mayBeEarly: boolean): number | null {
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  if (mayBeEarly && around.after !== null && around.after - at <= earlyTolerance(around)) return at - around.after;
  return around.before === null ? null : at - around.before;
}
