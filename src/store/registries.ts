// Reads and writes what registries said: which monitors each registry declared, what it said of them besides their
// settings, and the history of bulk syncs.

import type { Database } from "bun:sqlite";
import type { KnownMonitor } from "../domain/monitor/reconcile.ts";
import type { Instant } from "../domain/time.ts";
import { DECLARED_COLUMNS, type DeclaredRow, declaredOf } from "./monitor-settings.ts";
import { PAUSES_COLUMNS, type PausesRow, pausesFromRow } from "./monitor-state.ts";
import { pruner } from "./retention.ts";
import { monitorStates, monitors } from "./schema.ts";
import { syncs } from "./schema-received.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export type RegistryDeclaration = Readonly<{
  source: string;
  /** The version of the registry's integration; `null` when the registry sent none. */
  version: string | null;
  /** What the registry said besides the settings, as JSON; `null` when it said nothing. */
  metadata: string | null;
  declaredAt: Instant;
}>;

type NamedKeys = { readonly applicationId: number; readonly keys: string };

type KnownRow = Pick<KnownMonitor, "id" | "key" | "source" | "metadata"> & DeclaredRow & PausesRow;

export function registryRows(database: Database) {
  // A registry may have declared thousands of monitors, so each query reads only those that are needed.
  const knownAmong = <Bindings extends NamedKeys>(ids: string) =>
    database.prepare<KnownRow, [Bindings]>(
      `SELECT ${columnsOf(monitors, "m", ["id", "key", "source", "metadata", ...DECLARED_COLUMNS])},
         ${columnsOf(monitorStates, "s", PAUSES_COLUMNS)}
       FROM (${ids}) known CROSS JOIN monitors m ON m.id = known.id CROSS JOIN monitor_states s ON s.monitor_id = m.id
       ORDER BY m.key`,
    );
  const named = `SELECT id FROM monitors WHERE application_id = $applicationId AND deleted_at IS NULL
    AND key IN (SELECT value FROM json_each($keys))`;
  const byKey = knownAmong<NamedKeys>(named);
  const byKeyOrSource = knownAmong<NamedKeys & { source: string }>(
    `${named} UNION SELECT of.id FROM monitors of CROSS JOIN monitor_states now ON now.monitor_id = of.id
     WHERE of.application_id = $applicationId AND of.source = $source AND of.deleted_at IS NULL AND now.paused_by_discovery = 0`,
  );
  const declaration = database.prepare<RegistryDeclaration, [number]>(
    `SELECT source, source_version AS version, metadata, declared_at AS declaredAt FROM monitors
     WHERE id = ? AND source IS NOT NULL AND declared_at IS NOT NULL`,
  );
  const saveDeclaration = database.prepare<null, [RegistryDeclaration & { id: number }]>(
    `UPDATE monitors SET source = $source, source_version = $version, metadata = $metadata, declared_at = $declaredAt
     WHERE id = $id`,
  );

  return {
    /**
     * The application's monitors with these keys, whoever declared them, sorted by key. With a `source` also those that
     * this registry declared last and has not withdrawn.
     */
    known: (applicationId: number, source: string | null, keys: readonly string[]): KnownMonitor[] => {
      const of = { applicationId, keys: JSON.stringify(keys) };
      const rows = source === null ? byKey.all(of) : byKeyOrSource.all({ ...of, source });
      return rows.map((row) => ({
        id: row.id,
        key: row.key,
        source: row.source,
        metadata: row.metadata,
        declared: declaredOf(row),
        pauses: pausesFromRow(row),
      }));
    },
    /** The last declaration of the monitor by a registry; `null` when there was none. */
    declaration: (id: number) => declaration.get(id),
    saveDeclaration: (id: number, declared: RegistryDeclaration) => void saveDeclaration.run({ ...declared, id }),
  };
}

// The history of bulk syncs (R29).

type StoredSync = Stored<typeof syncs>;

type NewSync = Readonly<Omit<StoredSync, "id" | "firstAt" | "times">>;

type SyncRow = Readonly<StoredSync> & Readonly<{ application: string }>;

/**
 * How many syncs of each application are kept; the oldest are deleted first. A limit is needed, because a scheduler may
 * sync each time one of its workers starts.
 */
const KEPT = 500;

export function syncRows(database: Database) {
  const last = database.prepare<StoredSync, [{ applicationId: number; source: string }]>(
    `SELECT ${columnsOf(syncs, "s")} FROM syncs s WHERE s.application_id = $applicationId AND s.source = $source
     ORDER BY s.id DESC LIMIT 1`,
  );
  const again = database.prepare<null, [{ id: number; at: Instant }]>(
    "UPDATE syncs SET at = $at, times = times + 1 WHERE id = $id",
  );
  const insert = database.prepare<null, [Omit<StoredSync, "id">]>(insertInto(syncs));
  const forget = database.prepare<null, [{ applicationId: number; kept: number }]>(
    `DELETE FROM syncs WHERE id IN
       (SELECT id FROM syncs WHERE application_id = $applicationId ORDER BY at DESC, id DESC LIMIT -1 OFFSET $kept)`,
  );
  const newest = database.prepare<SyncRow, [{ applicationId: number | null; limit: number }]>(
    `SELECT ${columnsOf(syncs, "s")}, a.slug AS application FROM syncs s JOIN applications a ON a.id = s.application_id
     WHERE $applicationId IS NULL OR s.application_id = $applicationId ORDER BY s.at DESC, s.id DESC LIMIT $limit`,
  );

  return {
    /**
     * Writes a sync into the history. With `repeats` the sync changed nothing. If it also equals the last sync of its
     * source, the row of that sync gets a higher `times` and the new `at` instead.
     */
    insert: (sync: NewSync, repeats: boolean): void => {
      const before = repeats ? last.get({ applicationId: sync.applicationId, source: sync.source }) : null;
      if (before !== null && isSame(before, sync)) again.run({ id: before.id, at: sync.at });
      else {
        insert.run({ ...sync, firstAt: sync.at, times: 1 });
        forget.run({ applicationId: sync.applicationId, kept: KEPT });
      }
    },
    /** The newest `limit` syncs, the newest first; with `applicationId` `null` of all applications. */
    newest: (applicationId: number | null, limit: number) => newest.all({ applicationId, limit }),
    prune: pruner(database, { table: "syncs", instant: "at", keep: "false" }),
  };
}

const isSame = (one: StoredSync, other: NewSync): boolean =>
  one.keyId === other.keyId &&
  one.version === other.version &&
  one.authoritative === other.authoritative &&
  one.outcome === other.outcome;
