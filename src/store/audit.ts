// The rows of the audit: who did what. A bounded number; decides nothing.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import type { MonitorPlace } from "./monitor-pages.ts";
import { type Pruned, pruner } from "./retention.ts";
import { audit } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export type AuditRow = Readonly<Stored<typeof audit>>;

export interface AuditFilter {
  /** Only rows from this instant on. */
  readonly since: Instant;
  /** Only rows with an id below this. */
  readonly before: number;
  /** Of whom, however it is spelled in ASCII; null: of all. */
  readonly name: string | null;
  /** Only these; null: all. */
  readonly actions: readonly string[] | null;
  /** Only those whose first word it is; null: all. */
  readonly group: string | null;
  /** Only about this one; null: about all. */
  readonly application: string | null;
  readonly monitorKey: string | null;
  /** At most. */
  readonly limit: number;
}

export interface AuditRows {
  insert(row: Omit<AuditRow, "id">): void;
  /** The newest first. */
  list(filter: AuditFilter): AuditRow[];
  /** What was done to the monitor of this name in [since, before), the newest first. */
  ofMonitor(name: MonitorPlace, span: { readonly since: Instant; readonly before: Instant }, limit: number): AuditRow[];
  /** Deletes rows older than `before`, as `pruner` does. To be called in a transaction. */
  prune(before: Instant, after: number, limit: number): Pruned;
}

/** A script may pause and resume every minute; people do less in a year. */
const KEPT = 100_000;

export function auditRows(database: Database): AuditRows {
  const insert = database.prepare<{ id: number }, [Omit<AuditRow, "id">]>(`${insertInto(audit)} RETURNING id`);
  const forget = database.prepare<null, [number]>("DELETE FROM audit WHERE id <= ?");
  type Asked = Omit<AuditFilter, "actions"> & { readonly actions: string | null };
  const list = database.prepare<AuditRow, [Asked]>(
    `SELECT ${columnsOf(audit, "a")} FROM audit a WHERE a.id < $before AND a.at >= $since
       AND ($name IS NULL OR a.name = $name COLLATE NOCASE)
       AND ($application IS NULL OR a.application = $application)
       AND ($monitorKey IS NULL OR a.monitor_key = $monitorKey)
       AND ($actions IS NULL OR a.action IN (SELECT value FROM json_each($actions)))
       AND ($group IS NULL OR a.action = $group OR substr(a.action, 1, length($group) + 1) = $group || ' ')
     ORDER BY a.id DESC LIMIT $limit`,
  );
  type OfMonitor = { application: string; key: string; since: Instant; before: Instant; limit: number };
  const ofMonitor = database.prepare<AuditRow, [OfMonitor]>(
    `SELECT ${columnsOf(audit, "a")} FROM audit a INDEXED BY audit_of_monitor
     WHERE a.application = $application AND a.monitor_key = $key AND a.monitor_key IS NOT NULL
       AND a.at >= $since AND a.at < $before ORDER BY a.id DESC LIMIT $limit`,
  );
  return {
    insert: (row) => void forget.run(insert.get(row)!.id - KEPT),
    list: ({ actions, ...filter }) =>
      list.all({ ...filter, actions: actions === null ? null : JSON.stringify(actions) }),
    ofMonitor: ({ application, key }, { since, before }, limit) =>
      ofMonitor.all({ application, key, since, before, limit }),
    prune: pruner(database, { table: "audit", instant: "at", keep: "false" }),
  };
}
