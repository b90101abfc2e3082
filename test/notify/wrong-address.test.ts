// Destinations that refuse everything because their address or their settings are wrong (R36): nothing is given up for
// that, they are known to fail, also right after a start, and a repair brings back what was given up.

import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { ALERT_AT, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { type ManualTime, manualTime, steadyBy } from "../support/manual-time.ts";

const REJECTED: Verdict = { verdict: "rejected", answer: "HTTP 400 Bad Request" };
const DELIVERED: Verdict = { verdict: "delivered", answer: "HTTP 200 OK" };
const NO_MAILBOX: Verdict = { verdict: "hopeless", answer: "550 5.1.1 no such user", recipientOnly: true };

function over(
  channels: Record<string, Channel>,
  box: TestOutbox = openTestOutbox(),
  time: ManualTime = manualTime(ALERT_AT),
) {
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map(Object.entries(channels)),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  const outcomes = () =>
    box.database
      .query<{ outcome: string | null }, []>("select outcome from deliveries order by id")
      .all()
      .map(({ outcome }) => outcome ?? "waiting");
  return { box, time, notifier, outcomes };
}

/** A channel whose verdict the test changes. */
function settable(first: Verdict) {
  const receiver = { verdict: first };
  return { receiver, channel: { send: async () => receiver.verdict } satisfies Channel };
}

test("R36: a 400 to everything gives nothing up: the destination fails, and is tried hourly", async () => {
  const { channel } = settable(REJECTED);
  const { box, time, notifier, outcomes } = over({ hook: channel });
  for (let monitor = 1; monitor <= 40; monitor++) box.enqueue(monitor, [toHook("hook")]);
  notifier.start();
  await time.advance(23 * HOUR);
  expect(new Set(outcomes())).toEqual(new Set(["waiting"]));
  expect([...notifier.failing().keys()]).toEqual(["hook"]);
  await notifier.stop();
});

test("R36: a 400 is about the message once the destination has taken another one since", async () => {
  const channel: Channel = { send: async ({ createdAt }) => (createdAt === ALERT_AT ? REJECTED : DELIVERED) };
  const { box, time, notifier, outcomes } = over({ hook: channel });
  box.enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(SECOND);
  expect(outcomes()).toEqual(["waiting"]);
  expect([...notifier.failing().keys()]).toEqual(["hook"]);
  box.enqueue(2, [toHook("hook")], ALERT_AT + MINUTE);
  await time.advance(2 * MINUTE);
  expect(outcomes()).toEqual(["given_up", "sent"]);
  expect(notifier.failing().size).toBe(0);
  await notifier.stop();
});

test("R36: a mail server that knows none of the recipients fails, and one that knows another does not", async () => {
  const known = new Set<string | null>();
  const channel: Channel = { send: async ({ recipient }) => (known.has(recipient) ? DELIVERED : NO_MAILBOX) };
  const { box, time, notifier, outcomes } = over({ email: channel });
  const routes = ["ada@example.org", "eve@example.org"].map((recipient) => ({ destination: "email", recipient }));
  box.enqueue(1, routes);
  notifier.start();
  await time.advance(SECOND);
  expect(outcomes()).toEqual(["waiting", "waiting"]);
  expect([...notifier.failing().keys()]).toEqual(["email"]);
  known.add("ada@example.org");
  await time.advance(3 * HOUR);
  expect(outcomes()).toEqual(["sent", "given_up"]);
  expect(notifier.failing().size).toBe(0);
  await notifier.stop();
});

test("R36: other settings bring back what was given up within the last day while the destination failed", async () => {
  const { receiver, channel } = settable(DELIVERED);
  const { box, time, notifier, outcomes } = over({ hook: channel });
  const configure = (print: string, goesTo = () => true) =>
    notifier.reconfigured(box.outbox.reconfigured(new Map([["hook", print]]), time.clock.now(), goesTo));
  configure("1");
  notifier.start();
  receiver.verdict = REJECTED;
  box.enqueue(1, [toHook("hook")]);
  await time.advance(20 * HOUR);
  box.enqueue(2, [toHook("hook")], time.clock.now());
  await time.advance(DAY + 5 * HOUR);
  expect(outcomes()).toEqual(["given_up", "given_up"]);
  configure("2", () => false);
  await time.advance(SECOND);
  expect(outcomes()).toEqual(["given_up", "given_up"]);
  receiver.verdict = DELIVERED;
  // The first was given up over a day ago.
  configure("3");
  await time.advance(SECOND);
  expect(outcomes()).toEqual(["given_up", "given_up", "sent"]);
  // Each comes back once.
  configure("4");
  await time.advance(SECOND);
  expect(outcomes()).toHaveLength(3);
  await notifier.stop();
});

test("R36: what is known of destinations is true from the first second after a start", async () => {
  const { channel } = settable({ verdict: "blocked", answer: "HTTP 404 Not Found" });
  const first = over({ hook: channel });
  first.box.enqueue(1, [toHook("hook")]);
  first.notifier.start();
  await first.time.advance(MINUTE);
  const known = first.notifier.failing().get("hook");
  // It is gone without a word.
  const outbox = createOutbox(first.box.database, () => {});
  const second = over({ hook: channel }, { ...first.box, outbox }, first.time);
  expect([...second.notifier.failing()]).toMatchObject([["hook", { answer: known!.answer, since: known!.since }]]);
  await first.notifier.stop();
});

test("R36: after a start a recipient who is refused makes no failing destination of one that took others' mail", async () => {
  const full: Verdict = { verdict: "blocked", answer: "552 5.2.2 mailbox full", recipientOnly: true };
  const channel: Channel = { send: async ({ recipient }) => (recipient === "eve@example.org" ? full : DELIVERED) };
  const first = over({ email: channel });
  first.box.enqueue(
    1,
    ["ada@example.org", "eve@example.org"].map((recipient) => ({ destination: "email", recipient })),
  );
  first.notifier.start();
  await first.time.advance(MINUTE);
  await first.notifier.stop();
  const second = over({ email: channel }, first.box, first.time);
  second.notifier.start();
  await second.time.advance(2 * HOUR);
  expect(second.notifier.failing().size).toBe(0);
  expect(second.outcomes()).toEqual(["sent", "waiting"]);
  await second.notifier.stop();
});
