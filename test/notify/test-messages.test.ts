// Test messages and drills on their way: how long each is tried, that a person need not wait for a destination that has
// just failed, and what a webhook gets.

import { expect, test } from "bun:test";
import { DRILL_PATIENCE, drillMessage, type TestMessage, testMessage } from "../../src/domain/message/test-message.ts";
import { DAY, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { patienceOf } from "../../src/notify/retry.ts";
import { ALERT_AT, alertOf, openTestOutbox, toHook } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { manualTime, steadyBy } from "../support/manual-time.ts";
import { HOUSE } from "../support/notices.ts";

const TEST = testMessage("hook", ALERT_AT, HOUSE);
const DRILL = drillMessage(
  {
    applicationId: "prod",
    monitorKey: "backup",
    name: "Backup <b>",
    timezone: "UTC",
    schedule: "0 3 * * *",
    presentation: {
      applicationName: null,
      teamName: null,
      owner: null,
      severity: "error",
      environment: null,
      links: { runbook: "https://wiki.example.org" },
      note: null,
      labels: [],
    },
    everySeconds: DAY / SECOND,
    destinations: ["hook"],
  },
  ALERT_AT,
  HOUSE,
);

/** A notifier over one destination, `hook`, that answers as it is told and notes when it was asked. */
function notifierOver(answers: readonly Verdict[]) {
  const box = openTestOutbox();
  const time = manualTime(ALERT_AT);
  const asked: string[] = [];
  const channel: Channel = {
    patienceMs: 3 * DAY,
    send: async ({ message }) => {
      asked.push(`${(time.clock.now() - ALERT_AT) / SECOND} ${message.type}`);
      return answers[Math.min(asked.length, answers.length) - 1]!;
    },
  };
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map([["hook", channel]]),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  const outcomes = () =>
    box.database
      .query<{ outcome: string | null }, []>("select outcome from deliveries order by id")
      .all()
      .map(({ outcome }) => outcome);
  const enqueue = (message: TestMessage) => box.enqueue(null, [toHook("hook")], ALERT_AT, message);
  return { ...box, time, asked, notifier, outcomes, enqueueTest: enqueue };
}

const FAILED: Verdict = { verdict: "retry", answer: "HTTP 503", afterMs: 40 * MINUTE };
const REFUSED: Verdict = { verdict: "blocked", answer: "HTTP 404" };
const DELIVERED: Verdict = { verdict: "delivered", answer: "HTTP 204" };

test("a test is tried once, a drill for 15 minutes, an alert as ever", () => {
  expect([TEST, DRILL, alertOf()].map((message) => patienceOf({ patienceMs: 3 * DAY }, message))).toEqual([
    0,
    15 * MINUTE,
    3 * DAY,
  ]);
  expect(DRILL_PATIENCE).toBe(15 * MINUTE);
});

test.each([FAILED, REFUSED])(
  "a test that ends with %j is given up, and its destination is known to fail",
  async (verdict) => {
    const { notifier, enqueueTest, time, asked, outcomes } = notifierOver([verdict]);
    enqueueTest(TEST);
    notifier.start();
    await time.advance(DAY);
    expect(asked).toEqual(["0 destination.test"]);
    expect(outcomes()).toEqual(["given_up"]);
    expect([...notifier.failing()]).toMatchObject([["hook", { answer: verdict.answer, since: ALERT_AT }]]);
    await notifier.stop();
  },
);

test("a drill is tried again, and its last attempt falls on the end of its patience", async () => {
  const { notifier, enqueueTest, time, asked, outcomes } = notifierOver([{ verdict: "retry", answer: "HTTP 503" }]);
  enqueueTest(DRILL);
  notifier.start();
  await time.advance(15 * MINUTE - 1);
  expect(outcomes()).toEqual([null]);
  await time.advance(1);
  expect(outcomes()).toEqual(["given_up"]);
  expect(asked.at(-1)).toBe("900 destination.test");
  await notifier.stop();
});

test("a person who waits is not held up by a destination that has just failed", async () => {
  const { notifier, enqueue, enqueueTest, time, asked, outcomes } = notifierOver([FAILED, DELIVERED]);
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(SECOND);
  enqueueTest(TEST);
  notifier.nudge();
  await time.advance(SECOND);
  expect(asked).toEqual(["0 monitor.initial_failure"]);
  notifier.nudge("elsewhere");
  await time.advance(SECOND);
  expect(asked).toHaveLength(1);
  notifier.nudge("hook");
  await time.advance(SECOND);
  // What waited there goes at once, though its next attempt was seconds away.
  expect(asked).toEqual(["0 monitor.initial_failure", "3 destination.test", "3 monitor.initial_failure"]);
  expect(outcomes()).toEqual(["sent", "sent"]);
  expect(notifier.failing().size).toBe(0);
  await notifier.stop();
});

test("since when a destination fails is when the first attempt did, until one is good", async () => {
  const { notifier, enqueue, time } = notifierOver([FAILED, FAILED, DELIVERED, FAILED]);
  enqueue(1, [toHook("hook")]);
  notifier.start();
  const since = () => notifier.failing().get("hook")?.since;
  await time.advance(45 * MINUTE);
  expect(since()).toBe(ALERT_AT);
  await time.advance(DAY);
  expect(since()).toBeUndefined();
  enqueue(2, [toHook("hook")], time.clock.now());
  const now = time.clock.now();
  notifier.nudge();
  await time.advance(0);
  expect(since()).toBe(now);
  await notifier.stop();
});

test("R37: a webhook gets it as destination.test; the plain form leaves out what people wrote", async () => {
  await using sink = startHttpSink((count) => new Response(null, { status: count === 0 ? 400 : 204 }));
  const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
  const channel = CHANNELS.webhook({ url: sink.url, secret });
  const { hand, enqueue } = openTestOutbox();
  enqueue(null, [toHook("hook")], ALERT_AT, DRILL);
  const delivery = hand.claim(ALERT_AT)[0]!;
  for (const plain of [false, true]) await channel.send(delivery, { sentAt: ALERT_AT, plain });
  const [full, plain] = sink.requests.map(({ body }) => JSON.parse(body));
  const head = { type: "destination.test", timestamp: toIso(ALERT_AT) };
  expect(full).toEqual({ ...head, title: expect.any(String), lead: expect.any(String), data: DRILL.data });
  expect(plain).toEqual({ ...head, data: { ...DRILL.data, name: "backup", links: {} } });
});
