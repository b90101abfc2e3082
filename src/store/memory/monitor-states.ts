// The newest facts of every monitor. Saving adds them to the state log, which gets one row for each commit. The
// monitor's own row in `monitor_states` is updated later, because the rows of monitors that report together seldom
// share a page, and SQLite writes whole pages. As long as the log has facts of a monitor, the newest of them count,
// because the monitor's own row may be behind.

import type { Database } from "bun:sqlite";
import { undoableMap } from "../../domain/maps.ts";
import { isDamage } from "../../domain/storage-fault.ts";
import { monitorStates } from "../schema.ts";
import { columnsOf, inOrder, insertInto } from "../sql.ts";
import type { StateRow } from "./monitor-state.ts";
import { type PackedStates, packedStates } from "./packed-states.ts";
import { type LoggedFacts, openStateLog, UPDATE_OWN } from "./state-log.ts";
import { undoAll } from "./transaction-memory.ts";

/** How many facts the log may hold. The number determines memory, file size and the work of a start after a crash. */
const LOGGED = 131_072;

/**
 * How many own rows are updated for each monitor that is saved, once the log is full, so that it gets shorter under any
 * load.
 */
const FOLLOWING_EACH = 2;

/**
 * One pass over the monitors whose own rows are behind: `ids` from `next` on are still to be updated; `old` is the log
 * as it was when the pass began.
 */
type StatesPass = Readonly<{ ids: Float64Array; next: number; old: LoggedFacts }>;

export type MonitorStates = ReturnType<typeof monitorStateRows>;

/** Keeps the newest facts. With more than `most` of them in the log, own rows begin to be updated. */
export function monitorStateRows(database: Database, most = LOGGED, packed = packedStates()) {
  const own = ownRows(database);
  const log = openStateLog(database);
  const { ahead, behind, ...newest } = newestFacts(packed);
  /** Monitors whose own rows lie in damaged pages, so that only the log has their facts. */
  const stuck = new Set<number>();
  let pass: StatesPass | null = null;
  let saved = 0;

  /** Updates a monitor's own row at once, for facts that queries search. */
  function follow(monitorId: number): void {
    const row = ahead(monitorId);
    if (row === undefined) return;
    // The facts are written at the log's end again, so that the log can be shortened.
    if (stuck.has(monitorId)) return log.add(row);
    try {
      own.update.run(row);
    } catch (error) {
      if (isDamage(error)) stuck.add(monitorId);
      throw error;
    }
    behind.delete(monitorId);
  }

  /**
   * Updates at most `limit` own rows, and shortens the log. Returns false once every row that was behind at the first
   * call is updated.
   */
  function writeBehindSome(limit: number): boolean {
    const { ids, next, old } = pass ?? { ids: inOrder(behind.keys()), next: 0, old: log.written() };
    const end = Math.min(ids.length, next + limit);
    for (let index = next; index < end; index++) follow(ids[index]!);
    // As long as one of these own rows is behind, only the log has its monitor's facts.
    const isLeft = end < ids.length || log.shorten(old, limit - (end - next));
    pass = isLeft ? { ids, next: end, old } : null;
    return isLeft;
  }

  function mark(): () => void {
    const takeBack = undoAll(newest.mark(), log.mark());
    const before = { pass, saved };
    return () => {
      takeBack();
      ({ pass, saved } = before);
    };
  }

  return {
    /** The newest facts; `null` when the monitor has none. */
    load: (monitorId: number) => newest.known(monitorId) ?? newest.read(own.select.get(monitorId)),
    /** The newest facts if the monitor's own row is behind them. */
    ahead,
    insert: (row: StateRow) => void own.insert.run(row),
    save: (row: StateRow) => {
      log.add(row);
      newest.save(row);
      saved += 1;
    },
    /** Deletes the own row. The log's rows of this monitor then mean nothing. */
    remove: (monitorId: number) => {
      own.remove.run(monitorId);
      newest.remove(monitorId);
    },
    follow,
    followSome: writeBehindSome,
    /** Updates every own row, for queries that read all of them. */
    writeBehindAll: () => {
      pass = null;
      writeBehindSome(Number.POSITIVE_INFINITY);
    },
    /**
     * Forgets the own rows that were read, so that they are read again. Must be called after `writeBehindAll` when
     * something else has changed own rows.
     */
    reread: packed.clear,
    memory: {
      begin: () => {
        newest.forget();
        saved = 0;
        return mark();
      },
      /** Writes the log's row before the commit, and keeps the log short. */
      end: () => {
        if (pass !== null || log.written().facts > most) writeBehindSome(FOLLOWING_EACH * saved);
        log.write();
      },
      mark,
    },
  };
}

const PACKED = "packed";

/** What memory holds: which own rows are behind, and facts that need not be read. */
function newestFacts(packed: PackedStates) {
  /** Monitors whose own rows are older than their newest facts, with those facts, or PACKED where `packed` has them. */
  const behind = undoableMap<number, StateRow | typeof PACKED>();

  function ahead(monitorId: number): StateRow | undefined {
    const row = behind.get(monitorId);
    return row === PACKED ? packed.get(monitorId) : row;
  }

  return {
    behind,
    ahead,
    known: (monitorId: number) => ahead(monitorId) ?? packed.get(monitorId),
    /** Remembers an own row that was read because nothing newer was known. */
    read: (row: StateRow | null): StateRow | null => {
      if (row !== null) packed.set(row);
      return row;
    },
    save: (row: StateRow): void => void behind.set(row.monitorId, packed.set(row) ? PACKED : row),
    remove: (monitorId: number): void => {
      behind.delete(monitorId);
      packed.remove(monitorId);
    },
    forget: (): void => {
      behind.forget();
      packed.forget();
    },
    mark: () => undoAll(behind.mark(), packed.mark()),
  };
}

const ownRows = (database: Database) => ({
  select: database.prepare<StateRow, [number]>(
    `SELECT ${columnsOf(monitorStates, "s")} FROM monitor_states s WHERE s.monitor_id = ?`,
  ),
  insert: database.prepare<null, [StateRow]>(insertInto(monitorStates)),
  update: database.prepare<null, [StateRow]>(UPDATE_OWN),
  remove: database.prepare<null, [number]>("DELETE FROM monitor_states WHERE monitor_id = ?"),
});
