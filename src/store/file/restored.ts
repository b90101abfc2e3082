// A restore leaves a mark in the database for the next start (R26). It says that the rows are those of a backup, and
// what the replaced database knows that the backup does not. The mark is the table `restored`, which no migration
// makes, because the backup may be of an earlier version. The next start deletes that table.

import { Database } from "bun:sqlite";
import type { AlertData, AlertMessage } from "../../domain/message/alert.ts";
import { alertDataFrom } from "../../domain/message/message.ts";
import type { ClosedBy } from "../../domain/monitor/incident.ts";
import type { Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import { TROUBLE_TYPES } from "../sql.ts";

/** An incident that is missing in the backup. */
export interface LostIncident {
  /** The data of the incident's newest alert. */
  readonly data: AlertData;
  /** The receivers that were told of the incident's trouble, but not of its end. */
  readonly routes: readonly Route[];
  /**
   * The incident's alerts that had not been sent yet, the oldest first. Absent when an earlier version of rollcall made
   * the restore.
   */
  readonly untold?: readonly UntoldAlert[];
}

export type UntoldAlert = Pick<AlertMessage, "type" | "at" | "data"> & Readonly<{ routes: readonly Route[] }>;

/**
 * An incident that is open in the backup but was closed later, or acknowledged, or whose acknowledgement was taken
 * back.
 */
export interface SettledIncident {
  readonly id: number;
  readonly monitorId: number;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  /**
   * The receivers that were told of the incident's acknowledgement or end before the restore: what they were told, and
   * when.
   */
  readonly arrived: readonly (Route & Readonly<{ type: AlertMessage["type"]; finishedAt: Instant }>)[];
}

/** How a delivery that waits in the backup had ended in the replaced database. */
export type EndedDelivery = Readonly<{
  id: number;
  attempts: number;
  finishedAt: Instant;
  outcome: "sent" | "given_up" | "not_sent";
  answer: string | null;
  sentAs: string | null;
  /**
   * `acknowledged` when the delivery was not sent because a person had acknowledged the incident, otherwise `null`.
   * Absent when an earlier version of rollcall made the restore.
   */
  why?: "acknowledged" | null;
}>;

export interface Restoration {
  readonly lost: readonly LostIncident[];
  readonly changed: readonly SettledIncident[];
  readonly ended: readonly EndedDelivery[];
}

/**
 * How many incidents the restore carries over, for what `rollcall restore` prints. `lost` incidents are missing in the
 * backup, and `untold` of these have alerts that were not sent. `changed` incidents ended or were acknowledged after
 * the backup. `carried` is `null` when there was no replaced database, or when it could not be read.
 */
export type Carried = Readonly<{
  carried: Readonly<{ lost: number; untold: number; changed: number; undone: readonly UndoneAct[] }> | null;
}>;

/** What a person did after the backup, as the audit has it. The restored database does not have it, so it is undone. */
export type UndoneAct = Readonly<{
  at: Instant;
  action: string;
  application: string | null;
  monitorKey: string | null;
  /** The values that were given, as JSON. */
  details: string;
}>;

/** How many of the newest of these acts are read. */
const UNDONE_MAX = 50;
/** Acts that a restore carries over, or that changed nothing that lasts. */
const NOT_UNDONE = ["incident %", "notify %", "backup", "reload", "sign %"];

export function restoredMark(database: Database) {
  return {
    /**
     * What a restore left for this start; `null` when the database was not restored, or when an earlier start has
     * removed the table `restored`.
     */
    read: (): Restoration | null => (isMarked(database) ? readMark(database) : null),
    remove: () => void database.run("DROP TABLE IF EXISTS restored"),
  };
}

/**
 * People and other systems see the ids of these tables in messages. So an id that was used since the backup must not be
 * used again.
 */
const NUMBERED = ["incidents", "alerts", "deliveries"];
/**
 * How many ids are skipped in each table when no replaced database can be read. It is then not known how many ids were
 * used since the backup.
 */
const UNKNOWN_SINCE = 100_000;
/**
 * How many rows each query of this file reads at most. One query reads the incidents that are open in the backup. The
 * others read what the replaced database knows of later incidents, with a row for each receiver. More rows would mean
 * thousands of messages about a past that can no longer be changed.
 */
const INCIDENTS_MAX = 10_000;

/**
 * Writes the table `restored` into the restored database, and makes ids that were used since the backup unusable.
 * `replaced` is the path of the replaced database; `null` when there was none.
 */
export function markRestored(restored: string, replaced: string | null): Carried {
  const database = new Database(restored, { readwrite: true });
  try {
    const known = numbersOf(database);
    const before = replaced === null ? null : readReplaced(replaced, database, known);
    const { lost, changed, ended } = before ?? NOTHING_KNOWN;
    database.transaction(() => {
      for (const [table, number] of Object.entries(known)) {
        const last = before === null ? number + UNKNOWN_SINCE : (before.numbers[table] ?? 0);
        if (last > number) database.run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [last, table]);
      }
      database.run("DROP TABLE IF EXISTS restored");
      database.run("CREATE TABLE restored (incidents TEXT NOT NULL, known TEXT NOT NULL)");
      const later = JSON.stringify({ changed, ended });
      database.run("INSERT INTO restored VALUES (?, ?)", [JSON.stringify(lost), later]);
    })();
    const untold = lost.filter((one) => one.untold !== undefined && one.untold.length > 0).length;
    if (before === null) return { carried: null };
    return { carried: { lost: lost.length, untold, changed: changed.length, undone: before.undone } };
  } finally {
    database.close();
  }
}

