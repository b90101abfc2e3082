// The rows of drills: the last one of each monitor that had any. domain/message/drill.ts says when one is due.

import type { Database } from "bun:sqlite";
import type { DrillOutcome } from "../domain/message/drill.ts";
import type { Instant } from "../domain/time.ts";

export interface DrillRow {
  readonly monitorId: number;
  /** When it was sent. */
  readonly at: Instant;
  readonly alertId: number;
  /** Null: some of its deliveries are not finished. */
  readonly outcome: DrillOutcome | null;
}

export interface DrillRows {
  /** Null: there was none. */
  last(monitorId: number): DrillRow | null;
  /** Replaces the monitor's last drill; the new one is undecided. */
  begin(monitorId: number, at: Instant, alertId: number): void;
  /** The drills of monitors that are not deleted. */
  undecided(): DrillRow[];
  decide(monitorId: number, outcome: DrillOutcome): void;
}

export function drillRows(database: Database): DrillRows {
  const columns = "last.monitor_id AS monitorId, last.at, last.alert_id AS alertId, last.outcome";
  const last = database.prepare<DrillRow, [number]>(`SELECT ${columns} FROM drills last WHERE last.monitor_id = ?`);
  const begin = database.prepare<null, [{ monitorId: number; at: Instant; alertId: number }]>(
    "INSERT OR REPLACE INTO drills (monitor_id, at, alert_id, outcome) VALUES ($monitorId, $at, $alertId, NULL)",
  );
  const undecided = database.prepare<DrillRow, []>(
    `SELECT ${columns} FROM drills last JOIN monitors m ON m.id = last.monitor_id
     WHERE last.outcome IS NULL AND m.deleted_at IS NULL ORDER BY last.monitor_id`,
  );
  const decide = database.prepare<null, [DrillOutcome, number]>("UPDATE drills SET outcome = ? WHERE monitor_id = ?");
  return {
    last: (monitorId) => last.get(monitorId),
    begin: (monitorId, at, alertId) => void begin.run({ monitorId, at, alertId }),
    undecided: () => undecided.all(),
    decide: (monitorId, outcome) => void decide.run(outcome, monitorId),
  };
}
