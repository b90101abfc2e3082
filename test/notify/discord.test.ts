// The Discord channel against real HTTP receivers: what is posted and where, that nothing is over a limit or does
// anything there, and what each answer means.

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
  hostileMessage,
  OWN_LINK,
  RUNS,
  schemaCheck,
  seen,
  testAnswers,
  textsIn,
  verdictOnRaw,
} from "./chats.ts";
import schema from "./schemas/discord.json" with { type: "json" };

const create = (url: string, timeoutMs?: number) => CHANNELS.discord({ url }, timeoutMs);
const check = schemaCheck(schema);
const taken = () => Response.json({ id: "1", type: 0 });

const CHANNEL = create("https://discord.com/api/webhooks/1/abc");

const bodyOf = (message: Message, plain = false) =>
  JSON.parse(bodyThrough(CHANNEL, message, { sentAt: ALERT_AT + 1_000, plain }));

const sendTo = (url: string) => create(url).send(chatDelivery(), { sentAt: ALERT_AT, plain: false });

test("R37: an alert is one embed: its line, a colour, what happened and the facts", async () => {
  await using sink = startHttpSink(taken);
  expect(await sendTo(sink.url)).toEqual({ verdict: "delivered", answer: "HTTP 200 OK" });
  const [request] = sink.requests;
  expect(request!.headers["content-type"]).toBe("application/json");
  const body = JSON.parse(request!.body);
  check(body);
  expect(body.allowed_mentions).toEqual({ parse: [] });
  const [embed] = body.embeds;
  expect(embed).toMatchObject({
    title: "Missed: Nightly backup \\(prod\\), due 03:00",
    color: 0xb42318,
    timestamp: "2026-03-01T02:01:05.000Z",
    footer: { text: expect.stringMatching(/^Sent by rollcall/) },
  });
  expect(embed.description).toStartWith("Nightly backup did not report.");
  expect(embed.description).toContain("03:00 Europe/Berlin \\(02:00 UTC\\)");
  expect(embed.description).toEndWith("[runbook](https://wiki.example.org/backup?a=1&b=2)");
  expect(embed.fields).toContainEqual({ name: "Severity", value: "error", inline: true });
});

test("it is posted so that Discord answers after it has the message, and counts in seconds", async () => {
  const shown = (url: string) => create(url).preview(chatDelivery(), { sentAt: ALERT_AT, plain: false });
  const addressOf = (url: string) => shown(url).split("\n")[0]!.replace("POST ", "");
  expect(addressOf("https://discord.com/api/webhooks/1/abc")).toBe(
    "https://discord.com/api/v10/webhooks/1/abc?wait=true",
  );
  expect(addressOf("https://ptb.discord.com/api/v9/webhooks/1/abc?thread_id=7&wait=false")).toBe(
    "https://ptb.discord.com/api/v9/webhooks/1/abc?thread_id=7&wait=true",
  );
  expect(addressOf("https://relay.example.org/api/webhooks/1/abc")).toBe(
    "https://relay.example.org/api/webhooks/1/abc?wait=true",
  );

  const asked: string[] = [];
  const fetch = ({ url }: Request): Response => {
    asked.push(url);
    return taken();
  };
  await using server = Bun.serve({ port: 0, fetch });
  await sendTo(`${server.url}api/webhooks/1/abc?thread_id=7`);
  expect(asked).toEqual([`${server.url}api/webhooks/1/abc?thread_id=7&wait=true`]);
});

test("R37: nothing is over a limit, markup or calls anybody, whatever the job is called and says", () => {
  fc.assert(
    fc.property(hostileMessage, fc.boolean(), (message, plain) => {
      const body = bodyOf(message, plain);
      check(body);
      expect(body.allowed_mentions).toEqual({ parse: [] });
      const { subject } = wordingOf(message, ALERT_AT + 1_000);
      if (plain) {
        expectInert(body.content);
        expect(body.content.length).toBeLessThanOrEqual(2_000);
        expect(seen(unescaped(body.content))).toStartWith(seen(subject));
        return;
      }
      const { title, description, fields, footer } = body.embeds[0];
      const texts = textsIn({ title, description, fields: fields.map(Object.values) });
      for (const text of texts) expectInert(text);
      expect([...texts, footer.text].join("").length).toBeLessThanOrEqual(6_000);
      expect(description.length).toBeLessThanOrEqual(4_096);
      expect(title.length).toBeLessThanOrEqual(256);
      const shown = seen(unescaped(title));
      expect(seen(subject)).toStartWith(shown.replace(/…$/, ""));
      if (!title.endsWith("…")) expect(shown).toBe(seen(subject));
    }),
    RUNS,
  );
});

/** Discord shows what follows a backslash as it is, when it is neither a letter nor a digit. */
const unescaped = (text: string): string => text.replace(/\\([^0-9A-Za-z\s])/g, "$1");

