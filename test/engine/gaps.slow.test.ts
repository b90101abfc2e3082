// When rollcall itself could not hear (R26), through the engine: no alarm for its own downtime, one question per gap
// and destination, and what really died is found at the next slot that nobody doubts.

import { describe, expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const SLOT = NOON + HOUR;
const CLOSES = SLOT + MINUTE + 5 * SECOND;

async function watched(...keys: string[]): Promise<Service> {
  const service = openService();
  for (const monitorKey of keys.length === 0 ? ["job"] : keys)
    await service.send(ping({ monitorKey, schedule: HOURLY }));
  return service;
}

function down(service: Service, from: number, to: number): void {
  service.look(from);
  service.kill();
  service.at(to);
  service.start();
}

/** Second by second, as the service runs. */
function runUntil(service: Service, until: number): void {
  for (let at = service.now + SECOND; at <= until; at += SECOND) service.look(at);
}

const gapsIn = (service: Service) =>
  service.store.database.query("select from_at, to_at, reason, decided_at is not null as decided from gaps").all();

const line = (service: Service) => service.alarms().map(({ kind, cause, at }) => `${kind} ${cause} ${at}`);

describe("R26: a restart over a slot whose report was lost", () => {
  test("alarms nobody, and asks once, 60 seconds after the gap", async () => {
    using service = await watched();
    down(service, SLOT - SECOND, SLOT + 30 * SECOND);
    runUntil(service, SLOT + 89 * SECOND);
    expect([service.alarms(), service.notices()]).toEqual([[], []]);
    runUntil(service, SLOT + 5 * MINUTE);
    expect(service.alarms()).toEqual([]);
    expect(service.notices()).toMatchObject([{ data: { notice: { kind: "unheard" } }, destinations: ["hook"] }]);
    expect(gapsIn(service)).toEqual([
      { from_at: SLOT - SECOND + 1, to_at: SLOT + 30 * SECOND, reason: "stopped", decided: 1 },
    ]);
  });

  test("asks nothing when the client has retried meanwhile", async () => {
    using service = await watched();
    down(service, SLOT - SECOND, SLOT + 30 * SECOND);
    runUntil(service, SLOT + 50 * SECOND);
    await service.send(ping());
    runUntil(service, SLOT + 5 * MINUTE);
    expect([service.alarms(), service.notices()]).toEqual([[], []]);
    expect(gapsIn(service)).toMatchObject([{ decided: 1 }]);
  });

  test("finds what really died at the next slot", async () => {
    using service = await watched();
    down(service, SLOT - SECOND, SLOT + 30 * SECOND);
    runUntil(service, SLOT + 3 * MINUTE);
    service.look(CLOSES + HOUR);
    expect(line(service)).toEqual([`InitialFailure missed ${toIso(CLOSES + HOUR)}`]);
  });

  test("does not excuse the next slot for a second gap when nothing has come since the first", async () => {
    using service = await watched();
    down(service, SLOT - SECOND, SLOT + 30 * SECOND);
    runUntil(service, SLOT + 3 * MINUTE);
    down(service, SLOT + HOUR - SECOND, SLOT + HOUR + 30 * SECOND);
    service.look(CLOSES + HOUR + 5 * MINUTE);
    expect(line(service)).toEqual([`InitialFailure missed ${toIso(SLOT + HOUR + 90 * SECOND)}`]);
  });

  test("survives another restart before it was judged: the question still comes, once", async () => {
    using service = await watched();
    down(service, SLOT - SECOND, SLOT + 30 * SECOND);
    down(service, SLOT + 60 * SECOND, SLOT + 61 * SECOND);
    runUntil(service, SLOT + 5 * MINUTE);
    expect(service.alarms()).toEqual([]);
    expect(service.notices()).toHaveLength(1);
    // Clients had no time to retry between the two: they are one.
    expect(gapsIn(service)).toMatchObject([{ to_at: SLOT + 61 * SECOND, decided: 1 }]);
    down(service, SLOT + 6 * MINUTE, SLOT + 7 * MINUTE);
    runUntil(service, SLOT + 10 * MINUTE);
    expect(service.notices()).toHaveLength(1);
  });
});

test("R26: two hours of downtime over a hundred hourly jobs make one notice that names them all", async () => {
  const keys = Array.from({ length: 100 }, (_, number) => `job-${number}`);
  using service = await watched(...keys);
  down(service, SLOT - MINUTE, SLOT + 2 * HOUR + 30 * MINUTE);
  runUntil(service, SLOT + 2 * HOUR + 34 * MINUTE);
  expect(service.alarms()).toEqual([]);
  const [notice, ...more] = service.notices();
  expect(more).toEqual([]);
  expect(JSON.stringify(notice!.data)).toContain("job-99");
});

test("R26: each destination hears of its own monitors only", async () => {
  const destinations = new Map(["hook", "pager"].map((name) => [name, MESSAGES]));
  using service = openService(policyWith({ destinations, monitors: { paged: { destinations: ["pager"] } } }));
  for (const monitorKey of ["job", "paged"]) await service.send(ping({ monitorKey, schedule: HOURLY }));
  down(service, SLOT - SECOND, SLOT + 30 * SECOND);
  runUntil(service, SLOT + 5 * MINUTE);
  const heard = service.notices().map(({ data, destinations: to }) => [to, /"paged"/.test(JSON.stringify(data))]);
  expect(heard).toEqual([
    [["hook"], false],
    [["pager"], true],
  ]);
});

test("R36: a notice that reaches nobody is a line of the log at error", async () => {
  using service = openService(policyWith({ team: { name: null, destinations: [], members: [] } }));
  await service.send(ping({ schedule: HOURLY }));
  down(service, SLOT - SECOND, SLOT + 30 * SECOND);
  runUntil(service, SLOT + 5 * MINUTE);
  expect(service.logged).toContainEqual(expect.objectContaining({ level: "error", event: "notice" }));
});

test("R26: the notice of a gap waits for the last slot in doubt, also one with a long grace", async () => {
  using service = await watched();
  await service.send(ping({ monitorKey: "patient", schedule: HOURLY, graceSeconds: 1_800 }));
  down(service, SLOT - SECOND, SLOT + 30 * SECOND);
  runUntil(service, SLOT + 10 * MINUTE);
  expect(service.notices()).toEqual([]);
  runUntil(service, SLOT + 31 * MINUTE);
  expect(service.notices()).toHaveLength(1);
  expect(JSON.stringify(service.notices())).toContain("patient");
});

describe("R26: a process that stood still", () => {
  test("for 20 seconds over a minute job alarms nobody, and asks once", async () => {
    using service = openService();
    await service.send(ping({ schedule: "* * * * *" }));
    runUntil(service, NOON + 50 * SECOND);
    service.standStill(20 * SECOND);
    runUntil(service, NOON + 2 * MINUTE - SECOND);
    service.look(NOON + 2 * MINUTE);
    await service.send(ping());
    runUntil(service, NOON + 5 * MINUTE);
    expect(service.alarms().map(({ at }) => at)).toEqual([toIso(NOON + 4 * MINUTE + 5 * SECOND)]);
    expect(gapsIn(service)).toMatchObject([{ reason: "stalled", to_at: NOON + 75 * SECOND }]);
  });

  test("takes a start that waited at the door for one of the gap: its end was lost there", async () => {
    using service = await watched();
    service.standStill(2 * HOUR);
    await service.send(ping({ kind: "log" }));
    service.at(service.now + SECOND);
    await service.send(ping({ kind: "start", runId: "a", maxRuntimeSeconds: 60 }));
    const started = service.now;
    runUntil(service, started + 2 * MINUTE);
    expect([service.alarms(), service.count("unknowns")]).toEqual([[], 1]);
  });

  test("is known before the first report after it is applied", async () => {
    using service = await watched();
    runUntil(service, SLOT - 5 * SECOND);
    service.standStill(2 * MINUTE);
    await service.send(ping());
    runUntil(service, SLOT + 5 * MINUTE);
    expect([service.alarms(), service.notices()]).toEqual([[], []]);
  });
});

test("R26: a service that comes and goes for minutes alarms nobody, and asks once when it stays", async () => {
  using service = openService();
  await service.send(ping({ schedule: "* * * * *" }));
  for (let second = 30; second < 400; second += 20)
    down(service, NOON + second * SECOND, NOON + (second + 15) * SECOND);
  expect(service.alarms()).toEqual([]);
  runUntil(service, NOON + 420 * SECOND);
  await service.send(ping());
  runUntil(service, NOON + 8 * MINUTE);
  expect([service.alarms(), gapsIn(service).length]).toEqual([[], 1]);
});

/** Up for 45 seconds, down for 8, for 40 minutes. */
function crashLoop(service: Service, from: number): void {
  for (let at = from; at < from + 40 * MINUTE; at += 53 * SECOND) {
    down(service, at, at + 8 * SECOND);
    runUntil(service, at + 52 * SECOND);
  }
}

test("R26: a crash loop is told within a quarter of an hour, as what it was, and a job that died meanwhile is found then", async () => {
  using service = openService();
  await service.send(ping({ schedule: "* * * * *" }));
  crashLoop(service, NOON + 30 * SECOND);
  const [told] = service.store.database
    .query<{ at: number; data: string }, []>("select at, data from alerts where type = 'service.notice'")
    .all();
  expect(told!.at).toBeLessThanOrEqual(NOON + 15 * MINUTE + 30 * SECOND);
  expect(JSON.parse(told!.data).notice).toMatchObject({ reason: "stopped", times: 15, seconds: 120 });
  expect(service.notices()).toHaveLength(1);
  const [alarm] = service.alarms();
  expect(Date.parse(alarm!.at)).toBeLessThanOrEqual(NOON + 17 * MINUTE);
});

test("R26: after a crash loop that was told, a slot of an hourly job that it touches is missed, and the alarm names the gap", async () => {
  using service = await watched();
  // The slot comes half an hour later; the job has reported since the loop began.
  crashLoop(service, SLOT - 30 * MINUTE);
  runUntil(service, CLOSES + 5 * SECOND);
  expect(line(service)).toEqual([`InitialFailure missed ${toIso(CLOSES)}`]);
  const { data } = service.store.database
    .query<{ data: string }, []>("select data from alerts where type = 'monitor.initial_failure'")
    .get()!;
  expect(alertDataFrom(data)!.gap).not.toBeNull();
});

test("R26: reports that could not be stored are a gap from the first of them to the next commit", async () => {
  using service = await watched();
  const other = service.connect();
  service.look(SLOT);
  other.run("begin immediate");
  expect(await service.send(ping())).toMatchObject([{ refusal: "STORAGE_UNAVAILABLE" }]);
  service.look(SLOT + 10 * SECOND);
  expect(await service.send(ping())).toMatchObject([{ refusal: "STORAGE_UNAVAILABLE" }]);
  other.run("rollback");
  runUntil(service, CLOSES + 5 * MINUTE);
  expect(gapsIn(service)).toEqual([{ from_at: SLOT, to_at: SLOT + 11 * SECOND, reason: "storage", decided: 1 }]);
  expect([service.alarms().length, service.notices().length]).toEqual([0, 1]);
});

describe("R26: a clock", () => {
  test("that is set an hour ahead alarms nobody for the hour that never was", async () => {
    using service = await watched();
    runUntil(service, NOON + 10 * MINUTE);
    service.stepClock(HOUR);
    runUntil(service, SLOT + 15 * MINUTE);
    expect(service.alarms()).toEqual([]);
    expect(gapsIn(service)).toMatchObject([{ reason: "clock", from_at: NOON + 10 * MINUTE + 1 }]);
    expect(service.notices()).toHaveLength(1);
  });

  test("that was an hour ahead for a moment is logged as a gap all the same, once", async () => {
    using service = await watched();
    runUntil(service, NOON + 10 * MINUTE);
    service.stepClock(HOUR);
    service.look(NOON + HOUR + 10 * MINUTE + 2 * SECOND);
    service.stepClock(-HOUR);
    runUntil(service, NOON + 15 * MINUTE);
    expect(service.logged.filter(({ event }) => event === "gap")).toHaveLength(1);
  });

  test("that had been an hour ahead for longer is put right after ten minutes: one notice, and the roll goes on", async () => {
    using service = await watched();
    service.stepClock(HOUR);
    await service.send(ping());
    runUntil(service, NOON + HOUR + 5 * MINUTE);
    const told = service.notices().length;
    service.stepClock(-HOUR);
    runUntil(service, NOON + 14 * MINUTE);
    expect(service.engine.troubles()).toMatchObject([expect.stringContaining("clock")]);
    expect(service.notices()).toHaveLength(told);
    runUntil(service, NOON + 16 * MINUTE);
    expect(service.engine.troubles()).toEqual([]);
    expect(service.notices().slice(told)).toMatchObject([
      { data: { notice: { kind: "clock" } }, destinations: ["hook"] },
    ]);
    expect(service.monitor()).toMatchObject({ expectedAt: SLOT });
    service.look(CLOSES);
    expect(line(service)).toEqual([`InitialFailure missed ${toIso(CLOSES)}`]);
  });
});

test("R26: that we are alive is written every ten seconds, and nothing of a monitor for it", async () => {
  using service = await watched();
  const states = () =>
    ["monitor_states", "state_log"].map((table) => service.store.database.query(`select * from ${table}`).all());
  const before = states();
  runUntil(service, NOON + 25 * SECOND);
  expect(service.store.liveness.lastAliveAt()).toBe(NOON + 20 * SECOND);
  expect(states()).toEqual(before);
});

test("R26: a stop says until when reports were taken, so the gap begins there", async () => {
  using service = await watched();
  service.at(NOON + 25 * SECOND);
  service.engine.stop(NOON + 24 * SECOND);
  expect(service.store.liveness.lastAliveAt()).toBe(NOON + 24 * SECOND);
});

test("R26: a restart of half a second hides no miss, and the alarm carries when it was", async () => {
  using service = await watched();
  await service.send(ping({ monitorKey: "daily", schedule: HOURLY, graceSeconds: 120 }));
  down(service, SLOT + 80 * SECOND, SLOT + 80 * SECOND + 400);
  runUntil(service, SLOT + 5 * MINUTE);
  const [alarm] = service.store.database
    .query<{ data: string }, []>("select data from alerts where type = 'monitor.initial_failure' order by id desc")
    .all();
  expect(alertDataFrom(alarm!.data)!).toMatchObject({
    monitorKey: "daily",
    gap: { from: toIso(SLOT + 80 * SECOND + 1), to: toIso(SLOT + 80 * SECOND + 400) },
  });
  expect(service.notices()).toEqual([]);
});

test("R23, R26: after an outage that began and was decided while the job was known to be missing, its slots are not called missed", async () => {
  using service = await watched();
  service.look(CLOSES);
  expect(line(service)).toHaveLength(1);
  down(service, SLOT + 90 * MINUTE, SLOT + 3 * HOUR + 30 * MINUTE);
  runUntil(service, service.now + 5 * MINUTE);
  expect([service.notices(), gapsIn(service)]).toMatchObject([[], [{ decided: 1 }]]);
  service.look(SLOT + 5 * HOUR + 30 * MINUTE);
  await service.send(ping());
  const { data } = service.store.database
    .query<{ data: string }, []>("select data from alerts where type = 'monitor.recovered'")
    .get()!;
  // 13:00, 14:00, 17:00 and 18:00 were missed; 15:00 and 16:00 came while we were away.
  expect(alertDataFrom(data)!).toMatchObject({ missedSlots: 4, unheardSlots: 2 });
});

test("R23, R26: an incident that ends after half a year still tells what we could not hear in it", async () => {
  using service = await watched();
  service.look(CLOSES);
  down(service, SLOT + 90 * MINUTE, SLOT + 3 * HOUR + 30 * MINUTE);
  runUntil(service, service.now + 5 * MINUTE);
  const until = SLOT + 180 * DAY + 30 * MINUTE;
  for (const at of [until - 2 * HOUR, until - HOUR, until]) service.look(at);
  await service.send(ping());
  const { data } = service.store.database
    .query<{ data: string }, []>("select data from alerts where type = 'monitor.recovered'")
    .get()!;
  expect(alertDataFrom(data)!).toMatchObject({ missedSlots: 180 * 24 + 1 - 2, unheardSlots: 2 });
  service.look(service.now + HOUR);
  expect(gapsIn(service)).toEqual([]);
});

test("R26, R44: the miss of an interval names every gap since the last end, decided or not", async () => {
  using service = openService();
  await service.send(ping({ everySeconds: 25 * 3_600 }));
  runUntil(service, NOON + HOUR);
  await service.send(ping());
  const restarts = [NOON + 3 * HOUR, NOON + 9 * HOUR, NOON + 20 * HOUR];
  for (const at of restarts) {
    service.look(at);
    down(service, at, at + 400);
    runUntil(service, at + 5 * MINUTE);
  }
  service.look(NOON + 26 * HOUR + 2 * MINUTE);
  const [alarm] = service.store.database
    .query<{ data: string }, []>("select data from alerts where type = 'monitor.initial_failure'")
    .all();
  const data = alertDataFrom(alarm!.data)!;
  expect(data.gaps).toEqual(
    restarts.map((at) => ({ from: toIso(at + 1), to: toIso(at + 400), reason: "stopped", times: 1 })),
  );
  expect([data.gapsTotal, data.gap]).toEqual([3, { from: data.gaps[2]!.from, to: data.gaps[2]!.to }]);
});

test("R26: a restart of 0.4 s hides no miss of a daily job, if it was not just when its report is likely", async () => {
  using service = openService();
  await service.send(ping({ schedule: "0 13 * * *" }));
  service.look(SLOT + 2 * SECOND);
  await service.send(ping());
  service.look(SLOT + DAY + 13 * SECOND);
  down(service, SLOT + DAY + 13 * SECOND, SLOT + DAY + 13_400);
  runUntil(service, SLOT + DAY + 3 * MINUTE);
  expect(service.alarms()).toMatchObject([
    { kind: "InitialFailure", cause: "missed", at: toIso(SLOT + DAY + 65 * SECOND) },
  ]);
});

describe("R26: a gap that leaves a job of every ten days in doubt", () => {
  const BACK = NOON + 2 * HOUR;

  /** `job` reports every hour. */
  async function reportUntil(service: Service, until: number): Promise<void> {
    for (let at = Math.ceil(service.now / HOUR) * HOUR; at <= until; at += HOUR) {
      service.look(at);
      await service.send(ping());
      service.look(at + SECOND);
    }
  }

  const told = (service: Service) =>
    service.store.database
      .query<{ at: number; data: string }, []>("select at, data from alerts where type = 'service.notice' order by id")
      .all()
      .map(({ at, data }) => {
        const { notice } = JSON.parse(data);
        const keys = notice.monitors.map(({ monitorKey }: { monitorKey: string }) => monitorKey);
        return { hours: Math.round((at - BACK) / HOUR), keys, awaited: notice.awaitedTotal };
      });

  /** The process is away for an hour and a half in which `job` was due, and is back for as long as is given. */
  async function away(since: number): Promise<Service> {
    const service = openService();
    await service.send(
      ping({ schedule: HOURLY }),
      ping({ monitorKey: "daily", everySeconds: 86_400, graceSeconds: 7_200 }),
      ping({ monitorKey: "rare", everySeconds: 10 * 86_400 }),
      ping({ monitorKey: "fine", everySeconds: 10 * 86_400 }),
    );
    down(service, BACK - 90 * MINUTE, BACK);
    runUntil(service, BACK + since);
    return service;
  }

  test("tells within about a day what is judged, says how many are not yet, and then the rest, each once", async () => {
    using service = await away(2 * MINUTE);
    await reportUntil(service, BACK + 25 * HOUR);
    expect(service.notices()).toEqual([]);
    await reportUntil(service, BACK + 26 * HOUR);
    expect(told(service)).toEqual([{ hours: 26, keys: ["daily", "job"], awaited: 2 }]);
    expect(gapsIn(service)).toMatchObject([{ decided: 0 }]);
    // It goes on as an excuse, also over a restart, and nothing is told a second time.
    service.restart();
    await service.send(ping({ monitorKey: "fine" }));
    for (const key of ["job", "daily"]) service.engine.operate("monitor pause", { application: "prod", key });
    for (let day = 2; day <= 10; day += 1) service.look(BACK + day * DAY);
    service.look(service.now + SECOND);
    expect(told(service).slice(1)).toEqual([{ hours: 240, keys: ["rare"], awaited: 0 }]);
    expect(service.alarms()).toEqual([]);
    expect(gapsIn(service)).toMatchObject([{ decided: 1 }]);
  });

  test("tells nothing early where nothing stayed unknown", async () => {
    using service = await away(30 * SECOND);
    await service.send(ping(), ping({ monitorKey: "daily" }));
    await reportUntil(service, BACK + 3 * DAY);
    expect(told(service)).toEqual([]);
  });
});
