// When it matters most: a thousand incidents at once, and a receiver that is gone for hours. Real channels and
// receivers; the clock is the test's, so what receivers ask for in seconds is waited for in none.

import { expect, test } from "bun:test";
import PostalMime from "postal-mime";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, openTestOutbox, toHook } from "../support/alerts.ts";
import { type ReceivedRequest, startHttpSink } from "../support/http-sink.ts";
import { emailSettings } from "../support/mail.ts";
import { manualTime, steadyBy, until } from "../support/manual-time.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { textsIn } from "./chats.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const ADA = { destination: "email", recipient: "ada@example.org" };

const keyOf = (incident: number): string => `job-${String(incident).padStart(4, "0")}`;

const alertFor = (incident: number, changes: Partial<AlertData>, at: number) =>
  alertOf({ monitorKey: keyOf(incident), name: `Job ${incident}`, openedAt: toIso(at), ...changes }, at);

const RECOVERED: Partial<AlertData> = { kind: "Recovered", reason: "success", durationSeconds: 60 };

/** A notifier over channels to real receivers. Time passes only while nothing is under way to them. */
function world(createChannels: (now: () => number) => Readonly<Record<string, Channel>>) {
  const box = openTestOutbox();
  const time = manualTime(ALERT_AT);
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map(Object.entries(createChannels(time.clock.now))),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  const left = box.database.prepare<{ unfinished: number; underWay: number }, []>(
    `select count(*) as unfinished, count(claimed_at) as underWay from deliveries
     where finished_at is null and id > 0`,
  );

  /** What is under way comes to its end, and what follows from that at once. */
  async function settle(): Promise<void> {
    do {
      await until(() => left.get()!.underWay === 0);
      await time.advance(0);
    } while (left.get()!.underWay > 0);
  }

  async function pass(milliseconds: number): Promise<void> {
    const end = time.clock.now() + milliseconds;
    await settle();
    while (time.clock.now() < end) {
      await time.advance(Math.min(end - time.clock.now(), ...time.waits()));
      await settle();
    }
  }

  /** Until all is delivered; answers how long that takes. */
  async function drain(): Promise<number> {
    const from = time.clock.now();
    await settle();
    while (left.get()!.unfinished > 0) await pass(Math.min(...time.waits()));
    return time.clock.now() - from;
  }

  return { ...box, notifier, now: time.clock.now, settle, pass, drain };
}

/** A receiver that takes `most` messages in each span of this many milliseconds, and puts off the others with a 429. */
function limitedTo(most: number, spanMs: number, now: () => number, taken: () => Response) {
  const times: number[] = [];
  const accepted: ReceivedRequest[] = [];
  let refused = 0;
  const answer = (_: number, request: ReceivedRequest): Response => {
    const recent = times.filter((at) => at > now() - spanMs);
    if (recent.length >= most) {
      refused++;
      const seconds = (recent[0]! + spanMs - now()) / SECOND;
      return Response.json(
        { retry_after: seconds },
        { status: 429, headers: { "retry-after": String(Math.ceil(seconds)) } },
      );
    }
    times.push(now());
    accepted.push(request);
    return taken();
  };
  return { answer, accepted, refused: () => refused };
}

/** In how many of these texts each job is named, by its key. */
function namedIn(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const key of new Set(text.match(/job-\d{4}/g))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return new Map([...counts].sort());
}

/** As people see it, without what keeps a chat from reading markup into it. */
const shownIn = ({ body }: ReceivedRequest): string =>
  textsIn(JSON.parse(body))
    .join("\n")
    .replace(/[\\\u200b]/g, "");

