// Reads and writes refused reports (R26, R33). One row counts the reports of one application, monitor and reason;
// reports that a job failed are counted in a separate row. "News" are reports of which people must learn: each gets the
// next higher number in `news`.

import type { Database } from "bun:sqlite";
import type { PendingRefusals, RefusedNews } from "../domain/message/refused-report.ts";
import { HOUR, type Instant, MINUTE } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { refusedReports } from "./schema-received.ts";
import { columnsOf, insertInto, noticeCondition, type Stored, toBit } from "./sql.ts";

type Columns = Readonly<Stored<typeof refusedReports>>;

/**
 * Refused reports that share a row. `application` is the slug of their application; `at` is when the newest of them
 * came.
 */
export type StoredRefused = Omit<Columns, "failed" | "toldAt"> & { readonly application: string };

export type NewRefused = Omit<StoredRefused, "id" | "news">;

/**
 * Makes a text that is equal for reports that share a row. Reports that a job failed have another text than the others,
 * because people must learn of them.
 */
export const refusedRowKey = ({ applicationId, monitorKey, code, field, kind }: NewRefused): string =>
  JSON.stringify([applicationId, monitorKey, code, field, kind === "fail"]);

/** The rows whose `news` is above `after` and at most `upTo`. */
export type NewsSpan = { readonly after: number; readonly upTo: number };

/**
 * How many rows of refused reports each application keeps; the oldest are deleted first. Rows of rate limits do not
 * count, and stay. A limit is needed, because jobs can send any number of wrong names.
 */
const KEPT = 500;

const LIMITED = "RATE_LIMIT_EXCEEDED";
const UNSTORED = "STORAGE_UNAVAILABLE";
const NEWEST = "(SELECT max(up_to, coalesce((SELECT max(news) FROM refused_reports), 0)) FROM refused_told)";

export function refusedReportRows(database: Database) {
  return {
    ...savedReports(database),
    ...listedReports(database),
    ...pendingReports(database),
    /** Deletes rows whose newest report is old, except rows that a notice has still to name. */
    prune: pruner(database, {
      table: "refused_reports",
      instant: "at",
      keep: "news > (SELECT up_to FROM refused_told)",
    }),
  };
}

type ReportedMonitor = Pick<StoredRefused, "applicationId" | "monitorKey">;

function savedReports(database: Database) {
  type Saved = Omit<Columns, "id" | "news"> & { readonly isNews: boolean; readonly isAgain: boolean };
  const save = database.prepare<Pick<Columns, "times">, [Saved]>(
    `${insertInto(refusedReports).replace("$news", `iif($isNews, ${NEWEST} + 1, 0)`)}
     ON CONFLICT (application_id, monitor_key, code, field, failed) DO UPDATE SET
       reason = $reason, kind = $kind, message = coalesce($message, message), key_id = $keyId, at = $at,
       times = times + $times, news = iif($isAgain, ${NEWEST} + 1, news)
     RETURNING times`,
  );
  const forget = database.prepare<null, [number, number]>(
    `DELETE FROM refused_reports WHERE id IN (SELECT id FROM refused_reports WHERE application_id = ?
       AND code <> '${LIMITED}' ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?)`,
  );
  const notifiedAt = database.prepare<{ at: Instant | null }, [ReportedMonitor]>(
    `SELECT max(told_at) AS at FROM refused_reports
     WHERE application_id = (SELECT $applicationId) AND monitor_key = (SELECT $monitorKey)`,
  );
  const inMinute = database.prepare<{ id: number }, [ReportedMonitor & { from: Instant; to: Instant }]>(
    `SELECT id FROM refused_reports WHERE application_id = (SELECT $applicationId) AND monitor_key = (SELECT $monitorKey)
       AND code = '${LIMITED}' AND at >= $from AND at < $to LIMIT 1`,
  );
  return {
    /** Counts the reports in their row, or makes one. Returns `null` when people need not learn of them. */
    save: ({ application: _, ...reports }: NewRefused): RefusedNews | null => {
      const { applicationId, monitorKey, code, kind, at, times } = reports;
      const isFail = kind === "fail";
      const isAgain = isFail || code === LIMITED;
      // Of reports that could not be stored, only failures are news. The notice about the gap tells of the others.
      const isNews = isFail || code !== UNSTORED;
      const saved = save.get({ ...reports, failed: toBit(isFail), toldAt: null, isNews, isAgain })!;
      const isNew = saved.times === times;
      if (isNew) forget.run(applicationId, KEPT);
      if (isNew ? !isNews : !isAgain) return null;
      return { at, isFail, namedAt: isFail ? notifiedAt.get({ applicationId, monitorKey })!.at : null };
    },
    /** Whether a rate limit has already refused a report of this monitor in the clock minute of `at`. */
    isLimitedInMinute: (applicationId: number, monitorKey: string, at: Instant): boolean => {
      const from = Math.floor(at / MINUTE) * MINUTE;
      return inMinute.get({ applicationId, monitorKey, from, to: from + MINUTE }) !== null;
    },
  };
}

const ROWS = `SELECT ${columnsOf(refusedReports, "refused")}, a.slug AS application
  FROM refused_reports refused JOIN applications a ON a.id = refused.application_id`;

