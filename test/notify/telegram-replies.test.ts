// Answers in Telegram against a server of ours that speaks as the Bot API does: buttons, presses, and all that may go
// wrong on the way. The engine is the real one.

import { expect, test } from "bun:test";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { SendingParts } from "../../src/notify/channel.ts";
import { createMessageEdits } from "../../src/notify/message-edits.ts";
import { createPolledReplies } from "../../src/notify/polled-replies.ts";
import { createChannel } from "../../src/notify/registry.ts";
import { createTakeReply } from "../../src/notify/replies.ts";
import { openIncidentsToldAt } from "../../src/store/deliveries.ts";
import { openService, ping, policyWith } from "../support/engine.ts";
import { until } from "../support/manual-time.ts";
import { granted } from "../support/service.ts";

const TOKEN = "1234567890:AbC-d_E";
const CHAT = -1001234567890;

/** What the tests read of it. */
interface Asked {
  readonly offset: number;
  readonly limit: number;
  readonly allowed_updates: readonly string[];
  readonly text: string;
  readonly show_alert: boolean;
  readonly reply_markup: { readonly inline_keyboard: readonly (readonly Button[])[] };
}

type Button = Readonly<{ text: string; callback_data: string }>;

interface Call {
  readonly method: string;
  readonly asked: Asked;
}

/** As the Bot API answers, in the words of its documentation and of recorded answers. */
function startTelegram() {
  const calls: Call[] = [];
  const updates: { update_id: number; callback_query: object }[] = [];
  let faults: Response[] = [];
  let next = 700_000_001;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const [, bot, method = ""] = new URL(request.url).pathname.split("/");
      const asked = (await request.json()) as Asked;
      calls.push({ method, asked });
      if (bot !== `bot${TOKEN}`)
        return Response.json({ ok: false, error_code: 401, description: "Unauthorized" }, { status: 401 });
      if (method === "sendMessage")
        return Response.json({ ok: true, result: { message_id: 77, date: 1, chat: { id: CHAT }, text: asked.text } });
      if (method !== "getUpdates") return Response.json({ ok: true, result: true });
      const fault = faults.shift();
      if (fault !== undefined) return fault;
      while (updates.length > 0 && updates[0]!.update_id < asked.offset) updates.shift();
      return Response.json({ ok: true, result: updates.slice(0, asked.limit) });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    of: (method: string) => calls.filter((call) => call.method === method).map(({ asked }) => asked),
    fail: (...answers: Response[]) => {
      faults = answers;
    },
    press: (data: string, chat: object = { id: CHAT, type: "supergroup" }) => {
      const from = { id: 42, is_bot: false, first_name: "Mallory" };
      const message = { message_id: 77, date: 1, chat, text: "Job failed." };
      updates.push({ update_id: next, callback_query: { id: `q${next++}`, from, message, chat_instance: "1", data } });
    },
    stop: () => server.stop(true),
  };
}

