// Finds out whose a request is: it takes the key from the path or the Authorization header and asks the engine. It must
// not judge a key's form: only the engine knows keys, and every credential that is not a live key gets the same 401
// (R2, R3).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Caller, KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import { SCHEMES, type Scheme } from "./schemes.ts";
import type { Version } from "./versions.ts";

/** The result for every credential that holds no key. No key is empty. */
const NO_KEY = "";

type Purpose = Exclude<KeyScope, "all">;

const SERVED: Readonly<Record<Purpose, string>> = { ping: "telemetry", sync: "sync" };

export type Gate = Readonly<{ engine: Engine; version: Version; noteFailure: NoteFailure }>;

interface Credentials {
  readonly pathKey: string | null;
  readonly headers: Headers;
  /** Finds out the client's address; called only when it is needed. */
  readonly client: () => string;
}

/** Returns the caller of an operation, or 401 without a live key; that failure is noted. */
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
 * Returns the caller of a request that may be refused anyway, so no failure is noted. A key in the path wins over a
 * header, and a header counts only in the schemes of the version (R5).
 */
export const identify = (
  { engine, version }: Pick<Gate, "engine" | "version">,
  { pathKey, headers }: Pick<Credentials, "pathKey" | "headers">,
): Caller | Refusal => engine.intake.authenticate(givenKey({ version }, { pathKey, headers }));

const givenKey = (
  { version }: Pick<Gate, "version">,
  { pathKey, headers }: Pick<Credentials, "pathKey" | "headers">,
): string => pathKey ?? keyFromHeader(headers.get("authorization"), version.schemes);

/** Returns 403 `ACCESS_DENIED` when the key is for another purpose (R3), and `null` when it is for this one. */
export function checkScope({ scope }: Caller, purpose: Purpose): Refusal | null {
  if (scope === "all" || scope === purpose) return null;
  return refuse(
    "ACCESS_DENIED",
    `this key has the scope "${scope}", ${SERVED[purpose]} takes keys of the scopes "all" and "${purpose}"`,
  );
}

/**
 * An Authorization header: a scheme in any case, and its credentials. The runtime has already removed blanks around the
 * value.
 */
const AUTHORIZATION = /^([a-z]+) +(.+)$/i;

/**
 * How many characters of a header are read, several times the length of a key in any scheme; a longer header would only
 * cost time.
 */
const AUTHORIZATION_MAX = 1_000;

/** The key in an Authorization header; empty when the header is malformed or has another scheme. */
function keyFromHeader(authorization: string | null, schemes: readonly Scheme[]): string {
  if (authorization === null || authorization.length > AUTHORIZATION_MAX) return NO_KEY;
  const [, word = "", credentials = ""] = AUTHORIZATION.exec(authorization) ?? [];
  const scheme = schemes.find((taken) => taken === word.toLowerCase());
  return scheme === undefined ? NO_KEY : SCHEMES[scheme].keyIn(credentials);
}
