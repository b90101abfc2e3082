// The rows of API keys. Stores only hashes: only its owner knows the key itself (R2).

import type { Database } from "bun:sqlite";
import { and, asc, eq, isNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Instant } from "../domain/time.ts";
import { apiKeys, applications } from "./schema.ts";
import { PARAMETER } from "./sql.ts";

type Scope = (typeof apiKeys.$inferSelect)["scope"];

/** A key as `key list` shows it: never the key itself. */
export interface KeyRow {
  readonly id: number;
  readonly application: string;
  readonly scope: Scope;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

/** A key as a request is authenticated by it. */
export interface KeyOwner {
  readonly keyId: number;
  readonly scope: Scope;
  readonly revokedAt: Instant | null;
  readonly applicationId: number;
  readonly application: string;
}

export interface KeyRows {
  /** `hash`: SHA-256 of the whole key (R2). Returns the key's id. */
  insert(applicationId: number, hash: Uint8Array, scope: Scope, createdAt: Instant): number;
  /** Finds revoked keys too; the caller refuses them. */
  findByHash(hash: Uint8Array): KeyOwner | null;
  find(id: number): KeyRow | null;
  /** In the order of creation, revoked ones included; of one application or, with null, of all. */
  list(applicationId: number | null): KeyRow[];
  /** A key that is already revoked keeps its earlier time. */
  revoke(id: number, revokedAt: Instant): void;
  setLastUsed(uses: Iterable<readonly [keyId: number, lastUsedAt: Instant]>): void;
}

export function keyRows(database: Database): KeyRows {
  const queries = drizzle({ client: database });
  const byHash = database.prepare<KeyOwner, [Uint8Array]>(
    `SELECT k.id AS keyId, k.scope, k.revoked_at AS revokedAt, a.id AS applicationId, a.slug AS application
     FROM api_keys k JOIN applications a ON a.id = k.application_id WHERE k.hash = ${PARAMETER}`,
  );
  const use = database.prepare<null, [Instant, number]>("UPDATE api_keys SET last_used_at = ? WHERE id = ?");

  const listed = () =>
    queries
      .select({
        id: apiKeys.id,
        application: applications.slug,
        scope: apiKeys.scope,
        createdAt: apiKeys.createdAt,
        lastUsedAt: apiKeys.lastUsedAt,
        revokedAt: apiKeys.revokedAt,
      })
      .from(apiKeys)
      .innerJoin(applications, eq(applications.id, apiKeys.applicationId))
      .orderBy(asc(apiKeys.id));

  return {
    insert: (applicationId, hash, scope, createdAt) =>
      queries
        .insert(apiKeys)
        .values({ applicationId, hash: Buffer.from(hash), scope, createdAt })
        .returning({ id: apiKeys.id })
        .get().id,
    findByHash: (hash) => byHash.get(hash),
    find: (id) => listed().where(eq(apiKeys.id, id)).get() ?? null,
    list: (applicationId) =>
      listed()
        .where(applicationId === null ? undefined : eq(apiKeys.applicationId, applicationId))
        .all(),
    revoke: (id, revokedAt) => {
      queries
        .update(apiKeys)
        .set({ revokedAt })
        .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
        .run();
    },
    setLastUsed: (uses) => {
      for (const [keyId, lastUsedAt] of uses) use.run(lastUsedAt, keyId);
    },
  };
}
