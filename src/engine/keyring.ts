// Looks up who owns an API key or an address of another service (R2), and notes when each was last used. Only the
// SHA-256 of either is stored.

import { KEY_LENGTH_MAX, KEY_PREFIX } from "../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { Convention } from "../domain/old-address.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyOwner } from "../store/keys.ts";
import type { ReportedAddress } from "../store/old-address-rows.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Clock, RevokedKey } from "./api.ts";

/**
 * The refusal of every key that does not work. It is the same for missing, malformed, unknown and revoked keys (R3).
 */
const NOT_AUTHENTICATED = refuse(
  "AUTHENTICATION_REQUIRED",
  "a valid API key is required: in the path behind the monitor key, or as the user name of HTTP Basic",
);

/** Who reports at an address of another service (such as Healthchecks), and for which monitor. */
export type OldAddressCaller = ReportedAddress & Readonly<{ convention: Convention; caller: Caller }>;

export type Keyring = ReturnType<typeof createKeyring>;

export function createKeyring({ keys, oldAddresses, database }: Store, clock: Clock) {
  const uses = new Map<number, Instant>();
  const ofKeys = createCallers(keys.findByHash, clock, uses);
  const ofAddresses = createCallers(oldAddresses.findByHash, clock, uses);
  /** Whether any address of another service is stored; `null` when this must be read again. */
  let hasAddresses: boolean | null = null;

  const looksLikeKey = (text: string): boolean => text.length <= KEY_LENGTH_MAX && text.startsWith(KEY_PREFIX);

  function hasOldAddresses(): boolean {
    hasAddresses ??= oldAddresses.some();
    return hasAddresses;
  }

  /**
   * Returns who reports at an address of another service; `null` when no such address works (R45). `path` is the `path`
   * of an `OldAddress`, in which every address has only one spelling.
   */
  function atOldAddress(path: string): OldAddressCaller | Refusal | null {
    const known = hasOldAddresses() ? ofAddresses.of(path) : null;
    if (known === null) return null;
    const { caller, owner } = known;
    const { convention, monitorKey, prefix } = owner;
    return isRefusal(caller) ? caller : { convention, monitorKey, prefix, caller };
  }

  function saveUses(): void {
    if (uses.size === 0) return;
    database.transaction(() => keys.setLastUsed(uses)).immediate();
    uses.clear();
  }

  /** Forgets all owners, so that they are looked up again. Must be called when a key or an address has changed. */
  function forget(): void {
    ofKeys.forget();
    ofAddresses.forget();
    hasAddresses = null;
  }

  return {
    /**
     * Returns whose this key is; a refusal 403 when the application is suspended, and the same refusal 401 for every
     * text that is no working key (R2, R3).
     */
    authenticate: (key: string) => (looksLikeKey(key) ? ofKeys.of(key)?.caller : null) ?? NOT_AUTHENTICATED,
    atOldAddress,
    hasOldAddresses,
    /** Returns the revoked key or address with this secret; `null` when it works or never existed. */
    revoked: (secret: string) =>
      looksLikeKey(secret) ? ofKeys.revoked(secret) : secret.startsWith("/") ? ofAddresses.revoked(secret) : null,
    /** Returns the row with the newest use of its key, which may not be in the database yet. */
    withLastUse: <Row extends { readonly id: number; readonly lastUsedAt: Instant | null }>(row: Row): Row => ({
      ...row,
      lastUsedAt: uses.get(row.id) ?? row.lastUsedAt,
    }),
    forget,
    saveUses,
  };
}

// Below: the lookup by SHA-256, which API keys and addresses of other services share. Both are called secrets here.

/** How many secrets are remembered; an installation has fewer. With more, the one that was read first is forgotten. */
const KEPT = 10_000;

/** A secret that works. `caller` is a refusal 403 when the application is suspended. */
interface KnownKey<Owner extends KeyOwner> {
  readonly owner: Owner;
  readonly caller: Caller | Refusal;
  /** When the secret stops working because it was replaced by another; Infinity when it was not. */
  readonly until: Instant;
}

/**
 * Finds the owners of secrets, and remembers those whose secrets work. `find` reads the owner of a secret from the
 * database, also of a revoked one. When a secret is used, the time is put into `uses` under the id of its key.
 */
function createCallers<Owner extends KeyOwner>(
  find: (hash: Buffer) => Owner | null,
  clock: Clock,
  uses: Map<number, Instant>,
) {
  const callers = new Map<string, KnownKey<Owner>>();

  /** Returns the owner of a secret that works, else `null`. Notes the use, unless the application is suspended. */
  function of(secret: string): KnownKey<Owner> | null {
    const hash = keyHash(secret);
    const now = clock.now();
    const known = callers.get(hash) ?? lookUp(hash, now);
    if (known === null || known.until <= now) return null;
    if (!isRefusal(known.caller)) uses.set(known.owner.keyId, now);
    return known;
  }

  function lookUp(hash: string, now: Instant): KnownKey<Owner> | null {
    const owner = find(Buffer.from(hash, "hex"));
    if (owner === null || hasEnded(owner, now)) return null;
    const { keyId, scope, applicationId, application } = owner;
    const known: KnownKey<Owner> = {
      owner,
      caller: owner.suspendedAt === null ? { keyId, scope, applicationId, application } : suspended(application),
      until: owner.revokedAt ?? Number.POSITIVE_INFINITY,
    };
    if (callers.size >= KEPT) callers.delete(callers.keys().next().value!);
    callers.set(hash, known);
    return known;
  }

  function revoked(secret: string): RevokedKey | null {
    const owner = find(Buffer.from(keyHash(secret), "hex"));
    if (owner === null || !hasEnded(owner, clock.now())) return null;
    const { keyId, scope, applicationId, application, suspendedAt } = owner;
    return { keyId, scope, applicationId, application, suspended: suspendedAt !== null };
  }

  return { of, revoked, forget: () => callers.clear() };
}

const keyHash = (secret: string): string => Bun.SHA256.hash(secret, "hex");

const hasEnded = ({ revokedAt }: KeyOwner, now: Instant): boolean => revokedAt !== null && revokedAt <= now;

const suspended = (application: string): Refusal =>
  refuse(
    "ACCESS_DENIED",
    `application "${application}" is suspended: its reports are refused until an operator resumes it`,
  );
