// The history of bulk syncs (R29): the newest rows of each application, a bounded number. Does not know what is in an
// outcome.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { syncs } from "./schema-received.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

type Row = Stored<typeof syncs>;

/** One sync. */
export type NewSync = Readonly<Omit<Row, "id" | "firstAt" | "times">>;

export interface SyncRow extends Readonly<Row> {
  /** The slug. */
  readonly application: string;
}

export interface SyncRows {
  /** `repeats`: it changed nothing, so it shares the row of its source's last sync if that was the same. */
  insert(sync: NewSync, repeats: boolean): void;
  /** The newest `limit`, newest first; of one application or, with null, of all. */
  newest(applicationId: number | null, limit: number): SyncRow[];
  /** Deletes rows older than `before`, as `pruner` does. To be called in a transaction. */
  prune(before: Instant, after: number, limit: number): Pruned;
}

/** Rows per application; the oldest go first. A scheduler may sync at every start of each of its workers. */
const KEPT = 500;

export function syncRows(database: Database): SyncRows {
  const last = database.prepare<Row, [{ applicationId: number; source: string }]>(
    `SELECT ${columnsOf(syncs, "s")} FROM syncs s WHERE s.application_id = $applicationId AND s.source = $source
     ORDER BY s.id DESC LIMIT 1`,
  );
  const again = database.prepare<null, [{ id: number; at: Instant }]>(
    "UPDATE syncs SET at = $at, times = times + 1 WHERE id = $id",
  );
  const insert = database.prepare<null, [Omit<Row, "id">]>(insertInto(syncs));
  const forget = database.prepare<null, [{ applicationId: number; kept: number }]>(
    `DELETE FROM syncs WHERE id IN
       (SELECT id FROM syncs WHERE application_id = $applicationId ORDER BY at DESC, id DESC LIMIT -1 OFFSET $kept)`,
  );
  const newest = database.prepare<SyncRow, [{ applicationId: number | null; limit: number }]>(
    `SELECT ${columnsOf(syncs, "s")}, a.slug AS application FROM syncs s JOIN applications a ON a.id = s.application_id
     WHERE $applicationId IS NULL OR s.application_id = $applicationId ORDER BY s.at DESC, s.id DESC LIMIT $limit`,
  );

  return {
    insert: (sync, repeats) => {
      const before = repeats ? last.get({ applicationId: sync.applicationId, source: sync.source }) : null;
      if (before !== null && isSame(before, sync)) again.run({ id: before.id, at: sync.at });
      else {
        insert.run({ ...sync, firstAt: sync.at, times: 1 });
        forget.run({ applicationId: sync.applicationId, kept: KEPT });
      }
    },
    newest: (applicationId, limit) => newest.all({ applicationId, limit }),
    prune: pruner(database, { table: "syncs", instant: "at", keep: "false" }),
  };
}

const isSame = (one: Row, other: NewSync): boolean =>
  one.keyId === other.keyId &&
  one.version === other.version &&
  one.authoritative === other.authoritative &&
  one.outcome === other.outcome;
