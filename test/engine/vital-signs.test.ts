// Whether this process does its work, as [self] tells another monitor: it looks at the clock, writes, and gets messages
// out.

import { expect, test } from "bun:test";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const EVERY_NOON = { schedule: "0 12 * * *" };

/** Ticks each second until then. */
function tickUntil(service: Service, instant: number): void {
  for (let at = service.now + SECOND; at <= instant; at += SECOND) service.look(at);
}

test("a process that has not looked at the clock yet does not do its work, and does after its first tick", () => {
  using service = openService();
  expect(service.engine.unwell()).toContain("the clock is not looked at");
  service.look(NOON + SECOND);
  expect(service.engine.unwell()).toEqual([]);
  expect(service.engine.measures()).toMatchObject({ tickedAt: NOON + SECOND, committedAt: NOON + SECOND });
});

test("a tick that does not come, or whose work is not done, is noticed after ten seconds", () => {
  using service = openService();
  service.look(NOON + SECOND);
  service.at(NOON + 11 * SECOND);
  expect(service.engine.unwell()).toEqual([]);
  service.at(NOON + 11 * SECOND + 1);
  expect(service.engine.unwell()).toEqual(["the clock is not looked at"]);
  service.engine.tick();
  expect(service.engine.unwell()).toEqual(["the clock is not looked at"]);
  service.endTurns();
  expect(service.engine.unwell()).toEqual([]);
});

test("something is written at least every ten seconds though nothing is reported", () => {
  using service = openService();
  tickUntil(service, NOON + 5 * MINUTE);
  expect(service.engine.measures().committedAt).toBeGreaterThan(NOON + 5 * MINUTE - 12 * SECOND);
  expect(service.engine.unwell()).toEqual([]);
});

test("R36: storage that takes nothing is said in the words of /readyz", async () => {
  using service = openService();
  service.look(NOON + SECOND);
  service.store.database.run("PRAGMA query_only = 1");
  await service.send(ping(EVERY_NOON));
  const [storage] = service.engine.troubles();
  expect(storage).toBeString();
  expect(service.engine.unwell()).toEqual([storage!]);
  service.store.database.run("PRAGMA query_only = 0");
  await service.send(ping(EVERY_NOON));
  expect(service.engine.unwell()).toEqual([]);
});

const TO_TWO = policyWith({
  team: { name: null, destinations: ["hook", "other"], members: [] },
  destinations: new Map([
    ["hook", MESSAGES],
    ["other", MESSAGES],
  ]),
});

const stuckAt = (service: Service): string[] =>
  wholeOf(service.engine.views.measures(1))
    .destinations.filter(({ isStuck }) => isStuck)
    .map(({ name }) => name);

/** Claims what is due at these destinations and stores that it arrived. */
function deliver(service: Service, ...busy: string[]): void {
  const outbox = createOutbox(service.store.database, () => {});
  const wanted = {
    busy: new Set(busy),
    limit: 16,
    each: 16,
    digests: new Map(),
    alone: new Set<number>(),
    written: [],
  };
  const { claimed } = outbox.exchange([], { ...wanted, now: service.now, news: new Map(), sooner: [] });
  const endings = claimed.map(({ id }) => ({ id, ending: "sent" as const, at: service.now, answer: "ok" }));
  outbox.exchange(endings, { ...wanted, limit: 0, now: service.now, news: new Map(), sooner: [] });
}

test("a message is stuck when its destination has taken nothing for a quarter of an hour", async () => {
  using service = openService(TO_TWO);
  await service.send(ping({ ...EVERY_NOON, kind: "fail" }));
  deliver(service, "other");
  service.look(NOON + 15 * MINUTE - 1);
  expect(stuckAt(service)).toEqual([]);
  service.look(NOON + 15 * MINUTE);
  expect(stuckAt(service)).toEqual(["other"]);
  expect(service.engine.unwell()).toEqual(["messages are stuck at other"]);
  deliver(service);
  expect(service.engine.unwell()).toEqual([]);
});

test("while its destination fails for all it is stuck, though it is to be tried again", async () => {
  using service = openService();
  await service.send(ping({ ...EVERY_NOON, kind: "fail" }));
  const later = service.now + 2 * HOUR;
  service.store.database.run("update deliveries set next_attempt_at = ?", [later]);
  service.look(NOON + 20 * MINUTE);
  expect(stuckAt(service)).toEqual([]);
  service.failing.set("hook", "HTTP 500");
  expect(stuckAt(service)).toEqual(["hook"]);
});

test("what waits behind others at a destination that takes messages is not stuck", async () => {
  using service = openService();
  const kinds = ["a", "b"].map((monitorKey) => ping({ ...EVERY_NOON, monitorKey, kind: "fail" }));
  await service.send(...kinds);
  service.look(NOON + 20 * MINUTE);
  expect(stuckAt(service)).toEqual(["hook"]);
  const [first] = service.store.database.query<{ id: number }, []>("select id from deliveries order by id").all();
  service.store.database.run(
    "update deliveries set next_attempt_at = null, finished_at = ?, outcome = 'sent', attempts = 1 where id = ?",
    [service.now, first!.id],
  );
  expect(stuckAt(service)).toEqual([]);
  service.look(NOON + 36 * MINUTE);
  expect(stuckAt(service)).toEqual(["hook"]);
});

test("what waits and what was given up is counted in pieces, each destination by itself", async () => {
  using service = openService(TO_TWO);
  await service.send(ping({ ...EVERY_NOON, kind: "fail" }));
  const { database } = service.store;
  const many = (outcome: string | null, rows: number) =>
    database.run(
      `insert into deliveries (alert_id, destination, created_at, attempts, finished_at, outcome)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
       select 1, 'hook', 0, 1, iif(?1 is null, null, 1), ?1 from n`,
      [outcome],
    );
  many(null, 9_999);
  many("given_up", 10_003);
  many("sent", 4);
  let pieces = 0;
  const work = service.engine.views.measures(1);
  for (let step = work.next(); ; step = work.next()) {
    pieces++;
    if (!step.done) continue;
    expect(step.value.destinations).toMatchObject([
      { name: "hook", waiting: 10_000, givenUp: 10_003 },
      { name: "other", waiting: 1, givenUp: 0 },
    ]);
    break;
  }
  // Monitors, then of the first 10,000 two pieces and the end, of the second three, and of the other one each.
  expect(pieces).toBe(1 + 3 + 3 + 2 + 1);
});
