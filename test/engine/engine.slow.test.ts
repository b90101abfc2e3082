// The engine between reports and time: who goes first, when it looks, what a wrong clock or a lost hint does. Turns of
// the event loop are ended by the test one by one.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { NOON, type NotifiedAlert, openService, ping, policyWith, type Service } from "../support/engine.ts";

setDefaultTimeout(120_000);

const HOURLY = "0 * * * *";
/** When the slot after noon closes: its grace and five seconds later. */
const CLOSES = NOON + HOUR + MINUTE + 5 * SECOND;

const miss = (at: Instant): NotifiedAlert => ({
  monitor: "job",
  kind: "InitialFailure",
  reason: "opened",
  cause: "missed",
  at: toIso(at),
});
const recovery = (at: Instant): NotifiedAlert => ({ ...miss(at), kind: "Recovered", reason: "success" });

async function watched(policy = policyWith()): Promise<Service> {
  const service = openService(policy);
  await service.send(ping({ schedule: HOURLY }));
  return service;
}

/** Registers this many monitors, at most as many as share a batch. */
async function register(service: Service, name: string, count: number, schedule: string): Promise<void> {
  await service.send(...Array.from({ length: count }, (_, at) => ping({ monitorKey: `${name}-${at}`, schedule })));
}

describe("R19: the look at the clock", () => {
  test("tells a miss at its deadline, not a second before, and only once", async () => {
    using service = await watched();
    service.look(CLOSES - 1);
    expect(service.notified()).toEqual([]);
    service.look(CLOSES);
    expect(service.notified()).toEqual([miss(CLOSES)]);
    expect(service.nudges).toBe(1);
    for (let second = 1; second < 60; second++) service.look(CLOSES + second * SECOND);
    expect(service.notified()).toHaveLength(1);
  });

  test("waits a full turn of input after the tick", async () => {
    using service = await watched();
    service.at(CLOSES);
    service.engine.tick();
    service.endTurn();
    expect(service.notified()).toEqual([]);
    service.endTurn();
    expect(service.notified()).toEqual([miss(CLOSES)]);
  });

  test("comes after the reports that arrived in time in the same turn", async () => {
    using service = await watched();
    service.at(CLOSES - 1);
    const answer = service.engine.intake.ingest(ping());
    service.at(CLOSES);
    service.engine.tick();
    service.endTurns();
    expect(await answer).toMatchObject({ at: CLOSES - 1 });
    expect(service.notified()).toEqual([]);
    expect(service.monitor()).toMatchObject({ succeededAt: CLOSES - 1, incident: null });
  });

  test("commits first what still waits: more reports than share a batch", async () => {
    using service = await watched();
    service.at(CLOSES - 1);
    const others = Array.from({ length: 4_000 }, (_, at) =>
      service.engine.intake.ingest(ping({ monitorKey: `no ${at}` })),
    );
    const answer = service.engine.intake.ingest(ping());
    service.at(CLOSES);
    service.engine.tick();
    service.endTurns();
    await Promise.all([answer, ...others]);
    expect(service.notified()).toEqual([]);
  });

  test("comes again by itself: after the miss the reminders, an hour and six and a day later", async () => {
    using service = await watched();
    for (let minute = 0; minute <= 25 * 60; minute++) service.look(NOON + HOUR + minute * MINUTE + 5 * SECOND);
    const reminder = (at: Instant): NotifiedAlert => ({ ...miss(at), kind: "ContinuedFailure", reason: "reminder" });
    const reminders = [HOUR, 6 * HOUR, DAY].map((after) => reminder(CLOSES + after));
    expect(service.notified()).toEqual([miss(CLOSES), ...reminders]);
  });

  test("finds nothing to write for a monitor whose report has moved its deadline", async () => {
    using service = await watched();
    service.at(NOON + HOUR);
    await service.send(ping());
    const before = stored(service);
    service.look(CLOSES);
    service.look(CLOSES + 30 * MINUTE);
    expect(stored(service)).toEqual(before);
    service.look(CLOSES + HOUR);
    expect(service.notified()).toEqual([miss(CLOSES + HOUR)]);
  });

  test("believes the row and not the hint: what the row says later is not touched before", async () => {
    using service = await watched();
    changeRows(service.store, "update monitor_states set expected_at = ?", [NOON + 2 * HOUR]);
    const before = stored(service);
    service.look(CLOSES);
    expect(stored(service)).toEqual(before);
    service.look(CLOSES + HOUR);
    expect(service.notified()).toEqual([miss(CLOSES + HOUR)]);
  });

  test("takes the nearest of slot, run and reminder", async () => {
    using service = await watched();
    service.at(NOON + MINUTE);
    await service.send(ping({ kind: "start", maxRuntimeSeconds: 60 }));
    service.look(NOON + 2 * MINUTE);
    expect(service.notified()).toEqual([{ ...miss(NOON + 2 * MINUTE), cause: "unfinished" }]);
  });

  test("wakes a thousand monitors that are due at once, some in each turn, all with the stamp of their deadline", async () => {
    using service = openService();
    await register(service, "due", 1_200, HOURLY);
    service.at(CLOSES);
    service.engine.tick();
    service.endTurn();
    let turns = 0;
    while (service.endTurn()) turns++;
    expect(turns).toBeGreaterThan(2);
    expect(new Set(service.notified().map(({ monitor, at }) => `${monitor} ${at}`)).size).toBe(1_200);
    expect(service.count("alerts")).toBe(1_200);
  });

  test("ends, even when the next tick comes before the last one's work is done", async () => {
    using service = openService();
    await register(service, "due", 2_000, HOURLY);
    for (const name of ["later", "later-still", "last", "very-last"]) await register(service, name, 2_000, "0 0 1 * *");
    for (let second = 0; second < 5; second++) {
      service.at(CLOSES + second * SECOND);
      service.engine.tick();
      service.endTurn();
    }
    let turns = 0;
    while (turns < 2_000 && service.endTurn()) turns++;
    expect(turns).toBeLessThan(2_000);
    expect(service.count("alerts")).toBe(2_000);
  });
});

