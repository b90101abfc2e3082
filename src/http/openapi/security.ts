// The ways to send an API key in a header, as the OpenAPI document has them. It must not know which version takes which.

import type { Scheme } from "../api/versions.ts";
import type { Json } from "./parts.ts";

/** Ways to send the key in a header. */
const SCHEMES: Readonly<Record<Scheme, { readonly name: string; readonly scheme: Json }>> = {
  basic: {
    name: "basic",
    scheme: { type: "http", scheme: "basic", description: "The API key as user name, and an empty password." },
  },
  bearer: {
    name: "bearer",
    scheme: { type: "http", scheme: "bearer", description: "`Authorization: Bearer KEY`." },
  },
  apikey: {
    name: "apiKey",
    scheme: {
      type: "apiKey",
      in: "header",
      name: "Authorization",
      description: "`Authorization: ApiKey KEY`: the word, a space and the key.",
    },
  },
};

/** All of them, as components. */
export const securitySchemes = (): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.values(SCHEMES).map(({ name, scheme }) => [name, scheme]));

/** What an operation asks for that takes these, any one of them. */
export const keyInHeader = (schemes: readonly Scheme[]): readonly Json[] =>
  schemes.map((scheme) => ({ [SCHEMES[scheme].name]: [] }));