function listedReports(database: Database) {
  const ofMonitor = database.prepare<StoredRefused, [ReportedMonitor]>(
    `${ROWS} WHERE refused.application_id = (SELECT $applicationId) AND refused.monitor_key = (SELECT $monitorKey)
     ORDER BY refused.at DESC, refused.id DESC`,
  );
  type Asked = { applicationId: number | null; monitorKey: string | null; limit: number };
  const newest = database.prepare<StoredRefused, [Asked]>(
    `${ROWS} WHERE ($applicationId IS NULL OR refused.application_id = $applicationId)
       AND ($monitorKey IS NULL OR refused.monitor_key = $monitorKey)
     ORDER BY refused.at DESC, refused.id DESC LIMIT $limit`,
  );
  const limited = database.prepare<StoredRefused, [Instant, number]>(
    `${ROWS} WHERE refused.code = '${LIMITED}' AND refused.at > ? ORDER BY refused.at DESC LIMIT ?`,
  );
  return {
    ofMonitor: (applicationId: number, monitorKey: string) => ofMonitor.all({ applicationId, monitorKey }),
    /** The newest `limit` rows, the newest first. `null` selects all applications, or all monitors. */
    newest: (asked: Asked) => newest.all(asked),
    /** The newest `limit` rows of reports that a rate limit refused after `since`; the oldest of them first. */
    limitedSince: (since: Instant, limit: number) => limited.all(since, limit).reverse(),
  };
}

function pendingReports(database: Database) {
  const pending = database.prepare<PendingRefusals, [number]>(
    `SELECT min(at) AS firstAt, min(iif(failed AND (told_at IS NULL OR told_at > at OR told_at <= at - ?), at, NULL)) AS firstFailAt
     FROM refused_reports WHERE news > (SELECT up_to FROM refused_told)`,
  );
  const span = database.prepare<NewsSpan, []>(`SELECT up_to AS after, ${NEWEST} AS upTo FROM refused_told`);
  const within = database.prepare<ReportedMonitor & { news: number }, [NewsSpan & { limit: number }]>(
    `SELECT application_id AS applicationId, monitor_key AS monitorKey, news FROM refused_reports
     WHERE news > $after AND news <= $upTo ORDER BY news LIMIT $limit`,
  );
  const lastFailed = database.prepare<{ news: number | null }, [NewsSpan & { limit: number }]>(
    `SELECT max(news) AS news FROM (SELECT news FROM refused_reports
       WHERE failed AND news > $after AND news <= $upTo ORDER BY news LIMIT $limit)`,
  );
  const markFailed = database.prepare<null, [NewsSpan & { at: Instant }]>(
    "UPDATE refused_reports SET told_at = $at WHERE failed AND news > $after AND news <= $upTo",
  );
  const mark = database.prepare<null, [number]>("UPDATE refused_told SET up_to = ?");
  const unstored = database.prepare<StoredRefused, []>(
    `${ROWS} WHERE refused.news > (SELECT up_to FROM refused_told) AND refused.code = '${UNSTORED}' ORDER BY refused.news`,
  );
  const markUnstored = database.prepare<null, [Instant]>(
    `UPDATE refused_reports SET told_at = ?, news = 0
     WHERE news > (SELECT up_to FROM refused_told) AND code = '${UNSTORED}'`,
  );
  const lastNoticeAt = database.prepare<{ at: Instant | null }, []>(
    `SELECT max(at) AS at FROM alerts a WHERE ${noticeCondition("refused")}`,
  );
  return {
    /**
     * Says since when rows wait to be named in a notice. `firstAt` is the earliest `at` of these rows. `firstFailAt`
     * is the earliest `at` of those that count failures. A row does not count for `firstFailAt` if its newest failure
     * came less than an hour after a notice had named the row. Each is `null` when no row counts for it.
     */
    pending: (): PendingRefusals => pending.get(HOUR)!,
    pendingSpan: (): NewsSpan => span.get()!,
    /** The monitors of the first `limit` rows whose `news` lies in this span, in the order of `news`. */
    within: (news: NewsSpan, limit: number) => within.all({ ...news, limit }),
    /**
     * Stores that notices have named all rows whose `news` is at most `upTo`, in one update however many rows there
     * are. The column `news` numbers the rows in the order in which something new came to them.
     */
    markNotified: (upTo: number) => void mark.run(upTo),
    /**
     * Stores `at` as the time at which a notice named the first `limit` rows of failures whose `news` lies in this
     * span. Returns the highest `news` of these rows; `null` when there are none.
     */
    markFailed: (news: NewsSpan, at: Instant, limit: number): number | null => {
      const { news: upTo } = lastFailed.get({ ...news, limit })!;
      if (upTo !== null) markFailed.run({ after: news.after, upTo, at });
      return upTo;
    },
    /**
     * Returns the reported fails that were refused because nothing could be stored then, and that no notice has named
     * yet. Marks them as named.
     */
    takeUnstored: (at: Instant): StoredRefused[] => {
      const rows = unstored.all();
      markUnstored.run(at);
      return rows;
    },
    lastNoticeAt: () => lastNoticeAt.get()!.at,
  };
}
