// What random requests are made of: texts, path segments, parameters, headers and bodies, good ones and every sort of
// bad ones. Everything drawn here is bytes, one letter each; it must not know what the service makes of them.

import type { Random } from "../simulation/random.ts";

/** The UTF-8 bytes of a text, one letter each. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const WORDS = [
  "backup",
  "job-1",
  "Größe",
  "日本語",
  "a.b",
  "start",
  "fail",
  "log",
  "0",
  "255",
  "ck_app_x",
  "__proto__",
];
const HOSTILE = [
  "",
  " ",
  ".",
  "..",
  "%",
  "\u0000",
  "\u0085",
  "\u2028",
  "\u202e",
  "\ufffd",
  "\ufeff",
  "\ud83d\ude00",
  "e\u0301",
  "a/b",
  "a\\b",
  "a?b#c",
  "'; DROP TABLE monitors; --",
  "<script>",
  "\r\nX-Injected: 1",
  "constructor",
  "null",
  "-1",
  "1e999",
];

/** Escapes that are broken, that are not UTF-8, or that stand for what no text may have. */
const BROKEN = [
  "%",
  "%z",
  "%e",
  "%zz",
  "%u1234",
  "%ff",
  "%c0%af",
  "%ed%a0%80",
  "%f4%90%80%80",
  "%00",
  "%0a",
  "%7f",
  "%2F",
  "%2e%2e",
  "%252F",
  "\xff",
  "\xc3",
  "\xf0\x9f",
];

/** Lengths around the limits of what has one. */
const LENGTHS = [63, 64, 65, 127, 128, 129, 199, 200, 201, 399, 400, 401, 999, 1_000, 1_001, 3_000];

const LETTERS = ["a", "Z", "7", "-", "_", " ", "ü", "€", "😀"];

/** A text of any kind, as a person or an attacker writes it. */
export const drawText = (random: Random): string =>
  random.weighted<() => string>([
    [5, () => random.pick(WORDS)],
    [4, () => random.pick(HOSTILE)],
    [1, () => random.pick(LETTERS).repeat(random.pick(LENGTHS))],
    [2, () => Array.from({ length: random.whole(1, 20) }, () => random.pick(LETTERS)).join("")],
  ])();

/** The text with each byte escaped that `isKept` does not keep. */
const percentEncode = (text: string, isKept: (letter: string) => boolean): string =>
  [...bytesOf(text)]
    .map((byte) => (isKept(byte) ? byte : `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`))
    .join("");

/**
 * How a text gets into a path or query: as it should be, as raw as a request line allows, escaped to the last letter.
 */
