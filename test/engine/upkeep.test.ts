// What the engine does once an hour with what is old: it goes, some rows a turn of the event loop, and what people look
// at after a quiet year stays.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import { DAY, HOUR, isNewHour, MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

/** Later than any slot of this test, so that nothing but upkeep happens. */
const FIRST = ping({ schedule: "0 0 29 2 *" });

/** A fail and then this many heartbeats, all at noon. */
async function withPings(heartbeats: number): Promise<Service> {
  const service = openService();
  await service.send(FIRST, ping({ kind: "fail" }), ...Array.from({ length: heartbeats }, () => ping()));
  return service;
}

const kinds = ({ store }: Service): string[] =>
  store.database
    .query<{ kind: string }, []>("select kind from pings order by id")
    .all()
    .map(({ kind }) => kind);

describe("pings older than 90 days", () => {
  test("go but for a monitor's last 20 and its last failure", async () => {
    using service = await withPings(100);
    service.look(NOON + 90 * DAY);
    expect(service.count("pings")).toBe(102);
    service.look(NOON + 90 * DAY + HOUR);
    expect(kinds(service)).toEqual(["fail", ...Array.from({ length: 20 }, () => "heartbeat")]);
  });

  test("go a bounded number a turn, while reports are taken in between", async () => {
    using service = await withPings(1_900);
    service.at(NOON + 91 * DAY);
    service.engine.tick();
    const steps: number[] = [];
    for (let before = service.count("pings"); service.endTurn(); ) {
      const after = service.count("pings");
      steps.push(before - after);
      before = after;
      if (steps.length === 2) void service.engine.intake.ingest(ping({ kind: "log" }));
    }
    expect(Math.max(...steps)).toBeLessThanOrEqual(500);
    expect(steps.filter((deleted) => deleted > 0).length).toBeGreaterThan(3);
    // One more than need be: the monitor's own row is behind the report that was taken meanwhile.
    expect(service.count("pings")).toBe(22);
    expect(kinds(service).at(-1)).toBe("log");
    service.look(NOON + 91 * DAY + HOUR);
    expect(service.count("pings")).toBe(21);
  });

  test("are looked for once an hour", async () => {
    using service = await withPings(100);
    service.look(NOON + 90 * DAY + MINUTE);
    service.look(NOON + 90 * DAY + HOUR - SECOND);
    expect(service.count("pings")).toBe(102 - 81);
    await service.send(ping());
    expect(service.count("pings")).toBe(22);
    service.look(NOON + 90 * DAY + HOUR);
    expect(service.count("pings")).toBe(21);
  });
});

test("runs that ended 90 days ago go but for a monitor's last 20 and those that are still open", async () => {
  using service = openService();
  const run = (runId: string) => [
    ping({ kind: "start", runId, maxRuntimeSeconds: 60 }),
    ping({ kind: "complete", runId }),
  ];
  const ended = Array.from({ length: 50 }, (_, index) => run(`run ${index}`)).flat();
  await service.send(FIRST, ping({ kind: "start", runId: "open", maxRuntimeSeconds: 365 * 86_400 }), ...ended);
  service.look(NOON + 91 * DAY);
  expect(service.count("runs")).toBe(21);
  expect(service.store.database.query("select run_id from runs where state = 'open'").all()).toEqual([
    { run_id: "open" },
  ]);
});

test("incidents closed a year ago go with their alerts and deliveries, open ones and younger ones stay", async () => {
  using service = openService();
  const fail = ping({ kind: "fail" });
  await service.send(FIRST, fail, ping(), fail);
  service.at(NOON + 2 * DAY);
  await service.send(ping(), fail);
  service.look(NOON + 366 * DAY);
  const kept = service.store.database
    .query("select number, closed_at is null as open from incidents order by id")
    .all();
  expect(kept).toEqual([
    { number: 2, open: 0 },
    { number: 3, open: 1 },
  ]);
  const told = service.notified().length;
  expect(told).toBeGreaterThan(0);
  expect([service.count("alerts"), service.count("deliveries")]).toEqual([told, told]);
});

