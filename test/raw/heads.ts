// Raw requests whose headers are odd: hosts, syntax, sizes, credentials, and what a proxy or browser adds.

import { HEAD_TOO_LARGE, HEALTHY, MALFORMED, NO_KEY, NOT_HTTPS, PREFETCH, TAKEN } from "./answers.ts";
import type { Case } from "./conversation.ts";

const HOST = "Host: localhost\r\n";
const JOB = "/api/v1/ping/job/KEY";
const withHead = (head: string): string => `GET /healthz HTTP/1.1\r\n${head}\r\n`;
/** Behind a sound host. */
const and = (header: string): string => withHead(`${HOST}${header}\r\n`);
const ping = (target: string, head: string): string => `GET ${target} HTTP/1.1\r\n${HOST}${head}\r\n\r\n`;
const reportTo = (host: string): string => `GET ${JOB} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

export const HOSTS: readonly Case[] = [
  ["no host", withHead(""), [MALFORMED], "closed"],
  ["a report without a host", `GET ${JOB} HTTP/1.1\r\n\r\n`, [MALFORMED], "closed"],
  ["an empty host", withHead("Host:\r\n"), [HEALTHY], "open"],
  ["the same host twice", withHead(HOST + HOST), [HEALTHY], "open"],
  ["two hosts", withHead("Host: a\r\nHost: b\r\n"), [HEALTHY], "open"],
  ["HOST in capitals", withHead("HOST: localhost\r\n"), [HEALTHY], "open"],
  ["a space before the colon", withHead("Host : localhost\r\n"), [MALFORMED], "closed"],
  ["a NUL in the host", withHead("Host: a\0b\r\n"), [MALFORMED], "closed"],
  ["a host with a space", reportTo("a b"), [TAKEN], "open"],
  ["a host with a path and a query", reportTo("h/x?y"), [TAKEN], "open"],
  ["a host with a fragment", reportTo("h#"), [TAKEN], "open"],
  ["a host with a user", reportTo("user:password@localhost"), [TAKEN], "open"],
  ["a host with a port beyond all", reportTo("localhost:99999"), [TAKEN], "open"],
  ["an IPv6 address", reportTo("[::1]:80"), [TAKEN], "open"],
  ["half an IPv6 address", reportTo("[::"), [TAKEN], "open"],
  ["a host that is no text", reportTo("\xff\xfe"), [TAKEN], "open"],
];

export const SYNTAX: readonly Case[] = [
  ["no value", and("X-A:"), [HEALTHY], "open"],
  ["no space behind the colon", and("X-A:b"), [HEALTHY], "open"],
  ["spaces around the value", and("X-A:    b    "), [HEALTHY], "open"],
  ["a tab in the value", and("X-A: b\tc"), [HEALTHY], "open"],
  ["every sign that a name may have", and("!#$%&'*+-.^_`|~09az: b"), [HEALTHY], "open"],
  ["bytes above 127 in the value", and("X-A: \xff\xfe\x80"), [HEALTHY], "open"],
  ["DEL in the value", and("X-A: b\x7fc"), [HEALTHY], "open"],
  ["ESC in the value", and("X-A: b\x1bc"), [MALFORMED], "closed"],
  ["NUL in the value", and("X-A: b\0c"), [MALFORMED], "closed"],
  ["CR in the value", and("X-A: b\rc"), [MALFORMED], "closed"],
  ["LF between two headers", and("X-A: b\nX-B: c"), [MALFORMED], "closed"],
  ["LF at the end of the head", `GET /healthz HTTP/1.1\r\n${HOST}\n`, [MALFORMED], "closed"],
  ["a folded header", and("X-A: b\r\n c"), [MALFORMED], "closed"],
  ["a header folded with a tab", and("X-A: b\r\n\tc"), [MALFORMED], "closed"],
  ["a first header that goes on", withHead(` X-A: b\r\n${HOST}`), [MALFORMED], "closed"],
  ["a space before the colon", and("X-A : b"), [MALFORMED], "closed"],
  ["a space in the name", and("X A: b"), [MALFORMED], "closed"],
  ["brackets in the name", and("X(A): b"), [MALFORMED], "closed"],
  ["NUL in the name", and("X\0A: b"), [MALFORMED], "closed"],
  ["a byte above 127 in the name", and("X-\xff: b"), [MALFORMED], "closed"],
  ["no name", and(": b"), [MALFORMED], "closed"],
  ["no colon", and("X-A"), [MALFORMED], "closed"],
];

