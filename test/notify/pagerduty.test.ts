// The PagerDuty channel: one alert there for each incident here, from trigger to resolve; its limits for whatever jobs
// write, and what becomes of each of its answers.

import { expect, test } from "bun:test";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import fc from "fast-check";
import type { AlertData } from "../../src/domain/message/alert.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { CLOCK_NOTICE, NOTICE_AT, refusalsOf, refusedOf, unheardOf } from "../support/notices.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { hostileMessage } from "./hostile-text.ts";
import schema from "./schemas/pagerduty.json";

const validator = new Ajv({ allErrors: true });
addFormats(validator);
const isEvent = validator.compile(schema);

const KEY = "e93facc04764012d7bfb002500d5d1a6";
const THREAD = "incident-12-mm5w";

const deliveryOf = (message: Message): ClaimedDelivery => ({
  id: 7,
  destination: "pager",
  recipient: null,
  reference: "delivery-7-mm5x",
  thread: THREAD,
  createdAt: ALERT_AT,
  attempts: 0,
  message,
});

const accepted = () =>
  Response.json({ status: "success", message: "Event processed", dedup_key: "any" }, { status: 202 });

const send = (message: Message, url: string, plain = false) =>
  CHANNELS.pagerduty({ integrationKey: KEY, region: "us", url }, 5_000).send(deliveryOf(message), {
    sentAt: message.at,
    plain,
  });

const CHANNEL = CHANNELS.pagerduty({ integrationKey: KEY, region: "us", url: null });

const eventOf = (message: Message, plain = false, thread = THREAD) =>
  JSON.parse(bodyThrough(CHANNEL, message, { plain, thread }));

const eventOn = (changes: Partial<AlertData>, plain = false) => eventOf(alertOf(changes), plain);

test("R37: an opening triggers an alert with all that PagerDuty has a place for", async () => {
  await using sink = startHttpSink(accepted);
  const message = alertOf({ cause: "failed", failureMessage: "disk full", severity: "critical" });
  expect(await send(message, sink.url)).toEqual({ verdict: "delivered", answer: "HTTP 202 Accepted", sentAs: "any" });
  const [request] = sink.requests;
  expect(request).toMatchObject({ method: "POST", path: "/hooks/T0SECRET" });
  expect(request!.headers["content-type"]).toBe("application/json");
  const event = JSON.parse(request!.body);
  expect(event).toEqual({
    routing_key: KEY,
    event_action: "trigger",
    dedup_key: expect.stringMatching(/^incident-12-mm5w-[0-9a-f]{16}$/),
    client: "rollcall",
    payload: {
      summary: "[critical] Failed: Nightly backup (prod). disk full",
      source: "prod/nightly-backup",
      severity: "critical",
      timestamp: "2026-03-01T02:01:05.000Z",
      component: "nightly-backup",
      group: "prod",
      class: "failed",
      custom_details: expect.objectContaining({
        "What happened": expect.stringContaining("Nightly backup reported a failure"),
        Message: "disk full",
        "What to do": expect.stringContaining("Read its log."),
        Monitor: "nightly-backup",
        Incident: "12",
      }),
    },
    links: [{ href: "https://wiki.example.org/backup?a=1&b=2", text: "runbook" }],
  });
  expect(isEvent(event)).toBe(true);
});

test("R37: reminders and new causes add to the alert, acknowledging and recovering end it, under one key", () => {
  const told: Partial<AlertData>[] = [
    { kind: "NeverExecuted" },
    { kind: "ContinuedFailure", reason: "reminder" },
    { kind: "ContinuedFailure", reason: "new_cause", cause: "failed" },
    { kind: "Acknowledged", reason: "acknowledged" },
    { kind: "Recovered", reason: "success", name: "Renamed" },
  ];
  const events = told.map((changes) => eventOn(changes));
  expect(events.map((event) => event.event_action)).toEqual([
    "trigger",
    "trigger",
    "trigger",
    "acknowledge",
    "resolve",
  ]);
  expect(new Set(events.map((event) => event.dedup_key)).size).toBe(1);
  expect(events.every((event) => isEvent(event))).toBe(true);
  expect(Object.keys(events[3])).toEqual(["routing_key", "event_action", "dedup_key"]);
  expect(Object.keys(events[4])).toEqual(["routing_key", "event_action", "dedup_key"]);
});

test("incidents of two installations do not become one, though number and moment are the same", () => {
  const keys = [
    eventOn({}),
    eventOn({ applicationId: "staging" }),
    eventOn({ monitorKey: "other" }),
    eventOn({ applicationId: "prod-nightly", monitorKey: "backup" }),
    eventOf(alertOf(), false, "incident-13-mm5w"),
  ].map((event) => event.dedup_key);
  expect(new Set(keys).size).toBe(keys.length);
});

