// The rows of incidents: each is the snapshot that domain/monitor/incident.ts makes; we find an open one by its id.

import type { Database } from "bun:sqlite";
import type { Incident } from "../domain/monitor/incident.ts";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { incidents } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored, toBit } from "./sql.ts";

/** An incident, and whose it is. */
export interface IncidentRecord {
  readonly id: number;
  readonly monitorId: number;
  readonly application: string;
  readonly key: string;
  readonly declaredName: string | null;
  readonly incident: Incident;
}

export interface IncidentFilter {
  /** Null: of all. */
  readonly applicationId: number | null;
  readonly openOnly: boolean;
  /** Only incidents with an id below this. */
  readonly before: number;
  /** At most. */
  readonly limit: number;
}

type Bounds = Pick<IncidentFilter, "before" | "limit">;
type OfApplication = Pick<IncidentFilter, "applicationId">;

export interface IncidentRows {
  /** Writes the snapshot over the one with its monitor and number, open or closed; returns the incident's id. */
  save(monitorId: number, incident: Incident): number;
  /** The incident must be there. */
  load(id: number): Incident;
  /** Null: there is none, or its monitor was deleted. */
  find(id: number): IncidentRecord | null;
  /** Newest first; never a deleted monitor's. */
  list(filter: IncidentFilter): IncidentRecord[];
  /**
   * Deletes incidents closed before `before` with their alerts and deliveries; looks at no more than `limit` rows after the
   * row `after`. To be called in a transaction.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function incidentRows(database: Database): IncidentRows {
  type Facts = Omit<Row, "id">;
  // Two statements, because an insert that becomes an update still takes an id, and ids would skip.
  const update = database.prepare<{ id: number }, [Facts]>(
    `UPDATE incidents SET ${assignmentsOf(incidents, ["id", "monitorId", "number"])}
     WHERE monitor_id = (SELECT $monitorId) AND number = (SELECT $number) RETURNING id`,
  );
  const insert = database.prepare<{ id: number }, [Facts]>(`${insertInto(incidents)} RETURNING id`);
  const load = database.prepare<Row, [number]>(`SELECT ${columnsOf(incidents, "i")} FROM incidents i WHERE i.id = ?`);
  const owned = `SELECT ${columnsOf(incidents, "i")}, m.key, m.declared_name AS declaredName, a.slug AS application`;
  const find = database.prepare<OwnedRow, [number]>(
    `${owned} FROM incidents i JOIN monitors m ON m.id = i.monitor_id JOIN applications a ON a.id = m.application_id
     WHERE i.id = ? AND m.deleted_at IS NULL`,
  );
  // Starts where there are few rows: from the newest back, by the application's monitors, or from what is open now.
  const newest = database.prepare<OwnedRow, [Bounds]>(
    `${owned} FROM incidents i CROSS JOIN monitors m ON m.id = i.monitor_id CROSS JOIN applications a ON a.id = m.application_id
     WHERE i.id < $before AND m.deleted_at IS NULL ORDER BY i.id DESC LIMIT $limit`,
  );
  const ofApplication = database.prepare<OwnedRow, [Bounds & OfApplication]>(
    `${owned} FROM monitors m CROSS JOIN incidents i ON i.monitor_id = m.id CROSS JOIN applications a ON a.id = m.application_id
     WHERE m.application_id = $applicationId AND i.id < $before AND m.deleted_at IS NULL ORDER BY i.id DESC LIMIT $limit`,
  );
  const open = database.prepare<OwnedRow, [Bounds & OfApplication]>(
    `${owned} FROM incidents i INDEXED BY incidents_open
     CROSS JOIN monitors m ON m.id = i.monitor_id CROSS JOIN applications a ON a.id = m.application_id
     WHERE i.closed_at IS NULL AND i.id < $before AND m.deleted_at IS NULL
       AND ($applicationId IS NULL OR a.id = $applicationId)
     ORDER BY i.id DESC LIMIT $limit`,
  );

  function list({ applicationId, openOnly, ...bounds }: IncidentFilter): OwnedRow[] {
    if (openOnly) return open.all({ applicationId, ...bounds });
    return applicationId === null ? newest.all(bounds) : ofApplication.all({ applicationId, ...bounds });
  }

  return {
    save: (monitorId, incident) => {
      const { causes, awaitsRun } = incident;
      const facts = { ...incident, monitorId, causes: JSON.stringify(causes), awaitsRun: toBit(awaitsRun) };
      return (update.get(facts) ?? insert.get(facts)!).id;
    },
    load: (id) => {
      const row = load.get(id);
      if (row === null) throw new Error(`there is no incident ${id}`);
      return fromRow(row);
    },
    find: (id) => {
      const row = find.get(id);
      return row === null ? null : toRecord(row);
    },
    list: (filter) => list(filter).map(toRecord),
    prune: pruner(database, {
      table: "incidents",
      instant: "closed_at",
      keep: "closed_at IS NULL",
      dependents: [
        "DELETE FROM deliveries WHERE alert_id IN (SELECT id FROM alerts WHERE incident_id IN ($old))",
        "DELETE FROM alerts WHERE incident_id IN ($old)",
      ],
    }),
  };
}

type Row = Stored<typeof incidents>;

interface OwnedRow extends Row {
  readonly key: string;
  readonly declaredName: string | null;
  readonly application: string;
}

const fromRow = ({ id: _id, monitorId: _monitorId, causes, awaitsRun, ...facts }: Row): Incident => ({
  ...facts,
  causes: JSON.parse(causes),
  awaitsRun: awaitsRun === 1,
});

const toRecord = ({ key, declaredName, application, ...row }: OwnedRow): IncidentRecord => ({
  id: row.id,
  monitorId: row.monitorId,
  application,
  key,
  declaredName,
  incident: fromRow(row),
});