async function openHeard(later: (run: () => void) => void = (run) => void setImmediate(run)) {
  const telegram = startTelegram();
  const policy = policyWith({
    destinations: new Map([
      ["hook", { takes: "messages", answers: "Ada" }],
      ["other", { takes: "messages", answers: "Ada" }],
    ]),
  });
  const service = openService(policy);
  granted(service.engine.operate("user create", { name: "Ada", role: "operator" }));
  await service.send(ping({ kind: "fail", schedule: "0 * * * *" }));
  const settings = { type: "telegram", token: TOKEN, chat: String(CHAT), url: telegram.url } as const;
  const outbox = createOutbox(service.store.database, () => {});
  const wanted = {
    now: service.now,
    busy: new Set<string>(),
    limit: 16,
    each: 16,
    digests: new Map(),
    alone: new Set<number>(),
    written: [],
  };
  const { claimed } = outbox.exchange([], { ...wanted, news: new Map(), sooner: [] });
  const channel = createChannel(settings, undefined, (delivery) => {
    const replyOptions = service.engine.replies.replyOptionsFor(delivery);
    return replyOptions === null ? delivery : { ...delivery, replyOptions };
  });
  const verdict = await channel.send(claimed[0]!, { sentAt: service.now, plain: false });
  expect(verdict).toEqual({ verdict: "delivered", answer: "HTTP 200 OK", sentAs: `${CHAT}/77` });
  const { id, destination } = claimed[0]!;
  const sent = { id, ending: "sent", at: service.now, answer: "", sentAs: `${CHAT}/77` } as const;
  outbox.exchange([sent], { ...wanted, limit: 0, news: new Map(), sooner: [] });
  const pauses: number[] = [];
  const common = {
    clock: { now: () => service.now, monotonic: () => 0 },
    steadySince: () => service.now,
    log: (level, event, fields = {}) => void (service.logged as object[]).push({ level, event, fields }),
  } satisfies Pick<SendingParts, "clock" | "steadySince" | "log">;
  const rests: number[] = [];
  const living = createMessageEdits({
    ...common,
    outbox,
    channels: new Map([[destination, channel]]),
    random: () => 0,
    after: (milliseconds, run) => {
      if (milliseconds > 0) rests.push(milliseconds);
      setImmediate(run);
      return () => {};
    },
  });
  const hear = createPolledReplies({
    ...common,
    changed: living.changed,
    after: (milliseconds, run) => {
      pauses.push(milliseconds);
      later(run);
      return () => {};
    },
    takeReply: createTakeReply(service.engine.replies),
  });
  const chat = { name: "hook", ...settings };
  return {
    ...{ channel, policy, telegram, service, outbox, living, rests, pauses, hear, chat, claim: claimed[0]! },
    buttons: () => telegram.of("sendMessage")[0]!.reply_markup.inline_keyboard.flat(),
    toasts: (count: number) =>
      until(() => telegram.of("answerCallbackQuery").length >= count).then(() => telegram.of("answerCallbackQuery")),
    incident: () => granted(service.engine.operate("incident show", { id: 1 })).incident,
    [Symbol.asyncDispose]: async () => {
      hear([]);
      await telegram.stop();
      service[Symbol.dispose]();
    },
  };
}

const dataOf = (buttons: readonly Button[], text: string): string =>
  buttons.find((button) => button.text === text)!.callback_data;

test("R23: an alert has buttons, and who presses one answers as the person, in one living message", async () => {
  await using heard = await openHeard();
  const { telegram, service } = heard;
  const buttons = heard.buttons();
  expect(buttons.map(({ text }) => text)).toEqual([
    "Acknowledge",
    "Pause for 1 hour",
    "Pause until tomorrow 08:00",
    "Resolve",
  ]);
  for (const { callback_data: data } of buttons) expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  heard.hear([heard.chat]);
  telegram.press(dataOf(buttons, "Acknowledge"));
  const [toast] = await heard.toasts(1);
  expect<unknown>(toast).toEqual({ callback_query_id: "q700000001", text: "Ada: Acknowledge", show_alert: false });
  expect(heard.incident().acknowledgedBy).toBe("Ada");
  await until(() => telegram.of("editMessageText").length === 1);
  expect(telegram.of("editMessageText")[0]).toMatchObject({
    chat_id: String(CHAT),
    message_id: 77,
    text: expect.stringMatching(/Since then it was acknowledged by Ada at .+\n\nAda: Acknowledge$/s),
    reply_markup: {
      inline_keyboard: [
        [{ text: "Pause for 1 hour" }],
        [{ text: "Pause until tomorrow 08:00" }],
        [{ text: "Resolve" }],
      ],
    },
  });
  const [entry] = granted(service.engine.operate("audit", {})).entries;
  expect(entry).toMatchObject({ name: "Ada", address: "Telegram", action: "incident ack" });
  // What has been heard is not asked for again.
  await until(() => telegram.of("getUpdates").at(-1)!.offset === 700_000_002);
  expect<unknown>(telegram.of("getUpdates")[0]).toEqual({
    offset: 0,
    limit: 1,
    timeout: 50,
    allowed_updates: ["callback_query"],
  });
});

test("an answer counts in a topic of the chat, and once the destination is gone the bot hears all again", async () => {
  await using heard = await openHeard();
  const { telegram } = heard;
  heard.hear([{ ...heard.chat, chat: `${CHAT}/45` }]);
  telegram.press(dataOf(heard.buttons(), "Acknowledge"), { id: CHAT, type: "supergroup", is_forum: true });
  await heard.toasts(1);
  expect(heard.incident().acknowledgedBy).toBe("Ada");
  heard.hear([]);
  // Telegram keeps the kinds for the next who asks, who would see no message to find a chat's number in.
  await until(() => telegram.of("getUpdates").at(-1)!.allowed_updates.length === 0);
  const before = telegram.of("getUpdates").length;
  heard.hear([]);
  expect(telegram.of("getUpdates")).toHaveLength(before);
  expect<unknown>(telegram.of("getUpdates").at(-1)).toEqual({
    offset: 700_000_002,
    limit: 1,
    timeout: 0,
    allowed_updates: [],
  });
});

