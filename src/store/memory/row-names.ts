// Finds rows by name: runs by their run_id (R22), answers by their idempotency key (R11). An index of names would write
// a page for each row, because rows of the same time are not neighbours in it. So the name of a new row is only noted
// in memory at first. Once many are noted, they are written to a table in the order of its hashes, so that many of them
// share a page. Names that a crash has lost are read from the rows.

import type { Database } from "bun:sqlite";
import { undoableMap } from "../../domain/maps.ts";
import { isDamage } from "../../domain/storage-fault.ts";
import type { Instant } from "../../domain/time.ts";
import { inOrder, PARAMETER_IN_SUBQUERY, unlessDamaged } from "../sql.ts";

/** Whose names they are, and where they are kept. */
interface NamedRows {
  readonly table: string;
  /** The column of the name, which is null in a row without one. Beside it are `id` and `monitor_id`. */
  readonly name: string;
  /** The table of names: sorted hashes with the rows' ids. `<names>_kept` says up to which row it is complete. */
  readonly names: string;
  /** The column of the table `names` that has the id of the row. */
  readonly row: string;
  /** SQL that is true for the row `r` while its name is searched for. Rows from `$before` on are young. */
  readonly isWanted: string;
  /** For how many milliseconds rows are young. */
  readonly span: number;
}

/** How many names are noted before they are written. The number limits memory and the work of a start after a crash. */
const NOTED = 32_768;
/**
 * Names are written once for this many new rows, so that those written together share pages however slowly reports
 * come.
 */
const BETWEEN = 64;
/** How many names are then written for each new row. */
const FOLLOWING_EACH = 2;

export interface NameTuning {
  readonly noted: number;
  readonly between: number;
  /** Computes the hash of a name. It never changes for a database. */
  readonly hashOf: typeof nameHash;
}

/**
 * The number by which a name is found: the first 48 bits of a SHA-256, which SQLite stores in six bytes. It is stored
 * in the database, so it must never change; names with the same number cannot be chosen on purpose.
 */
export function nameHash(monitorId: number, name: string): number {
  Bun.SHA256.hash(`${monitorId}/${name}`, digest);
  return digest.readUIntBE(0, 6);
}

const digest = Buffer.alloc(32);

const TUNING: NameTuning = { noted: NOTED, between: BETWEEN, hashOf: nameHash };

/**
 * A pass that writes the names which were noted when it began. Still to be written are the `hashes` from `next` on,
 * then the rows up to `upTo`.
 */
type NamesPass = Readonly<{ hashes: Float64Array; next: number; upTo: number }>;

export type RowNames = ReturnType<typeof rowNames>;

export function rowNames(database: Database, named: NamedRows, { noted, between, hashOf }: NameTuning = TUNING) {
  const table = nameTable(database, named, hashOf);
  /** For each hash of a name, the newest row that has it and is not in the table yet. */
  const unwritten = undoableMap<number, number>();
  let { upTo, newest } = caughtUp(table, unwritten.set, noted);
  let pass: NamesPass | null = null;
  let since = 0;
  const untilDamaged = createUntilDamaged();

  /** Notes that a new row has got this id. `name` is `null` when it has none. */
  function note(id: number, monitorId: number, name: string | null): void {
    // When the newest rows were deleted, SQLite uses their ids again, even ids that a pass has already handled.
    if (id <= upTo) hasAll(id - 1);
    if (pass !== null && id <= pass.upTo) pass = { ...pass, upTo: id - 1 };
    newest = id;
    since += 1;
    if (name === null) return;
    const hash = hashOf(monitorId, name);
    const older = unwritten.set(hash, id);
    // The older row may have another name with the same hash.
    if (older !== undefined) untilDamaged(() => table.write(hash, older));
  }

  function writeBehindSome(limit: number): void {
    const { hashes, next, upTo: last } = pass ?? { hashes: inOrder(unwritten.keys()), next: 0, upTo: newest };
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
     * Returns the result of `read` for the newest row of this name. `read` must return `null` for a row that has
     * another name or is gone.
     */
    find: <Row>(monitorId: number, name: string, read: (id: number) => Row | null): Row | null => {
      const hash = hashOf(monitorId, name);
      const latest = unwritten.get(hash);
      return (latest === undefined ? null : read(latest)) ?? firstOf(table.rows(hash), read);
    },
    /** Writes all names, so that the next start reads none. */
    writeBehindAll: () =>
      untilDamaged(() => {
        pass = null;
        if (newest > upTo) writeBehindSome(Number.POSITIVE_INFINITY);
      }),
    /**
     * Once in a span, deletes names of rows that are gone or were old at `before`. Examines `limit` names after
     * `after`.
     */
    prune: (before: Instant, after: number, limit: number) => table.prune(before, after, limit),
    memory: {
      begin: () => {
        unwritten.forget();
        return mark();
      },
      end: () => {
        if (since < between) return;
        const most = FOLLOWING_EACH * since;
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
 * Makes a function that runs its argument, until a page cannot be read. The transaction is then lost; when it is
 * repeated the table is left alone, and names stay in memory.
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
 * Notes the names that the table lacks, and returns up to which row it has them. If they are very many, as after an
 * update, they are written to the table instead.
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
      // A page of the table that cannot be read must not prevent a start.
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

function nameTable(database: Database, named: NamedRows, hashOf: typeof nameHash) {
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
    /** The row up to which the table has all names. */
    upTo: () => upTo.get()!.upTo,
    markUpTo: (id: number) => void markUpTo.run(id),
    /** The newest row of all, or 0 when there is none. */
    newestRow: () => newestRow.get()!.id ?? 0,
    /** The first `limit` rows with a name after the row `id`. */
    rowsAfter: (id: number, limit: number): readonly HashedName[] =>
      rowsAfter.all(id, limit).map((one) => ({ id: one.id, hash: hashOf(one.monitorId, one.name) })),
    /** The rows with this hash, the newest first. */
    rows: (hash: number) => rows.all(hash).map(({ id }) => id),
    write,
    /** Writes all of these in one transaction. Unless `last` is `null`, the table is then complete up to `last`. */
    writeAll: (all: readonly HashedName[], last: number | null = null) => writeAll.immediate(all, last),
    prune: pruning(database, named),
  };
}

/**
 * A pass goes through all names, because they are not sorted by time, and rewrites most pages. So there is one pass in
 * a span, which deletes what was old at the pass before.
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
