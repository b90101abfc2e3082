// Deletes rows of a table that are older than a given instant, a limited number at a time, so that no ping waits long.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";

/** How many of each monitor's newest pings, and of its newest runs, are kept however old they are. */
export const LAST_KEPT = 20;

export interface Pruned {
  readonly deleted: number;
  /** The id after which the next call goes on; `null` when all old rows were examined. */
  readonly after: number | null;
}

interface OldRows {
  readonly table: string;
  /** SQL: the instant from which a row's age counts. A row for which it is null is never deleted. */
  readonly instant: string;
  /** SQL: a condition on a row of the table. Rows for which it is true are not deleted, however old they are. */
  readonly keep: string;
  /**
   * DELETE statements for rows of other tables that belong to the deleted rows; these statements run first. The text
   * `$old` in them is replaced by a query of the deleted rows' ids.
   */
  readonly dependents?: readonly string[];
}

/**
 * Returns a function that examines `limit` rows after the id `after`, and deletes those that are older than `before`.
 * It must be called in a transaction. Ids rise with time, so old rows come first, and the search ends when none of the
 * examined rows is old. It does not end at the first young row, because old rows may come after one that was written
 * under a wrong clock. `deleted` counts rows of the table itself, without those of `dependents`.
 */
export function pruner(database: Database, { table, instant, keep, dependents = [] }: OldRows) {
  const look = database.prepare<{ rows: number; upTo: number; oldest: Instant | null }, [number, number]>(
    `SELECT count(*) AS rows, max(id) AS upTo, min(instant) AS oldest
     FROM (SELECT id, ${instant} AS instant FROM ${table} WHERE id > ? ORDER BY id LIMIT ?)`,
  );
  const old = `SELECT id FROM ${table} WHERE id > ? AND id <= ? AND ${instant} < ? AND NOT (${keep})`;
  const removals = [...dependents, `DELETE FROM ${table} WHERE id IN ($old)`].map((sql) =>
    database.prepare<null, [number, number, Instant]>(sql.replace("$old", old)),
  );
  return (before: Instant, after: number, limit: number): Pruned => {
    const { rows, upTo, oldest } = look.get(after, limit)!;
    if (rows === 0 || oldest === null || oldest >= before) return { deleted: 0, after: null };
    const deleted = removals.map((removal) => removal.run(after, upTo, before).changes).at(-1)!;
    return { deleted, after: rows < limit ? null : upTo };
  };
}
