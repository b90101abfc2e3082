// What registries declared: which monitors are theirs, and what a declaration leaves behind beside the settings, which
// are monitors.ts's business.

import type { Database } from "bun:sqlite";
import type { KnownMonitor } from "../domain/reconcile.ts";
import type { Instant } from "../domain/time.ts";
import { type PausesRow, pausesOf } from "./monitor-state.ts";
import { type DeclaredRow, declaredOf } from "./monitors.ts";

export interface RegistryRows {
  /** The application's monitors of this source, and those of these keys whoever declared them; by key. */
  known(applicationId: number, source: string, keys: readonly string[]): KnownMonitor[];
  /** Who declared the monitor, when, and what was said of it besides, as JSON. */
  saveDeclaration(id: number, source: string, metadata: string | null, declaredAt: Instant): void;
}

type KnownRow = Pick<KnownMonitor, "id" | "key" | "source" | "metadata"> & DeclaredRow & PausesRow;

export function registryRows(database: Database): RegistryRows {
  const known = database.prepare<KnownRow, [{ applicationId: number; source: string; keys: string }]>(
    `SELECT m.id, m.key, m.source, m.metadata, m.declared_name AS declaredName, m.declared_schedule AS declaredSchedule,
       m.declared_timezone AS declaredTimezone, m.declared_grace_seconds AS declaredGraceSeconds,
       m.declared_max_runtime_seconds AS declaredMaxRuntimeSeconds, s.paused_manually AS pausedManually,
       s.paused_until AS pausedUntil, s.paused_by_discovery AS pausedByDiscovery, s.paused_by_plan AS pausedByPlan
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id
     WHERE m.id IN (
       SELECT id FROM monitors WHERE application_id = $applicationId AND source = $source
       UNION SELECT id FROM monitors WHERE application_id = $applicationId AND key IN (SELECT value FROM json_each($keys))
     ) AND m.deleted_at IS NULL ORDER BY m.key`,
  );
  const saveDeclaration = database.prepare<
    null,
    [{ id: number; source: string; metadata: string | null; declaredAt: Instant }]
  >("UPDATE monitors SET source = $source, metadata = $metadata, declared_at = $declaredAt WHERE id = $id");

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
    saveDeclaration: (id, source, metadata, declaredAt) =>
      void saveDeclaration.run({ id, source, metadata, declaredAt }),
  };
}
