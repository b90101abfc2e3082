// The times of one message: the zone and UTC are said once, and nothing that follows can be misread.

import { expect, test } from "bun:test";
import { timesOfAMessage } from "../../src/domain/wording/message-times.ts";

test("the first time of a zone names it and UTC; those after it are read in the same zone", () => {
  const { say, haveSaid } = timesOfAMessage({ severalZones: false });
  expect(haveSaid("Europe/Berlin")).toBe(false);
  expect(say("2026-03-01T02:00:00.000Z", "Europe/Berlin")).toBe("2026-03-01 03:00 Europe/Berlin (02:00 UTC)");
  expect(haveSaid("Europe/Berlin")).toBe(true);
  expect(say("2026-03-01T02:01:05.000Z", "Europe/Berlin")).toBe("03:01:05");
  expect(say(Date.parse("2026-03-02T02:00:00.000Z"), "Europe/Berlin")).toBe("2026-03-02 03:00");
  expect(say("2026-03-01T02:00:00.000Z", "UTC")).toBe("2026-03-01 02:00 UTC");
});

test("a day is the day of the zone, and UTC's stands beside it when it is another", () => {
  const { say } = timesOfAMessage({ severalZones: false });
  expect(say("2026-06-30T22:30:00.000Z", "Europe/Berlin")).toBe(
    "2026-07-01 00:30 Europe/Berlin (2026-06-30 22:30 UTC)",
  );
  expect(say("2026-06-30T21:30:00.000Z", "Europe/Berlin")).toBe("2026-06-30 23:30");
});

test("R17: where the clocks were changed in between, UTC is said again: an hour may occur twice", () => {
  const { say } = timesOfAMessage({ severalZones: false });
  expect(say("2026-10-25T00:30:00.000Z", "Europe/Berlin")).toBe("2026-10-25 02:30 Europe/Berlin (00:30 UTC)");
  expect(say("2026-10-25T01:30:00.000Z", "Europe/Berlin")).toBe("02:30 (01:30 UTC)");
});

test("what is announced needs no seconds", () => {
  const { say, sayMinute } = timesOfAMessage({ severalZones: false });
  say("2026-03-01T02:00:00.000Z", "UTC");
  expect(sayMinute("2026-03-01T03:01:05.000Z", "UTC")).toBe("03:01");
});

test("R39: where there are several zones each time names its own, and its day unless the one before was on it", () => {
  const { say } = timesOfAMessage({ severalZones: true });
  expect(say("2026-03-01T02:00:00.000Z", "Europe/Berlin")).toBe("2026-03-01 03:00 Europe/Berlin (02:00 UTC)");
  expect(say("2026-03-01T02:01:00.000Z", "Europe/Berlin")).toBe("03:01 Europe/Berlin");
  expect(say("2026-03-01T02:00:00.000Z", "America/New_York")).toBe(
    "2026-02-28 21:00 America/New_York (2026-03-01 02:00 UTC)",
  );
  expect(say("2026-03-01T02:02:00.000Z", "Europe/Berlin")).toBe("2026-03-01 03:02 Europe/Berlin");
  expect(say("2026-03-01T02:03:00.000Z", "UTC")).toBe("2026-03-01 02:03 UTC");
  expect(say("2026-03-01T02:04:00.000Z", "UTC")).toBe("02:04 UTC");
});
