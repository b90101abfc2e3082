// Reads tables of a dump that pg_dump, mysqldump or `sqlite3 .dump` wrote. Tables that are not wanted are skipped.
// Nothing in the dump is executed.

import { closeSync, openSync, readSync, statSync } from "node:fs";
import { withoutUtf8Mark } from "../domain/text.ts";
import { Malformed, scannerOf } from "./sql-scanner.ts";
import { type Progress, READ_MAX, ROWS_MAX, type Row, type Tables, tooManyRows, type Value } from "./values.ts";

export function dumpTables(path: string, names: ReadonlySet<string>, progress: Progress): Tables {
  const reading: DumpReading = { names, columns: new Map(), tables: new Map(), isMysql: false, left: READ_MAX };
  const lines = dumpLines(path, progress);
  let end: RegExp | null = null;
  for (const { text: line, number } of lines) {
    const text = number === 1 ? withoutUtf8Mark(line) : line;
    end = awaitedEnd(text, end);
    // A dump of a newer MariaDB begins with a line `/*M!…`, before its first comment.
    const isOfMariadb = text.startsWith("/*M!");
    if (isOfMariadb || /^-- (?:MySQL|MariaDB) dump/.test(text)) reading.isMysql = true;
    if (isOfMariadb || text.startsWith("--") || text.trim() === "") continue;
    try {
      const copied = /^COPY ([^(]+) \((.+)\) FROM stdin;\r?$/.exec(text);
      if (copied !== null) readCopy(reading, tableNamed(copied[1]!), copied[2]!, lines);
      else readStatement(reading, text, lines);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      throw new Error(`${path}:${number}: cannot be read as SQL: ${error.message}`);
    }
  }
  if (end !== null) throw new Error(`${path}: breaks off: the last line of a whole dump is missing`);
  return reading.tables;
}

/**
 * For each program, a line at the beginning of its dumps and a line at their end. A dump without the second line broke
 * off, and would give only a part of the checks.
 */
const BOUNDS: readonly (readonly [first: RegExp, last: RegExp])[] = [
  [/^-- PostgreSQL database dump\r?$/, /^-- PostgreSQL database dump complete/],
  [/^-- (?:MySQL|MariaDB) dump/, /^-- Dump completed/],
  [/^BEGIN TRANSACTION;/, /^COMMIT;/],
];

/**
 * Returns the pattern of the line that must still end the dump, after `line` was read. `awaited` is the result for the
 * line before. `null` when no dump has begun (`BOUNDS`), or when its last line has been read.
 */
function awaitedEnd(line: string, awaited: RegExp | null): RegExp | null {
  const begun = BOUNDS.find(([first]) => first.test(line));
  return begun?.[1] ?? (awaited?.test(line) ? null : awaited);
}

interface DumpReading {
  readonly names: ReadonlySet<string>;
  readonly columns: Map<string, readonly string[]>;
  readonly tables: Map<string, Row[]>;
  isMysql: boolean;
  /** How many more characters may be held in memory. */
  left: number;
}

/**
 * Counts a text that is to be held in memory, and must be called before. Throws when the texts so far are too long
 * together.
 */
function countKept(reading: DumpReading, text: string): void {
  reading.left -= text.length;
  if (reading.left < 0) throw new Malformed(`its tables hold more than ${READ_MAX / 2 ** 20} MiB`);
}

type DumpLine = { readonly text: string; readonly number: number };
type Lines = Iterator<DumpLine> & Iterable<DumpLine>;

const PIECE = 1_024 * 1_024;

/**
 * Reads the dump line by line. A line may be as long as the file, so its pieces are collected and decoded only at its
 * end.
 */
function* dumpLines(path: string, progress: Progress): Generator<DumpLine, void, void> {
  const size = statSync(path).size;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(PIECE);
    let rest: Buffer[] = [];
    let held = 0;
    let number = 0;
    for (let read = 0; ; ) {
      const length = readSync(file, bytes, 0, PIECE, null);
      if (length === 0) break;
      read += length;
      progress(size === 0 ? 1 : read / size);
      let from = 0;
      for (let end = bytes.indexOf(10, from); end >= 0 && end < length; end = bytes.indexOf(10, from)) {
        rest.push(Buffer.from(bytes.subarray(from, end)));
        yield { text: Buffer.concat(rest).toString("utf8"), number: ++number };
        rest = [];
        held = 0;
        from = end + 1;
      }
      held += length - from;
      if (held > READ_MAX)
        throw new Error(`${path}:${number + 1}: is longer than ${READ_MAX / 2 ** 20} MiB, as no line of a dump is`);
      rest.push(Buffer.from(bytes.subarray(from, length)));
    }
    const last = Buffer.concat(rest).toString("utf8");
    if (last !== "") yield { text: last, number: ++number };
  } finally {
    closeSync(file);
  }
}

