// Loads and saves the newest facts of every monitor. Saved facts are added to `state_log`, one row for each commit. The
// monitor's own row in `monitor_states` is updated later, because the rows of monitors that report together seldom
// share a page, and SQLite writes whole pages. Until then the facts in the log count; of several facts of a monitor,
// the last.

import type { Database } from "bun:sqlite";
import { undoableMap } from "../../domain/maps.ts";
import { isDamage } from "../../domain/storage-fault.ts";
import type { StateRow } from "../monitor-state.ts";
import { monitorStates } from "../schema.ts";
import { ascendingKeys, columnsOf, insertInto } from "../sql.ts";
import { type PackedStates, packedStates } from "./packed-states.ts";
import { type LoggedFacts, openStateLog, UPDATE_OWN } from "./state-log.ts";
import { undoAll } from "./transaction-memory.ts";

/**
 * How many facts the log may have before rows of `monitor_states` are updated. A higher number takes more memory and a
 * larger file, and makes a start after a crash longer.
 */
const LOGGED = 131_072;

/**
 * Once the log is too long, this many rows of `monitor_states` are updated for each monitor that is saved. As this is
 * more than one, the log gets shorter under any load.
 */
const UPDATED_FOR_EACH_SAVED = 2;

/**
 * A pass over the monitors whose rows in `monitor_states` were out of date when it began. Those of `ids` from the index
 * `next` on are still to be updated. `old` is how long the log was when the pass began; after the pass that part is
 * deleted.
 */
type StatesPass = Readonly<{ ids: Float64Array; next: number; old: LoggedFacts }>;

export type MonitorStates = ReturnType<typeof monitorStateRows>;

/**
 * Loads and saves the facts of monitors. When the log has more than `most` facts, rows of `monitor_states` begin to be
 * updated.
 */
export function monitorStateRows(database: Database, most = LOGGED, packed = packedStates()) {
  const own = ownRows(database);
  const log = openStateLog(database);
  const { newerThanRow, behind, ...newest } = newestFacts(packed);
  /** Monitors whose rows in `monitor_states` lie on damaged pages. Their newest facts can be kept only in the log. */
  const stuck = new Set<number>();
  let pass: StatesPass | null = null;
  let saved = 0;

  /** Updates a monitor's row in `monitor_states` at once. This is needed when facts changed that queries search for. */
  function follow(monitorId: number): void {
    const row = newerThanRow(monitorId);
    if (row === undefined) return;
    // The facts are added to the log's end again, so that its beginning, where they were, can be deleted.
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
   * Updates at most `limit` rows of `monitor_states`. Once all that were out of date at the first call are updated,
   * deletes the part of the log from before that call. Returns false when that is done too.
   */
  function writeBehindSome(limit: number): boolean {
    const { ids, next, old } = pass ?? { ids: ascendingKeys(behind.keys()), next: 0, old: log.written() };
    const end = Math.min(ids.length, next + limit);
    for (let index = next; index < end; index++) follow(ids[index]!);
    // Until all of these monitors' rows are updated, only the log has their newest facts.
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
    /** The newest facts of a monitor; `null` when it does not exist. */
    load: (monitorId: number) => newest.known(monitorId) ?? newest.read(own.select.get(monitorId)),
    /**
     * The newest facts of a monitor whose row in `monitor_states` is out of date; undefined when that row is up to
     * date.
     */
    newerThanRow,
    insert: (row: StateRow) => void own.insert.run(row),
    save: (row: StateRow) => {
      log.add(row);
      newest.save(row);
      saved += 1;
    },
    /** Deletes a monitor's row in `monitor_states`. Facts of this monitor in the log then count no more. */
    remove: (monitorId: number) => {
      own.remove.run(monitorId);
      newest.remove(monitorId);
    },
    follow,
    followSome: writeBehindSome,
    /** Updates all rows of `monitor_states` that are out of date, for queries that read all of them. */
    writeBehindAll: () => {
      pass = null;
      writeBehindSome(Number.POSITIVE_INFINITY);
    },
    /**
     * Forgets the facts that were read from `monitor_states`. Must be called when other code has changed these rows,
     * which it may do only after `writeBehindAll`.
     */
    reread: packed.clear,
    memory: {
      begin: () => {
        newest.forget();
        saved = 0;
        return mark();
      },
      /**
       * Must be called before each commit. Writes the log's row; if the log is too long, also updates some rows of
       * `monitor_states`.
       */
      end: () => {
        if (pass !== null || log.written().facts > most) writeBehindSome(UPDATED_FOR_EACH_SAVED * saved);
        log.write();
      },
      mark,
    },
  };
}

const PACKED = "packed";

/**
 * The facts in memory: of monitors whose rows in `monitor_states` are out of date, and of those whose rows were read.
 */
function newestFacts(packed: PackedStates) {
  /**
   * The monitors whose rows in `monitor_states` are out of date, each with its newest facts, or PACKED when `packed`
   * has these.
   */
  const behind = undoableMap<number, StateRow | typeof PACKED>();

  function newerThanRow(monitorId: number): StateRow | undefined {
    const row = behind.get(monitorId);
    return row === PACKED ? packed.get(monitorId) : row;
  }

  return {
    behind,
    newerThanRow,
    known: (monitorId: number) => newerThanRow(monitorId) ?? packed.get(monitorId),
    /** Remembers a row of `monitor_states` that was just read, so that the next report need not read it. */
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
