// Services that take a text, each against a real HTTP receiver that plays its recorded answers: what is asked of it,
// its limits for whatever jobs write, and what each answer means.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { digestOf } from "../../src/domain/message/digest.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { Verdict } from "../../src/notify/channel.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { ALERT_AT, alertOf, bodyThrough } from "../support/alerts.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { CLOCK_NOTICE } from "../support/notices.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { chatDelivery } from "./chats.ts";
import { hostileMessage } from "./hostile-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A recorded answer: status, body (an object is JSON), `Retry-After`; and what it comes to. */
type Recorded = readonly [status: number, body: unknown, comesTo: object, retryAfter?: string];

interface Case {
  readonly create: (url: string) => ReturnType<(typeof CHANNELS)["slack"]>;
  readonly method?: string;
  /** Behind the address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: true;
  /** What the body of an alert has. */
  readonly has: Fields;
  /** The text that a person reads, of a body. */
  readonly textOf: (body: Fields) => string;
  readonly most: number;
  readonly answers: readonly Recorded[];
}

const SENT = { verdict: "delivered" };
const blocked = (answer: string) => ({ verdict: "blocked", answer });
const retry = (answer: string, afterMs?: number) => ({
  verdict: "retry",
  answer,
  ...(afterMs === undefined ? {} : { afterMs }),
});

const SUBJECT = "Missed: Nightly backup (prod), due 03:00";
const LINK = "https://wiki.example.org/backup?a=1&b=2";
const BASIC = `Basic ${Buffer.from("user:tok").toString("base64")}`;

