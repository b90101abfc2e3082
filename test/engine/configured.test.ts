// What the configuration names, at a start: applications and monitors that are missing come into being, and values that
// changed while nothing ran are declared like any others.

import { describe, expect, test } from "bun:test";
import type { MonitorRules } from "../../src/domain/settings/policy.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const CLOSES = NOON + HOUR + MINUTE + 5 * SECOND;

const withJob = (job: MonitorRules) => policyWith({ monitors: { job } });
const lines = (service: Service): string[] => service.notified().map(({ kind, cause, at }) => `${kind} ${cause} ${at}`);
const slugs = (service: Service): string[] => service.store.applications.list().map(({ slug }) => slug);

describe("applications", () => {
  test("that are configured are created, and those that were stay when they are configured no more", () => {
    using service = openService();
    expect([service.created, slugs(service)]).toEqual([["prod"], ["prod"]]);
    service.restart({ ...policyWith(), applications: new Map([["staging", { monitors: new Map() }]]) });
    expect(slugs(service)).toEqual(["prod", "staging"]);
  });

  test("are one, called default, where none is configured and none was", () => {
    using service = openService({ ...policyWith(), applications: new Map() });
    expect([service.created, slugs(service)]).toEqual([["default"], ["default"]]);
    service.engine.operate("app create", { slug: "later" });
    service.restart();
    expect(slugs(service)).toEqual(["default", "later"]);
  });

  test("wait for their first key until they have had one, even when a kill came between", () => {
    using service = openService();
    service.restart();
    expect(service.created).toEqual(["prod"]);
    service.engine.operate("key create", { application: "prod" });
    service.restart();
    expect(service.created).toEqual([]);
    service.engine.operate("key revoke", { id: 1 });
    service.restart();
    expect(service.created).toEqual([]);
  });
});

describe("a monitor with a configured schedule", () => {
  test("is created at the start and expected from then on", () => {
    using service = openService(withJob({ schedule: HOURLY, graceSeconds: 120, timezone: "Europe/Berlin" }));
    expect(service.monitor()).toMatchObject({
      createdAt: NOON,
      expectedAt: NOON + HOUR,
      watch: { schedule: HOURLY, graceSeconds: 120, timezone: "Europe/Berlin" },
    });
    service.look(CLOSES + MINUTE);
    expect(lines(service)).toEqual([`NeverExecuted missed ${toIso(CLOSES + MINUTE)}`]);
  });

  test("is created once, and when it is configured later", () => {
    using service = openService(withJob({ graceSeconds: 120 }));
    expect(service.count("monitors")).toBe(0);
    service.restart(withJob({ schedule: HOURLY }));
    service.at(NOON + MINUTE);
    service.restart();
    expect(service.monitor().createdAt).toBe(NOON);
    expect([service.count("monitors"), service.count("monitor_states")]).toEqual([1, 1]);
  });

  test("takes reports that carry none", async () => {
    using service = openService(withJob({ schedule: HOURLY }));
    expect(await service.send(ping())).toMatchObject([{ kind: "heartbeat", warning: null }]);
  });
});

describe("R31: a configured value", () => {
  test("wins over the declared one, which comes back when it is configured no more", async () => {
    using service = openService(
      withJob({ schedule: "*/30 * * * *", graceSeconds: 600, timezone: "Asia/Tokyo", maxRuntimeSeconds: 120 }),
    );
    const declared = { schedule: HOURLY, graceSeconds: 90, timezone: "Europe/Berlin", maxRuntimeSeconds: 60 };
    await service.send(ping({ ...declared }));
    expect(service.monitor().watch).toMatchObject({
      schedule: "*/30 * * * *",
      graceSeconds: 600,
      timezone: "Asia/Tokyo",
      maxRuntimeSeconds: 120,
    });
    service.restart(policyWith());
    expect(service.monitor()).toMatchObject({ watch: declared, expectedAt: NOON + HOUR });
    service.look(NOON + HOUR + 95 * SECOND);
    expect(lines(service)).toEqual([`InitialFailure missed ${toIso(NOON + HOUR + 95 * SECOND)}`]);
  });

  test("that was the only one leaves the default behind, and no slots where it was the schedule (R42)", () => {
    using service = openService(withJob({ schedule: HOURLY, graceSeconds: 600, timezone: "Asia/Tokyo" }));
    service.restart(policyWith({ timezone: "Europe/Berlin" }));
    expect(service.monitor()).toMatchObject({
      watch: { schedule: null, graceSeconds: 60, timezone: "Europe/Berlin" },
      expectedAt: null,
    });
    // Nobody would notice otherwise: the monitor is never missed again.
    expect(service.logged).toEqual([
      { level: "warn", event: "monitor_without_schedule", fields: { application: "prod", monitor: "job" } },
    ]);
    service.look(NOON + 3 * HOUR);
    expect(lines(service)).toEqual([]);
  });

  test("of the zone is the monitor's, its application's or the server's (R13)", async () => {
    using service = openService();
    await service.send(ping({ schedule: "30 14 * * *" }));
    expect(service.monitor().expectedAt).toBe(NOON + 150 * MINUTE);
    service.restart(policyWith({ timezone: "Europe/Berlin" }));
    expect(service.monitor().expectedAt).toBe(NOON + 90 * MINUTE);
    service.restart(policyWith({ timezone: "Europe/Berlin", prod: { timezone: "Europe/Athens" } }));
    expect(service.monitor().expectedAt).toBe(NOON + 30 * MINUTE);
  });
});

