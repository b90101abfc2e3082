// Bulk sync and sync status of every version as the OpenAPI document has them. What a sync answers is read off answers
// the server itself makes; it must not know a version by name.

import {
  METADATA_BYTES,
  METADATA_DEPTH,
  MONITOR_KEY_LENGTH,
  NAME_LENGTH,
  REGISTRY_LENGTH,
  SOURCE_LENGTH,
  SYNC_BODY_BYTES,
} from "../../domain/limits.ts";
import type { Status } from "../../domain/monitor/monitor.ts";
import { toIso } from "../../domain/time.ts";
import type { Synced, SyncReport } from "../../engine/api.ts";
import { VERSIONS, type Version } from "../api/versions.ts";
import { declaredFields } from "./parameters.ts";
import {
  componentName,
  INSTANT,
  type Json,
  jsonResponse,
  LINE,
  MEDIA_TYPE,
  nameIn,
  objectOf,
  refer,
  type Section,
} from "./parts.ts";
import { refusals } from "./refusals.ts";
import { keyInHeader } from "./security.ts";

/** What the document adds for sync. Tags and security are those of telemetry. */
export const describeSync = (): Section => ({
  tags: [],
  paths: Object.fromEntries(
    VERSIONS.flatMap((version) => [
      [version.syncPath, { post: syncOf(version) }],
      [`${version.syncPath}/status`, { get: syncStatusOf(version) }],
    ]),
  ),
  components: {
    schemas: Object.assign({ SyncStatus: SYNC_STATUS }, ...VERSIONS.map(schemasOf)),
  },
});

const registryName = (version: Version): string => componentName(version, "Registry");
const reportName = (version: Version): string => componentName(version, "SyncReport");

const schemasOf = (version: Version): Readonly<Record<string, Json>> => ({
  [registryName(version)]: registryOf(version),
  [reportName(version)]: shapeOf(version.synced(REPORT)),
});

function syncOf(version: Version): Json {
  const removes = version.syncRemoves
    ? "The list is complete: monitors that this source declared before and does not name now are paused."
    : "With the mode `reconcile` the list is complete: monitors that this source declared before and does not name now " +
      "are paused. Without it monitors are only added and updated.";
  return {
    operationId: nameIn(version, "postSync"),
    tags: [version.title],
    summary: "Declare the jobs of a scheduler",
    description:
      `${removes} An entry that is malformed stands in \`errors\`, and the others are taken; one invalid schedule, ` +
      "and nothing is paused. The same list again changes nothing.",
    security: keyInHeader(version.schemes),
    requestBody: {
      description: `At most ${SYNC_BODY_BYTES} bytes.`,
      required: true,
      content: {
        [MEDIA_TYPE]: {
          schema: refer("schemas", registryName(version)),
          examples: { registry: { value: REGISTRY } },
        },
      },
    },
    responses: {
      200: jsonResponse({
        description: "The list was processed; look at `errors`.",
        schema: refer("schemas", reportName(version)),
        examples: { report: version.synced(REPORT) },
      }),
      ...refusals(400, 401, 403, 405, 413, 415, 429, 500, 503),
    },
  };
}

const syncStatusOf = (version: Version): Json => ({
  operationId: nameIn(version, "getSyncStatus"),
  tags: [version.title],
  summary: "The monitors of the application",
  description: "All but those that are drills.",
  security: keyInHeader(version.schemes),
  responses: {
    200: jsonResponse({
      description: "What is known of each.",
      schema: refer("schemas", "SyncStatus"),
      examples: { status: STATUS_EXAMPLE },
    }),
    ...refusals(401, 403, 405, 429, 500, 503),
  },
});

const lineOf = (longest: number): Json => ({ type: "string", minLength: 1, maxLength: longest, pattern: LINE });

function registryOf(version: Version): Json {
  const key = {
    ...lineOf(MONITOR_KEY_LENGTH),
    description: "Compared exactly. Of one given twice the last entry counts.",
  };
  const metadata = {
    type: "object",
    description: `Kept with the monitor: at most ${METADATA_BYTES} bytes and ${METADATA_DEPTH} levels. No payloads, no secrets.`,
  };
  const entry = {
    type: "object",
    required: version.syncNeedsSchedule ? ["key", "schedule"] : ["key"],
    properties: { key, ...declaredFields(version), metadata },
  };
  return {
    type: "object",
    required: ["source", "monitors"],
    properties: {
      source: { ...lineOf(SOURCE_LENGTH), description: "Names the integration, always the same." },
      version: { ...lineOf(SOURCE_LENGTH), minLength: 0, description: "The integration's own version." },
      mode: { type: "string", enum: ["reconcile"] },
      monitors: { type: "array", maxItems: REGISTRY_LENGTH, items: entry },
    },
  };
}