/**
 * The highest id that each table of `NUMBERED` has used. For a table that never had a row, a row with 0 is added to
 * `sqlite_sequence`, so that `markRestored` can raise it.
 */
function numbersOf(database: Database): Record<string, number> {
  const given = database.query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence").all();
  for (const name of NUMBERED) {
    if (given.some((one) => one.name === name)) continue;
    if (database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) === null) continue;
    database.run(
      "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
      [name],
    );
    given.push({ name, seq: 0 });
  }
  return Object.fromEntries(given.filter(({ name }) => NUMBERED.includes(name)).map(({ name, seq }) => [name, seq]));
}

const NOTHING_KNOWN: Restoration = { lost: [], changed: [], ended: [] };

type Replaced = Restoration & Readonly<{ numbers: Record<string, number>; undone: readonly UndoneAct[] }>;

/**
 * Reads the replaced database; `null` when it cannot be read. It may be damaged, which may be the reason for the
 * restore.
 */
function readReplaced(path: string, restored: Database, known: Record<string, number>): Replaced | null {
  try {
    const database = new Database(path, { readonly: true });
    try {
      const given = database.query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence").all();
      const numbers = Object.fromEntries(given.map(({ name, seq }) => [name, seq]));
      const earlier = isMarked(database) ? readMark(database) : NOTHING_KNOWN;
      const untold = unlessEarlier([], () => untoldAlerts(database, known));
      const changed = unlessEarlier([], () => changedIncidents(database, restored));
      const ended = unlessEarlier([], () => endedDeliveries(database, restored));
      return {
        numbers,
        undone: unlessEarlier([], () => undoneActs(database, restored)),
        lost: [...earlier.lost, ...withUntold(lostIncidents(database, known), untold)],
        changed: [...earlier.changed, ...changed],
        ended: [...earlier.ended, ...ended],
      };
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

/**
 * Finds incidents that the backup lacks, with the receivers who were told of the trouble but not of its end. An earlier
 * restore may have removed an incident and stored an alert about its end. While that alert waits, only the alert shows
 * that there was an incident. An incident is left out for a receiver when the message about its end was not sent
 * because the job failed again (R38). That receiver will hear of the later incident's end.
 */
function lostIncidents(database: Database, known: Record<string, number>): LostIncident[] {
  const rows = database
    .query<{ id: number; destination: string; recipient: string | null; data: string }, [number, number, number]>(
      `SELECT coalesce(a.incident_id, -a.id) AS id, d.destination, d.recipient,
              coalesce((SELECT data FROM alerts WHERE incident_id = a.incident_id ORDER BY id DESC LIMIT 1), a.data) AS data
       FROM alerts a JOIN deliveries d ON d.alert_id = a.id
         LEFT JOIN deliveries told ON told.id = d.digest_id AND d.outcome = 'not_sent' AND told.attempts > 0
         LEFT JOIN alerts before ON before.id = told.alert_id
       WHERE a.incident_id > ?1 OR (a.incident_id IS NULL AND a.type = 'monitor.recovered' AND a.id > ?2)
       GROUP BY 1, d.destination, d.recipient
       HAVING sum(a.incident_id IS NULL OR d.attempts > 0 OR before.incident_id > ?1) > 0
          AND sum(a.type = 'monitor.recovered' AND d.outcome IS 'sent') = 0
          AND NOT (sum(a.type = 'monitor.recovered' AND d.outcome IS 'not_sent') > 0 AND EXISTS (
            SELECT 1 FROM deliveries later WHERE later.monitor_id = d.monitor_id AND later.incident_id > d.incident_id
              AND later.destination = d.destination AND later.recipient IS d.recipient
              AND (later.attempts > 0 OR later.outcome IS 'not_sent' AND later.digest_id IS NOT NULL)))
       ORDER BY 1 LIMIT ?3`,
    )
    .all(known["incidents"] ?? 0, known["alerts"] ?? 0, INCIDENTS_MAX);
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((routes) => {
    const data = alertDataFrom(routes[0]!.data);
    return data === null
      ? []
      : { data, routes: routes.map(({ destination, recipient }) => ({ destination, recipient })) };
  });
}

/**
 * Finds alerts that wait to be sent, about incidents that the backup lacks. An earlier restore may have stored them
 * without their incident. An alert that the setting `after` or a pause held until the end is left out: it was to be
 * sent only if the trouble lasted, and the restore ends the incident (R38).
 */
function untoldAlerts(database: Database, known: Record<string, number>): UntoldAlert[] {
  const rows = database
    .query<
      {
        alertId: number;
        type: UntoldAlert["type"];
        at: Instant;
        data: string;
        destination: string;
        recipient: string | null;
      },
      [number, number, number]
    >(
      `SELECT a.id AS alertId, a.type, a.at, a.data, d.destination, d.recipient
       FROM alerts a JOIN deliveries d ON d.alert_id = a.id
       WHERE (a.incident_id > ?1 OR (a.incident_id IS NULL AND a.id > ?2)) AND d.finished_at IS NULL
         AND a.type IN (${TROUBLE_TYPES})
         AND (d.attempts > 0 OR d.why IS NULL OR d.why NOT IN ('after', 'paused')
           OR d.due_at <= (SELECT last_alive_at FROM liveness))
       ORDER BY a.id LIMIT ?3`,
    )
    .all(known["incidents"] ?? 0, known["alerts"] ?? 0, INCIDENTS_MAX);
  return [...Map.groupBy(rows, ({ alertId }) => alertId).values()].flatMap((own) => {
    const { type, at, data: text } = own[0]!;
    const data = alertDataFrom(text);
    const routes = own.map(({ destination, recipient }) => ({ destination, recipient }));
    return data === null ? [] : { type, at, data, routes };
  });
}

/**
 * Adds to each incident its alerts that were not sent yet. An incident of which no receiver was told is known only by
 * such alerts, and is added too.
 */
function withUntold(lost: readonly LostIncident[], alerts: readonly UntoldAlert[]): LostIncident[] {
  const untold = Map.groupBy(alerts, ({ data }) => data.incidentId);
  const known = new Set(lost.map(({ data }) => data.incidentId));
  const toldNowhere = [...untold].flatMap(([id, own]) =>
    known.has(id) ? [] : { data: own.at(-1)!.data, routes: [], untold: own },
  );
  return [...lost.map((one) => ({ ...one, untold: untold.get(one.data.incidentId) ?? [] })), ...toldNowhere].sort(
    (a, b) => Number(a.data.incidentId) - Number(b.data.incidentId),
  );
}

/** The newest acts that the audit of the replaced database has and that of the backup lacks, the oldest first. */
function undoneActs(replaced: Database, restored: Database): UndoneAct[] {
  const isLasting = NOT_UNDONE.map((pattern) => `action NOT LIKE '${pattern}'`).join(" AND ");
  const known = restored.query<{ id: number }, []>("SELECT coalesce(max(id), 0) AS id FROM audit").get();
  return replaced
    .query<UndoneAct, [number, number]>(
      `SELECT at, action, application, monitor_key AS monitorKey, details FROM audit
       WHERE id > ?1 AND name IS NOT NULL AND ${isLasting} ORDER BY id DESC LIMIT ?2`,
    )
    .all(known?.id ?? 0, UNDONE_MAX)
    .reverse();
}

/** Returns `nothing` when `ask` fails. The replaced database is then of an earlier version, and lacks a column. */
function unlessEarlier<Said>(nothing: Said, ask: () => Said): Said {
  try {
    return ask();
  } catch {
    return nothing;
  }
}

// The following finds rows of the backup that had changed in the replaced database. That database may come from another
// machine, whose rows can have the same ids by chance. So two rows count as the same only if their other identifying
// columns are equal too.

type OpenIncident = {
  id: number;
  monitorId: number;
  number: number;
  openedAt: Instant;
  acknowledgedAt: Instant | null;
};

function changedIncidents(replaced: Database, restored: Database): SettledIncident[] {
  const open = restored
    .query<OpenIncident, [number]>(
      `SELECT id, monitor_id AS monitorId, number, opened_at AS openedAt, acknowledged_at AS acknowledgedAt
       FROM incidents WHERE closed_at IS NULL ORDER BY id LIMIT ?`,
    )
    .all(INCIDENTS_MAX);
  const same = replaced.query<Omit<SettledIncident, "arrived">, [Omit<OpenIncident, "acknowledgedAt">]>(
    `SELECT id, monitor_id AS monitorId, acknowledged_at AS acknowledgedAt, acknowledged_by AS acknowledgedBy,
       closed_at AS closedAt, closed_by AS closedBy
     FROM incidents WHERE id = $id AND monitor_id = $monitorId AND number = $number AND opened_at = $openedAt`,
  );
  const arrived = replaced.query<SettledIncident["arrived"][number], [number]>(
    `SELECT a.type, d.destination, d.recipient, d.finished_at AS finishedAt FROM alerts a JOIN deliveries d ON d.alert_id = a.id
     WHERE a.incident_id = ? AND a.type IN ('monitor.recovered', 'monitor.acknowledged') AND d.outcome = 'sent'`,
  );
  return open.flatMap(({ acknowledgedAt: before, ...names }) => {
    const found = same.get(names);
    const isNews = found !== null && (found.closedAt !== null || (found.acknowledgedAt === null) !== (before === null));
    return isNews ? { ...found, arrived: arrived.all(found.id) } : [];
  });
}

type WaitingDelivery = { id: number; alertId: number; createdAt: Instant; destination: string };

function endedDeliveries(replaced: Database, restored: Database): EndedDelivery[] {
  const same = replaced.query<EndedDelivery, [WaitingDelivery]>(
    `SELECT id, attempts, finished_at AS finishedAt, outcome, answer, sent_as AS sentAs,
       iif(why = 'acknowledged', why, null) AS why FROM deliveries
     WHERE id = $id AND alert_id = $alertId AND created_at = $createdAt AND destination = $destination
       AND finished_at IS NOT NULL`,
  );
  return restored
    .query<WaitingDelivery, []>(
      `SELECT id, alert_id AS alertId, created_at AS createdAt, destination FROM deliveries
       WHERE finished_at IS NULL ORDER BY id`,
    )
    .all()
    .flatMap((waiting) => same.get(waiting) ?? []);
}

const isMarked = (database: Database): boolean =>
  database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'restored'").get() !== null;

function readMark(database: Database): Restoration {
  const row = database.query<{ incidents: string; known?: string }, []>("SELECT * FROM restored").get();
  const later = row?.known === undefined ? {} : JSON.parse(row.known);
  return { ...NOTHING_KNOWN, ...later, lost: JSON.parse(row?.incidents ?? "[]") };
}
