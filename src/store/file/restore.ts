// Puts a backup in the place of the database, and leaves a mark of it for the next start. The replaced file is kept,
// and a process that is killed meanwhile leaves either the old database or the new one.

import { Database, SQLiteError } from "bun:sqlite";
import { chmodSync, chownSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { PARTIAL } from "../../domain/backup.ts";
import type { AlertData } from "../../domain/message/alert.ts";
import { alertDataFrom } from "../../domain/message/message.ts";
import type { Route } from "../../domain/settings/policy.ts";
import { type Copied, proveDatabase } from "./copy.ts";
import { DATABASE_FILE } from "./database.ts";
import {
  assertNoLink,
  assertOurs,
  createPrivateDirectory,
  guardDirectory,
  lackOfRoom,
  syncFile,
  unusedName,
} from "./files.ts";

export interface Restored extends Copied {
  readonly database: string;
  /** Where the replaced database is now; null: there was none. */
  readonly replaced: string | null;
}

/** SQLite's log of a database, which holds its newest rows after a crash. */
const LOG = "-wal";
const SHARED_MEMORY = "-shm";
/** What SQLite takes back of a change that was not finished. */
const JOURNAL = "-journal";

/**
 * Puts the file `from` into the data directory. `suffix` makes the name of the replaced file. Throws an Error whose
 * message is a sentence for the operator: when rollcall runs there, or when the backup is damaged or of a newer
 * version; then nothing was changed.
 */
export function restoreDatabase(directory: string, from: string, suffix: string): Restored {
  if (!existsSync(from)) throw new Error(`${from} does not exist; nothing was changed`);
  assertOurs(from);
  if (statSync(from).size === 0) throw new Error(`${from} is empty; nothing was changed`);
  createPrivateDirectory(directory);
  const database = `${directory}/${DATABASE_FILE}`;
  assertNoLink(database);
  const lack = lackOfRoom(from, directory, (bytes) => bytes);
  if (lack !== null)
    throw new Error(`${directory} has ${lack.free} free, and a restore needs ${lack.wanted}; nothing was changed`);
  const release = guardDirectory(directory);
  try {
    const copied = bringIn(from, database + PARTIAL);
    const replaced = existsSync(database) ? unusedName(`${database}.${suffix}`) : null;
    if (replaced !== null) setAside(database, replaced);
    markRestored(database + PARTIAL, replaced);
    syncFile(database + PARTIAL);
    renameSync(database + PARTIAL, database);
    syncFile(directory);
    return { ...copied, database, replaced };
  } finally {
    for (const ending of ["", LOG, SHARED_MEMORY, JOURNAL]) rmSync(database + PARTIAL + ending, { force: true });
    release();
  }
}

/** A proved copy of the backup. A plain copy of a database may have its log beside it, which belongs to it. */
function bringIn(from: string, to: string): Copied {
  // One of a restore that was killed would be taken for a part of this copy.
  rmSync(to + JOURNAL, { force: true });
  copyFileSync(from, to);
  if (existsSync(from + LOG)) copyFileSync(from + LOG, to + LOG);
  else rmSync(to + LOG, { force: true });
  rmSync(to + SHARED_MEMORY, { force: true });
  chmodSync(to, 0o600);
  const { uid, gid } = statSync(to.slice(0, to.lastIndexOf("/")));
  if (process.getuid?.() === 0) chownSync(to, uid, gid);
  foldInLog(to);
  const copied = proveDatabase(to);
  syncFile(to);
  return copied;
}

/** Without the log the file is whole by itself. Throws, with a sentence for the operator, when it cannot be read. */
function foldInLog(path: string): void {
  try {
    const database = new Database(path, { readwrite: true });
    try {
      database.run("PRAGMA journal_mode = DELETE");
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw new Error(`the backup is damaged: ${error.message}; nothing was changed`, { cause: error });
  }
}

/**
 * The database gets a second name, which stays; its own is taken by the new one in a single step. A log that cannot be
 * folded in goes with it: beside the new database it would be read as part of that.
 */
function setAside(database: string, replaced: string): void {
  try {
    foldInLog(database);
  } catch {
    // A damaged database is a reason to restore.
  }
  linkSync(database, replaced);
  for (const ending of [LOG, JOURNAL])
    if (existsSync(database + ending)) renameSync(database + ending, replaced + ending);
  rmSync(database + SHARED_MEMORY, { force: true });
  syncFile(replaced);
}

// What a restore leaves for the next start (R26): that the rows are those of a backup, and who was told of incidents
// that are not among them. A table of its own, because the backup may be of an earlier version; the start takes it
// away.

/** An incident of the replaced database that people still believe to be open. */
export interface LostIncident {
  /** Of the newest alert of it. */
  readonly data: AlertData;
  /** Where it was told, and its end was not. */
  readonly routes: readonly Route[];
}

export function restoredMark(database: Database) {
  return {
    /** Null: it was not restored, or a process has run on it since. */
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
function markRestored(restored: string, replaced: string | null): void {
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

type Replaced = Readonly<{ numbers: Record<string, number>; incidents: readonly LostIncident[] }>;

/** Null: it cannot be read, which may be the reason for the restore. */
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
 * Those that the backup does not know, whose trouble was told somewhere and whose end was not. Of one that an earlier
 * restore has taken away, only the alert about its end is left, which waits or was given up. Where an end was not sent
 * because the job failed again (R38), the end of the last failure that was told there stands for it.
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

const isMarked = (database: Database): boolean =>
  database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'restored'").get() !== null;

const readMark = (database: Database): LostIncident[] =>
  JSON.parse(database.query<{ incidents: string }, []>("SELECT incidents FROM restored").get()?.incidents ?? "[]");
