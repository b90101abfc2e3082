// Maintenance that a person plans (R24), beside what the configuration sets: what it is, and which wishes are taken.
// Pure.

import { isRefusal, type Refusal, refuseField } from "../errors.ts";
import { MAINTENANCE_SECONDS_MIN, MONITOR_KEY_LENGTH } from "../limits.ts";
import type { Reaches } from "../pattern.ts";
import { type Maintenance, type MaintenanceWindow, maintenanceUntil, pausesForEver } from "../schedule/maintenance.ts";
import { spellSchedule } from "../schedule/schedule.ts";
import { quote } from "../schedule/schedule-field.ts";
import { instantsOf, spellTimezone, type WallTime } from "../schedule/zone.ts";
import { checkLine } from "../text.ts";
import { DAY, durationText, type Instant, SECOND } from "../time.ts";
import { checkScheduleText, noZone } from "./declaration.ts";

export interface PlannedMaintenance {
  readonly id: number;
  /** The slug. */
  readonly application: string;
  /** The keys and patterns of its monitors; empty: all of the application. */
  readonly targets: readonly string[];
  /** Whether it is for the monitor of this key and these labels. */
  readonly reaches: Reaches;
  readonly window: MaintenanceWindow;
  readonly reason: string;
  readonly at: Instant;
  /** Names; null: it was done by command. */
  readonly by: string | null;
  /** Null: it goes on, or is still to come. */
  readonly endedAt: Instant | null;
  readonly endedBy: string | null;
}

/** The one whose pause ends at this instant; null: none of these. */
export const plannedUntil = (planned: readonly PlannedMaintenance[], until: Instant): PlannedMaintenance | null =>
  planned.find(({ window }) => maintenanceUntil({ maintenance: [window], timezone: "UTC" }, until - 1) === until) ??
  null;

/** How a person plans it: from an instant to another or for a time, or by a schedule and for a time. */
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
/** Planned further ahead it is a slip of the year. */
const AHEAD_MAX = 2 * 366 * DAY;
export const MAINTENANCE_REASON_LENGTH = 200;

/** The window that is wanted; `timezone`: the zone in which times are meant unless they name one. */
export function checkMaintenance(
  wanted: MaintenanceWanted,
  timezone: string,
  now: Instant,
): MaintenanceWindow | Refusal {
  const zone = wanted.timezone === null ? timezone : (spellTimezone(wanted.timezone) ?? noZone(wanted.timezone));
  if (isRefusal(zone)) return zone;
  const odd = checkLine("reason", wanted.reason ?? "", MAINTENANCE_REASON_LENGTH) ?? checkTargets(wanted.monitors);
  return odd ?? (wanted.schedule === null ? once(wanted, zone, now) : recurring(wanted, wanted.schedule, zone));
}

/** A pattern is looked for among all keys. */
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
  const begins = from === null ? { first: now, last: now } : readTime("from", from, timezone);
  if (isRefusal(begins)) return begins;
  if ((until === null) === (durationSeconds === null))
    return {
      ...refuseField("until", "name the end, or for how long (durationSeconds, --for), and not both"),
      problem: "name the end, or for how long it lasts, and not both",
    };
  const ends = until === null ? null : readTime("until", until, timezone);
  if (isRefusal(ends)) return ends;
  const end = ends?.last ?? begins.first + durationSeconds! * SECOND;
  const wrong = (problem: string): Refusal => refuseField(until === null ? "from" : "until", `it would ${problem}`);
  if (end <= now) return wrong("be over already");
  if (begins.first > now + AHEAD_MAX) return refuseField("from", "it is more than two years ahead");
  // What has begun begins now: what was missed before it stays so.
  const window = { from: Math.max(begins.first, now), until: end };
  const seconds = (end - begins.first) / SECOND;
  if (seconds < MAINTENANCE_SECONDS_MIN) return wrong("end before it has lasted a minute");
  return seconds > MAINTENANCE_SECONDS_MAX ? wrong(`last over ${durationText(MAINTENANCE_SECONDS_MAX)}`) : window;
}

/** Times as a person named them: what clocks in a zone show. Null where it is an instant, or nothing was named. */
export type NamedTimes = Readonly<{ timezone: string; wallFrom: WallTime | null; wallUntil: WallTime | null }>;

/** Of maintenance that `checkMaintenance` has taken; null when no rules of a zone decide when it is. */
export function namedTimes(wanted: MaintenanceWanted, timezone: string, now: Instant): NamedTimes | null {
  if (wanted.schedule !== null) return null;
  const zone = wanted.timezone === null ? timezone : (spellTimezone(wanted.timezone) ?? timezone);
  const wallFrom = wanted.from === null ? null : wallOf(wanted.from);
  const wallUntil = wanted.until === null ? null : wallOf(wanted.until);
  // What has begun stays begun.
  const begins = wallFrom !== null && instantsOf(wallFrom, zone).first > now ? wallFrom : null;
  return begins === null && wallUntil === null ? null : { timezone: zone, wallFrom: begins, wallUntil };
}

function wallOf(text: string): WallTime | null {
  const [, date, time, offset] = TIME.exec(text.trim()) ?? [];
  return date === undefined || offset !== undefined ? null : Date.parse(`${date}T${time}Z`);
}

/** When it is by the rules in force. One that has begun goes on from when it began. */
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

/** A time as people write it; where a clock change shows it twice, the first and the last (R17). */
export function readTime(field: string, text: string, timezone: string): ReturnType<typeof instantsOf> | Refusal {
  const [, date, time, offset] = TIME.exec(text.trim()) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${offset ?? "Z"}`);
  // A 31st of February would count as the 3rd of March.
  const isThere = !Number.isNaN(at) && new Date(`${date}T00:00Z`).toISOString().startsWith(date!);
  if (isThere) return offset === undefined ? instantsOf(at, timezone) : { first: at, last: at };
  return refuseField(
    field,
    `${quote(text)} is no time, write one such as "2026-03-01 02:00", or with "Z" or "+01:00" behind it`,
  );
}
