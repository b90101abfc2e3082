// The notifier with a real outbox and real receivers, on a clock the test moves: order, retries, giving up, and that
// nobody waits for somebody else's destination.

import { expect, test } from "bun:test";
import PostalMime from "postal-mime";
import type { LogFields, LogLevel } from "../../src/domain/log.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { startHttpSink, startRawSink } from "../support/http-sink.ts";
import { type ManualTime, manualTime, steadyBy, until } from "../support/manual-time.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const MIDDLE = () => 0.5;

interface Line {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

/** A notifier over these channels; the outbox and the time may be those of one that went before. */
function notifierOver(channels: Record<string, Channel>, from: Partial<{ box: TestOutbox; time: ManualTime }> = {}) {
  const { box = openTestOutbox(), time = manualTime(ALERT_AT) } = from;
  const lines: Line[] = [];
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map(Object.entries(channels)),
    clock: time.clock,
    after: time.after,
    random: MIDDLE,
    log: (level, event, fields = {}) => lines.push({ level, event, fields }),
  });
  const outcomes = () =>
    box.database
      .query<{ outcome: string | null; answer: string | null }, []>(
        "select outcome, answer from deliveries order by id",
      )
      .all()
      .map(({ outcome, answer }) => (outcome === null ? "waiting" : `${outcome}: ${answer}`));
  const attempts = () =>
    box.database
      .query<{ sum: number }, []>("select sum(attempts) as sum from deliveries where claimed_at is null")
      .get()!.sum;
  /** Until this many attempts have been made and marked. */
  const attempted = (count: number) => until(() => attempts() === count);
  return { ...box, box, time, lines, notifier, outcomes, attempts, attempted };
}

const hookTo = (url: string, timeoutMs = 5_000) => CHANNELS.webhook({ url, secret: SECRET }, timeoutMs);

/** A channel that does what the test says, for what no receiver can bring about. */
const channelThat = (send: Channel["send"]): Channel => ({ patienceMs: 3 * DAY, send });

const answering = (...verdicts: Verdict[]): Channel => {
  let count = 0;
  return channelThat(async () => verdicts[Math.min(count++, verdicts.length - 1)]!);
};

const DELIVERED: Verdict = { verdict: "delivered", answer: "HTTP 200 OK" };
const FAILED: Verdict = { verdict: "retry", answer: "HTTP 500" };

const ok = () => new Response(null, { status: 204 });

test("R36: what waits is sent at the start, and what comes later after a nudge", async () => {
  await using sink = startHttpSink(ok);
  const { notifier, enqueue, outcomes, attempted, lines } = notifierOver({ hook: hookTo(sink.url) });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await attempted(1);
  enqueue(2, [toHook("hook")]);
  notifier.nudge();
  await attempted(2);
  expect(outcomes()).toEqual(["sent: HTTP 204 No Content", "sent: HTTP 204 No Content"]);
  expect(lines).toMatchObject([
    { level: "info", event: "delivery_sent", fields: { destination: "hook", attempt: 1, monitor: "nightly-backup" } },
    { level: "info", event: "delivery_sent" },
  ]);
  await notifier.stop();
});

test("R36: an incident's alerts arrive in order, however often the first one fails", async () => {
  await using sink = startHttpSink((count) => (count < 3 ? new Response(null, { status: 503 }) : ok()));
  const { notifier, enqueue, time, attempted } = notifierOver({ hook: hookTo(sink.url) });
  enqueue(1, [toHook("hook")], ALERT_AT, alertOf());
  enqueue(1, [toHook("hook")], ALERT_AT, alertOf({ kind: "Recovered", reason: "success" }));
  notifier.start();
  await attempted(1);
  await time.advance(5 * SECOND - 1);
  expect(sink.requests).toHaveLength(1);
  for (const [wait, count] of [
    [1, 2],
    [15 * SECOND, 3],
    [45 * SECOND, 5],
  ] as const) {
    await time.advance(wait);
    await attempted(count);
  }
  const opening = { type: "monitor.initial_failure", id: sink.requests[0]!.headers["webhook-id"] };
  const received = sink.requests.map(({ body, headers }) => ({
    type: JSON.parse(body).type,
    id: headers["webhook-id"],
  }));
  expect(received.slice(0, 4)).toEqual([opening, opening, opening, opening]);
  expect(received[4]).toMatchObject({ type: "monitor.recovered" });
  await notifier.stop();
});

