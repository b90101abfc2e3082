// The rows of reports that a rate limit refused (R26, R33): at most one per monitor and minute, kept until a notice
// names them and for a while after. Opens no transaction; does not know which report outranks which.

import type { Database } from "bun:sqlite";
import { type Instant, MINUTE } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { rateLimitedReports } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored } from "./sql.ts";
import { isNotice } from "./told.ts";

/** `told`: 1 once a notice has named it. */
export type RateLimitedRow = Readonly<Stored<typeof rateLimitedReports>>;

export type NewRefusedReport = Omit<RateLimitedRow, "id" | "told">;

export interface RateLimitedReportRows {
  /** The monitor's row for the minute of `at`. */
  inMinute(monitorId: number, at: Instant): RateLimitedRow | null;
  /** The newest after `after` and up to `upTo`. */
  newestWithin(monitorId: number, after: Instant, upTo: Instant): RateLimitedRow | null;
  insert(report: NewRefusedReport): void;
  /** Puts the report into the row `id`, so that the next notice names that row again. */
  replace(id: number, report: NewRefusedReport): void;
  /** Rows that no notice has named yet, in the order of writing. */
  untold(): RateLimitedRow[];
  /** Marks everything written so far as named. */
  markTold(): void;
  /** When the last notice about refused reports was written. */
  lastNoticeAt(): Instant | null;
  /** The `limit` newest rows, in the order of writing. */
  newest(limit: number): RateLimitedRow[];
  /**
   * Deletes rows older than `before` that a notice has named; looks at no more than `limit` rows after the row `after`.
   * To be called in a transaction.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function rateLimitedReportRows(database: Database): RateLimitedReportRows {
  type Fresh = Omit<RateLimitedRow, "id">;
  const columns = columnsOf(rateLimitedReports, "refused");
  const inMinute = database.prepare<RateLimitedRow, [{ monitorId: number; from: Instant; to: Instant }]>(
    `SELECT ${columns} FROM refused_reports refused WHERE refused.monitor_id = (SELECT $monitorId) AND refused.at >= $from AND refused.at < $to`,
  );
  const within = database.prepare<RateLimitedRow, [{ monitorId: number; after: Instant; upTo: Instant }]>(
    `SELECT ${columns} FROM refused_reports refused WHERE refused.monitor_id = (SELECT $monitorId)
       AND refused.at > (SELECT $after) AND refused.at <= (SELECT $upTo) ORDER BY refused.at DESC, refused.id DESC LIMIT 1`,
  );
  const insert = database.prepare<null, [Fresh]>(insertInto(rateLimitedReports));
  const replace = database.prepare<null, [RateLimitedRow]>(
    `UPDATE refused_reports SET ${assignmentsOf(rateLimitedReports, ["id"])} WHERE id = $id`,
  );
  const untold = database.prepare<RateLimitedRow, []>(
    `SELECT ${columns} FROM refused_reports refused WHERE refused.told = 0 ORDER BY refused.id`,
  );
  const markTold = database.prepare<null, []>("UPDATE refused_reports SET told = 1 WHERE told = 0");
  const lastNoticeAt = database.prepare<{ at: Instant | null }, []>(
    `SELECT max(at) AS at FROM alerts a WHERE ${isNotice("refused")}`,
  );
  const newest = database.prepare<RateLimitedRow, [number]>(
    `SELECT ${columns} FROM refused_reports refused ORDER BY refused.id DESC LIMIT ?`,
  );
  return {
    inMinute: (monitorId, at) => {
      const from = Math.floor(at / MINUTE) * MINUTE;
      return inMinute.get({ monitorId, from, to: from + MINUTE });
    },
    newestWithin: (monitorId, after, upTo) => within.get({ monitorId, after, upTo }),
    insert: (report) => void insert.run({ ...report, told: 0 }),
    replace: (id, report) => void replace.run({ ...report, id, told: 0 }),
    untold: () => untold.all(),
    markTold: () => void markTold.run(),
    lastNoticeAt: () => lastNoticeAt.get()!.at,
    newest: (limit) => newest.all(limit).reverse(),
    prune: pruner(database, { table: "refused_reports", instant: "at", keep: "told = 0" }),
  };
}
