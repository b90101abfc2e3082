// What became of a monitor's slots on each of the last days: counted from its schedule, its incidents and what stayed
// unknown, because reports are too many to count anew. Pure.

import { closingDelay } from "../../domain/monitor/window.ts";
import { countSlots } from "../../domain/schedule/slots.ts";
import { stretchAt } from "../../domain/schedule/zone.ts";
import { DAY, type Instant } from "../../domain/time.ts";
import type { MonitorOutline } from "../../store/monitor-pages.ts";
import type { PastIncident, UnknownSlot } from "../../store/recent.ts";

/** The worst comes first: it is what a day is shown as. */
export const DAY_OUTCOMES = ["failed", "missed", "unknown", "paused", "well", "quiet", "before"] as const;

/** `quiet`: nothing was expected. `before`: the monitor did not exist yet. */
export type DayOutcome = (typeof DAY_OUTCOMES)[number];

export interface PastDay {
  /** Its midnight. */
  readonly at: Instant;
  readonly outcome: DayOutcome;
  /** Slots that have closed. Of these nothing came for `missed`; `failed`: runs that failed; `unknown`: we were deaf. */
  readonly expected: number;
  readonly missed: number;
  readonly failed: number;
  readonly unknown: number;
}

/** What the days of a monitor follow from. */
export interface Past {
  /** Oldest first. */
  readonly incidents: readonly PastIncident[];
  readonly unknowns: readonly UnknownSlot[];
}

/** The midnights in the zone with which the last `count` days began, today's last, and the next. */
export function lastMidnights(timezone: string, now: Instant, count: number): Instant[] {
  const today = Math.floor((now + stretchAt(timezone, now).offset) / DAY) * DAY;
  return Array.from({ length: count + 1 }, (_, place) => {
    const wall = today + (place - count + 1) * DAY;
    const near = wall - stretchAt(timezone, wall).offset;
    return wall - stretchAt(timezone, near).offset;
  });
}

type Counts = { -readonly [Field in "expected" | "missed" | "failed" | "unknown"]: PastDay[Field] };

interface Tally extends Counts {
  readonly from: Instant;
  readonly until: Instant;
  /** What an incident that was open on this day was about. */
  trouble: "failed" | "missed" | null;
}

/** Days between the midnights. What happened on a day before the first is left out. */
export function pastDays(monitor: MonitorOutline, past: Past, midnights: readonly Instant[], now: Instant): PastDay[] {
  const closedUntil = now - closingDelay(monitor);
  const days = midnights.slice(0, -1).map((from, place): Tally => {
    const until = midnights[place + 1]!;
    const expected = slotsIn(monitor, Math.max(from, monitor.createdAt), Math.min(until, closedUntil + 1));
    return { from, until, expected, missed: 0, failed: 0, unknown: 0, trouble: null };
  });
  const spread = spreader(monitor, days);
  for (const incident of past.incidents) countIncident(incident, days, spread, closedUntil, now);
  if (monitor.incident === null && monitor.misses > 0)
    spread("missed", monitor.receivedAt ?? monitor.createdAt, closedUntil + 1, monitor.misses);
  for (const { at, slot, slots, runStartedAt } of past.unknowns) {
    if (slot === null) spread("unknown", runStartedAt ?? at, runStartedAt ?? at, 1);
    else spread("unknown", slot, now, slots);
  }
  return days.map((day) => ({
    at: day.from,
    outcome: outcomeOf(monitor, day),
    expected: Math.max(day.expected, day.missed + day.failed + day.unknown),
    missed: day.missed,
    failed: day.failed,
    unknown: day.unknown,
  }));
}

const slotsIn = ({ schedule, timezone }: MonitorOutline, from: Instant, until: Instant): number =>
  schedule === null || from >= until ? 0 : countSlots(schedule, timezone, from - 1, until - 1);

type Spread = (field: "missed" | "failed" | "unknown", from: Instant, until: Instant, most: number) => void;

/** Gives each day its slots of [from, until), `most` in all. A schedule may have changed since: then the first gets them. */
function spreader(monitor: MonitorOutline, days: readonly Tally[]): Spread {
  return (field, from, until, most) => {
    const touched = touchedBy(days, from, Math.max(until, from + 1));
    let left = most;
    for (const day of touched) {
      const count = Math.min(left, slotsIn(monitor, Math.max(day.from, from), Math.min(day.until, until)));
      day[field] += count;
      left -= count;
      if (left === 0) return;
    }
    if (left === most && Number.isFinite(most) && touched[0] !== undefined && from >= touched[0].from)
      touched[0][field] += most;
  };
}

const touchedBy = (days: readonly Tally[], from: Instant, until: Instant): Tally[] =>
  days.filter((day) => day.from < until && day.until > from);

/** A report that failed belongs to the day on which it came; those after it to the days of their slots. */
function countIncident(
  { openedAt, closedAt, causes, troubles, missedSlots, expectedAt }: PastIncident,
  days: readonly Tally[],
  spread: Spread,
  closedUntil: Instant,
  now: Instant,
): void {
  const isMissed = causes.includes("missed");
  const ended = causes.some((cause) => cause !== "missed");
  for (const day of touchedBy(days, expectedAt ?? openedAt, closedAt ?? now)) {
    day.trouble = ended ? "failed" : (day.trouble ?? "missed");
  }
  if (isMissed) {
    const most = closedAt === null ? Number.POSITIVE_INFINITY : missedSlots;
    spread("missed", expectedAt ?? openedAt, closedAt ?? closedUntil + 1, most);
  }
  if (!ended) return;
  const failures = Math.max(1, troubles - (isMissed ? 1 : 0));
  spread("failed", openedAt, openedAt, 1);
  if (failures > 1) spread("failed", openedAt + 1, closedAt ?? now, failures - 1);
}

function outcomeOf(monitor: MonitorOutline, day: Tally): DayOutcome {
  const { pauses, receivedAt, createdAt } = monitor;
  if (day.until <= createdAt) return "before";
  if (day.failed > 0 || day.trouble === "failed") return "failed";
  if (day.missed > 0 || day.trouble === "missed") return "missed";
  if (day.unknown > 0) return "unknown";
  const isPaused = pauses.manual !== null || pauses.discovery || pauses.plan;
  if (isPaused && day.from > (receivedAt ?? createdAt)) return "paused";
  return day.expected > 0 ? "well" : "quiet";
}
