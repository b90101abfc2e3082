// The ntfy channel: what a phone shows, ntfy's limits for whatever jobs write, and what becomes of each of its answers.

import { expect, test } from "bun:test";
import Ajv from "ajv";
import fc from "fast-check";
import type { AlertData } from "../../src/domain/message/alert.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { CLOCK_NOTICE, NOTICE_AT, unheardOf } from "../support/notices.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { hostileMessage } from "./hostile-text.ts";
import schema from "./schemas/ntfy.json";

const isPublication = new Ajv({ allErrors: true }).compile(schema);

const TOKEN = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2";

const deliveryOf = (message: Message): ClaimedDelivery => ({
  id: 7,
  destination: "phone",
  recipient: null,
  reference: "delivery-7-mm5x",
  thread: "incident-12-mm5w",
  createdAt: ALERT_AT,
  attempts: 0,
  message,
});

const published = () => Response.json({ id: "sPs71M8A2T", time: 1, event: "message", topic: "backups", message: "x" });

async function send(message: Message, url: string, { token = null as string | null, plain = false } = {}) {
  const channel = CHANNELS.ntfy({ url, topic: "backups", token }, 5_000);
  return channel.send(deliveryOf(message), { sentAt: message.at, plain });
}

const CHANNEL = CHANNELS.ntfy({ url: "https://ntfy.example.org", topic: "backups", token: null });

const bodyOf = (message: Message, plain = false) => JSON.parse(bodyThrough(CHANNEL, message, { plain }));

test("R37: an opening arrives as one JSON object with title, text, priority, emoji and link", async () => {
  await using sink = startHttpSink(published);
  const message = alertOf({ cause: "failed", causes: ["failed"], failureMessage: "disk full", expectedAt: null });
  expect(await send(message, sink.url, { token: TOKEN })).toEqual({ verdict: "delivered", answer: "HTTP 200 OK" });
  const [request] = sink.requests;
  expect(request).toMatchObject({ method: "POST", path: "/hooks/T0SECRET" });
  expect(request!.headers).toMatchObject({ "content-type": "application/json", authorization: `Bearer ${TOKEN}` });
  const body = JSON.parse(request!.body);
  const link = "https://wiki.example.org/backup?a=1&b=2";
  expect(body).toEqual({
    topic: "backups",
    priority: 4,
    title: "Failed: Nightly backup (prod)",
    message: expect.stringContaining("Nightly backup reported a failure"),
    tags: ["rotating_light"],
    click: link,
    actions: [{ action: "view", label: "runbook", url: link }],
  });
  expect(body.message).toStartWith("disk full\n\nNightly backup reported a failure. Read its log.\n\n");
  expect(body.message).not.toContain("Message:");
  expect(isPublication(body)).toBe(true);
});

test("without a token nothing claims to be one", async () => {
  await using sink = startHttpSink(published);
  await send(alertOf(), sink.url);
  expect(sink.requests[0]!.headers).not.toHaveProperty("authorization");
});

test("the priority is the severity's; good news and notices are quiet", () => {
  const shown = (changes: Partial<AlertData>) => {
    const { priority, tags } = bodyOf(alertOf(changes));
    return [priority, ...tags];
  };
  expect(shown({ severity: "critical" })).toEqual([5, "rotating_light"]);
  expect(shown({ severity: "error" })).toEqual([4, "rotating_light"]);
  expect(shown({ severity: "warning" })).toEqual([3, "warning"]);
  expect(shown({ severity: "info" })).toEqual([2, "warning"]);
  expect(shown({ severity: "critical", kind: "Recovered", reason: "success" })).toEqual([2, "white_check_mark"]);
  expect(shown({ severity: "critical", kind: "Acknowledged", reason: "acknowledged" })).toEqual([
    2,
    "information_source",
  ]);
  expect(bodyOf(unheardOf())).toMatchObject({ priority: 3, tags: ["information_source"] });
  expect(bodyOf(CLOCK_NOTICE)).toMatchObject({ priority: 3, tags: ["information_source"] });
});

test("a link that is not http(s), or too long to be whole, is left out, and no more than three are buttons", () => {
  const links = (urls: Record<string, string>) => bodyOf(alertOf({ links: urls }));
  expect(links({ a: "javascript:alert(1)", b: `https://example.org/${"x".repeat(500)}` })).not.toContainAnyKeys([
    "click",
    "actions",
  ]);
  const four = { a: "https://a.example", b: "https://b.example", c: "https://c.example", d: "https://d.example" };
  expect(links(four)).toMatchObject({ click: "https://a.example", actions: { length: 3 } });
});

test("R23: where it can be answered, its buttons post the answers, and a runbook keeps one", () => {
  const answerUrl = "https://cron.example.org/answer/phone/1-token";
  const shown = (links: Record<string, string>) => {
    const body = bodyOf(alertOf({ url: "https://cron.example.org/incidents/12", answerUrl, links }));
    expect(isPublication(body)).toBe(true);
    expect(body.click).toBe("https://cron.example.org/incidents/12");
    return body.actions;
  };
  const post = (act: string) => ({ action: "http", url: `${answerUrl}/${act}`, method: "POST", clear: true });
  const posts = [
    { label: "Acknowledge", ...post("ack") },
    { label: "Pause for 1 hour", ...post("hour") },
  ];
  expect(shown({})).toEqual([...posts, { label: "Resolve", ...post("resolve") }]);
  const runbook = { action: "view", label: "runbook", url: "https://wiki.example.org" };
  expect(shown({ runbook: runbook.url })).toEqual([...posts, runbook]);
  const long = bodyOf(alertOf({ answerUrl: `https://cron.example.org/${"x".repeat(500)}`, links: {} }));
  expect(long).not.toContainAnyKeys(["actions"]);
});