test("R36: a destination that hangs delays no other", async () => {
  await using hanging = await startRawSink();
  await using sink = startHttpSink(ok);
  const { notifier, enqueue, outcomes } = notifierOver({ hanging: hookTo(hanging.url, 400), hook: hookTo(sink.url) });
  for (let incident = 1; incident <= 20; incident++) enqueue(incident, [toHook("hanging"), toHook("hook")]);
  notifier.start();
  await until(() => sink.requests.length === 20);
  expect(hanging.connections()).toBe(1);
  await until(() => outcomes().filter((outcome) => outcome.startsWith("sent")).length === 20);
  await notifier.stop();
});

test("R36: a retry of one destination is not put off by another's attempt under way", async () => {
  const stuck = Promise.withResolvers<Verdict>();
  const channels = { stuck: channelThat(() => stuck.promise), hook: answering(FAILED, DELIVERED) };
  const { notifier, enqueue, time, outcomes, attempted } = notifierOver(channels);
  enqueue(1, [toHook("stuck"), toHook("hook")]);
  enqueue(2, [toHook("stuck")]);
  notifier.start();
  await attempted(1);
  await time.advance(5 * SECOND);
  expect(outcomes()).toEqual(["waiting", "sent: HTTP 200 OK", "waiting"]);
  stuck.resolve(DELIVERED);
  await notifier.stop();
});

test("R36: one attempt at a time per destination, and 16 in all", async () => {
  const gate = Promise.withResolvers<Verdict>();
  const underWay: string[] = [];
  const channel = channelThat(({ destination }) => {
    underWay.push(destination);
    return gate.promise;
  });
  const names = Array.from({ length: 20 }, (_, index) => `hook-${index}`);
  const { notifier, enqueue, outcomes, attempted } = notifierOver(
    Object.fromEntries(names.map((name) => [name, channel])),
  );
  enqueue(1, names.map(toHook));
  enqueue(2, names.map(toHook));
  notifier.start();
  await until(() => underWay.length >= 16);
  notifier.nudge();
  await until(() => true);
  expect(underWay).toHaveLength(16);
  expect(new Set(underWay).size).toBe(16);
  gate.resolve(DELIVERED);
  await attempted(40);
  expect(new Set(outcomes())).toEqual(new Set(["sent: HTTP 200 OK"]));
  await notifier.stop();
});

test("R36: after a crash in the middle of a webhook it is sent again under the same id", async () => {
  const silence = new Promise<Response>(() => {});
  await using sink = startHttpSink((count) => (count === 0 ? silence : ok()));
  const crashed = notifierOver({ hook: hookTo(sink.url) });
  crashed.enqueue(1, [toHook("hook")]);
  crashed.notifier.start();
  await until(() => sink.requests.length === 1);

  const { notifier, outcomes, attempted } = notifierOver({ hook: hookTo(sink.url) }, crashed);
  notifier.start();
  await attempted(2);
  expect(outcomes()).toEqual(["sent: HTTP 204 No Content"]);
  const ids = sink.requests.map(({ headers }) => headers["webhook-id"]);
  expect(ids[0]).toMatch(/^delivery-1-/);
  expect(ids[1]).toBe(ids[0]);
  await notifier.stop();
});

const emailTo = (port: number) =>
  createEmailChannel({
    type: "email",
    smtp: { host: "127.0.0.1", port, security: "none", login: null, from: { name: null, address: "cron@example.org" } },
  });

test("R36: after a crash between sending a mail and marking it, it is sent again with the same Message-ID", async () => {
  await using server = await startSmtpServer();
  const { box, notifier, attempted } = notifierOver({ email: emailTo(server.port) });
  box.enqueue(1, [{ destination: "email", recipient: "ada@example.org" }]);
  const [claimed] = box.hand.claim(ALERT_AT);
  await emailTo(server.port).send(claimed!, { sentAt: ALERT_AT, plain: false });

  notifier.start();
  await attempted(2);
  const ids = await Promise.all(server.mails.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId));
  expect(ids).toHaveLength(2);
  expect(ids[1]).toBe(ids[0]);
  await notifier.stop();
});

