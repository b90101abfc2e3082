// R16, R17 for every schedule: slots against a model that looks at every minute, second or day, the laws between the
// three questions, and the memory of the last answer, which must never change one. No timing is asserted.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { countSlots, nextSlot, slotsAround } from "../../src/domain/schedule/slots.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { judgedByRuntime } from "../support/runtime-zones.ts";
import { anyMoment, anySchedule, ZONES } from "./slots-arbitraries.ts";
import { modelDay, modelSlots } from "./slots-model.ts";

judgedByRuntime();

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
/** More runs may take longer; how long is not what these tests are about. */
const timeout = 10_000 + 100 * numRuns;

const everyMinute = {
  seconds: [0],
  minutes: Array.from({ length: 60 }, (_, index) => index),
  hours: Array.from({ length: 24 }, (_, index) => index),
  daysOfMonth: Array.from({ length: 31 }, (_, index) => index + 1),
  months: Array.from({ length: 12 }, (_, index) => index + 1),
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  hoursRestricted: false,
  dayOfMonthRestricted: false,
  weekdayRestricted: false,
};

test("R17: a date the zone had twice has its slots once (Pacific/Kwajalein's day that came back in 1969)", () => {
  const from = Date.parse("1969-09-28T00:00Z");
  const slots = modelSlots(everyMinute, "Pacific/Kwajalein", from, from + 6 * DAY, MINUTE);
  expect(slots.length).toBeLessThan(6 * 24 * 60 - 20 * 60);
  expect(countSlots("* * * * *", "Pacific/Kwajalein", from - 1, from + 6 * DAY - 1)).toBe(slots.length);
});

/** Asks all three questions at instants of a window whose slots the model knows. */
function agree(
  schedule: string,
  timezone: string,
  slots: readonly number[],
  window: { from: number; until: number },
  at: number,
) {
  const after = slots.find((slot) => slot > at);
  const next = nextSlot(schedule, timezone, at);
  if (after === undefined) expect(next!).toBeGreaterThanOrEqual(window.until);
  else expect(next).toBe(after);

  const before = slots.findLast((slot) => slot <= at);
  const around = slotsAround(schedule, timezone, at);
  expect(around.after).toBe(next);
  if (before === undefined) expect(around.before!).toBeLessThan(window.from);
  else expect(around.before).toBe(before);
  expect(countSlots(schedule, timezone, window.from - 1, at)).toBe(slots.filter((slot) => slot <= at).length);
}

