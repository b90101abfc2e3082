// Reads and writes the addresses that jobs used with other services and go on using here. Each is also a row of
// `api_keys`, which has the hash of its path and its last use.

import type { Database } from "bun:sqlite";
import type { Convention, OldAddress } from "../domain/old-address.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyOwner, KeyRow } from "./keys.ts";

/** Only one of the two fields is set. */
export type ReportedAddress = {
  /** The key of the monitor that the address reports; `null` when the address creates monitors. */
  readonly monitorKey: string | null;
  /** The beginning of the keys of the monitors that the address creates; `null` when it reports one monitor. */
  readonly prefix: string | null;
};

export interface OldAddressOwner extends KeyOwner, ReportedAddress {
  readonly convention: Convention;
}

export interface OldAddressRow
  extends ReportedAddress,
    Pick<OldAddress, "convention" | "shown">,
    Omit<KeyRow, "scope" | "label" | "lastMonitor"> {
  /** Whether the monitor of the address exists; always true when the address creates monitors. */
  readonly exists: boolean;
}

export interface NewOldAddress extends ReportedAddress, Pick<OldAddress, "convention" | "shown"> {
  readonly applicationId: number;
  /** SHA-256 of the address's path. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
}

export type OldAddressFilter = {
  /** `null` selects the addresses of all applications. */
  readonly applicationId: number | null;
  readonly monitorKey: string | null;
};

type StoredAddress = Omit<OldAddressRow, "exists"> & { readonly exists: 0 | 1 };

export function oldAddressRows(database: Database) {
  const some = database.prepare<{ some: 0 | 1 }, []>("SELECT EXISTS (SELECT 1 FROM old_addresses) AS some");
  const byHash = database.prepare<OldAddressOwner, [Uint8Array]>(
    `SELECT k.id AS keyId, k.scope, k.revoked_at AS revokedAt, a.id AS applicationId, a.slug AS application,
       a.suspended_at AS suspendedAt, o.convention, o.monitor_key AS monitorKey, o.prefix
     FROM api_keys k JOIN old_addresses o ON o.key_id = k.id
       JOIN applications a ON a.id = k.application_id AND a.deleted_at IS NULL WHERE k.hash = ?`,
  );
  const idOfHash = database.prepare<{ id: number }, [Uint8Array]>("SELECT id FROM api_keys WHERE hash = ?");
  const shown = `SELECT k.id, a.slug AS application, o.convention, o.shown, o.monitor_key AS monitorKey, o.prefix,
       o.monitor_key IS NULL OR EXISTS (SELECT 1 FROM monitors m WHERE m.application_id = k.application_id
         AND m.key = o.monitor_key AND m.deleted_at IS NULL) AS "exists",
       k.created_at AS createdAt, k.last_used_at AS lastUsedAt, k.last_address AS lastAddress, k.last_agent AS lastAgent,
       k.revoked_at AS revokedAt
     FROM old_addresses o JOIN api_keys k ON k.id = o.key_id
       JOIN applications a ON a.id = k.application_id AND a.deleted_at IS NULL`;
  const find = database.prepare<StoredAddress, [number]>(`${shown} WHERE o.key_id = ?`);
  const after = database.prepare<StoredAddress, [OldAddressFilter & { readonly id: number; readonly limit: number }]>(
    `${shown} WHERE o.key_id > $id AND ($applicationId IS NULL OR k.application_id = $applicationId)
       AND ($monitorKey IS NULL OR o.monitor_key = $monitorKey)
     ORDER BY o.key_id LIMIT $limit`,
  );
  const insertKey = database.prepare<
    { id: number },
    [Omit<NewOldAddress, "convention" | "shown" | keyof ReportedAddress>]
  >(
    `INSERT INTO api_keys (application_id, hash, scope, created_at)
     VALUES ($applicationId, $hash, 'ping', $createdAt) RETURNING id`,
  );
  const renewKey = database.prepare<null, [{ id: number; applicationId: number; createdAt: Instant }]>(
    `UPDATE api_keys SET application_id = $applicationId, created_at = $createdAt, revoked_at = NULL, last_used_at = NULL,
       last_address = NULL, last_agent = NULL, last_monitor = NULL WHERE id = $id`,
  );
  const save = database.prepare<
    null,
    [ReportedAddress & Pick<OldAddress, "convention" | "shown"> & { readonly id: number }]
  >(
    `INSERT INTO old_addresses (key_id, convention, monitor_key, prefix, shown)
     VALUES ($id, $convention, $monitorKey, $prefix, $shown)
     ON CONFLICT (key_id) DO UPDATE SET convention = excluded.convention, monitor_key = excluded.monitor_key,
       prefix = excluded.prefix, shown = excluded.shown`,
  );
  const rename = database.prepare<null, [{ applicationId: number; from: string; to: string }]>(
    `UPDATE old_addresses SET monitor_key = $to WHERE monitor_key = $from
       AND EXISTS (SELECT 1 FROM api_keys k WHERE k.id = key_id AND k.application_id = $applicationId)`,
  );

  const saveAs = (id: number, { convention, shown: text, monitorKey, prefix }: NewOldAddress): void =>
    void save.run({ id, convention, shown: text, monitorKey, prefix });

  return {
    some: () => some.get()!.some === 1,
    /** Finds an address by the hash of its path, even a revoked one, but none of a deleted application. */
    findByHash: (hash: Uint8Array) => byHash.get(hash),
    /**
     * The id of the address with this hash, even if its application was deleted; `null` when there is none. No two
     * applications have the same hash.
     */
    idOfHash: (hash: Uint8Array) => idOfHash.get(hash)?.id ?? null,
    find: (id: number) => addressRow(find.get(id)),
    /** At most `limit` addresses with ids above `id`, in ascending order, revoked ones included. */
    after: (id: number, { applicationId, monitorKey }: OldAddressFilter, limit: number) =>
      after.all({ id, applicationId, monitorKey, limit }).map((row) => addressRow(row)!),
    insert: (address: NewOldAddress): number => {
      const { applicationId, hash, createdAt } = address;
      const { id } = insertKey.get({ applicationId, hash, createdAt })!;
      saveAs(id, address);
      return id;
    },
    /** Lets an address that was revoked or whose application was deleted work again, with the values of `address`. */
    renew: (id: number, address: NewOldAddress): void => {
      const { applicationId, createdAt } = address;
      renewKey.run({ id, applicationId, createdAt });
      saveAs(id, address);
    },
    rename: (applicationId: number, from: string, to: string) => void rename.run({ applicationId, from, to }),
  };
}

const addressRow = (stored: StoredAddress | null): OldAddressRow | null =>
  stored === null ? null : { ...stored, exists: stored.exists === 1 };
