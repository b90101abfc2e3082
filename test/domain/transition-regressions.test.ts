// Faults that reading and the laws have found in the core, each with the shortest timeline that shows it.

import { expect, test } from "bun:test";
import { alertMessage } from "../../src/domain/message/alert.ts";
import { type Gap, type Monitor, newMonitor, type Watch } from "../../src/domain/monitor/monitor.ts";
import { isOpen, matteringRuns } from "../../src/domain/monitor/run.ts";
import { type Signal, type Transition, transition } from "../../src/domain/monitor/transition.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { ANY_SUBJECT } from "../support/alerts.ts";
import { complete, DEFAULT_WATCH, fail, heartbeat, instantOf, start } from "../support/timeline-table.ts";

const HOURLY = watching({ schedule: "0 * * * *" });
const WAKE: Signal = { kind: "wake" };

function watching(watch: Partial<Watch>): Monitor {
  return newMonitor({ ...DEFAULT_WATCH, ...watch }, instantOf("10:00:00"));
}

/** What the last of these signals leads to; each is written as its time and itself. */
function after(monitor: Monitor, steps: readonly (readonly [string, Signal])[], gaps: readonly Gap[] = []): Transition {
  let decision: Transition = {
    monitor,
    alerts: [],
    unknowns: [],
    pauseChanges: [],
    lateSlot: null,
    run: null,
    verdict: null,
    measuredSeconds: null,
    outlived: [],
  };
  for (const [time, signal] of steps) decision = transition(decision.monitor, signal, instantOf(time), gaps);
  return decision;
}

const told = ({ alerts }: Transition): string[] =>
  alerts.map(({ kind, cause, at }) => `${kind} ${cause} ${new Date(at).toISOString().slice(11, 19)}`);

const gapAt = (time: string): Gap => ({ from: instantOf(time), to: instantOf(time) });

test("R26: the length of one run takes the doubt from another, which is then told after the success that brought it", () => {
  const job = watching({ schedule: "0 * * * *", maxRuntimeSeconds: 6000 });
  const gaps = [gapAt("11:40:00")];
  const waiting = after(job, [["10:00:00", start()]], gaps);
  const decision = after(
    waiting.monitor,
    [
      ["11:40:00", start("short")],
      ["11:40:00", complete("short")],
    ],
    gaps,
  );
  expect(told(decision)).toEqual(["InitialFailure unfinished 11:40:00"]);
  expect(decision.monitor).toMatchObject({ failures: 1, incident: { awaitsRun: true } });
});

test("R12, R26: a refused report names the first slot that is open of an older schedule", () => {
  const job = watching({ schedule: "0,30 * * * *", graceSeconds: 86_400 });
  const decision = after(job, [
    ["10:00:00", start()],
    ["11:00:00", { kind: "declare", watch: { ...job.watch, schedule: "* * * * *" } }],
    // The run is past its deadline, so slots are only counted; that of 10:30 has closed by then.
    ["03-03 10:30:00", WAKE],
    ["03-03 10:30:06", { kind: "refused", further: false }],
  ]);
  expect(decision.unknowns.map(({ slot }) => new Date(slot!).toISOString().slice(11, 16))).toEqual(["11:00"]);
});

test("R22: a start that a heartbeat has ended matters although another run is open, which may be over by then", () => {
  const job = watching({ schedule: "0 * * * *", maxRuntimeSeconds: 3660 });
  const decision = after(job, [
    ["10:00:00", start("long")],
    ["10:10:00", start()],
    ["10:20:00", heartbeat],
  ]);
  expect([...matteringRuns(decision.monitor.runs, instantOf("10:20:00"))]).toEqual([1, 2]);
  // At 11:01:00 the long run passes its deadline: no run is open when the complete comes.
  expect(after(decision.monitor, [["11:30:00", complete()]]).run).toMatchObject({ number: 2, durationSeconds: 4800 });
});

test("R22: an end that is repeated is not given to a run that was killed the day before", () => {
  const job = watching({ schedule: "0 2 * * *", maxRuntimeSeconds: 3600 });
  const decision = after(job, [
    ["03-03 02:00:00", start()],
    ["03-04 02:00:00", start()],
    ["03-04 02:20:00", complete()],
    ["03-04 02:20:05", complete()],
  ]);
  expect(decision.run).toBeNull();
  expect(decision.monitor.lastRunMs).toBe(20 * 60_000);
});

