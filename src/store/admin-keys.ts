// The rows of administrators' keys. Stores only hashes: only its owner knows the key itself.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { adminKeys } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

type StoredAdminKey = Readonly<Stored<typeof adminKeys>>;

/** A key as stored: never the key itself. `usedAt` and `usedFrom`, an address: null if it was never used. */
export type AdminKeyRow = Omit<StoredAdminKey, "hash">;

export type NewAdminKey = Pick<StoredAdminKey, "hash" | "scope" | "label" | "createdAt">;

/** When and from which address a key was last used. */
export type AdminKeyUse = { readonly usedAt: Instant; readonly usedFrom: string };

export interface AdminKeyRows {
  /** Returns the key's id. */
  insert(key: NewAdminKey): number;
  /** Those that are not revoked, with their hashes. */
  working(): StoredAdminKey[];
  /** Finds revoked keys too. */
  findByHash(hash: Uint8Array): AdminKeyRow | null;
  find(id: number): AdminKeyRow | null;
  /** In the order of creation, revoked ones included. */
  list(): AdminKeyRow[];
  /** A key that is revoked already keeps its time. */
  revoke(id: number, revokedAt: Instant): void;
  setUsed(id: number, use: AdminKeyUse): void;
}

const SHOWN = ["id", "scope", "label", "createdAt", "usedAt", "usedFrom", "revokedAt"] as const;

export function adminKeyRows(database: Database): AdminKeyRows {
  const select = `SELECT ${columnsOf(adminKeys, "ak", SHOWN)} FROM admin_keys ak`;
  const insert = database.prepare<{ id: number }, [Omit<StoredAdminKey, "id">]>(
    `${insertInto(adminKeys)} RETURNING id`,
  );
  const working = database.prepare<StoredAdminKey, []>(
    `SELECT ${columnsOf(adminKeys, "ak")} FROM admin_keys ak WHERE ak.revoked_at IS NULL ORDER BY ak.id`,
  );
  const findByHash = database.prepare<AdminKeyRow, [Uint8Array]>(`${select} WHERE ak.hash = ?`);
  const find = database.prepare<AdminKeyRow, [number]>(`${select} WHERE ak.id = ?`);
  const list = database.prepare<AdminKeyRow, []>(`${select} ORDER BY ak.id`);
  const revoke = database.prepare<null, [Instant, number]>(
    "UPDATE admin_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
  );
  const use = database.prepare<null, [AdminKeyUse & { readonly id: number }]>(
    "UPDATE admin_keys SET used_at = $usedAt, used_from = $usedFrom WHERE id = $id",
  );
  return {
    insert: (key) => insert.get({ ...key, usedAt: null, usedFrom: null, revokedAt: null })!.id,
    working: () => working.all(),
    findByHash: (hash) => findByHash.get(hash),
    find: (id) => find.get(id),
    list: () => list.all(),
    revoke: (id, revokedAt) => void revoke.run(revokedAt, id),
    setUsed: (id, { usedAt, usedFrom }) => void use.run({ id, usedAt, usedFrom }),
  };
}
