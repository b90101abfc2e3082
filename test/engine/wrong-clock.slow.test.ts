// A clock that had been wrong (R26): whatever it left in the future is pulled back after ten minutes, gaps too; nobody
// is unwatched for as long as it was wrong, and people are told whatever goes wrong meanwhile.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const CLOSES = NOON + HOUR + MINUTE + 5 * SECOND;

async function watched(...keys: string[]): Promise<Service> {
  const service = openService();
  for (const monitorKey of keys) await service.send(ping({ monitorKey, schedule: HOURLY }));
  return service;
}

function runUntil(service: Service, until: Instant): void {
  for (let at = service.now + SECOND; at <= until; at += SECOND) service.look(at);
}

const missed = (service: Service): string[] => service.alarms().map(({ monitor, at }) => `${monitor} ${at}`);

const kinds = (service: Service): string[] => service.notices().map(({ data }) => data.notice.kind);

describe("R26: a clock that was a month ahead for seconds", () => {
  test("in which nothing was stored blinds us for ten minutes, not for a month", async () => {
    using service = await watched("job");
    runUntil(service, NOON + MINUTE);
    service.stepClock(30 * DAY);
    service.look(service.now + SECOND);
    service.stepClock(-30 * DAY);
    runUntil(service, NOON + 5 * MINUTE);
    expect(service.engine.troubles()).toEqual([expect.stringContaining("behind the newest stored time")]);
    runUntil(service, NOON + 12 * MINUTE);
    expect(service.engine.troubles()).toEqual([]);
    runUntil(service, CLOSES);
    expect(missed(service)).toEqual([`job ${toIso(CLOSES)}`]);
  });

  test("and a process that was last alive then, is the same after a start", async () => {
    using service = await watched("job");
    runUntil(service, NOON + MINUTE);
    service.stepClock(30 * DAY);
    service.look(service.now + SECOND);
    service.kill();
    service.stepClock(-30 * DAY);
    service.start();
    runUntil(service, CLOSES);
    expect(missed(service)).toEqual([`job ${toIso(CLOSES)}`]);
  });

  test("leaves nobody armed too late: neither who was pulled back nor who reported before that", async () => {
    using service = await watched("job", "other");
    runUntil(service, NOON + MINUTE);
    service.stepClock(30 * DAY);
    await service.send(ping({ monitorKey: "job" }));
    service.look(service.now + SECOND);
    service.stepClock(-30 * DAY);
    runUntil(service, NOON + 5 * MINUTE);
    await service.send(ping({ monitorKey: "other" }));
    runUntil(service, CLOSES);
    expect(missed(service)).toEqual([`job ${toIso(CLOSES)}`, `other ${toIso(CLOSES)}`]);
  });
});

test("R26: a clock that was set back by an hour is told as an hour, and a dead job's last report is as long ago as before", async () => {
  using service = await watched("job", "dead");
  runUntil(service, NOON + 50 * MINUTE);
  await service.send(ping({ monitorKey: "job" }), ping({ monitorKey: "dead" }));
  // What is stored last is four minutes older than the step.
  runUntil(service, NOON + 54 * MINUTE);
  service.stepClock(-HOUR);
  runUntil(service, NOON + 5 * MINUTE);
  expect(service.notices().map(({ data }) => data.notice)).toMatchObject([
    { kind: "clock", aheadSeconds: 3_600, exact: true, monitorsTotal: 2 },
  ]);
  expect(service.monitor("dead")).toMatchObject({ receivedAt: NOON - 10 * MINUTE, succeededAt: NOON - 10 * MINUTE });
});

test("R26: what was set back while nobody was there is told as at least as much as is certain", async () => {
  using service = await watched("job");
  service.look(NOON + 54 * MINUTE);
  await service.send(ping({ monitorKey: "job" }));
  service.kill();
  service.stepClock(-HOUR);
  service.start();
  runUntil(service, NOON + 5 * MINUTE);
  const [notice] = service.notices().filter(({ data }) => data.notice.kind === "clock");
  expect(notice!.data.notice).toMatchObject({ aheadSeconds: 3_599, exact: false });
});

test("R26: a run that begins again as times are pulled back is not in doubt because of the wrong clock's gap", async () => {
  using service = await watched("job");
  service.stepClock(DAY);
  service.look(service.now + SECOND);
  await service.send(ping({ monitorKey: "job", kind: "start", runId: "nightly", maxRuntimeSeconds: 60 }));
  service.stepClock(-DAY);
  runUntil(service, NOON + 15 * MINUTE);
  expect(service.alarms().map(({ cause, at }) => `${cause} ${at}`)).toEqual([
    `unfinished ${toIso(NOON + 11 * MINUTE + 2 * SECOND)}`,
  ]);
});

