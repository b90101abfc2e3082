// Reads the rule by which a zone's clocks change every year, as POSIX and RFC 9636 write it:
// `CET-1CEST,M3.5.0,M10.5.0/3`.

import { HOUR, MINUTE, SECOND } from "../time.ts";
import type { OffsetChange } from "./zone-rules.ts";

export interface ZoneRule {
  /** How many milliseconds are added to UTC in standard time. */
  readonly offset: number;
  /** The changes of a year, in the order of time; `null` when the clocks never change. */
  readonly changesIn: ((year: number) => readonly OffsetChange[]) | null;
}

const NAME = "(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)";
const TIME = String.raw`[+-]?\d{1,3}(?::\d{2}(?::\d{2})?)?`;
const DATE = String.raw`(?:M\d{1,2}\.\d\.\d|J?\d{1,3})(?:/${TIME})?`;
const RULE = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE}),(${DATE}))?$`);

/** Reads the rule; `null` when the text is not one. */
export function readZoneRule(text: string): ZoneRule | null {
  const [, west, summerWest, start, end] = RULE.exec(text) ?? [];
  const offset = footerOffset(west);
  if (offset === null) return null;
  if (start === undefined || end === undefined) return { offset, changesIn: null };
  const summer = summerWest === undefined ? offset + HOUR : footerOffset(summerWest);
  const [startIn, endIn] = [wallTimeIn(start), wallTimeIn(end)];
  if (summer === null || startIn === null || endIn === null) return null;
  return {
    offset,
    changesIn: (year) => {
      const changes: OffsetChange[] = [
        [startIn(year) - offset, summer],
        [endIn(year) - summer, offset],
      ];
      return changes.sort(([one], [other]) => one - other);
    },
  };
}

/** The offset in milliseconds. POSIX counts offsets to the west as positive. */
function footerOffset(west: string | undefined): number | null {
  const time = timeOf(west, 24);
  return time === null ? null : 0 - time;
}

/** A time in milliseconds; `null` when the text is not a time or exceeds the allowed hours. */
function timeOf(text: string | undefined, hoursMax: number): number | null {
  const [, sign, hours, minutes = "0", seconds = "0"] = /^([+-]?)(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text ?? "") ?? [];
  if (hours === undefined || Number(hours) > hoursMax || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const time = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === "-" ? 0 - time : time;
}

/**
 * How many hours a rule may name: a week less an hour in either direction (RFC 9636), so that it can mean "the day
 * after".
 */
const RULE_HOURS_MAX = 167;

/** Returns the wall time of the rule in a year, as if it were UTC. `null` when the text is not a date. */
function wallTimeIn(text: string): ((year: number) => number) | null {
  const [date, clock = "2"] = text.split("/");
  const time = timeOf(clock, RULE_HOURS_MAX);
  const dayIn = footerDay(date!);
  return time === null || dayIn === null ? null : (year) => dayIn(year) + time;
}

function footerDay(date: string): ((year: number) => number) | null {
  if (date.startsWith("M")) {
    const [month, week, weekday] = date.slice(1).split(".").map(Number) as [number, number, number];
    const isDate = month >= 1 && month <= 12 && week >= 1 && week <= 5 && weekday <= 6;
    return isDate ? (year) => weekdayOfMonth(year, month, week, weekday) : null;
  }
  const number = Number(date.replace("J", ""));
  if (!date.startsWith("J")) return number <= 365 ? (year) => Date.UTC(year, 0, 1 + number) : null;
  // 29 February has no number, so 1 March is always the 60th day.
  const isDay = number >= 1 && number <= 365;
  return isDay ? (year) => Date.UTC(year, 0, number + (number >= 60 && isLeapYear(year) ? 1 : 0)) : null;
}

/** The first, second, third or fourth such weekday of a month. The fifth means the last one. */
function weekdayOfMonth(year: number, month: number, week: number, weekday: number): number {
  const firstDay = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const day = 1 + ((weekday - firstDay + 7) % 7) + (week - 1) * 7;
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Date.UTC(year, month - 1, day > length ? day - 7 : day);
}

const isLeapYear = (year: number): boolean => new Date(Date.UTC(year, 2, 0)).getUTCDate() === 29;
