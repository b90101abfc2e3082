// Makes backups: copies the database while a service writes to it, and proves that the copy is whole. The file gets its
// name only after that.

import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { assertRollcallDatabase, lackOfRoom, writeWholeFile } from "./database-files.ts";
import { MIGRATIONS, pendingMigrations } from "./migrations.ts";

export type Copied = Readonly<{ bytes: number; monitors: number }>;

/** How many bytes must be free on the disk after a copy, so that the running service can go on writing. */
const LEFT_FREE = 64 * 1_024 * 1_024;

/**
 * Copies the database file `from` to `to`, with mode 0600. `to` must not exist. Throws an Error whose message is a
 * sentence for the operator; then neither `to` nor a part of it exists.
 */
export function copyDatabase(from: string, to: string): Copied {
  if (existsSync(to)) throw new Error(`${to} exists already; a backup replaces no file`);
  const directory = dirname(to);
  if (!existsSync(directory)) throw new Error(`${directory} does not exist; make it first`);
  const lack = lackOfRoom(from, directory, (bytes) => bytes + LEFT_FREE);
  if (lack !== null) throw new Error(`${directory} has ${lack.free} free, and a copy needs ${lack.wanted}`);
  try {
    return writeWholeFile(to, (partial) => proveCopy(partial, writeCopy(from, partial)));
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw new Error(`${to} could not be written: ${error.message}`, { cause: error });
  }
}

/**
 * Reads a whole file, and checks that it is a complete rollcall database that this executable can use. Otherwise
 * throws, with a sentence for the operator. Writes nothing.
 */
export function proveDatabase(path: string): Copied {
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  assertRollcallDatabase(path);
  if (statSync(path).size === 0) throw new Error(`${path} is empty`);
  const database = openToRead(path);
  try {
    pendingMigrations(database, MIGRATIONS);
    const [fault] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
    if (fault?.integrity_check !== "ok") throw new Error(`${path} is damaged: ${fault?.integrity_check}`);
    return { bytes: statSync(path).size, monitors: countsOf(database)["monitors"]! };
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw new Error(`${path} is damaged: ${error.message}`, { cause: error });
  } finally {
    database.close();
  }
}

type TableCounts = Readonly<Record<string, number>>;

/**
 * SQL that tells how much each table has. Counting many rows takes long, so of pings and incidents the highest id is
 * taken.
 */
const COUNTED = {
  applications: "SELECT count(*) AS rows FROM applications",
  keys: "SELECT count(*) AS rows FROM api_keys",
  monitors: "SELECT count(*) AS rows FROM monitors",
  reports: "SELECT coalesce(max(id), 0) AS rows FROM pings",
  incidents: "SELECT coalesce(max(id), 0) AS rows FROM incidents",
};

/**
 * Writes the copy. Returns the counts of the database's tables before and after the copying. The service goes on
 * writing meanwhile, so each count of the copy must lie between these two.
 */
function writeCopy(from: string, to: string): readonly [before: TableCounts, after: TableCounts] {
  const source = openToRead(from);
  try {
    const before = countsOf(source);
    source.query("VACUUM INTO ?").run(to);
    return [before, countsOf(source)];
  } finally {
    source.close();
  }
}

function proveCopy(path: string, [before, after]: readonly [TableCounts, TableCounts]): Copied {
  const copied = proveDatabase(path);
  const database = openToRead(path);
  try {
    for (const [what, count] of Object.entries(countsOf(database))) {
      const bounds = [before[what]!, after[what]!];
      if (count < Math.min(...bounds) || count > Math.max(...bounds))
        throw new Error(`the copy has ${count} ${what}, and the database ${bounds.join(" to ")}: it was thrown away`);
    }
    return copied;
  } finally {
    database.close();
  }
}

const countsOf = (database: Database): TableCounts =>
  Object.fromEntries(
    Object.entries(COUNTED).map(([what, sql]) => [what, database.query<{ rows: number }, []>(sql).get()!.rows]),
  );

const openToRead = (path: string): Database => new Database(path, { readonly: true, strict: true });
