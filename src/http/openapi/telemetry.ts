// The telemetry operations of every version as the OpenAPI document has them, from the tables the server answers by. It
// must not know a version by name.

import { COMPLETE_BODY_BYTES, IGNORED_BODY_BYTES } from "../../domain/limits.ts";
import { OUTCOME_KEY, OUTCOMES_MAX } from "../../domain/monitor/outcomes.ts";
import { HEARTBEAT, OPERATIONS, OPERATIONS_BEHIND_KEY, type Operation } from "../api/operations.ts";
import { VERSIONS, type Version } from "../api/versions.ts";
import { parameterComponents, parametersFor, pathParameters } from "./parameters.ts";
import { capital, type Json, MEDIA_TYPE, nameIn, refer, type Section } from "./parts.ts";
import { type Kind, receiptResponse, receiptSchemas } from "./receipts.ts";
import { refusals } from "./refusals.ts";
import { keyInHeader, securitySchemes } from "./security.ts";

/** What the document adds for telemetry. */
export const describeTelemetry = (): Section => ({
  tags: VERSIONS.map(({ title, prefix }) => ({
    name: title,
    description: `Reports under \`${prefix}\`, and bulk sync.`,
  })),
  paths: Object.assign({}, ...VERSIONS.map(pathsOf)),
  components: {
    ...parameterComponents(),
    schemas: Object.assign({ CompleteBody: COMPLETE_BODY }, ...VERSIONS.map(receiptSchemas)),
    securitySchemes: securitySchemes(),
  },
});

/** One operation, whatever the version and the method. */
interface Entry {
  /** What follows the monitor or the key. */
  readonly tail: string;
  /** What happened, as operation ids call it. */
  readonly event: string;
  readonly summary: string;
  readonly description: string;
  readonly operation: Operation;
  /** As what its reports may be taken. */
  readonly kinds: readonly Kind[];
}

const TOLD: Readonly<Record<Kind, Pick<Entry, "summary" | "description">>> = {
  heartbeat: { summary: "The job has succeeded", description: "Success without a duration." },
  start: { summary: "The job has started", description: "A run is going on, and must end." },
  complete: { summary: "The job has ended well", description: "Success, with its duration when a start came before." },
  fail: { summary: "The job has failed", description: "Opens an incident and alerts at once, without any grace." },
  log: { summary: "Keep a line of history", description: "Kept in the history; fills no slot and changes nothing." },
};

const entryOf = (segment: string, operation: Operation): Entry => ({
  tail: segment === "" ? "" : `/${segment}`,
  event: capital(operation.kind),
  ...TOLD[operation.kind],
  operation,
  kinds: [operation.kind],
});

/** What both ways of sending the key have. */
const ENTRIES: readonly Entry[] = [
  entryOf("", HEARTBEAT),
  ...[...OPERATIONS].map(([segment, operation]) => entryOf(segment, operation)),
];

/** What only a key in the path has besides; all exit statuses are one entry. */
function entriesBehindKey(): readonly Entry[] {
  const added = [...OPERATIONS_BEHIND_KEY].filter(([segment]) => !OPERATIONS.has(segment));
  const named = added.filter(([segment]) => !isExitStatus(segment));
  const exits = added.filter(([segment]) => isExitStatus(segment)).map(([, operation]) => operation);
  const entries = named.map(([segment, operation]) => entryOf(segment, operation));
  const last = exits.at(-1);
  if (last === undefined) return entries;
  const exit: Entry = {
    tail: "/{exit_status}",
    event: "ExitStatus",
    summary: "The job has ended with this exit status",
    description: "0 is a heartbeat; 1 and more is a fail with the message `exit status N`.",
    operation: last,
    kinds: [...new Set(exits.map(({ kind }) => kind))],
  };
  return [...entries, exit];
}

const isExitStatus = (segment: string): boolean => /^[0-9]+$/.test(segment);

function pathsOf(version: Version): Readonly<Record<string, Json>> {
  const withHeader = `${version.prefix}{monitor_key}`;
  const withKey = `${withHeader}/{api_key}`;
  return Object.fromEntries([
    ...[...ENTRIES, ...entriesBehindKey()].map((entry) => [withKey + entry.tail, itemWithKey(version, entry)]),
    ...ENTRIES.map((entry) => [withHeader + entry.tail, itemWithHeader(version, entry)]),
  ]);
}

/** The key is a parameter of the path, for which OpenAPI has no security scheme: none other is asked for. */
function itemWithKey(version: Version, entry: Entry): Json {
  const exit = entry.tail.includes("{exit_status}") ? (["ExitStatus"] as const) : [];
  return {
    parameters: pathParameters("MonitorKey", "ApiKey", ...exit),
    ...methodsOf(version, entry, "WithPathKey", []),
  };
}

const itemWithHeader = (version: Version, entry: Entry): Json => ({
  parameters: pathParameters("MonitorKey"),
  ...methodsOf(version, entry, "WithBasicAuth", keyInHeader(version.schemes)),
});

/** Every operation takes both; a body comes with POST alone. */
function methodsOf(version: Version, entry: Entry, way: string, security: readonly Json[]): Json {
  const { event, summary, description, operation, kinds } = entry;
  const common = (method: string): Json => ({
    operationId: nameIn(version, `${method}${event}${way}`),
    tags: [version.title],
    summary,
    description,
    security,
    parameters: parametersFor(version, operation),
  });
  const accepted = { 200: receiptResponse(version, kinds) };
  const body = operation.takesOutcomes ? { requestBody: REQUEST_BODY } : {};
  const ignored = `A body is ignored; one of more than ${IGNORED_BODY_BYTES} bytes is refused.`;
  return {
    get: {
      ...common("get"),
      responses: { ...accepted, ...refusals(400, 401, 402, 403, 404, 405, 429, 500, 503) },
    },
    post: {
      ...common("post"),
      description: operation.takesOutcomes ? description : `${description} ${ignored}`,
      ...body,
      responses: { ...accepted, ...refusals(400, 401, 402, 403, 404, 405, 413, 429, 500, 503) },
    },
  };
}

const COMPLETE_BODY: Json = {
  type: "object",
  properties: {
    outcomes: {
      type: "object",
      description: "What the run has observed, for the checks that are configured.",
      maxProperties: OUTCOMES_MAX,
      propertyNames: { pattern: OUTCOME_KEY.source },
      additionalProperties: { type: ["number", "boolean"] },
    },
  },
};

const REQUEST_BODY: Json = {
  description: `At most ${COMPLETE_BODY_BYTES} bytes. A body of another media type is ignored, as with other operations.`,
  required: false,
  content: {
    [MEDIA_TYPE]: {
      schema: refer("schemas", "CompleteBody"),
      examples: { outcomes: { value: { outcomes: { rows: 1200, verified: true } } } },
    },
  },
};
