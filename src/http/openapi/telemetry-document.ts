// Describes the telemetry operations of every version for the OpenAPI document, from the tables by which the server
// answers.

import { COMPLETE_BODY_BYTES, IGNORED_BODY_BYTES } from "../../domain/limits.ts";
import type { Receipt } from "../../engine/api.ts";
import { operationTakesParameter, type Parameter, parametersOf } from "../api/parameters.ts";
import { COMPLETE_BODY } from "../api/read-outcomes.ts";
import { PATH_PARAMETERS } from "../api/read-path.ts";
import { receiptBody } from "../api/receipts.ts";
import {
  BEHIND_KEY_ALONE,
  EXIT_STATUSES,
  HEARTBEAT,
  OPERATIONS,
  type TelemetryOperation,
} from "../api/telemetry-operations.ts";
import { VERSIONS, type Version } from "../api/versions.ts";
import {
  type Components,
  capital,
  componentName,
  type Json,
  jsonBody,
  jsonResponse,
  keyInHeader,
  refer,
  refusals,
  SECURITY_SCHEMES,
  type Section,
  schemaNameIn,
} from "./parts.ts";

export const describeTelemetry = (): Section => ({
  tags: VERSIONS.map(({ title, prefix, hasOldAddresses }) => ({
    name: title,
    description: `Reports under \`${prefix}\`, and bulk sync.${hasOldAddresses ? OLD_ADDRESSES : ""}`,
  })),
  paths: Object.assign({}, ...VERSIONS.map(pathsOf)),
  components: {
    ...parameterComponents(),
    schemas: Object.assign({ CompleteBody: COMPLETE_BODY }, ...VERSIONS.map(receiptSchemas)),
    securitySchemes: SECURITY_SCHEMES,
  },
});

const OLD_ADDRESSES =
  " An address that a job has from Healthchecks or Uptime Kuma, and that an operator has added, is answered as that " +
  "service answers it, and not described here.";

type OperationEntry = Omit<ReturnType<typeof entryOf>, "kinds"> & { readonly kinds: readonly ReceiptKind[] };

const DESCRIBED: Readonly<Record<ReceiptKind, { readonly summary: string; readonly description: string }>> = {
  heartbeat: { summary: "The job has succeeded", description: "Success without a duration." },
  start: { summary: "The job has started", description: "A run is going on, and must end." },
  complete: { summary: "The job has ended well", description: "Success, with its duration when a start came before." },
  fail: { summary: "The job has failed", description: "Opens an incident and alerts at once, without any grace." },
  log: { summary: "Keep a line of history", description: "Kept in the history; fills no slot and changes nothing." },
};

const entryOf = (segment: string, operation: TelemetryOperation) => ({
  tail: segment === "" ? "" : `/${segment}`,
  event: capital(operation.kind),
  ...DESCRIBED[operation.kind],
  operation,
  kinds: [operation.kind],
});

const operationEntries = (operations: ReadonlyMap<string, TelemetryOperation>): readonly OperationEntry[] =>
  [...operations].map(([segment, operation]) => entryOf(segment, operation));

const EXITS = [...EXIT_STATUSES.values()];

/** The one entry for all paths that end with an exit status. */
const EXIT: OperationEntry = {
  tail: "/{exit_status}",
  event: "ExitStatus",
  summary: "The job has ended with this exit status",
  description: "0 is a heartbeat; 1 and more is a fail with the message `exit status N`.",
  operation: EXITS.at(-1) ?? HEARTBEAT,
  kinds: [...new Set(EXITS.map(({ kind }) => kind))],
};

const ENTRIES = [entryOf("", HEARTBEAT), ...operationEntries(OPERATIONS)];
const ENTRIES_BEHIND_KEY = [...ENTRIES, ...operationEntries(BEHIND_KEY_ALONE), EXIT];

function pathsOf(version: Version): Readonly<Record<string, Json>> {
  const withHeader = `${version.prefix}{monitor_key}`;
  const withKey = `${withHeader}/{api_key}`;
  const ofKey = pathParameters("MonitorKey", "ApiKey");
  const ofExit = pathParameters("MonitorKey", "ApiKey", "ExitStatus");
  return Object.fromEntries([
    // Here the API key is a part of the path. OpenAPI has no security scheme for that, so the operation names none.
    ...ENTRIES_BEHIND_KEY.map((entry) => [
      withKey + entry.tail,
      { parameters: entry === EXIT ? ofExit : ofKey, ...methodsOf(version, entry, "WithPathKey", []) },
    ]),
    ...ENTRIES.map((entry) => [
      withHeader + entry.tail,
      {
        parameters: pathParameters("MonitorKey"),
        ...methodsOf(version, entry, "WithBasicAuth", keyInHeader(version.schemes)),
      },
    ]),
  ]);
}

