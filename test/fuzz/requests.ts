// Random requests that are sound HTTP, whatever they ask for: about half of them with a real key. They reach every path
// and refusal of the service; requests that are no HTTP are made of these elsewhere.

import type { Random } from "../simulation/random.ts";
import { drawAdminRequest } from "./admin-requests.ts";
import { drawBody, drawContentType, drawHeaders, drawPiece, drawQuery, encode } from "./ingredients.ts";
import { drawRegistry } from "./registries.ts";
import type { HttpRequest } from "./request.ts";

/** Keys of a running service. */
export interface Keys {
  /** May report; most are used too little to reach a limit. */
  readonly live: readonly string[];
  /** May report, and is used so much that it does reach the limit of the aliases. */
  readonly busy: string;
  /** Of an application that has as many monitors as it may. */
  readonly full: string;
  readonly sync: string;
  readonly revoked: string;
  /** An administrator's, which may look alone. */
  readonly admin: string;
  /** Paths that other services had; the last is revoked. */
  readonly oldAddresses: readonly string[];
}

const METHODS = ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "SEARCH", "M-SEARCH"];

const OTHER_PATHS = [
  "/",
  "/api",
  "/api/v1",
  "/api/v1/ping",
  "/api/v1/openapi.json",
  "/api/v2/ping/a",
  "/metrics",
  "/healthz",
  "/readyz",
  "/healthz/",
  "/favicon.ico",
  "//elsewhere.example/x",
  "/%2e%2e/etc/passwd",
];

const SYNC_PATHS = ["/api/v1/sync", "/api/sync"];
const SYNC_BYTES = 256 * 1_024;

const PREFIXES = ["/api/v1/ping/", "/ping/"];

const OPERATIONS = ["start", "complete", "complete", "fail"];
/** Those that only a path with its key may have, and such as no path may have. */
const ODD_OPERATIONS = ["log", "0", "1", "255", "256", "01", "start/", "Start", "", "%73tart"];

/** With the longest query it fits into the line that is taken (R10: 16 KiB). */
const PATH_BYTES = 3_000;

/** So few that most requests find their monitor. */
const MONITORS = 200;

/** One request; `keys` are those of the service it goes to. */
export function drawRequest(random: Random, keys: Keys): HttpRequest {
  const method = random.weighted<() => string>([
    [50, () => "GET"],
    [40, () => "POST"],
    [10, () => random.pick(METHODS)],
  ])();
  const isAuthenticated = random.chance(0.55);
  const key = isAuthenticated
    ? drawKey(random, keys)
    : random.pick(["", "ck_app_", "ck_app_fuzz_unknown", keys.revoked]);
  const request = random.weighted<() => HttpRequest>([
    [82, () => drawPing(random, method, key)],
    [4, () => drawOldAddress(random, keys.oldAddresses)],
    [10, () => drawSync(random, method, key)],
    [4, () => drawAdminRequest(random, method, keys.admin)],
  ])();
  const host = random.chance(0.97) ? "localhost" : random.pick(["", "a b", "h/x?y", "[::", "\xff"]);
  return { ...request, head: [`Host: ${host}`, ...request.head, ...drawHeaders(random)] };
}

/** A telemetry operation, or a path where there is none. */
function drawPing(random: Random, method: string, key: string): HttpRequest {
  const isInPath = random.chance(0.6);
  const path = random.chance(0.93) ? drawPath(random, isInPath ? key : "") : drawOtherPath(random);
  const query = random.chance(0.85) ? `?${drawQuery(random)}` : "";
  const isComplete = path.endsWith("/complete");
  const hasBody = random.chance(isComplete ? 0.7 : 0.2);
  const head: string[] = [];
  if (!isInPath && key !== "") head.push(`Authorization: ${drawAuthorization(random, key)}`);
  if (hasBody)
    head.push(`Content-Type: ${isComplete && random.chance(0.8) ? "application/json" : drawContentType(random)}`);
  return {
    method,
    target: random.chance(0.99) ? path + query : `http://localhost${path}${query}`,
    head,
    body: hasBody ? drawBody(random) : "",
    isChunked: random.chance(0.2),
    monitor: /\/ping\/(job-\d+)(?:\/|$)/.exec(path)?.[1] ?? null,
  };
}

