// Windows of maintenance on the real engine (R24): what the configuration asks for when it is read, at a start, and
// what people did in a window meanwhile.

import { describe, expect, test } from "bun:test";
import type { MaintenanceWindow } from "../../src/domain/schedule/maintenance.ts";
import type { MonitorRules } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";
/** When a slot closes. */
const CLOSING = MINUTE + 5 * SECOND;
const AT_NOON: MaintenanceWindow = { schedule: "0 12 * * *", timezone: null, durationSeconds: 7_200 };
const UNTIL = NOON + 2 * HOUR;

const withJob = (job: MonitorRules) => policyWith({ monitors: { job } });
const maintained = (...maintenance: MaintenanceWindow[]) => withJob({ maintenance });
const lines = (service: Service): string[] => service.notified().map(({ kind, cause, at }) => `${kind} ${cause} ${at}`);
const pausedUntil = (service: Service) => service.monitor().pauses.manual;

/** Half past noon, ten minutes after a job's last report. */
async function atHalfPast(policy = policyWith()): Promise<Service> {
  const service = openService(policy, NOON - MINUTE);
  await service.send(ping({ schedule: HOURLY }));
  service.look(NOON);
  service.at(NOON + 20 * MINUTE);
  await service.send(ping());
  service.at(NOON + 30 * MINUTE);
  return service;
}

const resume = (service: Service) =>
  granted(service.engine.operate("monitor resume", { application: null, key: "job" }));

describe("R24: a window of maintenance that is configured while it lasts", () => {
  test("begins at the restart: nothing is missed in it, and the next slot after it is expected", async () => {
    using service = await atHalfPast();
    service.restart(maintained(AT_NOON));
    expect(pausedUntil(service)).toEqual({ until: UNTIL });
    service.look(NOON + HOUR + 2 * MINUTE);
    service.look(UNTIL);
    expect([pausedUntil(service), lines(service)]).toEqual([null, []]);
    service.look(NOON + 3 * HOUR + CLOSING);
    expect(lines(service)).toEqual([`InitialFailure missed ${toIso(NOON + 3 * HOUR + CLOSING)}`]);
  });

  test("keeps a fail quiet from then on", async () => {
    using service = await atHalfPast();
    service.restart(maintained(AT_NOON));
    await service.send(ping({ kind: "fail" }));
    expect(lines(service)).toEqual([]);
  });

  test("comes after what fell due before it (R12)", async () => {
    using service = await atHalfPast();
    service.at(NOON + HOUR + 2 * MINUTE);
    service.kill();
    service.at(NOON + HOUR + 3 * MINUTE);
    service.start(maintained({ ...AT_NOON, schedule: "1 13 * * *" }));
    expect(lines(service)).toEqual([`InitialFailure missed ${toIso(NOON + HOUR + CLOSING)}`]);
    expect(pausedUntil(service)).toEqual({ until: NOON + 3 * HOUR + MINUTE });
  });

  test("begins where its span was made longer, and where its hour is another's because the zone was changed", async () => {
    using service = await atHalfPast(maintained({ ...AT_NOON, durationSeconds: 600 }));
    expect(pausedUntil(service)).toBeNull();
    service.restart(maintained(AT_NOON));
    expect(pausedUntil(service)).toEqual({ until: UNTIL });

    using moved = await atHalfPast(maintained({ ...AT_NOON, schedule: "0 13 * * *" }));
    moved.restart(withJob({ timezone: "Europe/Berlin", maintenance: [{ ...AT_NOON, schedule: "0 13 * * *" }] }));
    expect(pausedUntil(moved)).toEqual({ until: UNTIL });
  });

  test("is configured for a monitor that nobody has ever heard of: it begins paused, once", () => {
    using service = openService(withJob({ schedule: HOURLY, maintenance: [AT_NOON] }), NOON + 30 * MINUTE);
    expect(pausedUntil(service)).toEqual({ until: UNTIL });
    resume(service);
    service.restart();
    expect(pausedUntil(service)).toBeNull();
  });
});

