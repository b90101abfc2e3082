// The building blocks of the kinds of values that keys have. A kind is a schema with the words of its faults, and with
// up to three functions. `judge` is a rule that a schema cannot express; `spell` brings a value to one spelling; a
// decoder makes what the program gets. The static type of the schema is the type of what the program gets.

import Type, { type TSchema } from "typebox";
import type { ConfigPlace, Fields } from "./place.ts";

export type WrittenValue = string | number | boolean | readonly string[];

export interface KeyNotes<Written = unknown> {
  readonly meaning: string;
  /** The example that people are shown. If the key has a default, the example equals it. */
  readonly example: Written & WrittenValue;
  /** The default, as people would write it; absent when the key has none. */
  readonly default?: Written & WrittenValue;
  readonly secret?: true;
  /** True when a change of this key comes into force only at a restart, not at a reload. */
  readonly restart?: true;
  /** True for a secret that may be an everyday word: logs do not mention it, and hiding the word would spoil them. */
  readonly everyday?: true;
}

export type Problem = Readonly<{ what: string; rule?: string }>;

/**
 * What a kind of value adds to its schema. `problem` says in faults what is wrong, and `rule` what the value must be.
 * `hidden` says that faults do not repeat the value, because it may be private.
 */
export interface ValueRule {
  readonly rule: string;
  readonly problem: string;
  readonly hidden?: true;
  readonly judge?: (text: string) => Problem | null;
  /** Brings a text that was accepted to one spelling, for kinds that people may write in several ways. */
  readonly spell?: (text: string) => string;
}

type Decoder = (value: never, at: ConfigPlace) => unknown;

export type Annotations = Partial<KeyNotes> &
  Partial<ValueRule> & { readonly least?: number; readonly inherited?: true; readonly decoders?: readonly Decoder[] };

export const annotationsOf = (schema: TSchema): Annotations => schema as Annotations;

/**
 * A kind of value: it makes the schema of a key from its notes. The program may get another type than people write: for
 * quiet hours people write texts such as `22:00-07:00`, and the program gets `QuietHours`. `Written` is the type of
 * what people write.
 */
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

/** A key that may be left out. Its value is then `null`. */
export const optional = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  example: NoInfer<Written> & WrittenValue,
  meaning: string,
) => Type.Optional(kind({ meaning, example }));

/**
 * A key that may be left out. Its value then comes from the job's declaration, or from the next higher of label,
 * application and team (R31, R38).
 */
export const inherited = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  example: NoInfer<Written> & WrittenValue,
  meaning: string,
) => Object.assign(Type.Optional(kind({ meaning, example })), { inherited: true } as const);

export const atStart =
  <S extends TSchema, Written>(kind: KeyKind<S, Written>): KeyKind<S, Written> =>
  (notes) =>
    kind({ ...notes, restart: true });

/** A key whose value is never shown. The value may also come from a file or from a credential of systemd. */
export const secret = <S extends TSchema, Written>(
  kind: KeyKind<S, Written>,
  example: NoInfer<Written> & WrittenValue,
  meaning: string,
) => Type.Optional(kind({ meaning, example, secret: true }));

export const everydaySecret: typeof secret = (kind, example, meaning) =>
  Type.Optional(kind({ meaning, example, secret: true, everyday: true }));

export const textKind =
  (valueRule: ValueRule): KeyKind<Type.TString> =>
  (notes) =>
    Type.String({ ...valueRule, ...notes });

/** A kind of text for which `accepts` is true. `problem` says in words what is wrong with any other text. */
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

/** A list of at least `least` values of one kind. Faults call these values `names`, such as "durations". */
export const listKind =
  <S extends TSchema, Written>(
    kind: KeyKind<S, Written>,
    names: string,
    least = 0,
  ): KeyKind<Type.TArray<S>, readonly Written[]> =>
  (notes) =>
    Type.Array(kind({}), { least, rule: `must be a list of ${names}`, ...notes });

export interface TableNotes {
  readonly meaning?: string;
  /**
   * Returns the keys that fit the `type` that the table names, so that the fault of an unknown key names only these;
   * `null` when all keys may fit.
   */
  readonly keysOfType?: (type: string) => readonly string[] | null;
}

export const table = <P extends Type.TProperties>(notes: TableNotes, properties: P): Type.TUnsafe<Fields<P>> =>
  Type.Object(properties, notes as Type.TObjectOptions) as unknown as Type.TUnsafe<Fields<P>>;

/**
 * How the example file shows one table of those that people name, such as one destination: its name, and values that
 * replace the examples of the keys.
 */
export interface SampleValue {
  readonly name: string;
  readonly values?: Readonly<Record<string, WrittenValue>>;
  /** The keys that are shown besides those in `values`; absent when all are shown. */
  readonly only?: readonly string[];
  /** Keys that are not shown, because they may not stand beside a key that is shown. */
  readonly without?: readonly string[];
}

export interface NamesNotes extends TableNotes {
  /** The rule for the names that people give to tables of this kind. */
  readonly names: ValueRule;
  /** Whether an environment variable can name such a table: in upper case, with `_` for `-`. */
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

/** The schema of the key `name` in a table; `undefined` when the table lacks it, or `schema` is no table. */
export function schemaUnder(schema: TSchema | undefined, name: string): TSchema | undefined {
  if (schema === undefined) return undefined;
  if (Type.IsRecord(schema)) return Type.RecordValue(schema);
  return Type.IsObject(schema) && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

export const tableNotesOf = (schema: TSchema): TableNotes => schema as TableNotes;
export const namesNotesOf = (schema: Type.TRecord): NamesNotes => schema as unknown as NamesNotes;
