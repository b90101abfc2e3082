// What every part of the OpenAPI document is made of: the shape of a section, references, and the headers that all
// answers have. It must not know an operation.

import type { TSchema } from "typebox";
import { EVERY_ANSWER } from "../answers.ts";
import { SCHEMES, type Scheme } from "../api/schemes.ts";
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
const MEDIA_TYPE = mediaType;

/** The headers of every answer, as components, by their names. */
export const COMMON_HEADERS: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(COMMON).map(([name, value]) => [titleOf(name), { required: true, schema: { const: value } }]),
);

const COMMON_REFERENCES: Json = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, refer("headers", name)]),
);

/** Whole bodies, by a name. */
type Examples = Readonly<Record<string, unknown>>;

/** A JSON body, in either direction. */
export const jsonBody = (schema: Json, examples: Examples) => ({
  [MEDIA_TYPE]: {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

/** A response with a JSON body, and headers beside those that every answer has. */
export const jsonResponse = (description: string, schema: Json, examples: Examples, headers: Json = {}) => ({
  description,
  headers: { ...COMMON_REFERENCES, ...headers },
  content: jsonBody(schema, examples),
});

/** The same as a HEAD has it. */
export const bodiless = ({ content: _, ...rest }: ReturnType<typeof jsonResponse>): Json => rest;

/** The ways to send a key in a header, as components. */
export const SECURITY_SCHEMES = Object.fromEntries(Object.values(SCHEMES).map(({ name, shown }) => [name, shown]));

/** What an operation asks for that takes these, any one of them. */
export const keyInHeader = (schemes: readonly Scheme[]): readonly Json[] =>
  schemes.map((scheme) => ({ [SCHEMES[scheme].name]: [] }));

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
