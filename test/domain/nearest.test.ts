// Which known name was meant: by few edits, fewer for short words, the nearest and among equals the first.

import { expect, test } from "bun:test";
import { nearestKnownName } from "../../src/domain/text.ts";

const KNOWN = ["schedule", "gracePeriod", "name", "run_id", "url", "tz"];

test.each([
  ["schedule", "schedule"],
  ["shedule", "schedule"],
  ["schedulle", "schedule"],
  ["shceduel", null],
  ["shcedule", "schedule"],
  ["nmae", "name"],
  ["gracepriod", "gracePeriod"],
  ["graceperid", "gracePeriod"],
  ["urls", "url"],
  ["uri", "url"],
  ["ulr", null],
  ["zz", "tz"],
  ["crontab", null],
  ["", null],
])("by %p is meant %p", (word, meant) => {
  expect(nearestKnownName(word, KNOWN)).toBe(meant);
});

test("of two that are equally near the first is meant, and a nearer one before both", () => {
  expect(nearestKnownName("hook1", ["hook2", "hook3"])).toBe("hook2");
  expect(nearestKnownName("hook12", ["hook3", "hook2"])).toBe("hook2");
});
