// Answers the reports of jobs at the paths of one version. A ping without query and body is the most frequent request,
// so it takes no step that it does not need.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { COMPLETE_BODY_BYTES, IGNORED_BODY_BYTES } from "../../domain/limits.ts";
import { isLateReport } from "../../domain/monitor/late.ts";
import type { OutputRules } from "../../domain/output/kept-output.ts";
import { cutTo } from "../../domain/text.ts";
import type { Ping, RefusedPing, RevokedKey } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import { checkIgnoredBody, isJson, readBody } from "../body.ts";
import { methodResponse, rateResponse, refusalResponse } from "../error-responses.ts";
import { type Handler, type Responded, type Routes, withSlash } from "../handler.ts";
import { okText } from "../json-responses.ts";
import { splitRequestTarget } from "../request-target.ts";
import { checkScope, identify, revokedIn } from "./auth.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import type { OldAddresses } from "./old-address-routes.ts";
import { bringsOutput, createFailReader, type ReadFail, withBody } from "./read-fail.ts";
import { readOutcomes } from "./read-outcomes.ts";
import { type Address, namedInRefusedPath, REFUSED_DOTS, readAddress, SEGMENTS_MAX } from "./read-path.ts";
import { createPingReader, type ReadPing } from "./read-ping.ts";
import { receiptText } from "./receipts.ts";
import {
  beyondLimit,
  answerReport as ingestReport,
  isPrefetchedReport,
  REFUSED_PREFETCH,
  refuseAndNote,
} from "./record-report.ts";
import { bringsWords, withWords } from "./said-body.ts";
import type { TelemetryOperation } from "./telemetry-operations.ts";
import type { Throttle } from "./throttle.ts";
import type { Version } from "./versions.ts";

const METHODS = "GET, POST";

interface TelemetryParts {
  readonly version: Version;
  readonly engine: Engine;
  /**
   * The rate limits. Each report with a valid key counts in one of the two: in `late` if it comes late (R43), otherwise
   * in `throttle`.
   */
  readonly throttle: Throttle;
  readonly late: Throttle;
  readonly noteFailure: NoteFailure;
  /**
   * Answers at addresses of other services, when the request would otherwise be refused as unknown (R45). `null` when
   * this version has no such addresses.
   */
  readonly oldAddresses: OldAddresses | null;
}

type Telemetry = TelemetryParts & { readonly readPing: ReadPing; readonly readFail: ReadFail };

/**
 * Makes the routes for reports of one version: a pattern for each number of segments, with and without a final slash,
 * and one for all other paths. Bun matches the path as it was sent, but a handler sees it without the segments `.` and
 * `..`. If the handler sees fewer segments than the pattern has, the path had `.` or `..`.
 */
export function telemetryRoutes(parts: TelemetryParts): Routes {
  const { version } = parts;
  const { prefix } = version;
  const telemetry: Telemetry = { ...parts, readPing: createPingReader(version), readFail: createFailReader(version) };
  const segments = Array.from({ length: SEGMENTS_MAX }, (_, place) => `:segment${place + 1}`);
  const routes = segments.map((_, place) =>
    withSlash(prefix + segments.slice(0, place + 1).join("/"), (request, client) =>
      respond(telemetry, request, client, place + 1),
    ),
  );
  const others: Handler = (request, client) => respond(telemetry, request, client, null);
  return Object.assign({}, ...routes, { [`${prefix}*`]: others });
}

function respond(telemetry: Telemetry, request: Request, client: () => string, sent: number | null): Responded {
  const { version, engine, readPing, readFail } = telemetry;
  const { method, headers } = request;
  const { path, query } = splitRequestTarget(request.url);
  // The request was routed by the version's prefix, but its path does not begin with it. Only `..` can do that.
  if (!path.startsWith(version.prefix)) return refusalResponse(REFUSED_DOTS);
  const tail = path.slice(version.prefix.length);
  const address = readAddress(tail, sent, headers);
  if (isRefusal(address)) {
    const response = address.refusal === "NOT_FOUND" ? atOldAddress(telemetry, request, client, tail) : null;
    return response ?? misaddressed(telemetry, request, tail, address);
  }
  const { monitorKey, operation, pathKey } = address;

  if (method !== "GET" && method !== "POST")
    return atOldAddress(telemetry, request, client, tail) ?? methodResponse(method, METHODS);
  if (method === "GET" && isPrefetchedReport(headers)) return refusalResponse(REFUSED_PREFETCH);

  const caller = identify(telemetry, { pathKey, headers });
  if (isRefusal(caller)) {
    if (caller.refusal !== "AUTHENTICATION_REQUIRED") return refusalResponse(caller);
    const sent = { monitorKey, kind: operation.kind, pathKey, headers, client };
    return atOldAddress(telemetry, request, client, tail) ?? unauthenticated(telemetry, sent, tail, caller);
  }
  const report = { caller, monitorKey, kind: operation.kind };
  const denied = checkScope(caller, "ping");
  if (denied !== null) return refuseAndNote(engine, report, denied);
  engine.intake.heardFrom(caller, monitorKey, { client, headers });
  const rules = operation.kind === "fail" ? engine.intake.outputRules(caller) : null;
  const ping =
    rules === null ? readPing(caller, address, query, headers) : readFail(rules, caller, address, query, headers);
  // A report counts in the rate limit even if its parameters are refused: a job that sends nonsense in a loop must be
  // limited too.
  const excess = !isRefusal(ping) && isLateReport(ping) ? telemetry.late(caller) : telemetry.throttle(caller);
  if (isRefusal(ping)) return excess === null ? refuseAndNote(engine, report, ping) : rateResponse(excess);

  if (excess !== null) return beyondLimit(engine, ping, excess);
  // A GET never has a body here, because Bun drops it.
  return method === "GET"
    ? recordedResponse(version, engine, ping)
    : ingestBehindBody(telemetry, ping, request, operation, rules);
}