const CASES: Readonly<Record<string, Case>> = {
  telegram: {
    create: (url) => CHANNELS.telegram({ url, token: "12:AbC-d_E", chat: "-100123" }),
    path: "/bot12:AbC-d_E/sendMessage",
    has: { chat_id: "-100123", link_preview_options: { is_disabled: true }, disable_notification: false },
    textOf: ({ text }) => String(text),
    most: 4_096,
    answers: [
      [200, { ok: true, result: { message_id: 7, chat: { id: -100123 }, text: "x" } }, SENT],
      [200, { ok: false }, retry("HTTP 200, but not from Telegram")],
      [
        401,
        { ok: false, error_code: 401, description: "Unauthorized" },
        blocked("HTTP 401 Unauthorized, the token is not taken"),
      ],
      [
        404,
        { ok: false, error_code: 404, description: "Not Found" },
        blocked("HTTP 404 Not Found, the token is not taken"),
      ],
      [
        400,
        { ok: false, error_code: 400, description: "Bad Request: chat not found" },
        blocked("HTTP 400 Bad Request, the chat is not found, or did not write to the bot first"),
      ],
      [
        400,
        {
          ok: false,
          error_code: 400,
          description: "Bad Request: group chat was upgraded to a supergroup chat",
          parameters: { migrate_to_chat_id: -100999 },
        },
        blocked("HTTP 400 Bad Request, the chat has another number since it became a supergroup"),
      ],
      [
        400,
        { ok: false, error_code: 400, description: "Bad Request: message thread not found" },
        blocked("HTTP 400 Bad Request, the topic behind the chat's number is not there"),
      ],
      [
        400,
        { ok: false, error_code: 400, description: "Bad Request: TOPIC_CLOSED" },
        blocked("HTTP 400 Bad Request, the topic is closed, and the bot may not write there"),
      ],
      [
        403,
        { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
        blocked("HTTP 403 Forbidden, the bot may not write there"),
      ],
      [400, { ok: false, error_code: 400, description: "Bad Request: message is too long" }, { verdict: "rejected" }],
      [
        429,
        {
          ok: false,
          error_code: 429,
          description: "Too Many Requests: retry after 35",
          parameters: { retry_after: 35 },
        },
        retry("HTTP 429 Too Many Requests", 35_000),
      ],
      [502, "<html>Bad Gateway", retry("HTTP 502 Bad Gateway")],
    ],
  },
  gotify: {
    create: (url) => CHANNELS.gotify({ url, token: "A.appt0ken" }),
    path: "/message",
    headers: { "x-gotify-key": "A.appt0ken" },
    has: { title: SUBJECT, priority: 6, extras: { "client::notification": { click: { url: LINK } } } },
    textOf: ({ message }) => String(message),
    most: 10_000,
    answers: [
      [200, { id: 25, appid: 5, message: "x", title: "x", priority: 6, date: "2026-03-01T02:01:05Z" }, SENT],
      [200, { health: "green", database: "green" }, retry("HTTP 200, but not from Gotify")],
      [
        401,
        { error: "Unauthorized", errorCode: 401, errorDescription: "you need to provide a valid access token" },
        blocked("HTTP 401 Unauthorized, the token is not taken"),
      ],
      [
        403,
        { error: "Forbidden", errorCode: 403, errorDescription: "you are not allowed to access this api" },
        blocked("HTTP 403 Forbidden, the token is none of an application"),
      ],
      [500, { error: "Internal Server Error", errorCode: 500 }, retry("HTTP 500 Internal Server Error")],
    ],
  },
  pushover: {
    create: (url) =>
      CHANNELS.pushover({ url, token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi", user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG" }),
    path: "/1/messages.json",
    has: {
      token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi",
      user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG",
      title: SUBJECT,
      priority: 0,
      timestamp: ALERT_AT / 1_000,
      url: LINK,
      url_title: "runbook",
    },
    textOf: ({ message }) => String(message),
    most: 1_024,
    answers: [
      [200, { status: 1, request: "647d2300-702c-4b38-8b2f-d56326ae460b" }, SENT],
      [200, { status: 0 }, retry("HTTP 200, but not from Pushover")],
      [
        400,
        { token: "invalid", errors: ["application token is invalid"], status: 0, request: "5042853c" },
        blocked("HTTP 400 Bad Request, the token is not taken"),
      ],
      [
        400,
        { user: "invalid", errors: ["user identifier is not a valid user, group, or subscribed user key"], status: 0 },
        blocked("HTTP 400 Bad Request, the user key is not taken, or the user has no device"),
      ],
      [400, { message: "cannot be blank", errors: ["message cannot be blank"], status: 0 }, { verdict: "rejected" }],
      [429, { status: 0, errors: ["application has exceeded its monthly limit"] }, retry("HTTP 429 Too Many Requests")],
    ],
  },
  matrix: {
    create: (url) => CHANNELS.matrix({ url, token: "syt_tok", chat: "!room/1:example.org" }),
    method: "PUT",
    path: "/_matrix/client/v3/rooms/!room%2F1%3Aexample.org/send/m.room.message/delivery-7-mm5x",
    headers: { authorization: "Bearer syt_tok" },
    has: { msgtype: "m.text", "m.mentions": {} },
    textOf: ({ body }) => String(body),
    most: 16_000,
    answers: [
      [200, { event_id: "$YUwRidLecu:example.org" }, SENT],
      [200, { versions: ["v1.11"] }, retry("HTTP 200, but not from a Matrix server")],
      [
        401,
        { errcode: "M_UNKNOWN_TOKEN", error: "Invalid access token passed.", soft_logout: false },
        blocked("HTTP 401 Unauthorized, the token is not taken"),
      ],
      [
        401,
        { errcode: "M_UNKNOWN_TOKEN", error: "Token is not active", soft_logout: false },
        blocked("HTTP 401 Unauthorized, the token has ended, as one of Element's session does within hours"),
      ],
      [
        403,
        { errcode: "M_FORBIDDEN", error: "User @bot:example.org not in room" },
        blocked("HTTP 403 Forbidden, the account may not write in the room: let it join"),
      ],
      [413, { errcode: "M_TOO_LARGE", error: "event too large" }, { verdict: "rejected" }],
      [
        429,
        { errcode: "M_LIMIT_EXCEEDED", error: "Too Many Requests", retry_after_ms: 2_500 },
        retry("HTTP 429 Too Many Requests", 2_500),
      ],
    ],
  },
  signal: {
    create: (url) => CHANNELS.signal({ url, from: "+4930901820", chat: "+4930901821" }),
    path: "/v2/send",
    has: { number: "+4930901820", recipients: ["+4930901821"] },
    textOf: ({ message }) => String(message),
    most: 2_000,
    answers: [
      [201, { timestamp: "1767225600000" }, SENT],
      [201, {}, retry("HTTP 201, but not from Signal's interface")],
      [
        400,
        { error: "User +4930901820 is not registered.\n" },
        blocked("HTTP 400 Bad Request, Signal does not know the sender or the receiver"),
      ],
      [
        400,
        { error: "Failed to send message: Untrusted Identity for +4930901821" },
        blocked("HTTP 400 Bad Request, Signal does not trust the receiver's new key"),
      ],
      [
        429,
        { error: "CAPTCHA proof required", challenge_tokens: ["1b7c"], account: "+4930901820" },
        blocked("HTTP 429 Too Many Requests, Signal wants a person to solve a captcha"),
      ],
      [400, { error: "Failed to send message: Connection closed!" }, retry("HTTP 400 Bad Request")],
    ],
  },
  googlechat: {
    create: (url) => CHANNELS.googlechat({ url }),
    path: "",
    has: {
      fallbackText: `${SUBJECT}\nNightly backup did not report. Check that its machine and its scheduler are up.`,
    },
    textOf: ({ cardsV2 }) => (cardsV2 as CardsBody)[0]!.card.sections[0]!.widgets[0]!.textParagraph.text,
    // Of text without markup; each character may take six.
    most: 36_000,
    answers: [
      [200, { name: "spaces/AAAA/messages/BBBB.BBBB", sender: { type: "BOT" }, text: "" }, SENT],
      [200, "<html>Sign in", retry("HTTP 200, but not from Google Chat")],
      [
        400,
        {
          error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
        },
        blocked("HTTP 400 Bad Request, the address is not taken"),
      ],
      [
        404,
        { error: { code: 404, message: "Requested entity was not found.", status: "NOT_FOUND" } },
        blocked("HTTP 404 Not Found, the address is not taken"),
      ],
      [
        400,
        { error: { code: 400, message: "Invalid JSON payload received.", status: "INVALID_ARGUMENT" } },
        { verdict: "rejected" },
      ],
      [
        429,
        { error: { code: 429, message: "Resource has been exhausted.", status: "RESOURCE_EXHAUSTED" } },
        retry("HTTP 429 Too Many Requests"),
      ],
    ],
  },
  zulip: {
    create: (url) => CHANNELS.zulip({ url, user: "user", token: "tok", chat: "cron jobs" }),
    path: "/api/v1/messages",
    headers: { authorization: BASIC, "content-type": "application/x-www-form-urlencoded" },
    form: true,
    has: { type: "stream", to: "cron jobs", topic: "Nightly backup" },
    textOf: ({ content }) => String(content),
    most: 10_000,
    answers: [
      [200, { result: "success", msg: "", id: 42 }, SENT],
      [200, { result: "partially_completed" }, retry("HTTP 200, but not from Zulip")],
      [
        401,
        { result: "error", msg: "Account is deactivated", code: "UNAUTHORIZED" },
        blocked("HTTP 401 Unauthorized, the token is not taken"),
      ],
      [
        400,
        {
          result: "error",
          msg: "Channel 'cron jobs' does not exist",
          code: "STREAM_DOES_NOT_EXIST",
          stream: "cron jobs",
        },
        blocked("HTTP 400 Bad Request, the channel is not found"),
      ],
      [
        400,
        { result: "error", msg: "Not authorized to send to channel 'cron jobs'", code: "BAD_REQUEST" },
        blocked("HTTP 400 Bad Request, the bot may not write there"),
      ],
      [400, { result: "error", msg: "Message must not be empty", code: "BAD_REQUEST" }, { verdict: "rejected" }],
      [
        429,
        { result: "error", msg: "API usage exceeded rate limit", code: "RATE_LIMIT_HIT", "retry-after": 28.706 },
        retry("HTTP 429 Too Many Requests", 28_706),
        "28",
      ],
    ],
  },
  apprise: {
    create: (url) => CHANNELS.apprise({ url, chat: "admins" }),
    path: "",
    headers: { accept: "application/json" },
    has: { title: SUBJECT, type: "failure", tag: "admins", format: "text" },
    textOf: ({ body }) => String(body),
    most: 10_000,
    answers: [
      [200, { error: null, details: [["INFO", "2026-03-01T02:01:05", "Sent"]] }, SENT],
      [204, null, blocked("HTTP 204 No Content, nothing is configured behind its address")],
      [424, { error: "One or more notifications could not be sent." }, retry("HTTP 424 Failed Dependency")],
      [
        424,
        {
          error: "One or more notification could not be sent",
          details: [
            ["INFO", "2026-03-01 02:01:05,103", "Sent Discord notification."],
            [
              "WARNING",
              "2026-03-01 02:01:05,380",
              "Failed to send Pushbullet notification: Unauthorized - Invalid Token., error=401.",
            ],
          ],
        },
        { ...retry("HTTP 424 Failed Dependency, but some of its services took it"), perhapsTaken: true },
      ],
      [400, { error: "Payload lacks minimum requirements" }, { verdict: "rejected" }],
      [500, { error: "The configuration could not be read" }, retry("HTTP 500 Internal Server Error")],
    ],
  },
  twilio: {
    create: (url) => CHANNELS.twilio({ url, user: "user", token: "tok", from: "+15017122661", chat: "+15558675310" }),
    path: "/2010-04-01/Accounts/user/Messages.json",
    headers: { authorization: BASIC, "content-type": "application/x-www-form-urlencoded" },
    form: true,
    has: { To: "+15558675310", From: "+15017122661" },
    textOf: ({ Body }) => String(Body),
    most: 480,
    answers: [
      [201, { sid: "SM87105da94bff44b999e4e6eb90d8eb6a", status: "queued", error_code: null }, SENT],
      [200, { account_sid: "AC1" }, retry("HTTP 200, but not from Twilio")],
      [
        401,
        { code: 20003, message: "Authenticate", status: 401 },
        blocked("HTTP 401 Unauthorized, the token is not taken"),
      ],
      [
        400,
        { code: 21211, message: "The 'To' number +15558675310 is not a valid phone number.", status: 400 },
        blocked("HTTP 400 Bad Request, a number or the account is not taken"),
      ],
      [
        400,
        { code: 21610, message: "Attempt to send to unsubscribed recipient", status: 400 },
        blocked("HTTP 400 Bad Request, a number or the account is not taken"),
      ],
      [
        400,
        { code: 21617, message: "The concatenated message body exceeds the limit", status: 400 },
        { verdict: "rejected" },
      ],
      [429, { code: 20429, message: "Too Many Requests", status: 429 }, retry("HTTP 429 Too Many Requests")],
    ],
  },
  opsgenie: {
    create: (url) => CHANNELS.opsgenie({ url, token: "eb243592-faa2", region: "eu" }),
    path: "/v2/alerts",
    headers: { authorization: "GenieKey eb243592-faa2" },
    has: {
      message: `${SUBJECT}. Check that its machine and its scheduler are up.`,
      priority: "P2",
      source: "rollcall",
      entity: "prod/nightly-backup",
    },
    textOf: ({ description }) => String(description),
    most: 15_000,
    answers: [
      [202, { result: "Request will be processed", took: 0.302, requestId: "43a29c5c-3dbf" }, SENT],
      [202, {}, retry("HTTP 202, but not from Opsgenie")],
      [
        403,
        { message: "You are not authorized to access this resource", took: 0.001, requestId: "1" },
        blocked("HTTP 403 Forbidden, the key is not taken"),
      ],
      [
        422,
        { message: "Key format is not valid!", took: 0 },
        blocked("HTTP 422 Unprocessable Entity, the key is not taken"),
      ],
      [422, { message: "Request body is not processable." }, { verdict: "rejected" }],
      [429, { message: "You are making too many requests!" }, retry("HTTP 429 Too Many Requests", 12_000), "12"],
    ],
  },
};

type CardsBody = readonly {
  readonly card: { readonly sections: readonly { readonly widgets: readonly { textParagraph: { text: string } }[] }[] };
}[];

const ALERT = alertOf({ failureMessage: "disk full" });

const fieldsOf = (body: string, isForm: boolean): Fields =>
  isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);

