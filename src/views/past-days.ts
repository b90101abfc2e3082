// Counts what went wrong on each of a monitor's last days, for calendars and status pages. For days whose reports were
// read, the numbers come from the timeline, for others from the schedule, the incidents, the stored pauses and unknown
// slots, because reading their reports would take too long. Pure.

import { closingDelay } from "../domain/monitor/window.ts";
import { countRhythmSlots, intervalOfRhythm } from "../domain/schedule/rhythm.ts";
import type { Instant } from "../domain/time.ts";
import { isEndResult, RESULTS, type Result, tallyInWords } from "../domain/wording/results.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { PastIncident, UnknownSlot } from "../store/recent.ts";
import { countUnpausedSlots, type PausedSpan, pausedTimeIn } from "./past-pauses.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The result of a day. `succeeded`: all that was expected came, even if an incident was open; for an interval (R44),
 * the job was never silent for too long.
 */
export type DayResult = Extract<
  Result,
  "failed" | "missed" | "unknown" | "paused" | "succeeded" | "quiet" | "unwatched" | "unread"
>;

/**
 * At most this many incidents of a monitor are read, the newest. If it has more, days before the oldest one read are
 * `unread`, unless their reports were read.
 */
export const INCIDENTS_OF_DAYS = 2_000;

export interface PastDay {
  /** The midnight at which the day begins. */
  readonly at: Instant;
  readonly result: DayResult;
  /**
   * How many slots of the day have closed, without those in a pause; `null` for an interval (R44), which has no fixed
   * slots.
   */
  readonly expected: number | null;
  /** How many reports came, without starts and logs; `null` when they were not read. */
  readonly reports: number | null;
  /** How many slots no report filled. */
  readonly missed: number;
  /** How many runs failed, whether or not they belong to a slot. */
  readonly failed: number;
  /** How many slots and runs are unknown, because rollcall could not hear their reports. */
  readonly unknown: number;
}

/** The facts from which the days of a monitor follow. */
interface Past {
  /** The monitor's newest incidents, at most `INCIDENTS_OF_DAYS`, the oldest first. */
  readonly incidents: readonly PastIncident[];
  readonly unknowns: readonly UnknownSlot[];
  readonly paused: readonly PausedSpan[];
  /**
   * The timeline until now. It begins at a midnight, perhaps a later one than the first of these days. `null` when no
   * reports were read.
   */
  readonly timeline: Timeline | null;
}

type DayCounts = { -readonly [Field in "reports" | "missed" | "failed" | "unknown"]: PastDay[Field] };

interface DayTally extends DayCounts {
  readonly from: Instant;
  readonly until: Instant;
  /** How many slots of the schedule closed on the day and were expected; 0 for an interval. */
  readonly slots: number;
  /** Whether the monitor was paused all day: at each of its slots, or from the day's begin to its end. */
  readonly isPaused: boolean;
  /** Whether all that went wrong on the day is known, from its incidents or from its reports. */
  isRead: boolean;
  /**
   * Whether an incident that touches the day has another cause than a miss or a fail: an unfinished run or a wrong
   * outcome.
   */
  hasOtherCause: boolean;
}

