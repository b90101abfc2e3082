// Checks that an answer is as the OpenAPI document describes it: status, headers, body, and no further field. The test
// clients check every answer, so that service and document cannot differ.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020";
import { adminDocumentText } from "../../src/http/openapi/admin-document.ts";
import { documentText } from "../../src/http/openapi/openapi.ts";
import { type DescribedAnswer, type DescribedOperation, operationsOf, type Schema } from "./openapi-document.ts";

/** The parts of a request that matter for the check. */
interface Asked {
  readonly method: string;
  /** The path and query as they were sent. */
  readonly target: string;
  /** Whether a header has an idempotency key: the answer may then be that of another report (R11). */
  readonly mayRepeat: boolean;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const ajv = new Ajv2020({ allowUnionTypes: true, allErrors: true, formats: { "date-time": true } });

/** The operations of both documents. */
let operations: readonly DescribedOperation[] | null = null;

/**
 * Throws a text that says what is wrong with an answer to a path of the contract or of health; other paths are not
 * described.
 */
export function assertDescribed(asked: Asked, answer: Answered): void {
  operations ??= [...operationsOf(documentText()), ...operationsOf(adminDocumentText())];
  const candidates = answersFor(operations, asked, answer.status);
  if (candidates === null) return;
  const place = `${asked.method} ${asked.target} was answered ${answer.status}`;
  if (candidates.length === 0)
    throw new Error(`${place}, which the OpenAPI document does not describe: ${answer.text}`);
  const isHead = asked.method.toUpperCase() === "HEAD";
  const differences = candidates.map((candidate) => differencesOf(candidate, answer, isHead));
  if (differences.some((found) => found.length === 0)) return;
  throw new Error(`${place}, not as the OpenAPI document describes it: ${differences[0]!.join("; ")}: ${answer.text}`);
}

/** Paths under which every answer must be described, except refusals. */
const OURS = /^\/(?:api|ping)\//;

/** The possible answers; `null` when the document promises nothing. */
function answersFor(
  all: readonly DescribedOperation[],
  { method, target, mayRepeat }: Asked,
  status: number,
): readonly DescribedAnswer[] | null {
  const [path = "", query = ""] = target.split("?");
  const here = operationsAt(all, path);
  const asked = here.find((operation) => operation.method === method.toUpperCase());
  const repeats = (mayRepeat || /(?:^|&)idempotency_key=/.test(query)) && status === 200;
  if (asked !== undefined) return answersOf(repeats && takesKey(asked) ? all.filter(takesKey) : [asked], status);
  if (here.length === 0 && !OURS.test(path)) return null;
  // A path that is not described must be refused, with a refusal that is described.
  return status < 400 ? [] : answersOf(here.length === 0 ? all : here, status);
}

const takesKey = ({ parameters }: DescribedOperation): boolean =>
  parameters.some(({ name }) => name === "Idempotency-Key");

const answersOf = (some: readonly DescribedOperation[], status: number): readonly DescribedAnswer[] => [
  ...new Set(some.flatMap(({ responses }) => responses[status] ?? [])),
];

/**
 * The operations of the template that a path matches; a template with a literal segment wins over one with a parameter.
 */
function operationsAt(all: readonly DescribedOperation[], path: string): readonly DescribedOperation[] {
  const segments = path
    .replace(/(?<=.)\/$/, "")
    .split("/")
    .map(decoded);
  const templates = [...new Set(all.map((operation) => operation.path))].filter((template) =>
    matches(template, segments),
  );
  const [best] = templates.sort((one, other) => wordsIn(other) - wordsIn(one));
  return all.filter((operation) => operation.path === best);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const isParameter = (part: string): boolean => part.startsWith("{");

function matches(template: string, segments: readonly string[]): boolean {
  const parts = template.split("/");
  const same = (part: string, place: number) => (isParameter(part) ? segments[place] !== "" : part === segments[place]);
  return parts.length === segments.length && parts.every(same);
}

const wordsIn = (template: string): number => template.split("/").filter((part) => !isParameter(part)).length;

function differencesOf(described: DescribedAnswer, { headers, text }: Answered, isHead: boolean): readonly string[] {
  const differences = Object.entries(described.headers ?? {}).flatMap(([name, { required, schema }]) => {
    const value = headers.get(name);
    if (value === null) return required === true ? [`the header ${name} is missing`] : [];
    return faultsIn(schema, value, name);
  });
  if (isHead) return text === "" ? differences : [...differences, "a HEAD has a body"];
  const [[mediaType, { schema }] = [null, { schema: {} }]] = Object.entries(described.content ?? {});
  if (mediaType === null) return text === "" ? differences : [...differences, "it has a body"];
  const type = headers.get("content-type");
  if (type !== mediaType) return [...differences, `its media type is ${type}`];
  return [...differences, ...faultsIn(schema, JSON.parse(text), "the body")];
}

const compiled = new Map<Schema, ValidateFunction>();

function faultsIn(schema: Schema, value: unknown, what: string): readonly string[] {
  const validate = compiled.get(schema) ?? ajv.compile(closed(schema) as Schema);
  compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [what, instancePath, message, JSON.stringify(params)].filter((word) => word !== "").join(" "),
  );
}

/** The document allows answers to get more fields; a test must notice every field. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  return "properties" in schema ? { additionalProperties: false, ...parts } : parts;
}
