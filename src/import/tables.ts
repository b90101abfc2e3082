// Reads tables of another program's database, from a SQLite file, an SQL dump or a dump of Django. The file is never
// changed.

import { constants, Database } from "bun:sqlite";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage } from "../domain/errors.ts";
import { withoutUtf8Mark } from "../domain/text.ts";
import { dumpTables } from "./sql-dump.ts";
import {
  isJsonFields,
  type Progress,
  READ_MAX,
  ROWS_MAX,
  type Row,
  type Tables,
  tooManyRows,
  type Value,
} from "./values.ts";

export interface WantedTable {
  readonly table: string;
  /**
   * The columns that the table must have. A file whose table lacks one of them belongs to another program, and is
   * refused.
   */
  readonly columns: readonly string[];
  /** True when a file without this table is refused; absent when older versions of the program lack the table. */
  readonly needed?: true;
}

/** Reads the wanted tables of a file. Throws a sentence for people that names the file and what is wrong. */
export function readTables(path: string, program: string, wanted: readonly WantedTable[], progress: Progress): Tables {
  const tables = tablesOf(path, wanted, progress);
  for (const { table, columns, needed } of wanted) {
    const rows = tables.get(table);
    if (rows === undefined && needed)
      throw new Error(`${path}: has no table ${table}, so it is no database of ${program}`);
    const missing = columns.find((column) => rows?.[0] !== undefined && !(column in rows[0]));
    if (missing !== undefined)
      throw new Error(
        `${path}: table ${table} has no column ${missing}, so it is no database of ${program} that we know`,
      );
  }
  return tables;
}

