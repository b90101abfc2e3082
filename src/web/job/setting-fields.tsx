// The fields of a form of settings, and what is written in them, as `monitor set` and `monitor create` take it.

import type { TSchema } from "typebox";
import Value from "typebox/value";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkDeclared, operatorName } from "../../domain/settings/declaration.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { DECLARED_FIELDS, type Declared, type DeclaredField, settingInWords } from "../../domain/settings/settings.ts";
import { annotationsOf, readSeconds, ruleOf, secondsRule } from "../../engine/operations/fields.ts";
import { OPERATIONS } from "../../engine/operations/operations.ts";
import { Field } from "../parts/field.tsx";

export const FIELDS = OPERATIONS["monitor set"].input.properties;

interface SettingFieldProps {
  readonly field: DeclaredField;
  readonly id?: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Who sets it, so that no one changes it here; null: no one else does. */
  readonly locked?: string | null;
  /** Stands beside the field that it names. */
  readonly wrong: Refusal | null;
}

export const SettingField = ({ field, locked = null, wrong, ...shown }: SettingFieldProps) => (
  <Field
    {...shown}
    label={settingInWords(field)}
    name={field}
    disabled={locked !== null}
    hint={locked ?? annotationsOf(FIELDS[field]).description ?? ""}
    wrong={wrong !== null && fieldOf(wrong) === field ? withoutField(wrong) : null}
    optional
  />
);

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