test("R36: mail goes out when a mail server that was gone is back, and says that it is late", async () => {
  const gone = await startSmtpServer();
  await gone[Symbol.asyncDispose]();
  const { notifier, enqueue, time, attempts, attempted } = notifierOver({ email: emailTo(gone.port) });
  enqueue(1, [{ destination: "email", recipient: "ada@example.org" }]);
  notifier.start();
  await attempted(1);
  for (const wait of [5 * SECOND, 15 * SECOND, 45 * SECOND, 2 * MINUTE, 5 * MINUTE]) {
    const before = attempts();
    await time.advance(wait);
    await attempted(before + 1);
  }
  await using back = await startSmtpServer({}, gone.port);
  await time.advance(10 * MINUTE);
  await attempted(7);
  const mail = await PostalMime.parse(back.mails[0]!.raw);
  expect(mail.subject).toBe("Missed: Nightly backup (prod), due 03:00, sent 18 minutes late");
  expect(notifier.failing().size).toBe(0);
  await notifier.stop();
});

test("R36: what is rejected for its content is sent once more in its plain form, and given up once another was taken", async () => {
  const forms: boolean[] = [];
  const channel = channelThat(async ({ createdAt }, { plain }) => {
    if (createdAt > ALERT_AT) return DELIVERED;
    forms.push(plain);
    return { verdict: "rejected", answer: "HTTP 422" };
  });
  const { notifier, enqueue, outcomes, attempted, time, lines } = notifierOver({ hook: channel });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await attempted(1);
  expect(forms).toEqual([false, true]);
  expect(outcomes()).toEqual(["waiting"]);
  enqueue(2, [toHook("hook")], ALERT_AT + 1);
  await time.advance(MINUTE);
  expect(forms).toEqual([false, true, false, true]);
  expect(outcomes()).toEqual(["given_up: HTTP 422", "sent: HTTP 200 OK"]);
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
    "warn delivery_rejected",
    "warn delivery_failed",
    "info delivery_sent",
    "warn delivery_rejected",
    "error delivery_given_up",
  ]);
  await notifier.stop();
});

test("R36: a plain form that is taken counts as sent", async () => {
  await using sink = startHttpSink((count) => (count === 0 ? new Response(null, { status: 413 }) : ok()));
  const { notifier, enqueue, outcomes, attempted } = notifierOver({ hook: hookTo(sink.url) });
  enqueue(1, [toHook("hook")], ALERT_AT, alertOf({ failureMessage: "long" }));
  notifier.start();
  await attempted(1);
  expect(outcomes()).toEqual(["sent: HTTP 204 No Content"]);
  expect(sink.requests.map(({ body }) => JSON.parse(body).data.failureMessage)).toEqual(["long", null]);
  await notifier.stop();
});

test("R36: a blocked destination is marked failing, tried hourly, and no longer marked when it works", async () => {
  await using sink = startHttpSink((count) => (count === 0 ? new Response(null, { status: 401 }) : ok()));
  const { notifier, enqueue, time, attempted } = notifierOver({ hook: hookTo(sink.url) });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await attempted(1);
  expect([...notifier.failing()]).toMatchObject([["hook", { answer: "HTTP 401 Unauthorized", since: ALERT_AT }]]);
  await time.advance(HOUR - 1);
  expect(sink.requests).toHaveLength(1);
  await time.advance(1);
  await attempted(2);
  expect(notifier.failing().size).toBe(0);
  await notifier.stop();
});

test("R36: after 24 hours of failures a delivery is given up, with an error in the log", async () => {
  const { notifier, enqueue, time, outcomes, attempts, lines } = notifierOver({
    email: { send: answering(FAILED).send },
  });
  enqueue(1, [toHook("email")]);
  notifier.start();
  await time.advance(DAY - 1);
  expect(outcomes()).toEqual(["waiting"]);
  await time.advance(1);
  expect(outcomes()).toEqual(["given_up: HTTP 500"]);
  expect(attempts()).toBe(32);
  expect(lines.at(-1)).toMatchObject({ level: "error", event: "delivery_given_up", fields: { answer: "HTTP 500" } });
  await notifier.stop();
});

