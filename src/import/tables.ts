// Tables of another program's database, from a SQLite file, an SQL dump or a dump of Django. Reads the file, and never
// writes to it or beside it.

import { closeSync, openSync, readSync, statSync } from "node:fs";
import { messageOf } from "../domain/message-of.ts";
import { djangoTables } from "./django-dump.ts";
import { dumpTables } from "./sql-dump.ts";
import { sqliteTables } from "./sqlite-file.ts";
import type { Progress, Tables } from "./values.ts";

export interface Wanted {
  readonly table: string;
  /** Without these columns it is another program's. */
  readonly columns: readonly string[];
  /** Left out: an older version may lack the whole table. */
  readonly needed?: true;
}

/** Throws a sentence for people that names the file, the table and the rule. */
export function readTables(path: string, program: string, wanted: readonly Wanted[], progress: Progress): Tables {
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

function tablesOf(path: string, wanted: readonly Wanted[], progress: Progress): Tables {
  const names = new Set(wanted.map(({ table }) => table));
  const beginning = beginningOf(path);
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

/** The first bytes, each as one character. Throws where the file cannot be read. */
export function beginningOf(path: string): string {
  try {
    if (!statSync(path).isFile()) throw new Error("it is no file");
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(BEGINNING);
      return bytes.toString("latin1", 0, readSync(file, bytes, 0, BEGINNING, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`${path}: cannot be read: ${messageOf(error)}`);
  }
}
