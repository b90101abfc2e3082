// Makes the responses that refuse a request (R1), with the headers and words of each error code, and counts how many
// were sent (R33).

import Type from "typebox";
import { type Refusal, type RefusalCode, refuse, STATUS } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { RateExcess } from "../domain/rate-limit.ts";
import { DAMAGE_WORDS, isDamage, STORAGE_FAULT_WORDS, storageFaultOf } from "../domain/storage-fault.ts";
import { counted, durationInWords } from "../domain/wording/spoken-time.ts";
import { jsonHeaders, responseOf } from "./json-responses.ts";
import { oneOfShape, responseBodyShape } from "./json-shapes.ts";

interface RefusalRow {
  readonly when: string;
  readonly example: string;
  /**
   * Headers beside those that every response has. The values of `allow` (405) and of `retry-after` (429) are examples:
   * they are set for each response.
   */
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
    // Some clients send credentials only after a response has asked for them by this header.
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
    example:
      "plain HTTP is not accepted here, send the request over HTTPS; who runs this rollcall may take it by server.plain_http",
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

const CODES = Object.keys(REFUSALS) as RefusalCode[];

const ERROR = {
  error: oneOfShape(CODES),
  message: Type.String({ minLength: 1, description: "A sentence for people." }),
};

export const refused = responseBodyShape(Type.Object(ERROR))(({ refusal, message }: Refusal) => ({
  error: refusal,
  message,
}));

export const rateExceeded = responseBodyShape(
  Type.Object({ ...ERROR, retry_after: Type.Integer({ minimum: 1, description: "Seconds, as in `Retry-After`." }) }),
)(({ limit, retryAfterSeconds, sender = "this key" }: RateExcess & { readonly sender?: string }) => {
  const allowed = `${counted(limit.most, "request")} in ${durationInWords(limit.span)} (${limit.setting})`;
  return {
    error: "RATE_LIMIT_EXCEEDED",
    message: `${sender} may send ${allowed}; the next one is taken in ${counted(retryAfterSeconds, "second")}`,
    retry_after: retryAfterSeconds,
  };
});

/**
 * The headers of each error code. They are made once, because making them for every response would cost more than the
 * rest of the response.
 */
const HEADERS: ReadonlyMap<RefusalCode, Headers> = new Map(
  CODES.map((code) => [code, jsonHeaders(REFUSALS[code].headers)]),
);

const counts = Object.fromEntries(CODES.map((code) => [code, 0])) as Record<RefusalCode, number>;

export const refusalCounts = (): Readonly<Record<RefusalCode, number>> => ({ ...counts });

function counting(code: RefusalCode, body: object, headers: Headers): Response {
  counts[code]++;
  return responseOf(STATUS[code], body, headers);
}

/**
 * Makes the response of a refusal. For 405 and 429 there are `methodResponse` and `rateResponse`, because their headers
 * differ from response to response.
 */
export const refusalResponse = (refusal: Refusal): Response =>
  counting(refusal.refusal, refused.of(refusal), HEADERS.get(refusal.refusal)!);

/**
 * Makes the response of a refusal with these headers instead of those of its code. Paths that take other credentials
 * than the paths of reports need other headers.
 */
export const refusalWith = (refusal: Refusal, headers: Readonly<Record<string, string>>): Response =>
  counting(refusal.refusal, refused.of(refusal), jsonHeaders(headers));

/** Answers 405. `allow` is the list of the `Allow` header, such as `GET, POST`. */
export function methodResponse(method: string, allow: string): Response {
  const sentence = `${method} is not taken here, use ${allow.replaceAll(", ", " or ")}`;
  const body = refused.of(refuse("METHOD_NOT_ALLOWED", sentence));
  return counting("METHOD_NOT_ALLOWED", body, jsonHeaders({ allow }));
}

/**
 * Answers 429 with the seconds to wait, in a header and in the body (R33). `sender` says in words who sent too many
 * requests; without it the words are "this key".
 */
export const rateResponse = (excess: RateExcess & { readonly sender?: string }): Response =>
  counting(
    "RATE_LIMIT_EXCEEDED",
    rateExceeded.of(excess),
    jsonHeaders({ "retry-after": String(excess.retryAfterSeconds) }),
  );

/**
 * Makes a function that logs an unexpected error and returns the refusal for it: 503 when the storage failed, otherwise
 * 500. The caller learns only a number, by which the error is found in the log. The numbers begin again with each start
 * of the process.
 */
export function createErrorReporter(log: Log) {
  let number = 0;
  return (error: unknown, origin: { readonly method: string; readonly client: string } | null): Refusal => {
    number++;
    log("error", "request_failed", { number, ...origin, error });
    const fault = storageFaultOf(error);
    const words = isDamage(error) ? DAMAGE_WORDS : fault && STORAGE_FAULT_WORDS[fault];
    return words === null
      ? refuse("INTERNAL_ERROR", `an unexpected error; the log has it as number ${number}`)
      : refuse("STORAGE_UNAVAILABLE", `${words}; the log has the error as number ${number}`);
  };
}
