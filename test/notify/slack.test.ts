// The channel of Slack, Mattermost and Rocket.Chat against real HTTP receivers: what is posted, that no name or message
// does anything there, and what each answer means.

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
  textsIn,
  verdictOnRaw,
} from "./chats.ts";
import schema from "./schemas/slack.json" with { type: "json" };

const create = (url: string, timeoutMs?: number) => CHANNELS.slack({ url }, timeoutMs);
const check = schemaCheck(schema);

const SLACK = create("https://hooks.slack.com/services/T0/B0/x");
const MARKDOWN = create("https://chat.example.org/hooks/x");

const bodyOf = (message: Message, channel = SLACK, plain = false) =>
  JSON.parse(bodyThrough(channel, message, { sentAt: ALERT_AT + 1_000, plain }));

const MESSAGE = alertOf({ name: "A & B <!channel>", failureMessage: "disk full\n@here", links: { runbook: OWN_LINK } });

test("R37: an alert is one message: its line, a colour, what happened and the facts", async () => {
  await using sink = startHttpSink(() => new Response("ok"));
  const verdict = await create(sink.url).send(chatDelivery(), { sentAt: ALERT_AT + 1_000, plain: false });
  expect(verdict).toEqual({ verdict: "delivered", answer: "HTTP 200 OK" });
  const [request] = sink.requests;
  expect(request).toMatchObject({ method: "POST", path: "/hooks/T0SECRET" });
  expect(request!.headers["content-type"]).toBe("application/json");
  const body = JSON.parse(request!.body);
  check(body);
  expect(body.text).toBe(
    "Missed: Nightly backup (prod), due 03:00\nNightly backup did not report. Check that its machine and its scheduler are up.",
  );
  expect(body.attachments).toHaveLength(1);
  expect(body.attachments[0]).toMatchObject({ color: "#b42318", fallback: body.text });
  expect(body.attachments[0].text).toStartWith("A report was expected");
  expect(body.attachments[0].text).toContain("[runbook](https://wiki.example.org/backup?a=1&b=2)");
  expect(body.attachments[0].fields).toContainEqual({ title: "Severity", value: "error", short: true });
  expect(body.attachments[0].footer).toStartWith("Sent by rollcall");
});

test("the colour tells an alert from its end and from a notice", () => {
  const colours = [alertOf(), alertOf({ kind: "Recovered", reason: "success" }), refusalsOf()].map(
    (message) => bodyOf(message).attachments[0].color,
  );
  expect(colours).toEqual(["#b42318", "#1a7f37", "#44546f"]);
});

test("for Slack the text is as it was, but for the three characters that mean something there", () => {
  const { text, attachments, mrkdwn, link_names } = bodyOf(MESSAGE);
  expect(text).toStartWith("Missed: A &amp; B &lt;!channel&gt; (prod), due 03:00\nA &amp; B &lt;!channel&gt; did not");
  expect(attachments[0].text).toContain("Message:\n│ disk full\n│ @here");
  expect(attachments[0].text).toContain("<https://wiki.example.org/backup?a=1&amp;b=%282%29|runbook>");
  expect({ mrkdwn, link_names, mrkdwn_in: attachments[0].mrkdwn_in }).toEqual({
    mrkdwn: false,
    link_names: false,
    mrkdwn_in: [],
  });
});

test("Slack is told by its host, and only by that", () => {
  for (const host of ["hooks.slack.com", "hooks.slack-gov.com"])
    expect(bodyOf(MESSAGE, create(`https://${host}/x`))).toEqual(bodyOf(MESSAGE, SLACK));
  for (const host of ["slack.com.example.org", "notslack.com", "chat.example.org", "127.0.0.1"]) {
    expect(bodyOf(MESSAGE, create(`https://${host}/x`))).toEqual(bodyOf(MESSAGE, MARKDOWN));
  }
});

test("R37: for Slack no text is markup, and every text is within limits, whatever the job is called and says", () => {
  fc.assert(
    fc.property(hostileMessage, fc.boolean(), (message, plain) => {
      const body = bodyOf(message, SLACK, plain);
      check(body);
      expect(JSON.stringify(body).length).toBeLessThanOrEqual(7_500);
      for (const text of textsOf(body)) {
        const ours = /<https:\/\/wiki\.example\.org\/backup\?a=1&amp;b=%282%29\|[^<>]*>/g;
        expect(text.replace(ours, "").replace(/&(amp|lt|gt);/g, "")).not.toMatch(/[&<>]/);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }
      const { subject } = wordingOf(message, ALERT_AT + 1_000);
      expect(decoded(body.text)).toStartWith(subject);
    }),
    RUNS,
  );
});

