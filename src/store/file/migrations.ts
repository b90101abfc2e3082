// Brings a database to this executable's tables, completely or not at all. It never changes one that a newer version
// has written.

import type { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorMessage } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Instant } from "../../domain/time.ts";
import { lackOfRoom, unusedName, writeWhole } from "./database-files.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

export interface Migration {
  /** The file's name under drizzle/ without its ending. Sorted names give the order of application. */
  readonly name: string;
  readonly sql: string;
}

/** The migrations with which this executable was built, the oldest first. */
export const MIGRATIONS: readonly Migration[] = readMigrations();

/**
 * The migrations of `known` that the database still lacks, the oldest first; only reads. Throws, with a sentence for
 * the operator, when the database has migrations that `known` lacks or has in another form.
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
 * Applies pending migrations in one transaction, checks every foreign key and records each migration as applied `at`.
 * On any failure it keeps nothing and throws. Before it changes a database that already has tables it copies the file
 * (see `copyBefore`).
 */
export function migrate(database: Database, known: readonly Migration[], at: Instant, log: Log): void {
  const pending = pendingMigrations(database, known);
  const first = pending[0];
  if (first === undefined) return;
  const copy = pending.length < known.length ? copyBefore(database, first.name) : null;
  // The start is logged, because a large database takes minutes.
  if (copy !== null) log("info", "migrating", { from: first.name, migrations: pending.length, copy });
  // Rebuilding a table drops the old one, and with foreign keys on that would delete the rows that refer to it. SQLite
  // ignores this pragma inside a transaction, so it is set outside, and all keys are checked before the commit.
  database.run("PRAGMA foreign_keys = OFF");
  try {
    database.transaction(() => applyAll(database, pending, at)).immediate();
    if (copy !== null) log("info", "migrated", { to: pending.at(-1)!.name, copy });
  } catch (error) {
    // Nothing was changed, so the copy is useless; and repeated starts must not fill the disk.
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
    // A migration that ends the transaction itself would have made the ones before it final.
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

// Copies the database before a migration, so that the earlier version can go on with the copy. A few copies are kept.

const KEPT = 3;
const NAME = /^before-.+\.db$/;

/**
 * Copies the file to `backups/before-<first migration>.db` beside it, with mode 0600, deletes all but the newest few of
 * these copies and returns the new one's path. It overwrites none. Throws, with a sentence for the operator, when there
 * is too little room; then nothing was changed.
 */
function copyBefore(database: Database, migration: string): string {
  const directory = join(dirname(database.filename), "backups");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = database.filename;
  // A migration may write every table again, so it needs as much room again as the copy.
  const lack = lackOfRoom(file, directory, (bytes) => 2 * bytes);
  if (lack !== null) {
    throw new Error(
      `${file} must be changed for this version, which copies it first: ${directory} has ${lack.free} free, and ` +
        `${lack.wanted} are needed. Free some space, or go on with the version before; nothing was changed`,
    );
  }
  const path = unusedName(join(directory, `before-${migration}`), ".db");
  writeWhole(path, (partial) => database.query("VACUUM INTO ?").run(partial));
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