test(
  "R16, R17: five fields agree with the model minute by minute around changes of every kind",
  () => {
    const offsets = fc.array(fc.integer({ min: -30 * HOUR, max: 30 * HOUR - 1 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(anySchedule(5), anyMoment, offsets, ({ expression, fields }, { timezone, change }, asked) => {
        const window = { from: change - 30 * HOUR, until: change + 30 * HOUR };
        const slots = modelSlots(fields, timezone, window.from, window.until, MINUTE);
        for (const offset of [-1, 0, ...asked.slice(0, 3)]) agree(expression, timezone, slots, window, change + offset);
        for (const slot of slots.slice(0, 3)) agree(expression, timezone, slots, window, slot);
      }),
      { numRuns },
    );
  },
  timeout,
);

test(
  "R16, R17: six fields agree with the model second by second around changes",
  () => {
    const offsets = fc.array(fc.integer({ min: -2 * HOUR, max: 2 * HOUR - 1 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(anySchedule(6), anyMoment, offsets, ({ expression, fields }, { timezone, change }, asked) => {
        const window = { from: change - 2 * HOUR, until: change + 2 * HOUR };
        const slots = modelSlots(fields, timezone, window.from, window.until, SECOND);
        for (const offset of [-1, 0, ...asked]) agree(expression, timezone, slots, window, change + offset);
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  },
  timeout,
);

test("R17: offsets that are not whole minutes agree with the model (history of Monrovia, Paris, New York, Nome)", () => {
  const changes = [
    ["Africa/Monrovia", "1972-01-07T00:44:30Z"],
    ["Europe/Paris", "1911-03-10T23:50:39Z"],
    ["America/New_York", "1883-11-18T17:00:00Z"],
    ["America/Nome", "1867-10-18T22:30:00Z"],
  ] as const;
  for (const [timezone, around] of changes) {
    const window = { from: Date.parse(around) - 90 * MINUTE, until: Date.parse(around) + 90 * MINUTE };
    const slots = modelSlots(everyMinute, timezone, window.from, window.until, SECOND);
    for (let at = window.from; at < window.until; at += 7 * MINUTE + 13 * SECOND + 1) {
      agree("* * * * *", timezone, slots, window, at);
    }
  }
});

test(
  "R16: the day found months or years away is the one a walk day by day finds",
  () => {
    const anyDay = fc.integer({ min: 0, max: 25_000 });
    fc.assert(
      fc.property(
        anySchedule(5),
        anyDay,
        fc.constantFrom("UTC", "Etc/GMT+5"),
        ({ expression, fields }, day, timezone) => {
          const [, , ...days] = expression.split(/[ \t]+/);
          const noon = ["0 12", ...days].join(" ");
          const offset = timezone === "UTC" ? 0 : 5 * HOUR;
          const start = new Temporal.PlainDate(1970, 1, 1).add({ days: day });
          const instantOf = (date: Temporal.PlainDate): number =>
            date.toZonedDateTime({ timeZone: "UTC", plainTime: "12:00" }).epochMilliseconds + offset;
          const after = modelDay(fields, start, 1)!;
          const before = modelDay(fields, start, -1)!;
          expect(nextSlot(noon, timezone, instantOf(start))).toBe(instantOf(after));
          expect(slotsAround(noon, timezone, instantOf(start) - 1).before).toBe(instantOf(before));
        },
      ),
      { numRuns: 2 * numRuns },
    );
  },
  timeout,
);

test(
  "a time lies between its slots, with none in between, and the slot before follows from the one before it",
  () => {
    const anyTime = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2045, 0) });
    fc.assert(
      fc.property(anySchedule(6), fc.constantFrom(...ZONES), anyTime, ({ expression }, timezone, at) => {
        const { before, after } = slotsAround(expression, timezone, at);
        expect(before!).toBeLessThanOrEqual(at);
        expect(after!).toBeGreaterThan(at);
        // The schedule with another space is unknown to the memory of last answers.
        expect(nextSlot(`${expression} `, timezone, before! - 1)).toBe(before!);
        expect(nextSlot(`${expression} `, timezone, before!)).toBe(after!);
        expect(countSlots(expression, timezone, before!, after!)).toBe(1);
        expect(countSlots(expression, timezone, before!, after! - 1)).toBe(0);
      }),
      { numRuns: 3 * numRuns },
    );
  },
  timeout,
);

test(
  "counting over months and years gives what stepping gives",
  () => {
    fc.assert(
      fc.property(anySchedule(6), anyMoment, fc.nat(200), ({ expression }, { timezone, change }, steps) => {
        const after = change - DAY;
        let at = after;
        for (let step = 0; step < steps; step += 1) at = nextSlot(expression, timezone, at)!;
        expect(countSlots(expression, timezone, after, at)).toBe(steps);
        expect(countSlots(expression, timezone, after, at - 1)).toBe(Math.max(0, steps - 1));
      }),
      { numRuns },
    );
  },
  timeout,
);

test(
  "the memory of the last answer never changes an answer, in whatever order times are asked",
  () => {
    const anyQuestion = fc.record({
      schedule: fc.nat(2),
      moment: anyMoment,
      offset: fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
      question: fc.constantFrom("around", "next", "count"),
      span: fc.integer({ min: -MINUTE, max: 3 * HOUR }),
    });
    let fresh = 0;
    const threeSchedules = fc.array(anySchedule(5), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(threeSchedules, fc.array(anyQuestion, { maxLength: 20 }), (schedules, questions) => {
        for (const { schedule, moment, offset, question, span } of questions) {
          const { expression } = schedules[schedule]!;
          const { timezone, change } = moment;
          const at = change + offset;
          // Spaces around it make it an expression that was never asked before, so its answer is computed.
          fresh += 1;
          const unknown = " ".repeat(fresh % 200) + expression + "\t".repeat(1 + fresh / 200);
          if (question === "next") {
            expect(nextSlot(expression, timezone, at)).toBe(nextSlot(unknown, timezone, at));
          } else if (question === "count") {
            const next = nextSlot(unknown, timezone, at)!;
            const second = nextSlot(unknown, timezone, next)!;
            const untils = [at + span, next - 1, next, second - 1, second, second + span];
            // Computed, then beside slots that are known, and again.
            const counts = untils.map((until) => countSlots(`${unknown}\t`, timezone, at, until));
            for (const asked of [at, next, second - 1]) nextSlot(expression, timezone, asked);
            expect(untils.map((until) => countSlots(expression, timezone, at, until))).toEqual(counts);
            slotsAround(expression, timezone, at);
            expect(untils.map((until) => countSlots(expression, timezone, at, until))).toEqual(counts);
          } else {
            expect(slotsAround(expression, timezone, at)).toEqual(slotsAround(unknown, timezone, at));
          }
        }
      }),
      { numRuns },
    );
  },
  timeout,
);
