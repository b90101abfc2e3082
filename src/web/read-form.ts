// Describes the forms of operations, and reads what such a form has sent: each field by its kind in the operation's
// schema. Only the operation decides whether the values are accepted.

import Type, { type TSchema } from "typebox";
import { isRefusal, type Refusal, refuseField } from "../domain/errors.ts";
import { filledLines } from "../domain/text.ts";
import { annotationsOf, fieldLabel, readFieldSeconds, ruleOfField, secondsRule } from "../engine/operations/fields.ts";
import { type Answer, type Input, OPERATIONS, type OperationName } from "../engine/operations/operations.ts";
import { ALL_OF } from "./parts/field.tsx";
import type { Asking } from "./signed-in.ts";

export type AskedField<Name extends OperationName> = keyof Input<Name> & string;

/** A form that asks for these fields of an operation, in this order. */
export interface FormOf<Name extends OperationName> {
  readonly operation: Name;
  readonly fields: readonly AskedField<Name>[];
  /** Fields that the form sends without showing them; the page gives their values. */
  readonly hidden?: readonly AskedField<Name>[];
  /** Precedes each field's name in the form, when the form also has fields of another operation. */
  readonly prefix?: string;
  /**
   * For an operation whose input has `settings`, a list of KEY=VALUE: the schema of each key. The form has one field
   * for each key. Absent for any other operation.
   */
  readonly keys?: Readonly<Record<string, TSchema>>;
  /**
   * The present values by key: a value that was not changed is not given to the operation. Absent when there are none.
   */
  readonly was?: Readonly<Record<string, string>>;
}

/** The name of the boxes by which secrets are removed: leaving the field of a secret empty does not remove it. */
export const REMOVED_SECRETS_FIELD = "without";

export const formFieldSchema = <Name extends OperationName>(
  { operation }: FormOf<Name>,
  field: AskedField<Name>,
): TSchema => (OPERATIONS[operation].input.properties as Readonly<Record<string, TSchema>>)[field]!;

/** For a field that may be left out, the schema of its value; for any other field, the field's schema. */
export const givenFieldSchema = (field: TSchema): TSchema => (Type.IsUnion(field) ? field.anyOf[0]! : field);

/**
 * Returns the values of the form as the operation takes them. A field that was left empty is left out, unless the
 * operation needs it.
 */
export function readForm<Name extends OperationName>(
  of: FormOf<Name>,
  form: URLSearchParams,
): Partial<Input<Name>> | Refusal {
  const given: Record<string, unknown> = {};
  for (const name of [...of.fields, ...(of.hidden ?? [])]) {
    const value = readField(name, formFieldSchema(of, name), form.getAll((of.prefix ?? "") + name));
    if (isRefusal(value)) return value;
    if (value !== undefined) given[name] = value;
  }
  if (of.keys !== undefined) given["settings"] = formSettings(of.keys, of.was ?? {}, form);
  return given as Partial<Input<Name>>;
}

/**
 * Returns `KEY=VALUE` for each key to set, and `KEY=` for each key to remove. A key whose value was not changed is left
 * out.
 */
const formSettings = (
  keys: Readonly<Record<string, TSchema>>,
  was: Readonly<Record<string, string>>,
  form: URLSearchParams,
): string[] =>
  Object.keys(keys).flatMap((key) => {
    if (form.getAll(REMOVED_SECRETS_FIELD).includes(key)) return [`${key}=`];
    const typed = form.get(key)?.trim() ?? "";
    return typed === (was[key] ?? "") ? [] : [`${key}=${typed}`];
  });

