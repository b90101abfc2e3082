// Decides which gaps leave a slot or a run in doubt (R26). A gap of over a minute does so whenever it overlaps the time
// in which the report was to come. A shorter gap does so only when the report was likely to come in the gap. Pure.

import { FAR_APART, LIKELY_WITHIN, LIKELY_WITHIN_FAR_APART, RETRY_AFTER_GAP, SHORT_GAP } from "../limits.ts";
import { intervalOfRhythm } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import type { Instant } from "../time.ts";
import type { Gap, LastSuccess, Monitor, Watch } from "./monitor.ts";
import { countExpectedSlots, lastEndAt, slotAfter } from "./monitor.ts";
import type { OpenRun } from "./run.ts";
import { closingDelay, earliestWindow, earlyTolerance, type Span, windowOfSlot } from "./window.ts";

const NO_GAPS: readonly never[] = [];

/** The gaps that overlap the span. The first test is a shortcut, because most spans lie after the last gap. */
export const gapsTouching = <One extends Gap>(gaps: readonly One[], { from, to }: Span): readonly One[] =>
  gaps.length === 0 || gaps.at(-1)!.to < from ? NO_GAPS : gaps.filter((gap) => gap.from <= to && gap.to >= from);

/** The gaps in which the report of this slot may have been lost, in ascending order. */
export function doubtsOnSlot(monitor: Monitor, slot: Instant, gaps: readonly Gap[]): readonly Gap[] {
  // A shortcut: most slots lie after the last gap, and computing their window is costly.
  if (gaps.length === 0 || gaps.at(-1)!.to < earliestWindow(monitor.watch, slot)) return NO_GAPS;
  const likelyAt = distancesOf(monitor.lastSuccess).map((distance) => slot + distance);
  return doubtsIn(gaps, windowOfSlot(monitor, slot), likelyAt, farApart(monitor.watch));
}

/**
 * Returns a function that tells whether the slots around the beginning of a gap are more than 6 hours apart. Call it
 * with gaps in ascending order, because it remembers the last two slots.
 */
