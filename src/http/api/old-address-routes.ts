// Takes reports at addresses of other services, which jobs still use after a move to rollcall (R45). It answers as
// those services do: Healthchecks at `/ping/UUID` and `/ping/PING-KEY/SLUG`, Uptime Kuma at `/api/push/TOKEN`. A
// request below `/ping/` comes here only if it would otherwise be refused.

import { KEY_PREFIX } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { MESSAGE_LENGTH, RUN_ID_LENGTH } from "../../domain/limits.ts";
import { boundedMap } from "../../domain/maps.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import {
  addressOfToken,
  type NamedOldAddress,
  type OldAddress,
  PUSH,
  readHealthchecksPath,
} from "../../domain/old-address.ts";
import { judgeRate, type RateExcess, type RateLimit, type RateVerdict, type Window } from "../../domain/rate-limit.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { cutTo } from "../../domain/text.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../domain/time.ts";
import type { Caller, Clock } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { OldAddressCaller } from "../../engine/keyring.ts";
import { methodResponse, rateResponse, refusalResponse } from "../error-responses.ts";
import { type Responded, withSlash } from "../handler.ts";
import { peerSiteNetwork } from "../https.ts";
import { EVERY_RESPONSE, okResponse } from "../json-responses.ts";
import { splitRequestTarget } from "../request-target.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import { boundedLine } from "./parameter-kinds.ts";
import { withLog, withOutputRules } from "./read-fail.ts";
import { NO_SUCH_PATH } from "./read-path.ts";
import { plainPing } from "./read-ping.ts";
import { checkPairs, type Query, readAsSent, readText, splitQuery } from "./read-text.ts";
import { answerReport, beyondLimit, isPrefetchedReport, REFUSED_PREFETCH, refuseAndNote } from "./record-report.ts";
import type { TelemetryOperation } from "./telemetry-operations.ts";
import { EXIT_STATUS_MAX, HEARTBEAT, OPERATIONS, OPERATIONS_BEHIND_KEY } from "./telemetry-operations.ts";
import type { Throttle } from "./throttle.ts";

// The following says how the other services read a report and what they answer (R45). Healthchecks reads what comes
// after the address in the path, Uptime Kuma reads the query.

interface ConventionRules {
  /**
   * Whether the body of a fail counts as the job's output even if its media type is not plain text. Clients of
   * Healthchecks leave the media type to curl (R46).
   */
  readonly bodyIsOutput: boolean;
  /**
   * Returns what a report says, or why it is refused. `action` is what comes after the address in the path, such as
   * `fail`, or "".
   */
  read(
    action: string,
    query: Query,
  ):
    | { readonly operation: TelemetryOperation; readonly runId: string | null; readonly message: string | null }
    | Refusal;
  readonly accepted: (isNew: boolean) => Response;
}

const TEXT_HEADERS = { ...EVERY_RESPONSE, "content-type": "text/plain", "access-control-allow-origin": "*" };

const RUN_ID = boundedLine(RUN_ID_LENGTH);

const HEALTHCHECKS: ConventionRules = {
  bodyIsOutput: true,
  read(action, query) {
    const rid = readText(query, "rid");
    const runId = rid === null || isRefusal(rid) ? rid : RUN_ID.read(rid, "rid");
    if (isRefusal(runId)) return runId;
    const operation = action === "" ? HEARTBEAT : OPERATIONS_BEHIND_KEY.get(plainStatus(action));
    return operation === undefined
      ? refuseField("exit_status", `it must be 0 to ${EXIT_STATUS_MAX}`)
      : { operation, runId, message: operation.fixedMessage };
  },
  accepted: (isNew) =>
    isNew
      ? new Response("Created", { status: 201, headers: TEXT_HEADERS })
      : new Response("OK", { headers: TEXT_HEADERS }),
};

const plainStatus = (action: string): string => action.replace(/^0+(?=\d)/, "");

const KUMA: ConventionRules = {
  bodyIsOutput: false,
  read(_, query) {
    const status = readAsSent(query, "status");
    if (status === null || status === "" || status === "up")
      return { operation: HEARTBEAT, runId: null, message: null };
    return { operation: OPERATIONS.get("fail")!, runId: null, message: readAsSent(query, "msg") || null };
  },
  accepted: () => okResponse({ ok: true }),
};

export type OldAddresses = ReturnType<typeof createOldAddresses>;

/**
 * Makes the functions that answer at addresses of other services. Their `tail` is the path after `/ping/`, as it was
 * sent and without a query. `noteFailure` is called for requests at revoked addresses.
 */
