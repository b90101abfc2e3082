// Finds the caller of a request: it takes the API key from the path or the Authorization header and asks the engine
// whose key it is. How a key looks is not judged here: whatever is no valid key gets the same 401 (R2, R3).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Caller, KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import { SCHEMES, type Scheme } from "./schemes.ts";
import type { Version } from "./versions.ts";

/** The key that the engine gets when a request has none, or none that can be read. No real key is empty. */
const NO_KEY = "";

type Purpose = Exclude<KeyScope, "all">;

const SERVED: Readonly<Record<Purpose, string>> = { ping: "telemetry", sync: "sync" };

export type Gate = Readonly<{ engine: Engine; version: Version; noteFailure: NoteFailure }>;

interface Credentials {
  readonly pathKey: string | null;
  readonly headers: Headers;
  /** Returns the client's address; it is called only when that is needed. */
  readonly client: () => string;
}

/** Finds the caller of a request; a 401 is also noted in the log. */
export function authenticate({ noteFailure, ...gate }: Gate, credentials: Credentials): Caller | Refusal {
  const caller = identify(gate, credentials);
  if (isRefusal(caller) && caller.refusal === "AUTHENTICATION_REQUIRED")
    noteFailure(credentials.client(), revokedIn(gate, credentials));
  return caller;
}

export const revokedIn = (
  gate: Pick<Gate, "engine" | "version">,
  credentials: Pick<Credentials, "pathKey" | "headers">,
) => gate.engine.intake.revokedKey(givenKey(gate, credentials));

/**
 * Like `authenticate`, but notes nothing in the log, for requests that may be refused for another reason. A key in the
 * path wins over a header, and a header counts only in the schemes of the version (R5).
 */
export const identify = (
  { engine, version }: Pick<Gate, "engine" | "version">,
  { pathKey, headers }: Pick<Credentials, "pathKey" | "headers">,
): Caller | Refusal => engine.intake.authenticate(givenKey({ version }, { pathKey, headers }));

const givenKey = (
  { version }: Pick<Gate, "version">,
  { pathKey, headers }: Pick<Credentials, "pathKey" | "headers">,
): string => pathKey ?? keyFromHeader(headers.get("authorization"), version.schemes);

/** Returns 403 when the key's scope does not cover this purpose (R3), otherwise `null`. */
export function checkScope({ scope }: Caller, purpose: Purpose): Refusal | null {
  if (scope === "all" || scope === purpose) return null;
  return refuse(
    "ACCESS_DENIED",
    `this key has the scope "${scope}", ${SERVED[purpose]} takes keys of the scopes "all" and "${purpose}"`,
  );
}

/**
 * Matches an Authorization header: a scheme such as `Bearer`, in upper or lower case, and its credentials. Bun has
 * already removed blanks around the value.
 */
const AUTHORIZATION = /^([a-z]+) +(.+)$/i;

/**
 * How many characters an Authorization header may have; a longer one counts as one without a key. A key needs only a
 * part of that in any scheme, and to read a longer header would only cost time.
 */
const AUTHORIZATION_MAX = 1_000;

/** The key in an Authorization header; "" when the header is malformed, too long or has another scheme. */
function keyFromHeader(authorization: string | null, schemes: readonly Scheme[]): string {
  if (authorization === null || authorization.length > AUTHORIZATION_MAX) return NO_KEY;
  const [, word = "", credentials = ""] = AUTHORIZATION.exec(authorization) ?? [];
  const scheme = schemes.find((taken) => taken === word.toLowerCase());
  return scheme === undefined ? NO_KEY : SCHEMES[scheme].keyIn(credentials);
}
