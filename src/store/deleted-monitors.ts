// Deletes monitors (R25). A deleted monitor leaves every list at once; its rows are deleted some days later, in pieces.
// The row in `monitors` is deleted last, so that a restart finds what is still to be deleted.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import type { KnownMonitors } from "./memory/known-monitors.ts";
import type { MonitorStates } from "./memory/monitor-states.ts";
import { type Heads, headsFromRow, NO_HEADS } from "./monitor-state.ts";
import type { Pruned } from "./retention.ts";

export interface DeletedMonitorRow {
  readonly applicationId: number;
  readonly application: string;
  readonly key: string;
  readonly declaredName: string | null;
  readonly deletedAt: Instant;
}

type Remains = Readonly<{ heads: Heads; receivedAt: Instant | null; openIncidents: readonly number[] }>;

type DeletedPing = Readonly<{ id: number; previousId: number | null; runRow: number | null }>;

type OfMonitor = { readonly monitorId: number; readonly limit: number };

/**
 * One piece deletes a limited number of rows, of which an incident counts as this many: its own, its alerts', and those
 * of their deliveries.
 */
const ROWS_AN_INCIDENT = 10;

export function deletedMonitorRows(database: Database, states: MonitorStates, known: KnownMonitors) {
  const mark = database.prepare<null, [{ id: number; at: Instant }]>(
    "UPDATE monitors SET deleted_at = $at WHERE id = $id AND deleted_at IS NULL",
  );
  const closeIncidents = database.prepare<{ id: number }, [{ id: number; at: Instant }]>(
    `UPDATE incidents SET closed_at = $at, closed_by = 'deleted', remind_at = NULL
     WHERE monitor_id = $id AND closed_at IS NULL RETURNING id`,
  );
  const openIncidents = database.prepare<{ id: number }, [number]>(
    "SELECT id FROM incidents WHERE monitor_id = ? AND closed_at IS NULL ORDER BY id DESC",
  );
  const due = database.prepare<{ id: number }, [{ before: Instant; after: number }]>(
    `SELECT id FROM monitors INDEXED BY monitors_deleted
     WHERE deleted_at IS NOT NULL AND id > $after AND deleted_at < $before ORDER BY id LIMIT 1`,
  );
  const find = database.prepare<{ id: number }, [{ applicationId: number; key: string; since: Instant }]>(
    `SELECT m.id FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id
     WHERE m.application_id = $applicationId AND m.key = $key AND m.deleted_at >= $since ORDER BY m.id DESC LIMIT 1`,
  );
  // The index monitors_deleted nearly always is empty, so this query costs a new monitor hardly anything.
  const inherit = database.prepare<null, [{ id: number; applicationId: number; key: string; since: Instant }]>(
    `UPDATE deliveries SET monitor_id = $id WHERE (finished_at IS NULL OR stands) AND monitor_id =
       (SELECT m.id FROM monitors m INDEXED BY monitors_deleted WHERE m.deleted_at IS NOT NULL AND m.deleted_at >= $since
          AND m.application_id = $applicationId AND m.key = $key ORDER BY m.id DESC LIMIT 1)`,
  );
  const newest = database.prepare<DeletedMonitorRow, [{ applicationId: number | null; since: Instant; limit: number }]>(
    `SELECT m.application_id AS applicationId, a.slug AS application, m.key, m.declared_name AS declaredName,
       max(m.deleted_at) AS deletedAt
     FROM monitors m INDEXED BY monitors_deleted JOIN applications a ON a.id = m.application_id AND a.deleted_at IS NULL
     WHERE m.deleted_at IS NOT NULL AND m.deleted_at >= $since AND ($applicationId IS NULL OR m.application_id = $applicationId)
     GROUP BY m.application_id, m.key ORDER BY deletedAt DESC, m.id DESC LIMIT $limit`,
  );
  const unmark = database.prepare<null, [number]>("UPDATE monitors SET deleted_at = NULL WHERE id = ?");
  const removePiece = monitorRemover(database, states);

  return {
    /**
     * Marks a monitor as deleted: another monitor may get its key, no list shows it, and time no longer changes it. The
     * caller has closed its open incident, if it could be read. Open incidents that are left are closed here, and their
     * ids are returned.
     */
    mark: (id: number, at: Instant): number[] => {
      known.changing();
      mark.run({ id, at });
      const row = states.load(id);
      if (row !== null) states.save({ ...row, wakeAt: null });
      return closeIncidents.all({ id, at }).map((incident) => incident.id);
    },
    /** The id of the monitor with this key that was deleted last, if that was at `since` or later; otherwise `null`. */
    find: (applicationId: number, key: string, since: Instant) => find.get({ applicationId, key, since })?.id ?? null,
    /**
     * Called when a new monitor gets the key of a monitor that was deleted at `since` or later. Deliveries of the
     * deleted monitor that wait, and those by which receivers know of its trouble, go over to the new monitor. People
     * see one name, so the messages of both must keep their order in one lane (R36).
     */
    inherit: (id: number, applicationId: number, key: string, since: Instant) =>
      void inherit.run({ id, applicationId, key, since }),
    /**
     * At most `limit` monitors that were deleted at `since` or later, the one deleted last first. Of several with the
     * same key only the last is returned. With `applicationId` `null` they are of all applications.
     */
    newest: (applicationId: number | null, since: Instant, limit: number) =>
      newest.all({ applicationId, since, limit }),
    /**
     * Takes a deletion back: lists show the monitor again, and it is paused as if its application were suspended (R3).
     * Its key must be free.
     */
    unmark: (id: number): void => {
      known.changing();
      unmark.run(id);
      const row = states.load(id);
      if (row === null) return;
      states.save({ ...row, pausedBySuspension: 1 });
      states.follow(id);
    },
    /**
     * What is known of a monitor that cannot be loaded as a whole. `openIncidents` has the ids of its open incidents,
     * the newest first.
     */
    remains: (id: number): Remains => {
      const row = states.load(id);
      return {
        heads: row === null ? NO_HEADS : headsFromRow(row),
        receivedAt: row?.receivedAt ?? null,
        openIncidents: openIncidents.all(id).map((incident) => incident.id),
      };
    },
    /**
     * Deletes one piece: at most `limit` rows of one monitor. This is the first monitor with an id above `after` that
     * was deleted before `before`. When nothing else is left of the monitor, its row in `monitors` is deleted too. An
     * incident is kept while one of its deliveries is unfinished. Must be called in a transaction.
     */
    prune: (before: Instant, after: number, limit: number): Pruned => {
      const monitorId = due.get({ before, after })?.id;
      if (monitorId === undefined) return { deleted: 0, after: null };
      const deleted = removePiece(monitorId, limit);
      return { deleted, after: deleted > 0 ? monitorId - 1 : monitorId };
    },
  };
}

