// Digests on their way (R39): through the real notifier and channels to receivers that take them, put them off, refuse
// them or want to be left alone between two messages; on a clock the test moves.

import { describe, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import type { AlertData } from "../../src/domain/message/alert.ts";
import type { Route } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, openTestOutbox, toHook } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { emailSettings } from "../support/mail.ts";
import { manualTime, steadyBy, until } from "../support/manual-time.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { textsIn } from "./chats.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const DELIVERED: Verdict = { verdict: "delivered", answer: "ok" };
const FAILED: Verdict = { verdict: "retry", answer: "HTTP 500" };
const REJECTED: Verdict = { verdict: "rejected", answer: "HTTP 400" };

const alertNamed = (incident: number, changes: Partial<AlertData> = {}) =>
  alertOf({
    incidentId: String(incident),
    monitorKey: `nightly-job-${incident}`,
    name: `The nightly job of team ${incident}`,
    cause: "failed",
    failureMessage: `pg_dump: error: connection to server on host db-${incident} failed`,
    ...changes,
  });

const RECOVERED: Partial<AlertData> = {
  kind: "Recovered",
  reason: "success",
  durationSeconds: 7_200,
  causes: ["missed", "failed"],
  missedSlots: 7,
};

function over(channels: Readonly<Record<string, Channel>>) {
  const box = openTestOutbox();
  const time = manualTime(ALERT_AT);
  const events: string[] = [];
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map(Object.entries(channels)),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: (_level, event) => void events.push(event),
  });
  const tell = (incident: number, route: Route, changes: Partial<AlertData> = {}): void =>
    box.enqueue(incident, [route], time.clock.now(), alertNamed(incident, changes));
  const openTo = (count: number, destination: string, recipient: string | null = null, from = 1): void => {
    for (let incident = from; incident < from + count; incident++) tell(incident, { destination, recipient });
  };
  const rows = () =>
    box.database
      .query<{ outcome: string | null; attempts: number; digest: number | null }, []>(
        "select outcome, attempts, digest_id as digest from deliveries order by id",
      )
      .all();
  const left = () => rows().filter(({ outcome }) => outcome === null).length;
  return { ...box, notifier, time, events, tell, openTo, rows, left };
}

/** A chat that answers the n-th message as the test says and writes down how many alerts each told. */
function chat(answer: (count: number, alerts: number) => Verdict, changes: Partial<Channel> = {}) {
  const sizes: number[] = [];
  const channel: Channel = {
    digests: 20,
    send: async ({ message }, { plain }) => {
      const alerts = message.type === "monitor.digest" ? message.data.alerts.length : 1;
      sizes.push(plain ? -alerts : alerts);
      return answer(sizes.length - 1, alerts);
    },
    ...changes,
  };
  return { channel, sizes };
}

/** In the words of each service. */
const TAKEN = { id: "1", ok: true, status: 1, event_id: "$1", timestamp: "1", name: "spaces/a" };

