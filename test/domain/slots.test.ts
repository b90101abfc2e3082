// R16, R17 by example: what clock changes, the two day fields and rare dates do to the slots of a schedule. The laws
// that hold for every schedule are in slots-laws.test.ts.

import { expect, test } from "bun:test";
import { countSlots, nextSlot, slotsAround } from "../../src/domain/schedule/slots.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";

/** The next `count` slots after an instant, as ISO times in UTC without seconds. */
function upcoming(schedule: string, timezone: string, after: string, count: number): string[] {
  const slots: string[] = [];
  let at = Date.parse(after);
  for (let step = 0; step < count; step += 1) {
    at = nextSlot(schedule, timezone, at)!;
    slots.push(new Date(at).toISOString().slice(0, 16));
  }
  return slots;
}

test("R17: a wall time that the change skips is not due that day, and nothing stands in for it", () => {
  expect(upcoming("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00Z", 3)).toEqual([
    "2026-03-28T01:30",
    "2026-03-30T00:30",
    "2026-03-31T00:30",
  ]);
});

test("R17: a wall time that occurs twice is due the first time only", () => {
  expect(upcoming("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual([
    "2026-10-25T00:30",
    "2026-10-26T01:30",
  ]);
});

test("R17: looking back over a skipped hour finds the slot of the day before", () => {
  expect(slotsAround("30 2 * * *", "Europe/Berlin", Date.parse("2026-03-29T01:05Z"))).toEqual({
    before: Date.parse("2026-03-28T01:30Z"),
    after: Date.parse("2026-03-30T00:30Z"),
  });
});

test("R17: a schedule of every quarter hour is silent through the repeated hour and goes on behind it", () => {
  expect(upcoming("*/15 * * * *", "Europe/Berlin", "2026-10-25T00:30Z", 3)).toEqual([
    "2026-10-25T00:45",
    "2026-10-25T02:00",
    "2026-10-25T02:15",
  ]);
  const inside = Date.parse("2026-10-25T01:20Z");
  expect(slotsAround("*/15 * * * *", "Europe/Berlin", inside)).toEqual({
    before: Date.parse("2026-10-25T00:45Z"),
    after: Date.parse("2026-10-25T02:00Z"),
  });
});

test("R17: a schedule of every second crosses a skipped and a repeated hour in one step", () => {
  const beforeSkip = Date.parse("2026-03-29T00:59:59Z");
  expect(nextSlot("* * * * * *", "Europe/Berlin", beforeSkip)).toBe(beforeSkip + SECOND);
  const beforeRepeat = Date.parse("2026-10-25T00:59:59Z");
  expect(nextSlot("* * * * * *", "Europe/Berlin", beforeRepeat)).toBe(beforeRepeat + SECOND + HOUR);
});

test("R17: a date the zone never had has no slots (Pacific/Apia, 30 December 2011)", () => {
  expect(upcoming("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00Z", 2)).toEqual([
    "2011-12-29T22:00",
    "2011-12-30T22:00",
  ]);
  expect(countSlots("0 12 30 12 *", "Pacific/Apia", Date.UTC(2011, 0), Date.UTC(2013, 0))).toBe(1);
});

test("R17: changes by half an hour and by two hours are changes (Lord Howe, Troll)", () => {
  expect(upcoming("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00Z", 2)).toEqual([
    "2026-04-04T14:45",
    "2026-04-05T15:15",
  ]);
  expect(upcoming("30 2 * * *", "Antarctica/Troll", "2026-03-28T12:00Z", 1)).toEqual(["2026-03-30T00:30"]);
});

