// What waits at a destination that works again (R36): the first message it takes, a test included, brings forward all
// the others, and shows that other destinations may work again. Through the real notifier and outbox, on a clock the
// test moves.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { testMessage } from "../../src/domain/message/test-message.ts";
import type { Route } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { enqueueTests, prepareDeliveries } from "../../src/store/deliveries.ts";
import { openStore } from "../../src/store/store.ts";
import { ALERT_AT, alertOf, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { type ManualTime, manualTime, steadyBy } from "../support/manual-time.ts";
import { HOUSE } from "../support/notices.ts";

const DELIVERED: Verdict = { verdict: "delivered", answer: "ok" };
const FAILED: Verdict = { verdict: "retry", answer: "HTTP 500" };
const BLOCKED: Verdict = { verdict: "blocked", answer: "535 wrong password" };

/** A notifier over one destination, `hook`, that answers as the test says at the time. */
const at = (answer: () => Verdict, world: Partial<World> = {}) => among({ hook: answer }, world);

interface World {
  readonly box: TestOutbox;
  readonly time: ManualTime;
}

/** A notifier over these destinations. */
function among(
  answers: Readonly<Record<string, (delivery: ClaimedDelivery) => Verdict>>,
  { box = openTestOutbox(), time = manualTime(ALERT_AT) }: Partial<World> = {},
) {
  const asked: { readonly destination: string; readonly at: Instant }[] = [];
  const channelOf = ([destination, answer]: [string, (delivery: ClaimedDelivery) => Verdict]): [string, Channel] => [
    destination,
    {
      patienceMs: 3 * DAY,
      send: async (delivery) => {
        asked.push({ destination, at: time.clock.now() });
        return answer(delivery);
      },
    },
  ];
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map(Object.entries(answers).map(channelOf)),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  const left = () =>
    box.database
      .query<{ count: number }, []>("select count(*) as count from deliveries where finished_at is null")
      .get()!.count;
  const tell = (monitor: number, route: Route = toHook("hook")) => {
    box.enqueue(monitor, [route], time.clock.now(), alertOf({}, time.clock.now()));
    notifier.nudge();
  };
  const notifyTest = () => {
    const alertId = openStore(box.database).alerts.insert(null, testMessage("hook", time.clock.now(), HOUSE));
    enqueueTests(prepareDeliveries(box.database), { alertId, routes: [toHook("hook")], at: time.clock.now() });
    notifier.nudge("hook");
  };
  return { box, time, notifier, left, tell, notifyTest, asked };
}

test("R36: the first message that a destination takes again brings forward all that waits there", async () => {
  let verdict: Verdict = BLOCKED;
  const { time, notifier, left, tell } = at(() => verdict);
  notifier.start();
  for (const monitor of [1, 2, 3]) tell(monitor);
  await time.advance(10 * MINUTE);
  verdict = DELIVERED;
  await time.advance(2 * MINUTE);
  expect(left()).toBe(3);
  tell(4);
  await time.advance(SECOND);
  expect(left()).toBe(0);
  await notifier.stop();
});

test("R36: a test that arrives brings forward what waits, through a restart too", async () => {
  let verdict: Verdict = BLOCKED;
  const before = at(() => verdict);
  before.notifier.start();
  for (const monitor of [1, 2]) before.tell(monitor);
  await before.time.advance(9 * MINUTE);
  await before.notifier.stop();

  verdict = DELIVERED;
  const { time, notifier, left, notifyTest } = at(() => verdict, before);
  notifier.start();
  await time.advance(MINUTE);
  expect(left()).toBe(2);
  notifyTest();
  await time.advance(SECOND);
  expect(left()).toBe(0);
  await notifier.stop();
});

test("R36: a test that fails brings nothing forward", async () => {
  const { time, notifier, box, tell, notifyTest } = at(() => BLOCKED);
  notifier.start();
  tell(1);
  await time.advance(5 * MINUTE);
  notifyTest();
  await time.advance(SECOND);
  expect(box.database.query("select attempts from deliveries where id = 1").get()).toEqual({ attempts: 1 });
  await notifier.stop();
});

test("R36: since when a destination fails outlives a restart, until it takes a message", async () => {
  let verdict: Verdict = FAILED;
  const before = at(() => verdict);
  before.notifier.start();
  before.tell(1);
  await before.time.advance(MINUTE);
  await before.notifier.stop();

  const { time, notifier } = at(() => verdict, before);
  notifier.start();
  await time.advance(5 * MINUTE);
  expect(notifier.failing().get("hook")?.since).toBe(ALERT_AT);
  verdict = DELIVERED;
  await time.advance(HOUR);
  expect(notifier.failing().size).toBe(0);
  expect(before.box.outbox.knownDestinations().failing).toEqual(new Map());
  await notifier.stop();
});

test("R36: thousands are brought forward in pieces, and every one of them", async () => {
  let verdict: Verdict = BLOCKED;
  const { time, notifier, left, tell, box } = at(() => verdict);
  notifier.start();
  tell(1);
  await time.advance(MINUTE);
  for (let monitor = 2; monitor <= 2_500; monitor++) box.enqueue(monitor, [toHook("hook")], ALERT_AT);
  box.database.run("update deliveries set next_attempt_at = ?, attempts = 1", [ALERT_AT + HOUR]);
  verdict = DELIVERED;
  tell(2_501);
  await time.advance(MINUTE);
  expect(left()).toBe(0);
  await notifier.stop();
});

test("R36: when one destination works again, one message is tried at each other that fails, and brings forward the rest", async () => {
  let network: Verdict = FAILED;
  const { time, notifier, left, tell, asked } = among({ hook: () => network, chat: () => network });
  notifier.start();
  for (const monitor of [1, 2, 3]) tell(monitor, toHook("chat"));
  await time.advance(30 * MINUTE);
  tell(4);
  await time.advance(4 * HOUR);
  network = DELIVERED;
  // Nothing has been tried yet that would show it.
  expect(left()).toBe(4);
  tell(5);
  await time.advance(MINUTE);
  expect(left()).toBe(0);
  expect(asked.at(-1)!.at).toBeLessThanOrEqual(ALERT_AT + 4 * HOUR + 31 * MINUTE);
  await notifier.stop();
});

test("R36: of the others one message is tried, no more often than each minute, and waits grow again if it fails", async () => {
  let chat: Verdict = FAILED;
  const { time, notifier, left, tell, asked } = among({ hook: () => FAILED, chat: () => chat, pager: () => FAILED });
  notifier.start();
  tell(1, toHook("chat"));
  for (const monitor of [2, 3, 4]) tell(monitor, toHook("pager"));
  await time.advance(5 * HOUR);
  const before = asked.length;
  chat = DELIVERED;
  tell(5, toHook("chat"));
  await time.advance(10 * SECOND);
  const since = asked.slice(before).filter(({ destination }) => destination === "pager");
  expect(since.length).toBeGreaterThanOrEqual(1);
  expect(since.length).toBeLessThanOrEqual(2);
  await time.advance(10 * MINUTE);
  const later = asked.slice(before).filter(({ destination }) => destination === "pager");
  // After 5 s, 15 s, 45 s, 2 and 5 minutes, and not only after an hour.
  expect(later.length).toBeGreaterThanOrEqual(4);
  expect(later.length).toBeLessThanOrEqual(8);
  expect(left()).toBe(3);
  await notifier.stop();
});

test("R36: that another works again says nothing of one that wants something repaired, or asked for a pause", async () => {
  let hook: Verdict = FAILED;
  const paused: Verdict = { verdict: "retry", answer: "HTTP 429", afterMs: HOUR };
  const { time, notifier, tell, asked } = among({ hook: () => hook, mail: () => BLOCKED, chat: () => paused });
  notifier.start();
  tell(1);
  tell(2, toHook("mail"));
  tell(3, toHook("chat"));
  await time.advance(10 * MINUTE);
  hook = DELIVERED;
  tell(4);
  await time.advance(20 * MINUTE);
  const counts = Object.groupBy(asked, ({ destination }) => destination);
  expect([counts["mail"]!.length, counts["chat"]!.length]).toEqual([1, 1]);
  await notifier.stop();
});

test("R36: after a restart, too, one that works again shows that others may", async () => {
  let network: Verdict = FAILED;
  const answers = { hook: () => network, chat: () => network };
  const before = among(answers);
  before.notifier.start();
  before.tell(1);
  before.tell(2, toHook("chat"));
  await before.time.advance(5 * HOUR);
  await before.notifier.stop();

  network = DELIVERED;
  const { time, notifier, left, tell } = among(answers, before);
  notifier.start();
  await time.advance(SECOND);
  expect(left()).toBe(2);
  tell(3);
  await time.advance(MINUTE);
  expect(left()).toBe(0);
  await notifier.stop();
});

test("R36: a destination that refuses one message for its content works: the others are due", async () => {
  let answer: (delivery: ClaimedDelivery) => Verdict = () => FAILED;
  const { time, notifier, left, tell } = among({ hook: (delivery) => answer(delivery) });
  notifier.start();
  for (const monitor of [1, 2, 3]) tell(monitor);
  await time.advance(5 * HOUR);
  answer = ({ id }) => (id === 4 ? { verdict: "rejected", answer: "HTTP 400" } : DELIVERED);
  expect(left()).toBe(3);
  tell(4);
  await time.advance(MINUTE);
  expect(left()).toBe(0);
  await notifier.stop();
});

test("R36: a mailbox that takes mail again brings forward what waits for it, and for no other", async () => {
  let isFull = true;
  const full: Verdict = { verdict: "blocked", answer: "452 mailbox full", recipientOnly: true };
  const { time, notifier, box, tell } = among({
    mail: ({ recipient = "" }) =>
      recipient === "bob@example.org" || (recipient === "ada@example.org" && isFull) ? full : DELIVERED,
  });
  const to = (recipient: string): Route => ({ destination: "mail", recipient });
  notifier.start();
  tell(5, to("eve@example.org"));
  for (const monitor of [1, 2]) tell(monitor, to("ada@example.org"));
  tell(3, to("bob@example.org"));
  await time.advance(10 * MINUTE);
  isFull = false;
  tell(4, to("ada@example.org"));
  await time.advance(SECOND);
  const waiting = "select recipient, attempts from deliveries where finished_at is null";
  expect(box.database.query(waiting).all()).toEqual([{ recipient: "bob@example.org", attempts: 1 }]);
  await notifier.stop();
});

test("R36: a recipient who is put off while the network may be back waits longer each time, as ever", async () => {
  let network: Verdict = FAILED;
  const busy: Verdict = { verdict: "retry", answer: "451 try later", recipientOnly: true };
  const { time, notifier, tell, asked } = among({
    hook: () => network,
    mail: () => (network === FAILED ? FAILED : busy),
  });
  notifier.start();
  tell(1);
  tell(2, { destination: "mail", recipient: "ada@example.org" });
  await time.advance(5 * HOUR);
  network = DELIVERED;
  tell(3);
  await time.advance(10 * SECOND);
  const before = asked.length;
  await time.advance(40 * MINUTE);
  expect(asked.length).toBeLessThanOrEqual(before + 1);
  await notifier.stop();
});

/** Minutes of an outage, and in which of them a job has something to tell. */
const outages = fc.record({
  minutes: fc.integer({ min: 1, max: 300 }),
  told: fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 }),
  how: fc.constantFrom(FAILED, BLOCKED),
  restartsAt: fc.option(fc.integer({ min: 0, max: 300 }), { nil: null }),
});

test("R36: however long an outage was, nothing waits a minute longer than the first message after it", async () => {
  await fc.assert(
    fc.asyncProperty(outages, async ({ minutes, told, how, restartsAt }) => {
      let verdict: Verdict = how;
      let world = at(() => verdict);
      world.notifier.start();
      for (let minute = 0; minute < minutes; minute++) {
        for (const [monitor, when] of told.entries()) if (when === minute) world.tell(monitor + 1);
        if (minute === restartsAt) {
          await world.notifier.stop();
          world = at(() => verdict, world);
          world.notifier.start();
        }
        await world.time.advance(MINUTE);
      }
      verdict = DELIVERED;
      world.tell(100);
      await world.time.advance(MINUTE);
      expect(world.left()).toBe(0);
      await world.notifier.stop();
    }),
    { numRuns: 25 },
  );
});
