// The rows of failing jobs' output (R46), beside the pings that brought it: it is long, and nothing that every ping reads or
// writes may hold it.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { outputs } from "./schema.ts";
import { insertInto, type Stored } from "./sql.ts";

export type StoredOutput = Readonly<Stored<typeof outputs>>;

export interface OutputRows {
  keep(output: StoredOutput): void;
  /** By the id of the ping. */
  of(pings: readonly number[]): ReadonlyMap<number, string>;
  /** A monitor's newest; null: it has none. */
  newest(monitorId: number): StoredOutput | null;
  /**
   * Deletes those older than `before` whose ping is gone; looks at no more than `limit` rows after the row `after`. To be called
   * in a transaction.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function outputRows(database: Database): OutputRows {
  // A ping that was deleted may have had the same id.
  const keep = database.prepare<null, [StoredOutput]>(insertInto(outputs, []).replace("INSERT", "INSERT OR REPLACE"));
  const of = database.prepare<Pick<StoredOutput, "id" | "text">, [string]>(
    "SELECT id, text FROM outputs WHERE id IN (SELECT value FROM json_each(?))",
  );
  const newest = database.prepare<StoredOutput, [number]>(
    "SELECT id, monitor_id AS monitorId, at, text FROM outputs WHERE monitor_id = ? ORDER BY id DESC LIMIT 1",
  );
  return {
    keep: (output) => void keep.run(output),
    of: (pings) =>
      pings.length === 0 ? new Map() : new Map(of.all(JSON.stringify(pings)).map(({ id, text }) => [id, text])),
    newest: (monitorId) => newest.get(monitorId),
    prune: pruner(database, {
      table: "outputs",
      instant: "at",
      keep: "EXISTS (SELECT 1 FROM pings WHERE pings.id = outputs.id AND pings.monitor_id = outputs.monitor_id)",
    }),
  };
}
