// Draws a form for an operation. The schema of a field, with its annotations, says how the field is drawn. A form that
// was refused shows what was typed, and what is wrong beside the field.

import type { Child, PropsWithChildren } from "hono/jsx";
import Type, { type TSchema } from "typebox";
import { problemOf, type Refusal } from "../../domain/errors.ts";
import { annotationsOf, fieldLabel, wordsOf } from "../../engine/operations/fields.ts";
import type { OperationName } from "../../engine/operations/operations.ts";
import { type AskedField, type FormOf, formFieldSchema, givenFieldSchema } from "../read-form.ts";
import { refusalSentence } from "../refusal-page.tsx";
import { Submit } from "./act.tsx";
import {
  ALL_OF,
  AllOrSomeField,
  ChoiceField,
  ChoicesField,
  Field,
  FlagField,
  type FormChoice,
  JobsField,
  type JobsOffered,
  LinesField,
  Wrong,
} from "./field.tsx";

/** A page's additions to what the operation's schema says about a field. */
interface ShownField {
  /**
   * The value before anything is typed: a text, the chosen items, or whether the box is ticked. Absent or `null` for
   * none.
   */
  readonly value?: string | readonly string[] | boolean | null;
  readonly choices?: readonly FormChoice[];
  /** The jobs that the field offers with a box to tick. */
  readonly jobs?: JobsOffered;
  /** Suggested values; any other value may be typed, too. */
  readonly offered?: readonly string[];
  readonly label?: string;
  readonly help?: Child;
  /**
   * The meaning of the typed value, which is shown instead of the help and updated while a person types; `null` shows
   * the help.
   */
  readonly means?: Child;
  /** Whether the field is in the fold of fields that few people need; absent to do as the schema says. */
  readonly more?: boolean;
  readonly sample?: string;
  /** Who sets the value, in words, when it cannot be changed here; `null` when it can be. */
  readonly locked?: string | null;
  readonly after?: Child;
}

/** A form that was sent: what was typed into it, and what was wrong with it. */
export interface FilledIn {
  /** The typed values by the names of the form; `null` when nothing was sent yet. */
  readonly typed?: URLSearchParams | null;
  readonly wrong?: Refusal | null;
}

interface FieldsProps<Name extends OperationName> extends FilledIn {
  readonly of: FormOf<Name>;
  readonly shown?: { readonly [Field in AskedField<Name>]?: ShownField };
  /** Precedes the ids of the fields, where the page has other fields with the same names; absent on other pages. */
  readonly id?: string;
  /**
   * `true` in a form that has other buttons, too, for which these fields are not needed: then none of the fields is
   * required.
   */
  readonly among?: boolean;
}

export const Fields = <Name extends OperationName>({ of, ...props }: FieldsProps<Name>) => {
  const { shown = {}, typed = null, wrong = null, id = "" } = props;
  const isMore = (name: AskedField<Name>): boolean =>
    (shown as ShownFields)[name]?.more ?? annotationsOf(formFieldSchema(of, name)).form?.more ?? false;
  const more = of.fields.filter(isMore);
  return (
    <>
      <FieldsOf {...props} of={{ ...of, fields: of.fields.filter((name) => !isMore(name)) }} />
      {more.length === 0 ? null : (
        <More id={`${id}more`} says="More" names={more} {...{ shown, typed, wrong }}>
          <FieldsOf {...props} of={{ ...of, fields: more, hidden: [] }} />
        </More>
      )}
    </>
  );
};

const FieldsOf = <Name extends OperationName>({ of, shown = {}, wrong = null, ...props }: FieldsProps<Name>) => (
  <>
    {(of.hidden ?? []).map((name) => (
      <input key={name} type="hidden" name={`${of.prefix ?? ""}${name}`} value={String(shown[name]?.value ?? "")} />
    ))}
    {of.fields.map((name) => {
      const { after, ...own }: ShownField = shown[name] ?? {};
      return (
        <>
          <Asked
            {...{ field: name, schema: formFieldSchema(of, name), prefix: of.prefix ?? "", wrong, shown: own }}
            {...props}
          />
          {after}
        </>
      );
    })}
  </>
);

interface KeysProps extends FilledIn {
  readonly schemas: Readonly<Record<string, TSchema>>;
  readonly shown: ShownFields;
}

type ShownFields = Readonly<Record<string, ShownField | undefined>>;

/** One field for each key that may stand in the list `settings` of the operation's input. */
export const KeysField = ({ schemas, shown, ...filledIn }: KeysProps) => (
  <>
    {Object.entries(schemas).map(([key, schema]) => (
      <Asked key={key} field={key} schema={schema} shown={shown[key] ?? {}} {...filledIn} />
    ))}
  </>
);

type MoreProps = PropsWithChildren<
  FilledIn & Readonly<{ id?: string; says: string; names: readonly string[]; shown: ShownFields }>
>;

/**
 * A fold with fields that few people need. It is open when one of them is refused, or when another value was typed into
 * one.
 */
