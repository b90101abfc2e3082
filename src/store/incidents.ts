// Reads and writes the rows of incidents, of alerts and of drills. An incident's row holds an `Incident` of
// domain/monitor/incident.ts as it is now.

import type { Database } from "bun:sqlite";
import type { MonitorNames } from "../domain/message/alert.ts";
import { type Message, storedMessageText } from "../domain/message/message.ts";
import type { Incident } from "../domain/monitor/incident.ts";
import type { DrillVerdict } from "../domain/telling/drill-rules.ts";
import { SERIES_MAX } from "../domain/telling/flapping.ts";
import type { Instant } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { alerts, incidents, monitors } from "./schema.ts";
import { alertFieldSql, assignmentsOf, columnsOf, insertInto, noticeCondition, type Stored, toBit } from "./sql.ts";

export interface IncidentRecord extends IncidentOwner {
  readonly id: number;
  readonly monitorId: number;
  readonly application: string;
  readonly incident: Incident;
}

const OF_MONITOR = ["key", "declaredName", "declaredSeverity", "declaredLabels"] as const;

type IncidentOwner = Readonly<Pick<Stored<typeof monitors>, (typeof OF_MONITOR)[number]>>;

type IncidentBounds = { readonly before: number; readonly limit: number };

/** The rows of a table whose ids are above `after` and at most `upTo`. */
export type Part = { readonly after: number; readonly upTo: number };

export type IncidentRows = ReturnType<typeof incidentRows>;

