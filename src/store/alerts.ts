// The rows of alerts: what was worth reporting, as we reported it (R36, R37). Written once, never changed.

import type { Database } from "bun:sqlite";
import type { MonitorNames } from "../domain/message/alert.ts";
import type { Message } from "../domain/message/message.ts";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { alerts } from "./schema.ts";
import { insertInto } from "./sql.ts";
import { toldAt } from "./told.ts";

export interface AlertRows {
  /** Returns the alert's id. `incidentId` null: it is a notice or a test, which belong to no incident. */
  insert(incidentId: number | null, message: Message): number;
  /** What the first alert of an incident calls its monitor; null: there is none, or it was damaged since. */
  firstNames(incidentId: number): MonitorNames | null;
  /**
   * Deletes alerts that belong to no incident and became true before `before`, with their deliveries; looks at no more
   * than `limit` rows after the row `after`. To be called in a transaction.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

export function alertRows(database: Database): AlertRows {
  const insert = database.prepare(insertInto(alerts));
  const first = database.prepare<Nullable<MonitorNames>, { incidentId: number }>(
    `SELECT ${toldAt("monitorKey")} AS monitorKey, ${toldAt("name")} AS name
     FROM alerts a WHERE a.incident_id = (SELECT $incidentId) ORDER BY a.id LIMIT 1`,
  );
  return {
    firstNames(incidentId) {
      const { monitorKey, name } = first.get({ incidentId }) ?? { monitorKey: null, name: null };
      return monitorKey === null || name === null ? null : { monitorKey, name };
    },
    insert: (incidentId, { type, at, data }) =>
      Number(insert.run({ incidentId, type, at, data: JSON.stringify(data) }).lastInsertRowid),
    prune: pruner(database, {
      table: "alerts",
      instant: "at",
      keep: "incident_id IS NOT NULL",
      dependents: ["DELETE FROM deliveries WHERE alert_id IN ($old)"],
    }),
  };
}
