// What operators do to monitors, on the real engine: each change is a signal to the core, stored and told like any
// other, and what is to be refused is refused without a trace.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import { actorOf } from "../../src/domain/people/person.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Input } from "../../src/engine/operations/operations.ts";
import type { ChangedMonitor } from "../../src/views/schemas/monitor-schemas.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const JOB = { application: null, key: "job" };
const HOURLY = ping({ schedule: "0 * * * *" });

const asked = (changes: Partial<Input<"monitor create">> = {}): Input<"monitor create"> => ({
  ...JOB,
  ...NOTHING_DECLARED,
  schedule: "0 * * * *",
  ...changes,
});

/** A monitor `job` that has just succeeded. */
async function withJob(policy = policyWith()): Promise<Service> {
  const service = openService(policy);
  await service.send(HOURLY);
  return service;
}

const kindsNotified = (service: Service): string[] => service.alarms().map(({ kind, reason }) => `${kind} ${reason}`);

describe("creating", () => {
  test("makes a pending monitor that is expected at its next slot", () => {
    using service = openService();
    const created = granted(service.engine.operate("monitor create", asked({ graceSeconds: 120 })));
    expect(created).toMatchObject({
      application: "prod",
      key: "job",
      name: "Job",
      status: "pending",
      graceSeconds: 120,
      expectedAt: NOON + HOUR,
      lastPingAt: null,
    });
  });

  test("arms the wheel: nobody ever reports, and that is told within the hour", () => {
    using service = openService();
    granted(service.engine.operate("monitor create", asked({ schedule: "5 * * * *" })));
    service.look(NOON + 6 * MINUTE + 5 * SECOND);
    expect(kindsNotified(service)).toEqual(["NeverExecuted opened"]);
  });

  test("R12: a report with the same schedule changes nothing, however it was spaced when it was made", async () => {
    using service = openService();
    granted(service.engine.operate("monitor create", asked({ schedule: " 0  * * * * ", timezone: "europe/berlin" })));
    const [receipt] = await service.send(HOURLY);
    expect(receipt).toMatchObject({ warning: null });
    expect(service.monitor().watch).toMatchObject({ schedule: "0 * * * *", timezone: "Europe/Berlin" });
    expect(service.count("monitors")).toBe(1);
  });

  test("R31: what the configuration says of it wins, and what was asked for is kept beside it", () => {
    using service = openService(policyWith({ monitors: { job: { graceSeconds: 600 } } }));
    expect(granted(service.engine.operate("monitor create", asked({ graceSeconds: 60 })))).toMatchObject({
      graceSeconds: 600,
    });
    expect(granted(service.engine.operate("monitor show", JOB)).settings.graceSeconds).toEqual({
      value: 600,
      from: "configuration",
      declared: 60,
    });
  });

  test.each([
    ["a schedule that is none", { schedule: "nonsense" }, "INVALID_SCHEDULE", "schedule: "],
    ["R15: six fields", { schedule: "0 0 * * * *" }, "INVALID_SCHEDULE", "schedule: "],
    ["R15: a special string", { schedule: "@daily" }, "INVALID_SCHEDULE", "schedule: "],
    ["R15: a schedule that never comes true", { schedule: "0 0 31 2 *" }, "INVALID_SCHEDULE", "schedule: "],
    ["R10: a schedule that is too long", { schedule: `${"0,".repeat(200)}0 * * * *` }, "INVALID_REQUEST", "schedule: "],
    ["no key", { key: "" }, "INVALID_REQUEST", "key: "],
    ["R6: a key that is too long", { key: "k".repeat(201) }, "INVALID_REQUEST", "key: "],
    ["R5: a key with a control character", { key: "a\tb" }, "INVALID_REQUEST", "key: "],
    ["R5: a key that is a place in a path", { key: ".." }, "INVALID_REQUEST", "key: "],
    ["a key that is half a letter", { key: "\ud83d" }, "INVALID_REQUEST", "key: "],
    ["an empty name", { name: "" }, "INVALID_REQUEST", "name: "],
    ["R10: a name that is too long", { name: "n".repeat(201) }, "INVALID_REQUEST", "name: "],
    ["R13: a zone that is none", { timezone: "Europe/Nowhere" }, "INVALID_REQUEST", "timezone: "],
    ["a grace below a minute", { graceSeconds: 59 }, "INVALID_REQUEST", "graceSeconds: "],
    ["a grace that is not whole", { graceSeconds: 60.5 }, "INVALID_REQUEST", "graceSeconds: "],
    ["a run shorter than a minute", { maxRuntimeSeconds: 1 }, "INVALID_REQUEST", "maxRuntimeSeconds: "],
    ["an application that does not exist", { application: "nowhere" }, "NOT_FOUND", "application: "],
  ])("%s is refused and named", (_, changes, refusal, start) => {
    using service = openService();
    const answer = service.engine.operate("monitor create", asked(changes));
    expect(answer).toMatchObject({ refusal });
    expect(isRefusal(answer) && answer.message.startsWith(start)).toBe(true);
    expect(service.count("monitors")).toBe(0);
  });

  test("one that exists is refused and stays as it is", async () => {
    using service = await withJob();
    expect(service.engine.operate("monitor create", asked({ schedule: "5 * * * *" }))).toMatchObject({
      refusal: "INVALID_REQUEST",
    });
    expect(service.monitor().watch.schedule).toBe("0 * * * *");
  });

  test("R6: a key of any characters, 200 of them, is one that reports find", async () => {
    using service = openService();
    const key = `a/b?c=%2F ${"😀".repeat(190)}`;
    granted(service.engine.operate("monitor create", asked({ key })));
    expect(await service.send(ping({ monitorKey: key }))).toMatchObject([{ monitorKey: key }]);
    expect(granted(service.engine.operate("monitor show", { application: "prod", key }))).toMatchObject({
      status: "healthy",
    });
  });
});