const answerOf = ([status, body, , retryAfter]: Recorded): Response =>
  new Response(body === null ? null : typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  });

describe.each(Object.entries(CASES))("%s", (name, { create, method = "POST", path, headers = {}, form, ...told }) => {
  const channel = create("https://example.org/base/");
  const bodyOf = (message: Message, plain = false) =>
    fieldsOf(bodyThrough(channel, message, { sentAt: ALERT_AT + 1_000, plain }), form === true);

  test("R37: an alert is one request, with what happened and what to do", async () => {
    await using sink = startHttpSink(() => answerOf(told.answers[0]!));
    const sent: Verdict = await create(sink.url).send(chatDelivery(ALERT), { sentAt: ALERT_AT + 1_000, plain: false });
    expect(sent.verdict).toBe("delivered");
    const [request, ...more] = sink.requests;
    expect(more).toEqual([]);
    expect({ method: request!.method, path: request!.path }).toEqual({ method, path: `/hooks/T0SECRET${path}` });
    expect(request!.headers).toMatchObject({ ...(form ? {} : { "content-type": "application/json" }), ...headers });
    const fields = fieldsOf(request!.body, form === true);
    expect(fields).toMatchObject(told.has);
    expect(told.textOf(fields)).toContain("Nightly backup did not report.");
    expect(request!.body).toContain("Missed");
    // An SMS costs by its length.
    if (name !== "twilio") expect(request!.body).toMatch(/disk.full/);
  });

  test("R36: the verdict on each of its answers", async () => {
    await using sink = startHttpSink((count) => answerOf(told.answers[count]!));
    const verdicts = [];
    for (const _ of told.answers) {
      verdicts.push(await create(sink.url).send(chatDelivery(ALERT), { sentAt: ALERT_AT, plain: false }));
    }
    for (const [place, [, , comesTo]] of told.answers.entries()) expect(verdicts[place]).toMatchObject(comesTo);
    expect(verdicts.filter(({ verdict }) => verdict === "retry").map((verdict) => Object.keys(verdict).sort())).toEqual(
      told.answers.flatMap(([, , comesTo]) =>
        "verdict" in comesTo && comesTo.verdict === "retry" ? [Object.keys(comesTo).sort()] : [],
      ),
    );
  });

  test("R36: the plain form says what happened, without what the job said", () => {
    const text = JSON.stringify(bodyOf(ALERT, true));
    expect(text).toContain("did not report");
    expect(text).not.toContain("disk full");
  });

  test("R37: whatever jobs call themselves and say, nothing is over its limit or breaks the form", () => {
    fc.assert(
      fc.property(hostileMessage, fc.boolean(), (message, plain) => {
        // There they have no text.
        if (name === "opsgenie" && /recovered|acknowledged/.test(message.type)) return;
        const fields = bodyOf(message, plain);
        expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(bodyOf(CLOCK_NOTICE))));
        const text = told.textOf(fields);
        expect(text.length).toBeLessThanOrEqual(told.most);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
      propertyRuns(60),
    );
  });

  test("R40: an address that is none is refused without being repeated", () => {
    expect(() => create("ftp://T0SECRET")).toThrow("a destination's url must be an http(s) URL");
    expect(() => create("https://a:T0SECRET@example.org")).toThrow("a destination's url must not hold credentials");
  });
});

