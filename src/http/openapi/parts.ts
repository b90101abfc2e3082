// What every part of the OpenAPI document is made of: the shape of a section, references, and the headers that all
// answers have. It must not know an operation.

import type { TSchema } from "typebox";
import { EVERY_ANSWER } from "../answers.ts";
import type { Version } from "../api/versions.ts";

/** A JSON object of the document; a typebox schema is one. */
export type Json = Readonly<Record<string, unknown>> | TSchema;

/** What operations share by name. */
type ComponentKind = "schemas" | "parameters" | "headers" | "responses" | "securitySchemes";
export type Components = Readonly<Partial<Record<ComponentKind, Readonly<Record<string, Json>>>>>;

/** What one group of operations adds to the document. Paths and components of two sections have different names. */
export interface Section {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Path items by their template. */
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Components;
}

export const refer = (kind: ComponentKind, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const { "content-type": mediaType, ...COMMON } = EVERY_ANSWER;

/** Of every body, in both directions. */
export const MEDIA_TYPE = mediaType;

/** The headers of every answer, as components, by their names. */
export const COMMON_HEADERS: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(COMMON).map(([name, value]) => [titleOf(name), { required: true, schema: { const: value } }]),
);

const COMMON_REFERENCES: Json = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, refer("headers", name)]),
);

export interface AnswerParts {
  readonly description: string;
  readonly schema: Json;
  /** Whole bodies, by a name. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** Beside those that every answer has. */
  readonly headers?: Json;
}

/** A response with a JSON body. */
export const jsonResponse = ({ description, schema, examples, headers = {} }: AnswerParts) => ({
  description,
  headers: { ...COMMON_REFERENCES, ...headers },
  content: {
    [MEDIA_TYPE]: {
      schema,
      examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
    },
  },
});

/** The same as a HEAD has it. */
export const bodiless = ({ content: _, ...rest }: ReturnType<typeof jsonResponse>): Json => rest;

/** A name that only this version has: `getFailWithPathKey` is `aliasGetFailWithPathKey` for the aliases. */
export const nameIn = ({ idPrefix }: Version, name: string): string =>
  idPrefix === "" ? name : idPrefix + capital(name);

/** The same for a component, whose name begins with a capital letter. */
export const componentName = (version: Version, name: string): string => capital(nameIn(version, name));

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `cache-control` as people write it, and `WWW-Authenticate`. */
export function titleOf(header: string): string {
  return header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()).replace(/^Www-/, "WWW-");
}
