// Times of the day in the viewer's zone, as short as the axis lets them be.

import type { Span } from "../../domain/monitor/window.ts";
import { offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { DAY, type Instant, MINUTE, toIso } from "../../domain/time.ts";

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export interface ClockWords {
  readonly now: Instant;
  /** `02:00`; with seconds where there are some. */
  time(at: Instant): string;
  /** `Tue 02:00`; on the day of now only the time, a week away or more with the date. */
  moment(at: Instant): string;
  /** `02:00 to 06:00`, `Mon 22:00 to 06:00`. */
  between(span: Span): string;
  /** `Wed 4 Mar`. */
  day(at: Instant): string;
}

export function clockWords(timezone: string, now: Instant): ClockWords {
  const wall = (at: Instant): number => at + offsetPeriodAt(timezone, at).offset;
  const today = Math.floor(wall(now) / DAY);
  const time = (at: Instant): string => toIso(wall(at)).slice(11, at % MINUTE < 1_000 ? 16 : 19);
  const weekday = (at: Instant): string => WEEKDAYS[new Date(wall(at)).getUTCDay()]!;
  const dateOf = (at: Instant): string => {
    const date = new Date(wall(at));
    return `${weekday(at)} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  };
  const moment = (at: Instant): string => {
    const days = Math.abs(Math.floor(wall(at) / DAY) - today);
    return days === 0 ? time(at) : `${days < WEEKDAYS.length ? weekday(at) : dateOf(at)} ${time(at)}`;
  };
  return {
    now,
    time,
    moment,
    between: ({ from, to }) => {
      const isOneDay = Math.floor(wall(from) / DAY) === Math.floor(wall(to) / DAY);
      return `${moment(from)} to ${isOneDay ? time(to) : moment(to)}`;
    },
    day: dateOf,
  };
}