test("R36: Zulip's plain form has no topic of the job, because a character of its name may be what was refused", () => {
  const topicOf = (plain: boolean): unknown =>
    fieldsOf(bodyThrough(CASES["zulip"]!.create("https://example.org"), alertOf(), { plain }), true)["topic"];
  expect([topicOf(false), topicOf(true)]).toEqual(["Nightly backup", "rollcall"]);
});

describe("R37: what a job writes is no markup and calls nobody", () => {
  const EVIL = alertOf({
    name: "@room **x**",
    failureMessage: "```\n@**all** <users/all> [x](http://evil.example)\n~~~",
  });
  const shownBy = (name: string): string => {
    const { create, textOf, form } = CASES[name]!;
    return textOf(fieldsOf(bodyThrough(create("https://example.org"), EVIL), form === true));
  };

  test("Matrix: a room is not called", () => {
    expect(shownBy("matrix")).toContain("@\u200broom **x**");
    expect(shownBy("matrix")).not.toContain("@room");
  });

  test("Zulip: all of it is one block of code, which nothing in it ends", () => {
    const [first, ...lines] = shownBy("zulip").split("\n");
    expect(first).toBe("```text");
    expect(lines.at(-1)).toBe("```");
    expect(lines.slice(0, -1).filter((line) => line.includes("```"))).toEqual([]);
    expect(lines).toContain("``\u200b`");
    expect(lines).toContain("@**all** <users/all> [x](http://evil.example)");
  });

  test("Google Chat: a card shows HTML, in which no tag but a new line is ours", () => {
    const text = shownBy("googlechat");
    expect(text).toContain("&lt;users/all&gt;");
    expect(text.match(/<[^>]*>/g)?.filter((tag) => tag !== "<br>") ?? []).toEqual([]);
  });
});

