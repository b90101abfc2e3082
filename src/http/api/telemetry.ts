// The telemetry operations of a version: from a request to a Ping and from its receipt to an answer, in a straight
// line. It must not know what a ping means, and does nothing that a ping without query and body does not need.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { COMPLETE_BODY_BYTES, IGNORED_BODY_BYTES } from "../../domain/limits.ts";
import type { RateExcess } from "../../domain/rate-limit.ts";
import type { Ping, Rejected } from "../../engine/api.ts";
import type { Engine } from "../../engine/parts.ts";
import { okText } from "../answers.ts";
import { methodAnswer, rateAnswer, refusalAnswer } from "../errors.ts";
import type { Handler, Routes } from "../handler.ts";
import { authenticate, checkScope, identify } from "./auth.ts";
import { checkIgnoredBody, readBody } from "./body.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import { isJson } from "./json-body.ts";
import type { TelemetryOperation } from "./operations.ts";
import { readOutcomes } from "./outcomes.ts";
import { REFUSED_DOTS, readAddress, readAnyway, readTarget, SEGMENTS_MAX } from "./paths.ts";
import { createPingReader, type ReadPing } from "./read-ping.ts";
import { textOf } from "./receipts.ts";
import { beforeParameters, cutTo } from "./text.ts";
import type { Throttle } from "./throttle.ts";
import type { Version } from "./versions.ts";

const METHODS = "GET, POST";

interface TelemetryParts {
  readonly version: Version;
  readonly engine: Engine;
  /** Called once for each request with a known caller. */
  readonly throttle: Throttle;
  /** Called for each request without one. */
  readonly noteFailure: NoteFailure;
}

/** What answers a version's requests. */
interface Telemetry extends TelemetryParts {
  readonly readPing: ReadPing;
}

/** R8: a browser may prefetch before a person has decided to ask. */
const REFUSED_PREFETCH = refuse("ACCESS_DENIED", "a prefetch reports nothing, request it for real");

/**
 * Routes of one version's telemetry, as patterns of the raw path, one for each number of segments with and without a
 * final slash. The server matches what was sent, but a handler reads the path without `.` and `..`; the number tells
 * the handler that they were there.
 */
export function telemetryRoutes(parts: TelemetryParts): Routes {
  const { version } = parts;
  const telemetry: Telemetry = { ...parts, readPing: createPingReader(version) };
  const routes: Record<string, Handler> = {};
  let pattern = version.prefix;
  for (let sent = 1; sent <= SEGMENTS_MAX; sent++) {
    pattern += `:segment${sent}`;
    const handle: Handler = (request, client) => answer(telemetry, request, client, sent);
    routes[pattern] = handle;
    pattern += "/";
    routes[pattern] = handle;
  }
  routes[`${version.prefix}*`] = (request, client) => answer(telemetry, request, client, null);
  return routes;
}

function answer(
  telemetry: Telemetry,
  request: Request,
  client: () => string,
  sent: number | null,
): Response | Promise<Response> {
  const { version, engine, throttle, readPing } = telemetry;
  const { method, headers } = request;
  const { path, query } = readTarget(request.url);
  // Only `..` can have led away from the path by which this request was routed.
  if (!path.startsWith(version.prefix)) return refusalAnswer(REFUSED_DOTS);
  const tail = path.slice(version.prefix.length);
  const address = readAddress(tail, sent, headers);
  if (isRefusal(address)) return misaddressed(telemetry, request, tail, address);
  const { monitorKey, operation, pathKey } = address;

  if (method !== "GET" && method !== "POST") return methodAnswer(method, METHODS);
  if (method === "GET" && isPrefetch(headers)) return refusalAnswer(REFUSED_PREFETCH);

  const caller = authenticate(telemetry, { pathKey, headers, client });
  if (isRefusal(caller)) return refusalAnswer(caller);
  const report = { caller, monitorKey, kind: operation.kind };
  const denied = checkScope(caller, "ping");
  if (denied !== null) return reject(engine, report, denied);
  // Every request of a key counts, whatever it asks: a job that sends nonsense in a loop is also in a loop.
  const excess = throttle(caller);
  engine.heardFrom(caller, monitorKey, { client, headers });
  const ping = readPing(caller, address, query, headers);
  if (isRefusal(ping)) return excess === null ? reject(engine, report, ping) : rateAnswer(excess);

  if (excess !== null) return beyondLimit(engine, ping, excess);
  // A GET never has a body here: the server drops it.
  return method === "GET" ? ingest(version, engine, ping) : ingestBehindBody(version, engine, ping, request, operation);
}