describe("R19: a late report", () => {
  test("tells the miss with its deadline, then the recovery, each with one delivery, in this order", async () => {
    using service = await watched();
    service.at(CLOSES + 10 * MINUTE);
    await service.send(ping());
    expect(service.notified()).toEqual([miss(CLOSES), recovery(CLOSES + 10 * MINUTE)]);
    const deliveries = service.store.database
      .query("select alert_id as alert, next_attempt_at as attempt from deliveries order by id")
      .all();
    expect(deliveries).toEqual([
      { alert: 1, attempt: service.now },
      { alert: 2, attempt: null },
    ]);
    service.look(CLOSES + 11 * MINUTE);
    expect(service.notified()).toHaveLength(2);
  });

  test("one millisecond past the deadline is late, at the deadline it is late too, before it is in time", async () => {
    for (const [late, expected] of [
      [-1, 0],
      [0, 2],
      [1, 2],
    ] as const) {
      using service = await watched();
      service.at(CLOSES + late);
      await service.send(ping());
      expect(service.notified()).toHaveLength(expected);
    }
  });

  test("in the same batch as a fail and another success keeps every alert in order", async () => {
    using service = await watched();
    service.at(CLOSES + MINUTE);
    await service.send(ping({ kind: "fail" }), ping(), ping({ kind: "fail" }));
    expect(service.notified().map(({ kind, cause }) => `${kind} ${cause}`)).toEqual([
      "InitialFailure missed",
      "ContinuedFailure failed",
      "Recovered missed",
      "InitialFailure failed",
    ]);
  });
});

describe("a clock that steps back an hour", () => {
  test("makes nothing due, loses no report and raises nothing; then time goes on as before", async () => {
    using service = await watched();
    service.at(NOON + 30 * MINUTE);
    await service.send(ping());
    service.stepClock(-HOUR);
    for (let minute = 0; minute < 10; minute++) {
      service.look(NOON - 30 * MINUTE + minute * MINUTE);
      expect(await service.send(ping({ kind: minute % 2 === 0 ? "start" : "heartbeat" }))).toMatchObject([
        { at: service.now },
      ]);
    }
    expect([service.notified(), service.count("pings")]).toEqual([[], 12]);
    service.at(NOON + 30 * MINUTE);
    service.look(NOON + HOUR);
    await service.send(ping());
    service.look(CLOSES + HOUR - SECOND);
    expect(service.notified()).toEqual([]);
    service.look(CLOSES + HOUR);
    expect(service.notified()).toEqual([miss(CLOSES + HOUR)]);
  });

  test("with an incident open tells the recovery at once, with no time in the future, and no reminder", async () => {
    using service = await watched();
    service.look(CLOSES);
    service.stepClock(-HOUR);
    service.look(NOON + 2 * MINUTE);
    await service.send(ping());
    expect(service.notified()).toEqual([miss(CLOSES), recovery(NOON + 2 * MINUTE)]);
  });

  test("and starts again in the past finds everything when time has come back", async () => {
    using service = await watched();
    service.kill();
    service.at(NOON - HOUR);
    service.start();
    expect(service.count("gaps")).toBe(1);
    service.look(NOON);
    expect(service.notified()).toEqual([]);
    service.look(CLOSES);
    expect(service.notified()).toEqual([miss(CLOSES)]);
  });
});

describe("R19: the hourly scan", () => {
  /** A monitor whose hint the wheel has never heard of. */
  function insertBehindTheBack({ store }: Service): void {
    for (const [table, change] of [
      ["monitors", "id = 7, key = 'job'"],
      ["monitor_states", "monitor_id = 7"],
    ]) {
      store.database.run(`create temp table copy as select * from ${table}`);
      store.database.run(`update copy set ${change}`);
      store.database.run(`insert into ${table} select * from copy`);
      store.database.run("drop table copy");
    }
  }

  test("finds a hint that was lost, and the alarm carries its own instant", async () => {
    using service = openService();
    await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
    service.look(NOON + HOUR);
    insertBehindTheBack(service);
    service.look(CLOSES);
    service.look(NOON + 2 * HOUR - 1);
    expect(service.notified().map(({ monitor }) => monitor)).toEqual(["other"]);
    service.look(NOON + 2 * HOUR);
    service.look(NOON + 2 * HOUR + SECOND);
    expect(service.notified()).toContainEqual(miss(CLOSES));
  });

  test("looks at some monitors a turn, and at every one of them", async () => {
    using service = openService();
    await register(service, "one", 1_500, "0 0 1 * *");
    await register(service, "two", 1_000, "0 0 1 * *");
    service.look(NOON + HOUR);
    changeRows(service.store, "update monitor_states set wake_at = ?, expected_at = ?", [CLOSES, NOON + HOUR]);
    service.look(CLOSES);
    expect(service.count("alerts")).toBe(0);
    service.look(NOON + 2 * HOUR);
    service.look(NOON + 2 * HOUR + SECOND);
    expect(service.count("alerts")).toBe(2_500);
  });
});

/** Every monitor's own row has followed its facts, as it does once an hour. */
function stored({ store }: Service): unknown[] {
  store.states.writeBehindAll();
  return ["monitors", "monitor_states", "pings", "runs", "incidents", "alerts"].map((table) =>
    store.database.query(`select * from ${table}`).all(),
  );
}