test("R37: Opsgenie's alert is closed and acknowledged under the alias that opened it", async () => {
  await using sink = startHttpSink(() => Response.json({ requestId: "1" }, { status: 202 }));
  const channel = CASES["opsgenie"]!.create(sink.url);
  for (const change of [
    {},
    { kind: "Acknowledged", reason: "acknowledged" },
    { kind: "Recovered", reason: "success" },
  ] as const)
    await channel.send(chatDelivery(alertOf(change)), { sentAt: ALERT_AT, plain: false });
  const [opened, ...closed] = sink.requests;
  const { alias } = JSON.parse(opened!.body);
  expect(alias).toMatch(/^incident-12-mm5w-[0-9a-f]{16}$/);
  expect(closed.map(({ path }) => path)).toEqual([
    `/hooks/T0SECRET/v2/alerts/${alias}/acknowledge`,
    `/hooks/T0SECRET/v2/alerts/${alias}/close`,
  ]);
});

test("Telegram: a message goes into the topic behind the chat's number, and to General where there is none", () => {
  const bodyIn = (chat: string) =>
    JSON.parse(bodyThrough(CHANNELS.telegram({ url: "https://example.org", token: "12:AbC", chat }), alertOf({})));
  expect(bodyIn("-100123/45")).toMatchObject({ chat_id: "-100123", message_thread_id: 45 });
  for (const chat of ["-100123", "-100123/1"]) {
    expect(bodyIn(chat)).toMatchObject({ chat_id: "-100123" });
    expect(bodyIn(chat)).not.toHaveProperty("message_thread_id");
  }
});

