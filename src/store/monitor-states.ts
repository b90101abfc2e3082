// The newest facts of every monitor. Saving them appends a row to the state log; the monitor's own row in
// `monitor_states` follows later, because the rows of monitors that report together seldom share a page, and SQLite
// writes whole pages. Where the log has rows of a monitor the newest of them counts, and its own row may be behind.

import type { Database } from "bun:sqlite";
import { undoableMap } from "../domain/maps.ts";
import { isDamage } from "../domain/storage-fault.ts";
import type { StateRow } from "./monitor-state.ts";
import { type PackedStates, packedStates } from "./packed-states.ts";
import { monitorStates, stateLog } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto } from "./sql.ts";

/** Bounds memory, the file, and the work of a start after a crash. */
const LOG_ROWS = 32_768;

/** Then so many follow for each row that is appended, so that the log gets shorter under any load. */
const FOLLOWING_EACH = 2;

/** What memory holds of a transaction, which it must take back when the database does. */
export interface TransactionMemory {
  /** A transaction begins. Returns a function that takes back all it did. */
  begin(): () => void;
  /** A savepoint. Returns a function that takes back what was done since. */
  mark(): () => void;
}

/** One pass over the monitors whose own rows are behind: `ids` from `next` on are left, then the log up to `upTo`. */
type StatesPass = Readonly<{ ids: readonly number[]; next: number; upTo: number }>;

export type MonitorStates = ReturnType<typeof monitorStateRows>;

/** `logRows`: at this length of the log own rows begin to follow. */
export function monitorStateRows(database: Database, logRows = LOG_ROWS, packed = packedStates()) {
  const own = ownRows(database);
  const log = openStateLog(database);
  const { ahead, behind, ...newest } = newestFacts(packed);
  /** Whose own rows lie in damaged pages: only the log has their facts. */
  const stuck = new Set<number>();
  let pass: StatesPass | null = null;
  /** Since the last `keepUp`. */
  let saved = 0;

  /** Lets the own row follow at once, for facts that queries look for. */
  function follow(monitorId: number): void {
    const row = ahead(monitorId);
    if (row === undefined) return;
    // Again at its end, so that the log can be shortened.
    if (stuck.has(monitorId)) return log.append(row);
    try {
      own.update.run(row);
    } catch (error) {
      if (isDamage(error)) stuck.add(monitorId);
      throw error;
    }
    behind.delete(monitorId);
  }

  /** Lets at most `limit` own rows follow, and shortens the log. False: every row behind at the first call has. */
  function followSome(limit: number): boolean {
    const { ids, next, upTo } = pass ?? { ids: inOrder(behind.keys()), next: 0, upTo: log.newest() };
    const end = Math.min(ids.length, next + limit);
    for (let index = next; index < end; index++) follow(ids[index]!);
    // While one of these rows was behind, only the log had its facts.
    const isLeft = end < ids.length || log.shorten(upTo, limit - (end - next));
    pass = isLeft ? { ids, next: end, upTo } : null;
    return isLeft;
  }

  function mark(): () => void {
    const undo = [newest.mark(), log.mark()];
    const before = { pass, saved };
    return () => {
      for (const takeBack of undo) takeBack();
      ({ pass, saved } = before);
    };
  }

  return {
    /** The newest facts; null: the monitor has none. */
    load: (monitorId: number) => newest.known(monitorId) ?? newest.read(own.select.get(monitorId)),
    /** The newest facts where the monitor's own row is behind them. */
    ahead,
    insert: (row: StateRow) => void own.insert.run(row),
    save: (row: StateRow) => {
      log.append(row);
      newest.save(row);
      saved += 1;
    },
    /** Deletes the own row; the log's rows mean nothing then. */
    remove: (monitorId: number) => {
      own.remove.run(monitorId);
      newest.remove(monitorId);
    },
    follow,
    followSome,
    /** Lets every own row follow, for queries that look at all. */
    followAll: () => {
      pass = null;
      followSome(Number.POSITIVE_INFINITY);
    },
    /** To be called behind `followAll` when something else has changed own rows: they are read again. */
    reread: packed.clear,
    /** To be called at the end of each transaction that may have saved something: keeps the log short. */
    keepUp: () => {
      const most = FOLLOWING_EACH * saved;
      saved = 0;
      if (pass !== null || log.length() > logRows) followSome(most);
    },
    memory: {
      begin: () => {
        newest.forget();
        return mark();
      },
      mark,
    },
  };
}