export const encode = (random: Random, text: string): string =>
  random.weighted<() => string>([
    [8, () => percentEncode(text, (byte) => /[\w.~-]/.test(byte))],
    [2, () => percentEncode(text, (byte) => /[!-~\x80-\xff]/.test(byte) && !/[/?#%&+]/.test(byte))],
    [1, () => percentEncode(text, () => false)],
    [1, () => percentEncode(text, (byte) => /[\w.~-]/.test(byte)).replaceAll("%20", "+")],
    [1, () => percentEncode(text, (byte) => /[\w.~-]/.test(byte)).replaceAll("%", "%25")],
  ])();

/** A piece of a path or query that may be anything a request line can hold. */
export const drawPiece = (random: Random): string =>
  random.weighted<() => string>([
    [8, () => encode(random, drawText(random))],
    [1, () => random.pick(BROKEN)],
    [1, () => encode(random, drawText(random)) + random.pick(BROKEN) + encode(random, drawText(random))],
  ])();

/** What a parameter may be given as, and what not. Any of them may also get any piece. */
interface Parameter {
  readonly name: string;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const BAD_NUMBERS = ["59", "1000000000", "-1", "6e1", "+60", "%2060", "60.0", "0x3c", "%D9%A1"];

const PARAMETERS: readonly Parameter[] = [
  {
    name: "schedule",
    good: ["0+3+*+*+*", "*/5%20*%20*%20*%20*", "0,30+1-5+*+JAN-MAR+mon", "%30+3+%2A+*+*"],
    bad: [
      "0+0+31+2+*",
      "61+*+*+*+*",
      "@daily",
      "@reboot",
      "0+*/5+*+*+*+*",
      "0+3+?+*+L",
      "*",
      "*+*+*+*+*+*+*+*",
      "1-5-9+*+*+*+*",
      "*/0+*+*+*+*",
    ],
  },
  { name: "gracePeriod", good: ["60", "3600", "999999999"], bad: BAD_NUMBERS },
  { name: "maxRuntime", good: ["60", "3600", "999999999"], bad: BAD_NUMBERS },
  { name: "attempt", good: ["0", "1", "59"], bad: BAD_NUMBERS },
  { name: "age", good: ["0", "59", "604800"], bad: ["604801", "-1", "6e1", "60.5", "%2060", "0x3c"] },
  { name: "duration", good: ["0", "59.25", "999999999"], bad: ["1000000000", "-1", "6e1", ".5", "5.", "1,5", "NaN"] },
  {
    name: "timezone",
    good: ["Europe/Berlin", "UTC", "europe/paris", "Pacific/Chatham"],
    bad: ["Mars/Olympus", "Etc/GMT%2B99", "%2B02:00", "../../etc/passwd", "x".repeat(3_000), ""],
  },
  { name: "name", good: ["Nightly+backup", "n".repeat(200), ""], bad: ["n".repeat(201), "%0a"] },
  { name: "run_id", good: ["run-1", "run-2", "r".repeat(128), ""], bad: ["r".repeat(129), "%1b"] },
  {
    name: "message",
    good: ["disk+full", "m".repeat(1_000), "%F0%9F%98%80".repeat(900)],
    bad: ["m".repeat(1_001), "%f0"],
  },
  { name: "idempotency_key", good: ["once", "twice", "k".repeat(129), ""], bad: ["%ff"] },
];

function drawParameter(random: Random): string {
  const { name, good, bad } = random.pick(PARAMETERS);
  return random.weighted<() => string>([
    [16, () => `${name}=${random.pick(good)}`],
    [3, () => `${name}=${random.pick(bad)}`],
    [1, () => `${name}=${drawPiece(random)}`],
    [2, () => `${drawPiece(random)}=${drawPiece(random)}`],
    [1, () => random.pick(["", name, `${name}=`, "=", `${name}[]=1`, `%${name}=1`, `${name}==&&`])],
  ])();
}

const QUERY_BYTES = 12_000;

/** A query without its question mark; most register the monitor, so that the rest of the request matters. */
export function drawQuery(random: Random): string {
  const count = random.weighted<() => number>([
    [9, () => random.whole(0, 3)],
    [1, () => random.whole(4, 40)],
  ])();
  const parameters = Array.from({ length: count }, () => drawParameter(random));
  if (random.chance(0.6)) parameters.unshift("schedule=0+3+*+*+*");
  return parameters.join(random.chance(0.97) ? "&" : ";").slice(0, QUERY_BYTES);
}

const HEADERS: readonly ((random: Random) => string)[] = [
  (random) => `Idempotency-Key: ${random.pick(["once", "twice", "k".repeat(129), "\xff\xfe", ""])}`,
  (random) => `Idempotency-Key: ${random.whole(0, 50)}`,
  (random) => `Purpose: ${random.pick(["prefetch", "preview"])}`,
  (random) => `Sec-Purpose: ${random.pick(["prefetch;prerender", " prefetch", "prefetchx"])}`,
  (random) => `Accept: ${random.pick(["*/*", "text/html", ";q=", "\xff"])}`,
  (random) => `Accept-Encoding: ${random.pick(["gzip, br, zstd", "identity;q=0", "*"])}`,
  (random) => `Cookie: ${"c".repeat(random.pick([1, 100, 4_000]))}`,
  () =>
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
  () => "Range: bytes=0-",
  () => "If-None-Match: *",
  (random) => `X-${random.pick(["A", "a", "~", "!#$"])}: ${bytesOf(random.pick(["ü", "😀", "tab\tinside", ""]))}`,
];

/** Most requests with one of these are refused for it. */
const PROXY_HEADERS: readonly ((random: Random) => string)[] = [
  (random) => `X-Forwarded-Proto: ${random.pick(["https", "http", "https, http", "", "\xff"])}`,
  (random) =>
    `X-Forwarded-For: ${random.pick(["192.0.2.1", "::1, 10.0.0.1", "unknown", ",,,", "999.1.1.1", "[::1]:80"])}`,
  () => "Forwarded: for=192.0.2.1;proto=https",
];

export const drawHeaders = (random: Random): string[] =>
  Array.from(
    {
      length: random.weighted([
        [6, 0],
        [3, 1],
        [1, random.whole(2, 12)],
      ]),
    },
    () => random.pick(random.chance(0.1) ? PROXY_HEADERS : HEADERS)(random),
  );

const OUTCOMES = [
  '{"outcomes":{"rows":12,"verified":true}}',
  '{"outcomes":{"rows":0,"errors":-1.5e-9}}',
  '{"outcomes":{"rows":12,"verified":true}}',
  '{"outcomes":{}}',
  "{}",
  '{"outcomes":{"rows":"12"}}',
  '{"outcomes":{"rows":1e999}}',
  '{"outcomes":{"Rows":1}}',
  '{"outcomes":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}}',
  '{"outcomes":{"__proto__":1}}',
  '{"__proto__":{"outcomes":1},"outcomes":null}',
  '{"outcomes":{"a":1,"a":{}}}',
  '{"outcomes":[1]}',
  "[]",
  "null",
  "1",
  '"',
  "\xef\xbb\xbf{}",
  '{"outcomes":{"\xff":1}}',
  "",
];

const BODY_BYTES = [1_000, 16_384, 16_385, 100_000];
/** Rare, since each is as much work as hundreds of the others. */
const BODY_BYTES_LARGE = [1_048_576, 1_048_577];

/** The bytes of a body, mostly those that a complete could have. */
export const drawBody = (random: Random): string =>
  random.weighted<() => string>([
    [55, () => random.pick(OUTCOMES)],
    [15, () => bytesOf(drawText(random))],
    [20, () => "x".repeat(random.pick(BODY_BYTES))],
    [5, () => random.pick(["[", '{"outcomes":', '{"a":', "9"]).repeat(random.pick([100, 1_300, 16_384]))],
    [5, () => `{"outcomes":{"rows":1}}${" ".repeat(random.pick([16_361, 16_362]))}`],
    [2, () => "x".repeat(random.pick(BODY_BYTES_LARGE))],
  ])();

export const drawContentType = (random: Random): string =>
  random.pick([
    "application/json",
    "application/json",
    "Application/JSON; charset=utf-8",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "",
  ]);
