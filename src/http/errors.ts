// Answers other than 200, from the table of refusals, with the one body they all have (R1), and how many there were
// (R33). Decides nothing; an unexpected error becomes a 500, and only the log has its details.

import Type from "typebox";
import { type Refusal, type RefusalCode, refuse, STATUS } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { RateExcess } from "../domain/rate-limit.ts";
import { DAMAGE_WORDS, isDamage, STORAGE_FAULT_WORDS, storageFaultOf } from "../domain/storage-fault.ts";
import { counted, durationInWords } from "../domain/wording/spoken-time.ts";
import { jsonAnswer, jsonHeaders } from "./answers.ts";
import { REFUSALS } from "./refusals.ts";
import { bodyOf, oneOf } from "./shapes.ts";

const CODES = Object.keys(REFUSALS) as RefusalCode[];

const ERROR = {
  error: oneOf(CODES),
  message: Type.String({ minLength: 1, description: "A sentence for people." }),
};

export const refused = bodyOf(Type.Object(ERROR))(({ refusal, message }: Refusal) => ({ error: refusal, message }));

/** With the seconds to wait, as the contract defines them (R33). */
export const rateExceeded = bodyOf(
  Type.Object({ ...ERROR, retry_after: Type.Integer({ minimum: 1, description: "Seconds, as in `Retry-After`." }) }),
)(({ limit, retryAfterSeconds, sender = "this key" }: RateExcess & { readonly sender?: string }) => {
  const allowed = `${counted(limit.most, "request")} in ${durationInWords(limit.span)} (${limit.setting})`;
  return {
    error: "RATE_LIMIT_EXCEEDED",
    message: `${sender} may send ${allowed}; the next one is taken in ${counted(retryAfterSeconds, "second")}`,
    retry_after: retryAfterSeconds,
  };
});

/** Made once: making them for every answer would cost more than the answer. */
const HEADERS: ReadonlyMap<RefusalCode, Headers> = new Map(
  CODES.map((code) => [code, jsonHeaders(REFUSALS[code].headers)]),
);

/** Of this process, since its start. */
const counts = Object.fromEntries(CODES.map((code) => [code, 0])) as Record<RefusalCode, number>;

/** How many answers of each code this process has given. */
export const refusalCounts = (): Readonly<Record<RefusalCode, number>> => ({ ...counts });

function counting(code: RefusalCode, body: object, headers: Headers): Response {
  counts[code]++;
  return jsonAnswer(STATUS[code], body, headers);
}

/** A refusal as an answer. 405 and 429 have their own functions: they name what is allowed, and when. */
export const refusalAnswer = (refusal: Refusal): Response =>
  counting(refusal.refusal, refused.of(refusal), HEADERS.get(refusal.refusal)!);

/** The same with headers of its own, for what takes other credentials than reports do. */
export const refusalWith = (refusal: Refusal, headers: Readonly<Record<string, string>>): Response =>
  counting(refusal.refusal, refused.of(refusal), jsonHeaders(headers));

/** 405; `allow` is the list of the `Allow` header, such as `GET, POST`. */
export function methodAnswer(method: string, allow: string): Response {
  const sentence = `${method} is not taken here, use ${allow.replaceAll(", ", " or ")}`;
  const body = refused.of(refuse("METHOD_NOT_ALLOWED", sentence));
  return counting("METHOD_NOT_ALLOWED", body, jsonHeaders({ allow }));
}

/** 429, with the seconds to wait in header and body (R33). `sender`: who may send no more; left out: this key. */
export const rateAnswer = (excess: RateExcess & { readonly sender?: string }): Response =>
  counting(
    "RATE_LIMIT_EXCEEDED",
    rateExceeded.of(excess),
    jsonHeaders({ "retry-after": String(excess.retryAfterSeconds) }),
  );

/** The source of an unexpected error, if known. */
interface RequestOrigin {
  readonly method: string;
  readonly client: string;
}

/**
 * A reporter of unexpected errors: the log gets everything, the caller a number to look for there, as 503 for storage
 * trouble and as 500 otherwise. Numbers count from the start of the process, which the log also shows.
 */
export function createReporter(log: Log): (error: unknown, origin: RequestOrigin | null) => Refusal {
  let number = 0;
  return (error, origin) => {
    number++;
    log("error", "request_failed", { number, ...origin, error });
    const fault = storageFaultOf(error);
    const words = isDamage(error) ? DAMAGE_WORDS : fault && STORAGE_FAULT_WORDS[fault];
    return words === null
      ? refuse("INTERNAL_ERROR", `an unexpected error; the log has it as number ${number}`)
      : refuse("STORAGE_UNAVAILABLE", `${words}; the log has the error as number ${number}`);
  };
}
