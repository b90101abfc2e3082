// Bulk sync and sync status of a version: from a request to a registry and from its report to an answer, in a straight
// line. It must not know what a registry means.

import { isRefusal, refuse } from "../../domain/errors.ts";
import { SYNC_BODY_BYTES } from "../../domain/limits.ts";
import { RAISE_LIMIT, type RateLimit, tooSmall } from "../../domain/rate-limit.ts";
import type { Caller } from "../../engine/api.ts";
import { okAnswer } from "../answers.ts";
import { methodAnswer, rateAnswer, refusalAnswer } from "../errors.ts";
import { type Answered, type Handler, type Routes, withSlash } from "../handler.ts";
import type { AnswerInPieces } from "../in-pieces.ts";
import { authenticate, checkScope, type Gate } from "./auth.ts";
import { isJson, readBody } from "./body.ts";
import { syncStatusInPieces } from "./sync-answers.ts";
import { readRegistry } from "./sync-body.ts";
import type { Throttle } from "./throttle.ts";

const NOT_JSON = refuse("UNSUPPORTED_MEDIA_TYPE", "content-type: a registry is sent as application/json");

/** The two paths of a version, each with and without a last slash (R5). `rateLimits`: those of its reports. */
export function syncRoutes(
  gate: Gate,
  /** Each operation has its own limit, which all versions share: a client that looks often may still sync. */
  throttles: { readonly sync: Throttle; readonly status: Throttle },
  rateLimits: readonly RateLimit[],
  inPieces: AnswerInPieces,
): Routes {
  const { version, engine } = gate;
  /** The checks before either: 405, 401 or 403, and 429. */
  const admit =
    (method: string, throttle: Throttle, answer: (caller: Caller, request: Request) => Answered): Handler =>
    (request, client) => {
      if (request.method !== method) return methodAnswer(request.method, method);
      const caller = authenticate(gate, { pathKey: null, headers: request.headers, client });
      if (isRefusal(caller)) return refusalAnswer(caller);
      const denied = checkScope(caller, "sync");
      if (denied !== null) return refusalAnswer(denied);
      engine.intake.heardFrom(caller, null, { client, headers: request.headers });
      const excess = throttle(caller);
      return excess === null ? answer(caller, request) : rateAnswer(excess);
    };

  async function sync(caller: Caller, request: Request): Promise<Response> {
    if (!isJson(request.headers.get("content-type"))) return refusalAnswer(NOT_JSON);
    const bytes = await readBody(request, SYNC_BODY_BYTES);
    const registry = isRefusal(bytes) ? bytes : readRegistry(bytes, version);
    if (isRefusal(registry)) return refusalAnswer(registry);
    const report = engine.intake.sync(caller, registry);
    const small = tooSmall(rateLimits, engine.intake.rhythmsOf(caller.applicationId));
    const warning = small === null ? null : `${small.setting}: ${small.words}; ${RAISE_LIMIT}`;
    return okAnswer(version.synced.of({ ...report, warning }));
  }

  const status = (caller: Caller): Response =>
    inPieces(syncStatusInPieces(engine.views.syncStatus(caller.application)));

  return {
    ...withSlash(version.syncPath, admit("POST", throttles.sync, sync)),
    ...withSlash(`${version.syncPath}/status`, admit("GET", throttles.status, status)),
  };
}
