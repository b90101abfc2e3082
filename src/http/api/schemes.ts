// The ways to send an API key in an Authorization header (Basic, Bearer and ApiKey): how the key is read, and how the
// OpenAPI document describes each way.

import { orElse } from "../../domain/unless-missing.ts";

export const SCHEMES = {
  basic: {
    keyIn: keyFromBasic,
    name: "basic",
    shown: { type: "http", scheme: "basic", description: "The API key as user name, and an empty password." },
  },
  bearer: {
    keyIn: (credentials: string) => credentials,
    name: "bearer",
    shown: { type: "http", scheme: "bearer", description: "`Authorization: Bearer KEY`." },
  },
  apikey: {
    keyIn: (credentials: string) => credentials,
    name: "apiKey",
    shown: {
      type: "apiKey",
      in: "header",
      name: "Authorization",
      description: "`Authorization: ApiKey KEY`: the word, a space and the key.",
    },
  },
};

export type Scheme = keyof typeof SCHEMES;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Finds the key in Basic credentials: it is the user name, and the password must be empty. Returns "" otherwise. */
function keyFromBasic(encoded: string): string {
  const credentials = BASE64.test(encoded) ? orElse("", () => atob(encoded)) : "";
  const colon = credentials.indexOf(":");
  const passwordIsEmpty = colon === credentials.length - 1;
  return passwordIsEmpty ? credentials.slice(0, colon) : "";
}