/**
 * Makes a function that deletes at most `limit` rows of a monitor, and in the end the monitor itself. It returns how
 * many rows it deleted; 0 when it deleted the monitor, or when only incidents are left that must stay.
 */
function monitorRemover(database: Database, states: MonitorStates) {
  const steps = [
    // An output has the id of its ping. After the ping is deleted, a new ping may get this id, so the output goes
    // first.
    ownRemover(database, "outputs", "true"),
    pingRemover(database, states),
    failureRemover(database, states),
    ownRemover(database, "runs", "matters = 1"),
    incidentRemover(database),
    ownRemover(database, "unknowns", "true"),
    ownRemover(database, "paused_spans", "true"),
  ];
  const hasIncident = database.prepare<{ id: number }, [number]>(
    "SELECT id FROM incidents WHERE monitor_id = ? LIMIT 1",
  );
  const last = [
    "drills WHERE monitor_id = ?",
    "senders WHERE monitor_id = ?",
    "run_lengths WHERE monitor_id = ?",
    "pauses_by_hand WHERE monitor_id = ?",
    "setting_changes WHERE monitor_id = ?",
    // Refused reports that came after the deletion are about a new monitor with this key, and are kept.
    `refused_reports WHERE id IN (SELECT r.id FROM monitors m JOIN refused_reports r
       ON r.application_id = m.application_id AND r.monitor_key = m.key AND r.at <= m.deleted_at WHERE m.id = ?)`,
    "monitors WHERE id = ?",
  ].map((rows) => database.prepare<null, [number]>(`DELETE FROM ${rows}`));

  return (monitorId: number, limit: number): number => {
    for (const remove of steps) {
      const removed = remove({ monitorId, limit });
      if (removed > 0) return removed;
    }
    if (hasIncident.get(monitorId) !== null) return 0;
    states.remove(monitorId);
    for (const statement of last) statement.run(monitorId);
    return 0;
  };
}

