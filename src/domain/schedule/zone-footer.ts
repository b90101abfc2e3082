// Reads the rule by which a zone's clocks change every year, in the notation of POSIX and RFC 9636. For example
// `CET-1CEST,M3.5.0,M10.5.0/3`: clocks are an hour ahead from the last Sunday of March to that of October.

import { HOUR, MINUTE, SECOND } from "../time.ts";
import type { OffsetChange } from "./zone-rules.ts";

export interface ZoneRule {
  /** Standard time minus UTC, in milliseconds. */
  readonly offset: number;
  /** The clock changes of a year, in ascending order. `null` when the clocks never change. */
  readonly changesIn: ((year: number) => readonly OffsetChange[]) | null;
}

const NAME = "(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)";
const TIME = String.raw`[+-]?\d{1,3}(?::\d{2}(?::\d{2})?)?`;
const DATE = String.raw`(?:M\d{1,2}\.\d\.\d|J?\d{1,3})(?:/${TIME})?`;
const RULE = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE}),(${DATE}))?$`);

/** Reads the rule of a zone's yearly clock changes; `null` when the text is no such rule. */
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

/** The offset from UTC in milliseconds; `null` when the text is none. POSIX writes offsets west of UTC as positive. */
function footerOffset(west: string | undefined): number | null {
  const time = timeOf(west, 24);
  return time === null ? null : 0 - time;
}

/** A time such as `2:30` in milliseconds; `null` when the text is no time, or has more than `hoursMax` hours. */
function timeOf(text: string | undefined, hoursMax: number): number | null {
  const [, sign, hours, minutes = "0", seconds = "0"] = /^([+-]?)(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text ?? "") ?? [];
  if (hours === undefined || Number(hours) > hoursMax || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const time = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === "-" ? 0 - time : time;
}

/** How many hours a change may lie before or after midnight: almost a week (RFC 9636). `25` is 1:00 on the next day. */
const RULE_HOURS_MAX = 167;

/** Returns a function that computes the wall time of the change in a year; `null` when the text is not understood. */
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
  // A date such as `J60` does not count 29 February, so `J60` is 1 March in every year.
  const isDay = number >= 1 && number <= 365;
  return isDay ? (year) => Date.UTC(year, 0, number + (number >= 60 && isLeapYear(year) ? 1 : 0)) : null;
}

/** A day such as the second Sunday of a month, as the instant at which it begins in UTC. `week` 5 is the last. */
function weekdayOfMonth(year: number, month: number, week: number, weekday: number): number {
  const firstDay = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const day = 1 + ((weekday - firstDay + 7) % 7) + (week - 1) * 7;
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Date.UTC(year, month - 1, day > length ? day - 7 : day);
}

const isLeapYear = (year: number): boolean => new Date(Date.UTC(year, 2, 0)).getUTCDate() === 29;
