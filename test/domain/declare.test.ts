// What becomes of slots when new values come (R12): other spellings, other schedules, and reports that bring them.

import { expect, test } from "bun:test";
import { type Monitor, newMonitor, type Watch } from "../../src/domain/monitor/monitor.ts";
import { type Signal, type Transition, transition, transitions } from "../../src/domain/monitor/transition.ts";
import { isSameSchedule } from "../../src/domain/schedule/slots.ts";
import { toIso } from "../../src/domain/time.ts";
import { DEFAULT_WATCH, fail, heartbeat, instantOf } from "../support/timeline-table.ts";

const WAKE: Signal = { kind: "wake" };
const watchOf = (schedule: string, changes: Partial<Watch> = {}): Watch => ({ ...DEFAULT_WATCH, schedule, ...changes });
const declare = (schedule: string, changes: Partial<Watch> = {}): Signal => ({
  kind: "declare",
  watch: watchOf(schedule, changes),
});

/** What is told and known after these, one after the other; all that is told in order. */
function after(watch: Watch, steps: readonly (readonly [string, ...Signal[]])[]) {
  let monitor: Monitor = newMonitor(watch, instantOf(steps[0]![0]));
  const told: string[] = [];
  let last: Transition | null = null;
  for (const [time, first = WAKE, ...others] of steps) {
    last = transitions(monitor, [first, ...others], instantOf(time), []);
    monitor = last.monitor;
    told.push(...last.alerts.map(({ kind, cause, at }) => `${kind} ${cause} ${toIso(at).slice(11, 19)}`));
  }
  return { monitor, told, expected: monitor.expectedAt === null ? null : toIso(monitor.expectedAt).slice(11, 19) };
}

test.each([
  ["*/5 * * * *", "0-59/5 * * * *"],
  ["*/5 * * * *", "0,5,10,15,20,25,30,35,40,45,50,55 * * * *"],
  ["0 2 * * MON", "0 2 * * 1"],
  ["0 2 * jan-mar *", "0 2 * 1,2,3 *"],
  ["0 */6 * * *", "0 0,6,12,18 * * *"],
  ["@daily", "0 0 0 * * *"],
])("R12: %s and %s in one zone are the same schedule", (one, other) => {
  expect(isSameSchedule(watchOf(one), watchOf(other))).toBe(true);
  expect(isSameSchedule(watchOf(one), watchOf(other, { timezone: "Europe/Berlin" }))).toBe(false);
});

test.each([
  ["*/5 * * * *", "*/10 * * * *"],
  ["0 2 * * *", "0 2 1-31 * 1"],
  // Of days that both fields restrict either is enough, and a field that begins with * restricts nothing (R16).
  ["0 2 1-31/2 * 1", "0 2 */2 * 1"],
])("R12: %s and %s are different schedules", (one, other) => {
  expect(isSameSchedule(watchOf(one), watchOf(other))).toBe(false);
});

test("R12: without a schedule there is none to differ, whatever the zone", () => {
  const none = { schedule: null, timezone: "UTC" };
  expect(isSameSchedule(none, { ...none, timezone: "Europe/Berlin" })).toBe(true);
  expect(isSameSchedule(none, watchOf("0 2 * * *"))).toBe(false);
});

test("R12: another spelling forgets no open slot and no streak of the zone hint", () => {
  const { monitor } = after(watchOf("0 2 * * MON"), [
    ["03:00:00", heartbeat],
    ["03-09 02:00:30", declare("0 2 * * 1")],
  ]);
  expect(toIso(monitor.expectedAt!)).toBe("2026-03-09T02:00:00.000Z");
  expect(monitor.drift.reports).toBe(1);
  expect(transition(monitor, WAKE, instantOf("03-09 02:01:05"), []).alerts).toHaveLength(1);
});

test("R12: a registry that alternates two spellings every minute does not silence a dead job", () => {
  const spellings = ["*/5 * * * *", "0-59/5 * * * *"];
  const minutes = ["10:01:00", "10:02:00", "10:03:00", "10:04:00", "10:05:00", "10:06:00", "10:07:00"];
  const { told } = after(watchOf(spellings[1]!), [
    ["10:00:30", heartbeat],
    ...minutes.map((time, place) => [time, declare(spellings[place % 2]!)] as const),
  ]);
  expect(told).toEqual(["InitialFailure missed 10:06:05"]);
});

