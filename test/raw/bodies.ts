// Raw requests whose bodies are framed in odd ways, or are odd themselves (R9).

import { COMPLETED, CONTINUE, HEALTHY, LENGTH_BEYOND_NUMBERS, MALFORMED, NO_JSON, TAKEN, tooLarge } from "./answers.ts";
import type { Case } from "./conversation.ts";

const JOB = "/api/v1/ping/job/KEY";
const JSON_BODY = '{"outcomes":{"rows":1}}';
const post = (head: string, body: string, target = JOB): string =>
  `POST ${target} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${body}`;
const get = (head: string, body: string): string => `GET ${JOB} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${body}`;
/** A length that is stated so, and three bytes. */
const stated = (length: string): string => post(`Content-Length: ${length}`, "abc");
const HEALTH = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

export const LENGTHS: readonly Case[] = [
  ["a body", stated("3"), [TAKEN], "open"],
  ["an empty body", post("Content-Length: 0", ""), [TAKEN], "open"],
  ["no length and no body", post("X-A: b", ""), [TAKEN], "open"],
  ["a length with zeros before it", stated("0003"), [TAKEN], "open"],
  ["a length between tabs", post("Content-Length:\t3\t", "abc"), [TAKEN], "open"],
  ["the same length twice", post("Content-Length: 3\r\nContent-Length: 3", "abc"), [TAKEN], "open"],
  ["two lengths", post("Content-Length: 3\r\nContent-Length: 4", "abc"), [MALFORMED], "closed"],
  ["two lengths in one header", stated("3, 3"), [MALFORMED], "closed"],
  ["a negative length", stated("-1"), [MALFORMED], "closed"],
  ["a length with a sign", stated("+3"), [MALFORMED], "closed"],
  ["a length in hexadecimals", stated("0x3"), [MALFORMED], "closed"],
  ["a length that is a word", stated("abc"), [MALFORMED], "closed"],
  ["an empty length", stated(""), [MALFORMED], "closed"],
  ["a length beyond 2^53", stated("9007199254740993"), [LENGTH_BEYOND_NUMBERS], "closed"],
  ["a length beyond 2^64", stated("99999999999999999999"), [MALFORMED], "closed"],
  [
    "a body that goes on behind its length",
    { oneByOne: [stated("2").slice(0, -1), "c\r\n\r\n"] },
    [TAKEN, MALFORMED],
    "closed",
  ],
  ["a body of 1 MiB", post("Content-Length: 1048576", "x".repeat(1_048_576)), [TAKEN], "open"],
  ["a body of one byte more", post("Content-Length: 1048577", "x".repeat(1_048_577)), [tooLarge(1_048_576)], "open"],
  ["a GET with a body", get("Content-Length: 3", "abc"), [TAKEN], "open"],
  ["a GET with chunks", get("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"), [TAKEN], "open"],
  [
    "a body that is expected",
    [post("Expect: 100-continue\r\nContent-Length: 3", ""), "abc"],
    [CONTINUE, TAKEN],
    "open",
  ],
  ["an expectation that nobody knows", post("Expect: nonsense\r\nContent-Length: 3", "abc"), [TAKEN], "open"],
];

const CHUNKS = "3\r\nabc\r\n0\r\n\r\n";
const coded = (coding: string, body = CHUNKS): string => post(`Transfer-Encoding: ${coding}`, body);
const chunked = (body: string): string => coded("chunked", body);

export const CODINGS: readonly Case[] = [
  ["chunked", coded("chunked"), [TAKEN], "open"],
  ["CHUNKED", coded("CHUNKED"), [TAKEN], "open"],
  ["chunked behind a tab", post("Transfer-Encoding:\tchunked", CHUNKS), [TAKEN], "open"],
  ["chunked before a length", post("Transfer-Encoding: chunked\r\nContent-Length: 3", CHUNKS), [MALFORMED], "closed"],
  ["chunked behind a length", post("Content-Length: 3\r\nTransfer-Encoding: chunked", CHUNKS), [MALFORMED], "closed"],
  ["chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", CHUNKS), [MALFORMED], "closed"],
  ["chunked, chunked", coded("chunked, chunked"), [MALFORMED], "closed"],
  ["gzip", coded("gzip", "abc"), [MALFORMED], "closed"],
  ["gzip, chunked", coded("gzip, chunked"), [MALFORMED], "closed"],
  ["chunked, gzip", coded("chunked, gzip"), [MALFORMED], "closed"],
  ["identity", coded("identity", "abc"), [MALFORMED], "closed"],
  ["xchunked", coded("xchunked"), [MALFORMED], "closed"],
  ["no coding", post("Transfer-Encoding:", CHUNKS), [MALFORMED], "closed"],
  ["a space before the colon", post("Transfer-Encoding : chunked", CHUNKS), [MALFORMED], "closed"],
  ["chunked in HTTP/1.0", `POST ${JOB} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}`, [MALFORMED], "closed"],
];