const tableNamed = (text: string): string =>
  text
    .trim()
    .split(".")
    .at(-1)!
    .replaceAll(/^["`[]|["`\]]$/g, "");

/** Reads the rows that follow a COPY of PostgreSQL: one a line, with a tab between values, up to a line `\.`. */
function readCopy(reading: DumpReading, table: string, columns: string, lines: Lines): void {
  const names = columns.split(",").map(tableNamed);
  const isWanted = reading.names.has(table);
  if (isWanted) reading.tables.set(table, reading.tables.get(table) ?? []);
  for (let next = lines.next(); !next.done; next = lines.next()) {
    const text = next.value.text.replace(/\r$/, "");
    if (text === "\\.") return;
    if (!isWanted) continue;
    countKept(reading, text);
    addRow(reading, table, names, text.split("\t").map(copiedValue));
  }
  throw new Malformed("a COPY has no end");
}

const COPY_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

const copiedValue = (text: string): Value =>
  text === "\\N" ? null : text.replaceAll(/\\(.)/g, (_, letter: string) => COPY_ESCAPES[letter] ?? letter);

function readStatement(reading: DumpReading, first: string, lines: Lines): void {
  const [, kind = "", name = ""] =
    /^(CREATE TABLE|INSERT INTO)(?: IF NOT EXISTS)? ((?:[\w]+\.)?(?:"[^"]+"|`[^`]+`|\[[^\]]+\]|\w+))/i.exec(first) ??
    [];
  const table = tableNamed(name);
  const isWanted = kind !== "" && reading.names.has(table);
  const statement = wholeStatement(first, lines, reading, isWanted);
  if (!isWanted) return;
  if (/^create/i.test(kind)) {
    reading.columns.set(table, columnsIn(statement, reading.isMysql));
    reading.tables.set(table, reading.tables.get(table) ?? []);
  } else readInsert(reading, table, statement.slice(first.indexOf(name) + name.length));
}

/**
 * Reads the lines of a statement up to the one that ends it; a semicolon inside a quoted text ends nothing. The lines
 * of a statement that is not wanted are not kept.
 */
function wholeStatement(first: string, lines: Lines, reading: DumpReading, isWanted: boolean): string {
  const { isMysql } = reading;
  const parts = [first];
  if (isWanted) countKept(reading, first);
  let quote = openQuote(first, "", isMysql);
  for (let text = first; quote !== "" || !/;\s*$/.test(text); ) {
    const next = lines.next();
    // The last statement of a file may have no semicolon.
    if (next.done) {
      if (quote !== "") throw new Malformed("a text has no end");
      break;
    }
    text = next.value.text;
    quote = openQuote(text, quote, isMysql);
    if (!isWanted) continue;
    countKept(reading, text);
    parts.push(text);
  }
  return parts.join("\n");
}

/**
 * The quotation mark that is open at the end of this line; empty when none is. `before` is the one at its beginning.
 */
function openQuote(line: string, before: string, isMysql: boolean): string {
  const marks = isMysql ? /['"`\\]/g : /['"]/g;
  let open = before;
  for (let found = marks.exec(line); found !== null; found = marks.exec(line)) {
    const [mark] = found;
    if (mark === "\\") marks.lastIndex++;
    else if (open === "") open = mark;
    else if (open === mark) open = "";
  }
  return open;
}

const NO_COLUMN = /^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FOREIGN|CHECK|FULLTEXT|SPATIAL|EXCLUDE)\b/i;

function columnsIn(statement: string, isMysql: boolean): readonly string[] {
  const inner = scannerOf(statement, isMysql);
  inner.skipTo("(");
  return inner
    .listTexts()
    .filter((part) => !NO_COLUMN.test(part))
    .map((part) => tableNamed(/^(?:"[^"]+"|`[^`]+`|\[[^\]]+\]|\S+)/.exec(part)?.[0] ?? ""));
}

function readInsert(reading: DumpReading, table: string, rest: string): void {
  const scanner = scannerOf(rest, reading.isMysql);
  const named = /^\s*\(/.test(rest);
  let columns = reading.columns.get(table);
  if (named) {
    scanner.skipTo("(");
    columns = scanner.listTexts().map(tableNamed);
  }
  if (columns === undefined) throw new Malformed(`the columns of ${table} are not known: its CREATE TABLE is missing`);
  scanner.skipWord("VALUES");
  reading.tables.set(table, reading.tables.get(table) ?? []);
  while (scanner.skipTo("(")) addRow(reading, table, columns, scanner.values());
}

function addRow({ tables }: DumpReading, table: string, columns: readonly string[], values: readonly Value[]): void {
  if (columns.length !== values.length)
    throw new Malformed(`a row of ${table} has ${values.length} values, and the table ${columns.length} columns`);
  const rows = tables.get(table)!;
  if (rows.length === ROWS_MAX) throw new Malformed(tooManyRows(table));
  rows.push(Object.fromEntries(columns.map((column, place) => [column, values[place]!])));
}
