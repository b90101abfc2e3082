// The rows of reports that a rate limit refused (R26, R33): at most one per monitor and minute, kept until a notice
// names them and for a while after. Opens no transaction; does not know which report outranks which.

import type { Database } from "bun:sqlite";
import { type Instant, MINUTE } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { rateLimitedReports } from "./schema-received.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";
import { isNotice } from "./told.ts";

export type RateLimitedRow = Readonly<Stored<typeof rateLimitedReports>>;

export type NewRefusedReport = Omit<RateLimitedRow, "id">;

/** A row without its message. */
export type RateLimitedBrief = Omit<RateLimitedRow, "message">;

/** A fail that was refused. */
export type RefusedFail = Pick<RateLimitedRow, "at" | "message">;

/** Rows after the id `after` and up to the id `upTo`. */
export type IdSpan = { readonly after: number; readonly upTo: number };

export interface RateLimitedReportRows {
  /** The monitor's row for the minute of `at`. */
  inMinute(monitorId: number, at: Instant): RateLimitedRow | null;
  /** The newest after `after` and up to `upTo`. */
  newestWithin(monitorId: number, after: Instant, upTo: Instant): RateLimitedRow | null;
  insert(report: NewRefusedReport): void;
  /** Puts the report in the place of the row `id`. It gets an id of its own, so that the next notice names it. */
  replace(id: number, report: NewRefusedReport): void;
  /** The rows that no notice has named: `after` is the newest one that was named. */
  untold(): IdSpan;
  /** The first `limit` of these rows, in the order of writing. */
  within(span: IdSpan, limit: number): RateLimitedBrief[];
  /** The monitor's newest `limit` fails of these rows, newest first. */
  fails(monitorId: number, span: IdSpan, limit: number): RefusedFail[];
  /** Everything up to the id `upTo` is named. To be called in the transaction that names it. */
  markTold(upTo: number): void;
  /** When the last notice about refused reports was written. */
  lastNoticeAt(): Instant | null;
  /** The `limit` newest rows, in the order of writing. */
  newest(limit: number): RateLimitedBrief[];
  /**
   * Deletes rows older than `before` that a notice has named; looks at no more than `limit` rows after the row `after`.
   * To be called in a transaction.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export const rateLimitedReportRows = (database: Database): RateLimitedReportRows => ({
  ...ofMinutes(database),
  ...telling(database),
  prune: pruner(database, { table: "refused_reports", instant: "at", keep: `id > (${TOLD_UP_TO})` }),
});

const TOLD_UP_TO = "SELECT up_to FROM refused_told";
const FROM = "FROM refused_reports refused";

function ofMinutes(
  database: Database,
): Pick<RateLimitedReportRows, "inMinute" | "newestWithin" | "insert" | "replace"> {
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
    inMinute: (monitorId, at) => {
      const from = Math.floor(at / MINUTE) * MINUTE;
      return inMinute.get({ monitorId, from, to: from + MINUTE });
    },
    newestWithin: (monitorId, after, upTo) => within.get({ monitorId, after, upTo }),
    insert: (report) => void insert.run(report),
    replace: (id, report) => {
      remove.run(id);
      insert.run(report);
    },
  };
}

/** A notice moves one number, however much it names. */
function telling(database: Database): Omit<RateLimitedReportRows, "prune" | keyof ReturnType<typeof ofMinutes>> {
  const brief = columnsOf(rateLimitedReports, "refused", ["id", "monitorId", "at", "kind", "setting"]);
  const untold = database.prepare<IdSpan, []>(
    "SELECT up_to AS after, max(up_to, coalesce((SELECT max(id) FROM refused_reports), 0)) AS upTo FROM refused_told",
  );
  const within = database.prepare<RateLimitedBrief, [IdSpan & { limit: number }]>(
    `SELECT ${brief} ${FROM} WHERE refused.id > $after AND refused.id <= $upTo ORDER BY refused.id LIMIT $limit`,
  );
  const fails = database.prepare<RefusedFail, [IdSpan & { monitorId: number; limit: number }]>(
    `SELECT refused.at, refused.message ${FROM} WHERE refused.monitor_id = (SELECT $monitorId) AND refused.kind = 'fail'
       AND refused.id > $after AND refused.id <= $upTo ORDER BY refused.at DESC, refused.id DESC LIMIT $limit`,
  );
  const markTold = database.prepare<null, [number]>("UPDATE refused_told SET up_to = ?");
  const lastNoticeAt = database.prepare<{ at: Instant | null }, []>(
    `SELECT max(at) AS at FROM alerts a WHERE ${isNotice("refused")}`,
  );
  const newest = database.prepare<RateLimitedBrief, [number]>(
    `SELECT ${brief} ${FROM} ORDER BY refused.id DESC LIMIT ?`,
  );
  return {
    untold: () => untold.get()!,
    within: (span, limit) => within.all({ ...span, limit }),
    fails: (monitorId, span, limit) => fails.all({ ...span, monitorId, limit }),
    markTold: (upTo) => void markTold.run(upTo),
    lastNoticeAt: () => lastNoticeAt.get()!.at,
    newest: (limit) => newest.all(limit).reverse(),
  };
}