test("an alert offers no answer any more once its destination is gone, or takes none", async () => {
  const { takes } = policyWith().destinations.get("hook")!;
  for (const destinations of [new Map(), new Map([["hook", { takes }]])]) {
    await using heard = await openHeard();
    const { telegram, service, living, channel } = heard;
    expect(heard.buttons()).not.toEqual([]);
    const openAt = openIncidentsToldAt(service.store.database);
    expect([openAt("hook"), openAt("other")]).toEqual([[1], []]);
    service.reload({ ...heard.policy, destinations });
    living.silence("hook", channel, openAt("hook"));
    await until(() => telegram.of("editMessageText").length === 1);
    expect(telegram.of("editMessageText")[0]!.reply_markup.inline_keyboard).toEqual([]);
    expect(telegram.of("editMessageText")[0]!.text).toContain("Failed: Job");
  }
});

test("what is pressed twice, forged, old or elsewhere is refused in a sentence, and nothing is edited", async () => {
  await using heard = await openHeard();
  const { telegram, service } = heard;
  const ack = dataOf(heard.buttons(), "Acknowledge");
  const before = service.count("audit");
  telegram.press(ack, { id: 5, type: "private" });
  telegram.press(ack.replace(/.$/, (last) => (last === "A" ? "B" : "A")));
  telegram.press("z:nothing");
  telegram.press(`a:${service.engine.replies.tokenFor({ ...heard.claim, destination: "other" })}`);
  heard.hear([heard.chat]);
  const refused = await heard.toasts(4);
  expect(refused.map(({ text, show_alert }) => [text, show_alert])).toEqual([
    ["answers from this chat are not taken", true],
    ["this is no answer to a message of this rollcall, or it was changed on its way", true],
    ["this is no answer to an alert", true],
    ["this is no answer to a message of this rollcall, or it was changed on its way", true],
  ]);
  expect(service.count("audit")).toBe(before);
  telegram.press(ack);
  telegram.press(ack);
  expect((await heard.toasts(6))[5]!.text).toStartWith("Ada answered “Acknowledge” already, at ");
  await service.send(ping());
  telegram.press(dataOf(heard.buttons(), "Resolve"));
  expect((await heard.toasts(7))[6]!.text).toStartWith("incident 1 is over since ");
  expect(telegram.of("editMessageText")).toHaveLength(1);
});

test("another poller, a limit and a broken network are borne with one line of the log, and then it goes on", async () => {
  await using heard = await openHeard();
  const { telegram, service, pauses } = heard;
  const conflict = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
  const fault = (code: number, description: string, more = {}) =>
    Response.json({ ok: false, error_code: code, description, ...more }, { status: code });
  telegram.fail(
    fault(409, conflict),
    fault(429, "Too Many Requests: retry after 7", { parameters: { retry_after: 7 } }),
    new Response("<html>", { status: 502 }),
    Response.json({ ok: true, result: [{ no: "update" }] }),
  );
  telegram.press(dataOf(heard.buttons(), "Resolve"));
  heard.hear([heard.chat]);
  await heard.toasts(1);
  expect(heard.incident().closedBy).toBe("resolved");
  expect(pauses.slice(0, 4)).toEqual([2_000, 7_000, 8_000, 16_000]);
  const lines = service.logged.filter(({ event }) => event === "answers_not_heard");
  expect(lines).toEqual([
    { level: "warn", event: "answers_not_heard", fields: { destination: "hook", answer: "HTTP 409 Conflict" } },
  ]);
  expect(JSON.stringify(service.logged)).not.toContain("AbC-d_E");
  await telegram.stop();
  const far = pauses.length;
  await until(() => pauses.length > far + 12);
  expect(Math.max(...pauses)).toBe(60_000);
  expect(service.logged.filter(({ event }) => event === "answers_not_heard")).toHaveLength(2);
});