test("an hour begins on the hour, whichever way the clock goes", () => {
  expect(isNewHour(NOON, NOON + HOUR - 1)).toBe(false);
  expect(isNewHour(NOON + HOUR - 1, NOON + HOUR)).toBe(true);
  expect(isNewHour(NOON, NOON + 25 * HOUR)).toBe(true);
  expect(isNewHour(NOON, NOON - 1)).toBe(true);
});

test("once a day it looks how long runs took, so that a job which takes ever longer is known by its weeks", async () => {
  using service = openService();
  const minutes = [4, 4, 5, 9, 22];
  for (let day = 0; day < 35; day++) {
    service.look(NOON + day * DAY);
    await service.send(ping({ kind: "start", schedule: "0 12 * * *", graceSeconds: 3_600 }));
    service.look(NOON + day * DAY + minutes[Math.floor(day / 7)]! * MINUTE);
    await service.send(ping({ kind: "complete" }));
  }
  service.look(NOON + 35 * DAY);
  const shown = service.engine.operate("monitor show", { application: "prod", key: "job" });
  if (isRefusal(shown)) throw new Error(shown.message);
  const { usual, weeks } = shown.runLengths;
  expect(weeks.map(({ medianMs, runs }) => [medianMs / MINUTE, runs])).toEqual(minutes.map((count) => [count, 7]));
  expect(usual).toEqual({ usualMs: 22 * MINUTE, slower: { times: 5.5, weeks: 3 } });
  await service.send(ping({ kind: "start" }), ping({ kind: "complete" }));
  service.look(NOON + 35 * DAY + 3 * HOUR);
  expect(lookedAt(service)).toBe(NOON + 35 * DAY);
  service.look(NOON + 36 * DAY);
  expect(lookedAt(service)).toBe(NOON + 36 * DAY);
  await service.engine.operate("monitor delete", { application: "prod", key: "job" });
  service.look(NOON + 60 * DAY);
  service.look(NOON + 61 * DAY);
  expect(service.count("run_lengths")).toBe(0);
});

const lookedAt = ({ store }: Service): number =>
  store.database.query<{ at: number }, []>("select at from run_lengths").get()!.at;

describe("R26: a clock that is 800 days ahead for 90 seconds, and right again,", () => {
  test("deletes no report, incident or act, and a deleted monitor can still come back", async () => {
    using service = await withPings(60);
    await service.send(ping());
    granted(service.engine.operate("monitor delete", { key: "job" }));
    await service.send(...Array.from({ length: 60 }, () => ping({ monitorKey: "other", schedule: "0 0 29 2 *" })));
    const tables = ["pings", "incidents", "audit", "alerts", "deliveries", "monitors"] as const;
    const before = tables.map((table) => service.count(table));
    service.look(NOON + MINUTE);
    service.stepClock(800 * DAY);
    for (let second = 0; second <= 90; second += 10) service.look(service.now + 10 * SECOND);
    const kept = tables.map((table) => service.count(table));
    for (const [nth, count] of kept.entries())
      expect([tables[nth], count >= before[nth]!]).toEqual([tables[nth], true]);
    granted(service.engine.operate("monitor undelete", { key: "job" }));
    service.stepClock(-800 * DAY);
    service.look(service.now + SECOND);
    expect(service.count("pings")).toBeGreaterThanOrEqual(before[0]!);
  });

  test("is believed once it has stood for six hours, over a restart too", async () => {
    using service = await withPings(100);
    service.look(NOON + MINUTE);
    service.stepClock(800 * DAY);
    service.look(service.now + SECOND);
    expect(service.count("pings")).toBe(102);
    service.restart();
    for (let hours = 0; hours < 5; hours += 1) service.look(service.now + HOUR);
    expect(service.count("pings")).toBe(102);
    for (let hours = 0; hours < 2; hours += 1) service.look(service.now + HOUR);
    expect(service.count("pings")).toBe(21);
  });
});
