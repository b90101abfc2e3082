// The parameters of the telemetry operations as the OpenAPI document has them: those of the path, and the table by which a
// query is read. It must not know paths or answers.

import Type, { type TSchema } from "typebox";
import { formatKey, KEY_PREFIX } from "../../domain/api-key.ts";
import { MONITOR_KEY_LENGTH } from "../../domain/limits.ts";
import { EXIT_STATUS_MAX, type Operation } from "../api/operations.ts";
import { counts, type Parameter, parametersOf } from "../api/parameters.ts";
import { VERSIONS, type Version } from "../api/versions.ts";
import { line } from "../shapes.ts";
import { type Components, capital, componentName, type Json, refer } from "./parts.ts";

const inPath = (name: string, description: string, schema: TSchema, example: unknown): Json => ({
  name,
  in: "path",
  required: true,
  description,
  schema,
  example,
});

/** By the names of the components. */
const IN_PATH = {
  MonitorKey: inPath(
    "monitor_key",
    "Which monitor, compared exactly. Percent-encode it; `%2F` is then part of the key. `.` and `..` are refused.",
    line(MONITOR_KEY_LENGTH, { minLength: 1 }),
    "nightly-backup",
  ),
  ApiKey: inPath(
    "api_key",
    "The application's API key; it wins over an Authorization header.",
    Type.String({ pattern: `^${KEY_PREFIX}` }),
    formatKey("prod", "0123456789abcdefghijklmnopqrstuv"),
  ),
  ExitStatus: inPath(
    "exit_status",
    "The exit status of the job: 0 is a heartbeat, everything else a failure with the message `exit status N`.",
    Type.Integer({ minimum: 0, maximum: EXIT_STATUS_MAX }),
    1,
  ),
};

export const pathParameters = (...names: readonly (keyof typeof IN_PATH)[]): readonly Json[] =>
  names.map((name) => refer("parameters", name));

/** A way to send a parameter: in the query, or in a header. */
interface Way {
  readonly parameter: Parameter;
  /** The name of its component where all versions have it alike. */
  readonly title: string;
  readonly shown: Json;
}

function waysOf(parameter: Parameter): readonly Way[] {
  const { name, header, description, schema, example } = parameter;
  const title = name.split("_").map(capital).join("");
  const inQuery = { parameter, title, shown: { name, in: "query", description, schema, example } };
  if (header === undefined) return [inQuery];
  const words = `${description} It wins over the parameter \`${name}\`.`;
  const inHeader = { name: header, in: "header", description: words, schema, example };
  return [{ parameter, title: `${title}Header`, shown: inHeader }, inQuery];
}

const WAYS: ReadonlyMap<Version, readonly Way[]> = new Map(
  VERSIONS.map((version) => [version, Object.values(parametersOf(version)).flatMap(waysOf)]),
);

/** What a version says differently has a name that only this version has. */
function nameOf(version: Version, { title, shown }: Way): string {
  const isAlike = (other: Way): boolean => other.title === title && Bun.deepEquals(other.shown, shown);
  return [...WAYS.values()].every((ways) => ways.some(isAlike)) ? title : componentName(version, title);
}

/** Every parameter as a component. */
export const parameterComponents = (): Components => ({
  parameters: {
    ...IN_PATH,
    ...Object.fromEntries([...WAYS].flatMap(([version, ways]) => ways.map((way) => [nameOf(version, way), way.shown]))),
  },
});

/** What an operation of a version takes beside its path. */
export const parametersFor = (version: Version, operation: Operation): readonly Json[] =>
  WAYS.get(version)!
    .filter(({ parameter }) => counts(parameter, operation))
    .map((way) => refer("parameters", nameOf(version, way)));

/** What a report declares of its monitor, as fields of a JSON body. */
export const declaredFields = (version: Version): Readonly<Record<string, TSchema>> =>
  Object.fromEntries(
    Object.values(parametersOf(version))
      .filter(({ about }) => about === "monitor")
      .map(({ name, description, schema }) => [name, Type.With(schema, { description })]),
  );
