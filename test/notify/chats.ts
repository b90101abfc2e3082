// For the tests of chat channels: messages full of what chats take for markup, what each receiver's schema says of a
// body, and what every channel must make of an answer. Knows no single chat.

import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import type { AlertKind } from "../../src/domain/message/alert.ts";
import { digestOf } from "../../src/domain/message/digest.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { type Channel, type Verdict, withoutResponse } from "../../src/notify/channel.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";
import { startHttpSink, startRawSink } from "../support/http-sink.ts";
import { CLOCK_NOTICE, refusalsOf, refusedOf, unheardOf, unknownOf } from "../support/notices.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** An alert on its way, or any other message. */
export const chatDelivery = (message: Message = alertOf()): ClaimedDelivery => ({
  id: 7,
  destination: "chat",
  recipient: null,
  reference: "delivery-7-mm5x",
  thread: "incident-12-mm5w",
  createdAt: ALERT_AT,
  attempts: 0,
  message,
});

/** The one link these messages have of our own, as it is configured. */
export const OWN_LINK = "https://wiki.example.org/backup?a=1&b=(2)";

/** Complains about a body that is not as a receiver's schema says. */
export function schemaCheck(schema: object): (body: unknown) => void {
  const validate = new Ajv2020({ allErrors: true, formats: { "date-time": true } }).compile(schema);
  return (body) => {
    if (!validate(body)) throw new Error(JSON.stringify(validate.errors));
  };
}

const PIECES = [
  ..."<!channel> @everyone|@here |<@U123>|<@&7>|<#C1>|<http://evil.example|x>|<at>x</at>|@all".split("|"),
  ..."[x](http://evil.example) ![x](http://evil.example) [x]:http://evil.example [x][y] http://evil.example".split(" "),
  ..."**bold** *i* __u__ _i_ `code` ``` ~~x~~ ~x~ \\* \\ ** && &amp; &lt; $$x$$ :smile: <:a:1> <t:0> 3:100:4".split(
    " ",
  ),
  ...["||spoiler||", "\n# heading", "\n- list", "\n1. one", "\n> quote", "\n-# small", "\n===", "\na|b\n-|-", "    x"],
  ...["\r\n", "\0", "\u202e", "\u2066", "\u200b", "\u200d", "\ud83d", "\u2028", "{{DATE(2017-02-14T06:00:00Z)}}"],
  ...["👩‍🚀", "🏳️‍🌈", "é", "שלום", "漢", '"', " ", "a", "nightly_backup_job", "Backup"],
];

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
);

/** Text of up to this many code points; sometimes the same again and again up to the end. */
const hostileText = (length: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join("")),
      piece.map((text) => (text === "" ? "x" : text).repeat(length)),
    )
    .map((text) => [...text].slice(0, length).join(""));

const name = hostileText(200);
const report = hostileText(1_000);

const alerts = fc
  .record({
    kind: fc.constantFrom<AlertKind>("InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"),
    cause: fc.constantFrom("missed" as const, "failed" as const, "unfinished" as const, "outcome" as const),
    name,
    monitorKey: name,
    failureMessage: report,
    runId: hostileText(128),
    owner: name,
    environment: name,
    teamName: name,
    applicationName: name,
  })
  .map((data) => alertOf({ ...data, links: { [data.owner]: OWN_LINK } }));

const notices = fc
  .tuple(fc.integer({ min: 1, max: 80 }), fc.array(name, { minLength: 3, maxLength: 3 }), report)
  .map(([count, [key = "", shown = "", run = ""], message]) => ({ count, key, shown, run, message }));

const refused = notices.map(({ count, key, shown, message }) =>
  refusalsOf(
    Array.from({ length: count }, (_, place) =>
      refusedOf({
        key: `${place} ${key}`,
        name: shown,
        fails: place % 2 === 0 ? [{ at: ALERT_AT, message }] : [],
      }),
    ),
  ),
);

const unheard = notices.map(({ count, key, shown, run }) =>
  unheardOf(
    Array.from({ length: count }, (_, place) =>
      unknownOf({ key: `${place} ${key}`, name: shown, runs: [{ runId: run, startedAt: ALERT_AT }] }),
    ),
  ),
);

const digests = fc
  .tuple(fc.constantFrom("opened" as const, "recovered" as const), fc.array(alerts, { minLength: 11, maxLength: 60 }))
  .map(([kind, told]) => digestOf(kind, told));