export const More = ({ id, says, names, shown, typed = null, wrong = null, children }: MoreProps) => {
  const isWritten = (name: string): boolean => (typed?.get(name) ?? "") !== (shown[name]?.value ?? "");
  const isOpen = names.some((name) => name === wrong?.field || (typed?.has(name) && isWritten(name)));
  return (
    <details id={id} class="more" open={isOpen}>
      <summary>{says}</summary>
      <div class="more-fields">{children}</div>
    </details>
  );
};

interface AskedProps extends FilledIn, Pick<FieldsProps<OperationName>, "id" | "among"> {
  readonly field: string;
  readonly schema: TSchema;
  readonly prefix?: string;
  readonly shown: ShownField;
}

const Asked = ({
  field,
  schema,
  prefix = "",
  typed = null,
  id = "",
  among = false,
  wrong: refusal = null,
  shown,
}: AskedProps) => {
  const wrong = refusal?.field === field ? refusalSentence(problemOf(refusal)) : null;
  const notes = annotationsOf(schema);
  const { help = notes.description, says, none, as, longest, needed, sample } = notes.form ?? {};
  const kind = givenFieldSchema(schema);
  const name = `${prefix}${field}`;
  const framed = {
    ...{ name, wrong, label: shown.label ?? fieldLabel(field, notes), id: `${id}${name}` },
    hint: shown.locked ?? shown.means ?? shown.help ?? help ?? undefined,
    follows: shown.means !== undefined,
  };
  if (Type.IsBoolean(kind)) return <FlagField {...framed} checked={typed?.has(name) ?? shown.value === true} />;
  const choices = shown.choices ?? wordsOf(schema).map((word): FormChoice => [word, says?.[word] ?? word]);
  if (Type.IsArray(kind) && as === "choices") {
    const chosen = typed?.getAll(name) ?? (Array.isArray(shown.value) ? shown.value : []);
    return <ChoicesField {...framed} of={choices} chosen={chosen} />;
  }
  if (as === "jobs" && shown.jobs !== undefined)
    return <JobsField {...framed} of={shown.jobs} chosen={Array.isArray(shown.value) ? shown.value : null} />;
  if (as === "some") {
    const sent = typed === null || !typed.has(name) ? null : typed.getAll(name);
    const chosen = sent === null ? (shown.value ?? null) : sent.includes(ALL_OF) ? null : sent;
    return <AllOrSomeField {...framed} of={choices} chosen={Array.isArray(chosen) ? chosen : null} />;
  }
  const locked = (shown.locked ?? null) !== null;
  const value = (locked ? null : typed?.get(name)) ?? (typeof shown.value === "string" ? shown.value : "");
  if (Type.IsArray(kind)) return <LinesField {...framed} value={value} />;
  const usual = shown.sample === undefined ? none : `${none}: ${shown.sample}`;
  const all: readonly FormChoice[] = none === undefined ? choices : [["", usual!], ...choices];
  if (choices.length > 0) return <ChoiceField {...framed} of={all} chosen={value} disabled={locked} />;
  return (
    <Field
      {...framed}
      type={as === "moment" ? "datetime-local" : "text"}
      value={value}
      placeholder={shown.sample ?? sample}
      maxlength={longest}
      disabled={locked}
      {...(as === "zone" && { offered: shown.offered ?? [] })}
      optional={among || (notes.default !== undefined && needed !== true)}
    />
  );
};

/** Says what is wrong with the typed value, instead of the field's hint. */
export const WrongHint = ({ refusal }: { readonly refusal: Refusal }) => (
  <span class="wrong">{refusalSentence(problemOf(refusal))}</span>
);

interface FormProps<Name extends OperationName> extends PropsWithChildren<Omit<FieldsProps<Name>, "among">> {
  readonly form: Readonly<{ to: string; id?: string; class?: string; "data-preview"?: true }>;
  /** The words on the button. */
  readonly does: string;
  readonly kind?: "plain" | "strong";
  /** What is shown in one line with the button, if anything. */
  readonly beside?: Child;
  /** A sentence at the top of the form, if it needs one. */
  readonly says?: string;
  /** Hidden fields in addition to those of the operation, by name. */
  readonly hidden?: Readonly<Record<string, string>>;
}

export const Form = <Name extends OperationName>({
  form: { to, ...own },
  does,
  kind = "strong",
  beside,
  says,
  hidden = {},
  children,
  ...fields
}: FormProps<Name>) => {
  const { of, wrong = null } = fields;
  const isBeside = [...of.fields, ...Object.keys(of.keys ?? {})].some((name) => name === wrong?.field);
  return (
    <form {...own} method="post" action={to}>
      {says === undefined ? null : <p class="note">{says}</p>}
      <Wrong text={wrong === null || isBeside ? null : refusalSentence(problemOf(wrong))} />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Fields {...fields} />
      {children}
      {beside === undefined ? (
        <Submit kind={kind}>{does}</Submit>
      ) : (
        <p class="acts">
          <Submit kind={kind}>{does}</Submit>
          {beside}
        </p>
      )}
    </form>
  );
};
