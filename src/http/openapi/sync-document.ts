// Describes bulk sync and sync status of every version for the OpenAPI document: it adds words and examples to their
// schemas.

import Type, { type TSchema } from "typebox";
import {
  METADATA_BYTES,
  METADATA_DEPTH,
  MONITOR_KEY_LENGTH,
  REGISTRY_LENGTH,
  SOURCE_LENGTH,
  SYNC_BODY_BYTES,
} from "../../domain/limits.ts";
import { DECLARED_SETTINGS, RHYTHM_FIELDS } from "../../domain/settings/settings.ts";
import { toIso } from "../../domain/time.ts";
import type { Synced, SyncReport } from "../../engine/api.ts";
import { parametersOf } from "../api/parameters.ts";
import { syncStatus } from "../api/sync-bodies.ts";
import { VERSIONS, type Version } from "../api/versions.ts";
import { lineShape, oneOfShape } from "../json-shapes.ts";
import type { Json, Section } from "./parts.ts";
import { componentName, jsonBody, jsonResponse, keyInHeader, refer, refusals, schemaNameIn } from "./parts.ts";

/** The tags and security schemes of this section are declared in the section about telemetry. */
export const describeSync = (): Section => ({
  tags: [],
  paths: Object.fromEntries(
    VERSIONS.flatMap((version) => [
      [version.syncPath, { post: syncOf(version) }],
      [`${version.syncPath}/status`, { get: syncStatusOf(version) }],
    ]),
  ),
  components: {
    schemas: Object.assign(
      { SyncStatus: syncStatus.schema },
      ...VERSIONS.map((version) => ({
        [componentName(version, "Registry")]: registryShape(version),
        [componentName(version, "SyncReport")]: version.synced.schema,
      })),
    ),
  },
});

function syncOf(version: Version): Json {
  const removes = version.syncRemoves
    ? "The list is complete: monitors that this source declared before and does not name now are paused."
    : "With the mode `reconcile` the list is complete: monitors that this source declared before and does not name now " +
      "are paused. Without it monitors are only added and updated.";
  return {
    operationId: schemaNameIn(version, "postSync"),
    tags: [version.title],
    summary: "Declare the jobs of a scheduler",
    description:
      `${removes} An entry that is malformed stands in \`errors\`, and the others are taken; one invalid schedule, ` +
      "and nothing is paused. The same list again changes nothing.",
    security: keyInHeader(version.schemes),
    requestBody: {
      description: `At most ${SYNC_BODY_BYTES} bytes.`,
      required: true,
      content: jsonBody(refer("schemas", componentName(version, "Registry")), { registry: REGISTRY }),
    },
    responses: {
      200: jsonResponse(
        "The list was processed; look at `errors`.",
        refer("schemas", componentName(version, "SyncReport")),
        { report: version.synced.of({ ...REPORT, warning: null }) },
      ),
      ...refusals(400, 401, 403, 405, 413, 415, 429, 500, 503),
    },
  };
}

const syncStatusOf = (version: Version): Json => ({
  operationId: schemaNameIn(version, "getSyncStatus"),
  tags: [version.title],
  summary: "The monitors of the application",
  description: "All but those that are drills.",
  security: keyInHeader(version.schemes),
  responses: {
    200: jsonResponse("What is known of each.", refer("schemas", "SyncStatus"), { status: STATUS_EXAMPLE }),
    ...refusals(401, 403, 405, 429, 500, 503),
  },
});

const AT = toIso(Date.UTC(2026, 2, 1, 2, 0, 3, 417));

const ACTIONS: Readonly<Record<Synced["action"], Synced>> = {
  created: { key: "nightly-backup", name: "Nightly backup", action: "created" },
  created_plan_limited: { key: "reports", name: "reports", action: "created_plan_limited" },
  updated: { key: "cleanup", name: "Cleanup", action: "updated" },
  unchanged: { key: "invoices", name: "Invoices", action: "unchanged" },
  paused_removed: { key: "old-job", name: "old-job", action: "paused_removed" },
};

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

// The following describes the body of a bulk sync, by the limits that `api/sync-routes.ts` checks and by the table of
// parameters.

const KEY = lineShape(MONITOR_KEY_LENGTH, {
  minLength: 1,
  description: "Compared exactly. Of one given twice the last entry counts.",
});

const METADATA = Type.Unsafe<object>({
  type: "object",
  description: `Kept with the monitor: at most ${METADATA_BYTES} bytes and ${METADATA_DEPTH} levels. No payloads, no secrets.`,
});

const registryShape = (version: Version): TSchema =>
  Type.Object({
    source: lineShape(SOURCE_LENGTH, { minLength: 1, description: "Names the integration, always the same." }),
    version: Type.Optional(lineShape(SOURCE_LENGTH, { minLength: 0, description: "The integration's own version." })),
    mode: Type.Optional(oneOfShape(["reconcile"])),
    monitors: Type.Array(
      Type.Object(
        { key: KEY, ...syncedSettings(version), metadata: Type.Optional(METADATA) },
        version.syncNeedsSchedule ? { anyOf: EITHER.map((name) => ({ required: [name] })) } : {},
      ),
      { maxItems: REGISTRY_LENGTH },
    ),
  });

/** An entry must have one of these fields where the version demands a schedule: the schedule or an interval (R44). */
const EITHER = RHYTHM_FIELDS.map((field) => DECLARED_SETTINGS[field].parameter);

function syncedSettings(version: Version): Readonly<Record<string, TSchema>> {
  const parameters = parametersOf(version);
  const declaring = Object.values(parameters).filter(({ about }) => about === "monitor");
  return Object.fromEntries(
    declaring.map((parameter) => {
      const shape = Type.With(parameter.schema, { description: parameter.description });
      // A registry may also send labels as a list of texts (R38).
      if (parameter.name === DECLARED_SETTINGS.labels.parameter)
        return [DECLARED_SETTINGS.labels.key, Type.Optional(Type.Union([shape, Type.Array(Type.String())]))];
      return [parameter.name, Type.Optional(shape)];
    }),
  );
}