test("R24: a window of an application is for all its monitors, beside their own", async () => {
  using service = await atHalfPast(policyWith({ prod: { maintenance: [AT_NOON] } }));
  expect(pausedUntil(service)).toEqual({ until: UNTIL });
  const own = { ...AT_NOON, schedule: "30 12 * * *" };
  service.restart(policyWith({ prod: { maintenance: [AT_NOON] }, monitors: { job: { maintenance: [own] } } }));
  expect(pausedUntil(service)).toEqual({ until: UNTIL + 30 * MINUTE });
  await service.send(ping({ schedule: HOURLY, monitorKey: "new" }));
  expect(service.monitor("new").pauses.manual).toEqual({ until: UNTIL });
  const { maintenances } = granted(service.engine.operate("maintenance list", {}));
  expect(maintenances.map(({ id, monitors, state }) => ({ id, monitors, state }))).toEqual([
    { id: null, monitors: [], state: "now" },
    { id: null, monitors: ["job"], state: "now" },
  ]);
  service.restart(policyWith());
  expect([pausedUntil(service), service.monitor("new").pauses.manual]).toEqual([null, null]);
});

describe("R24: who resumed the monitor in a window", () => {
  const changes: readonly (readonly [string, MonitorRules])[] = [
    ["the same configuration", { maintenance: [AT_NOON] }],
    ["another grace", { graceSeconds: 120, maintenance: [AT_NOON] }],
    ["a window more, for another day", { maintenance: [AT_NOON, { ...AT_NOON, schedule: "0 12 * * 3" }] }],
    ["the windows the other way round", { maintenance: [{ ...AT_NOON, schedule: "0 0 * * *" }, AT_NOON] }],
    ["a shorter window", { maintenance: [{ ...AT_NOON, durationSeconds: 5_400 }] }],
  ];

  test.each(changes)("is obeyed until the next one, also after a restart with %s", async (_, rules) => {
    using service = await atHalfPast(maintained(AT_NOON, { ...AT_NOON, schedule: "0 0 * * *" }));
    expect(pausedUntil(service)).toEqual({ until: UNTIL });
    resume(service);
    for (const later of [5, 10, 15]) {
      service.at(NOON + (30 + later) * MINUTE);
      service.restart(withJob(rules));
      expect(pausedUntil(service)).toBeNull();
    }
    service.look(NOON + HOUR + 5 * MINUTE);
    expect(lines(service)).toHaveLength(1);
    service.look(NOON + DAY);
    expect(pausedUntil(service)).not.toBeNull();
  });

  test("is obeyed also when a report has declared something new since", async () => {
    using service = await atHalfPast(maintained(AT_NOON));
    resume(service);
    await service.send(ping({ graceSeconds: 300 }));
    service.restart();
    expect(pausedUntil(service)).toBeNull();
  });
});

test("R24: a window that is taken out or made shorter while it lasts ends then", async () => {
  using service = await atHalfPast(maintained(AT_NOON));
  service.restart(maintained({ ...AT_NOON, durationSeconds: 5_400 }));
  expect(pausedUntil(service)).toEqual({ until: NOON + 90 * MINUTE });
  service.restart(policyWith());
  expect([pausedUntil(service), lines(service)]).toEqual([null, []]);
  service.restart(maintained(AT_NOON));
  expect(pausedUntil(service)).toEqual({ until: UNTIL });
});

test("R24: a longer pause by hand outlasts a window that is taken out", async () => {
  using service = await atHalfPast(maintained(AT_NOON));
  granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 4 * 3_600 }));
  service.restart(policyWith());
  expect(pausedUntil(service)).toEqual({ until: NOON + 30 * MINUTE + 4 * HOUR });
});

test("R24: the first start on rows from before windows were kept tells nothing and lifts no pause", async () => {
  using service = await atHalfPast(maintained(AT_NOON));
  service.store.database.run("update monitors set maintenance = null");
  service.restart();
  expect([pausedUntil(service), lines(service)]).toEqual([{ until: UNTIL }, []]);
  resume(service);
  service.restart();
  expect(pausedUntil(service)).toBeNull();
});

test("R29: a start writes nothing where the windows are as they were, and moves no last update where they are not", async () => {
  using service = await atHalfPast(maintained(AT_NOON));
  const rows = () => service.store.database.query("select * from monitors").all();
  const before = rows();
  service.restart(maintained({ ...AT_NOON }));
  expect(rows()).toEqual(before);
  service.restart(policyWith());
  const [{ updated_at }] = before as [{ updated_at: number }];
  expect(rows()).toMatchObject([{ updated_at, maintenance: null }]);
});
