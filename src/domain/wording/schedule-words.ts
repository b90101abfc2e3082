// Schedules in words, for people who do not read cron. domain/schedule/ reads a schedule; this only words it.

import cronstrue from "cronstrue";
import { boundedMap } from "../maps.ts";

/** Wording one takes longer than all else that a list says of its job, and many jobs share a schedule. */
const KNOWN = boundedMap<string | null>(5_000);

/** `at 04:00, only on Sunday`; null where words mislead: a day of the month or one of the week is enough (R16). */
export function scheduleInWords(schedule: string): string | null {
  let words = KNOWN.get(schedule);
  if (words === undefined) {
    words = worded(schedule);
    KNOWN.set(schedule, words);
  }
  return words;
}

function worded(schedule: string): string | null {
  // From the end, because seconds may come before the minutes; a name such as @daily has neither.
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
