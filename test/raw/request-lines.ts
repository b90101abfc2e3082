// Raw requests whose first line is odd, and what is no HTTP at all.

import {
  closing,
  FAILED,
  HEAD_TOO_LARGE,
  HEALTHY,
  headOnly,
  MALFORMED,
  NO_KEY,
  NO_SUCH_PATH,
  NO_SUCH_VERSION,
  STARTED,
  TAKEN,
  wrongMethod,
} from "./answers.ts";
import type { Case } from "./conversation.ts";

const HOST = "Host: localhost\r\n";
const JOB = "/api/v1/ping/job/KEY";
/** A first line, and a sound rest. */
const line = (first: string): string => `${first}\r\n${HOST}\r\n`;
const get = (target: string): string => line(`GET ${target} HTTP/1.1`);

export const VERSIONS: readonly Case[] = [
  ["HTTP/1.1", get("/healthz"), [HEALTHY], "open"],
  ["HTTP/1.0 without a host", "GET /healthz HTTP/1.0\r\n\r\n", [HEALTHY], "closed"],
  ["HTTP/1.0 that would stay", "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", [HEALTHY], "closed"],
  ["a report of HTTP/1.0", `GET ${JOB} HTTP/1.0\r\n\r\n`, [TAKEN], "closed"],
  ["no version", "GET /healthz\r\n\r\n", [NO_SUCH_VERSION], "closed"],
  ["no version, and no head behind it", "GET /healthz\r\n", [NO_SUCH_VERSION], "closed"],
  ["HTTP/1.2", line("GET /healthz HTTP/1.2"), [NO_SUCH_VERSION], "closed"],
  ["HTTP/2.0", line("GET /healthz HTTP/2.0"), [NO_SUCH_VERSION], "closed"],
  ["HTTP/1.10", line("GET /healthz HTTP/1.10"), [NO_SUCH_VERSION], "closed"],
  ["HTTP/01.1", line("GET /healthz HTTP/01.1"), [NO_SUCH_VERSION], "closed"],
  ["HTTP/1.", line("GET /healthz HTTP/1."), [NO_SUCH_VERSION], "closed"],
  ["a version in lower case", line("GET /healthz http/1.1"), [NO_SUCH_VERSION], "closed"],
  ["HTTPS/1.1", line("GET /healthz HTTPS/1.1"), [NO_SUCH_VERSION], "closed"],
  ["a space behind the version", line("GET /healthz HTTP/1.1 "), [NO_SUCH_VERSION], "closed"],
];

export const SPACES: readonly Case[] = [
  ["two spaces behind the method", line("GET  /healthz HTTP/1.1"), [MALFORMED], "closed"],
  ["two spaces before the version", line("GET /healthz  HTTP/1.1"), [NO_SUCH_VERSION], "closed"],
  ["tabs for spaces", line("GET\t/healthz\tHTTP/1.1"), [NO_SUCH_VERSION], "closed"],
  ["a space in the target", line("GET /heal thz HTTP/1.1"), [NO_SUCH_VERSION], "closed"],
  ["a tab in the query", get(`${JOB}?run_id=a\tb`), [NO_SUCH_VERSION], "closed"],
  ["a space before the method", line(" GET /healthz HTTP/1.1"), [MALFORMED], "closed"],
  ["an empty line before the request", `\r\n${get("/healthz")}`, [MALFORMED], "closed"],
  ["two empty lines before the request", `\r\n\r\n${get("/healthz")}`, [MALFORMED], "closed"],
  ["lines that end with LF alone", "GET /healthz HTTP/1.1\nHost: localhost\n\n", [NO_SUCH_VERSION], "closed"],
  ["a first line that ends with LF alone", `GET /healthz HTTP/1.1\n${HOST}\r\n`, [NO_SUCH_VERSION], "closed"],
  ["lines that end with CR alone", "GET /healthz HTTP/1.1\rHost: localhost\r\r", [NO_SUCH_VERSION], "closed"],
  ["no target", line("GET  HTTP/1.1"), [MALFORMED], "closed"],
  ["a NUL in the method", line("G\0T /healthz HTTP/1.1"), [NO_SUCH_VERSION], "closed"],
  ["a NUL in the target", line("GET /heal\0thz HTTP/1.1"), [NO_SUCH_VERSION], "closed"],
];

