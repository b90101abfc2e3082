// Writes the fields and answers of operations as JSON Schema for programs, without what only people need.

import type { TSchema } from "typebox";
import { annotationsOf } from "./fields.ts";
import type { Operation } from "./operation.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The keywords of JSON Schema that are copied as they are. Those that hold other schemas are handled below. */
const KEPT = [
  "type",
  "enum",
  "format",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "uniqueItems",
  "description",
  "default",
];

/**
 * Returns the schema of what may be sent to an operation. A field with a default is not required. Fields for which
 * `without` is true are left out.
 */
export function inputSchemaOf(
  { input }: Pick<Operation, "input">,
  without = (_field: TSchema): boolean => false,
): JsonSchema {
  const fields = Object.entries(input.properties as Record<string, TSchema>).filter(([, field]) => !without(field));
  const required = fields.filter(([, field]) => annotationsOf(field).default === undefined).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of an operation's answer. A later version may add fields. */
export const answerSchemaOf = ({ answer }: Pick<Operation, "answer">): JsonSchema => plain(answer);

/**
 * Returns the schema of one field. The description of a duration is written for people, who type `15m`, so the unit for
 * programs is added.
 */
function fieldOf(field: TSchema): JsonSchema {
  const { seconds, description } = annotationsOf(field);
  return seconds ? { ...plain(field), description: `${description}; here in whole seconds` } : plain(field);
}

function plain(schema: TSchema): JsonSchema {
  const given = schema as Readonly<Record<string, unknown>>;
  const { properties, patternProperties, required, items, anyOf } = given;
  return {
    ...Object.fromEntries(KEPT.filter((word) => given[word] !== undefined).map((word) => [word, given[word]])),
    ...(properties === undefined ? {} : { properties: eachOf(properties), required }),
    ...(patternProperties === undefined ? {} : { patternProperties: eachOf(patternProperties) }),
    ...(items === undefined ? {} : { items: plain(items as TSchema) }),
    ...(anyOf === undefined ? {} : { anyOf: (anyOf as TSchema[]).map(plain) }),
  };
}

const eachOf = (schemas: unknown): JsonSchema =>
  Object.fromEntries(Object.entries(schemas as Record<string, TSchema>).map(([name, schema]) => [name, plain(schema)]));
