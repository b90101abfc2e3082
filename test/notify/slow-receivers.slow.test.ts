// Receivers that take a message and answer late or never (R36): one that is slow gets it once, and what was perhaps
// taken is not repeated within the hour, holds up nothing, and is told as a doubt.

import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { type Channel, type Verdict, withoutResponse } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { deliveryLists } from "../../src/store/delivery-lists.ts";
import { deliverySummaryOf } from "../../src/views/shown-deliveries.ts";
import { ALERT_AT, openTestOutbox, type TestOutbox, toHook } from "../support/alerts.ts";
import { startRawSink } from "../support/http-sink.ts";
import { emailSettings, MAILED_AT, mailDelivery } from "../support/mail.ts";
import { type ManualTime, manualTime, steadyBy } from "../support/manual-time.ts";
import { SMTP_STEPS, startScriptedSmtp } from "./smtp-script.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const DELIVERED: Verdict = { verdict: "delivered", answer: "HTTP 200 OK" };
const UNANSWERED = withoutResponse(60_000);

/** The limit for reaching a receiver in these tests; an answer may take four times as long. Milliseconds. */
const REACHED_WITHIN = 500;

const hookAt = (url: string) => CHANNELS.webhook({ url, secret: SECRET }, REACHED_WITHIN);

test("R36: a receiver over HTTP that answers late, once the whole message is written, has taken it", async () => {
  await using sink = await startRawSink((socket) => {
    socket.once("data", () => setTimeout(() => socket.end("HTTP/1.1 204 No Content\r\n\r\n"), 2 * REACHED_WITHIN));
  });
  let written = 0;
  const context = { ...MAILED_AT, written: () => void written++ };
  const verdict = await hookAt(`http://127.0.0.1:${sink.port}`).send(mailDelivery(), context);
  expect(verdict.verdict).toBe("delivered");
  expect(written).toBe(1);
});

test("R36: a receiver over HTTP that never answers has perhaps taken the message, one that is not reached has not", async () => {
  await using silent = await startRawSink(() => {});
  const send = (url: string) => hookAt(url).send(mailDelivery(), MAILED_AT);
  expect(await send(`http://127.0.0.1:${silent.port}`)).toEqual(withoutResponse(4 * REACHED_WITHIN));
  // It takes the connection and never speaks TLS, so nothing was sent.
  expect(await send(`https://127.0.0.1:${silent.port}`)).toEqual({ verdict: "retry", answer: "timed out" });
});

test("R36: a mail server that says nothing after the mail has perhaps taken it, one that is silent before has not", async () => {
  for (const step of SMTP_STEPS.filter((step) => step !== "STARTTLS" && step !== "AUTH")) {
    await using server = await startScriptedSmtp(step, "");
    const verdict = await createEmailChannel(emailSettings(server.port), { timeoutMs: REACHED_WITHIN }).send(
      mailDelivery(),
      MAILED_AT,
    );
    expect(verdict).toEqual(
      step === "message" ? withoutResponse(REACHED_WITHIN) : { verdict: "retry", answer: "timed out" },
    );
  }
});

function over(channel: Channel, box: TestOutbox = openTestOutbox(), time: ManualTime = manualTime(ALERT_AT)) {
  const notifier = createNotifier({
    steadySince: steadyBy(time.clock),
    outbox: box.outbox,
    channels: new Map([["hook", channel]]),
    clock: time.clock,
    after: time.after,
    random: () => 0,
    log: () => {},
  });
  const listed = () => [1, 2, 3].flatMap((id) => deliveryLists(box.database).find(id) ?? []).map(deliverySummaryOf);
  const states = () => listed().map(({ state, perhapsTaken }) => (perhapsTaken ? `${state}, perhaps taken` : state));
  return { box, time, notifier, listed, states };
}

test("R36: what was perhaps taken is not repeated within the hour, and the next of its lane passes", async () => {
  const sent: number[] = [];
  let isSilent = true;
  const { box, time, notifier, states, listed } = over({
    send: async ({ id }) => {
      sent.push(id);
      return isSilent ? UNANSWERED : DELIVERED;
    },
  });
  box.enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(SECOND);
  expect(states()).toEqual(["waiting, perhaps taken"]);
  expect([...notifier.failing().keys()]).toEqual(["hook"]);
  await time.advance(HOUR - 2 * SECOND);
  expect(sent).toEqual([1]);
  await time.advance(2 * SECOND);
  expect(sent).toEqual([1, 1]);
  box.enqueue(1, [toHook("hook")], time.clock.now());
  notifier.nudge();
  await time.advance(2 * MINUTE);
  expect(sent).toEqual([1, 1, 2]);
  isSilent = false;
  box.enqueue(1, [toHook("hook")], time.clock.now());
  notifier.nudge();
  await time.advance(2 * MINUTE);
  // A later one was taken: those before it are not repeated behind it.
  expect(sent).toEqual([1, 1, 2, 3]);
  expect(states()).toEqual(["sent", "sent", "sent"]);
  expect(listed()[0]!.answer).toContain("perhaps taken");
  await time.advance(3 * HOUR);
  expect(sent).toHaveLength(4);
  await notifier.stop();
});

test("R36: what was perhaps taken is given up at the end of its patience as any other", async () => {
  let tries = 0;
  const { box, time, notifier, states } = over({
    send: async () => {
      tries++;
      return UNANSWERED;
    },
  });
  box.enqueue(1, [toHook("hook")]);
  notifier.start();
  await time.advance(DAY + HOUR);
  expect(states()).toEqual(["given_up, perhaps taken"]);
  expect(tries).toBe(25);
  await notifier.stop();
});

test("R36: an answer that takes long holds up no other message, is listed as sent, and outlives a crash", async () => {
  const answers: ((verdict: Verdict) => void)[] = [];
  const sent: number[] = [];
  const channel: Channel = {
    send: ({ id }, { written }) => {
      sent.push(id);
      written?.();
      return id === 1 ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve(DELIVERED);
    },
  };
  const { box, time, notifier, states } = over(channel);
  box.enqueue(1, [toHook("hook")]);
  box.enqueue(2, [toHook("hook")]);
  notifier.start();
  await time.advance(10 * SECOND);
  expect(states()).toEqual(["under_way", "under_way"]);
  await time.advance(20 * SECOND);
  expect(states()).toEqual(["under_way, perhaps taken", "sent"]);
  // The process is gone, and another one does not repeat it within the hour.
  const outbox = createOutbox(box.database, () => {});
  const second = over(channel, { ...box, outbox }, manualTime(time.clock.now()));
  second.notifier.start();
  await second.time.advance(50 * MINUTE);
  expect(sent).toEqual([1, 2]);
  expect(states()).toEqual(["waiting, perhaps taken", "sent"]);
  await second.time.advance(11 * MINUTE);
  expect(sent).toEqual([1, 2, 1]);
  for (const answer of answers) answer(DELIVERED);
  await second.time.advance(MINUTE);
  expect(states()).toEqual(["sent", "sent"]);
  await second.notifier.stop();
});
