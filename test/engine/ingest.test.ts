// One ping through the engine: what it creates, changes, answers and leaves in the tables. Who hears of it is in
// ingest-routes.test.ts; nothing waits and the clock is the test's.

import { describe, expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { NOON, openService, type PingChanges, ping, policyWith, warningOf } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const CLOSE = MINUTE + 5 * SECOND;

describe("registration", () => {
  test("a report without a schedule for a missing monitor is refused and leaves nothing", async () => {
    using service = openService();
    const [answer] = await service.send(ping());
    expect(answer).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
    expect([service.count("monitors"), service.count("pings")]).toEqual([0, 0]);
  });

  test("a report with a schedule creates the monitor and counts as its first", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY, graceSeconds: 120, timezone: "Europe/Berlin", maxRuntimeSeconds: 90 }));
    expect(service.monitor()).toMatchObject({
      watch: { schedule: HOURLY, graceSeconds: 120, timezone: "Europe/Berlin", maxRuntimeSeconds: 90 },
      createdAt: NOON,
      succeededAt: NOON,
      expectedAt: NOON + HOUR,
    });
    expect(service.count("pings")).toBe(1);
    expect(await service.send(ping())).toMatchObject([{ kind: "heartbeat", at: NOON }]);
  });

  test("twice in one batch makes one monitor with both reports", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }), ping({ schedule: HOURLY }));
    expect([service.count("monitors"), service.count("pings")]).toEqual([1, 2]);
  });

  test("of two applications with the same key makes two monitors", async () => {
    using service = openService();
    service.engine.operate("app create", { slug: "staging" });
    const caller = { applicationId: 2, application: "staging", keyId: 2, scope: "all" } as const;
    await service.send(ping({ schedule: HOURLY }), ping({ schedule: HOURLY, caller }));
    expect(service.count("monitors")).toBe(2);
    expect(await service.send(ping({ caller: { ...caller, applicationId: 3 } }))).toMatchObject([
      { refusal: "MONITOR_NOT_FOUND" },
    ]);
  });
});

describe("R12: a schedule on a ping", () => {
  test("that is the same changes nothing and is not warned of", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    const updatedAt = () => service.store.database.query("select updated_at from monitors").get();
    const before = updatedAt();
    service.at(NOON + MINUTE);
    const [answer] = await service.send(ping({ schedule: HOURLY, graceSeconds: 60 }));
    expect(warningOf(answer)).toBeNull();
    service.at(NOON + 2 * MINUTE);
    await service.send(ping({ schedule: HOURLY, graceSeconds: 60 }));
    expect(updatedAt()).not.toEqual(before);
    expect(updatedAt()).toEqual({ updated_at: NOON + MINUTE });
  });

  test("that differs is in force at once, and the warning says what changed", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    const [answer] = await service.send(ping({ schedule: "30 12 * * *" }));
    expect(warningOf(answer)).toBe('The schedule changed from "0 * * * *" to "30 12 * * *".');
    expect(service.monitor()).toMatchObject({ watch: { schedule: "30 12 * * *" }, expectedAt: NOON + 30 * MINUTE });
    service.look(NOON + HOUR + CLOSE);
    expect(service.notified()).toEqual([told("InitialFailure", "opened", "missed", NOON + 30 * MINUTE + CLOSE)]);
  });

  test("finds overdue deadlines settled under the old one, and its open slots forgotten", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.at(NOON + HOUR + 10 * MINUTE);
    await service.send(ping({ schedule: "0 0 1 * *" }));
    expect(service.notified()).toEqual([
      told("InitialFailure", "opened", "missed", NOON + HOUR + CLOSE),
      told("Recovered", "success", "missed", NOON + HOUR + 10 * MINUTE),
    ]);
    service.look(NOON + 5 * HOUR);
    expect(service.notified()).toHaveLength(2);
  });

  test("inside the grace of an open slot forgets that slot", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.at(NOON + HOUR + 30 * SECOND);
    await service.send(ping({ kind: "start", schedule: "0 0 1 * *", maxRuntimeSeconds: 86_400 }));
    service.look(NOON + 3 * HOUR);
    expect(service.notified()).toEqual([]);
  });

  test("leaves an open incident open", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }), ping({ kind: "fail", message: "boom" }));
    await service.send(ping({ kind: "start", schedule: "30 * * * *" }));
    expect(service.monitor().incident).toMatchObject({ causes: ["failed"], message: "boom" });
  });

  test("that the configuration overrides is kept beside and not warned of (R31)", async () => {
    using service = openService(policyWith({ monitors: { job: { schedule: "15 * * * *" } } }));
    const [answer] = await service.send(ping({ schedule: HOURLY }));
    expect(warningOf(answer)).toBeNull();
    expect(service.monitor().watch.schedule).toBe("15 * * * *");
    service.restart(policyWith());
    expect(service.monitor().watch.schedule).toBe(HOURLY);
  });
});

