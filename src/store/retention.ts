// Deletes old rows in the order of writing, a limited number at a time, so that no ping waits long for it.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";

/** How many of a monitor's newest pings and runs stay at any age. */
export const LAST_KEPT = 20;

export interface Pruned {
  readonly deleted: number;
  /** Where the next call continues; `null` when no old rows follow. */
  readonly after: number | null;
}

interface OldRows {
  readonly table: string;
  /** SQL for the instant by which a row's age counts. A row in which it is `null` is never old. */
  readonly instant: string;
  /** SQL: whether an old row must stay. */
  readonly keep: string;
  /**
   * DELETE statements for rows of other tables that belong to the old rows. In them `$old` is replaced by a query of
   * the old rows' ids. They run before the old rows are deleted.
   */
  readonly dependents?: readonly string[];
}

/**
 * Returns a function that examines the `limit` rows after the row `after`, and deletes those older than `before` that
 * need not stay. Rows are nearly sorted by time. The search ends at a piece of `limit` rows without an old one, not at
 * the first young row, because a few rows written under a wrong clock must not keep all that follow. `deleted` counts
 * the rows of the table itself. Must be called in a transaction.
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