describe("R12: a value that changed while nothing ran", () => {
  test("is in force after what fell due under the old one has been settled", async () => {
    using service = openService(withJob({ schedule: HOURLY, graceSeconds: 60 }));
    await service.send(ping());
    service.at(NOON + HOUR + 2 * MINUTE);
    service.kill();
    service.at(NOON + HOUR + 10 * MINUTE);
    service.start(withJob({ schedule: HOURLY, graceSeconds: 1_800 }));
    expect(lines(service)).toEqual([`InitialFailure missed ${toIso(CLOSES)}`]);
    expect(service.nudges).toBe(1);
  });

  test("forgets open slots of another schedule, and leaves an incident open", async () => {
    using service = openService(withJob({ schedule: HOURLY }));
    await service.send(ping({ kind: "fail" }));
    service.at(NOON + HOUR + 30 * SECOND);
    service.restart(withJob({ schedule: "30 15 * * *" }));
    expect(service.monitor()).toMatchObject({ expectedAt: NOON + 210 * MINUTE, incident: { causes: ["failed"] } });
    service.look(NOON + 2 * HOUR);
    expect(lines(service).filter((line) => line.includes("missed"))).toEqual([]);
  });

  test("arms the wheel again: a deadline that is earlier now is met", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY, graceSeconds: 1_800 }));
    service.restart(withJob({ graceSeconds: 60 }));
    service.look(CLOSES);
    expect(lines(service)).toEqual([`InitialFailure missed ${toIso(CLOSES)}`]);
  });

  test("moves the time of the last update, and nothing is written when nothing changed (R29)", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    const rows = () => {
      service.store.states.writeBehindAll();
      return service.store.database.query("select * from monitors join monitor_states on id = monitor_id").all();
    };
    const before = rows();
    service.at(NOON + MINUTE);
    service.restart();
    expect(rows()).toEqual(before);
    service.restart(withJob({ graceSeconds: 61 }));
    expect(rows()).toMatchObject([{ created_at: NOON, updated_at: NOON + MINUTE, grace_seconds: 61 }]);
  });
});

test("R41: how often is tolerated is read from the configuration at every look", async () => {
  using service = openService(withJob({ alertAfterMisses: 2, alertAfterFailures: 3 }));
  await service.send(ping({ schedule: HOURLY }), ping({ kind: "fail" }), ping({ kind: "fail" }));
  service.look(CLOSES);
  expect(lines(service)).toEqual([]);
  service.look(CLOSES + HOUR);
  expect(lines(service)).toEqual([`InitialFailure missed ${toIso(CLOSES + HOUR)}`]);
});

describe("a start whose configuration is in force already", () => {
  /** Reading the monitor then leaves a line in the log. */
  const poison = (service: Service): void => changeRows(service.store, "UPDATE monitor_states SET carried = 'no list'");
  const repair = (service: Service): void => changeRows(service.store, "UPDATE monitor_states SET carried = NULL");
  const unread = (service: Service): number =>
    service.logged.filter(({ event }) => event === "monitor_unreadable").length;

  test("reads no monitor before it can answer, and all of them in later turns: one that is damaged shows", () => {
    using service = openService(withJob({ schedule: HOURLY }));
    service.restart();
    poison(service);
    service.restart();
    expect([unread(service), service.engine.troubles()]).toEqual([0, []]);
    service.endTurns();
    expect([unread(service), service.engine.troubles()]).toEqual([1, ["1 monitor cannot be read, the log has more"]]);
    repair(service);
    service.restart();
    service.look(CLOSES + MINUTE);
    expect(lines(service)).toHaveLength(1);
  });

  test("R19: looks at a monitor that came due while nothing ran", () => {
    using service = openService(withJob({ schedule: HOURLY }));
    service.restart();
    service.kill();
    service.at(NOON + 10 * HOUR);
    service.start();
    service.look(CLOSES + 10 * HOUR);
    expect(service.alarms().map(({ kind, cause }) => `${kind} ${cause}`)).toEqual(["NeverExecuted missed"]);
  });

  test("puts another configuration in force, and the first one again", () => {
    using service = openService(withJob({ schedule: HOURLY }));
    service.restart(withJob({ schedule: HOURLY, graceSeconds: 600 }));
    expect(service.monitor().watch.graceSeconds).toBe(600);
    service.restart(withJob({ schedule: HOURLY }));
    expect(service.monitor().watch.graceSeconds).toBe(60);
  });

  test("R31: a monitor that could not be read gets the configured values at the start at which it can", () => {
    using service = openService(withJob({ schedule: HOURLY }));
    poison(service);
    service.restart(withJob({ schedule: HOURLY, graceSeconds: 600 }));
    expect(unread(service)).toBe(1);
    repair(service);
    service.restart();
    expect(service.monitor().watch.graceSeconds).toBe(600);
  });
});
