// The parts of which the schemas of operations are made, and the types that follow from a schema.

import Type, { type TObjectOptions, type TProperties, type TSchema } from "typebox";
import { type Instant, toIso } from "../../domain/time.ts";

/** A type without mutable parts, because the receiver of an answer never changes it. */
export type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

/** The type of a schema's value inside the engine, in which times are instants. */
export type InEngine<Schema extends TSchema> = Frozen<Type.StaticDecode<Schema>>;

/** The type of a schema's value as it is written, in which times are ISO 8601 texts. */
export type AsWritten<Schema extends TSchema> = Frozen<Type.StaticEncode<Schema>>;

/** A time: an instant inside the engine, ISO 8601 when written. */
export const INSTANT = Type.Codec(Type.String({ format: "date-time" }))
  .Decode((text): Instant => Date.parse(text))
  .Encode(toIso);

export const TEXT = Type.String();
export const COUNT = Type.Integer({ minimum: 0 });
export const NUMBER = Type.Number();
export const BOOLEAN = Type.Boolean();

export const ID = Type.Integer({ minimum: 1 });

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const listOf = <Item extends TSchema>(item: Item) => Type.Array(item);

export const wordOf = <const Words extends [string, ...string[]]>(...words: Words): Type.TEnum<Words> =>
  Type.Enum(words) as unknown as Type.TEnum<Words>;

export const namedValues = <Value extends TSchema>(value: Value) => Type.Record(TEXT, value);

export const object = <Fields extends TProperties>(
  fields: Fields,
  options: TObjectOptions = {},
): Type.TObject<Fields> => Type.Object(fields, { additionalProperties: false, ...options });
