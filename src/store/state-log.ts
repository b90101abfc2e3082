// The rows of `state_log`: monitors' facts as they were saved, appended at one end and deleted from the other. It has no
// index, so its cost stays as it is. Does not know which of its rows are needed.

import type { Database } from "bun:sqlite";
import type { StateRow } from "./monitor-state.ts";
import { monitorStates, stateLog } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto } from "./sql.ts";

export interface StateLog {
  append(row: StateRow): void;
  /** The id of the newest row; 0: the log is empty. */
  newest(): number;
  length(): number;
  /** Deletes at most `limit` rows of those up to the id `upTo`, oldest first; returns whether any of them are left. */
  shorten(upTo: number, limit: number): boolean;
  /** Returns a function for when the database has gone back to this moment. */
  mark(): () => void;
}

/** Empties the log first, and brings every monitor's own row up to it; to be called before anything reads those rows. */
export function openStateLog(database: Database): StateLog {
  catchUp(database);
  const append = database.prepare<null, [StateRow]>(insertInto(stateLog));
  const remove = database.prepare<null, [number]>("DELETE FROM state_log WHERE id <= ?");
  let oldest = 1;
  let newest = 0;

  return {
    append: (row) => {
      newest = Number(append.run(row).lastInsertRowid);
    },
    newest: () => newest,
    length: () => newest - oldest + 1,
    shorten: (upTo, limit) => {
      const end = Math.min(upTo, oldest - 1 + limit);
      if (end < oldest) return oldest <= upTo;
      remove.run(end);
      oldest = end + 1;
      // SQLite begins again at 1 in an empty table.
      if (end === newest) [oldest, newest] = [1, 0];
      return oldest <= upTo && newest > 0;
    },
    mark: () => {
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
