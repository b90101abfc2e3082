// What a form of an operation asks for, and how what was sent is read: each field by the kind that its schema has. The
// operation alone decides whether that is taken.

import Type, { type TSchema } from "typebox";
import { isRefusal, type Refusal, refuseField } from "../domain/errors.ts";
import { annotationsOf, labelOf, readSeconds, ruleOf, secondsRule } from "../engine/operations/fields.ts";
import { type Answer, type Input, OPERATIONS, type OperationName } from "../engine/operations/operations.ts";
import { ALL_OF } from "./parts/field.tsx";
import type { Asking } from "./signed-in.ts";

export type AskedField<Name extends OperationName> = keyof Input<Name> & string;

/** A form that asks for these fields of an operation, in this order. */
export interface FormOf<Name extends OperationName> {
  readonly operation: Name;
  readonly fields: readonly AskedField<Name>[];
  /** What the page says itself. */
  readonly hidden?: readonly AskedField<Name>[];
  /** Stands before the names of fields, where they are part of a form with others. */
  readonly prefix?: string;
  /** Of an operation with `settings` as KEY=VALUE: its keys, each asked for by a field of its own. */
  readonly keys?: Readonly<Record<string, TSchema>>;
  /** What stands there by key, so that only what differs is asked for; absent: nothing stands there. */
  readonly was?: Readonly<Record<string, string>>;
}

/** Names the keys that are taken back though an empty field of them says nothing. */
export const WITHOUT = "without";

export const schemaOf = <Name extends OperationName>({ operation }: FormOf<Name>, field: AskedField<Name>): TSchema =>
  (OPERATIONS[operation].input.properties as Readonly<Record<string, TSchema>>)[field]!;

/** What an optional field takes when it is given. */
export const givenSchema = (field: TSchema): TSchema => (Type.IsUnion(field) ? field.anyOf[0]! : field);

/** What was written, as the operation takes it; what was left empty is left out, unless it must be given. */
export function readForm<Name extends OperationName>(
  of: FormOf<Name>,
  form: URLSearchParams,
): Partial<Input<Name>> | Refusal {
  const given: Record<string, unknown> = {};
  for (const name of [...of.fields, ...(of.hidden ?? [])]) {
    const value = readField(name, schemaOf(of, name), form.getAll((of.prefix ?? "") + name));
    if (isRefusal(value)) return value;
    if (value !== undefined) given[name] = value;
  }
  if (of.keys !== undefined) given["settings"] = settingsIn(of.keys, of.was ?? {}, form);
  return given as Partial<Input<Name>>;
}

/** What is to be set as KEY=VALUE, what is taken back as KEY=. */
const settingsIn = (
  keys: Readonly<Record<string, TSchema>>,
  was: Readonly<Record<string, string>>,
  form: URLSearchParams,
): string[] =>
  Object.keys(keys).flatMap((key) => {
    if (form.getAll(WITHOUT).includes(key)) return [`${key}=`];
    const typed = form.get(key)?.trim() ?? "";
    return typed === (was[key] ?? "") ? [] : [`${key}=${typed}`];
  });

/** `sent`: of a list each choice, or one text with a line for each. */
function readField(name: string, field: TSchema, sent: readonly string[]): unknown {
  const { seconds, form, default: standard } = annotationsOf(field);
  const kind = givenSchema(field);
  if (Type.IsBoolean(kind)) return sent.length > 0;
  if (Type.IsArray(kind) && form?.as === "choices")
    return sent.length > 0 || !form.needed ? sent : refuseField(name, "none is chosen, choose at least one");
  if (form?.as === "jobs") return readJobs(name, Type.IsArray(kind), sent);
  if (Type.IsArray(kind)) return sent.flatMap(linesIn);
  if (form?.as === "some")
    return sent.length === 0 || sent.includes(ALL_OF) ? undefined : sent.filter((one) => one !== "").join();
  const typed = sent[0]?.trim() ?? "";
  if (typed === "") return standard === undefined || form?.needed ? "" : undefined;
  if (seconds) return readSeconds(field, typed) ?? refuseField(name, `it must be ${secondsRule(field)}`);
  if (!Type.IsInteger(kind)) return typed;
  return /^\d{1,15}$/.test(typed) ? Number(typed) : refuseField(name, `it must be ${ruleOf(field)}`);
}

/** All, or some of them: those that are ticked, and a line for each pattern. */
function readJobs(
  name: string,
  isList: boolean,
  sent: readonly string[],
): readonly string[] | string | undefined | Refusal {
  if (sent.length === 0) return undefined;
  const jobs = sent.includes(ALL_OF) ? [] : [...new Set(sent.flatMap(linesIn))];
  if (jobs.length === 0 && !sent.includes(ALL_OF)) return refuseField(name, "none is chosen, choose one, or all");
  if (isList) return jobs;
  return jobs.join() || ALL_OF;
}

export const linesIn = (text: string): string[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));

/** A form that was refused; `about`: of which thing, where a page has such a form for several. */
export interface RefusedForm {
  readonly operation: OperationName;
  readonly about: string | null;
  readonly typed: URLSearchParams;
  readonly wrong: Refusal;
}

/** What a form that was refused shows again; another form of the page shows nothing. */
export const refusedIn = (refused: RefusedForm | null, operation: OperationName, about: string | null = null) =>
  refused?.operation === operation && refused.about === about ? { typed: refused.typed, wrong: refused.wrong } : {};

interface Submitted<Name extends OperationName, Page> {
  /** What the page says besides. */
  readonly given?: (read: Partial<Input<Name>>) => Partial<Input<Name>>;
  readonly done: (answer: Answer<Name>) => Response;
  /** The form once more, with what was written and what is wrong with it. */
  readonly again: (refused: RefusedForm) => Page;
  /** Of which thing it is, where a page has such a form for several. */
  readonly about?: string | null;
}

/** Asks what a form asks for, and answers by a page. */
export function submit<Name extends OperationName, Page>(
  { operate }: Pick<Asking, "operate">,
  of: FormOf<Name>,
  form: URLSearchParams,
  { given = () => ({}), done, again, about = null }: Submitted<Name, Page>,
): Response | Refusal | Page {
  const read = readForm(of, form);
  const answer = isRefusal(read) ? read : operate(of.operation, { ...read, ...given(read) });
  if (!isRefusal(answer)) return done(answer);
  if (!isPutRight(of, answer)) return answer;
  return again({ operation: of.operation, about, typed: form, wrong: answer });
}

/** Whether a person who sees the form again can change something about it. */
const isPutRight = <Name extends OperationName>({ fields }: FormOf<Name>, { refusal, field }: Refusal): boolean =>
  refusal !== "ACCESS_DENIED" && (refusal !== "NOT_FOUND" || fields.some((name) => name === field));

/** What is wrong with a field, for a page without that form: by the label that people know it by. */
export function inLabels<Name extends OperationName>(of: FormOf<Name>, refusal: Refusal): Refusal {
  const field = of.fields.find((name) => name === refusal.field);
  if (field === undefined) return refusal;
  return { ...refusal, message: `${labelOf(field, annotationsOf(schemaOf(of, field)))}: ${refusal.problem}` };
}