describe("every job of a full digest is named, with names as people give them", () => {
  const create: Record<string, (url: string) => Channel> = {
    slack: (url) => CHANNELS.slack({ url }),
    discord: (url) => CHANNELS.discord({ url }),
    teams: (url) => CHANNELS.teams({ url }),
    ntfy: (url) => CHANNELS.ntfy({ url, topic: "alerts", token: null }),
    telegram: (url) => CHANNELS.telegram({ url, token: "t", chat: "c" }),
    gotify: (url) => CHANNELS.gotify({ url, token: "t" }),
    matrix: (url) => CHANNELS.matrix({ url, token: "t", chat: "!c" }),
    signal: (url) => CHANNELS.signal({ url, from: "f", chat: "c" }),
    googlechat: (url) => CHANNELS.googlechat({ url }),
    apprise: (url) => CHANNELS.apprise({ url, chat: null }),
    http: (url) =>
      CHANNELS.http({ url, method: "POST", headers: null, format: "json", body: '{"text": "{{text}}"}', answer: null }),
  };
  const answers: Record<string, () => Response> = {
    slack: () => new Response("ok"),
    teams: () => new Response(null, { status: 202 }),
    gotify: () => Response.json({ id: 1, appid: 1 }),
  };

  const cases = Object.keys(create).flatMap(
    (name) =>
      [
        [name, "opened"],
        [name, "recovered"],
      ] as const,
  );
  test.each(cases)("R39: %s, %s", async (name, kind) => {
    await using sink = startHttpSink(answers[name] ?? (() => Response.json(TAKEN)));
    const channel = create[name]!(sink.url);
    const { notifier, tell, left } = over({ chat: channel });
    const most = channel.digests!;
    for (let incident = 1; incident <= most; incident++) {
      tell(incident, toHook("chat"), kind === "opened" ? {} : RECOVERED);
    }
    notifier.start();
    await until(() => left() === 0);
    await notifier.stop();
    expect(sink.requests).toHaveLength(1);
    const text = textsIn(JSON.parse(sink.requests[0]!.body))
      .join("\n")
      .replace(/[\\\u200b]/g, "");
    const missing = Array.from({ length: most }, (_, index) => `team ${index + 1} `).filter(
      (job) => !text.includes(job),
    );
    expect(missing).toEqual([]);
  });

  test("R39: email, in text and in HTML, to each recipient", async () => {
    await using server = await startSmtpServer();
    const { notifier, openTo, left, rows } = over({ email: createEmailChannel(emailSettings(server.port)) });
    openTo(200, "email", "ada@example.org");
    openTo(11, "email", "bob@example.org", 1_001);
    notifier.start();
    await until(() => left() === 0);
    await notifier.stop();
    const mails = await Promise.all(server.mails.map(({ raw }) => PostalMime.parse(raw)));
    expect(mails.map(({ subject, to }) => [to![0]!.address, subject])).toEqual([
      [
        "ada@example.org",
        "200 jobs reported a failure: The nightly job of team 1, The nightly job of team 2 and 198 more",
      ],
      [
        "bob@example.org",
        "11 jobs reported a failure: The nightly job of team 1001, The nightly job of team 1002 and 9 more",
      ],
    ]);
    for (let incident = 1; incident <= 200; incident++) {
      expect(mails[0]!.text).toContain(
        `\n- Failed: The nightly job of team ${incident} (prod, nightly-job-${incident})\n`,
      );
      expect(mails[0]!.html).toContain(`db-${incident} failed`);
    }
    expect(mails[0]!.messageId).not.toBe(mails[1]!.messageId);
    expect(mails[0]!.headers.find(({ key }) => key === "references")?.value).not.toBe(mails[0]!.messageId);
    expect(rows().map(({ digest }) => digest)).toEqual([
      ...Array.from({ length: 200 }, () => 1),
      ...Array.from({ length: 11 }, () => 201),
    ]);
  });
});

test("R39: pagers and programs get every alert by itself", async () => {
  await using pager = startHttpSink(() => Response.json({ status: "success" }, { status: 202 }));
  await using hook = startHttpSink(() => new Response(null, { status: 204 }));
  const integrationKey = "0123456789abcdef0123456789abcdef";
  const { notifier, openTo, left } = over({
    pager: CHANNELS.pagerduty({ integrationKey, region: "us", url: pager.url }),
    hook: CHANNELS.webhook({ url: hook.url, secret: SECRET }),
  });
  openTo(30, "pager");
  openTo(30, "hook", null, 101);
  notifier.start();
  await until(() => left() === 0);
  await notifier.stop();
  expect([pager.requests.length, hook.requests.length]).toEqual([30, 30]);
  const types = hook.requests.map(({ body }) => JSON.parse(body).type);
  expect(new Set(types)).toEqual(new Set(["monitor.initial_failure"]));
});

test("R39: what piles up behind a message under way goes as digests, and nothing waits for more", async () => {
  const gate = Promise.withResolvers<void>();
  const { channel, sizes } = chat(() => DELIVERED);
  const send: Channel["send"] = async (...given) => {
    const verdict = await channel.send(...given);
    if (sizes.length === 1) await gate.promise;
    return verdict;
  };
  const { notifier, time, openTo, left } = over({ chat: { ...channel, send } });
  notifier.start();
  openTo(1, "chat");
  notifier.nudge();
  await time.advance(0);
  expect(sizes).toEqual([1]);
  openTo(45, "chat", null, 2);
  gate.resolve();
  await time.advance(0);
  expect(sizes).toEqual([1, 20, 20, 1, 1, 1, 1, 1]);
  expect(left()).toBe(0);
  await notifier.stop();
});

test("R36, R39: a digest that is put off is tried again as it is, until it is taken", async () => {
  const { channel, sizes } = chat((count) => (count < 2 ? FAILED : DELIVERED));
  const { notifier, time, openTo, rows, events } = over({ chat: channel });
  openTo(12, "chat");
  notifier.start();
  await time.advance(5 * SECOND - 1);
  expect(sizes).toEqual([12]);
  await time.advance(1);
  await time.advance(15 * SECOND);
  expect(sizes).toEqual([12, 12, 12]);
  expect(new Set(rows().map(({ outcome, attempts }) => `${outcome} ${attempts}`))).toEqual(new Set(["sent 3"]));
  expect(events).toEqual(["delivery_failed", "delivery_failed", "delivery_sent"]);
  await notifier.stop();
});

