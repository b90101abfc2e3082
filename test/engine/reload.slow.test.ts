// Another configuration while the engine runs: what a start with it would do, a piece at a time, and nobody waits.

import { describe, expect, test } from "bun:test";
import type { MonitorRules, Policy } from "../../src/domain/settings/policy.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
/** More than one turn takes. */
const MANY = 120;

const withJob = (job: MonitorRules) => policyWith({ monitors: { job } });
const graceOf = (service: Service, key: string) => service.monitor(key).watch.graceSeconds;

const CHANGES: Readonly<Record<string, Policy>> = {
  "a grace": withJob({ schedule: HOURLY, graceSeconds: 600 }),
  "a schedule": withJob({ schedule: "*/5 * * * *" }),
  "a run's time": withJob({ schedule: HOURLY, maxRuntimeSeconds: 60 }),
  "misses that are tolerated": withJob({ schedule: HOURLY, alertAfterMisses: 3 }),
  "a zone of the server": { ...withJob({ schedule: HOURLY }), timezone: "Asia/Kolkata" },
  "the zone of an application": policyWith({
    prod: { timezone: "Asia/Kolkata" },
    monitors: { job: { schedule: HOURLY } },
  }),
  reminders: { ...withJob({ schedule: HOURLY }), reminders: { after: [MINUTE], every: MINUTE, max: 5 } },
  "a destination": policyWith({
    team: { name: "Night", destinations: ["page"], members: [] },
    destinations: new Map([["page", MESSAGES]]),
    monitors: { job: { schedule: HOURLY } },
  }),
  "a monitor more": policyWith({ monitors: { job: { schedule: HOURLY }, other: { schedule: HOURLY } } }),
  "no section any more": policyWith(),
};

describe.each(Object.keys(CHANGES))("%s", (name) => {
  test.each(["healthy", "failing"])(
    "comes into force by a reload as by a restart, for a monitor that is %s",
    async (state) => {
      const outcomes = [];
      for (const how of ["reload", "restart"] as const) {
        using service = openService(withJob({ schedule: HOURLY }));
        await service.send(state === "healthy" ? ping() : ping({ kind: "fail" }));
        service.at(NOON + 10 * MINUTE);
        service[how](CHANGES[name]!);
        service.endTurns();
        const created = [...service.created];
        for (let at = service.now; at < NOON + 4 * HOUR; at += 30 * SECOND) service.look(at);
        const deliveries = service.store.database
          .query("SELECT destination, recipient FROM deliveries ORDER BY id")
          .all();
        const monitor = service.monitor();
        outcomes.push({ created, told: service.notified(), deliveries, monitor, monitors: service.count("monitors") });
      }
      expect(outcomes[0]).toEqual(outcomes[1]!);
    },
  );
});

describe("while it comes into force", () => {
  async function withMany(): Promise<Service> {
    const service = openService();
    const jobs = Array.from({ length: MANY }, (_, place) => ping({ monitorKey: `job-${place}`, schedule: HOURLY }));
    await service.send(...jobs);
    return service;
  }
  const allWith = (graceSeconds: number): Policy =>
    policyWith({
      monitors: Object.fromEntries(Array.from({ length: MANY }, (_, place) => [`job-${place}`, { graceSeconds }])),
    });

  test("reports are taken, and judged by it", async () => {
    using service = await withMany();
    service.reload(allWith(1_200), 1);
    const graces = (): Set<number | null> =>
      new Set(Array.from({ length: MANY }, (_, place) => graceOf(service, `job-${place}`)));
    expect(graces().size).toBe(2);
    expect(await service.send(ping({ monitorKey: `job-${MANY - 1}` }))).toMatchObject([{ kind: "heartbeat" }]);
    service.reload(allWith(1_200));
    expect(graces()).toEqual(new Set([1_200]));
    expect(service.count("gaps")).toBe(0);
  });

  test("what had arrived before is judged by what was in force", async () => {
    using service = openService(withJob({ schedule: HOURLY }));
    const answer = service.engine.intake.ingest(ping({ outcomes: new Map() }));
    service.reload(withJob({ schedule: HOURLY, graceSeconds: 600 }));
    expect(await answer).toMatchObject({ kind: "heartbeat" });
    expect(service.count("pings")).toBe(1);
  });

  test.each([1, 2])(
    "a kill after %d pieces leaves what the next start puts right, also with the old configuration",
    async (n) => {
      using service = await withMany();
      service.reload(allWith(300));
      service.reload(allWith(1_200), n);
      service.kill();
      service.start(allWith(300));
      for (const place of [0, MANY - 1]) expect(graceOf(service, `job-${place}`)).toBe(300);
    },
  );

  test("a later one takes its place", async () => {
    using service = await withMany();
    service.reload(allWith(300));
    service.reload(allWith(1_200), 1);
    service.reload(allWith(600));
    for (const place of [0, MANY - 1]) expect(graceOf(service, `job-${place}`)).toBe(600);
  });

  test("a monitor that is deleted meanwhile stays deleted", async () => {
    using service = await withMany();
    service.reload(allWith(300), 1);
    service.engine.operate("monitor delete", { key: `job-${MANY - 1}` });
    service.reload(allWith(300));
    expect(service.engine.operate("monitor list", {})).toMatchObject({ monitors: { length: MANY - 1 } });
  });
});

test("a deadline that comes nearer is met", async () => {
  using service = openService(withJob({ schedule: HOURLY, graceSeconds: 1_800 }));
  await service.send(ping());
  service.reload(withJob({ schedule: HOURLY, graceSeconds: 60 }));
  const closes = NOON + HOUR + MINUTE + 5 * SECOND;
  service.look(closes - SECOND);
  expect(service.notified()).toEqual([]);
  service.look(closes + SECOND);
  expect(service.notified().map(({ at }) => at)).toEqual([toIso(closes)]);
});

test("storage that takes nothing leaves everything as it was", async () => {
  using service = openService(withJob({ schedule: HOURLY }));
  const { database } = service.store;
  database.run("PRAGMA query_only = 1");
  expect(() => service.reload(withJob({ schedule: HOURLY, graceSeconds: 600 }))).toThrow("readonly");
  database.run("PRAGMA query_only = 0");
  expect(graceOf(service, "job")).not.toBe(600);
  expect(service.engine.operate("monitor show", { key: "job" })).toMatchObject({
    settings: { graceSeconds: { from: "default" } },
  });
  service.reload(withJob({ schedule: HOURLY, graceSeconds: 600 }));
  expect(graceOf(service, "job")).toBe(600);
});