test("R22: a run past its deadline still gets its end while it is the newest", () => {
  const decision = after(HOURLY, [
    ["10:00:00", start()],
    ["11:30:00", complete()],
  ]);
  expect(decision.run).toMatchObject({ number: 1, durationSeconds: 5400 });
});

test("R22: an end whose run_id never had a start takes the open run without id, each day", () => {
  const decision = after(HOURLY, [
    ["10:00:00", complete("backup")],
    ["11:00:00", start()],
    ["11:10:00", complete("backup")],
  ]);
  expect(decision.run).toMatchObject({ number: 2, legacy: true, durationSeconds: 600 });
  expect(decision.monitor.runs.some(isOpen)).toBe(false);
});

test("R22: a complete with another run_id does not use the start that a heartbeat has ended", () => {
  const decision = after(HOURLY, [
    ["10:00:00", start("a")],
    ["10:10:00", heartbeat],
    ["10:20:00", complete("b")],
  ]);
  expect(decision.run).toMatchObject({ runId: "b", startedAt: null, durationSeconds: null });
});

test("R21, R22: a run that is open for more than seven days still gets its end", () => {
  const job = watching({ schedule: "0 2 1 * *", maxRuntimeSeconds: (10 * DAY) / 1000 });
  const decision = after(job, [
    ["03-03 02:00:00", start("monthly")],
    ["03-11 02:00:00", complete("monthly")],
  ]);
  expect(decision.run).toMatchObject({ number: 1, durationSeconds: (8 * DAY) / 1000 });
  expect(told(after(decision.monitor, [["03-20 02:00:00", WAKE]]))).toEqual([]);
});

test("R26: short gaps, one after the other, do not excuse a dead job for ever", () => {
  const job = watching({ schedule: "* * * * *" });
  // Each gap touches two slots: the one that is about to close and the next.
  const gaps = ["10:02:04", "10:03:04", "10:04:04", "10:05:04"].map(gapAt);
  const decision = after(job, [["10:10:00", WAKE]], gaps);
  expect(decision.unknowns.map(({ slot }) => slot)).toEqual([instantOf("10:01:00"), instantOf("10:02:00")]);
  expect(told(decision)).toEqual(["NeverExecuted missed 10:05:04"]);
});

test("R26: a slot is not excused twice because a run waited for its judgement when the one before closed", () => {
  const gaps = [
    { from: instantOf("10:50:00"), to: instantOf("11:00:30") },
    { from: instantOf("11:59:30"), to: instantOf("12:00:50") },
  ];
  const decision = after(
    HOURLY,
    [
      ["10:00:00", start()],
      ["12:10:00", WAKE],
    ],
    gaps,
  );
  expect(decision.unknowns.map(({ slot }) => slot)).toEqual([null, instantOf("11:00:00")]);
  expect(told(decision)).toEqual(["InitialFailure missed 12:01:50"]);
});

test("R26: slots that one gap has left to be judged at one instant are judged alike, also when the first touches two", () => {
  const gaps = [
    { from: instantOf("10:50:00"), to: instantOf("11:00:30") },
    { from: instantOf("11:01:00"), to: instantOf("14:30:00") },
  ];
  const steps = [
    ["10:00:30", heartbeat],
    ["14:40:00", WAKE],
  ] as const;
  const decision = after(HOURLY, steps, gaps);
  expect(decision.unknowns.map(({ slot, slots }) => [slot, slots])).toEqual([[instantOf("11:00:00"), 4]]);
  expect(told(decision)).toEqual([]);
  const lasting = [...gaps, { from: instantOf("15:00:00"), to: instantOf("17:30:00") }];
  expect(told(after(HOURLY, [...steps, ["17:40:00", WAKE]], lasting))).toEqual(["InitialFailure missed 17:31:00"]);
});

test("R26: a refused report names the slots it fills, not the one that was told missed", () => {
  const { unknowns } = after(HOURLY, [["11:01:30", { kind: "refused", further: false }]]);
  expect(unknowns).toEqual([]);
  const [open] = after(HOURLY, [["12:00:30", { kind: "refused", further: false }]]).unknowns;
  expect(open?.slot).toBe(instantOf("12:00:00"));
});