/** The days between the midnights. Events before the first midnight are left out. */
export function pastDays(monitor: MonitorOutline, past: Past, midnights: readonly Instant[], now: Instant): PastDay[] {
  const closedUntil = now - closingDelay(monitor);
  const isCut = past.incidents.length === INCIDENTS_OF_DAYS;
  const incidentsSince = isCut ? past.incidents[0]!.openedAt : Number.NEGATIVE_INFINITY;
  const days = midnights.slice(0, -1).map((from, place): DayTally => {
    const until = midnights[place + 1]!;
    const whole = { from: Math.max(from, monitor.createdAt), until: Math.min(until, now) };
    const closed = { from: whole.from, until: Math.min(until, closedUntil + 1), known: null };
    const slots = expectedIn(monitor, past.paused, closed);
    const isPaused = isPausedDay(monitor, past.paused, whole) || (slots === 0 && slotsIn(monitor, closed) > 0);
    const isRead = from >= incidentsSince;
    const counts = { reports: null, missed: 0, failed: 0, unknown: 0 };
    return { from, until, slots, isPaused, isRead, ...counts, hasOtherCause: false };
  });
  const spread = spreader(monitor, past.paused, days);
  for (const incident of past.incidents) countIncident(incident, days, spread, closedUntil, now);
  const heardAt = monitor.receivedAt ?? monitor.createdAt;
  if (monitor.incident === null && monitor.misses > 0)
    spread("missed", heardAt + 1, closedUntil + 1, monitor.misses, monitor.expectedAt);
  for (const { at, slot, slots, runStartedAt } of past.unknowns) {
    if (slot === null) spread("unknown", runStartedAt ?? at, runStartedAt ?? at, 1, null);
    else spread("unknown", slot, now, slots, slot);
  }
  if (past.timeline !== null) countTimeline(monitor, past.timeline, days);
  const isInterval = intervalOfRhythm(monitor) !== null;
  return days.map((day) => ({
    at: day.from,
    result: resultOfDay(monitor, day),
    // `slots` counts by the present schedule. Under an earlier schedule, more slots than that may have been missed.
    expected: isInterval ? null : Math.max(day.slots, day.missed + day.unknown),
    reports: day.reports,
    missed: day.missed,
    failed: day.failed,
    unknown: day.unknown,
  }));
}

/**
 * Whether one pause lasts for all of [from, until). An interval's slots of the past are not known (R44). So its day
 * counts as paused, too, if it was watched for less than one interval, and for less time than it was paused.
 */
function isPausedDay(
  monitor: MonitorOutline,
  paused: readonly PausedSpan[],
  { from, until }: Omit<Counted, "known">,
): boolean {
  if (paused.some((span) => span.from <= from && span.to >= until)) return true;
  const interval = intervalOfRhythm(monitor);
  if (interval === null) return false;
  const pausedTime = pausedTimeIn(paused, from, until);
  return until - from - pausedTime < Math.min(interval, pausedTime);
}

/**
 * The instants [from, until). The slots of an interval (R44) are counted from the slot `known`; when `known` is `null`,
 * there are none.
 */
type Counted = Readonly<{ from: Instant; until: Instant; known: Instant | null }>;

const slotsIn = (monitor: MonitorOutline, { from, until, known }: Counted): number =>
  from >= until ? 0 : countRhythmSlots(monitor, from - 1, until - 1, known);

/** Counts a monitor's slots in [from, until) that fell into no pause. */
const expectedIn = (monitor: MonitorOutline, paused: readonly PausedSpan[], { from, until, known }: Counted): number =>
  countUnpausedSlots(paused, from, until, (begin, end) => slotsIn(monitor, { from: begin, until: end, known }));

type Spread = (
  field: "missed" | "failed" | "unknown",
  from: Instant,
  until: Instant,
  most: number,
  known: Instant | null,
) => void;

/**
 * Makes a function that spreads trouble over days. To `field` of each day, such as `missed`, it adds the number of that
 * day's slots in [from, until). On all days together it adds at most `most`. Slots in a pause count only for `failed`.
 * If the present schedule has no slots in [from, until), the day of `from` gets all of `most`; nothing when `most` is
 * infinite.
 */
function spreader(monitor: MonitorOutline, paused: readonly PausedSpan[], days: readonly DayTally[]): Spread {
  return (field, from, until, most, known) => {
    const touched = touchedBy(days, from, Math.max(until, from + 1));
    let left = most;
    for (const day of touched) {
      const counted = { from: Math.max(day.from, from), until: Math.min(day.until, until), known };
      const count = Math.min(left, expectedIn(monitor, field === "failed" ? [] : paused, counted));
      day[field] += count;
      left -= count;
      if (left === 0) return;
    }
    // Failures may outnumber the slots, because a job may also fail when nothing is expected. The failures that are
    // left count on the day of `from`.
    if (left < most && field !== "failed") return;
    if (Number.isFinite(left) && touched[0] !== undefined && from >= touched[0].from) touched[0][field] += left;
  };
}

const touchedBy = (days: readonly DayTally[], from: Instant, until: Instant): DayTally[] =>
  days.filter((day) => day.from < until && day.until > from);

/**
 * Counts the troubles of an incident. Misses count on the days of their slots, the first failure on the day on which
 * the incident opened, further failures on the days of the slots after that.
 */
