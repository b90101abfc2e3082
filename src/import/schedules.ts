// Converts schedules of other services to rollcall's: cron expressions, calendar events, and phrases such as `every 5
// minutes`. Where that is not possible, the result says why.

import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN } from "../domain/limits.ts";
import { readCalendar } from "../domain/schedule/calendar-events.ts";
import { type ReadSchedule, readCronSchedule } from "../domain/schedule/cron-schedule.ts";
import { spellTimezone } from "../domain/schedule/zone.ts";
import { durationText } from "../domain/time.ts";
import type { ImportedCheck, Timing } from "./imported-check.ts";

/** The greatest value of each field of a cron expression, up to which a step such as `5/15` goes. */
const LAST = [59, 23, 31, 12, 7];

/**
 * Reads a cron expression of another service. Crontabs do not know `5/15`, so it becomes `5-59/15`. A sixth field, `L`
 * and `#` are refused with the reason.
 */
export function readCron(text: string): Timing {
  const words = text.trim().split(/\s+/);
  const [, , day = "", , weekday = ""] = words;
  if (words.length === 6) return untranslatedTiming("it has six fields, and a schedule is to the minute");
  if (words.length === 5 && (/\bL/i.test(day) || /L/i.test(weekday)))
    return untranslatedTiming("it counts from the end of the month (L), which no schedule here says");
  if (weekday.includes("#"))
    return untranslatedTiming("it means a certain weekday of the month (#), which no schedule here says");
  const spelled = words.map((word, place) =>
    word
      .split(",")
      .map((item) => item.replace(/^(\w+)\/(\d+)$/, `$1-${LAST[place]}/$2`))
      .join(","),
  );
  return timingFrom(readCronSchedule(spelled.join(" ")));
}

/** Reads calendar events of systemd, one a line. `timezone` is the zone that they name; `null` when they name none. */
export function readOnCalendar(text: string): { readonly timing: Timing; readonly timezone: string | null } {
  const events = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const { read, timezone } = readCalendar(events);
  return { timing: timingFrom(read), timezone };
}

const timingFrom = (read: ReadSchedule): Timing =>
  "schedule" in read ? { kind: "schedule", schedule: read.schedule } : untranslatedTiming(read.why);

export const untranslatedTiming = (why: string): Timing => ({ kind: "refused", why });

export function everySeconds(seconds: number): Timing {
  const whole = Math.round(seconds);
  if (whole >= EVERY_SECONDS_MIN && whole <= EVERY_SECONDS_MAX) return { kind: "every", seconds: whole };
  const [least, most] = [durationText(EVERY_SECONDS_MIN), durationText(EVERY_SECONDS_MAX)];
  return untranslatedTiming(`its interval of ${durationText(whole)} is not between ${least} and ${most}`);
}

export function readSpokenInterval(text: string): Timing {
  const seconds = spokenIntervalSeconds(text);
  return seconds === null
    ? untranslatedTiming(`its interval ${JSON.stringify(text)} cannot be read`)
    : everySeconds(seconds);
}

/**
 * Finds a zone by its name, an abbreviation or an old name, and returns its IANA name; `null` when no such zone is
 * known.
 */
export const importedZone = (name: string): string | null => spellTimezone(name.trim());

/**
 * Adds the zone of this name to a timing. An empty name means that the service names no zone. A schedule in an unknown
 * zone is refused.
 */
export function inZone(timing: Timing, name: string): Pick<ImportedCheck, "timing" | "timezone"> {
  const timezone = importedZone(name);
  const isUnknown = timezone === null && name !== "" && timing.kind === "schedule";
  return { timing: isUnknown ? untranslatedTiming(`no zone ${JSON.stringify(name)} is known`) : timing, timezone };
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(?:ec(?:ond)?s?)?$/i, 1],
  [/^m(?:in(?:ute)?s?)?$/i, 60],
  [/^h(?:(?:ou)?rs?)?$/i, 3_600],
  [/^d(?:ays?)?$/i, 86_400],
  [/^w(?:eeks?)?$/i, 7 * 86_400],
];

/** The seconds of a text such as `5 minutes`, `1 day`, `90s` or `1.5 hours`; `null` when it is no length of time. */
export function spokenIntervalSeconds(text: string): number | null {
  const [, count = "1", word = ""] = /^(\d+(?:\.\d+)?)?\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  const unit = UNITS.find(([name]) => name.test(word));
  return unit === undefined ? null : Number(count) * unit[1];
}
