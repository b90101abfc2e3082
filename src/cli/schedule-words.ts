// Schedules in words, for people who do not read cron. The domain says what a schedule means; this only reads it out.

import cronstrue from "cronstrue";

/**
 * `at 04:00, only on Sunday`; null where words would mislead: a day of the month and one of the week, where either is
 * enough (R16).
 */
export function inWords(schedule: string): string | null {
  // From the end, since seconds may stand before the minutes; a name such as @daily has none of them.
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