/** Reads a field. `sent` holds its values: for a list, either each choice, or one text with a line for each item. */
function readField(name: string, field: TSchema, sent: readonly string[]): unknown {
  const { seconds, form, default: standard } = annotationsOf(field);
  const kind = givenFieldSchema(field);
  if (Type.IsBoolean(kind)) return sent.length > 0;
  if (Type.IsArray(kind) && form?.as === "choices")
    return sent.length > 0 || !form.needed ? sent : refuseField(name, "none is chosen, choose at least one");
  if (form?.as === "jobs") return readJobs(name, Type.IsArray(kind), sent);
  if (Type.IsArray(kind)) return sent.flatMap(filledLines);
  if (form?.as === "some")
    return sent.length === 0 || sent.includes(ALL_OF) ? undefined : sent.filter((one) => one !== "").join();
  const typed = sent[0]?.trim() ?? "";
  if (typed === "") return standard === undefined || form?.needed ? "" : undefined;
  if (seconds) return readFieldSeconds(field, typed) ?? refuseField(name, `it must be ${secondsRule(field)}`);
  if (!Type.IsInteger(kind)) return typed;
  return /^\d{1,15}$/.test(typed) ? Number(typed) : refuseField(name, `it must be ${ruleOfField(field)}`);
}

/**
 * Reads which jobs a form means: all, or those that are ticked or match a pattern. The patterns are typed into one
 * field, each on its own line.
 */
function readJobs(
  name: string,
  isList: boolean,
  sent: readonly string[],
): readonly string[] | string | undefined | Refusal {
  if (sent.length === 0) return undefined;
  const jobs = sent.includes(ALL_OF) ? [] : [...new Set(sent.flatMap(filledLines))];
  if (jobs.length === 0 && !sent.includes(ALL_OF)) return refuseField(name, "none is chosen, choose one, or all");
  if (isList) return jobs;
  return jobs.join() || ALL_OF;
}

/**
 * A form that was refused. When the page has the same form for several subjects, `about` names the subject of this one;
 * otherwise it is `null`.
 */
export interface RefusedForm {
  readonly operation: OperationName;
  readonly about: string | null;
  readonly typed: URLSearchParams;
  readonly wrong: Refusal;
}

/** What a form shows again: the typed values and the refusal if this form was refused, nothing if another form was. */
export const refusedIn = (refused: RefusedForm | null, operation: OperationName, about: string | null = null) =>
  refused?.operation === operation && refused.about === about ? { typed: refused.typed, wrong: refused.wrong } : {};

interface Submitted<Name extends OperationName, Page> {
  /** Returns the values that the page adds to those of the form; absent when it adds none. */
  readonly given?: (read: Partial<Input<Name>>) => Partial<Input<Name>>;
  readonly done: (answer: Answer<Name>) => Response;
  /** Shows the form again, with what was written and what is wrong with it. */
  readonly again: (refused: RefusedForm) => Page;
  /** When the page has the same form for several subjects: the subject of this one. Otherwise `null` or absent. */
  readonly about?: string | null;
}

/**
 * Runs the operation that a form asks for. Returns what `done` makes when the operation has acted, and what `again`
 * makes when the person can correct the form. Otherwise returns the refusal.
 */
export function submitOperationForm<Name extends OperationName, Page>(
  { operate }: Pick<Asking, "operate">,
  of: FormOf<Name>,
  form: URLSearchParams,
  { given = () => ({}), done, again, about = null }: Submitted<Name, Page>,
): Response | Refusal | Page {
  const read = readForm(of, form);
  const answer = isRefusal(read) ? read : operate(of.operation, { ...read, ...given(read) });
  if (!isRefusal(answer)) return done(answer);
  if (!canBeCorrected(of, answer)) return answer;
  return again({ operation: of.operation, about, typed: form, wrong: answer });
}

/** Whether a person who sees the form again can correct the error there. */
const canBeCorrected = <Name extends OperationName>({ fields }: FormOf<Name>, { refusal, field }: Refusal): boolean =>
  refusal !== "ACCESS_DENIED" && (refusal !== "NOT_FOUND" || fields.some((name) => name === field));

/** Rewrites a refusal for a page that does not show the form: the refusal names the field by its label in the form. */
export function refusalWithFieldLabel<Name extends OperationName>(of: FormOf<Name>, refusal: Refusal): Refusal {
  const field = of.fields.find((name) => name === refusal.field);
  if (field === undefined) return refusal;
  return { ...refusal, message: `${fieldLabel(field, annotationsOf(formFieldSchema(of, field)))}: ${refusal.problem}` };
}
