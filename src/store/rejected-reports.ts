// The rows of reports that were refused for another reason than the rate limit (R33): one for each application, monitor
// and reason, a bounded number. Does not decide what is worth reporting.

import type { Database } from "bun:sqlite";
import { HOUR, type Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { rejectedReports } from "./schema-received.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";
import { isNotice } from "./told.ts";

export interface RejectedRow extends Readonly<Stored<typeof rejectedReports>> {
  /** The slug. */
  readonly application: string;
}

/** How many reports are alike; `at`: when the newest came. */
export type NewRejected = Omit<Readonly<Stored<typeof rejectedReports>>, "id" | "toldAt">;

/** Refused reports that are alike, counted in memory. */
export interface CountedRejection {
  readonly application: string;
  /** The newest report since the last write, with when the first of them came. */
  readonly newest: NewRejected;
  readonly unwritten: number;
}

/** Refused because nothing could be stored, or because something is wrong with the report. */
export type RejectedSort = "unstored" | "refused";

export interface RejectedReportRows {
  /** Adds the reports to the row of their like. True: no notice has named it yet, or its failure is news again. */
  save(rejected: NewRejected): boolean;
  /** The rows of one monitor, newest first; `after`, `upTo`: the newest report came in between. */
  ofMonitor(applicationId: number, monitorKey: string, after: Instant, upTo: Instant): RejectedRow[];
  /** The newest `limit`, newest first; of one application or, with null, of all. */
  newest(applicationId: number | null, limit: number): RejectedRow[];
  /** Rows that no notice has named, the first seen first. */
  untold(sort: RejectedSort): RejectedRow[];
  /** No notice needs to name any of these that was written so far. */
  markTold(at: Instant, sort: RejectedSort): void;
  /** When the last notice about them was written. */
  lastNoticeAt(): Instant | null;
  /** Deletes rows older than `before`, as `pruner` does. To be called in a transaction. */
  prune(before: Instant, after: number, limit: number): Pruned;
}

/** Rows per application. When there are more, the oldest go. */
const KEPT = 500;

/** The reports of such a row were refused because nothing could be stored. */
const IS_UNSTORED = "code = 'STORAGE_UNAVAILABLE'";

export function rejectedReportRows(database: Database): RejectedReportRows {
  type Fresh = Omit<Stored<typeof rejectedReports>, "id">;
  const columns = `${columnsOf(rejectedReports, "j")}, a.slug AS application
    FROM rejected_reports j JOIN applications a ON a.id = j.application_id`;
  const save = database.prepare<{ toldAt: Instant | null; times: number }, [Fresh & { hour: number }]>(
    `${insertInto(rejectedReports)} ON CONFLICT (application_id, monitor_key, code, field) DO UPDATE SET
       reason = $reason, kind = $kind, key_id = $keyId, at = $at, times = times + $times,
       told_at = CASE WHEN $kind = 'fail' AND (${IS_UNSTORED} OR told_at <= $at - $hour) THEN NULL ELSE told_at END
     RETURNING told_at AS toldAt, times`,
  );
  const forget = database.prepare<null, [{ applicationId: number; kept: number }]>(
    `DELETE FROM rejected_reports WHERE id IN (SELECT id FROM rejected_reports WHERE application_id = $applicationId
       ORDER BY at DESC, id DESC LIMIT -1 OFFSET $kept)`,
  );
  const ofMonitor = database.prepare<
    RejectedRow,
    [{ applicationId: number; monitorKey: string; after: Instant; upTo: Instant }]
  >(
    `SELECT ${columns} WHERE j.application_id = (SELECT $applicationId) AND j.monitor_key = (SELECT $monitorKey)
       AND j.at > (SELECT $after) AND j.at <= (SELECT $upTo) ORDER BY j.at DESC, j.id DESC`,
  );
  const newest = database.prepare<RejectedRow, [{ applicationId: number | null; limit: number }]>(
    `SELECT ${columns} WHERE $applicationId IS NULL OR j.application_id = $applicationId
     ORDER BY j.at DESC, j.id DESC LIMIT $limit`,
  );
  const untold = database.prepare<RejectedRow, [boolean]>(
    `SELECT ${columns} WHERE j.told_at IS NULL AND (j.${IS_UNSTORED}) = ? ORDER BY j.id`,
  );
  const markTold = database.prepare<null, [Instant, boolean]>(
    `UPDATE rejected_reports SET told_at = ? WHERE told_at IS NULL AND (${IS_UNSTORED}) = ?`,
  );
  const lastNoticeAt = database.prepare<{ at: Instant | null }, []>(
    `SELECT max(at) AS at FROM alerts a WHERE ${isNotice("rejected")}`,
  );

  return {
    save: (rejected) => {
      const saved = save.get({ ...rejected, toldAt: null, hour: HOUR })!;
      if (saved.times === rejected.times) forget.run({ applicationId: rejected.applicationId, kept: KEPT });
      return saved.toldAt === null;
    },
    ofMonitor: (applicationId, monitorKey, after, upTo) => ofMonitor.all({ applicationId, monitorKey, after, upTo }),
    newest: (applicationId, limit) => newest.all({ applicationId, limit }),
    untold: (sort) => untold.all(sort === "unstored"),
    markTold: (at, sort) => void markTold.run(at, sort === "unstored"),
    lastNoticeAt: () => lastNoticeAt.get()!.at,
    prune: pruner(database, { table: "rejected_reports", instant: "at", keep: "false" }),
  };
}
