// The schemas of a monitor's settings in answers, which follow from the table in `domain/settings/settings.ts`.

import type Type from "typebox";
import type { TSchema } from "typebox";
import { SEVERITIES } from "../../domain/message/presentation.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type DeclaredField,
  type DeclaredKind,
  type InForceOf,
  WATCHED_FIELDS,
  type WatchedField,
} from "../../domain/settings/settings.ts";
import { COUNT, type InEngine, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

/** Where a value in force comes from: the nearest place that has one (R13, R31). */
const VALUE_SOURCE = wordOf("configuration", "declared", "label", "application", "team", "server", "key", "default");

const SCHEMAS = {
  line: TEXT,
  schedule: TEXT,
  timezone: TEXT,
  interval: COUNT,
  seconds: COUNT,
  count: COUNT,
  severity: wordOf(...SEVERITIES),
  labels: TEXT,
  mailRule: TEXT,
} as const satisfies Record<DeclaredKind, TSchema>;

type ValueSchema<Field extends DeclaredField> = (typeof SCHEMAS)[(typeof DECLARED_SETTINGS)[Field]["kind"]];

type OrNull<Schema extends TSchema> = Type.TUnion<[Schema, Type.TNull]>;

type InForceSchema<Field extends DeclaredField> =
  null extends InForceOf<Field> ? OrNull<ValueSchema<Field>> : ValueSchema<Field>;

function inForce(field: DeclaredField): TSchema {
  const { kind, otherwise } = DECLARED_SETTINGS[field];
  const isNull = otherwise.from === "default" && otherwise.value === null;
  return isNull ? nullable(SCHEMAS[kind]) : SCHEMAS[kind];
}

export const IN_FORCE = Object.fromEntries(WATCHED_FIELDS.map((field) => [field, inForce(field)])) as {
  readonly [Field in WatchedField]: InForceSchema<Field>;
};

/** What an import may declare for each setting; `null` declares nothing. */
export const DECLARED_VALUES = Object.fromEntries(
  DECLARED_FIELDS.map((field) => [field, nullable(SCHEMAS[DECLARED_SETTINGS[field].kind])]),
) as { readonly [Field in DeclaredField]: OrNull<ValueSchema<Field>> };

type ShownSchema<Field extends DeclaredField> = Type.TObject<{
  value: InForceSchema<Field>;
  from: typeof VALUE_SOURCE;
  declared: OrNull<ValueSchema<Field>>;
}>;

/** The value in force of each setting, where it comes from, and what was declared (R31): `null` when nothing was. */
export const SHOWN_SETTINGS = Object.fromEntries(
  DECLARED_FIELDS.map((field) => [
    field,
    object({ value: inForce(field), from: VALUE_SOURCE, declared: nullable(SCHEMAS[DECLARED_SETTINGS[field].kind]) }),
  ]),
) as { readonly [Field in DeclaredField]: ShownSchema<Field> };

export type ValueSource = InEngine<typeof VALUE_SOURCE>;

export type ShownSetting<Value> = Readonly<{ value: Value; from: ValueSource; declared: Value | null }>;

export type ShownSettings = { readonly [Field in DeclaredField]: ShownSetting<InForceOf<Field>> };