const OLD_METHODS = ["GET", "GET", "HEAD", "POST", "PUT", "DELETE"];
const OLD_ACTIONS = ["", "", "/start", "/fail", "/log", "/0", "/137", "/256", "/", "/start/", "//", "/complete"];

/** At an address of another service, whole or damaged; with or without `/ping`. */
function drawOldAddress(random: Random, addresses: readonly string[]): HttpRequest {
  const whole = random.pick(addresses);
  const bare = random.chance(0.3) ? whole.replace("/ping/", "/") : whole;
  const cut = random.whole(1, bare.length - 1);
  const path = random.chance(0.8) ? bare : bare.slice(0, cut) + drawPiece(random) + bare.slice(cut + 1);
  const action = random.chance(0.95) ? random.pick(OLD_ACTIONS) : `/${drawPiece(random)}`;
  const own = random.pick([
    "rid=1",
    `rid=${drawPiece(random)}`,
    "create=1",
    "status=up&msg=OK&ping=",
    "status=down&msg=%ff",
  ]);
  const query = random.chance(0.5) ? `?${own}&${random.chance(0.3) ? drawQuery(random) : ""}` : "";
  const hasBody = random.chance(0.3);
  return {
    method: random.pick(OLD_METHODS),
    target: (path + action).slice(0, PATH_BYTES) + query,
    head: hasBody ? [`Content-Type: ${drawContentType(random)}`] : [],
    body: hasBody ? drawBody(random) : "",
    isChunked: random.chance(0.2),
    monitor: null,
  };
}

/** Bulk sync and sync status. */
function drawSync(random: Random, method: string, key: string): HttpRequest {
  const isStatus = random.chance(0.15);
  const type = random.chance(0.7) ? "application/json" : drawContentType(random);
  const body = drawRegistry(random);
  return {
    method: random.chance(0.2) ? method : isStatus ? "GET" : "POST",
    target: `${random.pick(SYNC_PATHS)}${isStatus ? "/status" : ""}${random.chance(0.9) ? "" : "/"}`,
    head: [`Authorization: ${drawAuthorization(random, key)}`, `Content-Type: ${type}`],
    body: random.chance(0.95) ? body : body + " ".repeat(SYNC_BYTES - body.length + random.whole(0, 1)),
    isChunked: random.chance(0.2),
    monitor: null,
  };
}

const drawKey = (random: Random, keys: Keys): string =>
  random.weighted([
    [60, random.pick(keys.live)],
    [30, keys.busy],
    [5, keys.full],
    [5, keys.sync],
  ]);

const drawMonitor = (random: Random): string =>
  random.chance(0.9) ? `job-${random.whole(1, MONITORS)}` : drawPiece(random);

function drawPath(random: Random, key: string): string {
  const segments = [drawMonitor(random)];
  if (key !== "") segments.push(random.chance(0.95) ? key : encode(random, key));
  if (random.chance(0.7)) segments.push(drawOperation(random));
  if (random.chance(0.05)) segments.push(random.chance(0.5) ? "" : drawPiece(random));
  return (random.pick(PREFIXES) + segments.join("/")).slice(0, PATH_BYTES);
}

const drawOperation = (random: Random): string =>
  random.weighted<() => string>([
    [16, () => random.pick(OPERATIONS)],
    [3, () => random.pick(ODD_OPERATIONS)],
    [1, () => drawPiece(random)],
  ])();

const drawOtherPath = (random: Random): string =>
  random.chance(0.7)
    ? random.pick(OTHER_PATHS)
    : `/${Array.from({ length: random.whole(0, 6) }, () => drawPiece(random)).join("/")}`.slice(0, PATH_BYTES);

const basic = (text: string): string => `Basic ${Buffer.from(text, "latin1").toString("base64")}`;

const drawAuthorization = (random: Random, key: string): string =>
  random.weighted<() => string>([
    [20, () => basic(`${key}:`)],
    [3, () => `Bearer ${key}`],
    [3, () => `ApiKey ${key}`],
    [1, () => basic(`${key}:password`)],
    [1, () => basic(key)],
    [1, () => `basic  ${basic(`${key}:`).slice(6)}==`],
    [
      1,
      () =>
        random.pick(["Basic", "Basic =", "Basic \xff", "Digest a=b", "Basic Og==", basic(":".repeat(3_000)), "\xff"]),
    ],
  ])();