/** Any message, its texts full of what chats take for markup. */
export const hostileMessage: fc.Arbitrary<Message> = fc.oneof(
  { weight: 4, arbitrary: alerts },
  { weight: 1, arbitrary: refused },
  { weight: 1, arbitrary: unheard },
  { weight: 1, arbitrary: digests },
  { weight: 1, arbitrary: fc.constant(CLOCK_NOTICE) },
);

/** How many messages a property looks at. */
export const RUNS = { ...propertyRuns(150), includeErrorInReport: true };

/** What a person sees of a text, spaces aside. */
export const seen = (text: string): string =>
  text
    .replace(/\u200b/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** The text of HTML, a space for each of its tags. */
export const decoded = (html: string): string =>
  html
    .replace(/<[^>]*>/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");

/** Every text in a body, however deep. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The answers that mean the same to every chat channel. `create`: one that posts to the address. */
export function testAnswers(create: (url: string, timeoutMs: number) => Channel): void {
  const sendTo = (url: string, timeoutMs = 5_000): Promise<Verdict> =>
    create(url, timeoutMs).send(chatDelivery(), { sentAt: ALERT_AT, plain: false });

  const answered = async (response: Response): Promise<Verdict> => {
    await using sink = startHttpSink(() => response);
    return await sendTo(sink.url);
  };

  test("R36: a status that is not good means what it means to every channel", async () => {
    const verdicts: Record<string, number[]> = {};
    for (const status of [301, 307, 400, 401, 403, 404, 405, 408, 410, 413, 422, 429, 500, 502, 503]) {
      const headers = { location: "http://127.0.0.1:1/" };
      const { verdict } = await answered(new Response("ok", { status, headers }));
      verdicts[verdict] = [...(verdicts[verdict] ?? []), status];
    }
    expect(verdicts).toEqual({
      blocked: [301, 307, 401, 403, 404, 405, 410],
      rejected: [400, 413, 422],
      retry: [408, 429, 500, 502, 503],
    });
  });

  test("R36: Retry-After may be seconds, a fraction of them or a date", async () => {
    const waits = [];
    for (const wish of ["90", "1.5", new Date(ALERT_AT + 61_000).toUTCString(), "soon"]) {
      const verdict = await answered(new Response(null, { status: 429, headers: { "retry-after": wish } }));
      waits.push(verdict.verdict === "retry" ? verdict.afterMs : verdict);
    }
    expect(waits).toEqual([90_000, 1_500, 61_000 - (ALERT_AT % 1_000), undefined]);
  });

  test("a page under a good status is from something between, so it is tried again", async () => {
    const page = "<!doctype html><title>Log in</title>http://127.0.0.1/hooks/T0SECRET";
    const verdict = await answered(new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }));
    expect(verdict).toEqual({
      verdict: "retry",
      answer: expect.stringMatching(/^HTTP 200.*, but not from [A-Za-z ]+$/),
    });
  });

  test("R40: of an endless page 64 KiB are read, then it is left", async () => {
    await using sink = await startRawSink((socket) => {
      const piece = `4000\r\n${"<".repeat(0x4000)}\r\n`;
      const more = () => {
        while (socket.writable && socket.write(piece));
      };
      socket.on("drain", more);
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      more();
    });
    expect((await sendTo(sink.url)).verdict).toBe("retry");
    await sink.closed;
  });

  test("R40: a receiver that never answers, or hangs up instead, is tried again", async () => {
    await using silent = await startRawSink();
    expect(await sendTo(silent.url, 500)).toEqual(withoutResponse(2_000));
    await using cutting = await startRawSink((socket) => socket.destroy());
    expect(await sendTo(cutting.url)).toEqual({ verdict: "retry", answer: "connection closed without an answer" });
  });

  test("R40: a bad address is refused without repeating it", () => {
    for (const url of ["file:///etc/T0SECRET", "T0SECRET", "http://a:T0SECRET@example.org"]) {
      expect(() => create(url, 100)).toThrow(/^a destination's url must (be an http\(s\) URL|not hold credentials)$/);
    }
  });
}

/**
 * What a receiver's own good and bad answers come to, the connection breaking off after a body's beginning among them.
 */
export async function verdictOnRaw(create: (url: string) => Channel, answer: string): Promise<Verdict> {
  await using sink = await startRawSink((socket) => socket.end(answer));
  return await create(sink.url).send(chatDelivery(), { sentAt: ALERT_AT, plain: false });
}
