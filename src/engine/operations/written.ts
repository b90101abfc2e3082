// Converts an operation's answer between the engine's form, in which instants are numbers, and the written form, in
// which they are ISO 8601. An answer may be a long list, so nothing is checked or copied twice.

import Type, { type TSchema } from "typebox";
import type { AsWritten, InEngine } from "../../views/schemas/schema-kinds.ts";

type Direction = "encode" | "decode";
type Change = (value: unknown) => unknown;

const changes = { encode: new WeakMap<TSchema, Change>(), decode: new WeakMap<TSchema, Change>() };

/** The written form of an answer. Fields that the schema does not name are left out. */
export const writtenAnswer = <Schema extends TSchema>(schema: Schema, answer: InEngine<Schema>): AsWritten<Schema> =>
  changedAnswer("encode", schema, answer) as AsWritten<Schema>;

/** The engine's form of a written answer. A field that a service of another version leaves out is `null`. */
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
  if (Type.IsObject(schema)) return changeOfThing(direction, schema);
  if (Type.IsArray(schema)) {
    const change = changeOf(direction, schema.items);
    return change === asItIs ? asItIs : (value) => (value as unknown[]).map(change);
  }
  // A union is converted only if it allows a value or `null`.
  const [first] = Type.IsUnion(schema) ? schema.anyOf : [];
  const change = first === undefined ? asItIs : changeOf(direction, first);
  return change === asItIs ? asItIs : (value) => (value === null ? null : change(value));
}

function changeOfThing(direction: Direction, { properties }: Type.TObject): Change {
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