test("one loop a bot, which ends when no destination takes its answers, and begins again", async () => {
  const waiting: (() => void)[] = [];
  await using heard = await openHeard((run) => void waiting.push(run));
  const { telegram, hear, chat } = heard;
  hear([chat, { ...chat, name: "other", chat: "@nightly" }]);
  hear([chat]);
  await until(() => waiting.length === 1);
  hear([]);
  waiting[0]!();
  hear([]);
  await until(() => telegram.of("getUpdates").length === 2);
  hear([chat]);
  await until(() => waiting.length === 2);
  const kinds = telegram.of("getUpdates").map(({ allowed_updates }) => allowed_updates);
  expect(kinds).toEqual([["callback_query"], [], ["callback_query"]]);
});

test("an answer that cannot be stored is not lost in silence", async () => {
  await using heard = await openHeard();
  heard.service.store.database.run("DROP TABLE audit");
  heard.telegram.press(dataOf(heard.buttons(), "Acknowledge"));
  heard.hear([heard.chat]);
  expect((await heard.toasts(1))[0]!.text).toBe("that cannot be done right now; press it again in a moment");
});

test("a message that goes on living says what a person did elsewhere, rests between edits, and complains once", async () => {
  await using heard = await openHeard();
  const { telegram, service, living } = heard;
  const edits = () => telegram.of("editMessageText");
  granted(service.engine.operate("incident ack", { id: 1 }));
  for (const id of [1, 1, 7]) living.changed(id);
  await until(() => edits().length === 1 && heard.rests.length === 1);
  expect(edits()[0]!.text).toContain("Since then it was acknowledged at ");
  expect(edits()[0]!.reply_markup.inline_keyboard).toHaveLength(3);
  await service.send(ping());
  telegram.stop();
  living.changed(1);
  await until(() => heard.rests.length === 2);
  living.changed(1);
  await until(() => heard.rests.length === 3);
  expect(heard.rests).toEqual([3_000, 3_000, 3_000]);
  expect(service.logged.filter(({ event }) => event === "message_not_edited")).toEqual([
    {
      level: "warn",
      event: "message_not_edited",
      fields: { destination: "hook", delivery: 1, answer: "connection refused" },
    },
  ]);
  // What was sent as it stands is not edited, and what changed on its way is.
  living.stored({ ...heard.claim, members: [heard.claim], more: null });
  await until(() => heard.rests.length === 4);
  const message = heard.outbox.sentOf(1)[0]!.message;
  living.stored({ ...heard.claim, message, members: [heard.claim], more: null });
  await new Promise(setImmediate);
  expect(heard.rests).toHaveLength(4);
});

test("R23: a message whose acknowledgement was taken back says nothing of it any more, and can be answered", async () => {
  await using heard = await openHeard();
  const { telegram, service, living } = heard;
  const edits = () => telegram.of("editMessageText");
  for (const act of ["incident ack", "incident unack"] as const) {
    granted(service.engine.operate(act, { id: 1 }));
    living.changed(1);
    await until(() => edits().length === (act === "incident ack" ? 1 : 2));
  }
  expect(edits()[0]!.text).toContain("Since then it was acknowledged at ");
  expect(edits()[1]!.text).not.toContain("Since then");
  // Who acknowledged by the message itself may do so again.
  heard.telegram.press(dataOf(heard.buttons(), "Acknowledge"));
  heard.hear([heard.chat]);
  await heard.toasts(1);
  granted(service.engine.operate("incident unack", { id: 1 }));
  heard.telegram.press(dataOf(heard.buttons(), "Acknowledge"));
  await heard.toasts(2);
  expect(service.monitor().incident).toMatchObject({ acknowledgedBy: "Ada" });
  const buttons = edits().map(({ reply_markup }) => JSON.stringify(reply_markup).includes('"Acknowledge"'));
  expect(buttons.slice(0, 2)).toEqual([false, true]);
});

test("what stands in another chat by now is edited where it was sent, and nothing replies to it there", async () => {
  await using heard = await openHeard();
  const moved = createChannel({ type: "telegram", token: TOKEN, chat: "99", url: heard.telegram.url });
  await heard.service.send(ping());
  const [sent] = heard.outbox.sentOf(1);
  expect(await moved.edit!(sent!)).toMatchObject({ verdict: "delivered" });
  expect(heard.telegram.of("editMessageText")[0]).toMatchObject({ chat_id: String(CHAT), message_id: 77 });
  await moved.send({ ...sent!, repliesTo: sent!.sentAs }, { sentAt: heard.service.now, plain: false });
  expect(heard.telegram.of("sendMessage")[1]).not.toHaveProperty("reply_parameters");
});
