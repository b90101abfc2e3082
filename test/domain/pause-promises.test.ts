// Messages about fails and recoveries under a pause (R24): when the fail came, and no promise that will not be kept.

import { describe, expect, test } from "bun:test";
import { type AlertData, type AlertMessage, alertMessage } from "../../src/domain/message/alert.ts";
import { type Monitor, newMonitor } from "../../src/domain/monitor/monitor.ts";
import { type Signal, transition } from "../../src/domain/monitor/transition.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { DEFAULT_WATCH, fail, heartbeat, instantOf } from "../support/timeline-table.ts";

const WAKE: Signal = { kind: "wake" };
const PLAN: Signal = { kind: "pause", pause: "plan" };
const pausedUntil = (time: string | null): Signal => ({
  kind: "pause",
  pause: "manual",
  until: time === null ? null : instantOf(time),
});

/** The messages that these lead to, of an hourly job whose first signal comes as it is made. */
function messages(...steps: readonly (readonly [string, Signal])[]): AlertMessage[] {
  let monitor: Monitor = newMonitor({ ...DEFAULT_WATCH, schedule: "0 * * * *" }, instantOf(steps[0]![0]));
  return steps.flatMap(([time, signal]) => {
    const decision = transition(monitor, signal, instantOf(time), []);
    monitor = decision.monitor;
    return decision.alerts.map((alert) =>
      alertMessage(alert, monitor, {
        ...{
          incidentId: 1,
          application: "prod",
          key: "job",
          name: "Job",
          zones: [],
          refusedReport: null,
          gaps: [],
          url: null,
        },
        house: { onlyApplication: true, commandUser: null },
        presentation: {
          ...{ applicationName: null, teamName: null, owner: null, severity: "error", environment: null, links: {} },
        },
      }),
    );
  });
}

const wordsOf = (message: AlertMessage): string => {
  const { story, advice } = wordingOf(message, message.at);
  return [...story, ...advice].join("\n");
};

const promised = ({ data }: AlertMessage): Partial<AlertData> => {
  const { status, pausedBy, pausedUntil, nextExpectedAt, nextReminderAt } = data;
  return { status, pausedBy, pausedUntil, nextExpectedAt, nextReminderAt };
};

test("R24: a fail that a pause held back is told with the time of the fail, and so is all that follows of it", () => {
  const told = messages(
    ["10:05:00", heartbeat],
    ["10:10:00", pausedUntil("12:30:00")],
    ["11:07:00", fail("disk full")],
    ["13:45:00", WAKE],
    ["13:50:00", heartbeat],
  );
  const [opening, missed, reminder, recovery] = told;
  expect(opening).toMatchObject({ at: instantOf("12:30:00"), data: { failedAt: "2026-03-02T11:07:00.000Z" } });
  expect(opening!.data.openedAt).toBe("2026-03-02T12:30:00.000Z");
  expect(wordsOf(opening!)).toContain("11:07");
  expect(wordsOf(opening!)).toContain("It was paused then; the pause ended at");
  expect(missed!.data.cause).toBe("missed");
  expect(wordsOf(missed!)).not.toContain("It was paused then");
  expect(reminder!.data.reason).toBe("reminder");
  for (const message of [reminder!, recovery!]) expect(wordsOf(message)).toContain("11:07");
  // From 11:07 to 13:50, though the incident opened at 12:30.
  expect(wordsOf(recovery!)).toContain("2 hours 43 minutes");
});

test("R24: nor is the time of an incident that stood before taken for that of the fail", () => {
  const [, told] = messages(
    ["09:30:00", heartbeat],
    ["10:01:05", WAKE],
    ["10:10:00", pausedUntil("12:30:00")],
    ["11:07:00", fail()],
    ["12:30:00", WAKE],
  );
  expect(told).toMatchObject({ data: { reason: "new_cause", failedAt: "2026-03-02T11:07:00.000Z" } });
  expect(wordsOf(told!)).toContain("11:07");
  expect(wordsOf(told!)).toContain("10:01:05");
});

describe("R24: no report and no reminder is promised that never comes", () => {
  const never = { status: "paused", nextExpectedAt: null, nextReminderAt: null } as const;

  test("to a fail, and the recovery, of a monitor that the plan pauses", () => {
    const told = messages(["10:05:00", PLAN], ["10:10:00", fail()], ["10:20:00", heartbeat]);
    const paused = { ...never, pausedBy: ["plan"], pausedUntil: null } as const;
    expect(told.map(promised)).toEqual([paused, paused]);
    expect(wordsOf(told[0]!)).toContain("until max_active_monitors leaves room for it");
    expect(wordsOf(told[0]!)).toContain("no reminder comes");
    for (const message of told)
      expect(wordsOf(message)).not.toMatch(/is expected at|a reminder comes at|You will hear/);
    expect(wordingOf(told[0]!, told[0]!.at).commands).toEqual([]);
  });

  test("to one of a withdrawn monitor, nor to its withdrawal", () => {
    const told = messages(
      ["10:05:00", fail()],
      ["10:10:00", { kind: "withdraw" }],
      ["10:20:00", fail()],
      ["10:30:00", heartbeat],
    );
    const paused = { ...never, pausedBy: ["discovery"], pausedUntil: null } as const;
    expect(told.slice(1).map(promised)).toEqual([paused, paused, paused]);
    expect(told[0]!.data.nextReminderAt).toBe("2026-03-02T11:05:00.000Z");
    for (const message of told.slice(1)) expect(wordsOf(message)).toContain("until its source lists it again");
  });

  test("to a recovery under a pause by hand without an end, nor to a deletion", () => {
    const [, recovery] = messages(["10:05:00", fail()], ["10:10:00", pausedUntil(null)], ["10:20:00", heartbeat]);
    expect(promised(recovery!)).toEqual({ ...never, pausedBy: ["manual"], pausedUntil: null });
    expect(wordsOf(recovery!)).toContain("until somebody resumes it");
    const [, deletion] = messages(["10:05:00", fail()], ["10:10:00", { kind: "delete" }]);
    expect(promised(deletion!)).toMatchObject({ nextExpectedAt: null, nextReminderAt: null });
  });

  test("but what comes after a pause with an end is", () => {
    const until = "2026-03-02T12:30:00.000Z";
    const [, recovery] = messages(["10:05:00", fail()], ["10:10:00", pausedUntil("12:30:00")], ["10:20:00", heartbeat]);
    expect(promised(recovery!)).toMatchObject({ pausedUntil: until, nextExpectedAt: "2026-03-02T13:00:00.000Z" });
  });
});

test("R37: an alert of a time before the pause says what held then, though it is looked at later", () => {
  const [missed] = messages(["09:30:00", heartbeat], ["10:30:00", PLAN]);
  expect(promised(missed!)).toMatchObject({ status: "critical", pausedBy: [], nextReminderAt: expect.any(String) });
});
