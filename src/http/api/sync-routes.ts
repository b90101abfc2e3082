// Answers bulk sync and sync status of one version: it reads the registry in a request, and makes a response of what
// the engine did with it.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import {
  METADATA_BYTES,
  METADATA_DEPTH,
  MONITOR_KEY_LENGTH,
  REGISTRY_LENGTH,
  SOURCE_LENGTH,
  SYNC_BODY_BYTES,
} from "../../domain/limits.ts";
import type { EntryFault, Registry, RegistryEntry } from "../../domain/monitor/reconcile.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import { RAISE_LIMIT, type RateLimit, tooSmall } from "../../domain/rate-limit.ts";
import { checkScheduleText } from "../../domain/schedule/schedule.ts";
import { checkDeclared, parameterName, readEvery } from "../../domain/settings/declaration.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import type { Declared } from "../../domain/settings/settings.ts";
import { DECLARED_SETTINGS, REPORTED_FIELDS, type ReportedField } from "../../domain/settings/settings.ts";
import { checkLine, isLongerThan } from "../../domain/text.ts";
import type { Caller } from "../../engine/api.ts";
import { isJson, isJsonObject, readBody, readJsonObject } from "../body.ts";
import { methodResponse, rateResponse, refusalResponse } from "../error-responses.ts";
import { type Handler, type Responded, type Routes, withSlash } from "../handler.ts";
import { okResponse } from "../json-responses.ts";
import type { RespondInPieces } from "../respond-in-pieces.ts";
import { authenticate, checkScope, type Gate } from "./auth.ts";
import { syncStatusInPieces } from "./sync-bodies.ts";
import type { Throttle } from "./throttle.ts";
import type { Version } from "./versions.ts";

/**
 * Makes the routes of sync and of sync status, each with and without a final slash (R5). `rateLimits` are the limits of
 * the version's reports: the response warns if the declared jobs will exceed them.
 */
export function syncRoutes(
  gate: Gate,
  /**
   * The rate limits, which all versions share. Sync and status are counted apart, so that a client that often asks for
   * the status may still sync.
   */
  throttles: { readonly sync: Throttle; readonly status: Throttle },
  rateLimits: readonly RateLimit[],
  inPieces: RespondInPieces,
): Routes {
  const { version, engine } = gate;
  const admit =
    (method: string, throttle: Throttle, respond: (caller: Caller, request: Request) => Responded): Handler =>
    (request, client) => {
      if (request.method !== method) return methodResponse(request.method, method);
      const caller = authenticate(gate, { pathKey: null, headers: request.headers, client });
      if (isRefusal(caller)) return refusalResponse(caller);
      const denied = checkScope(caller, "sync");
      if (denied !== null) return refusalResponse(denied);
      engine.intake.heardFrom(caller, null, { client, headers: request.headers });
      const excess = throttle(caller);
      return excess === null ? respond(caller, request) : rateResponse(excess);
    };

  async function sync(caller: Caller, request: Request): Promise<Response> {
    if (!isJson(request.headers.get("content-type")))
      return refusalResponse(
        refuseField("content-type", "a registry is sent as application/json", "UNSUPPORTED_MEDIA_TYPE"),
      );
    const bytes = await readBody(request, SYNC_BODY_BYTES);
    const registry = isRefusal(bytes) ? bytes : readRegistry(bytes, version);
    if (isRefusal(registry)) return refusalResponse(registry);
    const report = engine.intake.sync(caller, registry);
    const small = tooSmall(rateLimits, engine.intake.rhythmsOf(caller.applicationId));
    const warning = small === null ? null : `${small.setting}: ${small.words}; ${RAISE_LIMIT}`;
    return okResponse(version.synced.of({ ...report, warning }));
  }

  const status = (caller: Caller): Response =>
    inPieces(syncStatusInPieces(engine.views.syncStatus(caller.application)));

  return {
    ...withSlash(version.syncPath, admit("POST", throttles.sync, sync)),
    ...withSlash(`${version.syncPath}/status`, admit("GET", throttles.status, status)),
  };
}

// The following reads the body of a bulk sync into a registry. A fault of the whole request is one refusal. A fault of
// one monitor is kept in that monitor's place, and the other monitors are taken (R29).

