// What can go wrong between rollcall and a receiver over HTTP, as tables: the situation in the words of
// docs/deliveries.md, receivers that bring it about, and what has to become of an alert then (R36, R40).

import { ALERT_AT } from "../support/alerts.ts";
import type { TestCertificate } from "../support/certificate.ts";
import { AGAIN, againAfter, HOURLY, PERHAPS_TAKEN, SENT, SENT_PLAIN } from "./delivery-outcome.ts";
import {
  type Answer,
  type Asked,
  answering,
  cutting,
  dripping,
  headOf,
  pouring,
  type Serve,
  stopping,
} from "./failing-receivers.ts";

/** What each of them answers when it took a message. */
const GOOD = {
  slack: { status: 200, body: "ok" },
  discord: { status: 200, body: '{"id":"1"}' },
  teams: { status: 202, body: "" },
  googlechat: { status: 200, body: '{"name":"spaces/AAA/messages/B.B","text":""}' },
  ntfy: { status: 200, body: '{"id":"x","event":"message"}' },
  telegram: { status: 200, body: '{"ok":true,"result":{"message_id":7}}' },
  gotify: { status: 200, body: '{"id":7,"appid":1,"message":"x"}' },
  pushover: { status: 200, body: '{"status":1,"request":"647d2300-702c-4b38-8b2f-d56326ae460b"}' },
  matrix: { status: 200, body: '{"event_id":"$abc:example.org"}' },
  signal: { status: 201, body: '{"timestamp":"1767225600000"}' },
  zulip: { status: 200, body: '{"result":"success","msg":"","id":42}' },
  apprise: { status: 200, body: '{"error":null,"details":[]}' },
  twilio: { status: 201, body: '{"sid":"SM1","status":"queued","error_code":null}' },
  pagerduty: { status: 202, body: '{"status":"success","message":"Event processed"}' },
  opsgenie: { status: 202, body: '{"result":"Request will be processed","took":0.1,"requestId":"43a29c5c"}' },
  webhook: { status: 200, body: "" },
  http: { status: 200, body: "" },
} as const satisfies Readonly<Record<string, Answer>>;

export type HttpChannel = keyof typeof GOOD;
export const HTTP_CHANNELS = Object.keys(GOOD) as readonly HttpChannel[];

/** How a receiver is brought about: a server's behaviour, perhaps under TLS, or an address at which nothing is. */
export type Receives =
  | { readonly serve: Serve; readonly certificate?: TestCertificate; readonly scheme?: string }
  | { readonly origin: string };

export interface HttpRow {
  readonly situation: string;
  /** All of them must come to the same. */
  readonly receivers: readonly Receives[];
  readonly outcomes: Readonly<Record<HttpChannel, string>>;
  /** Of one attempt, in milliseconds: short where it is what ends the attempt, else longer than anything takes. */
  readonly timeoutMs: number;
}

const PATIENT = 10_000;
/**
 * The message is written when it is over, however slow the machine is. An answer has several times as long, so its
 * start has come by then.
 */
const UNANSWERED = 2_000;

const all = (outcome: string, others: Partial<Record<HttpChannel, string>> = {}): Record<HttpChannel, string> => ({
  ...(Object.fromEntries(HTTP_CHANNELS.map((channel) => [channel, outcome])) as Record<HttpChannel, string>),
  ...others,
});

/** Those that must say in the body that they took it, when they answer 200. */
const KNOWN_BY_BODY = all(AGAIN, { teams: SENT, apprise: SENT, webhook: SENT, http: SENT });
/** PagerDuty says it by its status, 202. */
const KNOWN_BY_ITS_BODY = { ...KNOWN_BY_BODY, pagerduty: SENT };

const row = (
  situation: string,
  serve: Serve | readonly Receives[],
  outcomes: HttpRow["outcomes"],
  timeoutMs = PATIENT,
): HttpRow => ({ situation, receivers: typeof serve === "function" ? [{ serve }] : serve, outcomes, timeoutMs });

const good = ({ channel }: Asked): Answer =>
  (GOOD as Readonly<Record<string, Answer>>)[channel] ?? { status: 400, body: "no HTTP" };