test("R36, R39: each delivery of a digest is given up when its own patience is over", async () => {
  const { channel } = chat(() => FAILED);
  const { notifier, time, openTo, rows } = over({ chat: channel });
  notifier.start();
  openTo(11, "chat");
  notifier.nudge();
  await time.advance(2 * HOUR);
  openTo(11, "chat", null, 12);
  notifier.nudge();
  await time.advance(22 * HOUR - 1);
  expect(rows().filter(({ outcome }) => outcome === "given_up")).toHaveLength(0);
  await time.advance(1);
  expect(rows().map(({ outcome }) => outcome)).toEqual([
    ...Array.from({ length: 11 }, () => "given_up"),
    ...Array.from({ length: 11 }, () => null),
  ]);
  await time.advance(2 * HOUR);
  expect(new Set(rows().map(({ outcome }) => outcome))).toEqual(new Set(["given_up"]));
  await notifier.stop();
});

test("R39: at a destination that hangs for a day none is given up with a digest it was new in", async () => {
  const time = manualTime(ALERT_AT);
  const hang = () => new Promise<Verdict>((resolve) => time.after(15 * SECOND, () => resolve(FAILED)));
  const box = openTestOutbox();
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map([["chat", { digests: 15, send: hang }]]),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  for (let incident = 1; incident <= 100; incident++) box.enqueue(incident, [toHook("chat")]);
  notifier.start();
  await time.advance(DAY + 40 * SECOND);
  for (let incident = 101; incident <= 120; incident++) box.enqueue(incident, [toHook("chat")], time.clock.now());
  notifier.nudge();
  await time.advance(20 * MINUTE);
  const outcomes = box.database
    .query<{ outcome: string | null }, []>("select outcome from deliveries order by id")
    .all()
    .map(({ outcome }) => outcome);
  expect(outcomes).toEqual([
    ...Array.from({ length: 100 }, () => "given_up"),
    ...Array.from({ length: 20 }, () => null),
  ]);
  await notifier.stop();
});

test("R39: a digest that is rejected is not given up: its alerts go by themselves, and the next ones share one again", async () => {
  const { channel, sizes } = chat((_, alerts) => (alerts > 1 ? REJECTED : DELIVERED));
  const { notifier, time, openTo, rows, events } = over({ chat: channel });
  openTo(12, "chat");
  notifier.start();
  await time.advance(0);
  expect(sizes).toEqual([12, ...Array.from({ length: 12 }, () => 1)]);
  openTo(15, "chat", null, 13);
  notifier.nudge();
  await time.advance(0);
  expect(sizes.slice(13)).toEqual([15, ...Array.from({ length: 15 }, () => 1)]);
  expect(new Set(rows().map((row) => JSON.stringify(row)))).toEqual(
    new Set([JSON.stringify({ outcome: "sent", attempts: 1, digest: null })]),
  );
  expect(events.filter((event) => event !== "delivery_sent")).toEqual(["digest_rejected", "digest_rejected"]);
  await notifier.stop();
});

test("R36, R39: of alerts that go by themselves after that, the one that is rejected is given up alone", async () => {
  const { channel, sizes } = chat(() => DELIVERED);
  const send: Channel["send"] = async (delivery, context) => {
    const text = JSON.stringify(delivery.message.data);
    await channel.send(delivery, context);
    return text.includes('"nightly-job-7"') ? REJECTED : DELIVERED;
  };
  const { notifier, time, openTo, rows } = over({ chat: { ...channel, send } });
  openTo(12, "chat");
  notifier.start();
  await time.advance(0);
  // It is tried once more as soon as another is taken.
  expect(sizes).toEqual([12, 1, 1, 1, 1, 1, 1, 1, -1, 1, 1, -1, 1, 1, 1, 1]);
  expect(rows().map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: 12 }, (_, index) => (index === 6 ? "given_up" : "sent")),
  );
  await notifier.stop();
});

test("R39: an alert at which a channel fails does not take the others of its digest with it", async () => {
  const { channel } = chat(() => DELIVERED);
  const send: Channel["send"] = (delivery, context) => {
    if (JSON.stringify(delivery.message.data).includes('"nightly-job-7"')) throw new Error("a defect");
    return channel.send(delivery, context);
  };
  const { notifier, time, openTo, rows } = over({ chat: { ...channel, send } });
  openTo(12, "chat");
  notifier.start();
  await time.advance(MINUTE);
  expect(rows().map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: 12 }, (_, index) => (index === 6 ? null : "sent")),
  );
  await notifier.stop();
});