test("R26: a notice is an alert of its own, of the least severity", () => {
  const unheard = eventOf(unheardOf(), false, "notice-3-mm5w");
  expect(unheard).toMatchObject({
    event_action: "trigger",
    dedup_key: "notice-3-mm5w",
    payload: { severity: "info", source: "rollcall", class: "unheard" },
  });
  expect(unheard.payload.custom_details["Which jobs"]).toStartWith("Backup (prod, nightly-backup)\na report was due");
  expect(isEvent(unheard)).toBe(true);
  expect(isEvent(eventOf(CLOCK_NOTICE))).toBe(true);
});

test("a long list of jobs is cut", () => {
  const jobs = Array.from({ length: 60 }, (_, index) =>
    refusedOf({ key: `job-${index}`, fails: [{ at: NOTICE_AT, message: "😀".repeat(1_000) }] }),
  );
  const list = eventOf(refusalsOf(jobs)).payload.custom_details["Which jobs"];
  expect(list).toEndWith("😀…");
  expect(list.length).toBeLessThanOrEqual(20_000);
});

test("R36: the plain form has only what PagerDuty needs", () => {
  const event = eventOn({ cause: "failed", failureMessage: "disk full" }, true);
  expect(event).toEqual({
    routing_key: KEY,
    event_action: "trigger",
    dedup_key: eventOn({}).dedup_key,
    payload: { summary: "Failed: Nightly backup (prod). Read its log.", source: "rollcall", severity: "error" },
  });
  expect(isEvent(event)).toBe(true);
});

test("whatever jobs call themselves and say: PagerDuty's form, its limits, and nothing but our keys", () => {
  fc.assert(
    fc.property(hostileMessage, fc.boolean(), (message, plain) => {
      const text = bodyThrough(CHANNEL, message, { sentAt: NOTICE_AT, plain, thread: THREAD });
      const event = JSON.parse(text);
      expect(isEvent(event)).toBe(true);
      expect(event.routing_key).toBe(KEY);
      expect(Buffer.byteLength(text)).toBeLessThan(512_000);
      expect(Buffer.byteLength(event.payload?.summary ?? "")).toBeLessThanOrEqual(1_024);
      expect(event.payload?.summary ?? "").not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(text.isWellFormed()).toBe(true);
    }),
    propertyRuns(150),
  );
}, 120_000);

test("R36: the verdict on each answer", async () => {
  const refused = (...errors: string[]) =>
    Response.json({ status: "invalid event", message: "Event object is invalid", errors }, { status: 400 });
  const badKey = { verdict: "blocked", answer: "HTTP 400 Bad Request, the integration key is not taken" };
  const answers: [Response, object][] = [
    [accepted(), { verdict: "delivered", answer: "HTTP 202 Accepted", sentAs: "any" }],
    [new Response(null, { status: 202 }), { verdict: "delivered", answer: "HTTP 202 Accepted" }],
    [
      Response.json({ status: "throttled" }, { status: 202 }),
      { verdict: "retry", answer: "HTTP 202, but not from PagerDuty" },
    ],
    [new Response("<html>log in first"), { verdict: "retry", answer: "HTTP 200, but not from PagerDuty" }],
    [refused("'payload.severity' is invalid"), { verdict: "rejected", answer: "HTTP 400 Bad Request" }],
    [refused("Length of 'routing_key' is incorrect (should be 32 characters)"), badKey],
    [Response.json({ message: "Invalid routing key" }, { status: 400 }), badKey],
    [new Response("no JSON", { status: 400 }), { verdict: "rejected", answer: "HTTP 400 Bad Request" }],
    [new Response(null, { status: 403 }), { verdict: "blocked", answer: "HTTP 403 Forbidden", perhapsContent: true }],
    [
      new Response(null, { status: 429, headers: { "retry-after": "60" } }),
      { verdict: "retry", answer: "HTTP 429 Too Many Requests", afterMs: 60_000 },
    ],
    [new Response(null, { status: 503 }), { verdict: "retry", answer: "HTTP 503 Service Unavailable" }],
  ];
  await using sink = startHttpSink((count) => answers[count]![0]);
  for (const [, verdict] of answers) expect(await send(alertOf(), sink.url)).toEqual(verdict as never);
});

test("R40: an address that is none is refused without being repeated", () => {
  const create = (url: string) => () => CHANNELS.pagerduty({ integrationKey: KEY, region: "eu", url });
  expect(create("ftp://T0SECRET")).toThrow("a destination's url must be an http(s) URL");
});
