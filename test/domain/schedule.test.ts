// R15, R16: the grammar of schedules as a table of what is accepted and what it means, a table of what is refused
// and how the message says so, and the promise that no text whatever makes it throw.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkSchedule, type Dialect, parseFields, type ScheduleFields } from "../../src/domain/schedule/schedule.ts";
import { nextSlot } from "../../src/domain/schedule/slots.ts";
import { anySchedule } from "./slots-arbitraries.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
/** More runs may take longer; how long is not what these tests are about. */
const timeout = 10_000 + 100 * numRuns;

const from = (low: number, high: number, step = 1): number[] =>
  Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);

type Meaning = Partial<ScheduleFields>;

const bothRestricted = { dayOfMonthRestricted: true, weekdayRestricted: true };

/** Ruling, dialect, expression, and the part of its meaning that the row is about. */
const accepted: readonly (readonly [string, Dialect, string, Meaning])[] = [
  ["R15", "five", "* * * * *", { seconds: [0], minutes: from(0, 59), hours: from(0, 23), months: from(1, 12) }],
  ["R15", "five", "0 0 1 1 0", { minutes: [0], hours: [0], daysOfMonth: [1], months: [1], weekdays: [0] }],
  ["R15", "five", "59 23 31 12 6", { minutes: [59], hours: [23], daysOfMonth: [31], months: [12], weekdays: [6] }],
  ["R15", "five", "05 007 * * *", { minutes: [5], hours: [7] }],
  ["R15", "five", "1,2,3 * * * *", { minutes: [1, 2, 3] }],
  ["R15", "five", "3,1,2,1 * * * *", { minutes: [1, 2, 3] }],
  ["R15", "five", "10-15 * * * *", { minutes: from(10, 15) }],
  ["R15", "five", "10-10 * * * *", { minutes: [10] }],
  ["R15", "five", "10-20/5 * * * *", { minutes: [10, 15, 20] }],
  ["R15", "five", "10-21/5 * * * *", { minutes: [10, 15, 20] }],
  ["R15", "five", "*/15 * * * *", { minutes: [0, 15, 30, 45] }],
  ["R15", "five", "*/1 * * * *", { minutes: from(0, 59) }],
  ["R15", "five", "*/60 * * * *", { minutes: [0] }],
  ["R15", "five", "*/59 * * * *", { minutes: [0, 59] }],
  ["R15", "five", "* */24 * * *", { hours: [0] }],
  ["R15", "five", "* * */31 * *", { daysOfMonth: [1] }],
  ["R15", "five", "* * * */12 *", { months: [1] }],
  ["R15", "five", "* * * * */7", { weekdays: [0] }],
  ["R15", "five", "5,10-12,*/30 * * * *", { minutes: [0, 5, 10, 11, 12, 30] }],
  ["R15", "five", "0 9 * JAN,jul *", { months: [1, 7] }],
  ["R15", "five", "0 9 * * mon-Fri", { weekdays: from(1, 5) }],
  ["R15", "five", "0 9 * * SUN", { weekdays: [0] }],
  ["R15", "five", "0 9 * * SUN-SAT/2", { weekdays: [0, 2, 4, 6] }],
  ["R15", "five", "0 9 * * mon-5", { weekdays: from(1, 5) }],
  ["R15", "five", "0 9 * 2-dEc *", { months: from(2, 12) }],
  ["R16", "five", "0 9 * * Sat,SUN", { weekdays: [0, 6] }],
  ["R15", "five", "  0 9 * * *  ", { minutes: [0], hours: [9] }],
  ["R15", "five", "0\t9  *\t\t* *\t", { minutes: [0], hours: [9] }],
  ["R15", "five", "0 0 29 2 *", { daysOfMonth: [29], months: [2] }],
  ["R15", "five", "0 0 31 2,3 *", { daysOfMonth: [31], months: [2, 3] }],
  ["R15", "five", "0 0 29-31 2 *", { daysOfMonth: [29, 30, 31] }],
  ["R16", "five", "0 0 31 2 1", { daysOfMonth: [31], months: [2], weekdays: [1], ...bothRestricted }],
  ["R16", "five", "0 0 1 * 1", bothRestricted],
  ["R16", "five", "0 0 * * 1", { dayOfMonthRestricted: false, weekdayRestricted: true }],
  ["R16", "five", "0 0 1 * *", { dayOfMonthRestricted: true, weekdayRestricted: false }],
  ["R16", "five", "0 0 */2 * 1", { dayOfMonthRestricted: false, daysOfMonth: from(1, 31, 2), weekdayRestricted: true }],
  ["R16", "five", "0 0 1 * */2", { dayOfMonthRestricted: true, weekdays: [0, 2, 4, 6], weekdayRestricted: false }],
  ["R16", "five", "0 0 */10,5 * 1", { dayOfMonthRestricted: false, daysOfMonth: [1, 5, 11, 21, 31] }],
  ["R16", "five", "0 0 5,*/10 * 1", { dayOfMonthRestricted: true, daysOfMonth: [1, 5, 11, 21, 31] }],
  ["R16", "five", "0 0 1-31 * 1", { dayOfMonthRestricted: false }],
  ["R16", "five", `0 0 ${from(1, 31).join(",")} * 1`, { dayOfMonthRestricted: false }],
  ["R16", "five", "0 0 5,* * 1", { dayOfMonthRestricted: false }],
  ["R16", "five", "0 0 1-30 * 1", { dayOfMonthRestricted: true }],
  ["R13", "five", "0 2,14 * * *", { hoursRestricted: true }],
  ["R13", "five", "0 */12 * * *", { hoursRestricted: false }],
  ["R13", "five", "0 0-23 * * *", { hoursRestricted: false }],
  ["R13", "alias", "@daily", { hoursRestricted: true }],
  ["R16", "five", "0 0 1 * 0-6", { weekdayRestricted: false }],
  ["R16", "five", "0 0 1 * SUN,MON,TUE,WED,THU,FRI,SAT", { weekdayRestricted: false }],
  ["R15", "alias", "30 0 9 * * *", { seconds: [30], minutes: [0], hours: [9] }],
  ["R15", "alias", "*/10 * * * * *", { seconds: [0, 10, 20, 30, 40, 50] }],
  ["R15", "alias", "0 9 * * 1-5", { seconds: [0], hours: [9] }],
  ["R15", "alias", "@hourly", { minutes: [0], hours: from(0, 23) }],
  ["R15", "alias", "@daily", { minutes: [0], hours: [0], daysOfMonth: from(1, 31) }],
  ["R15", "alias", "@weekly", { minutes: [0], hours: [0], weekdays: [0], weekdayRestricted: true }],
  ["R15", "alias", "@monthly", { minutes: [0], hours: [0], daysOfMonth: [1], dayOfMonthRestricted: true }],
  ["R15", "alias", "@yearly", { minutes: [0], hours: [0], daysOfMonth: [1], months: [1] }],
  ["R15", "alias", " @Daily ", { minutes: [0], hours: [0] }],
];

