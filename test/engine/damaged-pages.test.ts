// A page of the database that the disk cannot read, or not any more: what lies in it stops nobody else, and a report
// that is answered 503 for it never becomes an alarm.

import { expect, test } from "bun:test";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { startedRun } from "../../src/domain/monitor/run.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { runBatch } from "../../src/engine/transaction.ts";
import { monitorStateRows } from "../../src/store/memory/monitor-states.ts";
import { rowNameHash } from "../../src/store/memory/row-names.ts";
import { NO_HEADS, type StateRow, toState } from "../../src/store/monitor-state.ts";
import { NO_RUNS, runNames, runRows } from "../../src/store/runs.ts";
import { damageFirstRows } from "../support/damage.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { PLAIN_WATCH } from "../support/watch.ts";

const HOURLY = "0 * * * *";
const SLOT = NOON + HOUR;
const CLOSES = SLOT + MINUTE + 5 * SECOND;
const KEYS = ["bad", ...Array.from({ length: 40 }, (_, number) => `job-${number}`)];
const LAST = KEYS.at(-1)!;

const IDS = KEYS.map((_, index) => index + 1);

const { watch: _, ...FACTS } = newMonitor(PLAIN_WATCH, 0);

const rowOf = (id: number, value: number): StateRow => toState(id, { ...FACTS, changedAt: value }, NO_HEADS, null);

/** `bad` and a few others lie in the first page. */
async function watched(): Promise<Service> {
  const service = openService();
  await service.send(...KEYS.map((monitorKey) => ping({ monitorKey, schedule: HOURLY })));
  service.endTurns();
  return service;
}

const notifiedOf = (service: Service): readonly string[] => service.alarms().map(({ monitor }) => monitor);

for (const table of ["monitors", "monitor_states"]) {
  test(`R26: a report whose ${table} cannot be read is answered 503 and leaves a gap, the others of its batch are stored`, async () => {
    using service = await watched();
    if (table === "monitor_states") {
      service.store.states.writeBehindAll();
      service.store.states.reread();
    }
    service.at(SLOT + 10 * SECOND);
    const repair = damageFirstRows(service.store.database, table);
    const answers = await service.send(ping({ monitorKey: LAST }), ping({ monitorKey: "bad" }));
    expect(answers).toMatchObject([{ kind: "heartbeat" }, { refusal: "STORAGE_UNAVAILABLE" }]);
    expect(service.logged.at(-1)).toMatchObject({ level: "error", event: "ping_failed", fields: { monitor: "bad" } });
    service.look(SLOT + 11 * SECOND);
    expect(service.store.gaps.undecided()).toMatchObject([
      { gap: { from: SLOT + 10 * SECOND, to: SLOT + 11 * SECOND, reason: "storage" } },
    ]);
    repair();
    service.look(CLOSES + 2 * MINUTE);
    service.look(CLOSES + 3 * MINUTE);
    expect(notifiedOf(service)).not.toContain("bad");
    expect(notifiedOf(service)).not.toContain(LAST);
    expect(service.engine.troubles()).toEqual([]);
  });
}

test("R19: monitors that cannot be read stop nobody who is due with them", async () => {
  using service = await watched();
  service.store.states.writeBehindAll();
  const repair = damageFirstRows(service.store.database, "monitor_states");
  service.look(CLOSES);
  service.look(CLOSES + SECOND);
  const told = notifiedOf(service);
  expect(told).toContain(LAST);
  expect(told).not.toContain("bad");
  expect(told.length).toBeGreaterThan(20);
  expect(service.engine.troubles()).toEqual([expect.stringMatching(/^\d+ monitors cannot be read/)]);
  repair();
  service.look(CLOSES + HOUR);
  expect(new Set(notifiedOf(service))).toEqual(new Set(KEYS));
});

test("R19: a start goes on though monitors cannot be read; the others are watched as before", async () => {
  using service = await watched();
  service.store.states.writeBehindAll();
  service.look(NOON + MINUTE);
  damageFirstRows(service.store.database, "monitor_states");
  service.restart();
  service.endTurns();
  const unreadable = service.logged.filter(({ event }) => event === "monitor_unreadable").length;
  expect(unreadable).toBeGreaterThan(0);
  expect(service.engine.troubles()).toEqual([expect.stringContaining(`${unreadable} monitors cannot be read`)]);
  service.look(CLOSES);
  service.look(CLOSES + SECOND);
  expect(new Set(notifiedOf(service))).toEqual(new Set(KEYS.slice(unreadable)));
  const repeated = service.logged.filter(({ event }) => event === "storage_failed");
  expect(repeated).toEqual([]);
});

