// Who owns an API key, and when it was last used. Knows a key only by its SHA-256 (R2): nothing here keeps a plain one.

import { KEY_LENGTH_MAX, KEY_PREFIX } from "../domain/api-key.ts";
import { type Refusal, refuse } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Clock, KeyRow } from "./api.ts";

/** More live keys than an installation has; beyond this we look the oldest up again. */
const CALLERS_KEPT = 10_000;

/** R3: missing, malformed, unknown and revoked keys all get this one answer. */
const NOT_AUTHENTICATED = refuse(
  "AUTHENTICATION_REQUIRED",
  "a valid API key is required: in the path behind the monitor key, or as the user name of HTTP Basic",
);

export interface Keyring {
  /** Whose key this is, or the one 401 for everything that is not a live key (R2, R3). */
  authenticate(key: string): Caller | Refusal;
  /** The row with a use that has not been written yet. */
  withLastUse(row: KeyRow): KeyRow;
  /** A key was revoked: look all owners up again. */
  forget(): void;
  /** Writes the time of last use for keys used since the last call. */
  saveUses(): void;
}

export function createKeyring(store: Store, clock: Clock): Keyring {
  const callers = new Map<string, Caller>();
  const uses = new Map<number, Instant>();

  function authenticate(key: string): Caller | Refusal {
    if (key.length > KEY_LENGTH_MAX || !key.startsWith(KEY_PREFIX)) return NOT_AUTHENTICATED;
    const hash = Bun.SHA256.hash(key, "hex");
    const caller = callers.get(hash) ?? lookUp(hash);
    if (caller === null) return NOT_AUTHENTICATED;
    uses.set(caller.keyId, clock.now());
    return caller;
  }

  function lookUp(hash: string): Caller | null {
    const owner = store.keys.findByHash(Buffer.from(hash, "hex"));
    if (owner === null || owner.revokedAt !== null) return null;
    const { revokedAt: _, ...caller } = owner;
    if (callers.size >= CALLERS_KEPT) callers.delete(callers.keys().next().value!);
    callers.set(hash, caller);
    return caller;
  }

  const withLastUse = (row: KeyRow): KeyRow => ({ ...row, lastUsedAt: uses.get(row.id) ?? row.lastUsedAt });

  function saveUses(): void {
    if (uses.size === 0) return;
    store.database.transaction(() => store.keys.setLastUsed(uses)).immediate();
    uses.clear();
  }

  return { authenticate, withLastUse, forget: () => callers.clear(), saveUses };
}
