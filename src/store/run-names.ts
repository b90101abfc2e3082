// Which runs have a run_id (R22). An index of it would write a page for each start, because neighbours in time are none
// in the index. So a start only notes the name in memory. Once many runs have begun, their names follow into the table
// `run_names` in its own order, so that those written together share pages. What a crash has lost is read from the
// runs.

import type { Database } from "bun:sqlite";
import { PAIRING_SPAN } from "../domain/limits.ts";
import { undoableMap } from "../domain/maps.ts";
import { isDamage } from "../domain/storage-fault.ts";
import type { Instant } from "../domain/time.ts";
import { inOrder, PARAMETER } from "./sql.ts";

/** When so many runs have begun, their names follow. Bounds memory, and the work of a start after a crash. */
const RUNS_NOTED = 32_768;
/** Names follow once for so many runs that begin, so that a piece of them shares pages however slowly reports come. */
const RUNS_BETWEEN = 64;
/** Then so many for each run that began. */
const FOLLOWING_EACH = 2;

interface Tuning {
  readonly noted: number;
  readonly between: number;
  /** Never changes for a database. */
  readonly hashOf: typeof nameHash;
}

/**
 * The number by which a run's name is found: 48 bits, the first of a SHA-256, which SQLite stores in six bytes. It is
 * stored in the database, so it must never change; no one can choose names that share one.
 */
export function nameHash(monitorId: number, runId: string): number {
  Bun.SHA256.hash(`${monitorId}/${runId}`, digest);
  return digest.readUIntBE(0, 6);
}

const digest = Buffer.alloc(32);

const TUNING: Tuning = { noted: RUNS_NOTED, between: RUNS_BETWEEN, hashOf: nameHash };

/** A pass over the names noted when it began: left are `hashes` from `next` on, then runs up to `upTo`. */
type NamesPass = Readonly<{ hashes: Float64Array; next: number; upTo: number }>;

export type RunNames = ReturnType<typeof runNames>;

export function runNames(database: Database, { noted, between, hashOf }: Tuning = TUNING) {
  const table = runNameTable(database, hashOf);
  /** By hash, the names that the table has not got. */
  const unwritten = undoableMap<number, NamedRun>();
  let { upTo, newest } = caughtUp(table, unwritten.set, noted);
  let pass: NamesPass | null = null;
  let since = 0;
  const unlessDamaged = untilDamaged();

  /** A run has got this row. `runId` null: it has no name. */
  function note(id: number, monitorId: number, runId: string | null): void {
    // Where the newest runs were deleted, SQLite gives their ids again, also those that a pass is already beyond.
    if (id <= upTo) hasAll(id - 1);
    if (pass !== null && id <= pass.upTo) pass = { ...pass, upTo: id - 1 };
    newest = id;
    since += 1;
    if (runId === null) return;
    const hash = hashOf(monitorId, runId);
    const known = unwritten.get(hash);
    if (known !== undefined && !isNamed(known, monitorId, runId)) table.write(known);
    unwritten.set(hash, { hash, id, monitorId, runId });
  }

  function followSome(limit: number): void {
    const { hashes, next, upTo: last } = pass ?? { hashes: inOrder(unwritten.keys()), next: 0, upTo: newest };
    const end = Math.min(hashes.length, next + limit);
    for (const hash of hashes.subarray(next, end)) {
      const run = unwritten.get(hash);
      if (run === undefined) continue;
      table.write(run);
      unwritten.delete(hash);
    }
    pass = end < hashes.length ? { hashes, next: end, upTo: last } : null;
    if (pass === null) hasAll(last);
  }

  function hasAll(last: number): void {
    table.markUpTo(last);
    upTo = last;
  }

  function mark(): () => void {
    const undo = unwritten.mark();
    const before = { upTo, newest, pass, since };
    return () => {
      undo();
      ({ upTo, newest, pass, since } = before);
    };
  }

  return {
    note,
    /** The rows of the runs that may have this name, newest first; few others, and nearly always none. */
    rows: (monitorId: number, runId: string) => {
      const hash = hashOf(monitorId, runId);
      const known = unwritten.get(hash);
      return known !== undefined && isNamed(known, monitorId, runId) ? [known.id] : table.rows(hash);
    },
    /** Lets all names follow, so that the next start reads none. */
    followAll: () =>
      unlessDamaged(() => {
        pass = null;
        if (newest > upTo) followSome(Number.POSITIVE_INFINITY);
      }),
    /** Once a week: names of runs that are gone or over since before `before`; looks at `limit` after `after`. */
    prune: (before: Instant, after: number, limit: number) => table.prune(before, before + PAIRING_SPAN, after, limit),
    memory: {
      begin: () => {
        unwritten.forget();
        return mark();
      },
      end: () => {
        if (since < between) return;
        const most = FOLLOWING_EACH * since;
        since = 0;
        if (pass !== null || newest - upTo >= noted) unlessDamaged(() => followSome(most));
      },
      mark,
    },
  };
}

