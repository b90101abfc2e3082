// Reads what many monitors did in a span of time, for pages such as the day. The number of queries does not grow with
// the number of monitors.

import type { Database } from "bun:sqlite";
import type { Span } from "../domain/monitor/window.ts";
import type { Instant } from "../domain/time.ts";
import type { ChainHead } from "./recent.ts";
import { incidents, type pings, runs, unknowns } from "./schema.ts";
import { columnsOf, type Stored } from "./sql.ts";

/** A report with facts of its run. The fields from `runs` are `null` when the report belongs to no run. */
export type WalkedReport = Pick<
  Stored<typeof pings>,
  "id" | "previousId" | "monitorId" | "at" | "kind" | "durationSeconds" | "verdict"
> &
  Pick<Stored<typeof runs>, "startedAt" | "endedAt" | "endedBy" | "deadline"> & {
    /** When the reported event happened, if the report came late; otherwise `null`. */
    readonly happenedAt: Instant | null;
    readonly state: Stored<typeof runs>["state"] | null;
    /**
     * What was remarkable about the end of the report's run, as in `runs.verdict`; `null` when nothing was. Another
     * report may have brought that end.
     */
    readonly runVerdict: Stored<typeof runs>["verdict"];
  };

export type UnendedRun = Pick<Stored<typeof runs>, "monitorId" | "startedAt" | "deadline">;

export type IncidentInSpan = Pick<
  Stored<typeof incidents>,
  "monitorId" | "openedAt" | "closedAt" | "expectedAt" | "missedSlots" | "lateSlots" | "lateTo"
> & { readonly isMissed: 0 | 1 };

export type UnknownInSpan = Pick<Stored<typeof unknowns>, "monitorId" | "slot" | "slots">;

/** The place after which a list of late reports goes on. The list is sorted by `happenedAt` and then by id. */
export type LatePlace = Readonly<{ happenedAt: Instant; id: number }>;

const INCIDENTS_OF_EACH = 1_000;
const INCIDENTS_SEARCHED = 10_000;