/** R8, and the contract's table of what the HTTP server does by itself. */
export const METHODS: readonly Case[] = [
  ...["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "SEARCH", "M-SEARCH", "PURGE", "LINK", "QUERY"].map(
    (method): Case => [`${method} of a report`, line(`${method} ${JOB} HTTP/1.1`), [wrongMethod(method)], "open"],
  ),
  ["CONNECT of a report", line(`CONNECT ${JOB} HTTP/1.1`), [wrongMethod("CONNECT")], "open"],
  ["HEAD of a report", line(`HEAD ${JOB} HTTP/1.1`), [headOnly(wrongMethod("HEAD"))], "open"],
  ["HEAD of what there is", line("HEAD /healthz HTTP/1.1"), [headOnly(HEALTHY)], "open"],
  ["HEAD of what there is not", line("HEAD /nowhere HTTP/1.1"), [headOnly(NO_SUCH_PATH)], "open"],
  ["POST of the health", line("POST /healthz HTTP/1.1"), [wrongMethod("POST", "GET, HEAD")], "open"],
  ["DELETE of the readiness", line("DELETE /readyz HTTP/1.1"), [wrongMethod("DELETE", "GET, HEAD")], "open"],
  ["OPTIONS of what there is not", line("OPTIONS /nowhere HTTP/1.1"), [NO_SUCH_PATH], "open"],
  ["GET of bulk sync", get("/api/v1/sync"), [wrongMethod("GET", "POST")], "open"],
  ["a method in lower case", line("get /healthz HTTP/1.1"), [], "closed"],
  ["a method in mixed case", line("Get /healthz HTTP/1.1"), [], "closed"],
  ["a method that nobody knows", line("BREW /healthz HTTP/1.1"), [], "closed"],
  ["a method of 300 letters", line(`${"X".repeat(300)} /healthz HTTP/1.1`), [], "closed"],
  ["no method", line("/healthz HTTP/1.1"), [MALFORMED], "closed"],
  ["OPTIONS of the whole server", line("OPTIONS * HTTP/1.1"), [MALFORMED], "closed"],
  ["GET of the whole server", line("GET * HTTP/1.1"), [MALFORMED], "closed"],
  ["CONNECT to a host", line("CONNECT localhost:443 HTTP/1.1"), [NO_SUCH_PATH], "silent"],
];

export const TARGETS: readonly Case[] = [
  ["an absolute URI", get("http://localhost/healthz"), [HEALTHY], "open"],
  ["a report to an absolute URI", get(`http://localhost${JOB}`), [TAKEN], "open"],
  ["an absolute URI of another host", get(`http://elsewhere.example${JOB}`), [TAKEN], "open"],
  ["an absolute URI of another scheme", get(`https://localhost${JOB}`), [TAKEN], "open"],
  ["an absolute URI in capitals", get(`HTTP://LOCALHOST${JOB}`), [TAKEN], "open"],
  ["an absolute URI of a file server", get("ftp://localhost/healthz"), [MALFORMED], "closed"],
  ["an absolute URI without a path", get("http://localhost"), [NO_SUCH_PATH], "open"],
  ["the root", get("/"), [NO_SUCH_PATH], "open"],
  ["two slashes", get("//"), [NO_SUCH_PATH], "open"],
  ["two slashes and a host", get(`//elsewhere.example${JOB}`), [NO_SUCH_PATH], "open"],
  ["no slash", get("healthz"), [MALFORMED], "closed"],
  ["a query alone", get("?schedule=x"), [MALFORMED], "closed"],
  ["a fragment behind a key", get(`${JOB}#fragment`), [NO_KEY], "open"],
  ["a path of 20,000 letters", get(`/${"a".repeat(20_000)}`), [NO_SUCH_PATH], "open"],
  ["a path of 40,000 letters", get(`/${"a".repeat(40_000)}`), [HEAD_TOO_LARGE], "closed"],
  ["a query of 16,000 letters", get(`${JOB}?x=${"a".repeat(16_000)}`), [TAKEN], "open"],
  ["a query of 40,000 letters", get(`${JOB}?x=${"a".repeat(40_000)}`), [HEAD_TOO_LARGE], "closed"],
  ["a short form that is a success", get(`${JOB}/0`), [TAKEN], "open"],
  ["a short form that is a failure", get(`${JOB}/1`), [FAILED], "open"],
  ["a start", get("/api/v1/ping/run/KEY/start"), [STARTED], "open"],
  ["a request for the end", `GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, [closing(HEALTHY)], "closed"],
];

export const NO_HTTP: readonly Case[] = [
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [MALFORMED], "closed"],
  ["the hello of TLS", `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${"\x5a".repeat(500)}`, [MALFORMED], "closed"],
  ["SSH", "SSH-2.0-OpenSSH_9.9\r\n", [MALFORMED], "closed"],
  ["SMTP", "EHLO localhost\r\n", [MALFORMED], "closed"],
  ["Redis", "*1\r\n$4\r\nPING\r\n", [MALFORMED], "closed"],
  ["an answer", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", [MALFORMED], "closed"],
  ["an empty line", "\r\n", [MALFORMED], "closed"],
  ["NULs", "\0\0\0\0\r\n\r\n", [MALFORMED], "closed"],
  ["a word", "NONSENSE\r\n\r\n", [MALFORMED], "closed"],
];