test("R26: a gap is decided and told of though some monitors cannot be read", async () => {
  using service = await watched();
  damageFirstRows(service.store.database, "monitors");
  service.at(SLOT - SECOND);
  service.standStill(30 * SECOND);
  for (let second = 0; second < 100; second += 1) service.look(SLOT + (30 + second) * SECOND);
  const [notice, ...others] = service.notices().map(({ data }) => data.notice);
  expect(notice).toMatchObject({
    kind: "unheard",
    monitors: expect.arrayContaining([expect.objectContaining({ monitorKey: LAST })]),
  });
  expect([others, service.store.gaps.undecided()]).toEqual([[], []]);
});

test("R19: an own row that cannot be written keeps no report from being stored, and its facts stay in the log", () => {
  using service = openService();
  const { database } = service.store;
  const states = monitorStateRows(database, 20);
  const around = { first: () => {}, memory: states.memory };
  const save = (value: number): unknown =>
    runBatch(
      database,
      IDS,
      (id) => states.save(rowOf(id, value)),
      (id, error) => ({ id, error }),
      around,
    );
  database.transaction(() => IDS.forEach((id) => void states.insert(rowOf(id, 0))))();
  save(1);
  const repair = damageFirstRows(database, "monitor_states");
  for (let value = 2; value < 30; value += 1) expect(save(value)).toEqual(IDS.map(() => undefined));
  const { rows } = database.query<{ rows: number }, []>("SELECT count(*) AS rows FROM state_log").get()!;
  expect(rows).toBeLessThan(8 * IDS.length);
  expect(IDS.map((id) => states.load(id)!.changedAt)).toEqual(IDS.map(() => 29));
  repair();
  // As a process after it finds them.
  const again = monitorStateRows(database);
  expect(IDS.map((id) => again.load(id)!.changedAt)).toEqual(IDS.map(() => 29));
});

test("R22: names of runs that cannot be written keep no report from being stored, and memory finds the runs", () => {
  using service = openService();
  const { database } = service.store;
  const names = runNames(database, { noted: 4, between: 2, hashOf: rowNameHash });
  const runs = runRows(database, names);
  const around = { first: () => {}, memory: names.memory };
  const begin = (number: number, runId = `run-${number}`): unknown => {
    const run = startedRun(number, { runId, attempt: null }, 0, 0);
    const save = () => void runs.save(1, NO_RUNS, [run], new Set());
    return runBatch(database, [number], save, (_, error) => error, around)[0];
  };
  for (let number = 1; number <= 10; number += 1) expect(begin(number)).toBeUndefined();
  const repair = damageFirstRows(database, "run_names");
  for (let number = 11; number <= 30; number += 1) expect(begin(number)).toBeUndefined();
  expect([...runs.load(1, 0, "run-30").keys()]).toEqual([30]);
  // Its name is noted, and the run before it would have to follow.
  expect(begin(31, "run-30")).toBeUndefined();
  expect([...runs.load(1, 0, "run-30").keys()]).toEqual([31]);
  repair();
  // As a process after it finds them.
  const again = runRows(database, runNames(database));
  for (let number = 1; number < 30; number += 1)
    expect([...again.load(1, 0, `run-${number}`).keys()]).toEqual([number]);
});

test("R26: lengths of runs that cannot be read, or say nothing, hide no monitor and stop no upkeep", async () => {
  using service = await watched();
  service.look(NOON + 2 * HOUR);
  const { database } = service.store;
  expect(service.count("run_lengths")).toBe(KEYS.length);
  const strange = ["", "{}", '{"a":1}', "[null]", '["x"]', '[{"from":1}]', '[{"from":1,"runs":2,"medianMs":"3"}]'];
  for (const [place, weeks] of strange.entries())
    database.run("update run_lengths set weeks = ? where monitor_id = ?", [weeks, place + 1]);
  const seen = () => {
    const board = service.engine.views.board;
    board.forget();
    for (const _ of board.catchUp());
    return wholeOf(board.monitors(service.now, () => true)).map(({ key }) => key);
  };
  expect(seen().toSorted()).toEqual(KEYS.toSorted());
  expect(service.engine.operate("monitor show", { key: "bad" })).toMatchObject({
    runLengths: { usual: null, weeks: [] },
  });
  const repair = damageFirstRows(database, "run_lengths");
  expect(seen().toSorted()).toEqual(KEYS.toSorted());
  expect(service.engine.operate("monitor show", { key: "bad" })).toMatchObject({ key: "bad" });
  await service.send(...KEYS.map((monitorKey) => ping({ monitorKey })));
  service.look(NOON + 27 * HOUR);
  repair();
  expect(service.logged.filter(({ event }) => event === "storage_failed")).toEqual([]);
});