export function createOldAddresses(
  engine: Engine,
  clock: Pick<Clock, "monotonic">,
  throttle: Throttle,
  noteFailure: NoteFailure,
) {
  const guesses = createWrongAddressLimit(clock);

  const limitedAt =
    ({ caller: { keyId } }: AddressedMonitor, client: () => string): Throttle =>
    (caller) =>
      throttle(caller) ?? guesses.excessOf(keyId, client());

  function respond(request: Request, client: () => string, tail: string): Responded | null {
    const named = readHealthchecksPath(segmentsOf(tail));
    const place = named && placeOf(named, request);
    if (named === null) return null;
    // A path with a key of rollcall is a malformed report to rollcall itself. It does not count as a guess at an old
    // address. With `null` it gets the usual refusal.
    if (place === null) return tail.includes(KEY_PREFIX) ? null : guessed(client);
    if (isRefusal(place)) return refusalResponse(place);
    return taken(engine, limitedAt(place, client), place, HEALTHCHECKS, named.action, request, client);
  }

  /**
   * Counts a wrong address. Returns 429 when the client's network has tried too many. Otherwise it returns `null`: the
   * request is then refused as if there were no old addresses.
   */
  function guessed(client: () => string): Response | null {
    const excess = engine.intake.hasOldAddresses() ? guesses.count(client()) : null;
    return excess === null ? null : rateResponse(excess);
  }

  function placeOf({ address, creating }: NamedOldAddress, request: Request): AddressedMonitor | Refusal | null {
    const found = engine.intake.atOldAddress(address.path);
    if (creating === null || isRefusal(found) || !asksToCreate(request)) return placeAt(found, null);
    if (found === null && engine.intake.revokedKey(address.path) !== null) return null;
    const all = engine.intake.atOldAddress(creating.address.path);
    if (found !== null) {
      const isSame = all !== null && !isRefusal(all) && all.caller.applicationId === found.caller.applicationId;
      return placeAt(found, isSame ? address : null);
    }
    if (all === null || isRefusal(all)) return all;
    const monitorKey = (all.prefix ?? "") + creating.slug;
    return checkMonitorKey("slug", monitorKey) ?? { caller: all.caller, monitorKey, creates: address };
  }

  function push(request: Request, client: () => string): Responded {
    const { path } = splitRequestTarget(request.url);
    const [token = "", ...more] = path.startsWith(PUSH) ? segmentsOf(path.slice(PUSH.length)) : [];
    const address = more.length === 0 ? addressOfToken(token) : null;
    const found = address && engine.intake.atOldAddress(address.path);
    const place = placeAt(found, null);
    if (isRefusal(place)) return refusalResponse(place);
    if (place !== null) return taken(engine, limitedAt(place, client), place, KUMA, "", request, client);
    const revoked = address && engine.intake.revokedKey(address.path);
    if (revoked !== null) noteFailure(client(), revoked);
    return (address && guessed(client)) ?? refusalResponse(NO_SUCH_PATH);
  }

  function revoked(tail: string) {
    const named = readHealthchecksPath(segmentsOf(tail));
    return named && engine.intake.revokedKey(named.address.path);
  }

  /** Answers at addresses of Healthchecks without `/ping/`, such as `/UUID`, as its hosted service has them. */
  function bare(request: Request, client: () => string) {
    const tail = splitRequestTarget(request.url).path.slice(1);
    const response = respond(request, client, tail);
    const ended = response === null ? revoked(tail) : null;
    if (ended !== null) noteFailure(client(), ended);
    return response;
  }

  return { respond, revoked, bare, routes: withSlash(`${PUSH}:token`, push) };
}

/**
 * How many wrong addresses one network may try. Jobs that still report to an address that was not moved stay below
 * this; someone who guesses finds no right address with so few tries.
 */
const GUESSES: readonly RateLimit[] = [
  { setting: "wrong addresses from a network in a minute", most: 300, span: MINUTE },
  { setting: "wrong addresses from a network in an hour", most: 3_000, span: HOUR },
];
const KEPT = 20_000;

type Excess = RateExcess & { readonly sender: string };

/**
 * Counts the wrong addresses that each network tries. Beyond the limit a network is refused at right and wrong
 * addresses alike, so it does not learn that a guess was right. Only clients that reported to a right address before
 * may go on reporting to it.
 */
