// The rows of alerts: what was worth reporting, as we reported it (R36, R37), written once, never changed; and of
// drills of a monitor's alerts.

import type { Database } from "bun:sqlite";
import type { MonitorNames } from "../domain/message/alert.ts";
import type { Message } from "../domain/message/message.ts";
import type { DrillOutcome } from "../domain/message/test-message.ts";
import type { Instant } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { alerts } from "./schema.ts";
import { inAlert, insertInto } from "./sql.ts";

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

export function alertRows(database: Database) {
  const insert = database.prepare(insertInto(alerts));
  const first = database.prepare<Nullable<MonitorNames>, { incidentId: number }>(
    `SELECT ${inAlert("monitorKey")} AS monitorKey, ${inAlert("name")} AS name
     FROM alerts a WHERE a.incident_id = (SELECT $incidentId) ORDER BY a.id LIMIT 1`,
  );
  return {
    /** What the first alert of an incident calls its monitor; null: there is none, or it was damaged since. */
    firstNames(incidentId: number): MonitorNames | null {
      const { monitorKey, name } = first.get({ incidentId }) ?? { monitorKey: null, name: null };
      return monitorKey === null || name === null ? null : { monitorKey, name };
    },
    /** Returns the alert's id. `incidentId` null: it is a notice or a test, which belong to no incident. */
    insert: (incidentId: number | null, { type, at, data }: Message) =>
      Number(insert.run({ incidentId, type, at, data: JSON.stringify(data) }).lastInsertRowid),
    /** Only alerts that belong to no incident, with their deliveries. */
    prune: pruner(database, {
      table: "alerts",
      instant: "at",
      keep: "incident_id IS NOT NULL",
      dependents: ["DELETE FROM deliveries WHERE alert_id IN ($old)"],
    }),
  };
}

// The rows of drills: the last one of each monitor that had any. domain/message/drill.ts says when one is due.

export interface DrillRow {
  readonly monitorId: number;
  readonly at: Instant;
  readonly alertId: number;
  /** Null: some of its deliveries are not finished. */
  readonly outcome: DrillOutcome | null;
}

export function drillRows(database: Database) {
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
    /** Null: there was none. */
    last: (monitorId: number) => last.get(monitorId),
    /** Replaces the monitor's last drill; the new one is undecided. */
    begin: (monitorId: number, at: Instant, alertId: number) => void begin.run({ monitorId, at, alertId }),
    /** The drills of monitors that are not deleted. */
    undecided: () => undecided.all(),
    decide: (monitorId: number, outcome: DrillOutcome) => void decide.run(outcome, monitorId),
  };
}
