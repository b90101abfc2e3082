// Applications under an operator's hand: suspended and resumed, named, deleted (R3). Their monitors follow.

import { describe, expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { isPaused } from "../../src/domain/monitor/monitor.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";
const OTHER = { applicationId: 2, application: "other", keyId: 1, scope: "all" } as const;

/** With two applications, and the monitor `job` of prod. */
async function filled(): Promise<Service> {
  const service = openService();
  granted(service.engine.operate("app create", { slug: "other" }));
  await service.send(ping({ schedule: HOURLY }));
  return service;
}

function suspend(service: Service, slug = "prod"): void {
  granted(service.engine.operate("app suspend", { slug }));
  service.endTurns();
}

function resume(service: Service, slug = "prod"): void {
  granted(service.engine.operate("app resume", { slug }));
  service.endTurns();
}

const statusOf = (service: Service, key = "job") =>
  granted(service.engine.operate("monitor list", {})).monitors.find((monitor) => monitor.key === key)?.status;

const opened = (service: Service) => service.alarms().filter(({ kind }) => kind !== "Recovered");

describe("R3: a suspended application", () => {
  test("refuses every key of its own with ACCESS_DENIED, and takes them again when it is resumed", () => {
    using service = openService();
    granted(service.engine.operate("app create", { slug: "other" }));
    const { key } = granted(service.engine.operate("key create", { application: "prod" }));
    const others = granted(service.engine.operate("key create", { application: "other" }));
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod" });
    suspend(service);
    expect(service.engine.intake.authenticate(key)).toMatchObject({
      refusal: "ACCESS_DENIED",
      message: expect.stringContaining('"prod" is suspended'),
    });
    expect(service.engine.intake.authenticate(others.key)).toMatchObject({ application: "other" });
    service.restart();
    expect(service.engine.intake.authenticate(key)).toMatchObject({ refusal: "ACCESS_DENIED" });
    resume(service);
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod" });
  });

  test("pauses its monitors: nothing is missed however long, and the next slot after it counts", async () => {
    using service = await filled();
    suspend(service);
    expect(statusOf(service)).toBe("paused");
    service.look(NOON + 10 * HOUR);
    expect(opened(service)).toEqual([]);
    service.at(NOON + 10 * HOUR + 30 * MINUTE);
    resume(service);
    expect(service.monitor().expectedAt).toBe(NOON + 11 * HOUR);
    service.look(NOON + 11 * HOUR + 5 * MINUTE);
    expect(opened(service)).toMatchObject([{ kind: "InitialFailure", cause: "missed" }]);
  });

  test("leaves an open incident open, without reminders, and they go on afterwards", async () => {
    using service = await filled();
    await service.send(ping({ kind: "fail" }));
    suspend(service);
    service.look(NOON + 3 * HOUR);
    expect(opened(service)).toHaveLength(1);
    resume(service);
    expect(statusOf(service)).toBe("critical");
    service.look(NOON + 7 * HOUR);
    expect(opened(service).filter(({ reason }) => reason === "reminder")).toHaveLength(1);
  });

  test("keeps a pause by hand beneath it, and what that held back is told when both are over", async () => {
    using service = await filled();
    granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 3600 }));
    await service.send(ping({ kind: "fail", message: "disk full" }));
    suspend(service);
    service.look(NOON + 2 * HOUR);
    expect(opened(service)).toEqual([]);
    resume(service);
    expect(isPaused(service.monitor())).toBe(false);
    expect(opened(service)).toMatchObject([{ kind: "InitialFailure", cause: "failed" }]);
  });

  test("cannot be left by `monitor resume`, which says what does", async () => {
    using service = await filled();
    suspend(service);
    expect(service.engine.operate("monitor resume", { key: "job" })).toMatchObject({
      message: expect.stringContaining("`rollcall app resume`"),
    });
  });

  test("suspends a monitor that is made meanwhile", async () => {
    using service = await filled();
    suspend(service);
    granted(service.engine.operate("monitor create", { application: "prod", key: "new", schedule: HOURLY }));
    expect(statusOf(service, "new")).toBe("paused");
    resume(service);
    expect(statusOf(service, "new")).toBe("pending");
  });

  test("reaches every monitor of many, also after a crash in the middle", async () => {
    using service = await filled();
    const keys = Array.from({ length: 120 }, (_, one) => `job-${one}`);
    await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: HOURLY })));
    granted(service.engine.operate("app suspend", { slug: "prod" }));
    service.restart();
    service.endTurns();
    const statuses = granted(service.engine.operate("monitor list", {})).monitors.map(({ status }) => status);
    expect([statuses.length, new Set(statuses)]).toEqual([121, new Set(["paused"])]);
  });

  test("says that it was suspended already, and keeps the time", async () => {
    using service = await filled();
    suspend(service);
    service.at(NOON + HOUR);
    const again = granted(service.engine.operate("app suspend", { slug: "prod" }));
    expect(again).toMatchObject({ changed: false, application: { suspendedAt: NOON } });
    expect(granted(service.engine.operate("app resume", { slug: "other" })).changed).toBe(false);
  });
});

