// The rows of refused reports, kept until a notice names them and for a while after: those that a rate limit refused,
// at most one per monitor and minute, and those that were wrong (R26, R33). Opens no transaction.

import type { Database } from "bun:sqlite";
import { HOUR, type Instant, MINUTE } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { rateLimitedReports, rejectedReports } from "./schema-received.ts";
import { columnsOf, insertInto, isNotice, type Stored } from "./sql.ts";

export type RateLimitedRow = Readonly<Stored<typeof rateLimitedReports>>;

export type NewRefusedReport = Omit<RateLimitedRow, "id">;

export type RateLimitedBrief = Omit<RateLimitedRow, "message">;

export type RefusedFail = Pick<RateLimitedRow, "at" | "message">;

/** Rows after the id `after` and up to the id `upTo`. */
export type IdSpan = { readonly after: number; readonly upTo: number };

export const rateLimitedReportRows = (database: Database) => ({
  ...ofMinutes(database),
  ...notices(database),
  prune: pruner(database, { table: "refused_reports", instant: "at", keep: `id > (${NOTIFIED_UP_TO})` }),
});

const NOTIFIED_UP_TO = "SELECT up_to FROM refused_told";
const FROM = "FROM refused_reports refused";

function ofMinutes(database: Database) {
  const columns = columnsOf(rateLimitedReports, "refused");
  const inMinute = database.prepare<RateLimitedRow, [{ monitorId: number; from: Instant; to: Instant }]>(
    `SELECT ${columns} ${FROM} WHERE refused.monitor_id = (SELECT $monitorId) AND refused.at >= $from AND refused.at < $to`,
  );
  const within = database.prepare<RateLimitedRow, [{ monitorId: number; after: Instant; upTo: Instant }]>(
    `SELECT ${columns} ${FROM} WHERE refused.monitor_id = (SELECT $monitorId)
       AND refused.at > (SELECT $after) AND refused.at <= (SELECT $upTo) ORDER BY refused.at DESC, refused.id DESC LIMIT 1`,
  );
  const insert = database.prepare<null, [NewRefusedReport]>(insertInto(rateLimitedReports));
  const remove = database.prepare<null, [number]>("DELETE FROM refused_reports WHERE id = ?");
  return {
    /** The monitor's row for the minute of `at`. */
    inMinute: (monitorId: number, at: Instant) => {
      const from = Math.floor(at / MINUTE) * MINUTE;
      return inMinute.get({ monitorId, from, to: from + MINUTE });
    },
    /** The newest after `after` and up to `upTo`. */
    newestWithin: (monitorId: number, after: Instant, upTo: Instant) => within.get({ monitorId, after, upTo }),
    insert: (report: NewRefusedReport) => void insert.run(report),
    /** Puts the report in the place of the row `id`. It gets an id of its own, so that the next notice names it. */
    replace: (id: number, report: NewRefusedReport) => {
      remove.run(id);
      insert.run(report);
    },
  };
}

/** A notice moves one number, however much it names. */
function notices(database: Database) {
  const brief = columnsOf(rateLimitedReports, "refused", ["id", "monitorId", "at", "kind", "setting"]);
  const pending = database.prepare<IdSpan, []>(
    "SELECT up_to AS after, max(up_to, coalesce((SELECT max(id) FROM refused_reports), 0)) AS upTo FROM refused_told",
  );
  const within = database.prepare<RateLimitedBrief, [IdSpan & { limit: number }]>(
    `SELECT ${brief} ${FROM} WHERE refused.id > $after AND refused.id <= $upTo ORDER BY refused.id LIMIT $limit`,
  );
  const fails = database.prepare<RefusedFail, [IdSpan & { monitorId: number; limit: number }]>(
    `SELECT refused.at, refused.message ${FROM} WHERE refused.monitor_id = (SELECT $monitorId) AND refused.kind = 'fail'
       AND refused.id > $after AND refused.id <= $upTo ORDER BY refused.at DESC, refused.id DESC LIMIT $limit`,
  );
  const markNotified = database.prepare<null, [number]>("UPDATE refused_told SET up_to = ?");
  const lastNoticeAt = database.prepare<{ at: Instant | null }, []>(
    `SELECT max(at) AS at FROM alerts a WHERE ${isNotice("refused", "rejected")}`,
  );
  const newest = database.prepare<RateLimitedBrief, [number]>(
    `SELECT ${brief} ${FROM} ORDER BY refused.id DESC LIMIT ?`,
  );
  return {
    /** The rows that no notice has named: `after` is the newest one that was named. */
    pending: () => pending.get()!,
    /** The first `limit` of these rows, in the order of writing. */
    within: (span: IdSpan, limit: number) => within.all({ ...span, limit }),
    /** The monitor's newest `limit` fails of these rows, newest first. */
    fails: (monitorId: number, span: IdSpan, limit: number) => fails.all({ ...span, monitorId, limit }),
    /** Everything up to the id `upTo` is named. To be called in the transaction that names it. */
    markNotified: (upTo: number) => void markNotified.run(upTo),
    /** When the last notice about refused reports was written, whatever refused them. */
    lastNoticeAt: () => lastNoticeAt.get()!.at,
    /** The `limit` newest rows, in the order of writing. */
    newest: (limit: number) => newest.all(limit).reverse(),
  };
}

// The rows of reports that were refused for another reason than the rate limit (R33): one for each application, monitor
// and reason, a bounded number. Does not decide what is worth reporting.

export type RejectedRow = Readonly<Stored<typeof rejectedReports>> & Readonly<{ application: string }>;

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
export type RejectedSort = "unstored" | "rejected";

/** Rows per application. When there are more, the oldest go. */
const KEPT = 500;

/** The reports of such a row were refused because nothing could be stored. */
const IS_UNSTORED = "code = 'STORAGE_UNAVAILABLE'";

export function rejectedReportRows(database: Database) {
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
  const pending = database.prepare<RejectedRow, [boolean]>(
    `SELECT ${columns} WHERE j.told_at IS NULL AND (j.${IS_UNSTORED}) = ? ORDER BY j.id`,
  );
  const markNotified = database.prepare<null, [Instant, boolean]>(
    `UPDATE rejected_reports SET told_at = ? WHERE told_at IS NULL AND (${IS_UNSTORED}) = ?`,
  );

  return {
    /** Adds the reports to the row of their like. True: no notice has named it yet, or its failure is news again. */
    save: (rejected: NewRejected): boolean => {
      const saved = save.get({ ...rejected, toldAt: null, hour: HOUR })!;
      if (saved.times === rejected.times) forget.run({ applicationId: rejected.applicationId, kept: KEPT });
      return saved.toldAt === null;
    },
    /** The rows of one monitor, newest first; `after`, `upTo`: the newest report came in between. */
    ofMonitor: (applicationId: number, monitorKey: string, after: Instant, upTo: Instant) =>
      ofMonitor.all({ applicationId, monitorKey, after, upTo }),
    /** The newest `limit`, newest first; of one application or, with null, of all. */
    newest: (applicationId: number | null, limit: number) => newest.all({ applicationId, limit }),
    /** Rows that no notice has named, the first seen first. */
    pending: (sort: RejectedSort) => pending.all(sort === "unstored"),
    /** No notice needs to name any of these that was written so far. */
    markNotified: (at: Instant, sort: RejectedSort) => void markNotified.run(at, sort === "unstored"),
    /**
     * Deletes rows older than `before` that a notice has named; looks at no more than `limit` rows after the row
     * `after`. To be called in a transaction.
     */
    prune: pruner(database, { table: "rejected_reports", instant: "at", keep: "false" }),
  };
}