test("a receiver that wants to be left alone between two messages is, however many wait", async () => {
  const sentAt: number[] = [];
  const { channel } = chat(() => DELIVERED, { restMs: 400 });
  const time = manualTime(ALERT_AT);
  const box = openTestOutbox();
  const send: Channel["send"] = (...given) => {
    sentAt.push(time.clock.now() - ALERT_AT);
    return channel.send(...given);
  };
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map([["chat", { ...channel, send }]]),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    log: () => {},
  });
  for (let incident = 1; incident <= 5; incident++) box.enqueue(incident, [toHook("chat")]);
  notifier.start();
  await time.advance(10 * SECOND);
  expect(sentAt).toEqual([0, 400, 800, 1_200, 1_600]);
  box.enqueue(6, [toHook("chat")], time.clock.now());
  notifier.nudge();
  await time.advance(0);
  expect(sentAt.at(-1)).toBe(10 * SECOND);
  await notifier.stop();
});

describe("more than a thousand at once", () => {
  const COUNT = 1_300;

  /** A chat that says of each digest how many alerts it names, and how many it counts beside them. */
  function counting(answer: (count: number) => Verdict) {
    const told: [kind: string, named: number, others: number, reference: string][] = [];
    const send: Channel["send"] = async ({ message, reference }) => {
      if (message.type !== "monitor.digest") throw new Error("no digest");
      const { kind, alerts, others } = message.data;
      told.push([kind, alerts.length, others?.count ?? 0, reference]);
      return answer(told.length);
    };
    return { channel: { digests: 20, send }, told };
  }

  test("R39: they are one message, their recoveries another, and every row is marked as sent", async () => {
    const { channel, told } = counting(() => DELIVERED);
    const { notifier, time, openTo, tell, rows, left, database } = over({ chat: channel });
    database.transaction(() => {
      openTo(COUNT, "chat");
      for (let incident = 1; incident <= COUNT; incident++)
        tell(incident, { destination: "chat", recipient: null }, RECOVERED);
    })();
    notifier.start();
    while (left() > 0) await time.advance(SECOND);
    expect(told.map(([kind, named, others]) => [kind, named, others])).toEqual([
      ["opened", 20, COUNT - 20],
      ["recovered", 20, COUNT - 20],
    ]);
    expect(new Set(rows().map(({ outcome, attempts }) => `${outcome} ${attempts}`))).toEqual(new Set(["sent 1"]));
    expect(Map.groupBy(rows(), ({ digest }) => digest).size).toBe(2);
    await notifier.stop();
  });

  test("R36, R39: what a receiver did not take goes out again as the same message", async () => {
    const { channel, told } = counting((count) => (count === 1 ? FAILED : DELIVERED));
    const { notifier, time, openTo, rows, left, database } = over({ chat: channel });
    database.transaction(() => openTo(COUNT, "chat"))();
    notifier.start();
    for (let minutes = 0; left() > 0 && minutes < 60; minutes++) await time.advance(MINUTE);
    expect(told).toHaveLength(2);
    expect(told[1]).toEqual(told[0]!);
    expect(new Set(rows().map(({ outcome, attempts }) => `${outcome} ${attempts}`))).toEqual(new Set(["sent 2"]));
    await notifier.stop();
  });

  test("R36: a stop while it is sent stores how all of it ended", async () => {
    let answer = (_: Verdict) => {};
    const send: Channel["send"] = () => new Promise((resolve) => (answer = resolve));
    const { notifier, time, openTo, rows, database } = over({ chat: { digests: 20, send } });
    database.transaction(() => openTo(COUNT, "chat"))();
    notifier.start();
    await time.advance(SECOND);
    const stopped = notifier.stop();
    answer(DELIVERED);
    await stopped;
    expect(rows().filter(({ outcome }) => outcome === "sent")).toHaveLength(COUNT);
  });

  test("R36: a stop before it is whole hands all of it back untried", async () => {
    const { channel, told } = counting(() => DELIVERED);
    const { notifier, time, openTo, rows, database } = over({ chat: channel });
    database.transaction(() => openTo(COUNT, "chat"))();
    notifier.start();
    const begun = time.advance(0);
    const stopped = notifier.stop();
    await begun;
    await time.advance(4 * SECOND);
    await stopped;
    expect([told, rows().filter(({ attempts }) => attempts > 0)]).toEqual([[], []]);
  });
});