describe("an application's name", () => {
  test("is what a person says, in lists and in alerts", async () => {
    using service = await filled();
    granted(service.engine.operate("app rename", { slug: "prod", name: "Production" }));
    expect(granted(service.engine.operate("app list", {})).applications[1]).toMatchObject({ name: "Production" });
    await service.send(ping({ kind: "fail" }));
    const told = service.store.database.query<{ data: string }, []>("select data from alerts").all();
    expect(told.map(({ data }) => alertDataFrom(data)!.applicationName)).toEqual(["Production"]);
    granted(service.engine.operate("app rename", { slug: "prod" }));
    expect(granted(service.engine.operate("app list", {})).applications[1]).toMatchObject({ name: null });
  });

  test("R31: is the configuration's where that has one", async () => {
    using service = openService(policyWith({ prod: { name: "Configured" } }));
    const renamed = granted(service.engine.operate("app rename", { slug: "prod", name: "Said" }));
    expect(renamed.application.name).toBe("Configured");
  });

  test.each(["", "a\nb", "x".repeat(201)])("is refused where it is %j", (name) => {
    using service = openService();
    expect(service.engine.operate("app rename", { slug: "prod", name })).toMatchObject({ refusal: "INVALID_REQUEST" });
  });
});

describe("a deleted application", () => {
  test("is in no list; its keys are unknown, its monitors gone and their incidents closed", async () => {
    using service = await filled();
    const { key } = granted(service.engine.operate("key create", { application: "other" }));
    await service.send(ping({ caller: OTHER, schedule: HOURLY, monitorKey: "theirs" }));
    await service.send(ping({ caller: OTHER, kind: "fail", monitorKey: "theirs" }));
    expect(granted(service.engine.operate("app delete", { slug: "other" }))).toEqual({
      ...{ slug: "other", monitors: 1, keys: 1 },
      historyUntil: NOON + 7 * DAY,
    });
    service.endTurns();
    expect(service.engine.intake.authenticate(key)).toMatchObject({ refusal: "AUTHENTICATION_REQUIRED" });
    expect(granted(service.engine.operate("app list", {})).applications.map(({ slug }) => slug)).toEqual(["prod"]);
    expect(granted(service.engine.operate("key list", {})).keys).toEqual([]);
    expect(granted(service.engine.operate("monitor list", {})).monitors).toMatchObject([{ application: "prod" }]);
    expect(service.alarms().at(-1)).toMatchObject({ monitor: "theirs", kind: "Recovered", reason: "deleted" });
  });

  test("can be created again, empty", async () => {
    using service = await filled();
    granted(service.engine.operate("app rename", { slug: "other", name: "The other" }));
    granted(service.engine.operate("app delete", { slug: "other" }));
    service.endTurns();
    service.at(NOON + HOUR);
    granted(service.engine.operate("app create", { slug: "other" }));
    expect(granted(service.engine.operate("app list", {})).applications[0]).toEqual({
      ...{ slug: "other", name: null, monitors: 0 },
      ...{ createdAt: NOON + HOUR, suspendedAt: null },
    });
  });

  test("may not be one that the configuration names, nor the only one", () => {
    using configured = openService();
    granted(configured.engine.operate("app create", { slug: "other" }));
    expect(configured.engine.operate("app delete", { slug: "prod" })).toMatchObject({
      message: expect.stringContaining("the configuration names it"),
    });
    using plain = openService({ ...policyWith(), applications: new Map() });
    expect(plain.engine.operate("app delete", { slug: "default" })).toMatchObject({
      message: expect.stringContaining("it is the only one"),
    });
  });
});
