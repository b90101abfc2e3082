// Makes the schemas of JSON bodies, with typebox. From each schema follow the type that our code is checked against and
// the description in the OpenAPI document.

import Type, { type Static, type TSchema, type TSchemaOptions } from "typebox";

export type Shape<Known> = Readonly<{ schema: TSchema; of: (known: Known) => object }>;

/**
 * Joins a schema with the function that makes bodies of it. The compiler checks that the function's result fits the
 * schema.
 */
export const responseBodyShape =
  <Schema extends TSchema>(schema: Schema) =>
  <Known>(of: (known: Known) => Static<Schema> & object) => ({ schema, of });

/** Matches a text that has no control character (C0, DEL or C1). */
const LINE = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

export const lineShape = (maxLength: number, more: TSchemaOptions & { readonly minLength?: number } = {}) =>
  Type.String({ maxLength, pattern: LINE, ...more });

export const instantShape = (description = "ISO 8601, in UTC.") =>
  Type.String({
    format: "date-time",
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
    description,
  });

export const countShape = (more: TSchemaOptions = {}) => Type.Integer({ minimum: 0, ...more });

export const oneOfShape = <const Word extends string>(words: readonly Word[], more: TSchemaOptions = {}) =>
  Type.Unsafe<Word>({ type: "string", enum: words, ...more });

export const nullableShape = <Schema extends TSchema & { readonly type: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, "null"] });
