// Reads and writes API keys and administrators' keys. Keys are stored only as hashes (R2). Addresses of other services
// are rows of `api_keys` too; they are left out here, because old-address-rows.ts has them.

import type { Database } from "bun:sqlite";
import { and, asc, eq, gt, isNull, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Instant } from "../domain/time.ts";
import { apiKeys, applications } from "./schema.ts";
import { adminKeys } from "./schema-people.ts";
import { oldAddresses } from "./schema-received.ts";
import { columnsOf, insertInto, PARAMETER_IN_SUBQUERY, type Stored } from "./sql.ts";

export interface KeyRow extends Readonly<Omit<Stored<typeof apiKeys>, "applicationId" | "hash">> {
  readonly application: string;
}

export interface KeyOwner extends Pick<KeyRow, "application" | "scope" | "revokedAt"> {
  readonly keyId: number;
  readonly applicationId: number;
  /** Since when the application is suspended (R3); `null` when it is not. */
  readonly suspendedAt: Instant | null;
}

/**
 * From which address and by which program a key was used. `monitor` is the key of the monitor that the request was
 * about, or `null` when it was about none.
 */
export type KeyUse = Readonly<{ address: string; agent: string | null; monitor: string | null }>;

export interface NewKeyRow extends Pick<KeyRow, "scope" | "label" | "createdAt"> {
  readonly applicationId: number;
  /** SHA-256 of the whole key (R2). */
  readonly hash: Uint8Array;
}

const LISTED = {
  id: apiKeys.id,
  application: applications.slug,
  scope: apiKeys.scope,
  label: apiKeys.label,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  lastAddress: apiKeys.lastAddress,
  lastAgent: apiKeys.lastAgent,
  lastMonitor: apiKeys.lastMonitor,
  revokedAt: apiKeys.revokedAt,
};

export function keyRows(database: Database) {
  const queries = drizzle({ client: database });
  const byHash = database.prepare<KeyOwner, [Uint8Array]>(
    `SELECT k.id AS keyId, k.scope, k.revoked_at AS revokedAt, a.id AS applicationId, a.slug AS application,
       a.suspended_at AS suspendedAt
     FROM api_keys k JOIN applications a ON a.id = k.application_id AND a.deleted_at IS NULL WHERE k.hash = ${PARAMETER_IN_SUBQUERY}`,
  );
  const used = database.prepare<null, [Instant, number]>("UPDATE api_keys SET last_used_at = ? WHERE id = ?");
  const use = database.prepare<null, [KeyUse & { readonly id: number }]>(
    "UPDATE api_keys SET last_address = $address, last_agent = $agent, last_monitor = $monitor WHERE id = $id",
  );
  const there = and(isNull(applications.deletedAt), isNull(oldAddresses.keyId));
  const listed = () =>
    queries
      .select(LISTED)
      .from(apiKeys)
      .innerJoin(applications, eq(applications.id, apiKeys.applicationId))
      .leftJoin(oldAddresses, eq(oldAddresses.keyId, apiKeys.id))
      .orderBy(asc(apiKeys.id));

  return {
    insert: ({ hash, ...key }: NewKeyRow) =>
      queries
        .insert(apiKeys)
        .values({ ...key, hash: Buffer.from(hash) })
        .returning({ id: apiKeys.id })
        .get().id,
    /**
     * Finds a key by its hash, even a revoked key, which the caller must refuse. A key of a deleted application is not
     * found.
     */
    findByHash: (hash: Uint8Array) => byHash.get(hash),
    find: (id: number) =>
      listed()
        .where(and(eq(apiKeys.id, id), there))
        .get() ?? null,
    /** The keys of one application or, with `null`, of all, the oldest first. Revoked keys are listed too. */
    list: (applicationId: number | null) =>
      listed()
        .where(and(applicationId === null ? undefined : eq(apiKeys.applicationId, applicationId), there))
        .all(),
    /** Makes a key stop working at `revokedAt`. A key that stops earlier already is not changed. */
    revoke: (id: number, revokedAt: Instant): void => {
      const isLater = or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, revokedAt));
      queries
        .update(apiKeys)
        .set({ revokedAt })
        .where(and(eq(apiKeys.id, id), isLater))
        .run();
    },
    label: (id: number, label: string | null) =>
      void queries.update(apiKeys).set({ label }).where(eq(apiKeys.id, id)).run(),
    setLastUsed: (uses: Iterable<readonly [keyId: number, lastUsedAt: Instant]>): void => {
      for (const [keyId, lastUsedAt] of uses) used.run(lastUsedAt, keyId);
    },
    setLastUse: (id: number, { address, agent, monitor }: KeyUse) => void use.run({ id, address, agent, monitor }),
  };
}

// The rows of administrators' keys. They are stored only as hashes, so only the owner of a key knows it.

type StoredAdminKey = Readonly<Stored<typeof adminKeys>>;

/**
 * An administrator's key as people see it: without its hash. `usedAt` and the address `usedFrom` are `null` when the
 * key was never used.
 */
export type AdminKeyRow = Omit<StoredAdminKey, "hash">;

type NewAdminKey = Pick<StoredAdminKey, "hash" | "scope" | "label" | "createdAt">;

export type AdminKeyUse = { readonly usedAt: Instant; readonly usedFrom: string };

const SHOWN = ["id", "scope", "label", "createdAt", "usedAt", "usedFrom", "revokedAt"] as const;

export function adminKeyRows(database: Database) {
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
    insert: (key: NewAdminKey) => insert.get({ ...key, usedAt: null, usedFrom: null, revokedAt: null })!.id,
    working: () => working.all(),
    findByHash: (hash: Uint8Array) => findByHash.get(hash),
    find: (id: number) => find.get(id),
    /** All keys, the oldest first. Revoked keys are listed too. */
    list: () => list.all(),
    /** Revokes a key. A key that is revoked already keeps the time of its revocation. */
    revoke: (id: number, revokedAt: Instant) => void revoke.run(revokedAt, id),
    setUsed: (id: number, { usedAt, usedFrom }: AdminKeyUse) => void use.run({ id, usedAt, usedFrom }),
  };
}