test("R12: nor does one that alternates two schedules, where the open slot is of both", () => {
  const { told } = after(watchOf("*/5 * * * *"), [
    ["10:00:30", heartbeat],
    ["10:10:20", declare("*/10 * * * *")],
    ["10:10:40", declare("*/5 * * * *")],
    ["10:11:00", declare("*/10 * * * *")],
    ["10:12:00"],
  ]);
  expect(told).toEqual(["InitialFailure missed 10:06:05"]);
  const later = after(watchOf("*/10 * * * *"), [
    ["10:00:30", heartbeat],
    ["10:10:20", declare("*/5 * * * *")],
    ["10:10:40", declare("*/10 * * * *")],
    ["10:12:00"],
  ]);
  expect(later.told).toEqual(["InitialFailure missed 10:11:05"]);
});

test("R12: of a really different schedule slots before it were never due, open ones of both are", () => {
  const patient = { graceSeconds: 3 * 3600, alertAfterMisses: 3 };
  const steps = [
    ["09:30:00", heartbeat],
    ["11:40:00", declare("0,15 * * * *", patient)],
  ] as const;
  const { monitor, expected } = after(watchOf("0 * * * *", patient), steps);
  expect(expected).toBe("10:00:00");
  expect(monitor.carried.map((slot) => toIso(slot).slice(11, 19))).toEqual(["10:00:00", "11:00:00", "12:00:00"]);
  // 10:00, 11:00 and 12:00; not 10:15 and 11:15, which nobody had asked for at their time.
  expect(after(watchOf("0 * * * *", patient), [...steps, ["15:00:04"]]).told).toEqual([]);
  const late = after(watchOf("0 * * * *", patient), [...steps, ["15:00:05"]]);
  expect(late.told).toEqual(["InitialFailure missed 15:00:05"]);
  expect(late.monitor.carried).toEqual([]);
  expect(late.monitor.incident).toMatchObject({ missedSlots: 2, troubles: 3 });
});

test("R12: a slot that was filled early is not expected again, one that only the new schedule has is", () => {
  expect(
    after(watchOf("0 * * * *"), [
      ["09:59:30", heartbeat],
      ["09:59:40", declare("0,30 * * * *")],
    ]).expected,
  ).toBe("10:30:00");
  expect(
    after(watchOf("0 * * * *"), [
      ["09:59:30", heartbeat],
      ["09:59:40", declare("1,0 * * * *")],
    ]).expected,
  ).toBe("10:01:00");
});

test("R12: schedules that never meet are compared only so far, and the new one counts from now on", () => {
  const everyOther = { graceSeconds: 86_400 };
  const { expected } = after(watchOf("0-58/2 * * * * *", everyOther), [
    ["10:00:00", heartbeat],
    ["22:00:00", declare("1-59/2 * * * * *", everyOther)],
  ]);
  expect(expected).toBe("22:00:01");
});

test.each([
  ["heartbeat", heartbeat, []],
  ["fail", fail("disk full"), ["InitialFailure failed 10:30:00"]],
])("R12: a %s that shortens the grace raises no alarm of its own", (_, report, own) => {
  const { told, expected } = after(watchOf("0 * * * *", { graceSeconds: 3600 }), [
    ["09:30:00", heartbeat],
    ["10:30:00", declare("0 * * * *"), report],
  ]);
  expect({ told, expected }).toEqual({ told: own, expected: "11:00:00" });
});

test("R12, R23: nor does it make a slot missed that it fills, in what the recovery counts", () => {
  const patient = { graceSeconds: 3600 };
  const { monitor } = after(watchOf("*/10 * * * *", patient), [["09:55:00", heartbeat], ["11:00:05"]]);
  const shortens = [declare("*/10 * * * *"), heartbeat] as const;
  const { alerts } = transitions(monitor, shortens, instantOf("11:05:00"), []);
  expect(alerts).toMatchObject([{ kind: "Recovered", incident: { missedSlots: 1 } }]);
});

test("R12: a registry's shorter grace is in force at once, and what had closed under it is told then", () => {
  const { told } = after(watchOf("0 * * * *", { graceSeconds: 3600 }), [
    ["09:30:00", heartbeat],
    ["10:30:00", declare("0 * * * *")],
  ]);
  expect(told).toEqual(["InitialFailure missed 10:30:00"]);
});
