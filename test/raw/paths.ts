// Raw paths and queries, as no URL library would send them (R5, R7).

import {
  CONTROL,
  error,
  HEALTHY,
  invalid,
  invalidSchedule,
  NO_KEY,
  NO_SUCH_OPERATION,
  NO_SUCH_PATH,
  NOT_UTF8,
  noMonitor,
  STARTED,
  TAKEN,
} from "./answers.ts";
import type { Case } from "./conversation.ts";

const JOB = "/api/v1/ping/job/KEY";
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
/** The target is the title. */
const row = (target: string, answer: string): Case => [target.replace(/a{9,}/, "a…"), get(target), [answer], "open"];

const DOTS = invalid(
  'monitor_key: "." and ".." mean a place in a path and are taken out of it on the way, no segment may be one of them',
);

const DOUBLED = error(
  "404 Not Found",
  "NOT_FOUND",
  "the path begins with two slashes: rollcall's address must not end with one",
);

export const SEGMENTS: readonly Case[] = [
  row(`${JOB}/`, TAKEN),
  row(`${JOB}//`, NO_SUCH_OPERATION),
  row("/api/v1//ping/job/KEY", NO_SUCH_PATH),
  row("//api/v1/ping/job/KEY", DOUBLED),
  row("/api/v1/ping//KEY", invalid("monitor_key: it is empty, 1 to 200 characters are needed")),
  row("/API/v1/ping/job/KEY", NO_SUCH_PATH),
  row("/api/V1/ping/job/KEY", NO_SUCH_PATH),
  row("/api/v2/ping/job/KEY", NO_SUCH_PATH),
  row("/api/v1/ping", NO_SUCH_PATH),
  row("/api/v1/ping/", NO_SUCH_PATH),
  row("/ping/", NO_SUCH_PATH),
  row(`${JOB}/Start`, NO_SUCH_OPERATION),
  row("/api/v1/ping/run/KEY/%73tart", STARTED),
  row("/api/v1/ping/run/KEY/start/", STARTED),
  row(`${JOB}/start/x`, NO_SUCH_OPERATION),
  row(`${JOB}/256`, NO_SUCH_OPERATION),
  row(`${JOB}/01`, NO_SUCH_OPERATION),
  row(`${JOB}/-1`, NO_SUCH_OPERATION),
  row(`${JOB};x`, NO_KEY),
  row("/api/v1/ping/job;a=b/KEY", noMonitor("job;a=b")),
  row("/api/v1\\ping/job/KEY", NO_SUCH_PATH),
  row("/api/v1/ping/job\\/KEY", DOTS),
  row(
    `/api/v1/ping/${"a".repeat(201)}/KEY`,
    invalid("monitor_key: it is longer than 200 characters, the most it may have"),
  ),
  row("/healthz/", HEALTHY),
  row("/healthz?x", HEALTHY),
  row("/healthz%20", NO_SUCH_PATH),
  row("/%68ealthz", NO_SUCH_PATH),
];

export const DOT_SEGMENTS: readonly Case[] = [
  row("/api/v1/ping/./KEY", DOTS),
  row("/api/v1/ping/../KEY", DOTS),
  row("/api/v1/ping/%2e%2e/KEY", DOTS),
  row("/api/v1/ping/%2E/KEY", DOTS),
  row("/api/v1/ping/job/./KEY", DOTS),
  row("/api/v1/ping/job/x/../KEY", DOTS),
  row(`${JOB}/.`, DOTS),
  row(`${JOB}/..`, DOTS),
  row(`${JOB}/start/..`, DOTS),
  row("/api/v1/../v1/ping/job/KEY", NO_SUCH_PATH),
  row("/../api/v1/ping/job/KEY", NO_SUCH_PATH),
  row("/./api/v1/ping/job/KEY", NO_SUCH_PATH),
  row("/x/../healthz", HEALTHY),
  row("/healthz/.", HEALTHY),
  row("/healthz/..", NO_SUCH_PATH),
];

export const ESCAPES: readonly Case[] = [
  row("/api/v1/ping/%6aob/KEY", TAKEN),
  row("/api/v1/ping/job%2Fa/KEY", noMonitor("job/a")),
  row("/api/v1/ping/job%252Fa/KEY", noMonitor("job%2Fa")),
  row("/api/v1/ping/%C3%A4/KEY", noMonitor("\xc3\xa4")),
  row("/api/v1/ping/\xc3\xa4/KEY", noMonitor("\xc3\xa4")),
  row("/api/v1/ping/job%/KEY", NOT_UTF8),
  row("/api/v1/ping/job%2/KEY", NOT_UTF8),
  row("/api/v1/ping/job%zz/KEY", NOT_UTF8),
  row("/api/v1/ping/%ff/KEY", NOT_UTF8),
  row("/api/v1/ping/%c0%af/KEY", NOT_UTF8),
  row("/api/v1/ping/%ed%a0%80/KEY", NOT_UTF8),
  row("/api/v1/ping/%EF%BF%BD/KEY", NOT_UTF8),
  row("/api/v1/ping/\xff/KEY", NOT_UTF8),
  row("/api/v1/ping/%00/KEY", CONTROL),
  row("/api/v1/ping/job%0a/KEY", CONTROL),
  row("/api/v1/ping/job%7f/KEY", CONTROL),
  row("/api/v1/ping/job%c2%85/KEY", CONTROL),
];

const notWhole = (text: string): string =>
  invalid(`attempt: ${JSON.stringify(text)} is not a whole number, write 1 to 9 digits, at least 0`);
const BROKEN = invalid("attempt: its percent-encoding is broken, it must encode UTF-8 text");

export const QUERIES: readonly Case[] = [
  row(`${JOB}?`, TAKEN),
  row(`${JOB}?&&&`, TAKEN),
  row(`${JOB}?=`, TAKEN),
  row(`${JOB}?a=b?c=d/e`, TAKEN),
  row(`${JOB}?[x]={y}|^\`"<>`, TAKEN),
  row(`${JOB}?x=%ff`, TAKEN),
  row(`${JOB}?attempt=1&attempt=2`, TAKEN),
  row(`${JOB}?attempt=x&attempt=2`, TAKEN),
  row(`${JOB}?attempt=2&attempt=x`, notWhole("x")),
  row(`${JOB}?attempt=%31`, TAKEN),
  row(`${JOB}?%61ttempt=x`, notWhole("x")),
  row(`${JOB}?attempt=+1`, notWhole(" 1")),
  row(`${JOB}?attempt=1#fragment`, notWhole("1#fragment")),
  row(`${JOB}?attempt=%`, BROKEN),
  row(`${JOB}?attempt=%zz`, BROKEN),
  row(`${JOB}?run_id=%00`, invalid("run_id: it has a control character, which it may not have")),
  row(`${JOB}?name=%ff`, invalid("name: its percent-encoding is broken, it must encode UTF-8 text")),
  row(`${JOB}?schedule=0%203%20*%20*%20*`, TAKEN),
  row(
    `${JOB}?schedule=0%2B3+*+*+*`,
    invalidSchedule('"0+3 * * *" has 4 fields, version 1 takes five (minute, hour, day of month, month, day of week)'),
  ),
];
