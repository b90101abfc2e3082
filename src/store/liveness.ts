// One row: when we last could hear (R26), the zone schedules are read in (R13), and the configuration in force.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";

export interface LivenessRow {
  /** Null: no process has run on this database yet. */
  lastAliveAt(): Instant | null;
  saveAlive(at: Instant): void;
  /** The zone of schedules while nothing names one, as the first start found it (R13); null: it found none. */
  timezone(): string | null;
  /** To be called once an instant has been saved. */
  keepTimezone(zone: string): void;
  /** The fingerprint of the configuration in force for every monitor; null: unknown. */
  applied(): string | null;
  /** To be called once an instant has been saved. Null: some monitors may have another. */
  keepApplied(fingerprint: string | null): void;
}

export function livenessRow(database: Database): LivenessRow {
  const alive = database.prepare<{ at: Instant }, []>("SELECT last_alive_at AS at FROM liveness WHERE id = 1");
  const saveAlive = database.prepare<null, [Instant]>(
    "INSERT INTO liveness (id, last_alive_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET last_alive_at = ?1",
  );
  const timezone = database.prepare<{ timezone: string | null }, []>("SELECT timezone FROM liveness WHERE id = 1");
  const applied = database.prepare<{ applied: string | null }, []>("SELECT applied FROM liveness WHERE id = 1");
  const keepApplied = database.prepare<null, [string | null]>("UPDATE liveness SET applied = ? WHERE id = 1");
  const keepTimezone = database.prepare<null, [string]>("UPDATE liveness SET timezone = ? WHERE id = 1");
  return {
    lastAliveAt: () => alive.get()?.at ?? null,
    saveAlive: (at) => void saveAlive.run(at),
    timezone: () => timezone.get()?.timezone ?? null,
    keepTimezone: (zone) => void keepTimezone.run(zone),
    applied: () => applied.get()?.applied ?? null,
    keepApplied: (fingerprint) => void keepApplied.run(fingerprint),
  };
}
