// The window of a slot: from the earliest report that fills it until the slot closes (R20). Pure.

import { EARLY_MAX, LIKELY_WITHIN, TRANSIT } from "../limits.ts";
import { firstSlot, intervalOf, type Rhythm, rhythmSlotAfter } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import { type Expecting, isPaused, type Monitor, type Pauses, slotAfter, type Watch } from "./monitor.ts";

/** A span of time. Both ends belong to it. */
export type Span = Readonly<{ from: Instant; to: Instant }>;

/** How long after a slot it closes: the grace, plus the time a request may take to arrive (R20). */
export const closingDelay = (watch: Pick<Watch, "graceSeconds">): number => watch.graceSeconds * SECOND + TRANSIT;

/** How early a report may come and still fill the slot that ends `around` (R20). */
export function earlyTolerance({ before, after }: SlotsAround): number {
  if (before === null || after === null) return EARLY_MAX;
  return Math.min(EARLY_MAX, (after - before) / 10);
}

/**
 * The window in which the report of a slot may come. The monitor must have slots. Any report fills the slot of an
 * interval. It is likely to come after about the same time as between the last two reports; when that time is not
 * known, every instant counts as likely (R44).
 */
export function windowOf({ watch, lastSuccess }: Pick<Monitor, "watch" | "lastSuccess">, slot: Instant): Span {
  const to = slot + closingDelay(watch);
  const interval = intervalOf(watch);
  if (interval === null) {
    return { from: slot - earlyTolerance(slotsAround(watch.schedule!, watch.timezone, slot - 1)), to };
  }
  // A report at or before the last end does not fill the slot.
  const earliest = slot - interval + 1;
  if (lastSuccess === null) return { from: earliest, to };
  const early = Math.max(Math.min(EARLY_MAX, interval / 10), LIKELY_WITHIN - lastSuccess.afterSlotMs);
  return { from: Math.max(earliest, slot - early), to };
}

/** An instant before which the window of the slot surely does not begin. It is cheaper to compute than the window. */
export const earliestWindow = (watch: Watch, slot: Instant): Instant => slot - (intervalOf(watch) ?? EARLY_MAX);

/**
 * The slot that is expected next, seen from `at`; a slot that has passed counts until it closes. `null` without a
 * schedule or when a pause has no end. If the slot of an interval lies in a pause, the interval starts again at the end
 * of that pause (R44).
 */
export function nextExpected(monitor: Expecting & Pick<Monitor, "pauses">, at: Instant): Instant | null {
  const from = watchedFrom(monitor.pauses, at);
  if (from === null) return null;
  const { watch, expectedAt } = monitor;
  if (expectedAt !== null && !isPaused(monitor))
    return slotAfter(monitor, Math.max(expectedAt - 1, at - closingDelay(watch)));
  const isPassed = from > at && expectedAt !== null && expectedAt <= from;
  return isPassed ? firstSlot(watch, from) : slotAfter(monitor, from);
}

export interface DueTimes {
  /** The slot whose report is late: the one told as missed, otherwise the open one; `null` when no report is late. */
  readonly lateSince: Instant | null;
  /** The next slot in the future; `null` when there is none or the monitor is paused. */
  readonly nextAt: Instant | null;
}

/** What must be known of a monitor in addition to its schedule. */
export interface DueFacts extends Rhythm, Pick<Monitor, "pauses" | "expectedAt" | "receivedAt"> {
  /** The slot whose miss the open incident told; `null` when no incident is open or it told no miss. */
  readonly missedSlot: Instant | null;
}

/** What every page and command shows as "late" and "next". */
export function dueTimesOf(facts: DueFacts, now: Instant): DueTimes {
  const { expectedAt, missedSlot, receivedAt } = facts;
  if (isPaused(facts)) return { lateSince: null, nextAt: null };
  const isOpen = expectedAt !== null && expectedAt < now;
  const isSilent = missedSlot !== null && (receivedAt === null || receivedAt < missedSlot);
  return {
    lateSince: isSilent ? missedSlot : isOpen ? expectedAt : null,
    nextAt: isOpen ? rhythmSlotAfter(facts, now, expectedAt) : expectedAt,
  };
}

/**
 * The instant from which reports are expected: now, or the end of the pause (R24). `null` when the pause has no end.
 */
function watchedFrom({ manual, discovery, plan, suspension }: Pauses, at: Instant): Instant | null {
  if (discovery || plan || suspension) return null;
  if (manual === null) return at;
  return manual.until === null ? null : Math.max(at, manual.until);
}
