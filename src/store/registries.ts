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
  /**
   * The application's monitors with these keys, whatever source declared them, and those of `source` that no registry has
   * withdrawn; by key. `source` null: with these keys alone.
   */
  known(applicationId: number, source: string | null, keys: readonly string[]): KnownMonitor[];
  /** Who declared the monitor last, when, and what else it said; null: no registry ever did. */
  declaration(id: number): RegistryDeclaration | null;
  saveDeclaration(id: number, declaration: RegistryDeclaration): void;
}

type Named = { readonly applicationId: number; readonly keys: string };

type KnownRow = Pick<KnownMonitor, "id" | "key" | "source" | "metadata"> & DeclaredRow & PausesRow;

export function registryRows(database: Database): RegistryRows {
  // A source may have thousands of monitors, so neither of these reads those that no answer needs.
  const knownAmong = <Bindings extends Named>(ids: string) =>
    database.prepare<KnownRow, [Bindings]>(
      `SELECT ${columnsOf(monitors, "m", ["id", "key", "source", "metadata", ...DECLARED_COLUMNS])},
         ${columnsOf(monitorStates, "s", PAUSES_COLUMNS)}
       FROM (${ids}) known CROSS JOIN monitors m ON m.id = known.id CROSS JOIN monitor_states s ON s.monitor_id = m.id
       ORDER BY m.key`,
    );
  const named = `SELECT id FROM monitors WHERE application_id = $applicationId AND deleted_at IS NULL
    AND key IN (SELECT value FROM json_each($keys))`;
  const byKey = knownAmong<Named>(named);
  const byKeyOrSource = knownAmong<Named & { source: string }>(
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
    known: (applicationId, source, keys) => {
      const of = { applicationId, keys: JSON.stringify(keys) };
      const rows = source === null ? byKey.all(of) : byKeyOrSource.all({ ...of, source });
      return rows.map((row) => ({
        id: row.id,
        key: row.key,
        source: row.source,
        metadata: row.metadata,
        declared: declaredOf(row),
        pauses: pausesOf(row),
      }));
    },
    declaration: (id) => declaration.get(id),
    saveDeclaration: (id, declared) => void saveDeclaration.run({ ...declared, id }),
  };
}
