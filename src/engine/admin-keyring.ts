// Keeps in memory which administrators' keys work and when each was last used. Only the SHA-256 of a key is known here.

import { timingSafeEqual } from "node:crypto";
import { ADMIN_KEY_LENGTH, ADMIN_KEY_PREFIX } from "../domain/api-key.ts";
import type { AdminKey } from "../domain/people/person.ts";
import type { AdminKeyRow, AdminKeyUse } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "./api.ts";

type Working = AdminKey & Readonly<{ hash: Uint8Array }>;

export type AdminKeyring = ReturnType<typeof createAdminKeyring>;

export function createAdminKeyring({ adminKeys, database }: Store, clock: Clock) {
  let known: readonly Working[] | null = null;
  const uses = new Map<number, AdminKeyUse>();

  function working(): readonly Working[] {
    known ??= adminKeys.working().map(({ id, label, scope, hash }) => ({ id, label, scope, hash }));
    return known;
  }

  /** Returns the key with this text, or `null` when no such key works. Notes its use from `address` now. */
  function authenticate(key: string, address: string): AdminKey | null {
    const hash = adminKeyHash(key);
    const found = hash === null ? undefined : working().find((one) => timingSafeEqual(one.hash, hash));
    if (found === undefined) return null;
    uses.set(found.id, { usedAt: clock.now(), usedFrom: address });
    return { id: found.id, label: found.label, scope: found.scope };
  }

  function revoked(key: string): number | null {
    const hash = adminKeyHash(key);
    const found = hash === null ? null : adminKeys.findByHash(hash);
    return found === null || found.revokedAt === null ? null : found.id;
  }

  function saveUses(): void {
    if (uses.size === 0) return;
    const save = () => {
      for (const [id, use] of uses) adminKeys.setUsed(id, use);
    };
    database.transaction(save).immediate();
    uses.clear();
  }

  return {
    /** Whether any key works. If none does, rollcall has no administrator's API. */
    isOpen: () => working().length > 0,
    authenticate,
    revoked,
    /** Returns the row with the newest use of its key, which may not be in the database yet. */
    withLastUse: (row: AdminKeyRow) => ({ ...row, ...uses.get(row.id) }),
    forget: () => {
      known = null;
    },
    saveUses,
  };
}

/** Returns the hash of the key; `null` when the text cannot be a key, because its length or beginning is wrong. */
const adminKeyHash = (key: string): Uint8Array | null =>
  key.length === ADMIN_KEY_LENGTH && key.startsWith(ADMIN_KEY_PREFIX) ? (Bun.SHA256.hash(key) as Uint8Array) : null;