/**
 * Deletes a monitor's pings, each with its run, from the newest back along the chain, because pings have no index by
 * monitor. Runs whose pings retention has deleted are not found this way. They are as old, so retention deletes them
 * too.
 */
function pingRemover(database: Database, states: MonitorStates) {
  const chain = database.prepare<DeletedPing, [OfMonitor & { readonly last: number | null }]>(
    `WITH RECURSIVE chain (id, previousId, runRow, length) AS (
       SELECT p.id, p.previous_id, p.run_row, 1 FROM pings p WHERE p.id = $last AND p.monitor_id = $monitorId
       UNION ALL
       SELECT p.id, p.previous_id, p.run_row, chain.length + 1 FROM chain JOIN pings p ON p.id = chain.previousId
       WHERE p.monitor_id = $monitorId AND chain.length < $limit
     ) SELECT id, previousId, runRow FROM chain`,
  );
  const removePing = database.prepare<null, [number]>("DELETE FROM pings WHERE id = ?");
  const removeRun = database.prepare<null, [number, number]>("DELETE FROM runs WHERE id = ? AND monitor_id = ?");
  return ({ monitorId, limit }: OfMonitor): number => {
    const state = states.load(monitorId);
    if (state === null) return 0;
    const pings = chain.all({ monitorId, limit, last: state.lastPingId });
    for (const { id, runRow } of pings) {
      removePing.run(id);
      if (runRow !== null) removeRun.run(runRow, monitorId);
    }
    const oldest = pings.at(-1);
    if (oldest !== undefined) states.save({ ...state, lastPingId: oldest.previousId });
    return pings.length;
  };
}

/**
 * Deletes the ping of the monitor's last failure. Retention keeps this ping even if those before and after it in the
 * chain are gone, so `pingRemover` may not find it.
 */
function failureRemover(database: Database, states: MonitorStates) {
  const remove = database.prepare<null, [number, number]>("DELETE FROM pings WHERE id = ? AND monitor_id = ?");
  return ({ monitorId }: OfMonitor): number => {
    const failure = states.load(monitorId)?.lastFailurePingId ?? null;
    return failure === null ? 0 : remove.run(failure, monitorId).changes;
  };
}

function ownRemover(database: Database, table: string, condition: string) {
  const remove = database.prepare<null, [OfMonitor]>(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE monitor_id = $monitorId AND ${condition} LIMIT $limit)`,
  );
  return (of: OfMonitor): number => remove.run(of).changes;
}

function incidentRemover(database: Database) {
  const finished = database.prepare<{ id: number }, [OfMonitor]>(
    `SELECT i.id FROM incidents i WHERE i.monitor_id = $monitorId AND NOT EXISTS
       (SELECT 1 FROM alerts a JOIN deliveries d ON d.alert_id = a.id WHERE a.incident_id = i.id AND d.finished_at IS NULL)
     LIMIT $limit`,
  );
  const removals = [
    "DELETE FROM deliveries WHERE alert_id IN (SELECT id FROM alerts WHERE incident_id = ?)",
    "DELETE FROM alerts WHERE incident_id = ?",
    "DELETE FROM incidents WHERE id = ?",
  ].map((sql) => database.prepare<null, [number]>(sql));
  return ({ monitorId, limit }: OfMonitor): number => {
    const incidents = finished.all({ monitorId, limit: Math.ceil(limit / ROWS_AN_INCIDENT) });
    for (const { id } of incidents) for (const removal of removals) removal.run(id);
    return incidents.length;
  };
}
