// Records a report that was read, or refuses it and notes the refusal for people (R26, R33).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { RateExcess } from "../../domain/rate-limit.ts";
import { aboutMisplaced } from "../../domain/wording/warning.ts";
import type { Ping, Receipt, RefusedPing } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import { beforeParameters } from "../body.ts";
import { rateResponse, refusalResponse } from "../error-responses.ts";

/** Refusals for faults of rollcall, which are not faults of the report. */
export const OURS: ReadonlySet<Refusal["refusal"]> = new Set(["INTERNAL_ERROR", "STORAGE_UNAVAILABLE"]);

/**
 * Records a report, and answers once it is on disk. `accepted` makes the response: from the receipt, or from the text
 * with which an earlier report of the same idempotency key was answered.
 */
export const answerReport = (
  engine: Engine,
  ping: Ping,
  accepted: (taken: Receipt | { readonly text: string }) => Response,
): Promise<Response> =>
  engine.intake.ingest(ping).then((taken) => {
    if (!isRefusal(taken)) return accepted(taken);
    if (OURS.has(taken.refusal)) return refusalResponse(taken);
    const misplaced = aboutMisplaced(ping.lookalikes);
    return refuseAndNote(
      engine,
      ping,
      misplaced === null ? taken : { ...taken, message: `${taken.message}. ${misplaced}` },
    );
  });

/**
 * Notes a refused report for people (R33), and answers the caller. `told` is what people read, when that is more than
 * the caller may learn.
 */
export function refuseAndNote(
  engine: Engine,
  { caller, monitorKey, kind }: Omit<RefusedPing, "refusal">,
  refusal: Refusal,
  told = refusal,
): Response {
  engine.intake.refused({ caller, monitorKey, kind, refusal: told });
  return refusalResponse(refusal);
}

/**
 * Answers 429 to a report beyond a rate limit. The report is noted nevertheless, because it shows that the job runs
 * (R26).
 */
export function beyondLimit(engine: Engine, ping: Ping, excess: RateExcess): Response {
  engine.intake.rateLimited(ping, excess.limit.setting);
  return rateResponse(excess);
}

/**
 * The refusal of a prefetch (R8): a browser may load an address before a person has decided to open it, and such a load
 * reports nothing.
 */
export const REFUSED_PREFETCH = refuse("ACCESS_DENIED", "a prefetch reports nothing, request it for real");

export const isPrefetchedReport = (headers: Headers): boolean =>
  saysPrefetch(headers.get("purpose")) || saysPrefetch(headers.get("sec-purpose"));

/**
 * Whether a header `Purpose` or `Sec-Purpose` says prefetch. It may continue after a semicolon: `prefetch;prerender`.
 */
const saysPrefetch = (purpose: string | null): boolean => purpose !== null && beforeParameters(purpose) === "prefetch";
