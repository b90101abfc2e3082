// The webhook channel against real HTTP receivers: the contract of Standard Webhooks, and everything a receiver can do
// instead of answering.

import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { withoutResponse } from "../../src/notify/channel.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";
import { createCertificate } from "../support/certificate.ts";
import { startHttpSink, startRawSink } from "../support/http-sink.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

const delivery: ClaimedDelivery = {
  id: 7,
  destination: "hook",
  recipient: null,
  reference: "delivery-7-mm5x",
  thread: "incident-12-mm5w",
  createdAt: ALERT_AT,
  attempts: 0,
  message: alertOf({ failureMessage: "disk full", links: { runbook: "https://example.org" } }),
};

const sendTo = (url: string, timeoutMs = 5_000, plain = false, sentAt = ALERT_AT + 1_999) =>
  CHANNELS.webhook({ url, secret: SECRET }, timeoutMs).send(delivery, { sentAt, plain });

const ok = () => new Response("ok");

test("R37: the body is exactly type, timestamp, the two lines that a phone shows and data, with the instant the alert became true", async () => {
  await using sink = startHttpSink(ok);
  expect(await sendTo(sink.url)).toEqual({ verdict: "delivered", answer: "HTTP 200 OK" });
  const [request] = sink.requests;
  expect(request).toMatchObject({ method: "POST", path: "/hooks/T0SECRET" });
  expect(request!.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(request!.body)).toEqual({
    type: "monitor.initial_failure",
    timestamp: "2026-03-01T02:01:05.000Z",
    title: "Missed: Nightly backup (prod), due 03:00",
    lead: "Nightly backup did not report. Check that its machine and its scheduler are up.",
    data: delivery.message.data,
  });
});

test("R37: a receiver can verify it with the library of Standard Webhooks, and only as it was sent", async () => {
  await using sink = startHttpSink(ok);
  // The library compares with its own clock.
  await sendTo(sink.url, 5_000, false, Date.now());
  const { headers, body } = sink.requests[0]!;
  const receiver = new Webhook(SECRET);
  expect(headers["webhook-id"]).toBe("delivery-7-mm5x");
  expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => receiver.verify(body.replace("disk full", "disk fine"), headers)).toThrow("No matching signature");
  const stranger = new Webhook(Buffer.from("another").toString("base64"));
  expect(() => stranger.verify(body, headers)).toThrow("No matching signature");
});

test("R37: the timestamp in the header is when it was sent, in seconds; the id is the same on every attempt", async () => {
  await using sink = startHttpSink(ok);
  await sendTo(sink.url);
  await sendTo(sink.url, 5_000, false, ALERT_AT + 60_000);
  const sent = sink.requests.map(({ headers }) => [headers["webhook-id"], headers["webhook-timestamp"]]);
  expect(sent).toEqual([
    ["delivery-7-mm5x", "1772330466"],
    ["delivery-7-mm5x", "1772330525"],
  ]);
});

test("R36: the plain form has the same shape without what callers wrote", async () => {
  await using sink = startHttpSink(ok);
  await sendTo(sink.url, 5_000, true);
  const { data } = JSON.parse(sink.requests[0]!.body);
  expect(Object.keys(data)).toEqual(Object.keys(delivery.message.data));
  expect(data).toMatchObject({ name: "nightly-backup", failureMessage: null, outcomes: null, links: {} });
});

test("R36: 429 and 5xx are tried again, with both forms of Retry-After", async () => {
  const answers = [
    new Response(null, { status: 500 }),
    new Response(null, { status: 429, headers: { "retry-after": "90" } }),
    new Response(null, { status: 503, headers: { "retry-after": new Date(ALERT_AT + 61_999).toUTCString() } }),
    new Response(null, { status: 429, headers: { "retry-after": "soon" } }),
  ];
  await using sink = startHttpSink((count) => answers[count]!);
  const verdicts = [];
  for (const _ of answers) verdicts.push(await sendTo(sink.url));
  expect(verdicts).toEqual([
    { verdict: "retry", answer: "HTTP 500 Internal Server Error" },
    { verdict: "retry", answer: "HTTP 429 Too Many Requests", afterMs: 90_000 },
    { verdict: "retry", answer: "HTTP 503 Service Unavailable", afterMs: 59_001 },
    { verdict: "retry", answer: "HTTP 429 Too Many Requests" },
  ]);
});

