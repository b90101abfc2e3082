// The rows of alerts: what was worth telling, as it was told (R36, R37). Written once, never changed.

import type { Database } from "bun:sqlite";
import type { Message } from "../domain/message.ts";
import { alerts } from "./schema.ts";
import { insertInto } from "./sql.ts";

export interface AlertRows {
  /** Returns the alert's id. `incidentId` null: it is a notice, which belongs to no incident. */
  insert(incidentId: number | null, message: Message): number;
}

export function alertRows(database: Database): AlertRows {
  const insert = database.prepare(insertInto(alerts));
  return {
    insert: (incidentId, { type, at, data }) =>
      Number(insert.run({ incidentId, type, at, data: JSON.stringify(data) }).lastInsertRowid),
  };
}