test("good news make no sound, and the worst trouble gets through", () => {
  const through = (name: string, message: Message) =>
    JSON.parse(bodyThrough(CASES[name]!.create("https://example.org"), message));
  const recovered = alertOf({ kind: "Recovered", reason: "success" });
  const critical = alertOf({ severity: "critical" });
  expect([recovered, critical].map((message) => through("telegram", message).disable_notification)).toEqual([
    true,
    false,
  ]);
  expect([recovered, critical].map((message) => through("gotify", message).priority)).toEqual([2, 8]);
  expect([recovered, critical].map((message) => through("pushover", message).priority)).toEqual([-1, 1]);
  expect([recovered, critical].map((message) => through("apprise", message).type)).toEqual(["success", "failure"]);
  expect([critical, CLOCK_NOTICE].map((message) => through("opsgenie", message).priority)).toEqual(["P1", "P5"]);
});

test("R39: Pushover and an SMS name the first jobs that fit, and count the others", () => {
  const alerts = Array.from({ length: 30 }, (_, place) =>
    alertOf({ name: `Nightly job ${place}`, monitorKey: `j${place}` }),
  );
  for (const name of ["pushover", "twilio"]) {
    const { create, textOf, form } = CASES[name]!;
    const text = textOf(
      fieldsOf(bodyThrough(create("https://example.org"), digestOf("opened", alerts)), form === true),
    );
    const [, counted] = /• and (\d+) more/.exec(text)!;
    expect(text).toContain("Nightly job 0");
    expect(text.match(/• (?!and)/g)!.length + Number(counted)).toBe(30);
  }
});
