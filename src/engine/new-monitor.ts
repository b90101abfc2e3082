// What a person asks for when making a monitor by hand, checked as a report that registers itself is: the same grammar,
// the same bounds. Answers what is declared then, or the first fault.

import { type Refusal, refuse } from "../domain/errors.ts";
import { GRACE_SECONDS_MIN, MAX_RUNTIME_SECONDS_MIN, NAME_LENGTH, SCHEDULE_LENGTH } from "../domain/limits.ts";
import { checkMonitorKey } from "../domain/monitor-key.ts";
import type { Declared } from "../domain/policy.ts";
import { checkSchedule, spellSchedule } from "../domain/schedule.ts";
import { quote } from "../domain/schedule-field.ts";
import { checkLength, checkLine } from "../domain/text.ts";
import { spellTimezone } from "../domain/zone.ts";
import type { NewMonitor } from "./operators-contract.ts";

/** R7: whole numbers have at most nine digits. */
const SECONDS_MAX = 999_999_999;

/** What is declared by this request; else 400, naming the field (R1). */
export function declaredByHand(monitor: NewMonitor): Declared | Refusal {
  const { key, name, schedule, timezone, graceSeconds, maxRuntimeSeconds } = monitor;
  const zone = timezone === null ? null : spellTimezone(timezone);
  const fault =
    checkMonitorKey("key", key) ??
    checkLength("schedule", schedule, SCHEDULE_LENGTH) ??
    checkSchedule(schedule, "five") ??
    (name === null ? null : checkLine("name", name, NAME_LENGTH)) ??
    (timezone !== null && zone === null ? noZone(timezone) : null) ??
    checkSeconds("graceSeconds", graceSeconds, GRACE_SECONDS_MIN) ??
    checkSeconds("maxRuntimeSeconds", maxRuntimeSeconds, MAX_RUNTIME_SECONDS_MIN);
  if (fault !== null) return fault;
  return { name, schedule: spellSchedule(schedule), timezone: zone, graceSeconds, maxRuntimeSeconds };
}

function checkSeconds(field: string, seconds: number | null, min: number): Refusal | null {
  if (seconds === null || (Number.isInteger(seconds) && seconds >= min && seconds <= SECONDS_MAX)) return null;
  return refuse("INVALID_REQUEST", `${field}: it must be a whole number of seconds, ${min} to ${SECONDS_MAX}`);
}

const noZone = (timezone: string): Refusal =>
  refuse("INVALID_REQUEST", `timezone: ${quote(timezone)} is no time zone, write an IANA name such as "Europe/Berlin"`);
