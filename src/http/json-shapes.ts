// Shapes of JSON in typebox: each is the type that our code is checked against, and the schema in the OpenAPI document.

import Type, { type Static, type TSchema, type TSchemaOptions } from "typebox";

export type Shape<Known> = Readonly<{ schema: TSchema; of: (known: Known) => object }>;

/** Makes bodies of this shape: the compiler checks the code that fills them. */
export const responseBody =
  <Schema extends TSchema>(schema: Schema) =>
  <Known>(of: (known: Known) => Static<Schema> & object) => ({ schema, of });

/** A pattern that allows no character of C0 or C1, nor DEL. */
const LINE = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** A text of one line that people read and compare. */
export const line = (maxLength: number, more: TSchemaOptions & { readonly minLength?: number } = {}) =>
  Type.String({ maxLength, pattern: LINE, ...more });

export const instant = (description = "ISO 8601, in UTC.") =>
  Type.String({
    format: "date-time",
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
    description,
  });

export const count = (more: TSchemaOptions = {}) => Type.Integer({ minimum: 0, ...more });

export const oneOf = <const Word extends string>(words: readonly Word[], more: TSchemaOptions = {}) =>
  Type.Unsafe<Word>({ type: "string", enum: words, ...more });

export const nullable = <Schema extends TSchema & { readonly type: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, "null"] });