test("R26: pulling back a clock that is not ahead loses no miss", () => {
  expect(told(after(HOURLY, [["11:30:00", { kind: "rebase", backMs: HOUR }]]))).toEqual([
    "NeverExecuted missed 11:01:05",
  ]);
});

test("R26: a run that was over when the clock was pulled back has not lasted less than nothing", () => {
  const job = watching({ schedule: "0 * * * *", maxRuntimeSeconds: 60 });
  const decision = after(job, [
    ["20:00:00", start()],
    ["20:02:00", WAKE],
    ["10:30:00", { kind: "rebase", backMs: HOUR }],
    ["10:40:00", complete()],
  ]);
  expect(decision.run).toMatchObject({ number: 1, durationSeconds: 0 });
  expect(decision.monitor.lastRunMs).toBe(0);
});

test("R26: what lies in the future comes back by as much as the clock was set back: a dead job has not reported just now", () => {
  const { monitor, alerts } = after(HOURLY, [
    ["10:55:00", start()],
    ["10:59:00", fail("disk full")],
    ["10:30:00", { kind: "rebase", backMs: HOUR }],
    ["11:40:00", heartbeat],
  ]);
  expect(alerts.at(-1)).toMatchObject({ kind: "Recovered", incident: { openedAt: instantOf("09:59:00") } });
  expect(monitor.receivedAt).toBe(instantOf("11:40:00"));
  const dead = after(HOURLY, [
    ["10:55:00", heartbeat],
    ["10:30:00", { kind: "rebase", backMs: HOUR }],
  ]).monitor;
  expect([dead.receivedAt, dead.succeededAt]).toEqual([instantOf("09:55:00"), instantOf("09:55:00")]);
});

test("R26, R44: an end that came after the clock was set back counts as it came, not by as much earlier", () => {
  const job = watching({ schedule: null, everySeconds: 3_600 });
  const rebased = (endedAt: string) =>
    after(job, [
      ["16:20:00", heartbeat],
      ["10:25:00", heartbeat],
      ["10:30:00", { kind: "rebase", backMs: 6 * HOUR, endedAt: instantOf(endedAt) }],
    ]).monitor;
  expect([rebased("10:25:00").succeededAt, rebased("10:25:00").expectedAt]).toEqual([
    instantOf("10:25:00"),
    instantOf("11:25:00"),
  ]);
  // The newest end that the right clock has seen may be older than the one of the wrong clock.
  expect(rebased("09:10:00").succeededAt).toBe(instantOf("10:20:00"));
});

test("R26, R44: an end that was pulled back stays there when the clock is set back once more", () => {
  // Its report keeps the time that the first wrong clock gave it, 10:55, and that is over by then.
  const { succeededAt, receivedAt } = after(HOURLY, [
    ["10:55:00", heartbeat],
    ["10:30:00", { kind: "rebase", backMs: HOUR }],
    ["14:00:00", { kind: "wake" }],
    ["13:00:00", { kind: "rebase", backMs: HOUR, endedAt: instantOf("10:55:00") }],
  ]).monitor;
  expect([succeededAt, receivedAt]).toEqual([instantOf("09:55:00"), instantOf("09:55:00")]);
});

test("R23, R26: slots that closed unfilled before the clock was pulled back are counted, the first one too", () => {
  const { alerts } = after(HOURLY, [
    ["10:10:00", heartbeat],
    ["12:30:00", WAKE],
    ["11:50:00", { kind: "rebase", backMs: HOUR }],
    ["13:30:00", heartbeat],
  ]);
  expect(alerts.at(-1)).toMatchObject({ kind: "Recovered", incident: { missedSlots: 3 } });
});

test("R23, R26: a miss that was told counts although the slot had closed by a wrong clock only", () => {
  const { alerts } = after(HOURLY, [
    ["10:10:00", heartbeat],
    ["11:30:00", WAKE],
    ["10:50:00", { kind: "rebase", backMs: HOUR }],
    ["10:55:00", heartbeat],
  ]);
  expect(alerts.at(-1)).toMatchObject({ kind: "Recovered", incident: { missedSlots: 1 } });
});

