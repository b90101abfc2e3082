// What becomes of a report once it is read: it is recorded, or refused and remembered for people (R26, R33).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { RateExcess } from "../../domain/rate-limit.ts";
import { aboutMisplaced } from "../../domain/wording/warning.ts";
import type { Ping, Receipt, RefusedPing } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import { rateResponse, refusalResponse } from "../error-responses.ts";
import { beforeParameters } from "./read-text.ts";

/** Refusals for faults of rollcall, which are not faults of the report. */
export const OURS: ReadonlySet<Refusal["refusal"]> = new Set(["INTERNAL_ERROR", "STORAGE_UNAVAILABLE"]);

/**
 * Records a report, and answers once it is on disk. `accepted` makes the response, or repeats the one that was given
 * before.
 */
export const recordReport = (
  engine: Engine,
  ping: Ping,
  accepted: (taken: Receipt | { readonly text: string }) => Response,
): Promise<Response> =>
  engine.intake.ingest(ping).then((taken) => {
    if (!isRefusal(taken)) return accepted(taken);
    if (OURS.has(taken.refusal)) return refusalResponse(taken);
    const misplaced = aboutMisplaced(ping.lookalikes);
    return reject(engine, ping, misplaced === null ? taken : { ...taken, message: `${taken.message}. ${misplaced}` });
  });

/** Records a refused report for people (R33), who are told more than the caller, and answers it. */
export function reject(
  engine: Engine,
  { caller, monitorKey, kind }: Omit<RefusedPing, "refusal">,
  refusal: Refusal,
  told = refusal,
): Response {
  engine.intake.refused({ caller, monitorKey, kind, refusal: told });
  return refusalResponse(refusal);
}

/** Answers a report that a rate limit refused. It is remembered, because it also shows life (R26). */
export function beyondLimit(engine: Engine, ping: Ping, excess: RateExcess): Response {
  engine.intake.rateLimited(ping, excess.limit.setting);
  return rateResponse(excess);
}

/** The refusal of a prefetch (R8): a browser may load an address before a person has decided to open it. */
export const REFUSED_PREFETCH = refuse("ACCESS_DENIED", "a prefetch reports nothing, request it for real");

export const isPrefetch = (headers: Headers): boolean =>
  saysPrefetch(headers.get("purpose")) || saysPrefetch(headers.get("sec-purpose"));

/** Whether a `Sec-Purpose` header says prefetch. It may continue after a semicolon: `prefetch;prerender`. */
const saysPrefetch = (purpose: string | null): boolean => purpose !== null && beforeParameters(purpose) === "prefetch";
