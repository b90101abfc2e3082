// How kinds of values are built. A kind is a schema of the value's shape with a fault's words, a judge for rules that a
// shape cannot express, one spelling for values that have several, and a function that makes what the program gets. The
// static type of a schema is what the program gets.

import Type, { type TSchema } from "typebox";
import type { ConfigPlace, Fields } from "./place.ts";

export type WrittenValue = string | number | boolean | readonly string[];

export interface KeyNotes<Written = unknown> {
  readonly meaning: string;
  /** The example for people, which equals the default if there is one. */
  readonly example: Written & WrittenValue;
  /** The default as people would write it; absent when the key has no default. */
  readonly default?: Written & WrittenValue;
  readonly secret?: true;
  /** True when a reload ignores a change of this key, and only a restart brings it into force. */
  readonly restart?: true;
  /** True for a secret that may be any word. Logs never mention it, and hiding the word in them would ruin them. */
  readonly everyday?: true;
}

export type Problem = Readonly<{ what: string; rule?: string }>;

/** What a kind adds to its schema. `hidden` says that the value may be private and is never repeated. */
export interface ValueRule {
  readonly rule: string;
  readonly problem: string;
  readonly hidden?: true;
  readonly judge?: (text: string) => Problem | null;
  /** The one spelling of an accepted text that people may write in several ways. */
  readonly spell?: (text: string) => string;
}

type Decoder = (value: never, at: ConfigPlace) => unknown;

export type Annotations = Partial<KeyNotes> &
  Partial<ValueRule> & { readonly least?: number; readonly inherited?: true; readonly decoders?: readonly Decoder[] };

export const annotationsOf = (schema: TSchema): Annotations => schema as Annotations;

/** A kind of value. `Written` is the type that people write, if the program gets another one. */
export type KeyKind<S extends TSchema, Written = Type.Static<S>> = (notes: Partial<KeyNotes<Written>>) => S;

export const into = <S extends TSchema, Decoded>(
  schema: S,
  decode: (value: Type.Static<S>, at: ConfigPlace) => Decoded,
): Type.TUnsafe<Decoded> =>
  Object.assign(schema, {
    decoders: [...(annotationsOf(schema).decoders ?? []), decode],
  }) as unknown as Type.TUnsafe<Decoded>;

export const decodedKind =
  <S extends TSchema, Decoded, Written>(
    kind: KeyKind<S, Written>,
    decode: (value: Type.Static<S>, at: ConfigPlace) => Decoded,
  ): KeyKind<Type.TUnsafe<Decoded>, Written> =>
  (notes) =>
    into(kind(notes), decode);

export const preset = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  byDefault: NoInfer<Written> & WrittenValue,
  meaning: string,
): S => kind({ meaning, example: byDefault, default: byDefault });

/** A key that may be left out; its value is then `null`. */
export const optional = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  example: NoInfer<Written> & WrittenValue,
  meaning: string,
) => Type.Optional(kind({ meaning, example }));

/** A key that may be left out, because jobs declare it, or because it comes from one level higher (R31, R38). */
export const inherited = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  example: NoInfer<Written> & WrittenValue,
  meaning: string,
) => Object.assign(Type.Optional(kind({ meaning, example })), { inherited: true } as const);

export const atStart =
  <S extends TSchema, Written>(kind: KeyKind<S, Written>): KeyKind<S, Written> =>
  (notes) =>
    kind({ ...notes, restart: true });

/** A key whose value is never shown, and which may also come from a file or a credential. */
export const secret = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  example: NoInfer<Written> & WrittenValue,
  meaning: string,
) => Type.Optional(kind({ meaning, example, secret: true }));

/** A secret that may be an everyday word, so logs do not hide it. */
export const everydaySecret: typeof secret = (kind, example, meaning) =>
  Type.Optional(kind({ meaning, example, secret: true, everyday: true }));

export const textKind =
  (valueRule: ValueRule): KeyKind<Type.TString> =>
  (notes) =>
    Type.String({ ...valueRule, ...notes });