/** Ruling, dialect, expression, and what the message must say besides that it is about the schedule. */
const refused: readonly (readonly [string, Dialect, string, string])[] = [
  ["R15", "five", "", "it is empty, five fields are needed"],
  ["R15", "five", " \t ", "it is empty"],
  ["R15", "five", "*", "has 1 field, version 1 takes five"],
  ["R15", "five", "* * * *", "has 4 fields, version 1 takes five"],
  ["R15", "five", "0 * * * * *", "has 6 fields, version 1 takes five"],
  ["R15", "five", "0 0 12 * * * 2026", "has 7 fields, version 1 takes five"],
  ["R15", "alias", "0 0 12 * * * 2026", "has 7 fields, five are taken"],
  ["R15", "alias", "* * * *", "or six with the second first"],
  ["R15", "five", "60 * * * *", 'minute field "60" is outside 0-59'],
  ["R15", "five", "61 * * * *", 'minute field "61" is outside 0-59'],
  ["R15", "five", "0,61 * * * *", 'minute field "0,61": "61" is outside 0-59'],
  ["R15", "five", "0 24 * * *", 'hour field "24" is outside 0-23'],
  ["R15", "five", "0 0 0 * *", 'day of month field "0" is outside 1-31'],
  ["R15", "five", "0 0 32 * *", 'day of month field "32" is outside 1-31'],
  ["R15", "five", "0 0 1 0 *", 'month field "0" is outside 1-12'],
  ["R15", "five", "0 0 1 13 *", 'month field "13" is outside 1-12'],
  ["R15", "five", "0 0 * * 7", 'day of week field "7" is outside 0-6, Sunday is 0'],
  ["R15", "five", "0 0 * * 1-7", '"7" is outside 0-6, Sunday is 0'],
  ["R15", "five", "0 0 * * 8", '"8" is outside 0-6'],
  ["R15", "alias", "60 0 0 * * *", 'second field "60" is outside 0-59'],
  ["R15", "five", "99999999999999999999 * * * *", "is outside 0-59"],
  ["R15", "five", "-1 * * * *", '"-1" is not "*", a number or a range'],
  ["R15", "five", "1.5 * * * *", '"1.5" is not'],
  ["R15", "five", "1e1 * * * *", '"1e1" is not'],
  ["R15", "five", "0x5 * * * *", '"0x5" is not'],
  ["R15", "five", "٣ * * * *", '"٣" is not'],
  ["R15", "five", "1- * * * *", '"1-" is not'],
  ["R15", "five", "1-2-3 * * * *", '"1-2-3" is not'],
  ["R15", "five", "*-5 * * * *", '"*-5" is not'],
  ["R15", "five", "** * * * *", '"**" is not'],
  ["R15", "five", "*5 * * * *", '"*5" is not'],
  ["R15", "five", "~ * * * *", '"~" is not'],
  ["R15", "five", "!5 * * * *", '"!5" is not'],
  ["R15", "five", "1, * * * *", 'minute field "1,": a value is missing beside a comma'],
  ["R15", "five", ",1 * * * *", "a value is missing beside a comma"],
  ["R15", "five", "1,,2 * * * *", "a value is missing beside a comma"],
  ["R15", "five", "5/15 * * * *", 'minute field "5/15" has a step, which may follow only "*" or a range'],
  ["R15", "five", "*/0 * * * *", 'minute field "*/0" has a step outside 1-60'],
  ["R15", "five", "*/61 * * * *", 'minute field "*/61" has a step outside 1-60'],
  ["R15", "five", "* */25 * * *", 'hour field "*/25" has a step outside 1-24'],
  ["R15", "five", "* * */32 * *", "has a step outside 1-31"],
  ["R15", "five", "* * * */13 *", "has a step outside 1-12"],
  ["R15", "five", "* * * * */8", "has a step outside 1-7"],
  ["R15", "five", "1-10/0 * * * *", '"1-10/0" has a step outside 1-60'],
  ["R15", "five", "*/ * * * *", '"*/" is not'],
  ["R15", "five", "*/-5 * * * *", '"*/-5" is not'],
  ["R15", "five", "*/5/5 * * * *", '"*/5/5" is not'],
  ["R15", "five", "/5 * * * *", '"/5" is not'],
  ["R16", "five", "30-10 * * * *", 'minute field "30-10" runs backwards, a range ascends'],
  ["R16", "five", "5-4 * * * *", 'minute field "5-4" runs backwards'],
  ["R16", "five", "0 22-6 * * *", '"22-6" runs backwards'],
  ["R16", "five", "0 0 * * 5-0", '"5-0" runs backwards, a range ascends and Sunday is 0'],
  ["R16", "five", "0 0 * * FRI-SUN", '"FRI-SUN" runs backwards, a range ascends and Sunday is 0'],
  ["R16", "five", "0 0 * NOV-FEB *", 'month field "NOV-FEB" runs backwards'],
  ["R15", "five", "0 0 * * MONDAY", '"MONDAY" is not "*", a number, a name (sun to sat) or a range'],
  ["R15", "five", "0 0 * JANUARY *", '"JANUARY" is not "*", a number, a name (jan to dec) or a range'],
  ["R15", "five", "0 0 * MON *", '"MON" is not'],
  ["R15", "five", "0 0 * * JUL", '"JUL" is not'],
  ["R15", "five", "0 MON * * *", '"MON" is not "*", a number or a range'],
  ["R15", "five", "0 0 * * */MON", '"*/MON" is not'],
  ["R15", "five", "0 0 ? * MON", 'day of month field "?" is not taken, "*" says the same'],
  ["R15", "five", "? * * * *", '"?" is not taken'],
  ["R15", "five", "0 0 L * *", 'day of month field "L" (last) is not taken'],
  ["R15", "five", "0 0 l * *", '"L" (last) is not taken'],
  ["R15", "five", "0 0 L-3 * *", '"L" (last) is not taken'],
  ["R15", "five", "0 0 1,L * *", '"L" (last) is not taken'],
  ["R15", "five", "0 0 LW * *", '"L" (last) is not taken'],
  ["R15", "five", "0 0 * * 5L", '"L" (last) is not taken'],
  ["R15", "five", "0 0 15W * *", '"W" (nearest working day) is not taken'],
  ["R15", "five", "0 0 W * *", '"W" (nearest working day) is not taken'],
  ["R15", "five", "0 0 * * 5#2", '"#" (a weekday of a week of the month) is not taken'],
  ["R15", "five", "0 0 * * MON#1", '"#" (a weekday of a week of the month) is not taken'],
  ["R15", "five", "H * * * *", 'minute field "H" (a value chosen by the server) is not taken'],
  ["R15", "five", "H/15 * * * *", '"H" (a value chosen by the server) is not taken'],
  ["R15", "five", "H(0-29)/10 * * * *", '"H" (a value chosen by the server) is not taken'],
  ["R15", "five", "0 0 1 * +MON", '"+" is not taken'],
  ["R15", "five", "@daily", '"@daily" is not taken here, write "0 0 * * *"'],
  ["R15", "five", "@reboot", '"@reboot" is not taken here, write five fields'],
  ["R15", "alias", "@reboot", '"@reboot" is not taken, the special strings are @hourly, @daily, @weekly, @monthly, @y'],
  ["R15", "alias", "@every 5m", '"@every 5m" is not taken, the special strings are'],
  ["R15", "alias", "@midnight", '"@midnight" is not taken'],
  ["R15", "alias", "@annually", '"@annually" is not taken'],
  ["R15", "alias", "@daily @hourly", '"@daily @hourly" is not taken'],
  ["R15", "alias", "@daily * * * *", '"@daily * * * *" is not taken'],
  ["R15", "five", "2026-03-01T02:00:00Z", '"2026-03-01T02:00:00Z" is a date, a schedule is five fields'],
  ["R15", "alias", "2026-03-01 02:00:00", "is a date"],
  ["R15", "five", "0 0 30 2 *", '"0 0 30 2 *" never comes true, day of month "30" does not occur in month "2"'],
  ["R15", "five", "0 0 31 2 *", "never comes true"],
  ["R15", "five", "0 0 31 FEB,APR,JUN,SEP,NOV *", "never comes true"],
  ["R15", "five", "0 0 30-31 2 *", "never comes true"],
  ["R16", "five", "0 0 31 2 */2", "never comes true"],
  ["R16", "five", "0 0 31 4 0-6", "never comes true"],
  ["R15", "alias", "0 0 0 31 2 *", "never comes true"],
  ["R15", "five", "0\n0 * * *", "has 4 fields"],
  ["R15", "five", "0\n 0 * * *", 'minute field "0\\n" is not'],
  ["R15", "five", "0 0 * * *\u00a0", 'day of week field "*\u00a0" is not'],
  ["R15", "five", `${"9".repeat(60)} * * * *`, `"${"9".repeat(40)}…" is outside 0-59`],
];