test("R36: the plain form is the topic, the priority and what happened, without what the job said", () => {
  const body = bodyOf(alertOf({ cause: "failed", severity: "critical", failureMessage: "disk full" }), true);
  expect(Object.keys(body)).toEqual(["topic", "message", "priority"]);
  expect(body.priority).toBe(5);
  expect(body.message).toStartWith("[critical] Failed: Nightly backup (prod)\nNightly backup reported a failure");
  expect(body.message).not.toContain("disk full");
  expect(isPublication(body)).toBe(true);
});

test("the message stays below the size at which ntfy makes a file of it, and the JSON below what it reads", () => {
  for (const letter of ['"', "\\", "😀", "\n-"]) {
    const message = alertOf({ cause: "failed", failureMessage: letter.repeat(1_000), name: letter.repeat(200) });
    const text = bodyThrough(CHANNEL, message);
    expect(Buffer.byteLength(text)).toBeLessThan(8_192);
    expect(Buffer.byteLength(JSON.parse(text).message)).toBeLessThan(4_096);
    expect(JSON.parse(text).message).toContain("reported a failure");
  }
  const address = `https://wiki.example.org/${'"'.repeat(470)}`;
  const links = { a: address, b: address, c: address };
  for (let length = 700; length < 900; length += 10) {
    const failureMessage = `${"😀".repeat(length)}${'"'.repeat(1_000 - length)}`;
    const message = alertOf({ cause: "failed", name: '"'.repeat(80), failureMessage, links });
    const text = bodyThrough(CHANNEL, message);
    expect(Buffer.byteLength(text)).toBeLessThan(8_192);
  }
});

test("whatever jobs call themselves and say: ntfy's form, its limits in bytes, and nothing but our keys", () => {
  fc.assert(
    fc.property(hostileMessage, fc.boolean(), (message, plain) => {
      const text = bodyThrough(CHANNEL, message, { sentAt: NOTICE_AT, plain });
      const body = JSON.parse(text);
      expect(isPublication(body)).toBe(true);
      expect(body.topic).toBe("backups");
      expect(Buffer.byteLength(text)).toBeLessThan(8_192);
      expect(Buffer.byteLength(body.message)).toBeLessThan(4_096);
      expect(Buffer.byteLength(body.title ?? "")).toBeLessThanOrEqual(1_024);
      expect(body.title ?? "").not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(body.message).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(text.isWellFormed()).toBe(true);
    }),
    propertyRuns(150),
  );
}, 120_000);

test("what jobs write reaches no header", async () => {
  await using sink = startHttpSink(published);
  const evil = "x\r\nX-Injected: 1\r\n\r\n{}";
  await send(alertOf({ name: evil, monitorKey: evil, failureMessage: evil, owner: evil }), sink.url, { token: TOKEN });
  expect(sink.requests).toHaveLength(1);
  const ours = ["accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"];
  expect([...ours, "user-agent"]).toEqual(expect.arrayContaining(Object.keys(sink.requests[0]!.headers)));
});

test("R36: the verdict on each answer", async () => {
  const error = (status: number, code: number) => Response.json({ code, http: status, error: "invalid" }, { status });
  const answers: [Response, object][] = [
    [published(), { verdict: "delivered", answer: "HTTP 200 OK" }],
    [new Response("<html>log in first"), { verdict: "retry", answer: "HTTP 200, but not from ntfy" }],
    [new Response("null"), { verdict: "retry", answer: "HTTP 200, but not from ntfy" }],
    [error(400, 40_009), { verdict: "blocked", answer: "HTTP 400 Bad Request, the topic is not taken" }],
    [error(400, 40_010), { verdict: "blocked", answer: "HTTP 400 Bad Request, the topic is not taken" }],
    [error(400, 40_014), { verdict: "rejected", answer: "HTTP 400 Bad Request" }],
    [error(413, 41_303), { verdict: "rejected", answer: "HTTP 413 Payload Too Large" }],
    [error(401, 40_101), { verdict: "blocked", answer: "HTTP 401 Unauthorized" }],
    [error(403, 40_301), { verdict: "blocked", answer: "HTTP 403 Forbidden", perhapsContent: true }],
    [error(429, 42_908), { verdict: "retry", answer: "HTTP 429 Too Many Requests" }],
    [error(500, 50_001), { verdict: "retry", answer: "HTTP 500 Internal Server Error" }],
  ];
  await using sink = startHttpSink((count) => answers[count]![0]);
  for (const [, verdict] of answers) expect(await send(alertOf(), sink.url)).toEqual(verdict as never);
});

test("R40: an address that is none is refused without being repeated", () => {
  const create = (url: string) => () => CHANNELS.ntfy({ url, topic: "backups", token: null });
  expect(create("ftp://T0SECRET")).toThrow("a destination's url must be an http(s) URL");
  expect(create("https://a:T0SECRET@ntfy.example.org")).toThrow("a destination's url must not hold credentials");
});
