// Whose request this is: finds the key in the path or in the Authorization header and asks the engine. It must not
// judge a key's form: only the engine knows keys, and everything that is not a live one gets its one 401 (R2, R3).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Caller, KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { NoteFailure } from "./failed-authentication.ts";
import { SCHEMES, type Scheme } from "./schemes.ts";
import type { Version } from "./versions.ts";

/** No key is empty, so this stands for every credential that holds none. */
const NO_KEY = "";

type Purpose = Exclude<KeyScope, "all">;

const SERVED: Readonly<Record<Purpose, string>> = { ping: "telemetry", sync: "sync" };

export type Gate = Readonly<{ engine: Engine; version: Version; noteFailure: NoteFailure }>;

interface Credentials {
  readonly pathKey: string | null;
  readonly headers: Headers;
  /** Finds out the address; asked only when it is needed. */
  readonly client: () => string;
}

/** The caller of an operation; 401 without a live key, which is noted. */
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
 * The caller of a request that may be refused anyway: nothing is noted. A key in the path wins over a header, and of a
 * header only the version's schemes count (R5).
 */
export const identify = (
  { engine, version }: Pick<Gate, "engine" | "version">,
  { pathKey, headers }: Pick<Credentials, "pathKey" | "headers">,
): Caller | Refusal => engine.intake.authenticate(givenKey({ version }, { pathKey, headers }));

const givenKey = (
  { version }: Pick<Gate, "version">,
  { pathKey, headers }: Pick<Credentials, "pathKey" | "headers">,
): string => pathKey ?? keyFromHeader(headers.get("authorization"), version.schemes);

/** 403 `ACCESS_DENIED` where the key is for something else (R3); null: it is for this. */
export function checkScope({ scope }: Caller, purpose: Purpose): Refusal | null {
  if (scope === "all" || scope === purpose) return null;
  return refuse(
    "ACCESS_DENIED",
    `this key has the scope "${scope}", ${SERVED[purpose]} takes keys of the scopes "all" and "${purpose}"`,
  );
}

/** A scheme in any case, and its credentials; blanks around a header's value never get here. */
const AUTHORIZATION = /^([a-z]+) +(.+)$/i;

/** Several times a key in any scheme; a longer header would only cost. */
const AUTHORIZATION_MAX = 1_000;

/** The key in an Authorization header; empty for one of another scheme, and for a malformed one. */
function keyFromHeader(authorization: string | null, schemes: readonly Scheme[]): string {
  if (authorization === null || authorization.length > AUTHORIZATION_MAX) return NO_KEY;
  const [, word = "", credentials = ""] = AUTHORIZATION.exec(authorization) ?? [];
  const scheme = schemes.find((taken) => taken === word.toLowerCase());
  return scheme === undefined ? NO_KEY : SCHEMES[scheme].keyIn(credentials);
}