/** The head of a good answer, with more to come. */
const goodHead = (asked: Asked): string => headOf({ ...good(asked), body: "x".repeat(1_000) }, asked);
const goodChunked = (asked: Asked): string => `HTTP/1.1 ${good(asked).status} OK\r\nTransfer-Encoding: chunked\r\n\r\n`;
const firstByte = (asked: Asked): string => good(asked).body!.slice(0, 1);

/** As nginx, Go's servers and Apache answer plain HTTP at a port for TLS. */
const TLS_PORTS: readonly string[] = [
  "<center>The plain HTTP request was sent to HTTPS port</center>",
  "Client sent an HTTP request to an HTTPS server.\n",
  "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
];

export const noAnswer = (certificate: TestCertificate): HttpRow[] => [
  row("refuses the connection", [{ origin: "http://127.0.0.1:1" }], all(AGAIN)),
  row("has a host name that is not found", [{ origin: "http://hooks.invalid" }], all(AGAIN), UNANSWERED),
  row("shows a certificate nobody vouches for", [{ serve: answering(good), certificate }], all(AGAIN)),
  row("speaks no TLS behind https", [{ serve: answering(good), scheme: "https" }], all(AGAIN)),
  row("speaks TLS behind http", [{ serve: answering(good), certificate, scheme: "http" }], all(AGAIN), UNANSWERED),
  row(
    "answers 400 at its TLS port to what comes behind http, as nginx, Caddy and Apache do",
    TLS_PORTS.map((body) => ({ serve: answering({ status: 400, body }) })),
    all(HOURLY),
  ),
  row(
    "takes the message and says nothing",
    stopping(() => ""),
    all(PERHAPS_TAKEN),
    UNANSWERED,
  ),
  row(
    "sends its headers drop by drop",
    dripping(() => "HTTP/1.1 200 OK\r\nX-Slow: ", "x"),
    all(PERHAPS_TAKEN),
    UNANSWERED,
  ),
  row(
    "sends headers without end",
    pouring(() => "HTTP/1.1 200 OK\r\n", "X-More: and more\r\n"),
    all(AGAIN),
  ),
  row(
    "announces its answer again and again",
    pouring(() => "", "HTTP/1.1 100 Go on\r\n\r\n"),
    all(PERHAPS_TAKEN),
    UNANSWERED,
  ),
  row(
    "hangs up without an answer",
    cutting(() => ""),
    all(AGAIN),
  ),
  row(
    "hangs up within its headers",
    cutting(() => "HTTP/1.1 200 OK\r\nX-Cut: "),
    all(AGAIN),
  ),
  row(
    "speaks something other than HTTP",
    cutting(({ text }) => `SSH-2.0-OpenSSH\r\n${text}\r\n\r\n`),
    all(AGAIN),
  ),
];

export const goodStatus: HttpRow[] = [
  row("that it took the message", answering(good), all(SENT)),
  row("its good status, then nothing more", stopping(goodHead), KNOWN_BY_ITS_BODY, UNANSWERED),
  row("its good status, then a body drop by drop", dripping(goodHead, "x"), KNOWN_BY_ITS_BODY, UNANSWERED),
  row(
    "its good status, then it hangs up",
    cutting((asked) => goodHead(asked) + firstByte(asked)),
    KNOWN_BY_ITS_BODY,
  ),
  row(
    "its good status, then a body without end",
    pouring(goodChunked, `4000\r\n${"x".repeat(0x4000)}\r\n`),
    KNOWN_BY_ITS_BODY,
  ),
  row("200 with an empty body", answering({ status: 200, body: "" }), KNOWN_BY_BODY),
  row(
    "200 with another program's JSON",
    answering({
      status: 200,
      body: '{"status":"up","id":7,"success":false}',
      headers: { "content-type": "application/json" },
    }),
    KNOWN_BY_BODY,
  ),
  row(
    "200 with a page, such as a proxy's or a login's",
    answering(({ text }) => ({ status: 200, body: `<!doctype html><title>Log in</title>${text}` })),
    all(AGAIN, { webhook: SENT, http: SENT }),
  ),
  row(
    "204 without a body",
    answering({ status: 204 }),
    all(AGAIN, { discord: SENT, teams: SENT, apprise: HOURLY, webhook: SENT, http: SENT }),
  ),
];

