// The zone hint (R13): when a job's reports are all off their slots by the same time, it says so, and which time zone
// would explain it. When in doubt it says nothing. Pure.

import { parseFields } from "../schedule/schedule.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import { offsetPeriodAt } from "../schedule/zone.ts";
import { HOUR, type Instant, MINUTE } from "../time.ts";
import { type Drift, type Monitor, NO_DRIFT } from "./monitor.ts";

export interface ZoneHint {
  readonly offsetMinutes: number;
  readonly reports: number;
  /** The time zone in which the last report would have come exactly at its slot; `null` when no known zone fits. */
  readonly zone: string | null;
}

const REPORTS_IN_A_ROW = 3;
/**
 * A report is on time when it comes within this many milliseconds of its slot. The same tolerance holds around each
 * multiple of 15 minutes from the slot.
 */
const NEAR = 2 * MINUTE;
const QUARTER = 15 * MINUTE;
/** The clocks of all places lie between these offsets from UTC, in milliseconds. No zone explains another offset. */
const WESTMOST = -11 * HOUR;
const EASTMOST = 14 * HOUR;

/**
 * Returns the drift after a report that came at `at`, between the slots `around`: by how many minutes reports are off
 * their slots, and how many reports in a row were. `receivedAt` is when the report before this one came. The caller
 * leaves out the end of a run with a known start, because an end comes later than its slot by the run's length.
 */
export function driftAfter({ watch, drift, receivedAt }: DriftFacts, around: SlotsAround, at: Instant): Drift {
  const minutes = offsetInMinutes(watch, around, at);
  if (minutes === 0) return NO_DRIFT;
  if (minutes !== drift.minutes) return { minutes, reports: 1 };
  // Two reports within four minutes belong to one slot, such as a retry or a second client. They count once.
  if (receivedAt !== null && at - receivedAt <= 2 * NEAR) return drift;
  return { minutes, reports: drift.reports + 1 };
}

type DriftFacts = Pick<Monitor, "watch" | "drift" | "receivedAt">;

/**
 * By how many minutes the report is off its slot, a multiple of 15. It is 0 in three cases: the report is on time,
 * misses its slot by a time that is no multiple of 15 minutes, or may belong to either of two slots.
 */
function offsetInMinutes(
  { schedule, timezone }: Monitor["watch"],
  { before, after }: SlotsAround,
  at: Instant,
): number {
  const late = before === null ? Number.POSITIVE_INFINITY : at - before;
  const early = after === null ? Number.POSITIVE_INFINITY : after - at;
  if (schedule === null || Math.min(late, early) <= NEAR || !parseFields(schedule).hoursRestricted) return 0;

  const { offset } = offsetPeriodAt(timezone, at);
  const mayBeLate = offset - late >= WESTMOST;
  const mayBeEarly = offset + early <= EASTMOST;
  if (!mayBeLate && !mayBeEarly) return 0;
  // Near the middle between two slots the report may belong to either. So one must be twice as far away as the other.
  if (mayBeLate && mayBeEarly && Math.max(late, early) < 2 * Math.min(late, early)) return 0;
  return inQuarters(mayBeLate && (!mayBeEarly || late < early) ? late : -early);
}

function inQuarters(offset: number): number {
  const mark = Math.round(offset / QUARTER) * QUARTER;
  return Math.abs(offset - mark) <= NEAR ? mark / MINUTE : 0;
}

/**
 * The hint, once three reports in a row are off by the same time; otherwise `null`. `zones` lists the time zones in use
 * here, the likeliest first; the zone in force may be among them. UTC is added, because containers often run in it.
 */
export const zoneHint = (facts: DriftFacts, zones: readonly string[]): ZoneHint | null =>
  facts.drift.reports < REPORTS_IN_A_ROW ? null : hintOf(facts, [...zones, "UTC"]);

/**
 * The hint for the alert of a missed slot; `null` when there is none. `zones` are the time zones in use here. If one of
 * them explains the offset, one report is enough for a hint: the wrong zone may have caused the miss. Otherwise it
 * takes three reports.
 */
export function zoneHintAtMiss(facts: DriftFacts, zones: readonly string[]): ZoneHint | null {
  const hint = facts.drift.reports === 0 ? null : hintOf(facts, zones);
  return hint?.zone == null ? zoneHint(facts, zones) : hint;
}

function hintOf({ watch, drift, receivedAt }: DriftFacts, zones: readonly string[]): ZoneHint | null {
  const { schedule, timezone } = watch;
  if (schedule === null || receivedAt === null) return null;
  const offset = drift.minutes * MINUTE;
  // `drift` says by how many minutes the first reports of runs come after their slots. `receivedAt` may be the end of a
  // run, so the instant of that run's first report is computed: its slot plus the offset. For example, the slot of
  // 02:00 and an offset of 60 minutes give 03:00.
  const { before: slot } = slotsAround(schedule, timezone, receivedAt - offset + NEAR);
  const cameAt = (slot ?? receivedAt) + offset;
  const zone = zones.find((candidate) => slotsAround(schedule, candidate, cameAt).before === cameAt) ?? null;
  return { offsetMinutes: drift.minutes, reports: drift.reports, zone };
}