test("R16: a weekday beside a day of the month is another way to be due, beside `*/2` it is a condition", () => {
  expect(upcoming("0 0 13 * 5", "UTC", "2026-02-01T00:00Z", 3)).toEqual([
    "2026-02-06T00:00",
    "2026-02-13T00:00",
    "2026-02-20T00:00",
  ]);
  expect(upcoming("0 0 */2 * 5", "UTC", "2026-02-01T00:00Z", 3)).toEqual([
    "2026-02-13T00:00",
    "2026-02-27T00:00",
    "2026-03-13T00:00",
  ]);
  expect(upcoming("0 0 13 * */5", "UTC", "2026-02-01T00:00Z", 2)).toEqual(["2026-02-13T00:00", "2026-03-13T00:00"]);
});

test("R16: a day field that lists its whole range says the same as `*`", () => {
  const everyDay = Array.from({ length: 31 }, (_, index) => index + 1).join(",");
  const expected = upcoming("0 9 * * 1", "UTC", "2026-02-01T00:00Z", 20);
  expect(upcoming(`0 9 ${everyDay} * 1`, "UTC", "2026-02-01T00:00Z", 20)).toEqual(expected);
  expect(upcoming("0 9 1-31 * MON", "UTC", "2026-02-01T00:00Z", 20)).toEqual(expected);
});

test("a special string has the slots of what it stands for", () => {
  expect(upcoming("@weekly", "UTC", "2026-02-04T00:00Z", 2)).toEqual(["2026-02-08T00:00", "2026-02-15T00:00"]);
  expect(upcoming("@yearly", "UTC", "2026-02-04T00:00Z", 1)).toEqual(["2027-01-01T00:00"]);
});

test("the rarest schedule is found, over the year 2100 that has no leap day", () => {
  expect(upcoming("0 0 29 2 *", "Europe/Berlin", "2096-03-01T00:00Z", 1)).toEqual(["2104-02-28T23:00"]);
  const lone = slotsAround("0 0 29 2 */7", "UTC", Date.UTC(2026, 0));
  expect(lone).toEqual({ before: Date.UTC(2004, 1, 29), after: Date.UTC(2032, 1, 29) });
});

test("instants far outside any calendar of jobs have no slots and raise nothing", () => {
  for (const at of [-8.64e15, Date.UTC(1750, 0), Date.UTC(2999, 6), 8.64e15, Number.MAX_SAFE_INTEGER]) {
    expect(slotsAround("* * * * *", "Europe/Berlin", at)).toEqual({ before: null, after: null });
    expect(nextSlot("* * * * *", "Europe/Berlin", at)).toBeNull();
  }
  expect(nextSlot("0 0 29 2 *", "UTC", Date.UTC(2998, 11, 31))).toBeNull();
  expect(countSlots("0 0 1 1 *", "UTC", -8.64e15, 8.64e15)).toBe(1_200);
  expect(countSlots("* * * * *", "UTC", 5 * MINUTE, 5 * MINUTE)).toBe(0);
  expect(countSlots("* * * * *", "UTC", 5 * MINUTE, MINUTE)).toBe(0);
});

test("ten years of a slot every second are counted, less the seconds that were repeated or skipped", () => {
  const from = Date.UTC(2016, 0);
  const until = Date.UTC(2026, 0);
  expect(countSlots("* * * * * *", "UTC", from, until)).toBe((until - from) / SECOND);
  // Ten repeated hours are not due; a skipped hour is not missing in elapsed time.
  expect(countSlots("* * * * * *", "Europe/Berlin", from, until)).toBe((until - from) / SECOND - 10 * 3600);
});

test("while a time lies between the same two slots the same answer is handed out, for each zone its own", () => {
  const at = Date.parse("2026-05-04T10:00Z");
  const berlin = slotsAround("7 7 * * *", "Europe/Berlin", at);
  const tokyo = slotsAround("7 7 * * *", "Asia/Tokyo", at);
  expect(slotsAround("7 7 * * *", "Europe/Berlin", at + HOUR)).toBe(berlin);
  expect(slotsAround("7 7 * * *", "Asia/Tokyo", at - HOUR)).toBe(tokyo);
  expect(tokyo.after).toBe(Date.parse("2026-05-04T22:07Z"));
});
