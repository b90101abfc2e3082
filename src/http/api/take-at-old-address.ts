// A report at an address of another service (R45), once it is known whose it is: read as that service reads it, and taken in
// the order in which every report is.

import { isRefusal } from "../../domain/errors.ts";
import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import type { OldAddress } from "../../domain/old-address.ts";
import { DAY, HOUR, SECOND } from "../../domain/time.ts";
import type { Caller } from "../../engine/api.ts";
import type { Engine } from "../../engine/parts.ts";
import { methodAnswer, rateAnswer, refusalAnswer } from "../errors.ts";
import type { Convention } from "./old-conventions.ts";
import { readTarget } from "./paths.ts";
import { checkPairs, splitQuery } from "./query.ts";
import { under, withLog } from "./read-fail.ts";
import { plainPing } from "./read-ping.ts";
import { beyondLimit, ingest, isPrefetch, REFUSED_PREFETCH, reject } from "./taking.ts";
import { cutTo } from "./text.ts";
import type { Throttle } from "./throttle.ts";

/** All that clients of both services use. */
const METHODS = "GET, HEAD, POST, PUT";
const TAKEN = new Set(METHODS.split(", "));

/** What Healthchecks gives a check that a report creates (R44). */
const CREATED = { everySeconds: DAY / SECOND, graceSeconds: HOUR / SECOND };

/** Where a report goes that an address takes. */
export interface Place {
  readonly caller: Caller;
  readonly monitorKey: string;
  /** The address of the monitor that it may create; null: it creates none. */
  readonly creates: OldAddress | null;
}

interface Taking {
  readonly engine: Engine;
  readonly throttle: Throttle;
  readonly place: Place;
  readonly convention: Convention;
  /** The end of the path. */
  readonly action: string;
}

export function takeAtOldAddress(
  { engine, throttle, place: { caller, monitorKey, creates }, convention, action }: Taking,
  request: Request,
  client: () => string,
): Response | Promise<Response> {
  const { method, headers } = request;
  if (!TAKEN.has(method)) return methodAnswer(method, METHODS);
  if (method === "GET" && isPrefetch(headers)) return refusalAnswer(REFUSED_PREFETCH);
  const excess = throttle(caller);
  engine.heardFrom(caller, monitorKey, { client, headers });
  const { query } = readTarget(request.url);
  const said = checkPairs(query) ?? convention.read(action, splitQuery(query));
  if (isRefusal(said))
    return excess === null ? reject(engine, { caller, monitorKey, kind: null }, said) : rateAnswer(excess);
  const { operation, runId, message } = said;
  const isNew = creates !== null && engine.monitorId(caller.application, monitorKey) === null;
  const rules = operation.kind === "fail" ? engine.outputRules(caller) : null;
  const plain = plainPing(
    caller,
    { monitorKey, operation },
    { runId, message: message && cutTo(message, MESSAGE_LENGTH), ...(isNew ? CREATED : {}) },
  );
  const ping = rules === null ? plain : under(rules, { ...plain, message });
  if (excess !== null) return beyondLimit(engine, ping, excess);
  const accepted = (): Response => {
    if (creates !== null) engine.keepAddress(caller, creates, monitorKey);
    return convention.accepted(isNew);
  };
  // A body is never too large here: its clients post whole logs, and a refused failure would be a lost one.
  const takes = rules?.keep && convention.bodyIsOutput && method !== "GET" && method !== "HEAD";
  return takes
    ? withLog(ping, rules, request).then((whole) => ingest(engine, whole, accepted))
    : ingest(engine, ping, accepted);
}