test("R37: for Mattermost and Rocket.Chat no text is markup or calls anybody, whatever the job is called and says", () => {
  fc.assert(
    fc.property(hostileMessage, fc.boolean(), (message, plain) => {
      const body = bodyOf(message, MARKDOWN, plain);
      check(body);
      expect(JSON.stringify(body).length).toBeLessThanOrEqual(7_500);
      for (const text of textsOf(body)) expectInert(text);
      const { subject } = wordingOf(message, ALERT_AT + 1_000);
      expect(seen(decoded(Bun.markdown.html(body.text)))).toStartWith(seen(subject));
    }),
    { ...RUNS, examples: [[alertOf({ name: "||spoiler||&||" }), true]] },
  );
});

/** The body's texts that are shown; colours and the like are ours. */
const textsOf = ({ text, attachments = [] }: ReturnType<typeof bodyOf>): string[] =>
  [text, attachments.map(({ color: _, ...shown }: object & { color: string }) => textsIn(shown))].flat(2);

function expectInert(text: string): void {
  const tags = Bun.markdown.html(text).match(/<[^>]*>/g) ?? [];
  expect(
    tags.filter((tag) => !/^<(\/?p|br ?\/?|\/a|a href="https:\/\/wiki\.example\.org\/[^"]*")>$/.test(tag)),
  ).toEqual([]);
  // Something stays where each of these stood, so that what it keeps apart is not put together here.
  const bare = text
    .replace(/\]\(https:\/\/wiki\.example\.org\/backup\?a=1&b=%282%29\)/g, "§")
    .replace(/&(amp|lt|gt);/g, "§")
    .replace(/\\[\\*_~`]/g, "§");
  expect(bare).not.toMatch(/[&<>*~`]|\]\(|\|\||(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|[@#](?!\u200b)/u);
}

test("a long notice cuts the jobs' words first, then leaves out jobs, and says how many", () => {
  const monitors = Array.from({ length: 70 }, (_, place) =>
    refusedOf({ key: `job-${place}`, name: `Job ${place}`, fails: [{ at: ALERT_AT, message: "x".repeat(900) }] }),
  );
  const { text, fields } = bodyOf(refusalsOf(monitors)).attachments[0];
  expect(text).toContain("• Job 0 (prod, job-0)");
  expect(text).not.toContain("x".repeat(80));
  const listed = text.match(/• Job /g).length;
  expect(text).toContain(`• and ${70 - listed} more\n`);
  // The commands are left out before the jobs' words.
  expect(fields).toEqual([]);
});

test("R36: the plain form is one text, without what the job reported", () => {
  const body = bodyOf(MESSAGE, SLACK, true);
  check(body);
  expect(body.attachments).toBeUndefined();
  expect(body.text).toStartWith("Missed: A &amp; B &lt;!channel&gt; (prod), due 03:00\nA &amp; B");
  expect(body.text).not.toContain("disk full");
});

describe("answers", () => {
  testAnswers(create);

  test("Slack and Mattermost say ok, Rocket.Chat says success; nothing else is a yes", async () => {
    const answers = ["ok", "ok\n", '{"success":true}', "", "OK, later", '{"success":false}', '{"ok":true}', "null"];
    const verdicts = [];
    for (const answer of answers) {
      await using sink = startHttpSink(() => new Response(answer));
      verdicts.push((await create(sink.url).send(chatDelivery(), { sentAt: ALERT_AT, plain: false })).verdict);
    }
    expect(verdicts).toEqual(["delivered", "delivered", "delivered", "retry", "retry", "retry", "retry", "retry"]);
  });

  test("204 is not their answer", async () => {
    expect(await verdictOnRaw(create, "HTTP/1.1 204 No Content\r\n\r\n")).toMatchObject({ verdict: "retry" });
  });

  test("a yes that breaks off is none: better told twice than never", async () => {
    const cut = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\no";
    expect(await verdictOnRaw(create, cut)).toEqual({ verdict: "retry", answer: "HTTP 200, but not from a chat" });
  });
});
