// Answers other than 200: the only table from refusal codes to HTTP statuses, and the one body all of them have (R1).
// It must not decide anything; unexpected errors become a 500 here whose details are in the log alone.

import { type Refusal, type RefusalCode, refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { STORAGE_FAULT_WORDS, storageFaultOf } from "../domain/storage-fault.ts";
import { counted, durationInWords } from "../domain/wording/spoken-time.ts";
import { jsonAnswer, jsonHeaders } from "./answers.ts";
import type { RateExcess } from "./api/throttle.ts";

/** Body of every error. */
interface ErrorBody {
  readonly error: string;
  /** A sentence for people. */
  readonly message: string;
}

/** The HTTP status of each code. */
export const STATUS: Readonly<Record<RefusalCode, number>> = {
  INVALID_SCHEDULE: 400,
  INVALID_REQUEST: 400,
  AUTHENTICATION_REQUIRED: 401,
  PLAN_LIMIT_REACHED: 402,
  ACCESS_DENIED: 403,
  HTTPS_REQUIRED: 403,
  MONITOR_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  STORAGE_UNAVAILABLE: 503,
};

const STORAGE_RETRY_SECONDS = 5;

const NO_MORE = jsonHeaders();
const MORE: Partial<Record<RefusalCode, Headers>> = {
  // Some clients send their credentials only when they are asked for them.
  AUTHENTICATION_REQUIRED: jsonHeaders({ "www-authenticate": 'Basic realm="rollcall"' }),
  STORAGE_UNAVAILABLE: jsonHeaders({ "retry-after": String(STORAGE_RETRY_SECONDS) }),
};

const errorBody = (refusal: Refusal): ErrorBody => ({ error: refusal.refusal, message: refusal.message });

/** A refusal as an answer. 405 and 429 have their own functions: they name what is allowed, and when. */
export const refusalAnswer = (refusal: Refusal): Response =>
  jsonAnswer(STATUS[refusal.refusal], errorBody(refusal), MORE[refusal.refusal] ?? NO_MORE);

/** 405; `allow` is the list of the `Allow` header, such as `GET, POST`. */
export const methodAnswer = (method: string, allow: string): Response =>
  jsonAnswer(
    STATUS.METHOD_NOT_ALLOWED,
    { error: "METHOD_NOT_ALLOWED", message: `${method} is not taken here, use ${allow.replaceAll(", ", " or ")}` },
    jsonHeaders({ allow }),
  );

/** 429, with the seconds to wait in header and body as the contract has them (R33). */
export function rateAnswer({ limit, retryAfterSeconds }: RateExcess): Response {
  const allowed = `${counted(limit.most, "request")} in ${durationInWords(limit.span)} (${limit.setting})`;
  const body: ErrorBody & { readonly retry_after: number } = {
    error: "RATE_LIMIT_EXCEEDED",
    message: `this key may send ${allowed}; the next one is taken in ${counted(retryAfterSeconds, "second")}`,
    retry_after: retryAfterSeconds,
  };
  return jsonAnswer(STATUS.RATE_LIMIT_EXCEEDED, body, jsonHeaders({ "retry-after": String(retryAfterSeconds) }));
}

/** Where an unexpected error came from, as far as that is known. */
interface Origin {
  readonly method: string;
  readonly client: string;
}

/**
 * A reporter of errors nobody expected: the log gets everything, the caller the number to look for there, with 503 when
 * the disk is the trouble and 500 otherwise. Numbers count from the start of the process, which is a line of the log
 * too.
 */
export function createReporter(log: Log): (error: unknown, origin: Origin | null) => Response {
  let number = 0;
  return (error, origin) => {
    number++;
    log("error", "request_failed", { number, ...origin, error });
    const fault = storageFaultOf(error);
    const refusal =
      fault === null
        ? refuse("INTERNAL_ERROR", `an unexpected error; the log has it as number ${number}`)
        : refuse("STORAGE_UNAVAILABLE", `${STORAGE_FAULT_WORDS[fault]}; the log has the error as number ${number}`);
    return refusalAnswer(refusal);
  };
}
