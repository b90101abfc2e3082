// The rows of alerts: what was worth telling, as it was told (R36, R37). Written once, never changed.

import type { Database } from "bun:sqlite";
import type { AlertMessage } from "../domain/alert.ts";
import { alerts } from "./schema.ts";
import { insertInto } from "./sql.ts";

export interface AlertRows {
  /** Returns the alert's id. */
  insert(incidentId: number, message: AlertMessage): number;
}

export function alertRows(database: Database): AlertRows {
  const insert = database.prepare(insertInto(alerts));
  return {
    insert: (incidentId, { type, at, data }) =>
      Number(insert.run({ incidentId, type, at, data: JSON.stringify(data) }).lastInsertRowid),
  };
}
