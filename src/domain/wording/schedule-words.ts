// Puts a cron expression into words for people who do not read cron, such as `at 04:00, only on Sunday`.

import cronstrue from "cronstrue";
import { boundedMap } from "../maps.ts";

/** The words of schedules that were asked for lately: making them is slow, and many jobs share a schedule. */
const KNOWN = boundedMap<string | null>(5_000);

/**
 * A schedule in words, such as `at 04:00, only on Sunday`. `null` when the words would mislead: if a schedule names
 * days of the month and weekdays, either is enough (R16), but the words would demand both. Also `null` when no words
 * are found for the schedule.
 */
export function scheduleInWords(schedule: string): string | null {
  let words = KNOWN.get(schedule);
  if (words === undefined) {
    words = worded(schedule);
    KNOWN.set(schedule, words);
  }
  return words;
}

function worded(schedule: string): string | null {
  // Seconds may come before the minutes, so the fields are counted from the end. A name such as @daily has no fields.
  const [weekday = "*", , day = "*"] = schedule.split(" ").reverse();
  if (!schedule.startsWith("@") && !day.startsWith("*") && !weekday.startsWith("*")) return null;
  const words = spell(schedule);
  if (words === null) return null;
  const everyDay = words.startsWith("At ") && !words.includes(",") && !words.includes("past the hour");
  return words.charAt(0).toLowerCase() + words.slice(1) + (everyDay ? ", every day" : "");
}

function spell(schedule: string): string | null {
  try {
    return cronstrue.toString(schedule, { use24HourTimeFormat: true });
  } catch {
    return null;
  }
}