/**
 * Runs what it is given, until that meets a page that cannot be read. The transaction is lost then; it is repeated, and
 * leaves the table alone: names stay in memory.
 */
function untilDamaged(): (run: () => void) => void {
  let isDamaged = false;
  return (run) => {
    if (isDamaged) return;
    try {
      run();
    } catch (error) {
      isDamaged = isDamage(error);
      throw error;
    }
  };
}

const isNamed = (run: NamedRun, monitorId: number, runId: string): boolean =>
  run.monitorId === monitorId && run.runId === runId;

/** Notes the names of runs that the table lacks; where they are very many, as after an update, it gets them. */
function caughtUp(table: RunNameTable, set: (hash: number, run: NamedRun) => void, most: number) {
  let upTo = table.upTo();
  for (;;) {
    const runs = table.runsAfter(upTo, most);
    if (runs.length < most) {
      for (const run of runs) set(run.hash, run);
      return { upTo, newest: Math.max(upTo, table.newestRun()) };
    }
    upTo = runs.at(-1)!.id;
    table.writeAll(
      runs.toSorted((a, b) => a.hash - b.hash),
      upTo,
    );
  }
}

// The table `run_names`: hashes of names in their order, with the runs' rows, and up to which run it has them.

type NamedRun = Readonly<{ hash: number; id: number; monitorId: number; runId: string }>;

type RunNameTable = ReturnType<typeof runNameTable>;

function runNameTable(database: Database, hashOf: typeof nameHash) {
  const upTo = database.prepare<{ upTo: number }, []>("SELECT up_to AS upTo FROM run_names_kept");
  const markUpTo = database.prepare<null, [number]>("UPDATE run_names_kept SET up_to = ?");
  const newestRun = database.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM runs");
  const runsAfter = database.prepare<Omit<NamedRun, "hash">, [number, number]>(
    `SELECT r.id, r.monitor_id AS monitorId, r.run_id AS runId FROM runs r
     WHERE r.id > ? AND r.run_id IS NOT NULL ORDER BY r.id LIMIT ?`,
  );
  const rows = database.prepare<{ id: number }, [number]>(
    `SELECT run_row AS id FROM run_names WHERE hash = ${PARAMETER} ORDER BY run_row DESC`,
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
    /** Up to this run it has all names. */
    upTo: () => upTo.get()!.upTo,
    markUpTo: (id: number) => void markUpTo.run(id),
    /** The newest run of all; 0: there is none. */
    newestRun: () => newestRun.get()!.id ?? 0,
    /** The first `limit` runs with a name after the row `id`. */
    runsAfter: (id: number, limit: number) =>
      runsAfter.all(id, limit).map((run) => ({ ...run, hash: hashOf(run.monitorId, run.runId) })),
    /** The rows of runs with this hash, newest first. */
    rows: (hash: number) => rows.all(hash).map(({ id }) => id),
    write,
    /** All of these in a transaction of their own. */
    writeAll: (runs: readonly NamedRun[], last: number) => writeAll.immediate(runs, last),
    prune: pruning(database),
  };
}

/**
 * A pass goes through all names, because they do not lie in the order of time, and rewrites most pages. So there is one
 * a week: it deletes what was older than a week at the pass before.
 */
function pruning(database: Database) {
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
  return (before: Instant, now: Instant, after: number, limit: number) => {
    const due = isDue.get(now);
    if (due === null) return { deleted: 0, after: null };
    const { upTo, names } = due.old === 0 ? { upTo: null, names: 0 } : some.get(after, limit)!;
    const deleted = upTo === null ? 0 : remove.run({ after, upTo, before }).changes;
    if (upTo !== null && names === limit) return { deleted, after: upTo };
    ended.run(now);
    return { deleted, after: null };
  };
}
