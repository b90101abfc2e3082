// The settings of a monitor as a person or a registry declares them, checked as those of a report are: the same grammar, the
// same bounds. Values have their types already; how they were spelled outside is the edges' business.

import { type Refusal, refuse } from "../errors.ts";
import { GRACE_SECONDS_MIN, MAX_RUNTIME_SECONDS_MIN, NAME_LENGTH, SCHEDULE_LENGTH } from "../limits.ts";
import { checkSchedule, type Dialect, spellSchedule } from "../schedule/schedule.ts";
import { quote } from "../schedule/schedule-field.ts";
import { spellTimezone } from "../schedule/zone.ts";
import { checkLength, checkLine } from "../text.ts";
import type { Declared } from "./policy.ts";

/** R7: whole numbers have at most nine digits. */
const SECONDS_MAX = 999_999_999;

/** What the two fields are called where they come from. */
export interface FieldNames {
  readonly graceSeconds: string;
  readonly maxRuntimeSeconds: string;
}

/** The settings as they are kept; else 400, naming the field (R1). Null says nothing of a field (R42). */
export function checkDeclared(said: Declared, dialect: Dialect, names: FieldNames): Declared | Refusal {
  const { name, schedule, timezone, graceSeconds, maxRuntimeSeconds } = said;
  const zone = timezone === null ? null : spellTimezone(timezone);
  const fault =
    (schedule === null ? null : checkScheduleText(schedule, dialect)) ??
    (name === null ? null : checkLine("name", name, NAME_LENGTH)) ??
    (timezone !== null && zone === null ? noZone(timezone) : null) ??
    checkSeconds(names.graceSeconds, graceSeconds, GRACE_SECONDS_MIN) ??
    checkSeconds(names.maxRuntimeSeconds, maxRuntimeSeconds, MAX_RUNTIME_SECONDS_MIN);
  if (fault !== null) return fault;
  const spelled = schedule === null ? null : spellSchedule(schedule);
  return { name, schedule: spelled, timezone: zone, graceSeconds, maxRuntimeSeconds };
}

/** Null for a schedule that is taken, else 400. */
export const checkScheduleText = (schedule: string, dialect: Dialect): Refusal | null =>
  checkLength("schedule", schedule, SCHEDULE_LENGTH) ?? checkSchedule(schedule, dialect);

function checkSeconds(field: string, seconds: number | null, min: number): Refusal | null {
  if (seconds === null || (Number.isInteger(seconds) && seconds >= min && seconds <= SECONDS_MAX)) return null;
  return refuse("INVALID_REQUEST", `${field}: it must be a whole number of seconds, ${min} to ${SECONDS_MAX}`);
}

/** R13. */
export const noZone = (timezone: string): Refusal =>
  refuse("INVALID_REQUEST", `timezone: ${quote(timezone)} is no time zone, write an IANA name such as "Europe/Berlin"`);
