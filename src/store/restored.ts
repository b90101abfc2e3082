// What a restore leaves for the next start (R26): that the rows are those of a backup, and who was told of incidents that
// are not among them. A table of its own, because the backup may be of an earlier version; the start takes it away.

import { Database } from "bun:sqlite";
import type { AlertData } from "../domain/message/alert.ts";
import type { Route } from "../domain/settings/policy.ts";

/** An incident of the replaced database that people still believe to be open. */
export interface LostIncident {
  /** Of the newest alert of it. */
  readonly data: AlertData;
  /** Where it was told, and its end was not. */
  readonly routes: readonly Route[];
}

export interface RestoredMark {
  /** Null: it was not restored, or a process has run on it since. */
  read(): readonly LostIncident[] | null;
  /** To be called in a transaction. */
  remove(): void;
}

export function restoredMark(database: Database): RestoredMark {
  return {
    read: () => (isMarked(database) ? readMark(database) : null),
    remove: () => void database.run("DROP TABLE IF EXISTS restored"),
  };
}

/** Their numbers stand in messages, and name an incident and a message to other systems: none is given twice. */
const NUMBERED = ["incidents", "alerts", "deliveries"];
/** How many may have been given since the backup where the replaced database cannot say. */
const UNKNOWN_SINCE = 100_000;
/** Those beyond would be thousands of messages about a past that is gone. */
const INCIDENTS_MAX = 10_000;

/** Marks the database `restored`; `replaced`: the path of the one before, null: there was none. */
export function markRestored(restored: string, replaced: string | null): void {
  const database = new Database(restored, { readwrite: true });
  try {
    const known = numbersOf(database);
    const before = replaced === null ? null : readReplaced(replaced, known);
    database.transaction(() => {
      for (const [table, number] of Object.entries(known)) {
        const last = before === null ? number + UNKNOWN_SINCE : (before.numbers[table] ?? 0);
        if (last > number) database.run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [last, table]);
      }
      database.run("DROP TABLE IF EXISTS restored");
      database.run("CREATE TABLE restored (incidents TEXT NOT NULL)");
      database.run("INSERT INTO restored VALUES (?)", [JSON.stringify(before?.incidents ?? [])]);
    })();
  } finally {
    database.close();
  }
}

/** The highest number of each that was ever given. A table that never had a row has none yet. */
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

interface Replaced {
  readonly numbers: Record<string, number>;
  readonly incidents: readonly LostIncident[];
}

/** Null: it cannot be read, which may be why somebody restores. */
function readReplaced(path: string, known: Record<string, number>): Replaced | null {
  try {
    const database = new Database(path, { readonly: true });
    try {
      const given = database.query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence").all();
      const numbers = Object.fromEntries(given.map(({ name, seq }) => [name, seq]));
      const earlier = isMarked(database) ? readMark(database) : [];
      return { numbers, incidents: [...earlier, ...lostIncidents(database, known)] };
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

/**
 * Those that the backup does not know, whose trouble was told somewhere and whose end was not. Of one that an earlier restore
 * has taken away, only the alert about its end is left, which waits or was given up.
 */
function lostIncidents(database: Database, known: Record<string, number>): LostIncident[] {
  const rows = database
    .query<{ id: number; destination: string; recipient: string | null; data: string }, [number, number, number]>(
      `SELECT coalesce(a.incident_id, -a.id) AS id, d.destination, d.recipient,
              coalesce((SELECT data FROM alerts WHERE incident_id = a.incident_id ORDER BY id DESC LIMIT 1), a.data) AS data
       FROM alerts a JOIN deliveries d ON d.alert_id = a.id
       WHERE (a.incident_id > ? AND d.attempts > 0)
          OR (a.incident_id IS NULL AND a.type = 'monitor.recovered' AND a.id > ?)
       GROUP BY 1, d.destination, d.recipient
       HAVING sum(a.type = 'monitor.recovered' AND d.outcome IS 'sent') = 0
       ORDER BY 1 LIMIT ?`,
    )
    .all(known["incidents"] ?? 0, known["alerts"] ?? 0, INCIDENTS_MAX);
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((routes) => ({
    data: JSON.parse(routes[0]!.data),
    routes: routes.map(({ destination, recipient }) => ({ destination, recipient })),
  }));
}

const isMarked = (database: Database): boolean =>
  database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'restored'").get() !== null;

const readMark = (database: Database): LostIncident[] =>
  JSON.parse(database.query<{ incidents: string }, []>("SELECT incidents FROM restored").get()?.incidents ?? "[]");
