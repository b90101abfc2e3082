// Messages about fails and recoveries under a pause (R24): when the fail came, and no promise that will not be kept.

import { describe, expect, test } from "bun:test";
import { type AlertData, type AlertMessage, alertMessage } from "../../src/domain/message/alert.ts";
import { type Monitor, newMonitor, type Watch } from "../../src/domain/monitor/monitor.ts";
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

const failedAgo = (ageSeconds: number): Signal => ({ ...fail("disk full"), ageSeconds }) as Signal;

/** The messages that these lead to, of an hourly job whose first signal comes as it is made. */
const messages = (...steps: readonly (readonly [string, Signal])[]): AlertMessage[] => messagesOf({}, steps);

function messagesOf(watch: Partial<Watch>, steps: readonly (readonly [string, Signal])[]): AlertMessage[] {
  let monitor: Monitor = newMonitor({ ...DEFAULT_WATCH, schedule: "0 * * * *", ...watch }, instantOf(steps[0]![0]));
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
          notifiedAs: null,
          startHeardAt: null,
          usualMs: null,
          runsOn: null,
          zones: [],
          refusedReport: null,
          gaps: [],
          url: null,
        },
        instance: { onlyApplication: true, commandUser: null, commandLine: null },
        presentation: {
          ...{
            applicationName: null,
            teamName: null,
            owner: null,
            severity: "error",
            environment: null,
            links: {},
            note: null,
            labels: [],
          },
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
  expect(wordsOf(recovery!)).toContain("Incident 1 began at 12:30: it reported a failure, then no report came");
  // The incident has one beginning, in messages as on its page; the fail before it is told besides.
  expect(wordsOf(recovery!)).toContain("It had failed at 11:07. It lasted 1 hour 20 minutes.");
});

test("R24, R43: a late fail that a pause held back is told with when it happened and when it was heard", () => {
  const [told, recovery] = messages(
    ["10:05:00", heartbeat],
    ["10:55:00", pausedUntil("12:30:00")],
    ["11:40:00", failedAgo(3_000)],
    ["12:30:00", WAKE],
    ["12:45:00", heartbeat],
  );
  expect(told!.data).toMatchObject({ failedAt: "2026-03-02T10:50:00.000Z", heardAt: "2026-03-02T11:40:00.000Z" });
  expect(wordsOf(told!)).toContain("It failed at 2026-03-02 10:50 UTC; rollcall heard of it at 11:40.");
  // It was not paused when it failed.
  expect(wordsOf(told!)).toContain("It was paused when that report came; the pause ended at 12:30.");
  expect(wordsOf(told!)).not.toContain("It was paused then");
  expect(wordsOf(recovery!)).toContain("It had failed at 10:50; rollcall heard of that at 11:40.");
});

describe("R43: a fail that is told over a quarter of an hour after it happened says so in its subject", () => {
  const subjectAt = (message: AlertMessage, late = 0): string => wordingOf(message, message.at + late).subject;

  test("heard late, in a message in time and in one that is late", () => {
    const [told] = messages(["08:05:00", heartbeat], ["10:40:00", failedAgo(7_800)]).slice(-1);
    expect(subjectAt(told!)).toBe("Also failed at 08:30, heard now: Job");
    expect(subjectAt(told!, 3_600_000)).toBe("Also failed at 08:30, heard at 10:40: Job, sent 1 hour late");
  });

  test("held by a pause, told now, and on another day with its date", () => {
    const steps = [
      ["08:05:00", heartbeat],
      ["08:10:00", pausedUntil("03-03 08:00:00")],
      ["08:30:00", fail()],
    ] as const;
    const [told] = messages(...steps, ["03-03 08:00:00", WAKE]);
    expect(subjectAt(told!)).toBe("Failed at 2026-03-02 08:30, told now: Job");
  });

  test("and what was heard at once, or a few minutes late, does not", () => {
    const [soon] = messages(["08:05:00", heartbeat], ["08:30:00", failedAgo(900)]);
    expect(subjectAt(soon!)).toBe("Failed: Job");
    expect(wordsOf(soon!)).toContain("It failed at 2026-03-02 08:15 UTC");
  });
});

test("R43: an incident that a miss began tells of an earlier fail that was heard later", () => {
  const told = messages(
    ["10:05:00", heartbeat],
    ["11:01:05", WAKE],
    ["12:30:00", failedAgo(5_395)],
    ["12:45:00", heartbeat],
  );
  const [missed, failed, recovery] = told.filter(({ data }) => data.reason !== "reminder");
  expect(missed!.data.openedAt).toBe(failed!.data.openedAt);
  expect(wordsOf(failed!)).toContain("It failed at 2026-03-02 11:00:05 UTC; rollcall heard of it at 12:30.");
  expect(wordsOf(failed!)).not.toContain("It had failed");
  const words = wordsOf(recovery!);
  expect(words).toContain("began at 11:01:05: no report came when one was expected, then it reported a failure.");
  expect(words).toContain("It had failed at 11:00:05; rollcall heard of that at 12:30.");
  expect(words).toContain("It lasted 1 hour 44 minutes.");
  expect(words).toContain("1 run failed, and was heard late.");
});

test("R21, R43: slots that a run covered are told as its span, not as runs of their own", () => {
  const run = { runId: "a", attempt: null } as const;
  const told = messagesOf({ maxRuntimeSeconds: 21_600 }, [
    ["11:00:10", heartbeat],
    ["17:30:00", { kind: "start", ...run, ageSeconds: 19_800 }],
    ["17:30:01", { ...heartbeat, kind: "complete", ...run, ageSeconds: 1_801 } as Signal],
  ]);
  const words = wordsOf(told.at(-1)!);
  expect(words).toContain("Job ran.\n");
  expect(words).toContain("It ran from 12:00 to 17:00; its reports came late.");
  expect(words).not.toContain("in time");
});

test("R23, R43: a miss that a late end brings says that the run had ended", () => {
  const run = { runId: "a", attempt: null } as const;
  const told = messages(
    ["10:00:10", heartbeat],
    ["11:00:00", { kind: "start", ...run }],
    ["15:30:00", { ...heartbeat, kind: "complete", ...run, ageSeconds: 15_600 } as Signal],
  );
  const missed = told.at(-1)!;
  expect(missed.data).toMatchObject({ reason: "new_cause", cause: "missed" });
  expect(wordsOf(missed)).toContain(
    "The run that had been told as not finished ended at 11:10; rollcall heard of that at 15:30.",
  );
});

test("R23: the reminder of one failure, or of wrong results, says since when there is no success", () => {
  const wrong = { verdict: "failed", message: "rows was 0", outcomes: [] } as const;
  const reminderOf = (signal: Signal): string => {
    const steps = [
      ["08:05:00", heartbeat],
      ["08:10:30", signal],
      ["09:10:30", WAKE],
    ] as const;
    const [, reminder] = messagesOf({ schedule: "0 8 * * *" }, steps);
    return wordingOf(reminder!, reminder!.at).subject;
  };
  expect(reminderOf(fail())).toBe("No success since it failed 1 hour ago: Job");
  expect(reminderOf({ ...heartbeat, checks: wrong } as Signal)).toBe("No good result since 08:10: Job");
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