test("R23, R26: a slot whose miss a wrong clock told is judged by its own time once that comes", () => {
  const steps: [string, Signal][] = [
    ["10:10:00", heartbeat],
    ["11:30:00", WAKE],
    ["10:50:00", { kind: "rebase", backMs: HOUR }],
  ];
  const twice = [...steps, ["10:51:00", { kind: "rebase", backMs: HOUR }] as [string, Signal]];
  const recovery = (before: [string, Signal][], gaps: readonly Gap[]) =>
    after(after(HOURLY, before).monitor, [["12:30:00", heartbeat]], gaps).alerts.at(-1);
  const deaf = [{ from: instantOf("10:59:30"), to: instantOf("11:02:00") }];
  expect(recovery(steps, [])).toMatchObject({ missedSlots: 3, unheardSlots: 0 });
  expect(recovery(steps, deaf)).toMatchObject({ missedSlots: 2, unheardSlots: 1 });
  expect(recovery(twice, deaf)).toMatchObject({ missedSlots: 2, unheardSlots: 1 });
});

test("R26: what a wrong clock told comes back with it: nothing is overdue since a time that is to come", () => {
  const { monitor } = after(HOURLY, [
    ["10:10:00", heartbeat],
    ["11:30:00", WAKE],
    ["10:50:00", { kind: "rebase", backMs: HOUR }],
  ]);
  expect(monitor.incident).toMatchObject({ expectedAt: instantOf("10:00:00"), openedAt: instantOf("10:01:05") });
});

test("R24: a hushed fail is told when the pause ends although the incident before it was resolved meanwhile", () => {
  const decision = after(HOURLY, [
    ["10:30:00", heartbeat],
    ["11:30:00", { kind: "pause", pause: "manual", until: instantOf("12:30:00") }],
    ["11:40:00", fail("disk full")],
    ["11:50:00", { kind: "resolve" }],
    ["12:40:00", WAKE],
  ]);
  expect(told(decision)).toEqual(["InitialFailure failed 12:30:00"]);
  expect(decision.monitor.incident?.message).toBe("disk full");
});

test("R23: no reminder goes beyond a most that the configuration has lowered since the opening", () => {
  const decision = after(HOURLY, [
    ["10:30:00", fail()],
    ["10:40:00", { kind: "declare", watch: { ...HOURLY.watch, reminders: { after: [HOUR], every: DAY, max: 0 } } }],
    ["10:50:00", start()],
    ["12:00:00", WAKE],
  ]);
  expect(decision.alerts.filter(({ reason }) => reason.endsWith("reminder"))).toEqual([]);
  expect(decision.monitor.incident?.remindAt).toBeNull();
});

test("R19, R37: an opening that is told together with its recovery says that the monitor was critical", () => {
  const { alerts, monitor } = after(HOURLY, [
    ["10:30:00", heartbeat],
    ["11:30:00", heartbeat],
  ]);
  const statuses = alerts.map((alert) => alertMessage(alert, monitor, ANY_SUBJECT).data.status);
  expect(statuses).toEqual(["critical", "healthy"]);
});

test("R43, R44: a late end that comes twice counts once, though its age in whole seconds seems to be of two instants", () => {
  const worker = watching({ schedule: null, everySeconds: 600 });
  const late = (ageSeconds: number): Signal => ({ ...heartbeat, ageSeconds }) as Signal;
  const once: (readonly [string, Signal])[] = [
    ["10:00:01", heartbeat],
    ["10:40:00.100", late(1_980)],
    ["10:40:00.300", late(1_419)],
  ];
  const twice: typeof once = [...once.slice(0, 2), ["10:40:00.200", late(1_981)], once[2]!];
  // Nothing has come since 10:16:21: the slot of 10:26:21 has closed, and it must not recover.
  for (const steps of [once, twice]) {
    const { monitor, alerts } = after(worker, steps);
    expect(alerts).toEqual([]);
    expect(monitor.incident).not.toBeNull();
    expect(new Date(monitor.expectedAt!).toISOString()).toStartWith("2026-03-02T10:46:21");
  }
});