function countIncident(
  { openedAt, closedAt, causes, troubles, missedSlots, expectedAt }: PastIncident,
  days: readonly DayTally[],
  spread: Spread,
  closedUntil: Instant,
  now: Instant,
): void {
  const isMissed = causes.includes("missed");
  // A closed incident that told only misses, and now has no missed slots, is left out: in each of these slots the job
  // had run, and its report came late (R43).
  if (isMissed && causes.length === 1 && closedAt !== null && missedSlots === 0) return;
  const ended = causes.some((cause) => cause !== "missed");
  if (causes.some((cause) => cause !== "missed" && cause !== "failed"))
    for (const day of touchedBy(days, expectedAt ?? openedAt, closedAt ?? now)) day.hasOtherCause = true;
  if (isMissed) {
    const most = closedAt === null ? Number.POSITIVE_INFINITY : missedSlots;
    spread("missed", expectedAt ?? openedAt, closedAt ?? closedUntil + 1, most, expectedAt);
  }
  if (!ended) return;
  const failures = Math.max(1, troubles - (isMissed ? 1 : 0));
  spread("failed", openedAt, openedAt, 1, null);
  if (failures > 1) spread("failed", openedAt + 1, closedAt ?? now, failures - 1, null);
}

/**
 * Takes the numbers of a day from the timeline if all its reports were read. A run counts on the day on which it ended,
 * a slot on its own day. Other days keep the numbers that follow from the incidents, because their reports may be
 * deleted, or the settings may have changed since.
 */
function countTimeline(monitor: MonitorOutline, timeline: Timeline, days: readonly DayTally[]): void {
  const { entries, runs, readSince, scheduledSince, isThinned } = timeline;
  const oldest = runs[0]?.to ?? (monitor.receivedAt === null ? monitor.createdAt : Number.POSITIVE_INFINITY);
  for (const day of days) {
    if (day.from < readSince || day.until <= oldest) continue;
    const ofDay = runs.filter(({ to }) => to >= day.from && to < day.until);
    const failed = ofDay.filter(({ result }) => RESULTS[result].counted === "failed").length;
    day.reports = ofDay.filter(({ result }) => isEndResult(result)).length;
    // The timeline counts a run on the day of its end. If the run passed its deadline on an earlier day, only the
    // incident counts it on that day. So the higher of the two counts is kept.
    day.failed = day.hasOtherCause ? Math.max(day.failed, failed) : failed;
    if (isThinned || Math.max(day.from, monitor.createdAt) < scheduledSince) continue;
    const counted = entries.filter(({ at }) => at >= day.from && at < day.until);
    day.missed = counted.filter(({ result }) => result === "missed").length;
    day.unknown = counted.filter(({ result }) => result === "unknown").length;
    day.isRead = true;
  }
}

function resultOfDay(monitor: MonitorOutline, day: DayTally): DayResult {
  if (day.until <= monitor.createdAt) return "unwatched";
  if (day.failed > 0) return "failed";
  if (day.missed > 0) return "missed";
  if (day.unknown > 0) return "unknown";
  if (day.isPaused) return "paused";
  if (!day.isRead) return "unread";
  if (intervalOfRhythm(monitor) !== null) return monitor.receivedAt === null ? "quiet" : "succeeded";
  return day.slots > 0 ? "succeeded" : "quiet";
}

// The following says in words what went wrong on a day, and how much was expected, for calendar and status pages.

/** What went wrong on a day, such as `2 failed` and `1 missed`; empty when nothing went wrong. */
export const pastDayTroubles = (day: PastDay): string[] =>
  (["failed", "missed", "unknown"] as const).flatMap((field) =>
    day[field] === 0 ? [] : tallyInWords([[field, day[field]]]),
  );

/**
 * How many slots were expected, such as `; 24 were expected`; empty for an interval (R44). The number stands apart from
 * the failures, because a job may also fail when nothing was expected.
 */
export function pastDayExpectedInWords(expected: PastDay["expected"]): string {
  if (expected === null) return "";
  return `; ${expected === 0 ? "nothing was" : expected === 1 ? "1 was" : `${expected} were`} expected`;
}
