// A database for tests: the real tables in memory, made by the real migrations. Nothing here replaces our own code.

import { Database, type SQLQueryBindings } from "bun:sqlite";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Instant } from "../../src/domain/time.ts";
import { openDatabase } from "../../src/store/file/database.ts";
import { MIGRATIONS } from "../../src/store/file/migrations.ts";
import { openStore, type Store } from "../../src/store/store.ts";

const STORE_FILE_ROOM = join(import.meta.dir, "../../src/store/file");

/** A new, empty database in memory; it goes when nothing refers to it. */
export const openTestDatabase = (): Database => openDatabase(":memory:", 0);

/** The file `test.db` of a directory, set up as ours is and without tables: for what knows nothing of them. */
export function openBareFile(directory: string): Database {
  const opened = new Database(join(directory, "test.db"), { strict: true });
  opened.run("PRAGMA journal_mode = WAL");
  opened.run("PRAGMA synchronous = FULL");
  opened.run("PRAGMA foreign_keys = ON");
  return opened;
}

/** Changes monitors' own rows from outside, once nothing else holds newer facts. */
export function changeRows({ states, known, database }: Store, sql: string, params: SQLQueryBindings[] = []): void {
  states.followAll();
  states.reread();
  known.changing();
  database.run(sql, params);
}

/** The row functions over a new database in memory (`store.database`). */
export const openTestStore = (): Store => openStore(openTestDatabase());

/**
 * Opens the database file of a test. A new one begins as a copy of what all migrations have made, which costs a
 * millisecond and not thirty.
 */
export function openTestFile(path: string, at: Instant): Database {
  if (!existsSync(path)) {
    copyFileSync(migratedFile(), path);
    chmodSync(path, 0o600);
  }
  return openDatabase(path, at);
}

/** Changes with each migration, and with the code that makes a new file. */
const STORE_VERSION = Bun.hash(
  [
    ...MIGRATIONS.map(({ sql }) => sql),
    ...readdirSync(STORE_FILE_ROOM).map((name) => readFileSync(join(STORE_FILE_ROOM, name), "utf8")),
  ].join("\n"),
).toString(36);

/** The file that all migrations have made of nothing: once for all tests of this version of the store. */
function migratedFile(): string {
  const file = join(tmpdir(), `rollcall-migrated-${STORE_VERSION}.db`);
  if (!existsSync(file)) {
    const making = join(mkdtempSync(join(tmpdir(), "rollcall-migrating-")), "new.db");
    openDatabase(making, 0).close();
    // Another process of the tests may have made it meanwhile; both are alike.
    renameSync(making, file);
    rmSync(dirname(making), { recursive: true });
  }
  return file;
}
