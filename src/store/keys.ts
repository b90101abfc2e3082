// The rows of API keys. Stores only hashes: only its owner knows the key itself (R2). Addresses of other services have rows
// in the same table: nothing here shows them, and old-addresses.ts does.

import type { Database } from "bun:sqlite";
import { and, asc, eq, gt, isNull, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Instant } from "../domain/time.ts";
import { apiKeys, applications } from "./schema.ts";
import { oldAddresses } from "./schema-addresses.ts";
import { PARAMETER } from "./sql.ts";

type Scope = (typeof apiKeys.$inferSelect)["scope"];

/** A key as stored: never the key itself. */
export interface KeyRow {
  readonly id: number;
  readonly application: string;
  readonly scope: Scope;
  /** What a person calls it; null: nothing. */
  readonly label: string | null;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
  /** Where, with what program and for which monitor it was last used; null: not known. */
  readonly lastAddress: string | null;
  readonly lastAgent: string | null;
  readonly lastMonitor: string | null;
  /** From then on it is refused, which may be in the future. */
  readonly revokedAt: Instant | null;
}

/** A key as a request is authenticated by it. */
export interface KeyOwner {
  readonly keyId: number;
  readonly scope: Scope;
  readonly revokedAt: Instant | null;
  readonly applicationId: number;
  readonly application: string;
  /** R3: since when the application is suspended; null: it is not. */
  readonly suspendedAt: Instant | null;
}

/** From where a key was used, and for which monitor; null: for none. */
export type KeyUse = {
  readonly address: string;
  readonly agent: string | null;
  readonly monitor: string | null;
};

export interface NewKeyRow extends Pick<KeyRow, "scope" | "label" | "createdAt"> {
  readonly applicationId: number;
  /** SHA-256 of the whole key (R2). */
  readonly hash: Uint8Array;
}

export interface KeyRows {
  /** Returns the key's id. */
  insert(key: NewKeyRow): number;
  /** Finds revoked keys too; the caller refuses them. None of a deleted application. */
  findByHash(hash: Uint8Array): KeyOwner | null;
  find(id: number): KeyRow | null;
  /** In the order of creation, revoked ones included; of one application or, with null, of all. */
  list(applicationId: number | null): KeyRow[];
  /** A key that is revoked at an earlier time keeps that. */
  revoke(id: number, revokedAt: Instant): void;
  label(id: number, label: string | null): void;
  setLastUsed(uses: Iterable<readonly [keyId: number, lastUsedAt: Instant]>): void;
  setLastUse(id: number, use: KeyUse): void;
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

export function keyRows(database: Database): KeyRows {
  const queries = drizzle({ client: database });
  const byHash = database.prepare<KeyOwner, [Uint8Array]>(
    `SELECT k.id AS keyId, k.scope, k.revoked_at AS revokedAt, a.id AS applicationId, a.slug AS application,
       a.suspended_at AS suspendedAt
     FROM api_keys k JOIN applications a ON a.id = k.application_id AND a.deleted_at IS NULL WHERE k.hash = ${PARAMETER}`,
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
    insert: ({ hash, ...key }) =>
      queries
        .insert(apiKeys)
        .values({ ...key, hash: Buffer.from(hash) })
        .returning({ id: apiKeys.id })
        .get().id,
    findByHash: (hash) => byHash.get(hash),
    find: (id) =>
      listed()
        .where(and(eq(apiKeys.id, id), there))
        .get() ?? null,
    list: (applicationId) =>
      listed()
        .where(and(applicationId === null ? undefined : eq(apiKeys.applicationId, applicationId), there))
        .all(),
    revoke: (id, revokedAt) => {
      const isLater = or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, revokedAt));
      queries
        .update(apiKeys)
        .set({ revokedAt })
        .where(and(eq(apiKeys.id, id), isLater))
        .run();
    },
    label: (id, label) => void queries.update(apiKeys).set({ label }).where(eq(apiKeys.id, id)).run(),
    setLastUsed: (uses) => {
      for (const [keyId, lastUsedAt] of uses) used.run(lastUsedAt, keyId);
    },
    setLastUse: (id, { address, agent, monitor }) => void use.run({ id, address, agent, monitor }),
  };
}