function tablesOf(path: string, wanted: readonly WantedTable[], progress: Progress): Tables {
  const names = new Set(wanted.map(({ table }) => table));
  const beginning = beginningOfExport(path);
  if (beginning === "") throw new Error(`${path}: is empty`);
  if (beginning.startsWith("SQLite format 3\0")) return sqliteTables(path, names);
  if (beginning.startsWith("PGDMP"))
    throw new Error(`${path}: is a dump for pg_restore; make it readable first: pg_restore -f dump.sql ${path}`);
  if (beginning.startsWith("\u001f\u008b"))
    throw new Error(`${path}: is compressed; unpack it first: gunzip -k ${path}`);
  if (/^\s*\[/.test(beginning)) return djangoTables(path, names);
  if (/\b(?:CREATE TABLE|INSERT INTO|COPY |dump|PRAGMA foreign_keys)/i.test(beginning))
    return dumpTables(path, names, progress);
  throw new Error(`${path}: is neither a SQLite database, nor an SQL dump, nor a dump of Django (dumpdata)`);
}

const BEGINNING = 64 * 1_024;

/**
 * Reads the first 64 KiB of the file, each byte as one character and without the mark of UTF-8. Throws a sentence for
 * people when the file cannot be read.
 */
export function beginningOfExport(path: string): string {
  try {
    if (!fs.statSync(path).isFile()) throw new Error("it is no file");
    const file = fs.openSync(path, "r");
    try {
      const bytes = Buffer.alloc(BEGINNING);
      const beginning = bytes.toString("latin1", 0, fs.readSync(file, bytes, 0, BEGINNING, 0));
      if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(beginning)) throw new Error("it is UTF-16, save it as UTF-8");
      return beginning.replace(/^\u00ef\u00bb\u00bf/, "");
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    throw new Error(`${path}: cannot be read: ${errorMessage(error)}`);
  }
}

// The following reads a SQLite file that another program may be using. If changes wait in a log beside it, everything
// is copied first, because SQLite would write beside the original file.

function sqliteTables(path: string, names: ReadonlySet<string>): Tables {
  try {
    return hasLog(path) ? fromCopy(path, names) : tablesFromDatabase(path, names);
  } catch (error) {
    throw new Error(`${path}: cannot be read as a SQLite database: ${errorMessage(error)}`);
  }
}

/** Whether changes wait beside this file, in a write-ahead log or in a journal that a crash has left. */
const hasLog = (path: string): boolean =>
  ["-wal", "-journal"].some((end) => (fs.statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0);

function fromCopy(path: string, names: ReadonlySet<string>): Tables {
  const folder = fs.mkdtempSync(join(tmpdir(), "rollcall-import-"));
  try {
    const copy = join(folder, "copy.db");
    for (const end of ["", "-wal", "-journal"]) {
      if (fs.statSync(path + end, { throwIfNoEntry: false }) === undefined) continue;
      fs.copyFileSync(path + end, copy + end);
      fs.chmodSync(copy + end, 0o600);
    }
    return tablesIn(new Database(copy), names);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function tablesFromDatabase(path: string, names: ReadonlySet<string>): Tables {
  // With `immutable`, SQLite takes no lock and makes no file beside the opened one.
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  return tablesIn(new Database(`${pathToFileURL(path).href}?immutable=1`, flags), names);
}

function tablesIn(opened: Database, names: ReadonlySet<string>): Tables {
  using database = opened;
  const there = database.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const wanted = there.map(({ name }) => name).filter((name) => names.has(name));
  return new Map(
    wanted.map((name) => {
      const read = database.query<Row, [number]>(`SELECT * FROM "${name.replaceAll('"', '""')}" LIMIT ?`);
      const rows = read.all(ROWS_MAX + 1);
      if (rows.length > ROWS_MAX) throw new Error(tooManyRows(name));
      return [name, rows];
    }),
  );
}

// The following reads a dump of Django's `dumpdata`: a list of rows, each with its model, number and fields.

type DumpedRow = Readonly<{ model: string; pk: Value; fields: Readonly<Record<string, unknown>> }>;

/**
 * Reads the tables under the names that they have in SQL. The model `app.model` is the table `app_model`, and a field
 * that refers to a row also gets the name with `_id`. Throws a sentence for people.
 */
function djangoTables(path: string, names: ReadonlySet<string>): Tables {
  // The whole file is one JSON value, so it is read at once, up to a limit.
  if (fs.statSync(path).size > READ_MAX)
    throw new Error(
      `${path}: is larger than ${READ_MAX / 2 ** 20} MiB; leave out the pings: dumpdata --exclude api.ping`,
    );
  const entries = parsedDump(path);
  const tables = new Map<string, Row[]>();
  for (const { model, pk, fields } of entries) {
    const table = model.replace(".", "_");
    if (!names.has(table)) continue;
    const rows = tables.get(table) ?? [];
    tables.set(table, rows);
    rows.push(dumpedRow(pk, fields));
    for (const [name, linked] of Object.entries(fields))
      if (Array.isArray(linked)) addLinks(tables, `${table}_${name}`, table, name, pk, linked);
  }
  return tables;
}

function dumpedRow(pk: Value, fields: DumpedRow["fields"]): Row {
  const row: Record<string, Value> = { id: pk };
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) continue;
    row[name] = row[`${name}_id`] = value as Value;
  }
  return row;
}

/**
 * Adds rows to the table that links two others in SQL. For example the table `api_channel_checks` has `channel_id` and
 * `check_id`, where the dump has a list of checks in each channel.
 */
function addLinks(
  tables: Map<string, Row[]>,
  between: string,
  table: string,
  name: string,
  pk: Value,
  linked: readonly unknown[],
): void {
  const own = `${table.slice(table.indexOf("_") + 1)}_id`;
  const other = `${name.replace(/s$/, "")}_id`;
  const rows = linked.map((one) => ({ [own]: pk, [other]: one as Value }));
  tables.set(between, [...(tables.get(between) ?? []), ...rows]);
}

function parsedDump(path: string): readonly DumpedRow[] {
  let read: unknown;
  try {
    read = JSON.parse(withoutUtf8Mark(fs.readFileSync(path, "utf8")));
  } catch (error) {
    throw new Error(`${path}: is not valid JSON: ${errorMessage(error)}`);
  }
  const isEntry = (one: unknown): boolean =>
    isJsonFields(one) && typeof one["model"] === "string" && isJsonFields(one["fields"]);
  if (!Array.isArray(read) || !read.every(isEntry))
    throw new Error(`${path}: is no dump of Django: each entry must have model, pk and fields`);
  return read as readonly DumpedRow[];
}
