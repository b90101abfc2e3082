// Requests behind one another, in pieces, and from clients that close their half (the server's own ways are in the
// contract's table of what it does before the service sees a request).

import { COMPLETED, closing, HEALTHY, headOnly, MALFORMED, NO_SUCH_PATH, TAKEN } from "./answers.ts";
import type { Case } from "./conversation.ts";

const JOB = "/api/v1/ping/job/KEY";
const get = (target: string, head = ""): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`;
const post = (head: string, body: string, target = JOB): string =>
  `POST ${target} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${body}`;
const HEALTH = get("/healthz");
const REPORT = get(JOB);
/** Of the monitor whose reports may be recorded though their sender heard nothing of it. */
const LOST = get("/api/v1/ping/lost/KEY");
const HEAD = "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const CHUNKED = "Content-Type: application/json\r\nTransfer-Encoding: chunked";

/**
 * A report's answer waits for the disk; a request that was sent behind it before then closes the connection,
 * unanswered.
 */
export const PIPELINED: readonly Case[] = [
  ["two requests", HEALTH + HEALTH, [HEALTHY, HEALTHY], "open"],
  ["three requests of nothing", get("/a") + get("/b") + get("/c"), [NO_SUCH_PATH, NO_SUCH_PATH, NO_SUCH_PATH], "open"],
  ["a report last", HEALTH + REPORT, [HEALTHY, TAKEN], "open"],
  ["a request behind a HEAD", HEAD + HEALTH, [headOnly(HEALTHY), HEALTHY], "open"],
  ["nonsense behind a request", `${HEALTH}NONSENSE\r\n\r\n`, [HEALTHY, MALFORMED], "closed"],
  ["NULs behind an answer", { oneByOne: [HEALTH, "\0\0\0\0"] }, [HEALTHY, MALFORMED], "closed"],
  ["a request behind the last", get("/healthz", "Connection: close\r\n") + HEALTH, [closing(HEALTHY)], "closed"],
  ["a report before another", LOST + LOST, [], "closed"],
  ["a report before a request", LOST + HEALTH, [], "closed"],
  ["two reports with bodies", post("Content-Length: 3", "abc", "/api/v1/ping/lost/KEY").repeat(2), [], "closed"],
  [
    "half a request behind a report",
    { oneByOne: [`${REPORT}GET /hea`, "lthz HTTP/1.1\r\nHost: localhost\r\n\r\n"] },
    [TAKEN, HEALTHY],
    "open",
  ],
];

export const PIECES: readonly Case[] = [
  ["single bytes", { singly: HEALTH }, [HEALTHY], "open"],
  ["single bytes of a report", { singly: REPORT }, [TAKEN], "open"],
  [
    "single bytes of a body in chunks",
    { singly: post(CHUNKED, "2\r\n{}\r\n0\r\n\r\n", `${JOB}/complete`) },
    [COMPLETED],
    "open",
  ],
  ["lines cut before LF", ["GET /healthz HTTP/1.1\r", "\nHost: localhost\r", "\n\r", "\n"], [HEALTHY], "open"],
  ["a key cut in two", [`GET /api/v1/ping/jo`, "b/KEY HTTP/1.1\r\nHost: localhost\r\n\r\n"], [TAKEN], "open"],
  ["a body behind its head", [post("Content-Length: 3", ""), "abc"], [TAKEN], "open"],
  [
    "a length of a chunk cut in two",
    [post(CHUNKED, "0", `${JOB}/complete`), "2\r\n{", "}\r", "\n0\r\n\r", "\n"],
    [COMPLETED],
    "open",
  ],
];

export const HALF_CLOSED: readonly Case[] = [
  ["behind a request", { thenClosed: HEALTH }, [HEALTHY], "closed"],
  ["behind a report", { thenClosed: REPORT }, [TAKEN], "closed"],
  ["behind two requests", { thenClosed: HEALTH + HEALTH }, [HEALTHY, HEALTHY], "closed"],
  ["in a head", { thenClosed: "GET /healthz HTT" }, [], "closed"],
  ["in a chunk", { thenClosed: post(CHUNKED, "5\r\n{}", `${JOB}/complete`) }, [], "closed"],
  ["at once", { thenClosed: "" }, [], "closed"],
];
