// Databases for tests: the real tables in memory, made by the real migrations. No code of ours is replaced.

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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Instant } from "../../src/domain/time.ts";
import { openDatabase } from "../../src/store/file/database.ts";
import { MIGRATIONS } from "../../src/store/file/migrations.ts";
import { applySettings } from "../../src/store/file/pragmas.ts";
import { openStore, type Store } from "../../src/store/store.ts";

/** A new, empty database in memory; it is freed when nothing refers to it. */
export function openTestDatabase(): Database {
  const bytes = readFileSync(
    migrated("memory", (file) => writeFileSync(file, openDatabase(":memory:", 0).serialize())),
  );
  const database = Database.deserialize(bytes, { strict: true });
  applySettings(database, true);
  return database;
}

/** The file `test.db` of a directory, set up as ours is but without tables, for code that knows none. */
export function openBareFile(directory: string): Database {
  const opened = new Database(join(directory, "test.db"), { strict: true });
  opened.run("PRAGMA journal_mode = WAL");
  opened.run("PRAGMA synchronous = FULL");
  opened.run("PRAGMA foreign_keys = ON");
  return opened;
}

/** Changes the rows of monitors directly, after newer facts in memory were written. */
export function changeRows({ states, known, database }: Store, sql: string, params: SQLQueryBindings[] = []): void {
  states.writeBehindAll();
  states.reread();
  known.changing();
  database.run(sql, params);
}

/** The row functions over a new database in memory (`store.database`). */
export const openTestStore = (): Store => openStore(openTestDatabase());

/** Opens the database file of a test; a new one has all tables and no rows. */
export function openTestFile(path: string, at: Instant): Database {
  if (!existsSync(path)) {
    copyFileSync(
      migrated("file", (file) => openDatabase(file, 0).close()),
      path,
    );
    chmodSync(path, 0o600);
  }
  return openDatabase(path, at);
}

const STORE_FILE_ROOM = join(import.meta.dir, "../../src/store/file");

/** A hash that changes with each migration, and with the code that makes a new database. */
const STORE_VERSION = Bun.hash(
  [
    ...MIGRATIONS.map(({ sql }) => sql),
    ...readdirSync(STORE_FILE_ROOM).map((name) => readFileSync(join(STORE_FILE_ROOM, name), "utf8")),
  ].join("\n"),
).toString(36);

/**
 * Keeps the result of all migrations on an empty database once for each version of the store, because copying it takes
 * a millisecond, and the migrations take thirty. `make` writes it to a path.
 */
function migrated(kind: "file" | "memory", make: (path: string) => void): string {
  const made = join(tmpdir(), `rollcall-migrated-${STORE_VERSION}.${kind}`);
  if (!existsSync(made)) {
    const making = join(mkdtempSync(join(tmpdir(), "rollcall-migrating-")), "new.db");
    make(making);
    // Another process of the tests may have made the same file meanwhile.
    renameSync(making, made);
    rmSync(dirname(making), { recursive: true });
  }
  return made;
}