test("a destination that fails is not asked at once for each of the many that wait", async () => {
  let asked = 0;
  const channel = channelThat(async () => {
    asked++;
    return FAILED;
  });
  const { notifier, enqueue, database, time } = notifierOver({ hook: channel });
  for (let incident = 1; incident <= 500; incident++) enqueue(incident, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  expect(asked).toBe(1);
  expect(database.query("select count(*) as tried from deliveries where attempts > 0").get()).toEqual({ tried: 1 });
  await time.advance(MINUTE);
  expect(asked).toBeLessThan(20);
  await notifier.stop();
});

test("R36: what is sent one after another is stored meanwhile, and nothing waits for that", async () => {
  const gate = Promise.withResolvers<Verdict>();
  let asked = 0;
  const channel = channelThat(async () => (++asked < 3 ? DELIVERED : gate.promise));
  const { notifier, enqueue, time, outcomes } = notifierOver({ hook: channel });
  for (const incident of [1, 2, 3]) enqueue(incident, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  expect(asked).toBe(3);
  expect(outcomes()).toEqual(["waiting", "waiting", "waiting"]);
  await time.advance(10);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK", "sent: HTTP 200 OK", "waiting"]);
  gate.resolve(DELIVERED);
  await time.advance(0);
  expect(outcomes()).not.toContain("waiting");
  await notifier.stop();
});

test("R36: at a destination that hangs for a day the many that wait are given up in time, tried or not", async () => {
  const time = manualTime(ALERT_AT);
  const hang = () => new Promise<Verdict>((resolve) => time.after(15 * SECOND, () => resolve(FAILED)));
  const { notifier, enqueue, outcomes } = notifierOver({ email: { send: hang } }, { time });
  for (let incident = 1; incident <= 500; incident++) enqueue(incident, [toHook("email")]);
  notifier.start();
  await time.advance(DAY - 1);
  expect(new Set(outcomes())).toEqual(new Set(["waiting"]));
  await time.advance(2 * MINUTE);
  expect(new Set(outcomes())).toEqual(new Set(["given_up: HTTP 500"]));
  await notifier.stop();
});

/** The time with a wall clock that steps when the test says so; durations stay what they are. */
function steppingTime() {
  const time = manualTime(ALERT_AT);
  let stepped = 0;
  const clock = { now: () => time.clock.now() + stepped, monotonic: time.clock.monotonic };
  const step = (milliseconds: number): void => {
    stepped += milliseconds;
  };
  return { ...time, clock, step };
}

test("R36: what the computer slept through its patience is still sent to a destination that works again", async () => {
  const time = steppingTime();
  const { notifier, enqueue, outcomes } = notifierOver({ hook: answering(FAILED, DELIVERED) }, { time });
  enqueue(1, [toHook("hook")]);
  enqueue(2, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  time.step(4 * DAY);
  await time.advance(MINUTE);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK", "sent: HTTP 200 OK"]);
  await notifier.stop();
});

test("R36: of what the computer slept through, nothing is given up before an hour of trying", async () => {
  const time = steppingTime();
  const { notifier, enqueue, outcomes } = notifierOver({ hook: answering(FAILED) }, { time });
  for (let incident = 1; incident <= 50; incident++) enqueue(incident, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  time.step(4 * DAY);
  await time.advance(HOUR - MINUTE);
  expect(new Set(outcomes())).toEqual(new Set(["waiting"]));
  await time.advance(4 * MINUTE);
  expect(new Set(outcomes())).toEqual(new Set(["given_up: HTTP 500"]));
  await notifier.stop();
});

test("R36: what waited while no process ran is tried for an hour before it is given up, soon at first", async () => {
  const before = notifierOver({ hook: answering(FAILED) });
  before.enqueue(1, [toHook("hook")]);
  before.notifier.start();
  await before.time.advance(MINUTE);
  await before.notifier.stop();
  // It is off for a day and two hours; what was written last was never tried.
  const time = manualTime(ALERT_AT + 26 * HOUR);
  before.enqueue(2, [toHook("hook")], ALERT_AT + MINUTE);
  let isUp = false;
  const channel: Channel = { send: async () => (isUp ? DELIVERED : FAILED) };
  const { notifier, outcomes } = notifierOver({ hook: channel }, { box: before.box, time });
  notifier.start();
  await time.advance(20 * SECOND);
  expect(outcomes()).toEqual(["waiting", "waiting"]);
  isUp = true;
  await time.advance(2 * MINUTE);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK", "sent: HTTP 200 OK"]);
  await notifier.stop();
});

test("R36: a clock that is set back does not hold a destination until the old date returns", async () => {
  const time = steppingTime();
  const { notifier, enqueue, outcomes } = notifierOver({ hook: answering(FAILED, DELIVERED) }, { time });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  time.step(-10 * DAY);
  await time.advance(5 * SECOND);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK"]);
  await notifier.stop();
});

test("R36: a destination whose hold ends while the outbox is being asked is tried at once, not an hour later", async () => {
  const box = openTestOutbox();
  const manual = manualTime(ALERT_AT);
  let took = 0;
  let isSlow = false;
  const clock = { now: () => manual.clock.now() + took, monotonic: () => manual.clock.monotonic() + took };
  const exchange: TestOutbox["outbox"]["exchange"] = (...given) => {
    const claims = box.outbox.exchange(...given);
    if (isSlow) took++;
    isSlow = false;
    return claims;
  };
  const { notifier, enqueue, time, outcomes, attempted } = notifierOver(
    { hook: answering(FAILED, DELIVERED) },
    { box: { ...box, outbox: { ...box.outbox, exchange } }, time: { ...manual, clock } },
  );
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await attempted(1);
  await time.advance(5 * SECOND - 1);
  isSlow = true;
  notifier.nudge();
  await time.advance(0);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK"]);
  await notifier.stop();
});

test("R36: Retry-After holds everything for its destination, and nothing for others", async () => {
  const busy = () => new Response(null, { status: 429, headers: { "retry-after": "120" } });
  await using limited = startHttpSink((count) => (count === 0 ? busy() : ok()));
  await using sink = startHttpSink(ok);
  const { notifier, enqueue, time, attempted } = notifierOver({ limited: hookTo(limited.url), hook: hookTo(sink.url) });
  enqueue(1, [toHook("limited"), toHook("hook")]);
  enqueue(2, [toHook("limited"), toHook("hook")]);
  notifier.start();
  await attempted(3);
  await time.advance(2 * MINUTE - 1);
  expect([limited.requests.length, sink.requests.length]).toEqual([1, 2]);
  await time.advance(1);
  await attempted(5);
  expect(limited.requests).toHaveLength(3);
  await notifier.stop();
});

test("a recipient who is put off does not hold up the others of the destination", async () => {
  const recipients = ["ada@example.org", "bob@example.org"];
  await using server = await startSmtpServer({
    recipient: (address) => (address === recipients[0] ? { code: 450, text: "greylisted" } : null),
  });
  const { notifier, enqueue, outcomes, attempted } = notifierOver({ email: emailTo(server.port) });
  enqueue(
    1,
    recipients.map((recipient) => ({ destination: "email", recipient })),
  );
  notifier.start();
  // The first is tried once more, as the destination works.
  await attempted(3);
  expect(outcomes()).toEqual(["waiting", "sent: 250 2.0.0 kept"]);
  await notifier.stop();
});

test("R36: a recipient whose mailbox is full is tried hourly, and the destination fails while no one else gets mail", async () => {
  let full = true;
  await using server = await startSmtpServer({
    recipient: () => (full ? { code: 552, text: "5.2.2 mailbox full" } : null),
  });
  const { notifier, enqueue, time, outcomes, attempted } = notifierOver({ email: emailTo(server.port) });
  enqueue(1, [{ destination: "email", recipient: "ada@example.org" }]);
  notifier.start();
  await attempted(1);
  expect(notifier.failing().size).toBe(1);
  full = false;
  await time.advance(HOUR - 1);
  expect(outcomes()).toEqual(["waiting"]);
  await time.advance(1);
  await attempted(2);
  expect(outcomes()).toEqual(["sent: 250 2.0.0 kept"]);
  await notifier.stop();
});

test("R36: deliveries to a destination that is no longer configured are given up where people see it", async () => {
  const { notifier, enqueue, outcomes, attempted, lines } = notifierOver({});
  enqueue(1, [toHook("gone")]);
  enqueue(2, [toHook("gone")]);
  notifier.start();
  await attempted(2);
  expect(new Set(outcomes())).toEqual(new Set(["given_up: the destination is not configured any more"]));
  const line = { level: "error", event: "delivery_given_up", fields: { destination: "gone" } };
  expect(lines).toMatchObject([line, line]);
  await notifier.stop();
});

test("a channel that throws is tried again, and what it says in the error stays out of the log", async () => {
  let count = 0;
  const channel = channelThat(() => {
    if (count++ === 0) throw new TypeError("fetch() URL is invalid: https://example.org/T0SECRET");
    return Promise.resolve(DELIVERED);
  });
  const { notifier, enqueue, time, outcomes, attempted, lines } = notifierOver({ hook: channel });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await attempted(1);
  expect(lines[0]).toMatchObject({ level: "error", event: "channel_threw", fields: { name: "TypeError" } });
  expect(JSON.stringify(lines)).not.toContain("T0SECRET");
  await time.advance(5 * SECOND);
  await attempted(2);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK"]);
  await notifier.stop();
});

test("a channel that never comes to an end is left after forty minutes", async () => {
  const channel = channelThat(() => new Promise(() => {}));
  const { notifier, enqueue, time, outcomes, attempted, lines } = notifierOver({ hook: channel });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(40 * MINUTE + SECOND);
  await attempted(1);
  expect(outcomes()).toEqual(["waiting"]);
  expect(lines).toMatchObject([{ level: "warn", event: "delivery_failed" }]);
  await notifier.stop();
});

test("while it cannot be stored what was sent, that is not sent again, and nothing else goes out", async () => {
  const gate = Promise.withResolvers<Verdict>();
  const tried: number[] = [];
  const channel = channelThat(async ({ id }) => (tried.push(id) === 2 ? gate.promise : DELIVERED));
  const { notifier, enqueue, database, time, outcomes, lines } = notifierOver({ hook: channel });
  for (const incident of [1, 2, 3]) enqueue(incident, [toHook("hook")]);
  notifier.start();
  await until(() => tried.length === 2);
  database.run("pragma query_only = 1");
  await time.advance(10);
  gate.resolve(DELIVERED);
  await time.advance(30 * SECOND);
  expect(tried).toEqual([1, 2]);
  expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(["outbox_failed"]));

  database.run("pragma query_only = 0");
  await time.advance(10 * SECOND);
  expect(new Set(outcomes())).toEqual(new Set(["sent: HTTP 200 OK"]));
  expect(tried).toEqual([1, 2, 3]);
  await notifier.stop();
});

test("a storage that takes no claims is asked again, and nothing is lost", async () => {
  await using sink = startHttpSink(ok);
  const { notifier, enqueue, database, time, outcomes, attempted, lines } = notifierOver({ hook: hookTo(sink.url) });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  database.run("pragma query_only = 1");
  await until(() => lines.length > 0);
  expect(lines).toMatchObject([{ level: "error", event: "outbox_failed" }]);
  database.run("pragma query_only = 0");
  await time.advance(10 * SECOND);
  await attempted(1);
  expect(outcomes()).toEqual(["sent: HTTP 204 No Content"]);
  await notifier.stop();
});

test("a notifier with nothing to do sleeps a minute on one timer, and many nudges are one", async () => {
  const { notifier, time } = notifierOver({});
  notifier.start();
  await time.advance(0);
  expect(time.waits()).toEqual([MINUTE]);
  for (let count = 0; count < 100; count++) notifier.nudge();
  expect(time.waits()).toEqual([]);
  await time.advance(0);
  expect(time.waits()).toEqual([MINUTE]);
  await notifier.stop();
  expect(time.waits()).toEqual([]);
});

test("stopping waits until what is under way is marked, and tries nothing more", async () => {
  const gate = Promise.withResolvers<Verdict>();
  const { notifier, enqueue, database, outcomes, time } = notifierOver({ hook: channelThat(() => gate.promise) });
  enqueue(1, [toHook("hook")]);
  enqueue(2, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  const stopped = notifier.stop();
  gate.resolve(DELIVERED);
  await stopped;
  notifier.nudge();
  await time.advance(0);
  expect(outcomes()).toEqual(["sent: HTTP 200 OK", "waiting"]);
  expect(database.query("select attempts, claimed_at from deliveries where id = 2").get()).toEqual({
    attempts: 0,
    claimed_at: null,
  });
});

test("once it has stopped nothing rings any more: the database may be closed", async () => {
  const gate = Promise.withResolvers<Verdict>();
  const { notifier, enqueue, database, time, lines } = notifierOver({ hook: channelThat(() => gate.promise) });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  const stopped = notifier.stop();
  gate.resolve(DELIVERED);
  await stopped;
  database.close();
  await time.advance(HOUR);
  expect(lines.map(({ event }) => event)).toEqual(["delivery_sent"]);
});

test("stopping does not wait for longer than 3 seconds, and what comes later touches nothing", async () => {
  const gate = Promise.withResolvers<Verdict>();
  const { notifier, enqueue, outcomes, time, lines } = notifierOver({ hook: channelThat(() => gate.promise) });
  enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(0);
  const stopped = notifier.stop();
  await time.advance(3 * SECOND);
  await stopped;
  gate.resolve(DELIVERED);
  await time.advance(0);
  expect(outcomes()).toEqual(["waiting"]);
  expect(lines).toEqual([]);
});
