// Finds rows by name: runs by their run_id (R22), and receipts by their idempotency key (R11). With a usual index of
// names SQLite would write one page for nearly each new row. So new names are first kept in memory only. Once there are
// many, they are written together to a table that is sorted by their hashes, so that many share a page. After a crash,
// names that were not in the table yet are read from the rows.

import type { Database } from "bun:sqlite";
import { undoableMap } from "../../domain/maps.ts";
import { isDamage } from "../../domain/storage-fault.ts";
import type { Instant } from "../../domain/time.ts";
import { ascendingKeys, PARAMETER_IN_SUBQUERY, unlessDamaged } from "../sql.ts";

/** A table whose rows have names, and the table in which these names are found. */
interface NamedRows {
  readonly table: string;
  /**
   * The column that has the name; null in a row without a name. The table must also have the columns `id` and
   * `monitor_id`.
   */
  readonly name: string;
  /**
   * The table of names: for each name its hash and the id of the row, sorted by hash. The table `<names>_kept` has an
   * id: the names of all rows up to this id are in the table of names.
   */
  readonly names: string;
  /** The column of `names` that has the id of the row. */
  readonly row: string;
  /**
   * SQL: whether a report may still ask for the row `r` by its name; otherwise the name is deleted. The SQL may compare
   * with `$before`, the instant `span` milliseconds ago.
   */
  readonly isWanted: string;
  /** For how many milliseconds reports may ask for a row by its name. */
  readonly span: number;
}

/**
 * How many new rows may have their names only in memory, before the names begin to be written to the table. A higher
 * number takes more memory, and makes a start after a crash longer.
 */
const NOTED = 32_768;
/** Names are written only after this many new rows, so that several share pages even when reports come slowly. */
const BETWEEN = 64;
/**
 * Once a pass has begun, this many names are written for each new row. As this is more than one, fewer and fewer names
 * are in memory only.
 */
const WRITTEN_FOR_EACH_NEW = 2;

export interface NameTuning {
  readonly noted: number;
  readonly between: number;
  /** Computes the hash of a name. Hashes are stored, so for one database the function must always be the same. */
  readonly hashOf: typeof rowNameHash;
}

/**
 * The hash by which a name is found: the first 48 bits of a SHA-256, which SQLite stores in six bytes. Databases
 * contain such hashes, so this function must never change. With SHA-256 a caller cannot choose many names with the same
 * hash.
 */
export function rowNameHash(monitorId: number, name: string): number {
  Bun.SHA256.hash(`${monitorId}/${name}`, digest);
  return digest.readUIntBE(0, 6);
}

const digest = Buffer.alloc(32);

const TUNING: NameTuning = { noted: NOTED, between: BETWEEN, hashOf: rowNameHash };

/**
 * A pass that writes the names that are only in memory to the table, in the order of their hashes. The `hashes` from
 * the index `next` on are still to be written. After the pass, the table has the names of all rows with ids up to
 * `upTo`.
 */
type NamesPass = Readonly<{ hashes: Float64Array; next: number; upTo: number }>;

export type RowNames = ReturnType<typeof rowNames>;

