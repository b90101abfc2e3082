// croner as a judge of slots. Only the meaning of the fields is handed to it, spelled out, so that its grammar decides
// nothing.

import { Cron } from "croner";
import type { ScheduleFields } from "../../src/domain/schedule/schedule.ts";

/** More than any field has values: a list that long is written as `*`. */
const WIDTHS = [60, 60, 24, 31, 12, 7];

export function judgeOf(fields: ScheduleFields): Cron {
  const { seconds, minutes, hours, daysOfMonth, months, weekdays } = fields;
  const written = [seconds, minutes, hours, daysOfMonth, months, weekdays].map((values, place) =>
    values.length === WIDTHS[place] ? "*" : values.join(","),
  );
  const eitherDay = fields.dayOfMonthRestricted && fields.weekdayRestricted;
  return new Cron(written.join(" "), { mode: "6-part", utcOffset: 0, domAndDow: !eitherDay });
}
