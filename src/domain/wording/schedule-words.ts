// Puts schedules into words for people who do not read cron. domain/schedule/ reads a schedule; this file only words
// it.

import cronstrue from "cronstrue";
import { boundedMap } from "../maps.ts";

/**
 * Keeps the words, because wording a schedule takes longer than everything else in a list's row, and many jobs share a
 * schedule.
 */
const KNOWN = boundedMap<string | null>(5_000);

/**
 * A schedule in words, such as `at 04:00, only on Sunday`. `null` when words would mislead, because either a day of the
 * month or a weekday is enough (R16).
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
  // The fields are read from the end, because seconds may come before the minutes. A name such as @daily has no fields.
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
