// The rows of incidents: each is the snapshot domain/incident.ts makes, found again by its id while it is open.

import type { Database } from "bun:sqlite";
import type { Incident } from "../domain/incident.ts";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { incidents } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored } from "./sql.ts";

export interface IncidentRows {
  /** Writes the snapshot over the one with its monitor and number, open or closed; returns the incident's id. */
  save(monitorId: number, incident: Incident): number;
  /** The incident must be there. */
  load(id: number): Incident;
  /**
   * Deletes incidents closed before `before` with their alerts and deliveries; looks at no more than `limit` rows after the
   * row `after`. To be called in a transaction.
   */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function incidentRows(database: Database): IncidentRows {
  type Facts = Omit<Stored<typeof incidents>, "id">;
  // Two statements, since an insert that turns into an update takes an id all the same, and ids would skip.
  const update = database.prepare<{ id: number }, [Facts]>(
    `UPDATE incidents SET ${assignmentsOf(incidents, ["id", "monitorId", "number"])}
     WHERE monitor_id = $monitorId AND number = $number RETURNING id`,
  );
  const insert = database.prepare<{ id: number }, [Facts]>(`${insertInto(incidents)} RETURNING id`);
  const load = database.prepare<Stored<typeof incidents>, [number]>(
    `SELECT ${columnsOf(incidents, "i")} FROM incidents i WHERE i.id = ?`,
  );
  return {
    save: (monitorId, incident) => {
      const facts = { ...incident, monitorId, causes: JSON.stringify(incident.causes) };
      return (update.get(facts) ?? insert.get(facts)!).id;
    },
    load: (id) => {
      const row = load.get(id);
      if (row === null) throw new Error(`there is no incident ${id}`);
      const { id: _id, monitorId: _monitorId, causes, ...facts } = row;
      return { ...facts, causes: JSON.parse(causes) };
    },
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