const PACKED = "packed";

/** What memory holds: which own rows are behind, and facts that need not be read. */
function newestFacts(packed: PackedStates) {
  /** With the newest facts, or where they are. */
  const behind = undoableMap<number, StateRow | typeof PACKED>();

  function ahead(monitorId: number): StateRow | undefined {
    const row = behind.get(monitorId);
    return row === PACKED ? packed.get(monitorId) : row;
  }

  return {
    behind,
    ahead,
    known: (monitorId: number) => ahead(monitorId) ?? packed.get(monitorId),
    /** An own row that was read, because nothing newer was known. */
    read: (row: StateRow | null): StateRow | null => {
      if (row !== null) packed.set(row);
      return row;
    },
    save: (row: StateRow): void => behind.set(row.monitorId, packed.set(row) ? PACKED : row),
    remove: (monitorId: number): void => {
      behind.delete(monitorId);
      packed.remove(monitorId);
    },
    forget: (): void => {
      behind.forget();
      packed.forget();
    },
    mark: (): (() => void) => {
      const undo = [behind.mark(), packed.mark()];
      return () => {
        for (const takeBack of undo) takeBack();
      };
    },
  };
}

/** As the rows lie in the file, so that neighbours are written together. */
const inOrder = (ids: Iterable<number>): readonly number[] => [...ids].sort((a, b) => a - b);

const ownRows = (database: Database) => ({
  select: database.prepare<StateRow, [number]>(
    `SELECT ${columnsOf(monitorStates, "s")} FROM monitor_states s WHERE s.monitor_id = ?`,
  ),
  insert: database.prepare<null, [StateRow]>(insertInto(monitorStates)),
  update: database.prepare<null, [StateRow]>(
    `UPDATE monitor_states SET ${assignmentsOf(monitorStates, ["monitorId"])} WHERE monitor_id = $monitorId`,
  ),
  remove: database.prepare<null, [number]>("DELETE FROM monitor_states WHERE monitor_id = ?"),
});

// The rows of `state_log`: monitors' facts as they were saved, appended at one end and deleted from the other. It has
// no index, so its cost stays as it is. Does not know which of its rows are needed.

/** Empties the log first, and brings own rows up to it; to be called before anything reads those rows. */
function openStateLog(database: Database) {
  catchUp(database);
  const append = database.prepare<null, [StateRow]>(insertInto(stateLog));
  const remove = database.prepare<null, [number]>("DELETE FROM state_log WHERE id <= ?");
  let oldest = 1;
  let newest = 0;

  return {
    append: (row: StateRow): void => {
      newest = Number(append.run(row).lastInsertRowid);
    },
    /** The id of the newest row; 0: the log is empty. */
    newest: () => newest,
    length: () => newest - oldest + 1,
    /** Deletes at most `limit` rows up to the id `upTo`, oldest first; returns whether any of them are left. */
    shorten: (upTo: number, limit: number): boolean => {
      const end = Math.min(upTo, oldest - 1 + limit);
      if (end < oldest) return oldest <= upTo;
      remove.run(end);
      oldest = end + 1;
      // SQLite begins again at 1 in an empty table.
      if (end === newest) [oldest, newest] = [1, 0];
      return oldest <= upTo && newest > 0;
    },
    /** Returns a function for when the database has gone back to this moment. */
    mark: (): (() => void) => {
      const before = { oldest, newest };
      return () => ({ oldest, newest } = before);
    },
  };
}

/** In one transaction. A clean stop leaves an empty log, a crash the rows that own rows had not followed yet. */
function catchUp(database: Database): void {
  const facts = assignmentsOf(monitorStates, ["monitorId"]).replaceAll(/\$(\w+)/g, "l.$1");
  const inOrder = database.transaction(() => {
    database.run(
      `UPDATE monitor_states AS s SET ${facts}
       FROM (SELECT ${columnsOf(stateLog, "newest")} FROM state_log newest
             WHERE newest.id IN (SELECT max(id) FROM state_log GROUP BY monitor_id) ORDER BY newest.monitor_id) AS l
       WHERE s.monitor_id = l.monitorId`,
    );
    database.run("DELETE FROM state_log");
  });
  if (database.query("SELECT 1 FROM state_log LIMIT 1").get() !== null) inOrder.immediate();
}
