// The parameters of the telemetry operations: from a query to the checked values of a Ping, or the first 400. Absent
// ones are null; unknown ones are ignored, and those that resemble a known one named (R7). It must not know paths, keys or bodies.

import { boundedMap } from "../../domain/bounded-map.ts";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import {
  GRACE_SECONDS_MIN,
  MAX_RUNTIME_SECONDS_MIN,
  MESSAGE_LENGTH,
  NAME_LENGTH,
  RUN_ID_LENGTH,
} from "../../domain/limits.ts";
import { type Dialect, spellSchedule } from "../../domain/schedule/schedule.ts";
import { spellTimezone } from "../../domain/schedule/zone.ts";
import { checkScheduleText, noZone } from "../../domain/settings/declaration.ts";
import type { Ping } from "../../engine/api.ts";
import { keyInHeader, keyInQuery } from "./idempotency-key.ts";
import { lookalikesIn } from "./lookalikes.ts";
import type { Operation } from "./operations.ts";
import {
  checkPairs,
  type Query,
  readBoundedLine,
  readBoundedText,
  readCutText,
  readInteger,
  readText,
  splitQuery,
} from "./query.ts";
import type { Version } from "./versions.ts";

/** The part of a Ping that stands in the query, and the idempotency key, which a header may name as well. */
export interface Parameters extends Omit<Ping, "caller" | "monitorKey" | "kind" | "outcomes" | "idempotency"> {
  readonly idempotencyKey: string | null;
}

const NONE: Parameters = {
  runId: null,
  attempt: null,
  message: null,
  schedule: null,
  graceSeconds: null,
  name: null,
  timezone: null,
  maxRuntimeSeconds: null,
  lookalikes: [],
  idempotencyKey: null,
};

/**
 * The parameters in a raw query (without its question mark) and in the headers, or the first refusal: 400, naming the
 * parameter (R1).
 */
export function readParameters(
  text: string,
  headers: Headers,
  operation: Operation,
  version: Version,
): Parameters | Refusal {
  const headerKey = keyInHeader(headers);
  if (text === "" && headerKey === null) {
    return operation.fixedMessage === null ? NONE : { ...NONE, message: operation.fixedMessage };
  }
  const tooMany = checkPairs(text);
  if (tooMany !== null) return tooMany;
  const query = splitQuery(text);

  const schedule = readSchedule(query, version.dialect);
  if (isRefusal(schedule)) return schedule;
  const graceSeconds = readInteger(query, "gracePeriod", GRACE_SECONDS_MIN);
  if (isRefusal(graceSeconds)) return graceSeconds;
  const name = readBoundedLine(query, "name", NAME_LENGTH);
  if (isRefusal(name)) return name;
  const runId = readBoundedLine(query, "run_id", RUN_ID_LENGTH);
  if (isRefusal(runId)) return runId;
  const attempt = readInteger(query, "attempt", 0);
  if (isRefusal(attempt)) return attempt;
  const message = readMessage(query, operation, version.longMessage);
  if (isRefusal(message)) return message;
  const timezone = readTimezone(query);
  if (isRefusal(timezone)) return timezone;
  const maxRuntimeSeconds = readInteger(query, "maxRuntime", MAX_RUNTIME_SECONDS_MIN);
  if (isRefusal(maxRuntimeSeconds)) return maxRuntimeSeconds;
  const idempotencyKey = headerKey ?? keyInQuery(query);
  if (isRefusal(idempotencyKey)) return idempotencyKey;

  const lookalikes = lookalikesIn(query);
  return {
    runId,
    attempt,
    message,
    schedule,
    graceSeconds,
    name,
    timezone,
    maxRuntimeSeconds,
    lookalikes,
    idempotencyKey,
  };
}

/**
 * Schedules as they were sent and how they go on. Jobs that register themselves send theirs with every ping; the check
 * is dearer than the rest of the request.
 */
const accepted: Readonly<Record<Dialect, ReturnType<typeof boundedMap<string>>>> = {
  five: boundedMap(1_000),
  alias: boundedMap(1_000),
};

/**
 * With one space between its fields, so that one written with more is the same expression (R12). An empty schedule is
 * malformed like any other: taken as absent it would lose the schedule without a word.
 */
function readSchedule(query: Query, dialect: Dialect): string | null | Refusal {
  const schedule = readText(query, "schedule");
  if (typeof schedule !== "string") return schedule;
  const known = accepted[dialect].get(schedule);
  if (known !== undefined) return known;
  const refusal = checkScheduleText(schedule, dialect);
  if (refusal !== null) return refusal;
  const spelled = spellSchedule(schedule);
  accepted[dialect].set(schedule, spelled);
  return spelled;
}

/** A failure alone has a message; with the others the parameter is unknown, so not even its length counts. */
function readMessage(query: Query, operation: Operation, long: Version["longMessage"]): string | null | Refusal {
  if (operation.fixedMessage !== null) return operation.fixedMessage;
  if (operation.kind !== "fail") return null;
  const read = long === "cut" ? readCutText : readBoundedText;
  return read(query, "message", MESSAGE_LENGTH);
}

/** R13. Names are compared by their letters from here on (R12), so each goes on in its one spelling. */
function readTimezone(query: Query): string | null | Refusal {
  const timezone = readText(query, "timezone");
  if (typeof timezone !== "string") return timezone;
  return spellTimezone(timezone) ?? noZone(timezone);
}