describe("accepted", () => {
  for (const [ruling, dialect, expression, meaning] of accepted) {
    test(`${ruling}: ${JSON.stringify(expression)} is a schedule (${dialect})`, () => {
      expect(checkSchedule(expression, dialect)).toBeNull();
      expect(parseFields(expression)).toMatchObject(meaning);
    });
  }
});

describe("refused", () => {
  for (const [ruling, dialect, expression, says] of refused) {
    test(`${ruling}: ${JSON.stringify(expression)} is refused (${dialect})`, () => {
      const refusal = checkSchedule(expression, dialect);
      expect(refusal?.refusal).toBe("INVALID_SCHEDULE");
      expect(refusal?.message).toStartWith("schedule: ");
      expect(refusal?.message).toContain(says);
    });
  }
});

test(
  "R15, R16: every form of field is read as it was written",
  () => {
    fc.assert(
      fc.property(fc.constantFrom(5, 6), fc.gen(), (fieldCount, gen) => {
        const { expression, fields } = gen(anySchedule, fieldCount as 5 | 6);
        expect(checkSchedule(expression, "alias")).toBeNull();
        expect(checkSchedule(expression, "five") === null).toBe(fieldCount === 5);
        expect(parseFields(expression)).toEqual(fields);
      }),
      { numRuns: 10 * numRuns },
    );
  },
  timeout,
);