function methodsOf(version: Version, entry: OperationEntry, way: string, security: readonly Json[]): Json {
  const { event, summary, description, operation, kinds } = entry;
  const common = (method: string): Json => ({
    operationId: schemaNameIn(version, `${method}${event}${way}`),
    tags: [version.title],
    summary,
    description,
    security,
    parameters: parametersFor(version, operation, security.length === 0),
  });
  const accepted = { 200: receiptResponse(version, kinds) };
  const body = operation.takesOutcomes ? { requestBody: REQUEST_BODY } : {};
  const bodied =
    operation.kind === "fail"
      ? "A body of text, a form or JSON is the message unless the query has one: its `message`, else its last line. " +
        "The end of one of `text/plain` is kept where the application's operator allows it. A body"
      : "A body is ignored; one";
  const ignored = `${bodied} of more than ${IGNORED_BODY_BYTES} bytes is refused.`;
  return {
    get: { ...common("get"), responses: { ...accepted, ...refusals(400, 401, 402, 403, 404, 405, 429, 500, 503) } },
    post: {
      ...common("post"),
      description: operation.takesOutcomes ? description : `${description} ${ignored}`,
      ...body,
      responses: { ...accepted, ...refusals(400, 401, 402, 403, 404, 405, 413, 429, 500, 503) },
    },
  };
}

const REQUEST_BODY: Json = {
  description: `At most ${COMPLETE_BODY_BYTES} bytes. A body of another media type is ignored, as with other operations.`,
  required: false,
  content: jsonBody(refer("schemas", "CompleteBody"), { outcomes: { outcomes: { rows: 1200, verified: true } } }),
};

// The following describes the responses to accepted reports: the bodies of `api/receipts.ts`, with an example of each.

type ReceiptKind = Receipt["kind"];

const EXAMPLE: Omit<Receipt, "kind"> = {
  monitorKey: "nightly-backup",
  at: Date.UTC(2026, 2, 1, 2, 0, 3, 417),
  happenedAt: null,
  durationSeconds: 1260,
  message: "disk full",
  warning: null,
};

const receiptName = (version: Version, kind: string): string => componentName(version, `${capital(kind)}Receipt`);

const receiptSchemas = (version: Version): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(version.receipts).map(([kind, { schema }]) => [receiptName(version, kind), schema]),
  );

function receiptResponse(version: Version, kinds: readonly ReceiptKind[]): Json {
  const [only, ...others] = kinds.map((kind) => refer("schemas", receiptName(version, kind)));
  const schema = only !== undefined && others.length === 0 ? only : { anyOf: [only, ...others] };
  const examples = kinds.map((kind) => [kind, receiptBody(version.receipts, { ...EXAMPLE, kind })]);
  return jsonResponse("The report is on disk.", schema, Object.fromEntries(examples));
}

const pathParameters = (...names: readonly (keyof typeof PATH_PARAMETERS)[]): readonly Json[] =>
  names.map((name) => refer("parameters", name));

/**
 * One way to send a parameter: in the query, or in a header. `behindKey` says that this way counts only when the API
 * key is in the path.
 */
type ParameterWay = ReturnType<typeof waysOf>[number];

function waysOf(parameter: Parameter) {
  const { name, header, behindKey, description, schema, example } = parameter;
  const title = name.split("_").map(capital).join("");
  const ways = [{ parameter, title, shown: { name, in: "query", description, schema, example }, behindKey: false }];
  if (behindKey !== undefined) {
    const words = `The same as \`${name}\`, where that is not given: what tools that ping Healthchecks call it.`;
    const shown = { name: behindKey, in: "query", description: words, schema, example };
    ways.push({ parameter, title: capital(behindKey), shown, behindKey: true });
  }
  if (header === undefined) return ways;
  const words = `${description} It wins over the parameter \`${name}\`.`;
  const inHeader = { name: header, in: "header", description: words, schema, example };
  return [{ parameter, title: `${title}Header`, shown: inHeader, behindKey: false }, ...ways];
}

const WAYS: ReadonlyMap<Version, readonly ParameterWay[]> = new Map(
  VERSIONS.map((version) => [version, Object.values(parametersOf(version)).flatMap(waysOf)]),
);

/**
 * The name under which the document describes a parameter. If the versions describe it differently, each version gets
 * its own name.
 */
function parameterName(version: Version, { title, shown }: ParameterWay): string {
  const isAlike = (other: ParameterWay): boolean => other.title === title && Bun.deepEquals(other.shown, shown);
  return [...WAYS.values()].every((ways) => ways.some(isAlike)) ? title : componentName(version, title);
}

const parameterComponents = (): Components => ({
  parameters: {
    ...Object.fromEntries(
      Object.entries(PATH_PARAMETERS).map(([title, shown]) => [title, { in: "path", required: true, ...shown }]),
    ),
    ...Object.fromEntries(
      [...WAYS].flatMap(([version, ways]) => ways.map((way) => [parameterName(version, way), way.shown])),
    ),
  },
});

const parametersFor = (version: Version, operation: TelemetryOperation, hasKey: boolean): readonly Json[] =>
  WAYS.get(version)!
    .filter(({ parameter, behindKey }) => operationTakesParameter(parameter, operation) && (hasKey || !behindKey))
    .map((way) => refer("parameters", parameterName(version, way)));
