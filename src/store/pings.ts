// The rows of pings: appended, never changed, and chained per monitor. We read a monitor's last pings along its chain,
// so no ping pays for an index.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { LAST_KEPT, type Pruned, pruner } from "./retention.ts";
import { pings } from "./schema.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export type StoredPing = Readonly<Stored<typeof pings>>;

export interface PingRows {
  /** Returns the ping's id. `number` and `previousId` follow from the monitor's heads. */
  append(ping: Omit<StoredPing, "id">): number;
  /** Throws when a ping could not be stored, and then stores none. To be called in a transaction. */
  tryOut(): void;
  /** A monitor's pings, newest first: `limit` at most, from the id `last` back; null: none. */
  last(monitorId: number, last: number | null, limit: number): StoredPing[];
  /**
   * A monitor's pings of `until` and before, newest first, `limit` at most, back to the first one before `since`. Looks
   * at no more than `walked` pings from the id `last` back; null: none.
   */
  between(monitorId: number, last: number | null, span: PingSpan): StoredPing[];
  /**
   * Deletes pings older than `before`; looks at no more than `limit` rows after the row `after`. Keeps a monitor's last
   * 20 and its last failure.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

/** Reports have no index: we go back along the monitor's chain so far, a few milliseconds at most. */
export const WALKED = 3_000;

export type PingSpan = {
  readonly since: Instant;
  readonly until: Instant;
  readonly walked: number;
  readonly limit: number;
};

const OF_NOBODY: Omit<StoredPing, "id"> = {
  monitorId: 0,
  number: 0,
  at: 0,
  kind: "log",
  previousId: null,
  runRow: null,
  attempt: null,
  durationSeconds: null,
  message: null,
  outcomes: null,
  happenedAt: null,
};

export function pingRows(database: Database): PingRows {
  const append = database.prepare<null, [Omit<StoredPing, "id">]>(insertInto(pings));
  // Compares the monitor, because a chain may end at a deleted row whose id another monitor's ping has now.
  const last = database.prepare<StoredPing, [{ monitorId: number; last: number | null; limit: number }]>(
    `WITH RECURSIVE chain (id, length) AS (
       SELECT $last, 1
       UNION ALL
       SELECT p.previous_id, chain.length + 1 FROM chain JOIN pings p ON p.id = chain.id
       WHERE chain.length < $limit
     )
     SELECT ${columnsOf(pings, "p")} FROM chain JOIN pings p ON p.id = chain.id
     WHERE p.monitor_id = $monitorId ORDER BY p.id DESC`,
  );
  const between = database.prepare<StoredPing, [PingSpan & { monitorId: number; last: number | null }]>(
    `WITH RECURSIVE chain (id, length) AS (
       SELECT $last, 1
       UNION ALL
       SELECT p.previous_id, chain.length + 1 FROM chain JOIN pings p ON p.id = chain.id
       WHERE chain.length < $walked AND p.at >= $since AND p.monitor_id = $monitorId
     )
     SELECT ${columnsOf(pings, "p")} FROM chain JOIN pings p ON p.id = chain.id
     WHERE p.monitor_id = $monitorId AND p.at <= $until ORDER BY p.id DESC LIMIT $limit`,
  );
  const remove = database.prepare<null, [number | bigint]>("DELETE FROM pings WHERE id = ?");
  return {
    append: (ping) => Number(append.run(ping).lastInsertRowid),
    tryOut: () => void remove.run(append.run(OF_NOBODY).lastInsertRowid),
    last: (monitorId, lastId, limit) => last.all({ monitorId, last: lastId, limit }),
    between: (monitorId, lastId, span) => between.all({ monitorId, last: lastId, ...span }),
    prune: pruner(database, {
      table: "pings",
      instant: "at",
      keep: `EXISTS (SELECT 1 FROM monitor_states s WHERE s.monitor_id = pings.monitor_id
             AND (pings.number > s.ping_count - ${LAST_KEPT} OR pings.id = s.last_failure_ping_id))`,
    }),
  };
}
