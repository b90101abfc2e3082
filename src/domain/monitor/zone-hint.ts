// The zone hint (R13): how far a job's reports are from their slots, for how many reports, and which time zone would
// explain it. It stays silent rather than guess. Reads no clock.

import { parseFields } from "../schedule/schedule.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import { offsetPeriodAt } from "../schedule/zone.ts";
import { HOUR, type Instant, MINUTE } from "../time.ts";
import { counted, durationInWords } from "../wording/spoken-time.ts";
import { type Drift, type Monitor, NO_DRIFT } from "./monitor.ts";

export interface ZoneHint {
  readonly offsetMinutes: number;
  readonly reports: number;
  /** The zone in which the last report would have been on its slot; `null` when none of the known zones fits. */
  readonly zone: string | null;
}

const REPORTS_IN_A_ROW = 3;
/**
 * A report this close to its slot is on time; this close to a whole number of quarters of an hour from it, it is off by
 * just that.
 */
const NEAR = 2 * MINUTE;
const QUARTER = 15 * MINUTE;
/** All zones lie between these offsets from UTC, so an offset outside them explains no report. */
const WESTMOST = -11 * HOUR;
const EASTMOST = 14 * HOUR;

/**
 * How the reports are displaced, after a report at `at` between the slots `around`. `receivedAt` is when the previous
 * report came. The caller leaves out the end of a run that has a start, because it says nothing about a slot.
 */
export function driftAfter({ watch, drift, receivedAt }: DriftFacts, around: SlotsAround, at: Instant): Drift {
  const minutes = offsetInMinutes(watch, around, at);
  if (minutes === 0) return NO_DRIFT;
  if (minutes !== drift.minutes) return { minutes, reports: 1 };
  // A report this soon after another belongs to the same slot: it comes from a second client, a retry, or a person's
  // attempt.
  if (receivedAt !== null && at - receivedAt <= 2 * NEAR) return drift;
  return { minutes, reports: drift.reports + 1 };
}

type DriftFacts = Pick<Monitor, "watch" | "drift" | "receivedAt">;

/**
 * The offset in minutes; 0 when the report is on time, is off by anything but quarters of an hour, or its slot is
 * unclear.
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
  // Halfway between two slots the report may belong to either, so one slot must be at least twice as far as the other.
  if (mayBeLate && mayBeEarly && Math.max(late, early) < 2 * Math.min(late, early)) return 0;
  return inQuarters(mayBeLate && (!mayBeEarly || late < early) ? late : -early);
}

function inQuarters(offset: number): number {
  const mark = Math.round(offset / QUARTER) * QUARTER;
  return Math.abs(offset - mark) <= NEAR ? mark / MINUTE : 0;
}

/**
 * The hint, once enough reports in a row agree. `zones` lists the time zones in use here, the likeliest first; UTC is
 * added because jobs in containers often run in it. The zone in force may be listed, but never explains anything.
 */
export const zoneHint = (facts: DriftFacts, zones: readonly string[]): ZoneHint | null =>
  facts.drift.reports < REPORTS_IN_A_ROW ? null : hintOf(facts, [...zones, "UTC"]);

/**
 * The hint for a miss, which need not wait for three reports: if a zone in use explains the last one, the zone may be
 * the only fault.
 */
export function zoneHintAtMiss(facts: DriftFacts, zones: readonly string[]): ZoneHint | null {
  const hint = facts.drift.reports === 0 ? null : hintOf(facts, zones);
  return hint?.zone == null ? zoneHint(facts, zones) : hint;
}

function hintOf({ watch, drift, receivedAt }: DriftFacts, zones: readonly string[]): ZoneHint | null {
  const { schedule, timezone } = watch;
  if (schedule === null || receivedAt === null) return null;
  const offset = drift.minutes * MINUTE;
  // The last report may be the end of a run, so the slot of the counted report is found from its offset.
  const { before: slot } = slotsAround(schedule, timezone, receivedAt - offset + NEAR);
  const cameAt = (slot ?? receivedAt) + offset;
  const zone = zones.find((candidate) => slotsAround(schedule, candidate, cameAt).before === cameAt) ?? null;
  return { offsetMinutes: drift.minutes, reports: drift.reports, zone };
}

/**
 * The hint as one sentence. `timezone` is the zone in force. If no known zone fits, the sentence names every possible
 * cause, including the length of the run when only its end is reported.
 */
export function zoneHintInWords({ offsetMinutes, reports, zone }: ZoneHint, timezone: string): string {
  const off = durationInWords(Math.abs(offsetMinutes) * MINUTE);
  const side = offsetMinutes < 0 ? "before" : "after";
  const [last, their] = reports === 1 ? ["report", "its"] : [counted(reports, "report"), "their"];
  const came = `The last ${last} came ${off} ${side} ${their} scheduled time in ${timezone}`;
  if (zone !== null) {
    return `${came}, which is on time in ${zone}: if the job runs there, set timezone=${zone} in its reports, or server.timezone.`;
  }
  const runLength = offsetMinutes > 0 ? "takes that long, " : "";
  return `${came}: the job ${runLength}runs in another time zone, or its clock or schedule is off by that much.`;
}
