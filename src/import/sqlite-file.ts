// Tables of another program's SQLite file. The file is opened to read, or copied first where it has a log of its own that is
// not in it yet: opening that would write beside it.

import { constants, Database } from "bun:sqlite";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../domain/message-of.ts";
import { ROWS_MAX, type Row, type Tables } from "./values.ts";

/** Throws a sentence that names the file. */
export function sqliteTables(path: string, names: ReadonlySet<string>): Tables {
  try {
    return hasLog(path) ? fromCopy(path, names) : fromFile(path, names);
  } catch (error) {
    throw new Error(`${path}: cannot be read as a SQLite database: ${messageOf(error)}`);
  }
}

/** Whether changes wait beside the file, in a write-ahead log or a journal of a crash. */
const hasLog = (path: string): boolean =>
  ["-wal", "-journal"].some((end) => (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0);

function fromCopy(path: string, names: ReadonlySet<string>): Tables {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-import-"));
  try {
    const copy = join(folder, "copy.db");
    for (const end of ["", "-wal", "-journal"]) {
      if (statSync(path + end, { throwIfNoEntry: false }) === undefined) continue;
      copyFileSync(path + end, copy + end);
      chmodSync(copy + end, 0o600);
    }
    const database = new Database(copy);
    try {
      return rowsOf(database, names);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fromFile(path: string, names: ReadonlySet<string>): Tables {
  // Immutable: SQLite takes no lock and makes no file beside it.
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const database = new Database(`${pathToFileURL(path).href}?immutable=1`, flags);
  try {
    return rowsOf(database, names);
  } finally {
    database.close();
  }
}

function rowsOf(database: Database, names: ReadonlySet<string>): Tables {
  const there = database.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const wanted = there.map(({ name }) => name).filter((name) => names.has(name));
  return new Map(
    wanted.map((name) => {
      const read = database.query<Row, [number]>(`SELECT * FROM "${name.replaceAll('"', '""')}" LIMIT ?`);
      return [name, read.all(ROWS_MAX)];
    }),
  );
}
