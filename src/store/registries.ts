// What registries declared: which monitors are theirs, and what a declaration says beside the settings. monitors.ts
// stores the settings.

import type { Database } from "bun:sqlite";
import type { KnownMonitor } from "../domain/settings/reconcile.ts";
import type { Instant } from "../domain/time.ts";
import { DECLARED_COLUMNS, type DeclaredRow, declaredOf } from "./monitor-settings.ts";
import { PAUSES_COLUMNS, type PausesRow, pausesOf } from "./monitor-state.ts";
import { monitorStates, monitors } from "./schema.ts";
import { columnsOf } from "./sql.ts";

/** What a registry's declaration says beside the settings. */
export type RegistryDeclaration = Readonly<{
  source: string;
  /** The integration's version; null: it sent none. */
  version: string | null;
  /** As JSON; null: it sent none. */
  metadata: string | null;
  declaredAt: Instant;
}>;

export interface RegistryRows {
  /** The application's monitors of this source, and those with these keys, whatever source declared them; by key. */
  known(applicationId: number, source: string, keys: readonly string[]): KnownMonitor[];
  /** Who declared the monitor last, when, and what else it said; null: no registry ever did. */
  declaration(id: number): RegistryDeclaration | null;
  saveDeclaration(id: number, declaration: RegistryDeclaration): void;
}

type KnownRow = Pick<KnownMonitor, "id" | "key" | "source" | "metadata"> & DeclaredRow & PausesRow;

export function registryRows(database: Database): RegistryRows {
  const known = database.prepare<KnownRow, [{ applicationId: number; source: string; keys: string }]>(
    `SELECT ${columnsOf(monitors, "m", ["id", "key", "source", "metadata", ...DECLARED_COLUMNS])},
       ${columnsOf(monitorStates, "s", PAUSES_COLUMNS)}
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id
     WHERE m.id IN (
       SELECT id FROM monitors WHERE application_id = $applicationId AND source = $source
       UNION SELECT id FROM monitors WHERE application_id = $applicationId AND key IN (SELECT value FROM json_each($keys))
     ) AND m.deleted_at IS NULL ORDER BY m.key`,
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
    known: (applicationId, source, keys) =>
      known.all({ applicationId, source, keys: JSON.stringify(keys) }).map((row) => ({
        id: row.id,
        key: row.key,
        source: row.source,
        metadata: row.metadata,
        declared: declaredOf(row),
        pauses: pausesOf(row),
      })),
    declaration: (id) => declaration.get(id),
    saveDeclaration: (id, declared) => void saveDeclaration.run({ ...declared, id }),
  };
}