describe("R26: that times were pulled back", () => {
  async function ahead(): Promise<Service> {
    const service = await watched("job", "other");
    service.stepClock(DAY);
    await service.send(ping());
    service.stepClock(-DAY);
    service.look(NOON + SECOND);
    return service;
  }

  test("is told when storing it fails at first", async () => {
    using service = await ahead();
    service.store.database.run("CREATE TRIGGER refuse BEFORE INSERT ON alerts BEGIN SELECT RAISE(ABORT, 'no'); END");
    service.look(NOON + 11 * MINUTE);
    expect(service.monitor().changedAt).toBe(NOON + DAY);
    service.store.database.run("DROP TRIGGER refuse");
    runUntil(service, NOON + 12 * MINUTE);
    expect(kinds(service)).toEqual(["clock"]);
    expect(service.monitor().changedAt).toBeLessThan(NOON + HOUR);
  });

  test("is told once when pulling back fails at first, and is done in the end", async () => {
    using service = await ahead();
    service.store.database.run(
      "CREATE TRIGGER refuse BEFORE INSERT ON state_log BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
    );
    service.look(NOON + 11 * MINUTE);
    expect(kinds(service)).toEqual(["clock"]);
    service.store.database.run("DROP TRIGGER refuse");
    runUntil(service, NOON + 12 * MINUTE);
    expect(kinds(service)).toEqual(["clock"]);
    expect(service.monitor().changedAt).toBeLessThan(NOON + HOUR);
  });

  test("waits for no monitor that is deleted or cannot be read", async () => {
    for (const spoil of [
      (service: Service) => void service.engine.operate("monitor delete", { application: "prod", key: "job" }),
      ({ store }: Service) => void store.database.run("update monitors set timezone = 'No/Where' where key = 'job'"),
    ]) {
      using service = await ahead();
      spoil(service);
      runUntil(service, NOON + 40 * MINUTE);
      expect(service.engine.troubles().filter((trouble) => trouble.includes("clock"))).toEqual([]);
      expect(kinds(service).length).toBeLessThanOrEqual(1);
    }
  });
});

/** The monitors that its clock is behind. */
const aheadOf = ({ store, now }: Service): number[] =>
  [...store.monitors.ids()].filter((id) => store.states.load(id)!.changedAt > now);

/** A process that finds them a day ahead of its clock. */
async function startedBehind250(): Promise<Service> {
  const service = openService();
  const keys = Array.from({ length: 250 }, (_, number) => `job-${number}`);
  service.stepClock(DAY);
  await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: HOURLY })));
  service.kill();
  service.stepClock(-DAY);
  service.start();
  return service;
}

test("R26: that times were pulled back is told before the first of them is: a kill in the middle hides nothing", async () => {
  using service = await startedBehind250();
  const left = () => aheadOf(service).length;
  runUntil(service, NOON + 10 * MINUTE);
  for (service.at(NOON + 10 * MINUTE + SECOND), service.engine.tick(); left() === 250; ) service.endTurn();
  expect(left()).toBeGreaterThan(0);
  service.restart();
  expect(service.notices()).toMatchObject([{ data: { notice: { kind: "clock", monitorsTotal: 250 } } }]);
  runUntil(service, NOON + 21 * MINUTE);
  expect(left()).toBe(0);
});

test("R26: a kill while it is counted how many times are pulled back leaves all as it was, and it is told once", async () => {
  using service = await startedBehind250();
  runUntil(service, NOON + 10 * MINUTE);
  service.at(NOON + 10 * MINUTE + SECOND);
  service.engine.tick();
  service.endTurn();
  service.endTurn();
  service.restart();
  expect([aheadOf(service).length, service.notices()]).toEqual([250, []]);
  runUntil(service, NOON + 21 * MINUTE);
  expect(service.notices()).toMatchObject([{ data: { notice: { kind: "clock", monitorsTotal: 250 } } }]);
  expect(aheadOf(service)).toEqual([]);
});

test("R26: instants of before the start count: they are pulled back ten minutes after it, a piece a turn", async () => {
  using service = await startedBehind250();
  runUntil(service, NOON + 9 * MINUTE);
  expect(aheadOf(service)).toHaveLength(250);
  runUntil(service, NOON + 11 * MINUTE);
  expect(aheadOf(service)).toEqual([]);
  expect(service.notices()).toMatchObject([{ data: { notice: { kind: "clock", monitorsTotal: 250 } } }]);
  runUntil(service, CLOSES + 2 * SECOND);
  expect(service.alarms()).toHaveLength(250);
});