export function spanRows(database: Database) {
  const ofPing = ["id", "previousId", "monitorId", "at", "kind", "runRow", "durationSeconds", "happenedAt", "verdict"];
  const columns =
    "p.id, p.previous_id, p.monitor_id, p.at, p.kind, p.run_row, p.duration_seconds, p.happened_at, p.verdict";
  const ofRun = `${columnsOf(runs, "r", ["startedAt", "endedAt", "endedBy", "deadline", "state"])}, r.verdict AS runVerdict`;
  // `monitor_id` is compared, because a monitor's chain may lead to the id of a deleted ping, and another monitor's
  // ping may have this id now.
  const reports = database.prepare<WalkedReport, [{ heads: string; since: Instant; limit: number }]>(
    `WITH RECURSIVE chain (${ofPing.join(", ")}) AS (
       SELECT ${columns} FROM json_each($heads) head CROSS JOIN pings p ON p.id = head.value ->> 1
       WHERE p.monitor_id = head.value ->> 0
       UNION ALL
       SELECT ${columns} FROM chain CROSS JOIN pings p ON p.id = chain.previousId
       WHERE (chain.at >= $since OR chain.kind = 'log') AND p.monitor_id = chain.monitorId
       LIMIT $limit
     )
     SELECT chain.id, chain.previousId, chain.monitorId, chain.at, chain.kind, chain.durationSeconds, chain.happenedAt,
       chain.verdict, ${ofRun}
     FROM chain LEFT JOIN runs r ON r.id = chain.runRow ORDER BY chain.monitorId, chain.id DESC`,
  );
  const late = database.prepare<WalkedReport, [{ from: Instant; to: Instant; id: number; limit: number }]>(
    `SELECT p.id, p.previous_id AS previousId, p.monitor_id AS monitorId, p.at, p.kind, p.duration_seconds AS durationSeconds,
       p.happened_at AS happenedAt, p.verdict, ${ofRun}
     FROM pings p INDEXED BY pings_late LEFT JOIN runs r ON r.id = p.run_row
     WHERE p.happened_at IS NOT NULL AND p.happened_at <= $to AND (p.happened_at, p.id) > ($from, $id) AND p.at > $to
     ORDER BY p.happened_at, p.id LIMIT $limit`,
  );
  const headsUpTo = database.prepare<ChainHead, [{ ids: string; last: number; searched: number }]>(
    `SELECT p.monitor_id AS id, max(p.id) AS lastPingId FROM pings p
     WHERE p.id <= $last AND p.id > $last - $searched AND p.monitor_id IN (SELECT value FROM json_each($ids))
     GROUP BY p.monitor_id`,
  );
  const bounds = database.prepare<{ first: number | null; last: number | null }, []>(
    "SELECT (SELECT min(id) FROM pings) AS first, (SELECT max(id) FROM pings) AS last",
  );
  const nextAfter = database.prepare<{ id: number; at: Instant }, [number]>(
    "SELECT id, at FROM pings WHERE id >= ? ORDER BY id LIMIT 1",
  );
  const openRuns = database.prepare<UnendedRun, [{ ids: string; before: Instant }]>(
    `SELECT ${columnsOf(runs, "r", ["monitorId", "startedAt", "deadline"])}
     FROM json_each($ids) wanted CROSS JOIN runs r ON r.monitor_id = wanted.value
     WHERE r.matters = 1 AND r.state = 'open' AND r.started_at < $before`,
  );
  const incidentsIn = database.prepare<IncidentInSpan, [{ ids: string; since: Instant }]>(
    `SELECT ${columnsOf(incidents, "i", ["monitorId", "openedAt", "closedAt", "expectedAt", "missedSlots", "lateSlots", "lateTo"])},
       instr(i.causes, '"missed"') > 0 OR i.missed_slots > 0 AS isMissed
     FROM json_each($ids) wanted CROSS JOIN incidents i ON i.monitor_id = wanted.value
       AND i.number > (SELECT max(number) FROM incidents WHERE monitor_id = wanted.value) - ${INCIDENTS_OF_EACH}
     WHERE i.closed_at IS NULL OR i.closed_at >= $since`,
  );
  const unknownsIn = database.prepare<UnknownInSpan, [{ ids: string; since: Instant }]>(
    `SELECT ${columnsOf(unknowns, "u", ["monitorId", "slot", "slots"])}
     FROM json_each($ids) wanted CROSS JOIN unknowns u ON u.monitor_id = wanted.value
     WHERE u.at >= $since AND u.slot IS NOT NULL`,
  );
  const troubled = database.prepare<{ monitorId: number }, [{ since: Instant; until: Instant }]>(
    // SQLite reads the newest incidents by their ids here. With the index by monitor it would read all incidents.
    `SELECT DISTINCT i.monitor_id AS monitorId FROM incidents i NOT INDEXED
     WHERE i.id > (SELECT max(id) FROM incidents) - ${INCIDENTS_SEARCHED}
       AND (i.closed_at IS NULL OR i.closed_at >= $since) AND i.opened_at <= $until`,
  );

  /**
   * The id of the newest report that came at `at` or before; 0 when there is none. The binary search needs ids that
   * rise with time.
   */
  function lastIdAt(at: Instant): number {
    const { first, last } = bounds.get()!;
    if (first === null || last === null) return 0;
    let [low, high] = [first - 1, last];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const found = nextAfter.get(middle)!;
      if (found.at <= at) low = found.id;
      else high = middle - 1;
    }
    return low < first ? 0 : low;
  }

  return {
    /**
     * Reports of several monitors: for each monitor from its last ping (`heads`) back to the first report before
     * `since` that is not a log. At most `limit` are returned in all, sorted by monitor, the newest first. If `limit`
     * cut off a monitor, the next call can go on at the `previousId` of its last row.
     */
    reports: (heads: readonly ChainHead[], since: Instant, limit: number) =>
      reports.all({ heads: JSON.stringify(heads.map(({ id, lastPingId }) => [id, lastPingId])), since, limit }),
    /**
     * Late reports of all monitors that came after `span.to`, although their event happened by then. Returns at most
     * `limit` of them, from the given place in the list on.
     */
    late: ({ to }: Span, { happenedAt, id }: LatePlace, limit: number) => late.all({ from: happenedAt, to, id, limit }),
    /**
     * For each of these monitors, the newest report with an id of at most `last`. Only the `searched` reports up to
     * `last` are examined; a monitor without any among them is left out.
     */
    headsUpTo: (monitorIds: readonly number[], last: number, searched: number) =>
      headsUpTo.all({ ids: JSON.stringify(monitorIds), last, searched }),
    lastIdAt,
    openRuns: (monitorIds: readonly number[], before: Instant) =>
      openRuns.all({ ids: JSON.stringify(monitorIds), before }),
    /**
     * The incidents of these monitors that are open now or were closed at `since` or later. Only the newest thousand
     * incidents of each monitor are searched.
     */
    incidents: (monitorIds: readonly number[], since: Instant) =>
      incidentsIn.all({ ids: JSON.stringify(monitorIds), since }),
    /** The slots that were judged unknown at `since` or later. Unknown runs are left out. */
    unknowns: (monitorIds: readonly number[], since: Instant) =>
      unknownsIn.all({ ids: JSON.stringify(monitorIds), since }),
    /**
     * The monitors that had an open incident at some time from `since` to `until`. Only the newest ten thousand
     * incidents are searched.
     */
    troubled: (since: Instant, until: Instant) => troubled.all({ since, until }).map(({ monitorId }) => monitorId),
  };
}
