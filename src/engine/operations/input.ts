// Reads what was sent to an operation into values of the right type: checked once, here, by the schema of
// the operation.

import Type, { type TObject, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import Value from "typebox/value";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { annotationsOf, isSecret, ruleOf } from "./fields.ts";
import type { Held } from "./schema.ts";

/** Absent fields, and those that are null, have their defaults. A refusal names the field, its problem and the rule. */
export function readInput<Input extends TObject>(schema: Input, given: object): Held<Input> | Refusal {
  const fields: Readonly<Record<string, TSchema>> = schema.properties;
  const sent = new Map<string, unknown>(Object.entries(given));
  for (const name of sent.keys()) if (!Object.hasOwn(fields, name)) return unknownField(name, Object.keys(fields));
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = readField(name, field, sent.get(name));
    if (isRefusal(value)) return value;
    values[name] = value;
  }
  return values as Held<Input>;
}

function readField(name: string, field: TSchema, sent: unknown): unknown {
  const value = sent ?? annotationsOf(field).default;
  if (value === undefined) return refuse("INVALID_REQUEST", `${name}: it is missing, it must be ${ruleOf(field)}`);
  if (isOf(field, value)) return value;
  const repeated = isSecret(annotationsOf(field)) ? "what was sent" : shown(value);
  return refuse("INVALID_REQUEST", `${name}: ${repeated} is refused, it must be ${ruleOf(field)}`);
}

/** A list of things may be long, and in one turn of the event loop: its check is compiled, once. */
function isOf(field: TSchema, value: unknown): boolean {
  if (!Type.IsArray(field) || !Type.IsObject(field.items)) return Value.Check(field, value);
  const check = compiled.get(field) ?? Compile(field);
  compiled.set(field, check);
  return check.Check(value);
}

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

function unknownField(name: string, known: readonly string[]): Refusal {
  const fields = known.length === 0 ? "there is none" : `known are ${known.join(", ")}`;
  return refuse("INVALID_REQUEST", `${name}: it is unknown, ${fields}`);
}

const SHOWN_LENGTH = 80;

function shown(value: unknown): string {
  const written = JSON.stringify(value);
  return written.length > SHOWN_LENGTH ? `${written.slice(0, SHOWN_LENGTH)}…` : written;
}
