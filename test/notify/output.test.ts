// R46: who is told what a failing job wrote: mail and programs, and nobody else. From a report through the engine, the
// real notifier and the real channels to a receiver each.

import { expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { after } from "../../src/cli/clock.ts";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { HOUR, SECOND } from "../../src/domain/time.ts";
import type { Claim } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { attemptOnce } from "../../src/notify/deliver.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { createChannel } from "../../src/notify/registry.ts";
import { byHand } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { emailSettings } from "../support/mail.ts";
import { steadyBy, until } from "../support/manual-time.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

const MARKUP = `<script>alert("1")</script> <b>&amp;</b>`;
const SECOND_LAST = "the disk /srv is full";
const OUTPUT = `${Array.from({ length: 60 }, (_, place) => `step ${place + 1} done`).join("\n")}\n${MARKUP}\n${SECOND_LAST}\nfatal`;
const FAIL = ping({ kind: "fail", schedule: "0 * * * *", message: "fatal", output: OUTPUT });
const CHATS = ["slack", "discord", "teams", "ntfy", "pagerduty"] as const;

/** Every channel with a receiver of its own, behind a real engine. `refuses`: which bodies, for what they say. */
async function openAll(refuses: (body: string) => boolean = () => false) {
  const stack = new AsyncDisposableStack();
  const sink = stack.use(
    startHttpSink((_, { path, body }) => {
      if (refuses(body)) return new Response("no", { status: 422 });
      return path.endsWith("/slack") ? new Response("ok") : Response.json({ id: "1" }, { status: 202 });
    }),
  );
  const smtp = stack.use(await startSmtpServer());
  const { url } = sink;
  const settings = {
    slack: { type: "slack", url: `${url}/slack` },
    discord: { type: "discord", url },
    teams: { type: "teams", url },
    ntfy: { type: "ntfy", url, topic: "jobs", token: null },
    pagerduty: { type: "pagerduty", integration_key: "a".repeat(32), url },
    webhook: { type: "webhook", url, secret: `whsec_${"a".repeat(32)}` },
    email: emailSettings(smtp.port),
  } as const;
  const names = Object.keys(settings) as (keyof typeof settings)[];
  const destinations = new Map([
    ...names.map((name) => [name, MESSAGES] as const),
    ["pagerduty", { takes: "incidents" }] as const,
    ["email", { takes: "mail", recipients: ["ada@example.org"] }] as const,
  ]);
  const service = stack.use(openService(policyWith({ destinations, prod: { keepOutput: true, destinations: names } })));
  const notifier = createNotifier({
    steadySince: steadyBy({ now: () => service.now, monotonic: () => performance.now() }),
    outbox: createOutbox(service.store.database, () => {}),
    channels: new Map(
      names.map((name) => [name, createChannel(settings[name] as Parameters<typeof createChannel>[0])]),
    ),
    clock: { now: () => service.now, monotonic: () => performance.now() },
    after,
    random: () => 0.5,
    log: () => {},
  });
  notifier.start();
  stack.defer(() => notifier.stop());
  const waiting = (): number =>
    service.store.database
      .query<{ n: number }, []>("select count(*) as n from deliveries where finished_at is null")
      .get()!.n;
  const deliver = async (): Promise<void> => {
    notifier.nudge();
    await until(() => waiting() === 0);
  };
  return { service, sink, smtp, deliver, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const isWebhook = (body: string): boolean => body.startsWith('{"type":"monitor.');

test("R46: a webhook gets all of it, mail its last lines, chats and pagers the message alone", async () => {
  await using all = await openAll();
  await all.service.send(FAIL);
  await all.deliver();
  const bodies = all.sink.requests.map(({ body }) => body);
  const hook = bodies.find(isWebhook)!;
  expect(JSON.parse(hook).data).toMatchObject({
    failureMessage: "fatal",
    output: OUTPUT,
    outputAt: "2026-03-02T12:00:00.000Z",
  });
  const others = bodies.filter((body) => body !== hook);
  expect(others).toHaveLength(CHATS.length);
  for (const body of others) {
    expect(body).toContain("fatal");
    expect(body).not.toContain(SECOND_LAST);
    expect(body).not.toContain("step 60");
  }

  const [received] = all.smtp.mails;
  const { text, html } = await PostalMime.parse(received!.raw);
  expect(text).toStartWith("fatal\n\nJob reported a failure. ");
  expect(text).toContain(`Its last lines (23 lines before):\n    step 24 done\n`);
  expect(text).toContain(`    ${MARKUP}\n    ${SECOND_LAST}\n    fatal\n`);
  expect(text).not.toContain("step 23 done");
  // The message is the last of these lines.
  expect(text).not.toContain("Message:");
  expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &lt;b&gt;&amp;amp;&lt;/b&gt;");
  expect(html).not.toContain("<script");
});

test("R46: no line of a mail is longer than mail may have, however long a line of the output is", async () => {
  const long = `${"a/very.long=line;".repeat(300)}${"ü漢👩‍👩‍👧".repeat(160)}.\n.\nFrom here`;
  await using all = await openAll();
  await all.service.send(ping({ ...FAIL, name: "ü".repeat(200), message: "漢".repeat(1_000), output: long }));
  await all.deliver();
  const [received] = all.smtp.mails;
  // RFC 5322: 998 bytes without the line's end; a server may refuse more or break it anywhere.
  expect(Math.max(...received!.raw.split("\r\n").map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(998);
  const { text, html } = await PostalMime.parse(received!.raw);
  expect(text).toContain(long.replaceAll(/^/gm, "    "));
  expect(html).toContain(long);
});

test("R46: a reminder has the newest, with its time; a recovery and an acknowledgement have none", async () => {
  await using all = await openAll();
  const { service } = all;
  await service.send(FAIL);
  service.at(NOON + 10 * SECOND);
  await service.send({ ...FAIL, output: "newer\nfatal" });
  service.look(NOON + HOUR + SECOND);
  await all.deliver();
  const told = () =>
    all.sink.requests
      .flatMap(({ body }) => (isWebhook(body) ? [JSON.parse(body)] : []))
      .map(({ type, data }) => ({
        type,
        output: data.output,
      }));
  // Each says what was true then.
  expect(told()).toEqual([
    { type: "monitor.initial_failure", output: OUTPUT },
    { type: "monitor.continued_failure", output: "newer\nfatal" },
  ]);
  const mails = await Promise.all(all.smtp.mails.map(({ raw }) => PostalMime.parse(raw)));
  expect(mails[1]!.text).toContain("Its last lines, of 12:00:10:\n    newer\n    fatal\n");
  service.engine.operate("incident ack", { id: 1 });
  await service.send(ping());
  await all.deliver();
  expect(told().slice(2)).toEqual([{ type: "monitor.recovered", output: null }]);
  expect(all.sink.requests.slice(-CHATS.length).join()).not.toContain("newer");
});

test("R46: a channel that does not say that it takes outputs is not even handed one", async () => {
  using service = openService(policyWith({ prod: { keepOutput: true } }));
  const handed: (string | null)[] = [];
  const hook: Channel = {
    send: async ({ message }) => {
      handed.push((message.data as AlertData).output);
      return { verdict: "delivered", answer: "ok" };
    },
  };
  for (const channel of [hook, { ...hook, takesOutput: true as const }]) {
    const [claim] = byHand(createOutbox(service.store.database, () => {})).claim(service.now);
    expect(claim).toBeUndefined();
    await service.send({ ...FAIL, monitorKey: `job-${handed.length}` });
    const [alert] = byHand(createOutbox(service.store.database, () => {})).claim(service.now);
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    await attemptOnce(channel, alert as Claim, { clock, log: () => {}, after });
  }
  expect(handed).toEqual([null, OUTPUT]);
});

test("R36: the plain form has none: it may be what the receiver refused", async () => {
  await using all = await openAll((body) => body.includes(SECOND_LAST));
  await all.service.send(FAIL);
  await all.deliver();
  const hooks = all.sink.requests.map(({ body }) => body).filter(isWebhook);
  expect(hooks.map((body) => JSON.parse(body).data.output)).toEqual([OUTPUT, null]);
});

test("R46: a digest has none", async () => {
  await using all = await openAll();
  await all.service.send(...Array.from({ length: 12 }, (_, job) => ({ ...FAIL, monitorKey: `job-${job}` })));
  await all.deliver();
  expect(all.smtp.mails).toHaveLength(1);
  expect(all.smtp.mails[0]!.raw).not.toContain(SECOND_LAST);
});