test("R36, R39: a thousand incidents at once reach four destinations within two minutes, at the rates their receivers ask for", async () => {
  let now = () => ALERT_AT;
  // As their owners publish it: Slack one message a second, Discord five in two seconds.
  const slack = limitedTo(
    1,
    SECOND,
    () => now(),
    () => new Response("ok"),
  );
  const discord = limitedTo(
    5,
    2 * SECOND,
    () => now(),
    () => Response.json({ id: "1" }),
  );
  await using slackSink = startHttpSink(slack.answer);
  await using discordSink = startHttpSink(discord.answer);
  await using hookSink = startHttpSink(() => new Response(null, { status: 204 }));
  await using mail = await startSmtpServer();
  const all = world((clock) => {
    now = clock;
    return {
      slack: CHANNELS.slack({ url: slackSink.url }),
      discord: CHANNELS.discord({ url: discordSink.url }),
      hook: CHANNELS.webhook({ url: hookSink.url, secret: SECRET }),
      email: createEmailChannel(emailSettings(mail.port)),
    };
  });
  const routes = [...["slack", "discord", "hook"].map(toHook), ADA];
  const keys = Array.from({ length: 1_000 }, (_, index) => keyOf(index + 1));
  const once = new Map(keys.map((key) => [key, 1]));

  const raise = (changes: Partial<AlertData>): void => {
    all.database.transaction(() => {
      for (let incident = 1; incident <= 1_000; incident++)
        all.enqueue(incident, routes, now(), alertFor(incident, changes, now()));
    })();
  };

  raise({});
  all.notifier.start();
  expect(await all.drain()).toBeLessThan(2 * MINUTE);
  raise(RECOVERED);
  all.notifier.nudge();
  expect(await all.drain()).toBeLessThan(2 * MINUTE);
  await all.notifier.stop();

  expect(all.database.query("select outcome, count(*) as count from deliveries group by outcome").all()).toEqual([
    { outcome: "sent", count: 8_000 },
  ]);
  // The first half of them tell of openings, the others of recoveries.
  for (const { accepted, refused } of [slack, discord]) {
    expect(refused()).toBe(0);
    const texts = accepted.map(shownIn);
    const half = texts.length / 2;
    expect(namedIn(texts.slice(0, half))).toEqual(once);
    expect(namedIn(texts.slice(half))).toEqual(once);
  }
  // 33 digests of 30, and ten that go by themselves; 50 digests of 20.
  expect([slack.accepted.length, discord.accepted.length]).toEqual([2 * 43, 2 * 50]);
  const bodies = hookSink.requests.map(({ body }) => JSON.parse(body));
  expect(bodies.slice(0, 1_000).map(({ type, data }) => `${type} ${data.monitorKey}`)).toEqual(
    keys.map((key) => `monitor.initial_failure ${key}`),
  );
  expect(bodies.slice(1_000).map(({ type, data }) => `${type} ${data.monitorKey}`)).toEqual(
    keys.map((key) => `monitor.recovered ${key}`),
  );
  const mails = await Promise.all(mail.mails.map(({ raw }) => PostalMime.parse(raw)));
  expect(mails).toHaveLength(2 * 5);
  expect(namedIn(mails.slice(0, 5).map(({ text }) => text!))).toEqual(once);
  expect(namedIn(mails.slice(5).map(({ text }) => text!))).toEqual(once);
}, 120_000);

const THROUGH: Record<string, (url: string) => Channel> = {
  slack: (url) => CHANNELS.slack({ url }),
  webhook: (url) => CHANNELS.webhook({ url, secret: SECRET }),
};

/** What a message tells, one line for each alert, as `opened job-0001`. */
function told(name: string, request: ReceivedRequest): string[] {
  if (name === "webhook") {
    const { type, data } = JSON.parse(request.body);
    return [`${type === "monitor.recovered" ? "recovered" : "opened"} ${data.monitorKey}`];
  }
  const text = shownIn(request);
  const isGood = JSON.parse(request.body).attachments[0].color === "#1a7f37";
  return [...namedIn([text]).keys()].map((key) => `${isGood ? "recovered" : "opened"} ${key}`);
}

test.each(Object.keys(THROUGH))(
  "R36: after six hours without it %s gets every alert once, in order and marked as late, and nobody else waited",
  async (name) => {
    let isGone = true;
    const taken: ReceivedRequest[] = [];
    await using broken = startHttpSink((_, request) => {
      if (isGone) return new Response(null, { status: 503 });
      taken.push(request);
      return new Response("ok");
    });
    const arrivals: { at: number; what: string }[] = [];
    let now = () => ALERT_AT;
    await using other = startHttpSink((_, request) => {
      arrivals.push({ at: now(), what: told("webhook", request)[0]! });
      return new Response(null, { status: 204 });
    });
    const all = world((clock) => {
      now = clock;
      return {
        broken: THROUGH[name]!(broken.url),
        other: CHANNELS.webhook({ url: other.url, secret: SECRET }),
      };
    });
    all.notifier.start();
    const raised: { at: number; what: string }[] = [];
    const raise = (incident: number, changes: Partial<AlertData>): void => {
      const routes = ["broken", "other"].map(toHook);
      all.enqueue(incident, routes, now(), alertFor(incident, changes, now()));
      all.notifier.nudge();
      raised.push({ at: now(), what: `${changes.kind === undefined ? "opened" : "recovered"} ${keyOf(incident)}` });
    };
    // Every ten minutes a job fails, and recovers 25 minutes later.
    for (let step = 0; step < 72; step++) {
      if (step % 2 === 0) raise(step / 2 + 1, {});
      if (step % 2 === 1 && step >= 5) raise((step - 3) / 2, RECOVERED);
      await all.pass(5 * MINUTE);
    }
    await all.pass(20 * MINUTE);
    expect(arrivals).toEqual(raised);
    expect(taken).toEqual([]);

    isGone = false;
    await all.drain();
    await all.notifier.stop();
    const lines = taken.flatMap((request) => told(name, request));
    expect(lines.toSorted()).toEqual(raised.map(({ what }) => what).toSorted());
    for (const { what } of raised) {
      const [state, key] = what.split(" ");
      if (state === "recovered") expect(lines.indexOf(`opened ${key}`)).toBeLessThan(lines.indexOf(what));
    }
    if (name === "slack") for (const request of taken) expect(shownIn(request)).toMatch(/, sent (up to )?\d.* late/);
    // Within the hour in which each is tried again.
    expect(now() - ALERT_AT).toBeLessThan(6 * HOUR + 20 * MINUTE + 72 * MINUTE);
  },
  120_000,
);
