// The ways to send an API key in an Authorization header, each once: how to find the key, and its words in the OpenAPI
// document. versions.ts says which version takes which.

import { orElse } from "../../domain/unless-missing.ts";

/** By the first word of such a header, in lower case. */
export type Scheme = "basic" | "bearer" | "apikey";

interface SchemeRow {
  /** The key in the credentials; empty if they hold none. */
  readonly keyIn: (credentials: string) => string;
  readonly name: string;
  readonly shown: Readonly<Record<string, string>>;
}

export const SCHEMES: Readonly<Record<Scheme, SchemeRow>> = {
  basic: {
    keyIn: keyFromBasic,
    name: "basic",
    shown: { type: "http", scheme: "basic", description: "The API key as user name, and an empty password." },
  },
  bearer: {
    keyIn: (credentials) => credentials,
    name: "bearer",
    shown: { type: "http", scheme: "bearer", description: "`Authorization: Bearer KEY`." },
  },
  apikey: {
    keyIn: (credentials) => credentials,
    name: "apiKey",
    shown: {
      type: "apiKey",
      in: "header",
      name: "Authorization",
      description: "`Authorization: ApiKey KEY`: the word, a space and the key.",
    },
  },
};

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The user name when the password is empty. */
function keyFromBasic(encoded: string): string {
  const credentials = BASE64.test(encoded) ? orElse("", () => atob(encoded)) : "";
  const colon = credentials.indexOf(":");
  const passwordIsEmpty = colon === credentials.length - 1;
  return passwordIsEmpty ? credentials.slice(0, colon) : "";
}
