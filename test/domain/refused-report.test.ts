// R26, R33: what a report counts for that was refused.

import { expect, test } from "bun:test";
import {
  explainsAlertSince,
  isWorthNaming,
  rankOfRefusedReport,
  refusalShowsLife,
} from "../../src/domain/message/refused-report.ts";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { wakeAt } from "../../src/domain/monitor/settle.ts";
import { type Signal, transition } from "../../src/domain/monitor/transition.ts";
import { complete, DEFAULT_WATCH, fail, heartbeat, instantOf, start } from "../support/timeline-table.ts";

test("R26: of one minute a fail is looked at after any other, and that after a log", () => {
  expect(["fail", "heartbeat", null, "log"].map(rankOfRefusedReport)).toEqual([2, 1, 1, 0]);
});

test("R26: a report is evidence of life when it is the first of its minute or may fill another slot; a log never is", () => {
  expect(refusalShowsLife("heartbeat", true, null, 5)).toBe(true);
  expect(refusalShowsLife("heartbeat", false, 5, 5)).toBe(true);
  expect(refusalShowsLife("heartbeat", false, 6, 5)).toBe(false);
  expect(refusalShowsLife("heartbeat", false, null, 5)).toBe(false);
  expect(refusalShowsLife("log", true, 5, 5)).toBe(false);
});

test("R33: of an unwatched job all that was wrong is told, else failures, mails, a revoked key and what a limit refused", () => {
  const named = (isWatched: boolean) =>
    [
      ["heartbeat", "INVALID_REQUEST"],
      ["fail", "INVALID_REQUEST"],
      ["heartbeat", "AUTHENTICATION_REQUIRED"],
      ["heartbeat", "RATE_LIMIT_EXCEEDED"],
      ["log", "INVALID_REQUEST", "mail_rule"],
      ["", "INVALID_REQUEST", "mail"],
    ].map(([kind = "", code = "", field = ""]) => isWorthNaming({ kind, code, field }, isWatched));
  expect(named(false)).toEqual([true, true, true, false, true, true]);
  expect(named(true)).toEqual([false, true, true, true, true, true]);
});

/** The last alert of a monitor that is created at 10:00, and may explain itself by what was refused since then. */
function explained(...steps: readonly (readonly [string, Signal])[]): number | null {
  const created = instantOf("10:00:00");
  const watch = { ...DEFAULT_WATCH, schedule: "0 * * * *", maxRuntimeSeconds: 600 };
  let monitor = newMonitor(watch, created);
  let since: number | null = null;
  const take = (signal: Signal, now: number): void => {
    const decision = transition(monitor, signal, now, []);
    ({ monitor } = decision);
    for (const alert of decision.alerts) since = explainsAlertSince(alert, created);
  };
  for (const [at, signal] of steps) {
    for (let due = wakeAt(monitor, []); due !== null && due < instantOf(at); due = wakeAt(monitor, []))
      take({ kind: "wake" }, due);
    take(signal, instantOf(at));
  }
  return since;
}

const WAKE: Signal = { kind: "wake" };

test("R33: a miss is explained by what was refused since the last report, or since the monitor was made", () => {
  expect(explained(["11:02:00", WAKE])).toBe(instantOf("10:00:00"));
  expect(explained(["10:30:00", heartbeat], ["11:02:00", WAKE])).toBe(instantOf("10:30:00"));
});

test("R33: a miss is not explained by what was refused before the slot before, though nothing was accepted since", () => {
  expect(explained(["10:30:00", heartbeat], ["13:02:00", { kind: "resolve" }], ["14:02:00", WAKE])).toBe(
    instantOf("13:00:00"),
  );
});

test("R33: a run without its end is explained by what was refused since its start", () => {
  expect(explained(["10:30:00", start()], ["10:41:00", WAKE])).toBe(instantOf("10:30:00"));
});

test("R33: a failure, an acknowledgement and a recovery need no explanation", () => {
  expect(explained(["10:30:00", fail()])).toBeNull();
  expect(explained(["11:02:00", { kind: "acknowledge", by: null }])).toBeNull();
  expect(explained(["11:02:00", complete()])).toBeNull();
});
