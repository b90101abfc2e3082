// A notifier whose process dies, at every place in its work: nothing is lost, order is kept, and only what was on its
// way may come twice. Each life has a notifier and timers of its own; what was committed is all that is left to the
// next.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DAY, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Outbox } from "../../src/engine/api.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { ALERT_AT, alertOf, openTestOutbox, toHook } from "../support/alerts.ts";
import { manualTime, steadyBy, until } from "../support/manual-time.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { live, membersOf, type Place, underWay, unfinished } from "./mortal-notifier.ts";

const DELIVERED: Verdict = { verdict: "delivered", answer: "HTTP 204" };
const FAILED: Verdict = { verdict: "retry", answer: "HTTP 500" };
const REJECTED: Verdict = { verdict: "rejected", answer: "HTTP 400" };

/** The one that takes digests, of this many alerts. */
const CHAT = "chat";
const DIGEST_MAX = 15;

/** The channels to these destinations: they write down what they got and answer as the test says. */
function channelsTo(
  destinations: readonly string[],
  received: number[][],
  answer: (ids: readonly number[]) => Verdict,
): Map<string, Channel> {
  const send: Channel["send"] = async (delivery) => {
    const ids = membersOf(delivery);
    received.push(ids);
    return answer(ids);
  };
  const hook: Channel = { patienceMs: 3 * DAY, send };
  const chat: Channel = { digests: DIGEST_MAX, send };
  return new Map(destinations.map((destination) => [destination, destination === CHAT ? chat : hook]));
}

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
    const received: number[][] = [];
    let dies = (place: Place): boolean => place === where;
    const world = {
      box,
      channels: channelsTo(["hook"], received, () => DELIVERED),
      dies: (place: Place) => dies(place),
    };
    expect(await live(world, ALERT_AT)).toBe(true);
    dies = () => false;
    expect(await live(world, ALERT_AT + SECOND)).toBe(false);
    expect(received).toEqual(expected.map((id) => [id]));
  });

  test.each<[Place, number]>([
    ["after the claim", 1],
    ["during the send", 1],
    ["before the answer", 2],
    ["after the answer, before the mark", 2],
    ["after the mark", 1],
  ])("R39: %s, with a digest on its way, repeats that at most, and as one", async (where, times) => {
    const box = openTestOutbox();
    const ids = Array.from({ length: 12 }, (_, index) => index + 1);
    for (const incident of ids) box.enqueue(incident, [toHook(CHAT)]);
    const received: number[][] = [];
    let dies = (place: Place): boolean => place === where;
    const world = {
      box,
      channels: channelsTo([CHAT], received, () => DELIVERED),
      dies: (place: Place) => dies(place),
    };
    expect(await live(world, ALERT_AT)).toBe(true);
    dies = () => false;
    expect(await live(world, ALERT_AT + SECOND)).toBe(false);
    expect(received).toEqual(Array.from({ length: times }, () => ids));
  });
});

const DESTINATIONS = ["a", "b", CHAT];

const RUNS = propertyRuns(100);

const openedOf = (incident: number) => ({ incident, kind: "InitialFailure" as const, to: [CHAT] });

const story = fc.record({
  alerts: fc.array(
    fc.record({
      incident: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 40 })),
      kind: fc.constantFrom("InitialFailure", "InitialFailure", "Recovered", "ContinuedFailure"),
      to: fc.subarray(DESTINATIONS, { minLength: 1 }),
    }),
    { minLength: 1, maxLength: 20 },
  ),
  /** How many incidents open at once before all these. */
  storm: fc.integer({ min: 0, max: 40 }),
  /** After how many places each of the lives ends; the last life is not in the list. */
  lives: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
  /** Which of the messages receivers turn away. */
  failures: fc.array(fc.nat(30), { maxLength: 5 }),
  /** The chat takes no digest. */
  refusesDigests: fc.boolean(),
});

test("R36: however often the process dies, nothing is lost, lanes keep their order, and only what was on its way comes twice", async () => {
  let digests = 0;
  await fc.assert(
    fc.asyncProperty(story, async ({ alerts, storm, lives, failures, refusesDigests }) => {
      const box = openTestOutbox();
      const lanes = new Map<number, string>();
      const opened = Array.from({ length: storm }, (_, index) => openedOf(index + 1));
      for (const { incident, kind, to } of [...opened, ...alerts]) {
        box.enqueue(incident, to.map(toHook), ALERT_AT, alertOf({ kind }));
        for (const destination of to) lanes.set(lanes.size + 1, `${incident} ${destination}`);
      }
      const received: number[][] = [];
      const taken: number[] = [];
      /** How often each may come: once, and once more for each death that found it on its way. */
      const allowed = new Map([...lanes.keys()].map((id) => [id, 1]));
      let left = Number.POSITIVE_INFINITY;
      const answer = (ids: readonly number[]): Verdict => {
        if (failures.includes(received.length)) return FAILED;
        if (refusesDigests && ids.length > 1) return REJECTED;
        if (ids.length > 1) digests += 1;
        taken.push(...ids);
        return DELIVERED;
      };
      const dies = (): boolean => {
        left -= 1;
        if (left > 0) return false;
        for (const id of underWay(box)) allowed.set(id, allowed.get(id)! + 1);
        return true;
      };
      const world = { box, channels: channelsTo(DESTINATIONS, received, answer), dies };

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
    RUNS,
  );
  expect(digests).toBeGreaterThan(RUNS.numRuns / 10);
}, 600_000);

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
    steadySince: steadyBy(time.clock),
    outbox,
    channels: new Map(destinations.map((name) => [name, { send: () => gate.promise }])),
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
