// A notifier whose process dies, at every place in its work: nothing is lost, order is kept, and only what was on its way
// may come twice. Each life has a notifier and timers of its own; what was committed is all that is left to the next.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import type { ClaimedDelivery, Outbox } from "../../src/engine/contract.ts";
import { createOutbox } from "../../src/engine/outbox.ts";
import type { Verdict } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { ALERT_AT, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { manualTime, until } from "../support/manual-time.ts";

/** Where a process may die, in the order in which a delivery comes by. */
type Place =
  | "before the claim"
  | "after the claim"
  | "during the send"
  | "before the answer"
  | "after the answer, before the mark"
  | "after the mark";

const DELIVERED: Verdict = { verdict: "delivered", answer: "HTTP 204" };
const FAILED: Verdict = { verdict: "retry", answer: "HTTP 500" };

interface World {
  readonly box: TestOutbox;
  readonly destinations: readonly string[];
  /** Deliveries by id, in the order in which receivers took them. */
  readonly received: number[];
  /** What a receiver says to the message that it has just got. */
  readonly answer: (delivery: ClaimedDelivery) => Verdict;
  /** Whether the process dies here; asked at every place it comes by. */
  readonly dies: (place: Place) => boolean;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs a process from its start until it dies or everything is delivered; answers whether it died. */
async function live({ box, destinations, received, answer, dies }: World, startedAt: number): Promise<boolean> {
  const time = manualTime(startedAt);
  const committed = createOutbox(box.database, () => {});
  let dead = false;

  /** Nothing that a dead process still tries has any effect. */
  function comeBy(place: Place): void {
    dead ||= dies(place);
    if (dead) throw new Error("the process is gone");
  }

  const outbox: Outbox = {
    releaseClaims: committed.releaseClaims,
    exchange: (endings, wanted) => {
      comeBy(endings.length > 0 ? "after the answer, before the mark" : "before the claim");
      const claims = committed.exchange(endings, wanted);
      if (endings.length > 0) comeBy("after the mark");
      if (claims.claimed.length > 0) comeBy("after the claim");
      return claims;
    },
  };

  async function send(delivery: ClaimedDelivery): Promise<Verdict> {
    await turn();
    comeBy("during the send");
    received.push(delivery.id);
    const verdict = answer(delivery);
    await turn();
    comeBy("before the answer");
    return verdict;
  }

  const channel = { type: "webhook", send };
  const notifier = createNotifier({
    outbox,
    channels: new Map(destinations.map((destination) => [destination, channel])),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  notifier.start();
  while (!dead && unfinished(box) > 0) await time.advance(5 * SECOND);
  // What the dead one has begun comes to its end, which nobody sees.
  if (dead) for (let count = 0; count < 5; count++) await turn();
  else await notifier.stop();
  return dead;
}

const unfinished = ({ database }: TestOutbox): number =>
  database.query<{ count: number }, []>("select count(*) as count from deliveries where finished_at is null").get()!
    .count;

/** What a process that died now would leave on its way. */
const underWay = ({ database }: TestOutbox): number[] =>
  database
    .query<{ id: number }, []>("select id from deliveries where finished_at is null and claimed_at is not null")
    .all()
    .map(({ id }) => id);

describe("R36: a process that dies", () => {
  test.each<[Place, number[]]>([
    ["before the claim", [1, 2]],
    ["after the claim", [1, 2]],
    ["during the send", [1, 2]],
    ["before the answer", [1, 1, 2]],
    ["after the answer, before the mark", [1, 1, 2]],
    ["after the mark", [1, 2]],
  ])("%s repeats no more than what was on its way, and loses nothing", async (where, expected) => {
    const box = openTestOutbox();
    box.enqueue(1, [toHook("hook")]);
    box.enqueue(1, [toHook("hook")]);
    const received: number[] = [];
    let dies = (place: Place): boolean => place === where;
    const world = {
      box,
      destinations: ["hook"],
      received,
      answer: () => DELIVERED,
      dies: (place: Place) => dies(place),
    };
    expect(await live(world, ALERT_AT)).toBe(true);
    dies = () => false;
    expect(await live(world, ALERT_AT + SECOND)).toBe(false);
    expect(received).toEqual(expected);
  });
});

const DESTINATIONS = ["a", "b", "c"];

const story = fc.record({
  alerts: fc.array(
    fc.record({ incident: fc.integer({ min: 1, max: 4 }), to: fc.subarray(DESTINATIONS, { minLength: 1 }) }),
    { minLength: 1, maxLength: 12 },
  ),
  /** After so many places each of the lives ends; the last life is not in the list. */
  lives: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
  /** Which of the messages receivers turn away. */
  failures: fc.array(fc.nat(30), { maxLength: 5 }),
});

test("R36: however often the process dies, nothing is lost, lanes keep their order, and only what was on its way comes twice", async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ alerts, lives, failures }) => {
      const box = openTestOutbox();
      const lanes = new Map<number, string>();
      for (const { incident, to } of alerts) {
        box.enqueue(incident, to.map(toHook));
        for (const destination of to) lanes.set(lanes.size + 1, `${incident} ${destination}`);
      }
      const received: number[] = [];
      const taken: number[] = [];
      /** How often each may come: once, and once more for each death that found it on its way. */
      const allowed = new Map([...lanes.keys()].map((id) => [id, 1]));
      let left = Number.POSITIVE_INFINITY;
      const answer = ({ id }: ClaimedDelivery): Verdict => {
        if (failures.includes(received.length)) return FAILED;
        taken.push(id);
        return DELIVERED;
      };
      const dies = (): boolean => {
        left -= 1;
        if (left > 0) return false;
        for (const id of underWay(box)) allowed.set(id, allowed.get(id)! + 1);
        return true;
      };
      const world = { box, destinations: DESTINATIONS, received, answer, dies };

      let now = ALERT_AT;
      for (const places of [...lives, Number.POSITIVE_INFINITY]) {
        left = places;
        await live(world, now);
        now += MINUTE;
      }
      expect(unfinished(box)).toBe(0);
      for (const [id, most] of allowed) {
        const times = taken.filter((each) => each === id).length;
        expect(times).toBeGreaterThanOrEqual(1);
        expect(times).toBeLessThanOrEqual(most);
      }
      for (const lane of new Set(lanes.values())) {
        const order = taken.filter((id) => lanes.get(id) === lane);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});

test("R36: what ends together is stored in one transaction, with the claims of what follows", async () => {
  const box = openTestOutbox();
  const destinations = Array.from({ length: 16 }, (_, index) => `hook-${index}`);
  for (const incident of [1, 1, 2]) box.enqueue(incident, destinations.map(toHook));
  const exchanges: [ended: number, claimed: number][] = [];
  const outbox: Outbox = {
    ...box.outbox,
    exchange: (endings, wanted) => {
      const claims = box.outbox.exchange(endings, wanted);
      exchanges.push([endings.length, claims.claimed.length]);
      return claims;
    },
  };
  const time = manualTime(ALERT_AT);
  const gate = Promise.withResolvers<Verdict>();
  const notifier = createNotifier({
    outbox,
    channels: new Map(destinations.map((name) => [name, { type: "webhook", send: () => gate.promise }])),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  notifier.start();
  await until(() => exchanges.length === 1);
  gate.resolve(DELIVERED);
  await until(() => unfinished(box) === 0);
  expect(exchanges).toEqual([
    [0, 32],
    [32, 16],
    [16, 0],
  ]);
  await notifier.stop();
});