const statuses = (situation: string, codes: readonly number[], outcomes: HttpRow["outcomes"]): HttpRow =>
  row(
    situation,
    codes.map((status) => ({ serve: answering({ status }) })),
    outcomes,
  );

/** Where a redirect leads, at the same receiver. */
export const ELSEWHERE = "/elsewhere";

const TOPIC_NOT_TAKEN = '{"code":40009,"http":400,"error":"invalid request: topic invalid"}';
const KEY_NOT_TAKEN = '{"status":"invalid event","message":"Event object is invalid","errors":["Invalid routing key"]}';

export const otherStatus: HttpRow[] = [
  row(
    "301, 302, 303, 307, 308: a redirect",
    [301, 302, 303, 307, 308].map((status) => ({ serve: answering({ status, headers: { location: ELSEWHERE } }) })),
    all(HOURLY),
  ),
  statuses("401, 403, 404, 410", [401, 403, 404, 410], all(HOURLY)),
  statuses("405, and any other 4xx", [402, 405, 406, 407, 409, 415, 421, 451, 499], all(HOURLY)),
  row(
    "403, 406, or another 4xx that a filter may answer, to the full form alone",
    [403, 406, 409, 415, 451, 499].map((status) => ({
      serve: answering((asked) => (asked.before === 0 ? { status } : good(asked))),
    })),
    all(SENT_PLAIN),
  ),
  statuses("400", [400], all(HOURLY, { signal: AGAIN })),
  statuses("413, 422", [413, 422], all(HOURLY)),
  row(
    "400 to the full form alone",
    answering((asked) => (asked.before === 0 ? { status: 400 } : good(asked))),
    all(SENT_PLAIN, { signal: AGAIN }),
  ),
  row(
    "413, 422 to the full form alone",
    [413, 422].map((status) => ({ serve: answering((asked) => (asked.before === 0 ? { status } : good(asked))) })),
    all(SENT_PLAIN),
  ),
  row("400: the topic is not taken, in ntfy's words", answering({ status: 400, body: TOPIC_NOT_TAKEN }), all(HOURLY)),
  row(
    "400: the integration key is not taken, in PagerDuty's words",
    answering({ status: 400, body: KEY_NOT_TAKEN }),
    all(HOURLY),
  ),
  statuses("408, 425, 429", [408, 425, 429], all(AGAIN)),
  statuses("500, 502, 503, 504, and any other 5xx", [500, 501, 502, 503, 504, 505, 507, 520, 599], all(AGAIN)),
];

const askingFor = (wait: string, codes: readonly number[] = [429]): readonly Receives[] =>
  codes.map((status) => ({ serve: answering({ status, headers: { "retry-after": wait } }) }));

const limitedFor = (seconds: number, header?: string): Serve =>
  answering({
    status: 429,
    body: JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global: false }),
    ...(header === undefined ? {} : { headers: { "retry-after": header } }),
  });

const inHttpDate = (milliseconds: number): string => new Date(ALERT_AT + milliseconds).toUTCString();

export const askedWaits: HttpRow[] = [
  row(
    "408, 425, 429 or any 5xx with `Retry-After: 90`",
    askingFor("90", [408, 425, 429, 500, 503]),
    all(againAfter("90 s")),
  ),
  row("429 with `Retry-After: 90.5`", askingFor("90.5"), all(againAfter("90.5 s"))),
  row("429 with a date 90 s ahead", askingFor(inHttpDate(90_000)), all(againAfter("90 s"))),
  row(
    "429 with `Retry-After: 86400`, or a date tomorrow",
    [...askingFor("86400"), ...askingFor(inHttpDate(86_400_000))],
    all(againAfter("60 min")),
  ),
  row("429 with `Retry-After: 1`, less than rollcall's own wait", askingFor("1"), all(AGAIN)),
  row(
    "429 with a date that is over, or with what is no time",
    [...askingFor(inHttpDate(-90_000)), ...askingFor("-5"), ...askingFor("soon")],
    all(AGAIN),
  ),
  row("429 with `retry_after` 64.57 in its JSON", limitedFor(64.57), all(againAfter("64.57 s"))),
  row("the same with `Retry-After: 65`", limitedFor(64.57, "65"), all(againAfter("65 s"))),
  row("403 or a redirect with `Retry-After: 90`", askingFor("90", [302, 403]), all(HOURLY)),
];
