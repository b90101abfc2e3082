// Writes the answer of an operation by its schema. A list may be long, so nothing is checked or copied twice.

import Type, { type TSchema } from "typebox";
import type { Held, Written } from "../../views/answers/schema.ts";

type Write = (value: unknown) => unknown;

const writers = new WeakMap<TSchema, Write>();

/** Fields that the schema does not name are left out. */
export function written<Schema extends TSchema>(schema: Schema, answer: Held<Schema>): Written<Schema> {
  const write = writers.get(schema) ?? writerOf(schema);
  writers.set(schema, write);
  return write(answer) as Written<Schema>;
}

const asItIs: Write = (value) => value;

function writerOf(schema: TSchema): Write {
  if (Type.IsCodec(schema)) return schema["~codec"].encode;
  if (Type.IsObject(schema)) return writerOfThing(schema);
  if (Type.IsArray(schema)) {
    const write = writerOf(schema.items);
    return write === asItIs ? asItIs : (value) => (value as unknown[]).map(write);
  }
  // The one union whose values are not all written as they are: something, or null.
  const [first] = Type.IsUnion(schema) ? schema.anyOf : [];
  const write = first === undefined ? asItIs : writerOf(first);
  return write === asItIs ? asItIs : (value) => (value === null ? null : write(value));
}

function writerOfThing({ properties }: Type.TObject): Write {
  const fields = Object.entries(properties).map(([name, field]) => ({ name, write: writerOf(field) }));
  return (value) => {
    const held = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const { name, write } of fields) result[name] = write(held[name]);
    return result;
  };
}