/** A text that `accepts` accepts; `problem` says what is wrong with any other text. */
export const textThat = (
  accepts: (text: string) => boolean,
  valueRule: Omit<ValueRule, "judge">,
): KeyKind<Type.TString> =>
  textKind({ ...valueRule, judge: (text) => (accepts(text) ? null : { what: valueRule.problem }) });

export const choice = <const Values extends [string, ...string[]]>(...values: Values): KeyKind<Type.TEnum<Values>> => {
  const rule = `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
  return (notes) => Type.Enum(values, { rule, problem: "is not known", ...notes }) as unknown as Type.TEnum<Values>;
};

export const whole =
  (minimum: number, maximum: number): KeyKind<Type.TInteger> =>
  (notes) =>
    Type.Integer({
      minimum,
      maximum,
      rule: `must be a whole number from ${minimum} to ${maximum}`,
      problem: "is out of range",
      ...notes,
    });

export const NUMBER: KeyKind<Type.TNumber> = (notes) =>
  Type.Number({ rule: "must be a number", problem: "is not finite", ...notes });

export const BOOLEAN: KeyKind<Type.TBoolean> = (notes) =>
  Type.Boolean({ rule: "must be true or false", problem: "is refused", ...notes });

export const NUMBER_OR_BOOLEAN: KeyKind<Type.TUnion<[Type.TNumber, Type.TBoolean]>> = (notes) =>
  Type.Union([Type.Number(), Type.Boolean()], {
    rule: "must be a number, true or false",
    problem: "is not finite",
    ...notes,
  });

/** A list of values of one kind, which a fault calls `names`. `least` is the fewest values that it may have. */
export const listKind =
  <S extends TSchema, Written>(
    kind: KeyKind<S, Written>,
    names: string,
    least = 0,
  ): KeyKind<Type.TArray<S>, readonly Written[]> =>
  (notes) =>
    Type.Array(kind({}), { least, rule: `must be a list of ${names}`, ...notes });

export type TableNotes = Readonly<{ meaning?: string }>;

export const table = <P extends Type.TProperties>(notes: TableNotes, properties: P): Type.TUnsafe<Fields<P>> =>
  Type.Object(properties, notes as Type.TObjectOptions) as unknown as Type.TUnsafe<Fields<P>>;

/** How the example file shows one of the tables: its name, and values that replace the keys' own examples. */
export interface SampleValue {
  readonly name: string;
  readonly values?: Readonly<Record<string, WrittenValue>>;
  /** The keys to show besides `values`; absent when all are shown. */
  readonly only?: readonly string[];
  /** Keys that are not shown, because a shown key excludes them. */
  readonly without?: readonly string[];
}

export interface NamesNotes extends TableNotes {
  /** The kind of the table's names, which are judged like a text. */
  readonly names: ValueRule;
  /** Whether a name can be part of an environment variable's name: lower case, with `_` for `-`. */
  readonly inEnvironment: boolean;
  readonly samples: readonly SampleValue[];
}

export const namedTables = <S extends TSchema>(
  notes: NamesNotes,
  entry: S,
): Type.TUnsafe<ReadonlyMap<string, Type.Static<S>>> =>
  Type.Record(Type.String(), entry, notes as unknown as Type.TObjectOptions) as unknown as Type.TUnsafe<
    ReadonlyMap<string, Type.Static<S>>
  >;

/** The schema of `name` in a table; `undefined` when the table has no such key, or the schema is no table. */
export function schemaUnder(schema: TSchema | undefined, name: string): TSchema | undefined {
  if (schema === undefined) return undefined;
  if (Type.IsRecord(schema)) return Type.RecordValue(schema);
  return Type.IsObject(schema) && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

export const tableNotesOf = (schema: TSchema): TableNotes => schema as TableNotes;
export const namesNotesOf = (schema: Type.TRecord): NamesNotes => schema as unknown as NamesNotes;