test("R12: grace, name, timezone and longest run on a ping replace what was declared, and nothing else", async () => {
  using service = openService();
  await service.send(ping({ schedule: "30 14 * * *", name: "First", graceSeconds: 60 }));
  const changes = [
    { graceSeconds: 600 },
    { maxRuntimeSeconds: 120 },
    { timezone: "Europe/Berlin" },
    { name: "Second" },
  ];
  const answers = await service.send(...changes.map(ping), ping());
  // The same fields in another zone are another schedule.
  const rezoned = 'The schedule changed from "30 14 * * *" in UTC to "30 14 * * *" in Europe/Berlin.';
  expect(answers.map(warningOf)).toEqual([null, null, rezoned, null, null]);
  expect(service.monitor()).toMatchObject({
    watch: { schedule: "30 14 * * *", graceSeconds: 600, maxRuntimeSeconds: 120, timezone: "Europe/Berlin" },
    // Berlin's 14:30 is 13:30 in UTC.
    expectedAt: NOON + HOUR + 30 * MINUTE,
  });
  service.look(NOON + HOUR + 40 * MINUTE + 5 * SECOND - 1);
  expect(service.notified()).toEqual([]);
  service.look(NOON + HOUR + 40 * MINUTE + 5 * SECOND);
  expect(service.notified()).toHaveLength(1);
  expect(dataOf(service)).toMatchObject({ name: "Second", graceSeconds: 600 });
});

describe("R5: a log", () => {
  test("stores a row and changes nothing, whatever it carries", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    const before = service.monitor();
    service.at(NOON + HOUR + 30 * SECOND);
    const [answer] = await service.send(ping({ kind: "log", schedule: "30 * * * *", message: "step 1 of 3" }));
    expect(answer).toEqual({
      kind: "log",
      monitorKey: "job",
      at: service.now,
      happenedAt: null,
      durationSeconds: null,
      message: "step 1 of 3",
      warning: null,
    });
    expect(service.monitor()).toEqual(before);
    expect(service.count("pings")).toBe(2);
    service.look(NOON + HOUR + CLOSE);
    expect(service.notified()).toHaveLength(1);
  });

  test("creates no monitor", async () => {
    using service = openService();
    expect(await service.send(ping({ kind: "log", schedule: HOURLY }))).toMatchObject([
      { refusal: "MONITOR_NOT_FOUND" },
    ]);
    expect(service.count("monitors")).toBe(0);
  });
});

describe("a receipt", () => {
  test("names the kind, the arrival and the message, whatever the turn it is written in", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    const kinds = ["heartbeat", "start", "complete", "fail"] as const;
    const answers = kinds.map((kind) => service.engine.intake.ingest(ping({ kind, message: `from ${kind}` })));
    service.at(NOON + 3 * SECOND);
    service.endTurn();
    const expected = kinds.map((kind) => ({ kind, monitorKey: "job", at: NOON, message: `from ${kind}` }));
    expect(await Promise.all(answers)).toMatchObject(expected);
  });

  test("of a complete carries whole seconds since its start, and null without one", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }), ping({ kind: "start", runId: "a" }), ping({ kind: "start" }));
    service.at(NOON + 61_999);
    const ends: PingChanges[] = [
      { kind: "complete", runId: "a" },
      { kind: "heartbeat" },
      { kind: "complete" },
      { kind: "complete", runId: "never started" },
    ];
    const answers = await service.send(...ends.map(ping));
    expect(answers.map((answer) => ("kind" in answer ? answer.durationSeconds : answer))).toEqual([61, null, 61, null]);
    const rows = service.store.database.query("select kind, duration_seconds as duration from pings order by id").all();
    expect(rows.slice(3)).toEqual([
      { kind: "complete", duration: 61 },
      { kind: "heartbeat", duration: 61 },
      { kind: "complete", duration: 61 },
      { kind: "complete", duration: null },
    ]);
  });
});

describe("R14: the warning", () => {
  const deaf = policyWith({ team: { name: null, destinations: [], members: [] } });

  test("says the most important thing first", async () => {
    using service = openService(deaf);
    const [created] = await service.send(ping({ monitorKey: "Not By The Guideline", schedule: HOURLY }));
    expect(warningOf(created)).toStartWith("Alerts of this monitor cannot be delivered: no destination");

    await service.send(ping({ schedule: HOURLY }));
    service.apply("job", { kind: "pause", pause: "manual", until: null });
    const [paused] = await service.send(ping({ schedule: "30 * * * *" }));
    expect(warningOf(paused)).toStartWith("This monitor is paused");

    service.apply("job", { kind: "resume", pause: "manual" });
    const [unheard] = await service.send(ping({ schedule: HOURLY }));
    expect(warningOf(unheard)).toStartWith("Alerts of this monitor cannot be delivered: no destination");

    service.restart(policyWith());
    const [changed] = await service.send(ping({ schedule: "30 * * * *" }));
    expect(warningOf(changed)).toStartWith("The schedule changed");
  });

  test("R6: speaks of the guideline for keys at the creation alone", async () => {
    using service = openService();
    const odd = { monitorKey: "Nightly Backup", schedule: HOURLY };
    const [created, again] = await service.send(ping(odd), ping(odd));
    expect(warningOf(created)).toContain("guideline");
    expect(warningOf(again)).toBeNull();
    const [plain] = await service.send(ping({ monitorKey: "a-b_c.9", schedule: HOURLY }));
    expect(warningOf(plain)).toBeNull();
  });

  test("is gone when a timed pause is over", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.apply("job", { kind: "pause", pause: "manual", until: NOON + HOUR });
    service.at(NOON + HOUR);
    expect((await service.send(ping())).map(warningOf)).toEqual([null]);
  });
});

const told = (kind: string, reason: string, cause: string, at: number) =>
  expect.objectContaining({ kind, reason, cause, at: toIso(at) });

const dataOf = (service: ReturnType<typeof openService>): unknown =>
  alertDataFrom(service.store.database.query<{ data: string }, []>("select data from alerts").get()!.data)!;