export const CHUNK_SIZES: readonly Case[] = [
  ["no chunk but the last", chunked("0\r\n\r\n"), [TAKEN], "open"],
  ["ten in capitals", chunked("A\r\nabcdefghij\r\n0\r\n\r\n"), [TAKEN], "open"],
  ["ten in small letters", chunked("a\r\nabcdefghij\r\n0\r\n\r\n"), [TAKEN], "open"],
  ["zeros before it", chunked("0003\r\nabc\r\n000\r\n\r\n"), [TAKEN], "open"],
  ["an extension", chunked("3;a=b\r\nabc\r\n0\r\n\r\n"), [TAKEN], "open"],
  ["an empty extension", chunked("3;\r\nabc\r\n0\r\n\r\n"), [TAKEN], "open"],
  ["an extension with an end of line", chunked('3;a="b\r\nc"\r\nabc\r\n0\r\n\r\n'), [MALFORMED], "closed"],
  ["a space behind it", chunked("3 \r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["a space before it", chunked(" 3\r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["a prefix", chunked("0x3\r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["a sign", chunked("-1\r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["no number", chunked("zz\r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["nothing", chunked("\r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["2^64 - 1", chunked("ffffffffffffffff\r\nabc"), [MALFORMED], "closed"],
  ["2^64 + 3", chunked("10000000000000003\r\nabc\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["LF alone", chunked("3\nabc\n0\n\n"), [MALFORMED], "closed"],
  ["more than it says", chunked("3\r\nabcdef\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  ["less than it says", chunked("3\r\nab\r\n0\r\n\r\n"), [MALFORMED], "closed"],
  // The report was whole before it: it is recorded, and nobody hears of that.
  [
    "a trailer",
    post("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\nX-T: y\r\n\r\n", "/api/v1/ping/lost/KEY"),
    [MALFORMED],
    "closed",
  ],
  [
    "a body of 1 MiB and a byte",
    chunked(`100001\r\n${"x".repeat(1_048_577)}\r\n0\r\n\r\n`),
    [tooLarge(1_048_576)],
    "open",
  ],
];

/** The body of a complete, with its length. */
const complete = (body: string, type = "application/json"): string =>
  post(`Content-Type: ${type}\r\nContent-Length: ${body.length}`, body, `${JOB}/complete`);
const AS_JSON = "Content-Type: application/json\r\nTransfer-Encoding: chunked";
const singly = (body: string): string => `${[...body].map((letter) => `1\r\n${letter}\r\n`).join("")}0\r\n\r\n`;

export const COMPLETES: readonly Case[] = [
  ["JSON", complete(JSON_BODY), [COMPLETED], "open"],
  ["JSON in chunks of a byte", post(AS_JSON, singly(JSON_BODY), `${JOB}/complete`), [COMPLETED], "open"],
  ["JSON behind a byte order mark", complete("\xef\xbb\xbf{}"), [COMPLETED], "open"],
  ["nothing", complete(""), [COMPLETED], "open"],
  ["text", complete("abc", "text/plain"), [COMPLETED], "open"],
  ["no JSON", complete("abc"), [NO_JSON], "open"],
  ["JSON and a NUL", complete("{}\0"), [NO_JSON], "open"],
  ["JSON that is no UTF-8", complete('{"outcomes":{"\xff":1}}'), [NO_JSON], "open"],
  ["half of JSON", complete(JSON_BODY.slice(0, 10)), [NO_JSON], "open"],
  ["16 KiB and a byte", complete("x".repeat(16_385)), [tooLarge(16_384)], "open"],
  [
    "16 KiB and a byte in a chunk",
    post(AS_JSON, `4001\r\n${"x".repeat(16_385)}\r\n0\r\n\r\n`, `${JOB}/complete`),
    [tooLarge(16_384)],
    "open",
  ],
];

/** One after the other on one connection. */
export const FOLLOWING: readonly Case[] = [
  ["a request behind the answer to a body", { oneByOne: [stated("3"), HEALTH] }, [TAKEN, HEALTHY], "open"],
  ["a request behind the answer to chunks", { oneByOne: [chunked(CHUNKS), HEALTH] }, [TAKEN, HEALTHY], "open"],
];