const AT = toIso(Date.UTC(2026, 2, 1, 2, 0, 3, 417));

const ACTIONS: Readonly<Record<Synced["action"], Synced>> = {
  created: { key: "nightly-backup", name: "Nightly backup", action: "created" },
  created_plan_limited: { key: "reports", name: "reports", action: "created_plan_limited" },
  updated: { key: "cleanup", name: "Cleanup", action: "updated" },
  unchanged: { key: "invoices", name: "Invoices", action: "unchanged" },
  paused_removed: { key: "old-job", name: "old-job", action: "paused_removed" },
};

/** One of everything. */
const REPORT: SyncReport = {
  source: "worker",
  at: Date.parse(AT),
  synced: Object.values(ACTIONS),
  errors: [
    { key: "reports", error: "the application has as many active monitors as it may have", blocksRemoval: false },
  ],
  withheld: [],
  total: 4,
  faults: 0,
};

/** Fields whose texts are some of few. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  action: Object.keys(ACTIONS),
  status: ["success", "partial"],
};

/** The schema of a sync's answer, read off one in which no list is empty. */
function shapeOf(value: unknown, name = ""): Json {
  if (Array.isArray(value)) return { type: "array", items: shapeOf(value[0]) };
  if (typeof value === "object" && value !== null) {
    return objectOf(Object.fromEntries(Object.entries(value).map(([field, part]) => [field, shapeOf(part, field)])));
  }
  if (typeof value === "number") return { type: "integer", minimum: 0 };
  if (value === AT) return INSTANT;
  const words = WORDS[name];
  return words === undefined ? { type: "string" } : { type: "string", enum: words };
}

const STATUSES: Readonly<Record<Status, string>> = {
  pending: "no success yet",
  healthy: "all is well",
  warning: "something is late or was tolerated",
  critical: "an incident is open",
  paused: "nothing is expected",
};

const orNull = (schema: Json): Json => ({ ...schema, type: [schema["type"], "null"] });

const SYNC_STATUS: Json = objectOf({
  applicationId: { type: "string", minLength: 1 },
  totalMonitors: { type: "integer", minimum: 0 },
  monitors: {
    type: "array",
    items: objectOf({
      monitorKey: { type: "string", minLength: 1, maxLength: MONITOR_KEY_LENGTH },
      name: { type: "string", maxLength: NAME_LENGTH },
      schedule: orNull({ type: "string", description: "Null: no report is expected at any time." }),
      gracePeriod: { type: "integer", minimum: 0, description: "Seconds." },
      createdAt: INSTANT,
      updatedAt: INSTANT,
      lastPingAt: orNull({ ...INSTANT, description: "The last report of any kind; null before the first." }),
      status: {
        type: "string",
        enum: Object.keys(STATUSES),
        description: Object.entries(STATUSES)
          .map(([status, meaning]) => `\`${status}\`: ${meaning}`)
          .join("; "),
      },
    }),
  },
  timestamp: INSTANT,
});

const STATUS_EXAMPLE: Json = {
  applicationId: "prod",
  totalMonitors: 1,
  monitors: [
    {
      monitorKey: "nightly-backup",
      name: "Nightly backup",
      schedule: "0 3 * * *",
      gracePeriod: 300,
      createdAt: AT,
      updatedAt: AT,
      lastPingAt: null,
      status: "pending",
    },
  ],
  timestamp: AT,
};

const REGISTRY: Json = {
  source: "worker",
  version: "2.4.1",
  monitors: [
    {
      key: "nightly-backup",
      name: "Nightly backup",
      schedule: "0 3 * * *",
      gracePeriod: 300,
      timezone: "Europe/Berlin",
    },
    { key: "invoices", schedule: "30 6 * * 1-5", metadata: { queue: "billing" } },
  ],
};