export function createWrongAddressLimit(clock: Pick<Clock, "monotonic">) {
  const networks = boundedMap<readonly Window[]>(KEPT);
  const reported = boundedMap<true>(KEPT);
  const judge = (network: string): { verdict: RateVerdict; excess: Excess | null } => {
    const verdict = judgeRate(GUESSES, networks.get(network), Math.floor(clock.monotonic()));
    return { verdict, excess: verdict.accepted ? null : { ...verdict, sender: "this network" } };
  };
  return {
    count(client: string): Excess | null {
      const network = peerSiteNetwork(client);
      const { verdict, excess } = judge(network);
      if (verdict.accepted) networks.set(network, verdict.windows);
      return excess;
    },
    /**
     * Returns the limit by which a report at a right address is refused, because its network tried too many wrong ones;
     * `null` when it is not refused. `keyId` is the number of the address.
     */
    excessOf(keyId: number, client: string): Excess | null {
      const seen = `${keyId} ${client}`;
      if (reported.get(seen)) return null;
      const { excess } = judge(peerSiteNetwork(client));
      if (excess === null) reported.set(seen, true);
      return excess;
    },
  };
}

function placeAt(
  found: OldAddressCaller | Refusal | null,
  creates: OldAddress | null,
): AddressedMonitor | Refusal | null {
  if (found === null || isRefusal(found)) return found;
  const { caller, monitorKey } = found;
  return monitorKey === null ? null : { caller, monitorKey, creates };
}

const asksToCreate = ({ url }: Request): boolean => splitQuery(splitRequestTarget(url).query).get("create") === "1";

/**
 * How many segments of a path are read. No old address has so many, and a path of thousands of segments must not take
 * more time.
 */
const SEGMENTS_READ = 5;

function segmentsOf(tail: string): readonly string[] {
  const segments = tail.split("/", SEGMENTS_READ);
  return segments.at(-1) === "" ? segments.slice(0, -1) : segments;
}

// The following takes a report at an address of another service, once its owner is known (R45). It is read as that
// service reads it, and then recorded as every report is.

/** The methods that clients of both services use. */
const METHODS = "GET, HEAD, POST, PUT";
const TAKEN = new Set(METHODS.split(", "));

/**
 * The settings of a monitor that a report to an address of another service creates (R44). As at Healthchecks, a report
 * is expected each day, with an hour of grace.
 */
const CREATED = { ...NOTHING_DECLARED, everySeconds: DAY / SECOND, graceSeconds: HOUR / SECOND };

interface AddressedMonitor {
  readonly caller: Caller;
  readonly monitorKey: string;
  /** The address that becomes the monitor's when this report creates the monitor; `null` when it may create none. */
  readonly creates: OldAddress | null;
}

/** Takes a report for this monitor. `action` is what comes after the address in the path, such as `fail`, or "". */
function taken(
  engine: Engine,
  throttle: Throttle,
  { caller, monitorKey, creates }: AddressedMonitor,
  convention: ConventionRules,
  action: string,
  request: Request,
  client: () => string,
): Responded {
  const { method, headers } = request;
  if (!TAKEN.has(method)) return methodResponse(method, METHODS);
  if (method === "GET" && isPrefetchedReport(headers)) return refusalResponse(REFUSED_PREFETCH);
  const excess = throttle(caller);
  engine.intake.heardFrom(caller, monitorKey, { client, headers });
  const { query } = splitRequestTarget(request.url);
  const said = checkPairs(query) ?? convention.read(action, splitQuery(query));
  if (isRefusal(said))
    return excess === null ? refuseAndNote(engine, { caller, monitorKey, kind: null }, said) : rateResponse(excess);
  const { operation, runId, message } = said;
  const isNew = creates !== null && engine.views.monitorId(caller.application, monitorKey) === null;
  const rules = operation.kind === "fail" ? engine.intake.outputRules(caller) : null;
  const plain = plainPing(
    caller,
    { monitorKey, operation },
    { runId, message: message && cutTo(message, MESSAGE_LENGTH), said: isNew ? CREATED : NOTHING_DECLARED },
  );
  const ping = rules === null ? plain : withOutputRules(rules, { ...plain, message });
  if (excess !== null) return beyondLimit(engine, ping, excess);
  const accepted = (): Response => {
    if (creates !== null) engine.intake.keepAddress(caller, creates, monitorKey);
    return convention.accepted(isNew);
  };
  // A body that becomes output is never refused as too large here. Clients of Healthchecks post whole logs, and with
  // the body the failure itself would be refused and lost.
  const takes = operation.kind === "fail" && convention.bodyIsOutput && method !== "GET" && method !== "HEAD";
  return takes
    ? withLog(ping, rules, request).then((whole) => answerReport(engine, whole, accepted))
    : answerReport(engine, ping, accepted);
}
