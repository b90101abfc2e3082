// The window of a slot: from when a report fills it, and until when we wait for one (R20). Pure.

import { EARLY_MAX, LIKELY_WITHIN, TRANSIT } from "../limits.ts";
import { firstSlot, intervalOf, type Rhythm, rhythmSlotAfter } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import { type Expecting, isPaused, type Monitor, type Pauses, slotAfter, type Watch } from "./monitor.ts";

/** Both ends belong to it. */
export type Span = Readonly<{ from: Instant; to: Instant }>;

/** How long after a slot it closes: the grace, plus the time a request may take to arrive (R20). */
export const closingDelay = (watch: Pick<Watch, "graceSeconds">): number => watch.graceSeconds * SECOND + TRANSIT;

/** How early a report may come and still fill the slot that ends `around` (R20). */
export function earlyTolerance({ before, after }: SlotsAround): number {
  if (before === null || after === null) return EARLY_MAX;
  return Math.min(EARLY_MAX, (after - before) / 10);
}

/**
 * From when the report of a slot may come until it closes. There must be slots. Any report fills the slot of an
 * interval; its own is likely to come as long after the last one as that came after the one before, or any time when we
 * do not know (R44).
 */
export function windowOf({ watch, lastSuccess }: Pick<Monitor, "watch" | "lastSuccess">, slot: Instant): Span {
  const to = slot + closingDelay(watch);
  const interval = intervalOf(watch);
  if (interval === null) {
    return { from: slot - earlyTolerance(slotsAround(watch.schedule!, watch.timezone, slot - 1)), to };
  }
  // What comes at the last end or before it fills nothing.
  const earliest = slot - interval + 1;
  if (lastSuccess === null) return { from: earliest, to };
  const early = Math.max(Math.min(EARLY_MAX, interval / 10), LIKELY_WITHIN - lastSuccess.afterSlotMs);
  return { from: Math.max(earliest, slot - early), to };
}

/** No window of the slot begins earlier: an instant that is cheaper to know than the window. */
export const earliestWindow = (watch: Watch, slot: Instant): Instant => slot - (intervalOf(watch) ?? EARLY_MAX);

/**
 * The slot that is expected next, seen from `at`: one that has passed is until it closes. Null: there is no schedule,
 * or a pause has no end time. An interval begins again as a pause ends, if its slot lies in the pause (R44).
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
  /** Since when its report is late: the slot that was told as missed, else the one that waits; null: it is not. */
  readonly lateSince: Instant | null;
  /** The next slot that lies ahead; null: there is none, or it is paused. */
  readonly nextAt: Instant | null;
}

/** What is known of a monitor beside its schedule. */
export interface DueFacts extends Rhythm, Pick<Monitor, "pauses" | "expectedAt" | "receivedAt"> {
  /** The slot whose miss the open incident told; null: it told of none, or none is open. */
  readonly missedSlot: Instant | null;
}

/** What people read as "late" and "next", wherever they look. */
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

/** From when we expect reports: from now, or from the end of the pause (R24); null: the pause has no end time. */
function watchedFrom({ manual, discovery, plan, suspension }: Pauses, at: Instant): Instant | null {
  if (discovery || plan || suspension) return null;
  if (manual === null) return at;
  return manual.until === null ? null : Math.max(at, manual.until);
}
