// What is written in a form of settings, as the operations `monitor set` and `monitor create` take it.

import type { TSchema } from "typebox";
import Value from "typebox/value";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkDeclared, operatorName } from "../../domain/settings/declaration.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { DECLARED_FIELDS, type Declared, type DeclaredField } from "../../domain/settings/settings.ts";
import { annotationsOf, readSeconds, ruleOf, secondsRule } from "../../engine/operations/fields.ts";
import { OPERATIONS } from "../../engine/operations/operations.ts";

export const FIELDS = OPERATIONS["monitor set"].input.properties;

/** What is not empty; `wrong`: what the operation would not take; null: nothing. */
export function readSettings(form: URLSearchParams) {
  const said: Record<string, string | number> = {};
  let wrong: Refusal | null = null;
  for (const field of DECLARED_FIELDS) {
    const typed = form.get(field)?.trim() ?? "";
    if (typed === "") continue;
    const value = readField(FIELDS[field], typed);
    if (value !== null) said[field] = value;
    else wrong ??= refuse("INVALID_REQUEST", `${field}: it must be ${ruleIn(FIELDS[field])}`);
  }
  const checked = checkDeclared({ ...NOTHING_DECLARED, ...said }, "five", operatorName);
  return { said: said as Partial<Declared>, wrong: wrong ?? (isRefusal(checked) ? checked : null) };
}

/** Null: the field takes no such. */
function readField(schema: TSchema, typed: string): string | number | null {
  if (annotationsOf(schema).seconds) return readSeconds(schema, typed);
  const value = /^[0-9]{1,9}$/.test(typed) && !Value.Check(schema, typed) ? Number(typed) : typed;
  return Value.Check(schema, value) ? (value as string | number) : null;
}

const ruleIn = (schema: TSchema): string => (annotationsOf(schema).seconds ? secondsRule(schema) : ruleOf(schema));

/** The field that a refusal names; null: none. */
export const fieldOf = ({ message }: Refusal): DeclaredField | null =>
  DECLARED_FIELDS.find((field) => new RegExp(`^${field}\\b`).test(message)) ?? null;

export function withoutField({ message }: Refusal): string {
  const says = message.replace(/^[^:]*: /, "");
  return `${says.charAt(0).toUpperCase()}${says.slice(1)}.`;
}