function expectInert(text: string): void {
  const bare = text
    .replace(/\\[^0-9A-Za-z\s]/g, "§")
    .replace(/\[[^[\]]*\]\(https:\/\/wiki\.example\.org\/backup\?a=1&b=%282%29\)/g, "")
    .replace(/^> /gm, "");
  expect(bare).not.toMatch(/[\\*_~`|<>[\]()#]|@(?!\u200b)|:\/\/|:(?!\d\d:)[\w+-]+:/);
  expect(bare).not.toMatch(/^[ \t]*([-+=]|\d+[.)])/m);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
}

test("what a name and a message could do there is shown instead", () => {
  const message = alertOf({
    name: "<@U123> ||x|| https://evil.example",
    failureMessage: "# big\n@everyone :smile: 1*2",
    links: { runbook: OWN_LINK },
  });
  const { title, description } = bodyOf(message).embeds[0];
  expect(title).toBe("Missed: \\<@\u200bU123\\> \\|\\|x\\|\\| https\\://evil.example \\(prod\\), due 03:00");
  expect(description).toContain("> \\# big\n> @\u200beveryone \\:smile: 1\\*2");
  expect(description).toContain("[runbook](https://wiki.example.org/backup?a=1&b=%282%29)");
});

test("a long notice cuts the jobs' words first, then leaves out jobs, and says how many", () => {
  const monitors = Array.from({ length: 70 }, (_, place) =>
    refusedOf({ key: `job-${place}`, name: `Job ${place}`, fails: [{ at: ALERT_AT, message: "x".repeat(900) }] }),
  );
  const { description, fields } = bodyOf(refusalsOf(monitors)).embeds[0];
  expect(description).not.toContain("x".repeat(80));
  const listed = description.match(/• Job /g).length;
  expect(description).toContain(`• and ${70 - listed} more\n`);
  // The commands are left out before the jobs' words.
  expect(fields).toEqual([]);

  const few = bodyOf(refusalsOf(monitors.slice(0, 3))).embeds[0].description;
  expect(few).toContain(`> ${"x".repeat(900)}`);
});

test("Discord counts all of an embed together", () => {
  const stars = "*".repeat(200);
  const labels = { name: stars, monitorKey: stars, owner: stars, environment: stars, applicationName: stars };
  const message = alertOf({ ...labels, schedule: "*".repeat(400), runId: stars, failureMessage: "*".repeat(900) });
  const { title, description, fields, footer } = bodyOf(message).embeds[0];
  const total = textsIn({ title, description, fields: fields.map(Object.values), footer }).join("").length;
  expect(total).toBeWithin(4_500, 6_001);
  expect(fields).toHaveLength(11);
  expect(description).toContain(`> ${"\\*".repeat(900)}`);
});

test("R36: the plain form is text alone, without what the job reported", () => {
  const body = bodyOf(alertOf({ failureMessage: "disk full" }), true);
  check(body);
  expect(Object.keys(body)).toEqual(["content", "allowed_mentions"]);
  expect(body.content).toStartWith("Missed: Nightly backup \\(prod\\), due 03:00\nNightly backup did not report.");
  expect(body.content).not.toContain("disk full");
});

describe("answers", () => {
  testAnswers(create);

  test("Discord answers with the message; 204 is what answers without waiting", async () => {
    const answers = ['{"id":"1"}', "ok", "{}", '{"id":1}', "[]", "null", ""];
    const verdicts = [];
    for (const answer of answers) {
      await using sink = startHttpSink(() => new Response(answer));
      verdicts.push((await sendTo(sink.url)).verdict);
    }
    expect(verdicts).toEqual(["delivered", "retry", "retry", "retry", "retry", "retry", "retry"]);
    expect(await verdictOnRaw(create, "HTTP/1.1 204 No Content\r\n\r\n")).toMatchObject({ verdict: "delivered" });
    const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"id":';
    expect(await verdictOnRaw(create, cut)).toEqual({ verdict: "retry", answer: "HTTP 200, but not from Discord" });
  });

  test("an address that lacks the thread of a forum is a fault of the address, not of the content", async () => {
    const message = "Webhooks posted to forum channels must have a thread_name or thread_id";
    await using sink = startHttpSink(() => Response.json({ message, code: 220_001 }, { status: 400 }));
    expect(await sendTo(sink.url)).toEqual({
      verdict: "blocked",
      answer: "HTTP 400 Bad Request, the channel is a forum: its address needs ?thread_id= at the end",
    });
  });

  test("R36: of a 429 the longer of body and header counts", async () => {
    const cases: [string, string | null][] = [
      ['{"message":"limited","retry_after":64.57,"global":false}', "65"],
      ['{"retry_after":64.57}', "2"],
      ['{"retry_after":0.3}', null],
      ['{"retry_after":"64"}', "2"],
      ['{"retry_after":-1}', "2"],
      ["error code: 1015", "30"],
      ["", null],
    ];
    const waits = [];
    for (const [body, header] of cases) {
      const headers: Record<string, string> = header === null ? {} : { "retry-after": header };
      await using sink = startHttpSink(() => new Response(body, { status: 429, headers }));
      const verdict = await sendTo(sink.url);
      waits.push(verdict.verdict === "retry" ? (verdict.afterMs ?? 0) : verdict);
    }
    expect(waits).toEqual([65_000, 64_570, 300, 2_000, 2_000, 30_000, 0]);
  });
});