function farApart(watch: Watch): (gap: Gap) => boolean {
  const interval = intervalOfRhythm(watch);
  if (interval !== null) return () => interval > FAR_APART;
  let around: SlotsAround | null = null;
  return ({ from }) => {
    // Hundreds of gaps may lie between the same two slots, so these slots are computed only once.
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
 * The time in which the report of a missed slot was to come; an alarm names every gap in it. With an interval this time
 * begins after the last end, because any later end would have moved the slot (R44).
 */
export const silenceBefore = (monitor: Monitor, slot: Instant): Span =>
  intervalOfRhythm(monitor.watch) === null
    ? windowOfSlot(monitor, slot)
    : { from: lastEndAt(monitor) + 1, to: slot + closingDelay(monitor.watch) };

/** The gaps in which the end of this run may have been lost, in ascending order. */
export const doubtsOnRun = ({ lastRunMs }: Monitor, run: OpenRun, gaps: readonly Gap[]): readonly Gap[] =>
  doubtsIn(
    gaps,
    { from: run.startedAt, to: run.deadline },
    lastRunMs === null ? [] : [run.startedAt + lastRunMs],
    () => false,
  );

/** Whether the run may have ended unheard by `until`. Here a gap counts even if it excuses no slot. */
export function mayHaveEnded(monitor: Monitor, run: OpenRun, until: Instant, gaps: readonly Gap[]): boolean {
  const spans = gaps.map(({ from, to }): Gap => ({ from, to }));
  return doubtsOnRun(monitor, { ...run, deadline: until }, spans).length > 0;
}

/**
 * The gaps in which a report that belongs into `window` may have been lost. `likelyAt` has the instants at which the
 * report was likely to come. If none of them is near the window, the report was likely at any time in it. `isFarApart`
 * says of a gap that the slots around it are more than 6 hours apart. Such a gap, if it is short, counts only when it
 * lies within 10 seconds of an instant in `likelyAt`.
 */
function doubtsIn(
  gaps: readonly Gap[],
  window: Span,
  likelyAt: readonly Instant[],
  isFarApart: (gap: Gap) => boolean,
): readonly Gap[] {
  const touching = gapsTouching(gaps, window).filter((gap) => window.to <= excusesUntil(gap));
  if (touching.length === 0) return touching;
  const likely = likelyAt.filter((at) => isNear(window, [at], LIKELY_WITHIN));
  return touching.filter((gap) => {
    if (!isShort(gap) || isNear(gap, likely, LIKELY_WITHIN_FAR_APART)) return true;
    const mayBeThen = likely.length === 0 || isNear(gap, likely, LIKELY_WITHIN);
    return mayBeThen && !isFarApart(gap);
  });
}

/**
 * Until when the gap excuses: slots that close by this instant, and runs whose deadline passes by then. Infinity when
 * it excuses all, -Infinity when it excuses none.
 */
function excusesUntil({ to, excuses }: Gap): Instant {
  if (excuses === undefined) return Number.POSITIVE_INFINITY;
  return excuses === "closed" ? to + RETRY_AFTER_GAP : Number.NEGATIVE_INFINITY;
}

/**
 * Whether the gap can be forgotten, because it leaves no slot or run in doubt any more. `undecidedSince` is when the
 * earliest slot or run begins that is not judged yet. `nextWakeAt` is when time next changes the monitor. Both are
 * Infinity when everything is judged. A gap with `excuses: "closed"` excuses only slots that close up to a minute
 * after its end, and runs whose deadline passes by then. So it can be forgotten after that minute.
 */
export const isGapDecided = ({ to, excuses }: Gap, undecidedSince: Instant, nextWakeAt: Instant): boolean =>
  to < undecidedSince || (excuses === "closed" && to + RETRY_AFTER_GAP < nextWakeAt);

/**
 * Counts the expected slots after `after` and up to `until` that gaps leave in doubt. The time it takes does not grow
 * with the number of slots. The monitor must have a schedule or an interval.
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
  const last = next !== null && windowOfSlot(monitor, next).from <= gap.to ? next : gap.to;
  const all: Span = { from: gap.from - delay, to: Math.min(last, excusesUntil(gap) - delay) };
  if (!isShort(gap)) return [all];
  const isFarApart = farApart(watch)(gap);
  const likely = distancesOf(lastSuccess).filter((distance) => distance - LIKELY_WITHIN <= delay);
  if (likely.length === 0 && !isFarApart) return [all];
  const within = isFarApart ? LIKELY_WITHIN_FAR_APART : LIKELY_WITHIN;
  return likely.map((distance) => ({
    from: Math.max(all.from, gap.from - distance - within),
    to: Math.min(all.to, gap.to - distance + within),
  }));
}

/**
 * Returns how many milliseconds after their slots two reports came: the success at `at`, and the start of its run. With
 * a schedule, a report without a start may be early (R20). With an interval, the slot of the success lies one interval
 * after the previous end. `null` when no slot is known, such as at the first end with an interval. Call this before the
 * success is noted in `monitor`.
 */
export function successAfterSlot(monitor: Monitor, at: Instant, startedAt: Instant | null): LastSuccess | null {
  const { watch } = monitor;
  const interval = intervalOfRhythm(watch);
  if (interval !== null) {
    if (monitor.succeededAt === null && monitor.failedAt === null) return null;
    return { afterSlotMs: Math.max(0, at - lastEndAt(monitor)) - interval, startAfterSlotMs: null };
  }
  const afterSlotMs = distanceFromSlot(watch, at, startedAt === null);
  if (afterSlotMs === null) return null;
  return { afterSlotMs, startAfterSlotMs: startedAt === null ? null : distanceFromSlot(watch, startedAt, true) };
}

/** How many milliseconds after its slot a report at `at` comes; negative when it is early, `null` without a slot. */
function distanceFromSlot({ schedule, timezone }: Watch, at: Instant, mayBeEarly: boolean): number | null {
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  if (mayBeEarly && around.after !== null && around.after - at <= earlyTolerance(around)) return at - around.after;
  return around.before === null ? null : at - around.before;
}