/**
 * Returns the registry in a body, or a 400 that names the wrong field (R1). A field that is `null` counts as absent,
 * and so does an empty name or version, because clients send unset values in these ways.
 */
function readRegistry(bytes: Uint8Array, version: Version): Registry | Refusal {
  const body = readJsonObject(bytes);
  if (isRefusal(body)) return body;
  const { source, version: of, mode, monitors } = body;
  const fault =
    checkLineOf("source", source, SOURCE_LENGTH) ??
    (isUnset(of) ? null : checkLineOf("version", of, SOURCE_LENGTH)) ??
    checkMode(mode) ??
    checkList(monitors);
  if (fault !== null) return fault;
  return {
    source: source as string,
    version: isUnset(of) ? null : (of as string),
    authoritative: mode === "reconcile" || version.syncRemoves,
    entries: (monitors as readonly unknown[]).map((item, place) => readItem(item, `monitors[${place}]`, version)),
  };
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
const isUnset = (value: unknown): boolean => isAbsent(value) || value === "";

function checkLineOf(field: string, value: unknown, codePoints: number): Refusal | null {
  if (typeof value === "string") return checkLine(field, value, codePoints);
  return refuseField(field, `${whatItIs(value)}, a text of 1 to ${codePoints} characters is needed`);
}

const checkMode = (mode: unknown): Refusal | null =>
  isAbsent(mode) || mode === "reconcile"
    ? null
    : refuseField("mode", 'it is neither left out nor "reconcile", and there is no other mode');

function checkList(monitors: unknown): Refusal | null {
  if (!Array.isArray(monitors)) {
    return refuseField("monitors", `${whatItIs(monitors)}, a list is needed, which may be empty`);
  }
  if (monitors.length <= REGISTRY_LENGTH) return null;
  return refuseField("monitors", `${monitors.length} are too many, at most ${REGISTRY_LENGTH} are taken`);
}

/** Reads one entry of a registry. `place` is how errors name an entry that has no key, such as `monitors[2]`. */
function readItem(item: unknown, place: string, version: Version): RegistryEntry | EntryFault {
  if (!isJsonObject(item)) return unnamed(place, `${whatItIs(item)}, a JSON object is needed`);
  const schedule = readSchedule(item, version);
  // If any entry has an invalid schedule, no monitor is withdrawn, whatever else is wrong with that entry.
  const blocksRemoval = isRefusal(schedule) && schedule.refusal === "INVALID_SCHEDULE";
  const { key } = item;
  if (typeof key !== "string") return unnamed(`${place}.key`, `${whatItIs(key)}, a text is needed`);
  const keyFault = checkMonitorKey(key === "" || isLongerThan(key, MONITOR_KEY_LENGTH) ? `${place}.key` : "key", key);
  const named = nameableKey(key);
  if (keyFault !== null) return faulty(named, keyFault, blocksRemoval || named === "");
  if (isRefusal(schedule)) return faulty(key, schedule, blocksRemoval);
  const declared = readDeclared(item, schedule, version);
  // An invalid interval counts as an invalid schedule, because it also says when the job is expected (R44).
  if (isRefusal(declared)) return faulty(key, declared, declared.refusal === "INVALID_SCHEDULE");
  const metadata = checkMetadata(item["metadata"]);
  if (isRefusal(metadata)) return faulty(key, metadata, false);
  return { key, declared, metadata };
}

/**
 * Makes the fault of an entry whose monitor cannot be known. It blocks removal, because the entry may be for a monitor
 * that otherwise seems to be missing.
 */
const unnamed = (place: string, problem: string): EntryFault => ({
  key: "",
  error: `${place}: ${problem}`,
  blocksRemoval: true,
});

const faulty = (key: string, { message }: Refusal, blocksRemoval: boolean): EntryFault => ({
  key,
  error: message,
  blocksRemoval,
});

/** The key by which an error names its entry; "" when the key is too long for any monitor. */
const nameableKey = (key: string): string => (isLongerThan(key, MONITOR_KEY_LENGTH) ? "" : key);

/**
 * Returns the checked schedule, or `null` when none is given. A schedule that is given but wrong is refused as
 * `INVALID_SCHEDULE`; one that is missing though the version needs it is refused with another code (R42).
 */
function readSchedule(item: Readonly<Record<string, unknown>>, version: Version): string | null | Refusal {
  const schedule = item["schedule"];
  if (isAbsent(schedule)) {
    if (!version.syncNeedsSchedule || !isAbsent(item["every"])) return null;
    return refuseField("schedule", "it is missing, every monitor needs one here");
  }
  if (typeof schedule !== "string") {
    return refuseField("schedule", `${whatItIs(schedule)}, a cron expression as a text is needed`, "INVALID_SCHEDULE");
  }
  const fault = checkScheduleText(schedule, version.dialect);
  return fault === null ? schedule : { ...fault, refusal: "INVALID_SCHEDULE" };
}

/**
 * Returns the settings of an entry, or a refusal for the first fault. For each setting the type is checked, and then
 * its value. The schedule was read before, because a fault in it weighs more: after such a fault, the sync withdraws no
 * monitor.
 */
function readDeclared(item: Readonly<Record<string, unknown>>, schedule: string | null, { dialect }: Version) {
  const said: Record<string, unknown> = { ...NOTHING_DECLARED, schedule };
  for (const field of REPORTED_FIELDS) {
    if (field === "schedule") continue;
    const { key, parameter: named, kind } = DECLARED_SETTINGS[field];
    const parameter = kind === "labels" ? key : named;
    const value = kind === "labels" ? spacedList(item[parameter]) : (item[parameter] ?? null);
    const type = TYPES[kind];
    if (value !== null && typeof value !== type)
      return wrongType(parameter, value, kind === "interval" ? A_DURATION : `a ${NEEDED[type]}`);
    const read = kind === "interval" && value !== null ? readEvery(value as string, parameter) : value;
    if (isRefusal(read)) return read;
    said[field] = kind === "line" && read === "" ? null : read;
  }
  return checkDeclared(said as unknown as Declared, dialect, parameterName);
}

/** Joins labels that come as a list of texts; labels that come as one text are returned as they are. */
const spacedList = (value: unknown): unknown =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(" ") : (value ?? null);

const TYPES: { readonly [Kind in (typeof DECLARED_SETTINGS)[ReportedField]["kind"]]: "string" | "number" } = {
  line: "string",
  labels: "string",
  schedule: "string",
  timezone: "string",
  interval: "string",
  seconds: "number",
};

const A_DURATION = 'a duration as a text, such as "25h",';

const NEEDED = { string: "text", number: "number" } as const;

const wrongType = (field: string, value: unknown, needed: string): Refusal =>
  refuseField(field, `${whatItIs(value)}, ${needed} is needed`);

function whatItIs(value: unknown): string {
  if (isAbsent(value)) return "it is missing";
  if (Array.isArray(value)) return "it is a list";
  switch (typeof value) {
    case "string":
      return "it is a text";
    case "number":
      return "it is a number";
    case "boolean":
      return "it is true or false";
    default:
      return "it is an object";
  }
}

// The following reads the metadata that a registry may add to a monitor (R29). We keep it for the program that sent it,
// and alerts use it to say where a job runs.

/**
 * Returns the metadata as JSON; `null` when there is none, and 400 when it is wrong. The names in it are sorted,
 * because many clients send them in any order and the same registry must give the same text.
 */
function checkMetadata(metadata: unknown): string | null | Refusal {
  if (metadata === undefined || metadata === null) return null;
  if (!isJsonObject(metadata)) return refuseField("metadata", "it is not a JSON object, which it must be");
  if (isDeeperThan(metadata, METADATA_DEPTH)) {
    return refuseField("metadata", `it has more than ${METADATA_DEPTH} levels, the most it may have`);
  }
  const text = JSON.stringify(metadata, (_, value) => (isJsonObject(value) ? sortedFields(value) : value));
  if (Buffer.byteLength(text) <= METADATA_BYTES) return text;
  return refuseField("metadata", `it is larger than ${METADATA_BYTES} bytes, the most it may have`);
}

/**
 * Returns the object with its fields sorted by name. No two fields have the same name, so the comparison never gives 0.
 */
const sortedFields = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Whether objects and lists are nested more than `levels` deep; the search stops at that depth. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