test(
  "R15: no text makes the check throw, and every schedule it accepts has a next slot",
  () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."0123456789*/-,@ \tLWH#?+MONJAN") }),
      fc
        .array(
          fc.constantFrom("*", "0", "1", "31", "2", "*/2", "30-31", "MON", "FEB", "5L", "1,2", "@daily", "7", "60"),
          {
            minLength: 4,
            maxLength: 7,
          },
        )
        .map((words) => words.join(" ")),
    );
    let acceptedCount = 0;
    fc.assert(
      fc.property(anyText, (text) => {
        const five = checkSchedule(text, "five");
        const alias = checkSchedule(text, "alias");
        for (const refusal of [five, alias]) {
          if (refusal === null) continue;
          expect(refusal.refusal).toBe("INVALID_SCHEDULE");
          expect(refusal.message).toStartWith("schedule: ");
          expect(refusal.message.isWellFormed()).toBe(true);
        }
        if (five === null) expect(alias).toBeNull();
        if (alias !== null) return;
        acceptedCount += 1;
        expect(nextSlot(text, "UTC", Date.UTC(2026, 0))).not.toBeNull();
      }),
      { numRuns: 20 * numRuns, examples: [["30 2 * * 1-5"]] },
    );
    expect(acceptedCount).toBeGreaterThan(0);
  },
  timeout,
);

test("a text that was never accepted is the caller's fault, and parsing it says so", () => {
  expect(() => parseFields("61 * * * *")).toThrow('minute field "61"');
});
