// Changes a database to the tables that this executable needs, by applying the migrations that it lacks: all of them or
// none. A database that a newer version has written is left as it is.

import type { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorMessage } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Instant } from "../../domain/time.ts";
import { lackOfRoom, unusedPath, writeWholeFile } from "./database-files.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

export interface Migration {
  /** The name of the file under drizzle/ without `.sql`. It gives the order of the migrations. */
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = readMigrations();

/**
 * Returns the migrations of `known` that the database lacks, the oldest first; changes nothing. Throws, with a sentence
 * for the operator, when a migration of the database is not in `known` or has another text in `known`.
 */
export function pendingMigrations(database: Database, known: readonly Migration[]): readonly Migration[] {
  const applied = appliedMigrations(database);
  applied.forEach((row, index) => {
    const migration = known[index];
    if (migration?.name === row.name && hashOf(migration) === row.hash) return;
    throw new Error(
      `${database.filename} was written by another version of rollcall: it has the migration "${row.name}", and this ` +
        `executable knows ${migration === undefined ? `none after "${known.at(-1)?.name}"` : `"${migration.name}"`} in ` +
        "its place. Run the version that wrote it, or restore a backup; nothing was changed",
    );
  });
  return known.slice(applied.length);
}

/**
 * Applies the missing migrations in one transaction, and stores `at` as their time. Then checks that no row refers to a
 * missing row. When anything fails, the database stays as it was and an Error is thrown. A database that has tables
 * already is copied first (`copyBefore`).
 */
export function migrate(database: Database, known: readonly Migration[], at: Instant, log: Log): void {
  const pending = pendingMigrations(database, known);
  const first = pending[0];
  if (first === undefined) return;
  const copy = pending.length < known.length ? copyBefore(database, first.name) : null;
  if (copy !== null) log("info", "migrating", { from: first.name, migrations: pending.length, copy });
  // A migration that changes a table makes a new one and drops the old one. With foreign keys on, SQLite would then
  // delete the rows that refer to the old table. They can only be turned off outside a transaction, so `applyAll`
  // checks all references before the commit.
  database.run("PRAGMA foreign_keys = OFF");
  try {
    database.transaction(() => applyAll(database, pending, at)).immediate();
    if (copy !== null) log("info", "migrated", { to: pending.at(-1)!.name, copy });
  } catch (error) {
    // Nothing was changed. If the copy stayed, each further start would make another one and fill the disk.
    if (copy !== null) rmSync(copy);
    throw new Error(`${database.filename} could not be migrated and was left as it was: ${errorMessage(error)}`, {
      cause: error,
    });
  } finally {
    database.run("PRAGMA foreign_keys = ON");
  }
}

function applyAll(database: Database, pending: readonly Migration[], at: Instant): void {
  database.run(
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  const record = database.query("INSERT INTO migrations (name, hash, applied_at) VALUES (?, ?, ?)");
  for (const migration of pending) {
    database.run(migration.sql);
    // If a migration ended the transaction, the migrations before it could not be undone any more.
    if (!database.inTransaction) throw new Error(`migration ${migration.name} left the transaction`);
    record.run(migration.name, hashOf(migration), at);
  }
  const orphan = database.query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check").get();
  if (orphan !== null)
    throw new Error(`a row of ${orphan.table} would refer to a row of ${orphan.parent} that is not there`);
}

function appliedMigrations(database: Database): { name: string; hash: string }[] {
  const known = database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get();
  if (known === null) return [];
  return database.query<{ name: string; hash: string }, []>("SELECT name, hash FROM migrations ORDER BY name").all();
}

const hashOf = ({ sql }: Migration): string => new Bun.CryptoHasher("sha256").update(sql).digest("hex");

// With a copy from before the migration, a person can return to the earlier version. Only the newest copies are kept.

const KEPT = 3;
const NAME = /^before-.+\.db$/;

/**
 * Copies the database to `backups/before-<first migration>.db` beside it, with mode 0600, and returns the path of the
 * copy. If that name is taken, a number is added. Then all but the newest `KEPT` such copies are deleted. Throws, with
 * a sentence for the operator, when there is too little room; then nothing was changed.
 */
function copyBefore(database: Database, migration: string): string {
  const directory = join(dirname(database.filename), "backups");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = database.filename;
  // The copy needs the size of the database once. The migration may write every table again, which needs it once more.
  const lack = lackOfRoom(file, directory, (bytes) => 2 * bytes);
  if (lack !== null) {
    throw new Error(
      `${file} must be changed for this version, which copies it first: ${directory} has ${lack.free} free, and ` +
        `${lack.wanted} are needed. Free some space, or go on with the version before; nothing was changed`,
    );
  }
  const path = unusedPath(join(directory, `before-${migration}`), ".db");
  writeWholeFile(path, (partial) => database.query("VACUUM INTO ?").run(partial));
  prune(directory);
  return path;
}

function prune(directory: string): void {
  const copies = readdirSync(directory)
    .filter((name) => NAME.test(name))
    .map((name) => ({ name, at: statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at || b.name.localeCompare(a.name, "en", { numeric: true }));
  for (const { name } of copies.slice(KEPT)) rmSync(join(directory, name), { force: true });
}
