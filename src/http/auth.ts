// Whose request this is: finds the key in the path or in HTTP Basic and asks the engine. It must not judge a key's
// form: only the engine knows keys, and everything that is not a live one gets its one 401 (R2, R3).

import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { Caller, Engine } from "../engine/contract.ts";

/** No key is empty, so this stands for every credential that holds none. */
const NO_KEY = "";

/**
 * The caller of a telemetry operation; 401 without a live key, 403 `ACCESS_DENIED` outside the key's scope. A key in
 * the path wins over a header (R5).
 */
export function authenticate(engine: Engine, pathKey: string | null, headers: Headers): Caller | Refusal {
  const caller = engine.authenticate(pathKey ?? keyFromBasic(headers.get("authorization")));
  if (isRefusal(caller) || caller.scope !== "sync") return caller;
  return refuse("ACCESS_DENIED", 'this key has the scope "sync", telemetry takes keys of the scopes "all" and "ping"');
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** The user name of HTTP Basic with an empty password; empty for every other header, malformed ones included. */
function keyFromBasic(authorization: string | null): string {
  const encoded = authorization === null ? undefined : BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return NO_KEY;
  const credentials = decodeBase64(encoded);
  const colon = credentials.indexOf(":");
  const passwordIsEmpty = colon === credentials.length - 1;
  return passwordIsEmpty ? credentials.slice(0, colon) : NO_KEY;
}

function decodeBase64(encoded: string): string {
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}
