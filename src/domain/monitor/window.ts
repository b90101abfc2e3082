// The window of a slot: the time in which a report fills it, up to the instant at which the slot closes (R20). Also
// tells since when a report is late and when the next is due. Pure.

import { EARLY_MAX, LIKELY_WITHIN, TRANSIT } from "../limits.ts";
import { firstSlot, intervalOfRhythm, type Rhythm, rhythmSlotAfter } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import { type Expecting, isPaused, type Monitor, type Pauses, slotAfter, type Watch } from "./monitor.ts";

/** A span of time. `from` and `to` belong to it. */
export type Span = Readonly<{ from: Instant; to: Instant }>;

/** How long after its time a slot closes, in milliseconds: the grace, and 5 seconds for a request to arrive (R20). */
export const closingDelay = (watch: Pick<Watch, "graceSeconds">): number => watch.graceSeconds * SECOND + TRANSIT;

/**
 * How early a report may come and still fill the next slot, in milliseconds: a tenth of the time between the slots
 * around it, and a minute at most (R20).
 */
export function earlyTolerance({ before, after }: SlotsAround): number {
  if (before === null || after === null) return EARLY_MAX;
  return Math.min(EARLY_MAX, (after - before) / 10);
}

/**
 * The window of a slot, which ends when the slot closes. With a schedule it begins when an early report may fill the
 * slot (R20). With an interval it begins a minute before the next report is likely, going by the last success; at the
 * latest it begins a little before the slot. Without a last success it begins after the last end (R44). The monitor
 * must have a schedule or an interval.
 */
export function windowOfSlot({ watch, lastSuccess }: Pick<Monitor, "watch" | "lastSuccess">, slot: Instant): Span {
  const to = slot + closingDelay(watch);
  const interval = intervalOfRhythm(watch);
  if (interval === null) {
    return { from: slot - earlyTolerance(slotsAround(watch.schedule!, watch.timezone, slot - 1)), to };
  }
  // The slot lies an interval after the last end. So only a report after that end can fill it.
  const earliest = slot - interval + 1;
  if (lastSuccess === null) return { from: earliest, to };
  const early = Math.max(Math.min(EARLY_MAX, interval / 10), LIKELY_WITHIN - lastSuccess.afterSlotMs);
  return { from: Math.max(earliest, slot - early), to };
}

/** The window of the slot does not begin before this instant, which is much cheaper to compute than the window. */
export const earliestWindow = (watch: Watch, slot: Instant): Instant => slot - (intervalOfRhythm(watch) ?? EARLY_MAX);

/**
 * The slot that the next report is to fill, seen from `at`. A slot that has passed counts until it closes. Under a
 * pause it is the first slot after the pause; `null` when the pause has no end, or without a schedule or an interval.
 * An interval begins again at the end of a pause in which its slot lies (R44).
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
  /**
   * Since when a report is late: the slot that an alert named as missed, otherwise the slot that waits for its report.
   * `null` when no report is late.
   */
  readonly lateSince: Instant | null;
  /** The next slot in the future; `null` without one, and under a pause. */
  readonly nextAt: Instant | null;
}

export interface DueFacts extends Rhythm, Pick<Monitor, "pauses" | "expectedAt" | "receivedAt"> {
  /** The missed slot that an alert of the open incident named; `null` without such an incident. */
  readonly missedSlot: Instant | null;
}

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

/** From when on reports are expected: `at`, or the end of the pause (R24). `null` when a pause has no end. */
function watchedFrom({ manual, discovery, plan, suspension }: Pauses, at: Instant): Instant | null {
  if (discovery || plan || suspension) return null;
  if (manual === null) return at;
  return manual.until === null ? null : Math.max(at, manual.until);
}
