// The Teams channel against real HTTP receivers: the card that is posted, that nothing in it is markup or too long, and
// what each answer means.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Message } from "../../src/domain/message/message.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { refusalsOf, refusedOf } from "../support/notices.ts";
import {
  chatDelivery,
  decoded,
  hostileMessage,
  OWN_LINK,
  RUNS,
  schemaCheck,
  seen,
  testAnswers,
  verdictOnRaw,
} from "./chats.ts";
import schema from "./schemas/teams.json" with { type: "json" };

const create = (url: string, timeoutMs?: number) => CHANNELS.teams({ url }, timeoutMs);
const check = schemaCheck(schema);
const taken = () => new Response(null, { status: 202 });

interface Element {
  readonly type: string;
  readonly text?: string;
  readonly items?: readonly Element[];
  readonly facts?: readonly { readonly title: string; readonly value: string }[];
  readonly color?: string;
}

const elementsOf = (body: string): readonly Element[] => JSON.parse(body).attachments[0].content.body;

const CHANNEL = create("https://flow.example.org");

const bodyOf = (message: Message, plain = false) => bodyThrough(CHANNEL, message, { sentAt: ALERT_AT + 1_000, plain });

/** All that Teams reads as Markdown. */
const textsOf = (elements: readonly Element[]): string[] =>
  elements.flatMap(({ text = [], items = [], facts = [] }) => [
    ...[text].flat(),
    ...textsOf(items),
    ...facts.flatMap(({ title, value }) => [title, value]),
  ]);

const shown = (body: string): string => textsOf(elementsOf(body)).join("\n");

test("R37: an alert is one card: its line in colour, what happened, the facts and the links", async () => {
  await using sink = startHttpSink(taken);
  const message = alertOf({ failureMessage: "disk full\nof logs", links: { runbook: OWN_LINK } });
  const verdict = await create(sink.url).send(chatDelivery(message), { sentAt: ALERT_AT + 1_000, plain: false });
  expect(verdict).toEqual({ verdict: "delivered", answer: "HTTP 202 Accepted" });
  const [request] = sink.requests;
  expect(request!.headers["content-type"]).toBe("application/json");
  check(JSON.parse(request!.body));
  const elements = elementsOf(request!.body);
  expect(elements[0]).toMatchObject({ text: "Missed: Nightly backup (prod), due 03:00", color: "Attention" });
  expect(elements[1]!.text).toStartWith("Nightly backup did not report.");
  expect(elements.find(({ type }) => type === "Container")?.items?.[0]).toMatchObject({ text: "disk full\n\nof logs" });
  expect(elements.find(({ type }) => type === "FactSet")?.facts).toContainEqual({ title: "Severity", value: "error" });
  expect(elements.at(-4)!.text).toBe("[runbook](https://wiki.example.org/backup?a=1&b=%282%29)");
});

test("the colour tells an alert from its end and from a notice", () => {
  const messages: Message[] = [alertOf(), alertOf({ kind: "Recovered", reason: "success" }), refusalsOf()];
  expect(messages.map((message) => elementsOf(bodyOf(message))[0]!.color)).toEqual(["Attention", "Good", "Accent"]);
});

test("no text is markup, and all stays below 20 KB, whatever the job is called and says", () => {
  fc.assert(
    fc.property(hostileMessage, fc.boolean(), (message, plain) => {
      const body = bodyOf(message, plain);
      check(JSON.parse(body));
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20_000);
      const elements = elementsOf(body);
      for (const text of textsOf(elements)) expectInert(text);
      const { subject } = wordingOf(message, ALERT_AT + 1_000);
      expect(seen(decoded(Bun.markdown.html(elements[0]!.text!)))).toBe(seen(subject));
    }),
    RUNS,
  );
});

function expectInert(text: string): void {
  const tags = Bun.markdown.html(text).match(/<[^>]*>/g) ?? [];
  const allowed = /^<(\/?p|br ?\/?|\/a|a href="https:\/\/wiki\.example\.org\/[^"]*")>$/;
  expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
  // Functions of Adaptive Cards, which are replaced before the Markdown is read.
  expect(text).not.toMatch(/\{\{|\}\}/);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
}

test("a long notice cuts the jobs' words first, then leaves out jobs, and says how many", () => {
  const monitors = Array.from({ length: 150 }, (_, place) =>
    refusedOf({ key: `job-${place}`, name: `Job ${place}`, fails: [{ at: ALERT_AT, message: "漢".repeat(900) }] }),
  );
  const text = shown(bodyOf(refusalsOf(monitors)));
  expect(text).not.toContain("漢".repeat(80));
  const listed = text.match(/• Job /g)!.length;
  expect(text).toContain(`• and ${150 - listed} more\n`);
  expect(shown(bodyOf(refusalsOf(monitors.slice(0, 3))))).toContain("漢".repeat(900));
});

test("R36: the plain form is the barest card, without what the job reported", () => {
  const body = bodyOf(alertOf({ failureMessage: "disk full" }), true);
  check(JSON.parse(body));
  const elements = elementsOf(body);
  expect([...new Set(elements.map(({ type }) => type))]).toEqual(["TextBlock"]);
  expect(shown(body)).not.toContain("disk full");
  expect(elements[0]!.text).toBe("Missed: Nightly backup (prod), due 03:00");
});

describe("answers", () => {
  testAnswers(create);

  test("a flow may answer 202, 200 or 204, with nothing or with anything that is no page", async () => {
    const answers = ["HTTP/1.1 202 Accepted", "HTTP/1.1 200 OK", "HTTP/1.1 204 No Content"].map(
      (status) => `${status}\r\nContent-Length: 0\r\n\r\n`,
    );
    const said = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"ok":true}';
    for (const answer of [...answers, said]) {
      expect(await verdictOnRaw(create, answer)).toMatchObject({ verdict: "delivered" });
    }
    const page = "HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\n <html>hi";
    expect(await verdictOnRaw(create, page)).toEqual({ verdict: "retry", answer: "HTTP 202, but not from Teams" });
  });

  test("an answer that breaks off counts all the same: a flow has nothing to say in it", async () => {
    const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"a":';
    expect(await verdictOnRaw(create, cut)).toMatchObject({ verdict: "delivered" });
  });
});
