// What a person asks for when making a monitor by hand, checked as a report that registers itself is: the same grammar,
// the same bounds. Answers what is declared then, or the first fault.

import { type Refusal, refuse } from "../domain/errors.ts";
import {
  GRACE_SECONDS_MIN,
  MAX_RUNTIME_SECONDS_MIN,
  MONITOR_KEY_LENGTH,
  NAME_LENGTH,
  SCHEDULE_LENGTH,
} from "../domain/limits.ts";
import type { Declared } from "../domain/policy.ts";
import { checkSchedule } from "../domain/schedule.ts";
import { quote } from "../domain/schedule-field.ts";
import { spellTimezone } from "../domain/zone.ts";
import type { NewMonitor } from "./operators-contract.ts";

/** R7: whole numbers have at most nine digits. */
const SECONDS_MAX = 999_999_999;

/** What is declared by this request; else 400, naming the field (R1). */
export function declaredByHand(monitor: NewMonitor): Declared | Refusal {
  const { key, name, schedule, timezone, graceSeconds, maxRuntimeSeconds } = monitor;
  const zone = timezone === null ? null : spellTimezone(timezone);
  const fault =
    checkKey(key) ??
    checkLength("schedule", schedule, SCHEDULE_LENGTH) ??
    checkSchedule(schedule, "five") ??
    (name === null ? null : checkLine("name", name, NAME_LENGTH)) ??
    (timezone !== null && zone === null ? noZone(timezone) : null) ??
    checkSeconds("graceSeconds", graceSeconds, GRACE_SECONDS_MIN) ??
    checkSeconds("maxRuntimeSeconds", maxRuntimeSeconds, MAX_RUNTIME_SECONDS_MIN);
  if (fault !== null) return fault;
  // With one space between its fields, as a report's is: the same expression is then no change (R12).
  const evened = schedule.replace(/[ \t]+/g, " ").trim();
  return { name, schedule: evened, timezone: zone, graceSeconds, maxRuntimeSeconds };
}

/** R5, R6: every key a report could name, for a monitor that no report can reach would only alarm. */
function checkKey(key: string): Refusal | null {
  if (key !== "." && key !== "..") return checkLine("key", key, MONITOR_KEY_LENGTH);
  return refuse("INVALID_REQUEST", 'key: "." and ".." mean a place in a path, no monitor may be called so');
}

function checkLine(field: string, text: string, codePoints: number): Refusal | null {
  if (text === "") return refuse("INVALID_REQUEST", `${field}: it is empty, 1 to ${codePoints} characters are needed`);
  if (/\p{Cc}/u.test(text))
    return refuse("INVALID_REQUEST", `${field}: it has a control character, which it may not have`);
  // Half of a surrogate pair cannot be sent in a path; as another letter it would be another monitor's name.
  if (!text.isWellFormed()) return refuse("INVALID_REQUEST", `${field}: it is not Unicode text`);
  return checkLength(field, text, codePoints);
}

const checkLength = (field: string, text: string, codePoints: number): Refusal | null =>
  [...text].length <= codePoints
    ? null
    : refuse("INVALID_REQUEST", `${field}: it is longer than ${codePoints} characters, the most it may have`);

function checkSeconds(field: string, seconds: number | null, min: number): Refusal | null {
  if (seconds === null || (Number.isInteger(seconds) && seconds >= min && seconds <= SECONDS_MAX)) return null;
  return refuse("INVALID_REQUEST", `${field}: it must be a whole number of seconds, ${min} to ${SECONDS_MAX}`);
}

const noZone = (timezone: string): Refusal =>
  refuse("INVALID_REQUEST", `timezone: ${quote(timezone)} is no time zone, write an IANA name such as "Europe/Berlin"`);