const atOldAddress = ({ oldAddresses }: Telemetry, request: Request, client: () => string, tail: string) =>
  oldAddresses?.respond(request, client, tail) ?? null;

type Unauthenticated = Pick<Address, "pathKey"> &
  Pick<RefusedPing, "monitorKey" | "kind"> & { readonly headers: Headers; readonly client: () => string };

/** Answers 401 and logs it. If the key was revoked, the report of a job is lost, so people are told as well (R33). */
function unauthenticated(
  { version, engine, noteFailure, oldAddresses }: Telemetry,
  { client, monitorKey, kind, ...carried }: Unauthenticated,
  tail: string,
  refusal: Refusal,
): Response {
  const revoked = revokedIn({ version, engine }, carried);
  noteFailure(client(), revoked ?? oldAddresses?.revoked(tail) ?? null);
  if (revoked !== null && !revoked.suspended)
    engine.intake.refused({ caller: revoked, monitorKey, kind, refusal: refusedAsRevoked(revoked) });
  return refusalResponse(refusal);
}

/**
 * Makes the refusal that the owner of a revoked key reads in lists and messages. The caller gets the same 401 as for
 * any wrong key.
 */
export const refusedAsRevoked = ({ keyId }: Pick<RevokedKey, "keyId">): Refusal =>
  refuseField("key", `number ${keyId} was revoked, reports with it count for nothing`, "AUTHENTICATION_REQUIRED");

const PATH_SHOWN = 200;

/**
 * Adds the path to the refusal that people read in the list of refused reports, because there they do not see the
 * request.
 */
const withPath = (refusal: Refusal, path: string): Refusal => ({
  ...refusal,
  message: `${refusal.message} (${cutTo(path, PATH_SHOWN)})`,
});

/**
 * Refuses a request at a wrong path, with or without a key. If its key is valid, the report of a job is lost, so the
 * key's owner is told.
 */
function misaddressed(telemetry: Telemetry, request: Request, tail: string, refusal: Refusal): Response {
  const { method, headers } = request;
  if (method !== "GET" && method !== "POST") return refusalResponse(refusal);
  const { monitorKey, pathKey } = namedInRefusedPath(tail);
  const caller = identify(telemetry, { pathKey, headers });
  return isRefusal(caller)
    ? refusalResponse(refusal)
    : refuseAndNote(telemetry.engine, { caller, monitorKey, kind: null }, refusal, withPath(refusal, tail));
}

const recordedResponse = (version: Version, engine: Engine, ping: Ping): Promise<Response> =>
  ingestReport(engine, ping, (taken) => okText("text" in taken ? taken.text : receiptText(version.receipts)(taken)));

/**
 * Reads the body of a POST, as far as its operation needs it, and then records the ping. If the body is refused, the
 * ping is refused too, and nothing is recorded (R9).
 */
function ingestBehindBody(
  { version, engine }: Telemetry,
  ping: Ping,
  request: Request,
  operation: TelemetryOperation,
  rules: OutputRules | null,
): Responded {
  const respond = (whole: Ping | Refusal): Responded =>
    isRefusal(whole) ? refuseAndNote(engine, ping, whole) : recordedResponse(version, engine, whole);
  if (operation.takesOutcomes && isJson(request.headers.get("content-type")))
    return withOutcomes(ping, request).then(respond);
  if (rules !== null && bringsOutput(rules, request)) return withBody(ping, rules, request).then(respond);
  if (bringsWords(ping.kind, request)) return withWords(ping, rules, request).then(respond);
  const refusal = checkIgnoredBody(request, IGNORED_BODY_BYTES);
  return refusal instanceof Promise ? refusal.then((found) => respond(found ?? ping)) : respond(refusal ?? ping);
}

async function withOutcomes(ping: Ping, request: Request): Promise<Ping | Refusal> {
  const bytes = await readBody(request, COMPLETE_BODY_BYTES);
  const outcomes = isRefusal(bytes) ? bytes : readOutcomes(bytes);
  return isRefusal(outcomes) ? outcomes : { ...ping, outcomes };
}
