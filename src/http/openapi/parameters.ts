// The parameters of the telemetry operations as the OpenAPI document has them: those of the path, and the table by
// which a query is read. It must not know paths or answers.

import type { TelemetryOperation } from "../api/operations.ts";
import { counts, type Parameter, parametersOf } from "../api/parameters.ts";
import { PATH_PARAMETERS } from "../api/paths.ts";
import { VERSIONS, type Version } from "../api/versions.ts";
import { type Components, capital, componentName, type Json, refer } from "./parts.ts";

export const pathParameters = (...names: readonly (keyof typeof PATH_PARAMETERS)[]): readonly Json[] =>
  names.map((name) => refer("parameters", name));

/** A way to send a parameter: in the query, or in a header. */
interface ParameterWay {
  readonly parameter: Parameter;
  /** The name of its component where all versions have it alike. */
  readonly title: string;
  readonly shown: Json;
  /** Whether it counts only where the key stands in the path. */
  readonly behindKey: boolean;
}

function waysOf(parameter: Parameter): readonly ParameterWay[] {
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

/** What a version says differently has a name that only this version has. */
function nameOf(version: Version, { title, shown }: ParameterWay): string {
  const isAlike = (other: ParameterWay): boolean => other.title === title && Bun.deepEquals(other.shown, shown);
  return [...WAYS.values()].every((ways) => ways.some(isAlike)) ? title : componentName(version, title);
}

/** Every parameter as a component. */
export const parameterComponents = (): Components => ({
  parameters: {
    ...Object.fromEntries(
      Object.entries(PATH_PARAMETERS).map(([title, shown]) => [title, { in: "path", required: true, ...shown }]),
    ),
    ...Object.fromEntries([...WAYS].flatMap(([version, ways]) => ways.map((way) => [nameOf(version, way), way.shown]))),
  },
});

/** What an operation of a version takes beside its path; `hasKey`: a path that has the key in it. */
export const parametersFor = (version: Version, operation: TelemetryOperation, hasKey: boolean): readonly Json[] =>
  WAYS.get(version)!
    .filter(({ parameter, behindKey }) => counts(parameter, operation) && (hasKey || !behindKey))
    .map((way) => refer("parameters", nameOf(version, way)));
