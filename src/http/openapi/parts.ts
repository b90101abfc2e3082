// The parts that the OpenAPI documents share: the frame around their sections, references, the headers that all
// responses have, and the refusals from the table by which the server answers.

import Type, { type TSchema } from "typebox";
import { version } from "../../../package.json" with { type: "json" };
import { type RefusalCode, STATUS } from "../../domain/errors.ts";
import { MINUTE } from "../../domain/time.ts";
import { SCHEMES, type Scheme } from "../api/schemes.ts";
import type { Version } from "../api/versions.ts";
import { REFUSALS, rateExceeded, refused } from "../error-responses.ts";
import { EVERY_RESPONSE } from "../json-responses.ts";
import { oneOfShape } from "../json-shapes.ts";

/** A JSON object of the document; a typebox schema is one. */
export type Json = Readonly<Record<string, unknown>> | TSchema;

type ComponentKind = "schemas" | "parameters" | "headers" | "responses" | "securitySchemes";
export type Components = Readonly<Partial<Record<ComponentKind, Readonly<Record<string, Json>>>>>;

/**
 * The part of a document about one group of operations. No two sections have a path or a component of the same name.
 */
export interface Section {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Components;
}

export const refer = (kind: ComponentKind, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const { "content-type": MEDIA_TYPE, ...COMMON } = EVERY_RESPONSE;

const COMMON_HEADERS: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(COMMON).map(([name, value]) => [headerTitle(name), { required: true, schema: { const: value } }]),
);

const COMMON_REFERENCES: Json = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, refer("headers", name)]),
);

type Examples = Readonly<Record<string, unknown>>;

export const jsonBody = (schema: Json, examples: Examples) => ({
  [MEDIA_TYPE]: {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

export const jsonResponse = (description: string, schema: Json, examples: Examples, headers: Json = {}) => ({
  description,
  headers: { ...COMMON_REFERENCES, ...headers },
  content: jsonBody(schema, examples),
});

export const bodiless = ({ content: _, ...rest }: { readonly content: Json }): Json => rest;

export const SECURITY_SCHEMES = Object.fromEntries(Object.values(SCHEMES).map(({ name, shown }) => [name, shown]));

export const keyInHeader = (schemes: readonly Scheme[]): readonly Json[] =>
  schemes.map((scheme) => ({ [SCHEMES[scheme].name]: [] }));

/**
 * Makes a name of an operation or schema that only this version has: for the unversioned addresses `getFailWithPathKey`
 * becomes `aliasGetFailWithPathKey`.
 */
export const schemaNameIn = ({ idPrefix }: Version, name: string): string =>
  idPrefix === "" ? name : idPrefix + capital(name);

export const componentName = (version: Version, name: string): string => capital(schemaNameIn(version, name));

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Capitalizes the name of a header: `cache-control` becomes `Cache-Control`, `www-authenticate` `WWW-Authenticate`. */
function headerTitle(header: string): string {
  return header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()).replace(/^Www-/, "WWW-");
}

const CODES = Object.keys(REFUSALS) as RefusalCode[];

const HEADERS: Readonly<Record<string, Json>> = {
  "www-authenticate": { schema: { type: "string" } },
  allow: { description: "The methods that are taken.", schema: { type: "string" } },
  "retry-after": {
    description: "Whole seconds after which to try again.",
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
  },
};

const headersOf = (code: RefusalCode): readonly [string, Json][] =>
  Object.entries(REFUSALS[code].headers ?? {}).map(([name, example]) => [
    headerTitle(name),
    { required: true, ...HEADERS[name], example },
  ]);

const limit = { setting: "limits.v1_per_minute", most: 60, span: MINUTE };

const exampleOf = (code: RefusalCode): object =>
  code === "RATE_LIMIT_EXCEEDED"
    ? rateExceeded.of({ accepted: false, limit, retryAfterSeconds: 17 })
    : refused.of({ refusal: code, message: REFUSALS[code].example });

const refusalSchemaName = (status: number): string => `Refused${status}`;

/**
 * The response that Bun gives when the request line and headers are too large, before our code has seen the request.
 */
const HEAD_TOO_LARGE: Json = {
  description:
    "The request line and the headers are too large together. This answer alone has neither a body nor headers of ours.",
};

/** References to the responses with these statuses, and to 431, which any operation may give. */
export const refusals = (...statuses: readonly number[]): Json => ({
  ...Object.fromEntries(statuses.map((status) => [status, refer("responses", refusalSchemaName(status))])),
  431: refer("responses", "HeadTooLarge"),
});

function refusalComponents(): Components {
  const statuses = [...new Set(CODES.map((code) => STATUS[code]))];
  const described = Object.fromEntries(statuses.map((status) => [refusalSchemaName(status), describeStatus(status)]));
  return { responses: { ...described, HeadTooLarge: HEAD_TOO_LARGE } };
}

function describeStatus(status: number): Json {
  const codes = CODES.filter((code) => STATUS[code] === status);
  const { schema } = codes.includes("RATE_LIMIT_EXCEEDED") ? rateExceeded : refused;
  return jsonResponse(
    codes.map((code) => `\`${code}\`: ${REFUSALS[code].when}.`).join(" "),
    Type.Object({ ...schema.properties, error: oneOfShape(codes) }),
    Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
    Object.fromEntries(codes.flatMap(headersOf)),
  );
}

type Info = Readonly<{ title: string; summary: string; description: string }>;

export function documentOf({ title, ...words }: Info, sections: readonly Section[]): Json {
  return {
    openapi: "3.1.1",
    info: { title, version, ...words },
    servers: [{ url: "/", description: "The service this document came from." }],
    tags: sections.flatMap(({ tags }) => tags),
    paths: Object.assign({}, ...sections.map(({ paths }) => paths)),
    components: joinedComponents([
      { headers: COMMON_HEADERS },
      refusalComponents(),
      ...sections.map(({ components }) => components),
    ]),
  };
}

function joinedComponents(parts: readonly Components[]): Components {
  const kinds = new Set(parts.flatMap((part) => Object.keys(part) as (keyof Components)[]));
  return Object.fromEntries([...kinds].map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind]))]));
}
