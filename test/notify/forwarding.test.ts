// What waits at a destination that works again (R36): the first message it takes, a test included, brings forward all the
// others. Through the real notifier and outbox, on a clock the test moves.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { testMessage } from "../../src/domain/message/test-message.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { enqueueTests, prepareDeliveries } from "../../src/store/deliveries.ts";
import { openStore } from "../../src/store/store.ts";
import { ALERT_AT, alertOf, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { type ManualTime, manualTime } from "../support/manual-time.ts";
import { HOUSE } from "../support/notices.ts";

const DELIVERED: Verdict = { verdict: "delivered", answer: "ok" };
const FAILED: Verdict = { verdict: "retry", answer: "HTTP 500" };
const BLOCKED: Verdict = { verdict: "blocked", answer: "535 wrong password" };

/** A notifier over one destination, `hook`, that answers as the test says at the time. */
function at(
  answer: () => Verdict,
  { box = openTestOutbox(), time = manualTime(ALERT_AT) }: Partial<{ box: TestOutbox; time: ManualTime }> = {},
) {
  const channel: Channel = { patienceMs: 3 * DAY, send: async () => answer() };
  const notifier = createNotifier({
    outbox: box.outbox,
    channels: new Map([["hook", channel]]),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  const left = () =>
    box.database
      .query<{ count: number }, []>("select count(*) as count from deliveries where finished_at is null")
      .get()!.count;
  const tell = (monitor: number) => {
    box.enqueue(monitor, [toHook("hook")], time.clock.now(), alertOf({}, time.clock.now()));
    notifier.nudge();
  };
  const notifyTest = () => {
    const alertId = openStore(box.database).alerts.insert(null, testMessage("hook", time.clock.now(), HOUSE));
    enqueueTests(prepareDeliveries(box.database), { alertId, routes: [toHook("hook")], at: time.clock.now() });
    notifier.nudge("hook");
  };
  return { box, time, notifier, left, tell, notifyTest };
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
  expect(notifier.failing().size).toBe(0);
  await time.advance(5 * MINUTE);
  expect(notifier.failing().get("hook")?.since).toBe(ALERT_AT);
  verdict = DELIVERED;
  await time.advance(HOUR);
  expect(notifier.failing().size).toBe(0);
  expect(before.box.outbox.failingSince()).toEqual(new Map());
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