const headers = (count: number): string =>
  withHead(HOST + Array.from({ length: count - 1 }, (_, place) => `X-${place}: ${place}\r\n`).join(""));
/** A request of so many bytes. */
const sized = (bytes: number): string => and(`X-A: ${"a".repeat(bytes - and("X-A: ").length)}`);

export const SIZES: readonly Case[] = [
  ["198 headers", headers(198), [HEALTHY], "open"],
  ["199 headers", headers(199), [HEAD_TOO_LARGE], "closed"],
  ["1,000 headers", headers(1_000), [HEAD_TOO_LARGE], "closed"],
  ["a head of 32 KiB", sized(32_768), [HEALTHY], "open"],
  ["a head of 33 KiB", sized(33 * 1_024), [HEAD_TOO_LARGE], "closed"],
  ["a head of 400,000 bytes", sized(400_000), [HEAD_TOO_LARGE], "closed"],
];

const authorized = (text: string, root = "/api/v1"): string => ping(`${root}/ping/job`, `Authorization: ${text}`);
const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");

export const CREDENTIALS: readonly Case[] = [
  ["no credential", ping("/api/v1/ping/job", "X-A: b"), [NO_KEY], "open"],
  ["Basic without anything", authorized("Basic"), [NO_KEY], "open"],
  ["Basic with bytes that are no base64", authorized("Basic \xff"), [NO_KEY], "open"],
  ["Basic with a sign of its end alone", authorized("Basic ="), [NO_KEY], "open"],
  ["Basic with an empty user", authorized(`Basic ${base64(":")}`), [NO_KEY], "open"],
  ["Basic without a colon", authorized(`Basic ${base64("x")}`), [NO_KEY], "open"],
  ["Basic with a NUL", authorized(`Basic ${base64("ck_app_\0:")}`), [NO_KEY], "open"],
  ["Basic of 20,000 letters", authorized(`Basic ${base64("x".repeat(15_000))}`), [NO_KEY], "open"],
  ["Bearer in version 1", authorized("Bearer KEY"), [NO_KEY], "open"],
  ["ApiKey in version 1", authorized("ApiKey KEY"), [NO_KEY], "open"],
  ["Digest", authorized("Digest a=b"), [NO_KEY], "open"],
  ["a key without a scheme", authorized("KEY"), [NO_KEY], "open"],
  ["Bearer", authorized("Bearer KEY", ""), [TAKEN], "open"],
  ["Bearer in lower case", authorized("bearer KEY", ""), [TAKEN], "open"],
  ["Bearer with spaces around the key", authorized("BEARER  KEY ", ""), [TAKEN], "open"],
  ["Bearer with a tab", authorized("Bearer\tKEY", ""), [NO_KEY], "open"],
  ["ApiKey", authorized("ApiKey KEY", ""), [TAKEN], "open"],
  ["two credentials", ping("/ping/job", "Authorization: Bearer KEY\r\nAuthorization: Bearer x"), [NO_KEY], "open"],
  ["a wrong credential, and a key in the path", ping(JOB, "Authorization: Bearer x"), [TAKEN], "open"],
];

export const SURROUNDINGS: readonly Case[] = [
  ["R35: a proxy that says for whom", ping(JOB, "X-Forwarded-For: 192.0.2.1"), [NOT_HTTPS], "open"],
  ["R8: a prefetch", ping(JOB, "Purpose: prefetch"), [PREFETCH], "open"],
  ["R8: a prefetch that renders", ping(JOB, "Sec-Purpose: prefetch;prerender"), [PREFETCH], "open"],
  ["R11: an empty idempotency key", ping(JOB, "Idempotency-Key:"), [TAKEN], "open"],
  [
    "an upgrade to a web socket",
    and("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"),
    [HEALTHY],
    "open",
  ],
  [
    "an upgrade to HTTP/2",
    and("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"),
    [HEALTHY],
    "open",
  ],
  ["a range", and("Range: bytes=0-1"), [HEALTHY], "open"],
  ["a condition", and("If-None-Match: *"), [HEALTHY], "open"],
  ["compressions", and("Accept-Encoding: gzip, br, zstd"), [HEALTHY], "open"],
];
