// Answers that services bring (R23), whatever they hold: none stops what hears them, and each is refused for its own
// reason.

import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { SendingParts } from "../../src/notify/channel.ts";
import { createPolledReplies } from "../../src/notify/polled-replies.ts";
import { createTakeReply } from "../../src/notify/replies.ts";
import { createWebhookReplies } from "../../src/notify/webhook-replies.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { until } from "../support/manual-time.ts";
import { granted } from "../support/service.ts";

const CHAT = { ...MESSAGES, answers: "Ada" };

async function openFailing(): Promise<Service> {
  const service = openService(
    policyWith({
      destinations: new Map([
        ["one", CHAT],
        ["two", CHAT],
      ]),
      team: { name: null, destinations: ["one", "two"], members: [] },
    }),
  );
  granted(service.engine.operate("user create", { name: "Ada", role: "operator" }));
  await service.send(ping({ kind: "fail", schedule: "0 * * * *" }));
  return service;
}

const partsOf = (service: Service) => ({
  clock: { now: () => service.now, monotonic: () => 0 },
  log: ((level, event, fields = {}) =>
    void (service.logged as object[]).push({ level, event, fields })) satisfies SendingParts["log"],
  after: (_: number, run: () => void) => {
    setImmediate(run);
    return () => {};
  },
  takeReply: createTakeReply(service.engine.replies),
});

/** It cannot be made text. */
const NO_TEXT = { toString: 1, valueOf: 2 };

test("Matrix: what anyone writes into the room that is no text stops nothing", async () => {
  const service = await openFailing();
  const repliesTo = { "m.in_reply_to": { event_id: "$1" } };
  const events = [
    { type: "m.room.message", event_id: "$2", content: { body: NO_TEXT, "m.relates_to": repliesTo } },
    { type: "m.reaction", event_id: "$3", content: { "m.relates_to": { event_id: "$1", key: NO_TEXT } } },
    null,
    { type: NO_TEXT, content: NO_TEXT },
  ];
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ next_batch: `s${asked++}`, rooms: { join: { "!r:x": { timeline: { events } } } } }),
  });
  const hear = createPolledReplies({ ...partsOf(service), changed: () => {} });
  hear([{ type: "matrix", name: "one", token: "t", chat: "!r:x", url: `http://127.0.0.1:${server.port}` }]);
  await until(() => asked > 3);
  hear([]);
  await server.stop(true);
  service[Symbol.dispose]();
});

test("Telegram: an update that cannot be read stops nothing", async () => {
  const service = await openFailing();
  let asked = 0;
  const update = { update_id: 1, callback_query: { id: "q", data: NO_TEXT, message: { chat: { id: NO_TEXT } } } };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ ok: true, result: asked++ % 2 === 0 ? [update] : [] }),
  });
  const hear = createPolledReplies({ ...partsOf(service), changed: () => {} });
  hear([{ type: "telegram", name: "one", token: "t", chat: "1", url: `http://127.0.0.1:${server.port}` }]);
  await until(() => asked > 3);
  hear([]);
  await server.stop(true);
  service[Symbol.dispose]();
});

test("Slack: what is signed and holds anything but text is no answer", async () => {
  using service = await openFailing();
  const called = createWebhookReplies({
    ...partsOf(service),
    destinations: () => [{ name: "one", type: "slack", url: "https://chat.example.org/x", signingSecret: "s" }],
  });
  const seconds = String(service.now / 1_000);
  for (const payload of [
    { actions: [{ action_id: ["ack"], value: "t" }], response_url: NO_TEXT, message: NO_TEXT },
    { actions: [{ action_id: NO_TEXT, value: NO_TEXT }] },
    { actions: [null], response_url: 5, message: { attachments: NO_TEXT } },
    null,
  ]) {
    const body = Buffer.from(`${new URLSearchParams({ payload: JSON.stringify(payload) })}`);
    const mac = createHmac("sha256", "s").update(`v0:${seconds}:`).update(body).digest("hex");
    const headers = new Headers({ "x-slack-request-timestamp": seconds, "x-slack-signature": `v0=${mac}` });
    expect(called("slack", { headers, body })).toMatchObject({ text: "this is no answer to an alert" });
  }
});

test("R23: where destinations share a chat or secret, an answer is refused for the reason of its own destination", async () => {
  using service = await openFailing();
  const { takeReply } = partsOf(service);
  const wanted = { now: service.now, busy: new Set<string>(), limit: 16, each: 16, digests: new Map(), ...NOTHING_NEW };
  const { claimed } = createOutbox(service.store.database, () => {}).exchange([], wanted);
  const token = service.engine.replies.tokenFor(claimed.find(({ destination }) => destination === "two")!)!;
  const both = [{ name: "one" }, { name: "two" }];
  const press = () => takeReply("Slack", both, { reply: "ack", token }).said;
  expect(press()).toBe("Ada: Acknowledge");
  expect(press()).toBe("Ada answered “Acknowledge” already, at 2026-03-02T12:00:00.000Z");
  expect(takeReply("Slack", both, { reply: "ack", token: "x" }).said).toStartWith("this is no answer to a message");
});
