// What each kind of destination shows first of one failing job, as docs/channels.md has it in a table: what a locked
// phone shows, or a program is handed to show. `UPDATE_DOCS=1` rewrites the table.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANNELS } from "../../src/config/channel-keys.ts";
import { type ChannelSettings, createChannel } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";
import { ROOT } from "../support/executable.ts";

const DOCUMENT = join(ROOT, "docs/channels.md");

const TABLE = /<!-- first lines -->\n(?:\n\|.*(?:\n\|.*)*\n)?/;

/** Whatever a kind needs; each takes what is its own. */
const SETTINGS = {
  ...{ token: "t", chat: "-1", user: "u", from: "+49", topic: "t", username: null, password: null, region: "us" },
  ...{ integrationKey: "k", signingSecret: null, secret: `whsec_${"A".repeat(32)}`, to: ["ada@example.org"] },
  ...{
    method: "POST",
    headers: null,
    format: "json",
    body: '{"title": "{{title}}", "text": "{{text}}"}',
    answer: null,
  },
  ...{ program: "/usr/local/bin/page", contact: "", url: "https://example.org" },
  smtp: { host: "127.0.0.1", port: 25, security: "none", login: null, from: { address: "cron@example.org", name: "" } },
};

/** Where a kind has the two lines, in the order in which they are seen. */
const SEEN: Readonly<Record<string, (body: never) => readonly unknown[]>> = {
  slack: ({ text }: { text: string }) => text.split("\n"),
  discord: ({ embeds: [{ title, description }] }: { embeds: [Record<string, string>] }) =>
    [title, description].map((text) => text?.replaceAll(/\\(.)/g, "$1")),
  teams: ({ attachments: [{ content }] }: { attachments: [{ content: { body: { text: string }[] } }] }) =>
    content.body.map(({ text }) => text),
  googlechat: ({ fallbackText }: { fallbackText: string }) => fallbackText.split("\n"),
  ntfy: ({ title, message }: Record<string, string>) => [title, message],
  telegram: ({ text }: { text: string }) => text.split("\n"),
  gotify: ({ title, message }: Record<string, string>) => [title, message],
  pushover: ({ title, message }: Record<string, string>) => [title, message],
  matrix: ({ body }: { body: string }) => body.split("\n"),
  signal: ({ message }: { message: string }) => message.split("\n"),
  zulip: ({ content }: { content: string }) => content.split("\n").slice(1),
  twilio: ({ Body }: { Body: string }) => Body.split("\n"),
  apprise: ({ title, body }: Record<string, string>) => [title, body],
  pagerduty: ({ payload: { summary } }: { payload: { summary: string } }) => summary.split(". "),
  opsgenie: ({ message }: { message: string }) => message.split(". "),
  webhook: ({ title, lead }: Record<string, string>) => [title, lead],
  http: ({ title, text }: Record<string, string>) => [title, text],
  mqtt: ({ title, lead }: Record<string, string>) => [title, lead],
  webpush: ({ title, body }: Record<string, string>) => [title, body],
  command: ({ title, lead }: Record<string, string>) => [title, lead],
};

const KINDS = Object.keys(CHANNELS).filter((type) => type !== "rota");

function firstLines(type: string, failureMessage: string | null, given: Parameters<typeof alertOf>[0] = {}): string[] {
  const never = () => {
    throw new Error("nothing is sent");
  };
  const url = type === "mqtt" ? "mqtt://127.0.0.1" : SETTINGS.url;
  const settings = { ...SETTINGS, type, url, browsers: never, run: never } as unknown as ChannelSettings;
  const message = alertOf({ cause: "failed", causes: ["failed"], expectedAt: null, failureMessage, ...given });
  const shown = createChannel(settings).preview(
    {
      ...{ id: 1, destination: type, recipient: type === "email" ? "ada@example.org" : null, reference: "delivery-1" },
      ...{ thread: "incident-12", attempts: 0, createdAt: ALERT_AT, message },
    },
    { sentAt: ALERT_AT, plain: false },
  );
  return linesOf(type, shown).map((line) => String(line).split("\n")[0]!);
}

/** A preview has a head, an empty line, and what is sent; a browser's is that alone. */
function linesOf(type: string, shown: string): readonly unknown[] {
  const [head = "", ...rest] = shown.split("\n\n");
  if (type === "email") return [/^Subject: (.*)$/m.exec(head)![1], rest[0]];
  const body = type === "webpush" ? shown : rest.join("\n\n");
  const isForm = head.includes("x-www-form-urlencoded");
  const read: object = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
  return SEEN[type]!(read as never).slice(0, 2);
}

const REASON = "rsync: write failed: No space left on device";

test("R37: each kind of destination shows the reason of a failing job in its first two lines", () => {
  const rows = KINDS.map((type) => {
    const [subject, reason] = firstLines(type, `exit status 11: ${REASON}`);
    expect([type, reason]).toEqual([type, `${REASON} (exit status 11)`]);
    return `| \`${type}\` | ${subject} | ${reason} | ${firstLines(type, null)[1]} |`;
  });
  const turns = "| `rota` | as its turns do | | |";
  const head = "| `type` | First line | Second line | Without a reason |\n|---|---|---|---|";
  const told = readFileSync(DOCUMENT, "utf8").replace(
    TABLE,
    `<!-- first lines -->\n\n${[head, ...rows, turns].join("\n")}\n`,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, told);
  expect(readFileSync(DOCUMENT, "utf8")).toBe(told);
  expect(told).toContain(turns);
});

test("R37: where room is short, the reason stays and the commands go", () => {
  const long = `disk full ${"and the next one too ".repeat(8)}`.trim();
  const crowded = {
    name: "The nightly backup of all that is kept in the cellar",
    links: Object.fromEntries(
      Array.from({ length: 10 }, (_, place) => [`l${place}`, `https://example.org/${"x".repeat(400)}`]),
    ),
    note: "Ring the people of the cellar first. ".repeat(20),
  };
  for (const type of KINDS)
    expect([type, firstLines(type, long, crowded)[1]?.slice(0, 50)]).toEqual([type, long.slice(0, 50)]);
});
