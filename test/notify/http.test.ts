// The channel in an operator's own form against a real HTTP receiver: what its template makes of a message, whatever
// jobs call themselves and say, and which answers count.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Message } from "../../src/domain/message/message.ts";
import { TEMPLATE_FIELDS, type TemplateForm, templateProblem } from "../../src/domain/wording/template.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { ROOT } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { CLOCK_NOTICE } from "../support/notices.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { rowsUnder } from "../support/readme.ts";
import { chatDelivery } from "./chats.ts";
import { hostileMessage } from "./hostile-text.ts";

const OWN = { url: "https://example.org/hook", method: "POST", headers: null, format: "json", answer: null } as const;

const create = (changes: Partial<Parameters<typeof CHANNELS.http>[0]> & { body: string }) =>
  CHANNELS.http({ ...OWN, ...changes });

const sent = (message: Message, format: TemplateForm, body: string) =>
  bodyThrough(create({ format, body }), message, { sentAt: ALERT_AT + 1_000 });

const EVIL = alertOf({
  cause: "failed",
  causes: ["failed"],
  name: '"},{"x":"&a=b#',
  failureMessage: 'say "no"\n{{title}} \\ & = <b>',
});

describe("R37: a template is filled, and every value is escaped for its form:", () => {
  test("JSON", () => {
    const body = JSON.parse(sent(EVIL, "json", '{"t": "{{title}}", "m": ["{{message}}"], "p": {{priority}}}'));
    expect(body).toEqual({
      t: 'Failed: "},{"x":"&a=b# (prod)',
      m: ['say "no"\n{{title}} \\ & = <b>'],
      p: 4,
    });
  });

  test("a form", () => {
    const body = new URLSearchParams(sent(EVIL, "form", "t={{title}}&m={{message}}&to=ops"));
    expect(Object.fromEntries(body)).toEqual({
      t: 'Failed: "},{"x":"&a=b# (prod)',
      m: 'say "no"\n{{title}} \\ & = <b>',
      to: "ops",
    });
  });

  test("text", () => {
    expect(sent(EVIL, "text", "[{{severity}}] {{message}}")).toBe('[error] say "no"\n{{title}} \\ & = <b>');
  });

  test("an address", async () => {
    await using sink = startHttpSink(() => new Response("ok"));
    const asked: string[] = [];
    await using server = Bun.serve({
      port: 0,
      fetch: ({ url, method }) => {
        asked.push(method, url);
        return new Response("ok");
      },
    });
    const channel = create({ url: `${server.url}send?to=7&text={{title}}`, method: "GET", body: "{}" });
    expect(await channel.send(chatDelivery(EVIL), { sentAt: ALERT_AT, plain: false })).toMatchObject({
      verdict: "delivered",
    });
    expect(asked[0]).toBe("GET");
    expect(Object.fromEntries(new URL(asked[1]!).searchParams)).toEqual({
      to: "7",
      text: 'Failed: "},{"x":"&a=b# (prod)',
    });
    expect(sink.requests).toEqual([]);
  });
});

test("what is said of each kind of message stands in sections", () => {
  const template =
    "{{#trouble}}bad {{job}} {{key}} {{application}} {{incident}} {{cause}}{{/trouble}}{{#recovered}}good{{/recovered}}{{^job}}no job{{/job}} {{event}}";
  expect(sent(alertOf(), "text", template)).toBe(
    "bad Nightly backup nightly-backup prod 12 missed monitor.initial_failure",
  );
  expect(sent(alertOf({ kind: "Recovered", reason: "success" }), "text", template)).toBe("good monitor.recovered");
  expect(sent(CLOCK_NOTICE, "text", template)).toBe("no job service.notice");
});

test("R37: whatever jobs call themselves and say, JSON stays JSON with the same names, and a form the same fields", () => {
  const json = `{${TEMPLATE_FIELDS.map((name) => `"${name}": "{{${name}}}"`).join(", ")}}`;
  const form = TEMPLATE_FIELDS.map((name) => `${name}={{${name}}}`).join("&");
  expect([templateProblem(json, "json"), templateProblem(form, "form")]).toEqual([null, null]);
  fc.assert(
    fc.property(hostileMessage, (message) => {
      const fields = JSON.parse(sent(message, "json", json));
      expect(Object.keys(fields)).toEqual([...TEMPLATE_FIELDS]);
      expect(fields.text.length).toBeLessThanOrEqual(4_000);
      expect([...new URLSearchParams(sent(message, "form", form)).keys()]).toEqual([...TEMPLATE_FIELDS]);
    }),
    propertyRuns(60),
  );
});