export function rowNames(database: Database, named: NamedRows, { noted, between, hashOf }: NameTuning = TUNING) {
  const table = nameTable(database, named, hashOf);
  /** The names that are not in the table yet: for each hash, the id of the newest row with this hash. */
  const unwritten = undoableMap<number, number>();
  let { upTo, newest } = caughtUp(table, unwritten.set, noted);
  let pass: NamesPass | null = null;
  let since = 0;
  const untilDamaged = createUntilDamaged();

  /** Notes the name of a new row. Must be called for each new row, also for one without a name (`null`). */
  function note(id: number, monitorId: number, name: string | null): void {
    // When the newest rows are deleted, SQLite gives their ids to new rows. Then the table of names counts as complete
    // up to this id, although it lacks the new name. So the mark goes back to the id before.
    if (id <= upTo) hasAll(id - 1);
    if (pass !== null && id <= pass.upTo) pass = { ...pass, upTo: id - 1 };
    newest = id;
    since += 1;
    if (name === null) return;
    const hash = hashOf(monitorId, name);
    const older = unwritten.set(hash, id);
    // Two names may have the same hash, and `unwritten` holds one row for each hash. So the older row goes to the table
    // now; otherwise reports with its name would not find it.
    if (older !== undefined) untilDamaged(() => table.write(hash, older));
  }

  function writeBehindSome(limit: number): void {
    const { hashes, next, upTo: last } = pass ?? { hashes: ascendingKeys(unwritten.keys()), next: 0, upTo: newest };
    const end = Math.min(hashes.length, next + limit);
    for (const hash of hashes.subarray(next, end)) {
      const id = unwritten.get(hash);
      if (id === undefined) continue;
      table.write(hash, id);
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
    /**
     * Returns what `read` returns for the newest row with this name. `read` must return `null` when the row is gone or
     * has another name, because two names can have the same hash.
     */
    find: <Row>(monitorId: number, name: string, read: (id: number) => Row | null): Row | null => {
      const hash = hashOf(monitorId, name);
      const latest = unwritten.get(hash);
      return (latest === undefined ? null : read(latest)) ?? firstOf(table.rows(hash), read);
    },
    /** Writes all names to the table, so that the next start need not read them from the rows. */
    writeBehindAll: () =>
      untilDamaged(() => {
        pass = null;
        if (newest > upTo) writeBehindSome(Number.POSITIVE_INFINITY);
      }),
    /**
     * Deletes names whose rows are gone, or for which no report may ask any more (`isWanted`). `before` is the instant
     * `span` milliseconds ago. A pass over all names begins only once in `span` milliseconds. Each call examines
     * `limit` names after the hash `after`.
     */
    prune: (before: Instant, after: number, limit: number) => table.prune(before, after, limit),
    memory: {
      begin: () => {
        unwritten.forget();
        return mark();
      },
      end: () => {
        if (since < between) return;
        const most = WRITTEN_FOR_EACH_NEW * since;
        since = 0;
        if (pass !== null || newest - upTo >= noted) untilDamaged(() => writeBehindSome(most));
      },
      mark,
    },
  };
}

function firstOf<Row>(ids: readonly number[], read: (id: number) => Row | null): Row | null {
  for (const id of ids) {
    const row = read(id);
    if (row !== null) return row;
  }
  return null;
}

/**
 * Makes a function that runs its argument, until a run meets a damaged page. The error then ends the transaction. In
 * later transactions the function does nothing; names stay in memory, and reports are stored all the same.
 */
function createUntilDamaged(): (run: () => void) => void {
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

/**
 * Reads at the start the names that the table lacks, and remembers each by `set`. If they are very many, as after an
 * update, most are written to the table at once. In the result, the table has the names of all rows with ids up to
 * `upTo`, and `newest` is the highest id of a row.
 */
function caughtUp(table: NameTable, set: (hash: number, id: number) => number | undefined, most: number) {
  let upTo = table.upTo();
  for (;;) {
    const rows = table.rowsAfter(upTo, most);
    if (rows.length < most) {
      const older = rows.flatMap(({ hash, id }) => {
        const before = set(hash, id);
        return before === undefined ? [] : [{ hash, id: before }];
      });
      // A damaged page of the table must not prevent the start.
      if (older.length > 0) unlessDamaged(() => table.writeAll(older));
      return { upTo, newest: Math.max(upTo, table.newestRow()) };
    }
    const last = rows.at(-1)!.id;
    table.writeAll(
      rows.toSorted((a, b) => a.hash - b.hash),
      last,
    );
    upTo = last;
  }
}

type HashedName = Readonly<{ hash: number; id: number }>;

type NameTable = ReturnType<typeof nameTable>;

function nameTable(database: Database, named: NamedRows, hashOf: typeof rowNameHash) {
  const { names, row } = named;
  const upTo = database.prepare<{ upTo: number }, []>(`SELECT up_to AS upTo FROM ${names}_kept`);
  const markUpTo = database.prepare<null, [number]>(`UPDATE ${names}_kept SET up_to = ?`);
  const newestRow = database.prepare<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${named.table}`);
  const rowsAfter = database.prepare<{ id: number; monitorId: number; name: string }, [number, number]>(
    `SELECT r.id, r.monitor_id AS monitorId, r.${named.name} AS name FROM ${named.table} r
     WHERE r.id > ? AND r.${named.name} IS NOT NULL ORDER BY r.id LIMIT ?`,
  );
  const rows = database.prepare<{ id: number }, [number]>(
    `SELECT ${row} AS id FROM ${names} WHERE hash = ${PARAMETER_IN_SUBQUERY} ORDER BY ${row} DESC`,
  );
  const insert = database.prepare<null, [number, number]>(
    `INSERT OR IGNORE INTO ${names} (hash, ${row}) VALUES (?, ?)`,
  );
  const write = (hash: number, id: number): void => void insert.run(hash, id);
  const writeAll = database.transaction((all: readonly HashedName[], last: number | null) => {
    for (const { hash, id } of all) write(hash, id);
    if (last !== null) markUpTo.run(last);
  });
  return {
    upTo: () => upTo.get()!.upTo,
    markUpTo: (id: number) => void markUpTo.run(id),
    newestRow: () => newestRow.get()!.id ?? 0,
    /** The first `limit` rows with a name whose ids are above `id`, each with its hash. */
    rowsAfter: (id: number, limit: number): readonly HashedName[] =>
      rowsAfter.all(id, limit).map((one) => ({ id: one.id, hash: hashOf(one.monitorId, one.name) })),
    /** The ids of the rows whose names have this hash, the newest first. */
    rows: (hash: number) => rows.all(hash).map(({ id }) => id),
    write,
    /**
     * Writes these names in one transaction. If `last` is an id, it also notes that the table has the names of all rows
     * up to `last`. The caller must know that this is so. With `null` nothing is noted.
     */
    writeAll: (all: readonly HashedName[], last: number | null = null) => writeAll.immediate(all, last),
    prune: pruning(database, named),
  };
}

/**
 * Deletes names of rows that are gone, or for which no report may ask any more (`isWanted`). The names are not sorted
 * by time, so a pass reads all of them and rewrites most pages. So there is only one pass in `span` milliseconds, and
 * it deletes only names that the table already had at the last pass.
 */
function pruning(database: Database, { table, names, row, isWanted, span }: NamedRows) {
  const isDue = database.prepare<{ old: number }, [Instant]>(
    `SELECT old_up_to AS old FROM ${names}_kept WHERE abs(old_since - ?) >= ${span}`,
  );
  const some = database.prepare<{ upTo: number | null; names: number }, [number, number]>(
    `SELECT max(hash) AS upTo, count(*) AS names FROM (SELECT hash FROM ${names} WHERE hash > ? ORDER BY hash LIMIT ?)`,
  );
  const remove = database.prepare<null, [{ after: number; upTo: number; before: Instant }]>(
    `DELETE FROM ${names} WHERE hash > $after AND hash <= $upTo AND ${row} <= (SELECT old_up_to FROM ${names}_kept)
       AND NOT EXISTS (SELECT 1 FROM ${table} r WHERE r.id = ${names}.${row} AND (${isWanted}))`,
  );
  const ended = database.prepare<null, [Instant]>(`UPDATE ${names}_kept SET old_up_to = up_to, old_since = ?`);
  return (before: Instant, after: number, limit: number) => {
    const now = before + span;
    const due = isDue.get(now);
    if (due === null) return { deleted: 0, after: null };
    const { upTo, names: seen } = due.old === 0 ? { upTo: null, names: 0 } : some.get(after, limit)!;
    const deleted = upTo === null ? 0 : remove.run({ after, upTo, before }).changes;
    if (upTo !== null && seen === limit) return { deleted, after: upTo };
    ended.run(now);
    return { deleted, after: null };
  };
}