test("R40: a redirect is a failure and is not followed", async () => {
  await using elsewhere = startHttpSink(ok);
  await using sink = startHttpSink(() => Response.redirect(elsewhere.url, 307));
  expect(await sendTo(sink.url)).toEqual({ verdict: "blocked", answer: "HTTP 307 Temporary Redirect" });
  expect(elsewhere.requests).toEqual([]);
});

const HEAD = "HTTP/1.1 200 OK\r\n";

test("R40: of an endless answer 64 KiB are read, then it is left", async () => {
  await using sink = await startRawSink((socket) => {
    const piece = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const more = () => {
      while (socket.writable && socket.write(piece));
    };
    socket.on("drain", more);
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    more();
  });
  expect(await sendTo(sink.url)).toEqual({ verdict: "delivered", answer: "HTTP 200 OK" });
  await sink.closed;
});

test("R40: a receiver that never answers, or never ends its answer, is left after the timeout", async () => {
  await using silent = await startRawSink();
  expect(await sendTo(silent.url, 500)).toEqual(withoutResponse(2_000));
  await silent.closed;

  await using halting = await startRawSink((socket) => {
    socket.write("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nabc");
  });
  // The start of the answer has come when this is over, even when the machine is slow.
  expect(await sendTo(halting.url, 1_000)).toEqual({ verdict: "retry", answer: "HTTP 500 Internal Server Error" });
  await halting.closed;

  await using withoutTls = await startRawSink();
  const { port } = withoutTls;
  expect(await sendTo(`https://127.0.0.1:${port}/x`, 100)).toEqual({ verdict: "retry", answer: "timed out" });
});

test("an answer that was given counts, also when its body breaks off", async () => {
  await using sink = await startRawSink((socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`));
  expect(await sendTo(sink.url)).toEqual({ verdict: "delivered", answer: "HTTP 200 OK" });
});

test("R40: what goes wrong on the way is tried again and said without the address", async () => {
  const certificate = createCertificate();
  await using cutting = await startRawSink((socket) => socket.destroy());
  await using babbling = await startRawSink((socket) => socket.end("hello\r\n\r\n"));
  await using encrypted = Bun.serve({
    port: 0,
    tls: { key: certificate.key, cert: certificate.certificate },
    fetch: ok,
  });
  const answers = {
    [`http://127.0.0.1:1/hooks/T0SECRET`]: "connection refused",
    [`http://hook.invalid/hooks/T0SECRET`]: "host name not found",
    [`https://localhost:${encrypted.port}/hooks/T0SECRET`]: "TLS failure (DEPTH_ZERO_SELF_SIGNED_CERT)",
    [cutting.url]: "connection closed without an answer",
    [babbling.url]: "connection closed without an answer",
  };
  for (const [url, answer] of Object.entries(answers)) expect(await sendTo(url)).toEqual({ verdict: "retry", answer });
});

test("R40: a server that repeats the address in its answer does not bring it into ours", async () => {
  await using sink = startHttpSink(
    (_, { path }) => new Response(`Cannot POST ${path}`, { status: 404, statusText: `no ${path}` }),
  );
  expect(await sendTo(sink.url)).toEqual({ verdict: "blocked", answer: "HTTP 404 Not Found" });
});

test("R40: only http and https without credentials are taken, and a refusal does not repeat the address", () => {
  for (const url of [
    "file:///etc/T0SECRET",
    "data:,T0SECRET",
    "ftp://example.org/T0SECRET",
    "T0SECRET",
    "http://a:T0SECRET@example.org",
  ]) {
    const create = () => CHANNELS.webhook({ url, secret: SECRET });
    expect(create).toThrow(/^a destination's url must (be an http\(s\) URL|not hold credentials)$/);
  }
});
