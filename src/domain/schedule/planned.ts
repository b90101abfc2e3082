// Maintenance that a person plans (R24): what is stored of it, and the checks when it is asked for. Pure.

import { isRefusal, type Refusal, refuseField } from "../errors.ts";
import { MAINTENANCE_SECONDS_MIN, MONITOR_KEY_LENGTH } from "../limits.ts";
import type { Reaches } from "../settings/targets.ts";
import { checkLine, quote } from "../text.ts";
import { DAY, durationText, type Instant, SECOND } from "../time.ts";
import { type Maintenance, type MaintenanceWindow, maintenanceUntil, pausesForEver } from "./maintenance.ts";
import { checkScheduleText, spellSchedule } from "./schedule.ts";
import { instantsOf, refuseTimezone, spellTimezone, type WallTime } from "./zone.ts";

export interface PlannedMaintenance {
  readonly id: number;
  /** The application's slug. */
  readonly application: string;
  /** Keys of monitors, patterns for keys, and labels. An empty list means all monitors of the application. */
  readonly targets: readonly string[];
  readonly reaches: Reaches;
  readonly window: MaintenanceWindow;
  readonly reason: string;
  readonly at: Instant;
  /** The name of the person who planned the maintenance; `null` when a command did. */
  readonly by: string | null;
  /** When a person ended the maintenance early; `null` when no person did. */
  readonly endedAt: Instant | null;
  readonly endedBy: string | null;
}

/** The planned maintenance that pauses a monitor until exactly this instant; `null` when none does. */
export const plannedUntil = (planned: readonly PlannedMaintenance[], until: Instant): PlannedMaintenance | null =>
  planned.find(({ window }) => maintenanceUntil({ maintenance: [window], timezone: "UTC" }, until - 1) === until) ??
  null;

/** Maintenance as asked for: once, from `from` until `until` or for a duration; or by a schedule and for a duration. */
export interface MaintenanceWanted {
  readonly monitors: readonly string[];
  readonly from: string | null;
  readonly until: string | null;
  readonly schedule: string | null;
  readonly durationSeconds: number | null;
  readonly timezone: string | null;
  readonly reason: string | null;
}

export const MAINTENANCE_SECONDS_MAX = (90 * DAY) / SECOND;
export const MAINTENANCE_TARGETS_MAX = 200;
/** How many milliseconds ahead maintenance may begin at most. A later time is probably a wrong year. */
const AHEAD_MAX = 2 * 366 * DAY;
export const MAINTENANCE_REASON_LENGTH = 200;

/** Returns the times of the maintenance, or a refusal. `timezone` counts for times that name no zone themselves. */
export function checkMaintenance(
  wanted: MaintenanceWanted,
  timezone: string,
  now: Instant,
): MaintenanceWindow | Refusal {
  const zone =
    wanted.timezone === null ? timezone : (spellTimezone(wanted.timezone) ?? refuseTimezone(wanted.timezone));
  if (isRefusal(zone)) return zone;
  const odd = checkLine("reason", wanted.reason ?? "", MAINTENANCE_REASON_LENGTH) ?? checkTargets(wanted.monitors);
  return odd ?? (wanted.schedule === null ? once(wanted, zone, now) : recurring(wanted, wanted.schedule, zone));
}

/** The most patterns in one maintenance, because each is compared with all keys. */
const PATTERNS_MAX = 20;

function checkTargets(targets: readonly string[]): Refusal | null {
  if (targets.filter((target) => target.includes("*")).length > PATTERNS_MAX)
    return refuseField("monitors", `at most ${PATTERNS_MAX} of them may be patterns`);
  for (const target of targets) {
    const wrong = checkLine("monitors", target, MONITOR_KEY_LENGTH);
    if (wrong !== null) return wrong;
  }
  return null;
}

const DURATION = { field: "durationSeconds", called: "durationSeconds (--for)" };

function recurring(
  { from, until, durationSeconds }: MaintenanceWanted,
  schedule: string,
  timezone: string,
): MaintenanceWindow | Refusal {
  const wrong = checkScheduleText(schedule, "five");
  if (wrong !== null) return wrong;
  if (from !== null || until !== null)
    return refuseField(from === null ? "until" : "from", "it stands beside a schedule, name one of them");
  if (durationSeconds === null) return refuseField(DURATION, "it is missing; a schedule says only when it begins");
  const window = { schedule: spellSchedule(schedule), timezone, durationSeconds };
  if (!pausesForEver([window])) return window;
  const lasts = durationText(durationSeconds);
  return refuseField(DURATION, `${lasts} lasts until the next begins, it would never end`);
}

