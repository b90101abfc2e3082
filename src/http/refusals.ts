// Every refusal code once: the headers of its answer, and its words in the OpenAPI document. Its status stands beside
// the codes (R1); decides nothing.

import type { RefusalCode } from "../domain/errors.ts";

interface RefusalRow {
  /** For the document: the rest of a sentence that begins with the code. */
  readonly when: string;
  /** For the document: an example message. */
  readonly example: string;
  /** In addition to every answer's headers; 405 and 429 set their own values. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const REFUSALS: Readonly<Record<RefusalCode, RefusalRow>> = {
  INVALID_SCHEDULE: {
    when: "the cron expression is malformed or never comes true",
    example: 'schedule: hour field "25" is out of range, 0-23 are taken',
  },
  INVALID_REQUEST: {
    when: "anything else is malformed; the message names the field, what is wrong with it and the rule",
    example: "gracePeriod: 30 is too small, it must be at least 60",
  },
  AUTHENTICATION_REQUIRED: {
    when: "the API key is missing, malformed, unknown or revoked",
    example: "a valid API key is required",
    // Some clients send credentials only after the server asks for them.
    headers: { "www-authenticate": 'Basic realm="rollcall"' },
  },
  PLAN_LIMIT_REACHED: {
    when: "the application has no capacity for another active monitor; those that exist go on",
    example: "the application has as many active monitors as it may have",
  },
  ACCESS_DENIED: {
    when: "the key is valid and may not do this, or the request says that it is a prefetch",
    example: 'this key has the scope "sync", telemetry takes keys of the scopes "all" and "ping"',
  },
  HTTPS_REQUIRED: {
    when: "the request came over plain HTTP, which is not accepted",
    example: "plain HTTP is not accepted here, send the request over HTTPS",
  },
  MONITOR_NOT_FOUND: {
    when: "there is no such monitor, and the request carries neither a schedule nor every to create it",
    example:
      'monitor "nightly-backup" does not exist in application "prod"; a report that carries a schedule, or every, creates it',
  },
  NOT_FOUND: { when: "there is no such path", example: "there is no such path" },
  METHOD_NOT_ALLOWED: {
    when: "the path takes other methods, which `Allow` names; nothing was changed",
    example: "PUT is not taken here, use GET or POST",
    headers: { allow: "GET, POST" },
  },
  PAYLOAD_TOO_LARGE: {
    when: "the body is too large; nothing was recorded",
    example: "body: it is larger than 16384 bytes, the most it may have",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "the body is not of a media type that is read",
    example: "content-type: a registry is sent as application/json",
  },
  RATE_LIMIT_EXCEEDED: {
    when: "the key has sent more requests than the limit allows; retry after the stated time, with growing pauses",
    example: "this key may send 60 requests in 1 minute (limits.v1_per_minute); the next one is taken in 17 seconds",
    headers: { "retry-after": "17" },
  },
  INTERNAL_ERROR: {
    when: "something unexpected happened; retry with growing pauses",
    example: "an unexpected error; the log has it as number 1",
  },
  STORAGE_UNAVAILABLE: {
    when: "nothing could be written, and nothing was recorded; retry",
    example: "the database cannot be written; the log has the error as number 1",
    headers: { "retry-after": "5" },
  },
};