describe("which monitor", () => {
  test("without an application it is looked for in all; where several have one that is refused and they are named", async () => {
    using service = await withJob();
    granted(service.engine.operate("monitor show", JOB));
    granted(service.engine.operate("app create", { slug: "staging" }));
    granted(service.engine.operate("monitor show", JOB));
    granted(service.engine.operate("monitor create", asked({ application: "staging" })));
    const answer = service.engine.operate("monitor pause", JOB);
    expect(answer).toMatchObject({ refusal: "INVALID_REQUEST" });
    expect(isRefusal(answer) && answer.message).toEndWith("prod, staging");
    expect(granted(service.engine.operate("monitor pause", { application: "prod", key: "job" })).changed).toBe(true);
  });

  test("one that does not exist is MONITOR_NOT_FOUND for every operation", async () => {
    using service = await withJob();
    const { engine } = service;
    const nobody = { application: "prod", key: "nobody" };
    for (const answer of [
      engine.operate("monitor show", nobody),
      engine.operate("monitor pause", nobody),
      engine.operate("monitor resume", nobody),
      engine.operate("monitor delete", nobody),
    ]) {
      expect(answer).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
    }
  });
});

describe("R24: pausing by hand", () => {
  test("nothing is missed until it is resumed, reports are recorded and their warning says so", async () => {
    using service = await withJob();
    expect(granted(service.engine.operate("monitor pause", JOB))).toMatchObject({
      changed: true,
      monitor: { status: "paused", pauses: { manual: { until: null } } },
    });
    service.look(NOON + 3 * HOUR);
    expect(service.notified()).toEqual([]);
    const [receipt] = await service.send(ping());
    expect(receipt).toMatchObject({ warning: expect.stringContaining("paused") });

    service.at(NOON + 3 * HOUR + MINUTE);
    expect(granted(service.engine.operate("monitor resume", JOB))).toMatchObject({
      changed: true,
      monitor: { status: "healthy", expectedAt: NOON + 4 * HOUR },
    });
    service.look(NOON + 5 * HOUR);
    expect(kindsNotified(service)).toEqual(["InitialFailure opened"]);
  });

  test("one with an end is over at that instant, whenever the clock is looked at", async () => {
    using service = await withJob();
    const { monitor } = granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: 2 * 3_600 }));
    expect(monitor.pauses.manual).toMatchObject({ until: NOON + 2 * HOUR });
    service.look(NOON + 2 * HOUR);
    expect(granted(service.engine.operate("monitor show", JOB))).toMatchObject({
      status: "healthy",
      pauses: { manual: null },
      expectedAt: NOON + 3 * HOUR,
    });
    service.look(NOON + 3 * HOUR + MINUTE + 5 * SECOND);
    expect(kindsNotified(service)).toEqual(["InitialFailure opened"]);
  });

  test("R26: it is as long as asked for while the clock stands before the newest instant", async () => {
    using service = await withJob();
    service.stepClock(-HOUR);
    expect(
      granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: 60 })).monitor.pauses.manual,
    ).toMatchObject({ until: NOON + MINUTE });
  });

  test("says who asked for it and why, also after a restart, and until it ends", async () => {
    using service = await withJob();
    const ada = actorOf({ id: 1, name: "Ada", role: "operator", applications: null }, "127.0.0.1");
    const asked = { ...JOB, durationSeconds: 3_600, reason: " a new\ndisk " };
    const { monitor } = service.engine.as(ada).operate("monitor pause", asked) as ChangedMonitor;
    const health = { until: NOON + HOUR, asked: { at: NOON, by: "Ada", reason: "a new disk", planned: false } };
    expect(monitor.pauses.manual).toEqual(health);
    service.restart();
    expect(granted(service.engine.operate("monitor show", JOB)).pauses.manual).toEqual(health);
    granted(service.engine.operate("monitor pause", JOB));
    expect(granted(service.engine.operate("monitor show", JOB)).pauses.manual).toEqual({
      until: null,
      asked: { at: NOON, by: null, reason: null, planned: false },
    });
    expect(granted(service.engine.operate("monitor resume", JOB)).monitor.pauses.manual).toBeNull();
  });

  test("a maintenance window that begins in it takes its place, and nobody has asked for that", async () => {
    const maintenance = [{ schedule: "30 12 * * *", timezone: null, durationSeconds: 7_200 }];
    using service = await withJob(policyWith({ monitors: { job: { maintenance } } }));
    granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: 3_600 }));
    service.look(NOON + 40 * MINUTE);
    const { pauses } = granted(service.engine.operate("monitor show", JOB));
    expect(pauses.manual).toEqual({ until: NOON + 150 * MINUTE, asked: null });
  });

  test("it survives a restart", async () => {
    using service = await withJob();
    granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: 3_600 }));
    service.restart();
    expect(service.monitor().pauses.manual).toEqual({ until: NOON + HOUR });
    service.look(NOON + 2 * HOUR + 2 * MINUTE);
    expect(kindsNotified(service)).toEqual(["InitialFailure opened"]);
  });

  test("a later one replaces an earlier, longer or shorter", async () => {
    using service = await withJob();
    const until = (seconds: number | null) =>
      granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: seconds })).monitor.pauses.manual
        ?.until;
    expect([until(3_600), until(60), until(null), until(120)]).toEqual([
      NOON + HOUR,
      NOON + MINUTE,
      null,
      NOON + 2 * MINUTE,
    ]);
  });

  test("one without an end that stands already is left alone", async () => {
    using service = await withJob();
    granted(service.engine.operate("monitor pause", JOB));
    const before = service.monitor();
    service.at(NOON + HOUR);
    expect(granted(service.engine.operate("monitor pause", JOB)).changed).toBe(false);
    expect(service.monitor()).toEqual(before);
  });

  test.each([59, 31_536_001, 60.5, Number.NaN, -1])("%p seconds are refused", async (seconds) => {
    using service = await withJob();
    expect(service.engine.operate("monitor pause", { ...JOB, durationSeconds: seconds })).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: expect.stringContaining("durationSeconds: "),
    });
    expect(service.monitor().pauses.manual).toBeNull();
  });

  test("what is overdue when it begins is told first", async () => {
    using service = await withJob();
    service.at(NOON + HOUR + 2 * MINUTE);
    expect(granted(service.engine.operate("monitor pause", JOB)).monitor).toMatchObject({
      status: "paused",
      incidentId: 1,
    });
    expect(kindsNotified(service)).toEqual(["InitialFailure opened"]);
    expect(service.nudges).toBe(1);
  });

  test("a fail under it is told when it is lifted, if it was the last end", async () => {
    using service = await withJob();
    granted(service.engine.operate("monitor pause", JOB));
    await service.send(ping({ kind: "fail", message: "disk full" }));
    expect(service.notified()).toEqual([]);
    expect(granted(service.engine.operate("monitor resume", JOB)).monitor).toMatchObject({
      status: "critical",
      incidentId: 1,
    });
    expect(kindsNotified(service)).toEqual(["InitialFailure opened"]);
  });
});