/** A refused report also shows life (R26). */
function beyondLimit(engine: Engine, ping: Ping, excess: RateExcess): Response {
  engine.rateLimited(ping, excess.limit.setting);
  return rateAnswer(excess);
}

/** The answer to a report that is refused because something is wrong with it; records it for people (R33). */
function reject(engine: Engine, report: Omit<Rejected, "refusal">, refusal: Refusal, path?: string): Response {
  const { caller, monitorKey, kind } = report;
  engine.rejected({ caller, monitorKey, kind, refusal: path === undefined ? refusal : withPath(refusal, path) });
  return refusalAnswer(refusal);
}

const PATH_SHOWN = 200;

/** The caller knows its request; a person who reads the list does not. */
const withPath = (refusal: Refusal, path: string): Refusal => ({
  ...refusal,
  message: `${refusal.message} (${cutTo(path, PATH_SHOWN)})`,
});

/** The path is wrong, so authentication was not needed. But with a live key in it, a job's report is lost. */
function misaddressed(telemetry: Telemetry, request: Request, tail: string, refusal: Refusal): Response {
  const { method, headers } = request;
  if (method !== "GET" && method !== "POST") return refusalAnswer(refusal);
  const { monitorKey, pathKey } = readAnyway(tail);
  const caller = identify(telemetry, { pathKey, headers });
  return isRefusal(caller)
    ? refusalAnswer(refusal)
    : reject(telemetry.engine, { caller, monitorKey, kind: null }, refusal, tail);
}

/** Our own faults are not faults of the report. */
const OURS: ReadonlySet<Refusal["refusal"]> = new Set(["INTERNAL_ERROR", "STORAGE_UNAVAILABLE"]);

const ingest = (version: Version, engine: Engine, ping: Ping): Promise<Response> =>
  engine.ingest(ping).then((answer) => {
    if (isRefusal(answer)) return OURS.has(answer.refusal) ? refusalAnswer(answer) : reject(engine, ping, answer);
    return okText("text" in answer ? answer.text : textOf(version.receipts)(answer));
  });

/** R9: a refused body refuses the ping, so we check it before we record anything. */
function ingestBehindBody(
  version: Version,
  engine: Engine,
  ping: Ping,
  request: Request,
  operation: TelemetryOperation,
): Response | Promise<Response> {
  if (operation.takesOutcomes && isJson(request.headers.get("content-type"))) {
    return ingestWithOutcomes(version, engine, ping, request);
  }
  const answer = (refusal: Refusal | null): Response | Promise<Response> =>
    refusal === null ? ingest(version, engine, ping) : reject(engine, ping, refusal);
  const refusal = checkIgnoredBody(request, IGNORED_BODY_BYTES);
  return refusal instanceof Promise ? refusal.then(answer) : answer(refusal);
}

async function ingestWithOutcomes(version: Version, engine: Engine, ping: Ping, request: Request): Promise<Response> {
  const bytes = await readBody(request, COMPLETE_BODY_BYTES);
  const outcomes = isRefusal(bytes) ? bytes : readOutcomes(bytes);
  return isRefusal(outcomes) ? reject(engine, ping, outcomes) : ingest(version, engine, { ...ping, outcomes });
}

const isPrefetch = (headers: Headers): boolean =>
  saysPrefetch(headers.get("purpose")) || saysPrefetch(headers.get("sec-purpose"));

/** `Sec-Purpose` may continue after a semicolon, as in `prefetch;prerender`. */
const saysPrefetch = (purpose: string | null): boolean => purpose !== null && beforeParameters(purpose) === "prefetch";
