// The table `run_names`: the hashes of the names of runs with the runs' rows, in the order of the hashes; and up to which run
// it has them. Does not know when names follow.

import type { Database } from "bun:sqlite";
import { PAIRING_SPAN } from "../domain/limits.ts";
import type { Instant } from "../domain/time.ts";
import type { Pruned } from "./retention.ts";
import type { nameHash } from "./run-name-hash.ts";

export interface NamedRun {
  readonly hash: number;
  /** The row. */
  readonly id: number;
  readonly monitorId: number;
  readonly runId: string;
}

export interface RunNameTable {
  /** Up to this run it has all names. */
  upTo(): number;
  markUpTo(id: number): void;
  /** The newest run of all; 0: there is none. */
  newestRun(): number;
  /** The first `limit` runs with a name after the row `id`. */
  runsAfter(id: number, limit: number): NamedRun[];
  /** The rows of runs with this hash, newest first. */
  rows(hash: number): number[];
  /** It may be there already. */
  write(run: NamedRun): void;
  /** All of these in a transaction of their own. */
  writeAll(runs: readonly NamedRun[], upTo: number): void;
  /** See `RunNames`. */
  prune(before: Instant, now: Instant, after: number, limit: number): Pruned;
}

export function runNameTable(database: Database, hashOf: typeof nameHash): RunNameTable {
  const upTo = database.prepare<{ upTo: number }, []>("SELECT up_to AS upTo FROM run_names_kept");
  const markUpTo = database.prepare<null, [number]>("UPDATE run_names_kept SET up_to = ?");
  const newestRun = database.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM runs");
  const runsAfter = database.prepare<Omit<NamedRun, "hash">, [number, number]>(
    `SELECT r.id, r.monitor_id AS monitorId, r.run_id AS runId FROM runs r
     WHERE r.id > ? AND r.run_id IS NOT NULL ORDER BY r.id LIMIT ?`,
  );
  const rows = database.prepare<{ id: number }, [number]>(
    "SELECT run_row AS id FROM run_names WHERE hash = ? ORDER BY run_row DESC",
  );
  const insert = database.prepare<null, [number, number]>(
    "INSERT OR IGNORE INTO run_names (hash, run_row) VALUES (?, ?)",
  );
  const write = ({ hash, id }: NamedRun): void => void insert.run(hash, id);
  const writeAll = database.transaction((runs: readonly NamedRun[], last: number) => {
    for (const run of runs) write(run);
    markUpTo.run(last);
  });
  return {
    upTo: () => upTo.get()!.upTo,
    markUpTo: (id) => void markUpTo.run(id),
    newestRun: () => newestRun.get()!.id ?? 0,
    runsAfter: (id, limit) =>
      runsAfter.all(id, limit).map((run) => ({ ...run, hash: hashOf(run.monitorId, run.runId) })),
    rows: (hash) => rows.all(hash).map(({ id }) => id),
    write,
    writeAll: (runs, last) => writeAll.immediate(runs, last),
    prune: pruning(database),
  };
}

/**
 * A pass goes through all names, because they do not lie in the order of time, and rewrites most pages. So there is one a week:
 * it deletes what was older than a week at the pass before.
 */
function pruning(database: Database): RunNameTable["prune"] {
  const isDue = database.prepare<{ old: number }, [Instant]>(
    `SELECT old_up_to AS old FROM run_names_kept WHERE abs(old_since - ?) >= ${PAIRING_SPAN}`,
  );
  const some = database.prepare<{ upTo: number | null; names: number }, [number, number]>(
    "SELECT max(hash) AS upTo, count(*) AS names FROM (SELECT hash FROM run_names WHERE hash > ? ORDER BY hash LIMIT ?)",
  );
  const remove = database.prepare<null, [{ after: number; upTo: number; before: Instant }]>(
    `DELETE FROM run_names WHERE hash > $after AND hash <= $upTo AND run_row <= (SELECT old_up_to FROM run_names_kept)
       AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = run_names.run_row
         AND (r.matters = 1 OR coalesce(r.ended_at, r.started_at) >= $before))`,
  );
  const ended = database.prepare<null, [Instant]>("UPDATE run_names_kept SET old_up_to = up_to, old_since = ?");
  return (before, now, after, limit) => {
    const due = isDue.get(now);
    if (due === null) return { deleted: 0, after: null };
    const { upTo, names } = due.old === 0 ? { upTo: null, names: 0 } : some.get(after, limit)!;
    const deleted = upTo === null ? 0 : remove.run({ after, upTo, before }).changes;
    if (upTo !== null && names === limit) return { deleted, after: upTo };
    ended.run(now);
    return { deleted, after: null };
  };
}
