// R16, R17: the slots of random schedules over years against a model that looks at every minute of them. `test/task
// slots` asks a thousand schedules in forty zones over ten years, `make test` a few. The model imports nothing of the
// product but types.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ScheduleFields } from "../../src/domain/schedule/schedule.ts";
import { countSlots, nextSlot, slotsAround } from "../../src/domain/schedule/slots.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { judgedByRuntime } from "../support/runtime-zones.ts";
import { anySchedule, ZONES } from "./slots-arbitraries.ts";

judgedByRuntime();

const IS_WHOLE = process.env.SLOT_PROOF === "all";
const SCHEDULES = IS_WHOLE ? Number(process.env.SLOT_SCHEDULES ?? 1_000) : 6;
const YEARS = IS_WHOLE ? 10 : 2;
const FIRST_YEAR = 2020;
/** Zones from all over the world, beside those whose rules differ in kind. */
const MORE = Intl.supportedValuesOf("timeZone");
const OTHERS = Array.from({ length: 40 - ZONES.length }, (_, place) => MORE[(place * 37) % MORE.length]!);
/** To go on where a run was broken off: how many zones it has done. */
const SKIPPED = Number(process.env.SLOT_SKIP ?? 0);
const TRIED = IS_WHOLE
  ? [...ZONES, ...OTHERS].slice(SKIPPED)
  : ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"];
/**
 * At most this many slots of a schedule are asked for one by one, and each near a change of the clocks; all are
 * counted.
 */
const ASKED_MOST = 1_000;

const FROM = Date.UTC(FIRST_YEAR, 0);
const UNTIL = Date.UTC(FIRST_YEAR + YEARS, 0);
const DAYS = (UNTIL - FROM) / DAY;

/** A span in which a zone keeps one offset: minutes since FROM, and what to add for the wall clock. */
interface Even {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

function evenSpans(timezone: string): Even[] {
  const spans: Even[] = [];
  let from = FROM;
  while (from < UNTIL) {
    const time = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timezone);
    const change = time.getTimeZoneTransition("next")?.epochMilliseconds ?? UNTIL;
    const until = Math.min(change, UNTIL);
    const minutes = (at: number): number => (at - FROM) / MINUTE;
    spans.push({ from: minutes(from), until: minutes(until), offset: time.offsetNanoseconds / 60_000_000_000 });
    from = until;
  }
  return spans;
}

/** Whether each wall day is due (R16), from two days before FROM to two after UNTIL. */
function dueDays(fields: ScheduleFields): Uint8Array {
  const either = fields.dayOfMonthRestricted && fields.weekdayRestricted;
  const first = new Temporal.PlainDate(FIRST_YEAR, 1, 1).subtract({ days: 2 });
  return Uint8Array.from({ length: DAYS + 4 }, (_, place) => {
    const date = first.add({ days: place });
    const byDate = fields.daysOfMonth.includes(date.day);
    const byWeekday = fields.weekdays.includes(date.dayOfWeek % 7);
    const isDue = fields.months.includes(date.month) && (either ? byDate || byWeekday : byDate && byWeekday);
    return isDue ? 1 : 0;
  });
}

/** For each minute of a day whether a slot lies in it, on days that are due. */
function dueMinutes({ hours, minutes }: ScheduleFields): Uint8Array {
  const times = new Uint8Array(1440);
  for (const hour of hours) for (const minute of minutes) times[hour * 60 + minute] = 1;
  return times;
}

/** Every slot in [FROM, UNTIL), minute by minute; a wall time that was shown before is none (R17). */
function modelSlots(fields: ScheduleFields, spans: readonly Even[]): number[] {
  const days = dueDays(fields);
  const times = dueMinutes(fields);
  const slots: number[] = [];
  let shownUntil = Number.NEGATIVE_INFINITY;
  for (const { from, until, offset } of spans) {
    for (let minute = from; minute < until; minute += 1) {
      const wall = minute + offset;
      const day = Math.floor(wall / 1440);
      if (wall > shownUntil && days[day + 2] === 1 && times[wall - day * 1440] === 1)
        slots.push(FROM + minute * MINUTE);
    }
    shownUntil = Math.max(shownUntil, until - 1 + offset);
  }
  return slots;
}

function check(expression: string, fields: ScheduleFields, timezone: string, spans: readonly Even[]): void {
  const slots = modelSlots(fields, spans);
  const changes = spans.slice(1).map(({ from }) => FROM + from * MINUTE);
  const isNearChange = (at: number): boolean => changes.some((change) => Math.abs(change - at) < 3 * HOUR);
  const every = Math.ceil(slots.length / ASKED_MOST);
  let asked = 0;
  for (const [place, slot] of slots.entries()) {
    if (place % every !== 0 && !isNearChange(slot)) continue;
    const before = slots[place - 1];
    const after = slots[place + 1];
    const around = slotsAround(expression, timezone, slot);
    const isRight =
      nextSlot(expression, timezone, slot - 1) === slot &&
      around.before === slot &&
      (after === undefined ? around.after! >= UNTIL : around.after === after) &&
      (before === undefined || nextSlot(expression, timezone, before) === slot);
    if (!isRight) throw new Error(`${expression} in ${timezone}: ${new Date(slot).toISOString()}`);
    asked += 1;
  }
  expect(countSlots(expression, timezone, FROM - 1, UNTIL - 1)).toBe(slots.length);
  expect(asked > 0 || slots.length === 0).toBe(true);
}

test(
  `R16, R17: ${SCHEDULES} schedules in ${TRIED.length} zones over ${YEARS} years agree with a look at every minute`,
  () => {
    const seed = Number(process.env.PROPERTY_SEED ?? 20261122);
    const schedules = fc.sample(anySchedule(5), { numRuns: SCHEDULES, seed });
    for (const timezone of TRIED) {
      const spans = evenSpans(timezone);
      for (const { expression, fields } of schedules) check(expression, fields, timezone, spans);
      if (IS_WHOLE) console.log(timezone);
    }
  },
  IS_WHOLE ? 8 * 3_600_000 : 60_000,
);
