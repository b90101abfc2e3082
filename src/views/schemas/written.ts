// Converts the answer of an operation for sending, and back. In the engine instants are numbers; as sent they are ISO
// 8601 texts. An answer may be a long list, so it is not checked again, and parts that stay the same are not copied.

import Type, { type TSchema } from "typebox";
import type { AsWritten, InEngine } from "./schema-kinds.ts";

type Direction = "encode" | "decode";
type Change = (value: unknown) => unknown;

const changes = { encode: new WeakMap<TSchema, Change>(), decode: new WeakMap<TSchema, Change>() };

/** Returns the answer as it is sent. Fields that are not in the schema are left out. */
export const writtenAnswer = <Schema extends TSchema>(schema: Schema, answer: InEngine<Schema>): AsWritten<Schema> =>
  changedAnswer("encode", schema, answer) as AsWritten<Schema>;

/**
 * Returns an answer that was received, with instants as numbers. A field that is missing, because the service has
 * another version, is `null`.
 */
export const fromWritten = <Schema extends TSchema>(schema: Schema, answer: AsWritten<Schema>): InEngine<Schema> =>
  changedAnswer("decode", schema, answer) as InEngine<Schema>;

function changedAnswer(direction: Direction, schema: TSchema, answer: unknown): unknown {
  const change = changes[direction].get(schema) ?? changeOf(direction, schema);
  changes[direction].set(schema, change);
  return change(answer);
}

const asItIs: Change = (value) => value;

function changeOf(direction: Direction, schema: TSchema): Change {
  if (Type.IsCodec(schema)) return schema["~codec"][direction];
  if (Type.IsObject(schema)) return changeOfObject(direction, schema);
  if (Type.IsArray(schema)) {
    const change = changeOf(direction, schema.items);
    return change === asItIs ? asItIs : (value) => (value as unknown[]).map(change);
  }
  // Of a union, only the first schema is converted: in these schemas a union is a value or `null`.
  const [first] = Type.IsUnion(schema) ? schema.anyOf : [];
  const change = first === undefined ? asItIs : changeOf(direction, first);
  return change === asItIs ? asItIs : (value) => (value === null ? null : change(value));
}

function changeOfObject(direction: Direction, { properties }: Type.TObject): Change {
  const fields = Object.entries(properties).map(([name, field]) => ({ name, change: changeOf(direction, field) }));
  return (value) => {
    const given = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const { name, change } of fields) {
      const isMissing = direction === "decode" && given[name] === undefined;
      result[name] = isMissing ? null : change(given[name]);
    }
    return result;
  };
}