test("it goes out by its method, with its headers, which are no place for a job's words", async () => {
  await using sink = startHttpSink(() => new Response(null, { status: 204 }));
  const headers = "Authorization: Bearer tk_a:b\r\nContent-Type: application/vnd.own+json\nX-Title: {{title}}\n";
  const channel = create({ url: sink.url, method: "PUT", headers, body: '{"a": 1}' });
  expect(await channel.send(chatDelivery(), { sentAt: ALERT_AT, plain: false })).toMatchObject({
    verdict: "delivered",
  });
  expect(sink.requests[0]).toMatchObject({ method: "PUT", body: '{"a": 1}' });
  expect(sink.requests[0]!.headers).toMatchObject({
    authorization: "Bearer tk_a:b",
    "content-type": "application/vnd.own+json",
    "x-title": "{{title}}",
  });
});

test("R36: an answer counts when it has what was asked for", async () => {
  const bodies = ['{"ok":true,"id":1}', '{"ok":false}', "", '<html>{"ok":true'];
  await using sink = startHttpSink((count) => new Response(bodies[count]));
  const channel = create({ url: sink.url, body: "{}", answer: '"ok":true' });
  const verdicts = [];
  for (const _ of bodies) verdicts.push(await channel.send(chatDelivery(), { sentAt: ALERT_AT, plain: false }));
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(["delivered", "retry", "retry", "delivered"]);
  expect(verdicts[1]!.answer).toBe("HTTP 200, but not from the service");
});

test("R37: a job's words choose neither the host of an address nor a folder above", () => {
  for (const name of ["..", ".", "../../admin", "@evil.example"]) {
    const channel = create({ url: "https://example.org/jobs/{{job}}/alerts", body: "{}" });
    const shown = channel.preview(chatDelivery(alertOf({ name })), { sentAt: ALERT_AT, plain: false });
    const [line = ""] = shown.split("\n");
    expect(line).toMatch(/^POST https:\/\/example\.org\/jobs\/[^/]+\/alerts$/);
  }
});

test("a template that could not be filled is told before anything is sent", () => {
  const problems: [string, TemplateForm, string | null][] = [
    ['{"a": "{{title}}"}', "json", null],
    ['{"a": 1{{#url}}, "u": "{{url}}"{{/url}}, "p": {{priority}}, "f": {{trouble}}}', "json", null],
    ['{"a": {{title}}}', "json", "is not JSON once the names are replaced"],
    ['{{#trouble}}{"a": 1}{{/trouble}}', "json", "is not JSON once the names are replaced"],
    ["{{#trouble}}1{{/trouble}}{{#recovered}}2{{/recovered}}", "json", "is not JSON once the names are replaced"],
    ['{"a": "{{titel}}"}', "json", 'has the unknown name "titel"'],
    ["{{constructor}}", "text", 'has the unknown name "constructor"'],
    ["{{#job}}{{toString}}{{/job}}", "text", 'has the unknown name "toString"'],
    ['{"a": "{{title}"}', "json", "is no template: unclosed tag at 17"],
    ["{{#trouble}}x", "text", 'is no template: unclosed section "trouble" at 13'],
    ...["{{{title}}}", "{{&title}}", "{{> title}}", "{{=<% %>=}}"].map((template): [string, TemplateForm, string] => [
      template,
      "text",
      "has {{{ }}} or another sign that is not for values, sections and comments",
    ]),
    ["{{! a remark }}x", "text", null],
  ];
  for (const [template, form, problem] of problems)
    expect([template, templateProblem(template, form)]).toEqual([template, problem]);
});

test("docs/channels.md names what a template may name", () => {
  const [, section = ""] = readFileSync(join(ROOT, "docs/channels.md"), "utf8").split("\n## A form of your own\n");
  const named = rowsUnder(section, "Name", "What it is").flatMap(([names = ""]) => [...names.matchAll(/`(\w+)`/g)]);
  expect(named.map(([, name]) => name!).toSorted()).toEqual(TEMPLATE_FIELDS.toSorted());
});
