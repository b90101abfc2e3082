// Applications and their keys: whose a key is, and what an operator does with them. A key is known by its SHA-256 alone
// (R2): nothing here keeps a plain one.

import { checkSlug, formatKey, KEY_PREFIX } from "../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { ApplicationRow } from "../store/applications.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Clock, Engine, KeyRow, KeyScope } from "./api.ts";
import { findApplication } from "./reads/operator-views.ts";

/** More live keys than an installation has; beyond it, the oldest looked up is looked up again. */
const CALLERS_KEPT = 10_000;

/** R3: missing, malformed, unknown and revoked keys all get this one answer. */
const NOT_AUTHENTICATED = refuse(
  "AUTHENTICATION_REQUIRED",
  "a valid API key is required: in the path behind the monitor key, or as the user name of HTTP Basic",
);

export type Keyring = Pick<Engine, "authenticate" | "createApplication" | "createKey" | "listKeys" | "revokeKey"> & {
  /** Writes when each key was last used, for those used since the last call. */
  saveUses(): void;
};

export function createKeyring(store: Store, clock: Clock): Keyring {
  const callers = new Map<string, Caller>();
  const uses = new Map<number, Instant>();

  function authenticate(key: string): Caller | Refusal {
    if (!key.startsWith(KEY_PREFIX)) return NOT_AUTHENTICATED;
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

  function createApplication(slug: string): ApplicationRow | Refusal {
    const wrong = checkSlug(slug);
    if (wrong !== null) return wrong;
    if (store.applications.find(slug) !== null)
      return refuse("INVALID_REQUEST", `slug: application "${slug}" exists already`);
    return store.applications.create(slug, clock.now());
  }

  function createKey(application: string | null, scope: KeyScope, secret: string) {
    const owner = application === null ? findApplication({ store }, null) : store.applications.find(application);
    if (owner === null) return unknownApplication(application ?? "");
    if (isRefusal(owner)) return owner;
    const key = formatKey(owner.slug, secret);
    const id = store.keys.insert(owner.id, Buffer.from(Bun.SHA256.hash(key, "hex"), "hex"), scope, clock.now());
    return { key, row: store.keys.find(id)! };
  }

  function listKeys(application: string | null): readonly KeyRow[] | Refusal {
    if (application === null) return store.keys.list(null).map(withLastUse);
    const owner = store.applications.find(application);
    return owner === null ? unknownApplication(application) : store.keys.list(owner.id).map(withLastUse);
  }

  const withLastUse = (row: KeyRow): KeyRow => ({ ...row, lastUsedAt: uses.get(row.id) ?? row.lastUsedAt });

  function revokeKey(id: number): KeyRow | Refusal {
    if (store.keys.find(id) === null)
      return refuse("NOT_FOUND", `id: there is no key ${id}; \`rollcall key list\` shows them`);
    store.keys.revoke(id, clock.now());
    callers.clear();
    return store.keys.find(id)!;
  }

  function saveUses(): void {
    if (uses.size === 0) return;
    store.database.transaction(() => store.keys.setLastUsed(uses)).immediate();
    uses.clear();
  }

  return { authenticate, createApplication, createKey, listKeys, revokeKey, saveUses };
}

const unknownApplication = (slug: string): Refusal =>
  refuse("NOT_FOUND", `application: "${slug}" does not exist; \`rollcall app create ${slug}\` creates it`);