export function incidentRows(database: Database) {
  type Facts = Omit<StoredIncident, "id">;
  const idOf = database.prepare<{ id: number }, Pick<Facts, "monitorId" | "number">>(
    "SELECT id FROM incidents WHERE monitor_id = (SELECT $monitorId) AND number = (SELECT $number)",
  );
  const update = database.prepare<null, [StoredIncident]>(
    `UPDATE incidents SET ${assignmentsOf(incidents, ["id", "monitorId", "number"])} WHERE id = (SELECT $id)`,
  );
  // `save` looks for the row and then updates or inserts. One `INSERT` with `ON CONFLICT DO UPDATE` would use up an id
  // at each update.
  const insert = database.prepare<null, [Facts]>(insertInto(incidents));
  const load = database.prepare<StoredIncident, [number]>(
    `SELECT ${columnsOf(incidents, "i")} FROM incidents i WHERE i.id = ?`,
  );
  const owned = `SELECT ${columnsOf(incidents, "i")}, ${columnsOf(monitors, "m", OF_MONITOR)}, a.slug AS application`;
  const find = database.prepare<OwnedRow, [number]>(
    `${owned} FROM incidents i JOIN monitors m ON m.id = i.monitor_id JOIN applications a ON a.id = m.application_id
     WHERE i.id = ? AND m.deleted_at IS NULL`,
  );
  const ofMonitor = database.prepare<{ id: number }, [IncidentBounds & { monitorId: number }]>(
    "SELECT id FROM incidents WHERE monitor_id = $monitorId AND opened_at < $before ORDER BY number DESC LIMIT $limit",
  );
  const lately = database.prepare<SeriesRow, [{ monitorId: number; number: number; limit: number }]>(
    `SELECT id, opened_at AS openedAt, causes, acknowledged_at AS acknowledgedAt, closed_by AS closedBy,
       closed_at AS closedAt, reminders_sent AS remindersSent FROM incidents
     WHERE monitor_id = (SELECT $monitorId) AND number <= (SELECT $number) ORDER BY number DESC LIMIT $limit`,
  );
  const openBySameMessage = database.prepare<
    { id: number },
    { monitorId: number; destination: string | null; id: number }
  >(
    `SELECT i.id FROM incidents i CROSS JOIN alerts a ON a.incident_id = i.id CROSS JOIN deliveries d ON d.alert_id = a.id
     WHERE i.monitor_id = $monitorId AND i.closed_at IS NULL AND d.destination = coalesce($destination, d.destination)
       AND d.outcome = 'not_sent' AND d.digest_id IN (SELECT iif(b.outcome = 'not_sent', b.digest_id, b.id)
         FROM alerts told CROSS JOIN deliveries b ON b.alert_id = told.id WHERE told.incident_id = $id) LIMIT 1`,
  );
  const listed = database.prepare<OwnedRow, [string]>(
    `${owned} FROM json_each(?) wanted CROSS JOIN incidents i ON i.id = wanted.value CROSS JOIN monitors m ON m.id = i.monitor_id
       CROSS JOIN applications a ON a.id = m.application_id
     WHERE m.deleted_at IS NULL ORDER BY wanted.key`,
  );

  const byId = (id: number): IncidentRecord | null => find.all(id).map(toRecord)[0] ?? null;

  return {
    /** Stores an incident in place of the monitor's incident with the same number, if any. Returns the row's id. */
    save: (monitorId: number, incident: Incident): number => {
      const { causes, awaitsRun } = incident;
      const facts = { ...incident, monitorId, causes: JSON.stringify(causes), awaitsRun: toBit(awaitsRun) };
      const known = idOf.get({ monitorId, number: incident.number });
      if (known === null) return Number(insert.run(facts).lastInsertRowid);
      update.run({ ...facts, id: known.id });
      return known.id;
    },
    /** The incidents of a monitor with this number or a lower one, the newest first. */
    lately: (monitorId: number, number: number, limit: number) =>
      lately.all({ monitorId, number, limit }).map((row) => ({ ...row, causes: causesIn(row) })),
    /** Loads an incident. Throws when none has this id. */
    load: (id: number): Incident => {
      const row = load.get(id);
      if (row === null) throw new Error(`there is no incident ${id}`);
      return incidentFromRow(row);
    },
    /** Finds an incident by its id; `null` when there is none, or when its monitor was deleted. */
    find: byId,
    /**
     * Finds the incident that a person means by a reply to the message about `one`. A destination that was told of
     * `one` may get no message about the next incident (R38). If `one` is closed and that next incident is open, the
     * reply means the open one, which is returned. Otherwise returns `one`. With `destination` `null` any destination
     * counts.
     */
    openInstead: (one: IncidentRecord, destination: string | null): IncidentRecord => {
      const { id, monitorId, incident } = one;
      const open = incident.closedAt === null ? null : openBySameMessage.get({ monitorId, destination, id });
      return (open && byId(open.id)) ?? one;
    },
    /** The ids of a monitor's incidents that opened before the instant `before`, the newest first. */
    ofMonitor: (monitorId: number, bounds: IncidentBounds) =>
      ofMonitor.all({ monitorId, ...bounds }).map(({ id }) => id),
    /** The incidents with these ids, in the order of `ids`. Those of deleted monitors are left out. */
    list: (ids: readonly number[]) => listed.all(JSON.stringify(ids)).map(toRecord),
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

export function troubleRows(database: Database) {
  const often = database.prepare<
    { monitorId: number; times: number; since: Instant },
    [{ ids: string; since: Instant }]
  >(
    // The index of incidents is sorted by monitor and number. So only the newest incidents of each monitor are read.
    `SELECT i.monitor_id AS monitorId, count(*) AS times, min(i.opened_at) AS since
     FROM json_each($ids) wanted CROSS JOIN incidents i ON i.monitor_id = wanted.value AND i.number >
       (SELECT max(number) FROM incidents WHERE monitor_id = wanted.value) - ${SERIES_MAX}
     WHERE i.opened_at >= $since GROUP BY i.monitor_id`,
  );
  return {
    /**
     * For each of these monitors: how many incidents opened since `since`, and when the first of them opened. At most
     * the newest hundred incidents of a monitor are counted.
     */
    openedSince: (monitorIds: readonly number[], since: Instant) =>
      often.all({ ids: JSON.stringify(monitorIds), since }),
  };
}

type SeriesRow = Readonly<
  Pick<StoredIncident, "id" | "openedAt" | "causes" | "acknowledgedAt" | "closedBy" | "closedAt" | "remindersSent">
>;

const causesIn = ({ causes }: Pick<StoredIncident, "causes">): Incident["causes"] => JSON.parse(causes);

type StoredIncident = Stored<typeof incidents>;

type OwnedRow = StoredIncident & IncidentOwner & Readonly<{ application: string }>;

const incidentFromRow = ({
  id: _id,
  monitorId: _monitorId,
  causes,
  awaitsRun,
  ...facts
}: StoredIncident): Incident => ({
  ...facts,
  causes: causesIn({ causes }),
  awaitsRun: awaitsRun === 1,
});

const toRecord = ({
  application,
  key,
  declaredName,
  declaredSeverity,
  declaredLabels,
  ...row
}: OwnedRow): IncidentRecord => ({
  id: row.id,
  monitorId: row.monitorId,
  application,
  key,
  declaredName,
  declaredSeverity,
  declaredLabels,
  incident: incidentFromRow(row),
});

// The rows of alerts, each with what was told (R36, R37). A row is written once and never changed.

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

export type SentAlert = Readonly<{ incidentId: number | null; at: Instant; recipient: string | null }>;

export function alertRows(database: Database) {
  const insert = database.prepare(insertInto(alerts));
  const first = database.prepare<Nullable<MonitorNames>, { incidentId: number }>(
    `SELECT ${alertFieldSql("monitorKey")} AS monitorKey, ${alertFieldSql("name")} AS name
     FROM alerts a WHERE a.incident_id = (SELECT $incidentId) ORDER BY a.id LIMIT 1`,
  );
  const sentAs = database.prepare<SentAlert, [{ destination: string; sentAs: string }]>(
    `SELECT a.incident_id AS incidentId, a.at, d.recipient FROM deliveries d JOIN alerts a ON a.id = d.alert_id
     WHERE d.sent_as = (SELECT $sentAs) AND d.sent_as IS NOT NULL AND d.destination = $destination
     ORDER BY d.id DESC LIMIT 1`,
  );
  const lastReport = database.prepare<{ at: Instant | null }, []>(
    `SELECT max(at) AS at FROM alerts a WHERE ${noticeCondition("report")}`,
  );
  return {
    /**
     * Finds an alert by the id that the destination's service gave to its message: the newest of several, `null` when
     * there is none.
     */
    sentAs: (destination: string, id: string) => sentAs.get({ destination, sentAs: id }),
    /**
     * When the last notice of the kind `report` was written, which tells how all jobs are; `null` when there is none.
     */
    lastReportAt: () => lastReport.get()!.at,
    /**
     * How the first alert of an incident names its monitor; `null` when there is no such alert, or a damaged page has
     * lost it.
     */
    firstNames(incidentId: number): MonitorNames | null {
      const { monitorKey, name } = first.get({ incidentId }) ?? { monitorKey: null, name: null };
      return monitorKey === null || name === null ? null : { monitorKey, name };
    },
    /**
     * Stores a message and returns its row's id. `incidentId` is `null` for a notice or a test, and for an alert about
     * an incident that a restore has lost.
     */
    insert: (incidentId: number | null, message: Message) => {
      const { type, at } = message;
      return Number(insert.run({ incidentId, type, at, data: storedMessageText(message) }).lastInsertRowid);
    },
    prune: pruner(database, {
      table: "alerts",
      instant: "at",
      keep: "incident_id IS NOT NULL",
      dependents: ["DELETE FROM deliveries WHERE alert_id IN ($old)"],
    }),
  };
}

// The last drill of each monitor. domain/message/test-message.ts says when a drill is due.

export interface DrillRow {
  readonly monitorId: number;
  readonly at: Instant;
  readonly alertId: number;
  /** Whether the drill arrived; `null` while some of its deliveries are not finished. */
  readonly outcome: DrillVerdict | null;
}

export function drillRows(database: Database) {
  const columns = "last.monitor_id AS monitorId, last.at, last.alert_id AS alertId, last.outcome";
  const last = database.prepare<DrillRow, [number]>(`SELECT ${columns} FROM drills last WHERE last.monitor_id = ?`);
  const begin = database.prepare<null, [{ monitorId: number; at: Instant; alertId: number }]>(
    "INSERT OR REPLACE INTO drills (monitor_id, at, alert_id, outcome) VALUES ($monitorId, $at, $alertId, NULL)",
  );
  const undecided = database.prepare<DrillRow, []>(
    `SELECT ${columns} FROM drills last JOIN monitors m ON m.id = last.monitor_id
     WHERE last.outcome IS NULL AND m.deleted_at IS NULL ORDER BY last.monitor_id`,
  );
  const decide = database.prepare<null, [DrillVerdict, number]>("UPDATE drills SET outcome = ? WHERE monitor_id = ?");
  return {
    last: (monitorId: number) => last.get(monitorId),
    /** Stores that a drill of the monitor began, in place of its last one. */
    begin: (monitorId: number, at: Instant, alertId: number) => void begin.run({ monitorId, at, alertId }),
    /** The drills whose `outcome` is `null`, without those of deleted monitors. */
    undecided: () => undecided.all(),
    decide: (monitorId: number, verdict: DrillVerdict) => void decide.run(verdict, monitorId),
  };
}