describe("R24: resuming", () => {
  test("what is not paused is left alone", async () => {
    using service = await withJob();
    const before = service.monitor();
    expect(granted(service.engine.operate("monitor resume", JOB)).changed).toBe(false);
    expect(service.monitor()).toEqual(before);
  });

  test("a pause by a source is lifted by its source alone", async () => {
    using service = await withJob();
    service.apply("job", { kind: "withdraw" });
    expect(service.engine.operate("monitor resume", JOB)).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: expect.stringContaining("source"),
    });
    granted(service.engine.operate("monitor pause", JOB));
    expect(granted(service.engine.operate("monitor resume", JOB)).monitor).toMatchObject({
      status: "paused",
      pauses: { manual: null, discovery: true },
    });
  });
});

test("a change arms the wheel: without another look at the rows the pause ends in its second", async () => {
  using service = await withJob();
  service.look(NOON + MINUTE);
  granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: 60 }));
  service.look(NOON + 2 * MINUTE);
  expect(service.monitor().pauses.manual).toBeNull();
});

test("R19: reports that wait are committed before an operator's change", async () => {
  using service = await withJob();
  const fails = service.engine.intake.ingest(ping({ kind: "fail" }));
  granted(service.engine.operate("monitor pause", JOB));
  expect(kindsNotified(service)).toEqual(["InitialFailure opened"]);
  expect(await fails).toMatchObject({ kind: "fail" });
});

test("a change that cannot be stored throws what SQLite threw, and nothing of it is kept", async () => {
  using service = await withJob();
  const other = service.connect();
  other.run("BEGIN IMMEDIATE");
  expect(() => service.engine.operate("monitor pause", { ...JOB, durationSeconds: 60 })).toThrow();
  other.run("ROLLBACK");
  expect(service.monitor().pauses.manual).toBeNull();
  expect(granted(service.engine.operate("monitor pause", { ...JOB, durationSeconds: DAY / SECOND })).changed).toBe(
    true,
  );
});