function once(
  { from, until, durationSeconds }: MaintenanceWanted,
  timezone: string,
  now: Instant,
): MaintenanceWindow | Refusal {
  const begins = from === null ? { first: now, last: now } : readPlannedTime("from", from, timezone);
  if (isRefusal(begins)) return begins;
  if ((until === null) === (durationSeconds === null))
    return {
      ...refuseField("until", "name the end, or for how long (durationSeconds, --for), and not both"),
      problem: "name the end, or for how long it lasts, and not both",
    };
  const ends = until === null ? null : readPlannedTime("until", until, timezone);
  if (isRefusal(ends)) return ends;
  const end = ends?.last ?? begins.first + durationSeconds! * SECOND;
  const wrong = (problem: string): Refusal => refuseField(until === null ? "from" : "until", `it would ${problem}`);
  if (end <= now) return wrong("be over already");
  if (begins.first > now + AHEAD_MAX) return refuseField("from", "it is more than two years ahead");
  // Maintenance that is to have begun in the past begins now, so slots that were missed before now stay missed.
  const window = { from: Math.max(begins.first, now), until: end };
  const seconds = (end - begins.first) / SECOND;
  if (seconds < MAINTENANCE_SECONDS_MIN) return wrong("end before it has lasted a minute");
  return seconds > MAINTENANCE_SECONDS_MAX ? wrong(`last over ${durationText(MAINTENANCE_SECONDS_MAX)}`) : window;
}

/**
 * The beginning and end of planned maintenance as a person named them, as wall times in `timezone`. A field is `null`
 * when its time was given with an offset from UTC, or not at all.
 */
export type NamedTimes = Readonly<{ timezone: string; wallFrom: WallTime | null; wallUntil: WallTime | null }>;

/**
 * The beginning and end of planned maintenance as wall times, kept because new rules for the time zone would move them.
 * `null` when nothing can move: the maintenance repeats, or its times were written with an offset from UTC. A beginning
 * that has passed is left out.
 */
export function namedTimes(wanted: MaintenanceWanted, timezone: string, now: Instant): NamedTimes | null {
  if (wanted.schedule !== null) return null;
  const zone = wanted.timezone === null ? timezone : (spellTimezone(wanted.timezone) ?? timezone);
  const wallFrom = wanted.from === null ? null : wallOf(wanted.from);
  const wallUntil = wanted.until === null ? null : wallOf(wanted.until);
  // New rules for the time zone do not move a beginning that has passed.
  const begins = wallFrom !== null && instantsOf(wallFrom, zone).first > now ? wallFrom : null;
  return begins === null && wallUntil === null ? null : { timezone: zone, wallFrom: begins, wallUntil };
}

function wallOf(text: string): WallTime | null {
  const [, date, time, offset] = TIME.exec(text.trim()) ?? [];
  return date === undefined || offset !== undefined ? null : Date.parse(`${date}T${time}Z`);
}

/** The times of planned maintenance by the present zone rules. Maintenance that has begun keeps its beginning. */
export function maintenanceByRules(
  window: Maintenance,
  { timezone, wallFrom, wallUntil }: NamedTimes,
  now: Instant,
): Maintenance {
  const begins = wallFrom === null || window.from <= now ? window.from : instantsOf(wallFrom, timezone).first;
  const from = window.from <= now ? window.from : Math.max(begins, now);
  const until = wallUntil === null ? from + (window.until - window.from) : instantsOf(wallUntil, timezone).last;
  return { from, until: Math.max(from, until) };
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/;

/**
 * Reads a time as people write it, such as `2026-03-01 02:00`, or returns a refusal. When clocks are set back, they
 * show some times twice; then `first` and `last` are the two instants (R17).
 */
export function readPlannedTime(
  field: string,
  text: string,
  timezone: string,
): ReturnType<typeof instantsOf> | Refusal {
  const [, date, time, offset] = TIME.exec(text.trim()) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${offset ?? "Z"}`);
  // `Date.parse` takes the 31st of February for the 3rd of March, so the day it found is compared with the text.
  const isThere = !Number.isNaN(at) && new Date(`${date}T00:00Z`).toISOString().startsWith(date!);
  if (isThere) return offset === undefined ? instantsOf(at, timezone) : { first: at, last: at };
  return refuseField(
    field,
    `${quote(text)} is no time, write one such as "2026-03-01 02:00", or with "Z" or "+01:00" behind it`,
  );
}
