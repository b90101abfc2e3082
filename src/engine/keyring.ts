// Who owns an API key, and when it was last used. Knows a key only by its SHA-256 (R2): nothing here keeps a plain one.

import { KEY_LENGTH_MAX, KEY_PREFIX } from "../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyOwner, KeyRow } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Clock, RevokedKey } from "./api.ts";

/** More live keys than an installation has; beyond this we look the oldest up again. */
const CALLERS_KEPT = 10_000;

/** R3: missing, malformed, unknown and revoked keys all get this one answer. */
const NOT_AUTHENTICATED = refuse(
  "AUTHENTICATION_REQUIRED",
  "a valid API key is required: in the path behind the monitor key, or as the user name of HTTP Basic",
);

export interface Keyring {
  /** Whose key this is; 403 where its application is suspended, else the one 401 for all but a live key (R2, R3). */
  authenticate(key: string): Caller | Refusal;
  /** Which key this was; null: it was none, or works. */
  revoked(key: string): RevokedKey | null;
  /** The row with a use that has not been written yet. */
  withLastUse(row: KeyRow): KeyRow;
  /** Something about keys has changed: look all owners up again. */
  forget(): void;
  /** Writes the time of last use for keys used since the last call. */
  saveUses(): void;
}

/** `until`: when the key ends, while another replaces it. */
interface Known {
  readonly caller: Caller | Refusal;
  readonly keyId: number;
  readonly until: Instant;
}

export function createKeyring(store: Store, clock: Clock): Keyring {
  const callers = new Map<string, Known>();
  const uses = new Map<number, Instant>();

  function authenticate(key: string): Caller | Refusal {
    if (key.length > KEY_LENGTH_MAX || !key.startsWith(KEY_PREFIX)) return NOT_AUTHENTICATED;
    const hash = Bun.SHA256.hash(key, "hex");
    const now = clock.now();
    const known = callers.get(hash) ?? lookUp(hash, now);
    if (known === null || known.until <= now) return NOT_AUTHENTICATED;
    if (isRefusal(known.caller)) return known.caller;
    uses.set(known.keyId, now);
    return known.caller;
  }

  function lookUp(hash: string, now: Instant): Known | null {
    const owner = ownerOf(hash);
    if (owner === null || isOver(owner, now)) return null;
    const { revokedAt, suspendedAt, ...caller } = owner;
    const known: Known = {
      caller: suspendedAt === null ? caller : suspended(caller.application),
      keyId: caller.keyId,
      until: revokedAt ?? Number.POSITIVE_INFINITY,
    };
    if (callers.size >= CALLERS_KEPT) callers.delete(callers.keys().next().value!);
    callers.set(hash, known);
    return known;
  }

  const ownerOf = (hash: string): KeyOwner | null => store.keys.findByHash(Buffer.from(hash, "hex"));

  function revoked(key: string): RevokedKey | null {
    if (key.length > KEY_LENGTH_MAX || !key.startsWith(KEY_PREFIX)) return null;
    const owner = ownerOf(Bun.SHA256.hash(key, "hex"));
    if (owner === null || !isOver(owner, clock.now())) return null;
    return { keyId: owner.keyId, application: owner.application };
  }

  const withLastUse = (row: KeyRow): KeyRow => ({ ...row, lastUsedAt: uses.get(row.id) ?? row.lastUsedAt });

  function saveUses(): void {
    if (uses.size === 0) return;
    store.database.transaction(() => store.keys.setLastUsed(uses)).immediate();
    uses.clear();
  }

  return { authenticate, revoked, withLastUse, forget: () => callers.clear(), saveUses };
}

const isOver = ({ revokedAt }: KeyOwner, now: Instant): boolean => revokedAt !== null && revokedAt <= now;

const suspended = (application: string): Refusal =>
  refuse(
    "ACCESS_DENIED",
    `application "${application}" is suspended: its reports are refused until an operator resumes it`,
  );
