// Dumps that somebody made to keep an import busy or to fill its memory: refused by a sentence that names the line.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTables } from "../../src/import/tables.ts";

const HEAD = "BEGIN TRANSACTION;\nCREATE TABLE t (id integer, name text);\n";

function read(text: string | Buffer, size: number | null = null) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-hostile-"));
  const path = join(folder, "dump.sql");
  try {
    writeFileSync(path, text);
    if (size !== null) truncateSync(path, size);
    return readTables(path, "Program", [{ table: "t", columns: ["id"], needed: true }], () => {}).get("t");
  } catch (error) {
    return String(error).replace(folder, "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const nested = (depth: number, mark: string): string =>
  `${HEAD}INSERT INTO t VALUES(1,${"replace(".repeat(depth)}'a'${`,'${mark}',char(10))`.repeat(depth)});\nCOMMIT;\n`;

test("a text in many calls is refused: each took as long as the whole, or doubled it", () => {
  expect(read(nested(60_000, "b"))).toBe(
    "Error: /dump.sql:3: cannot be read as SQL: more than 2 calls stand in each other",
  );
  expect(read(nested(40, ""))).toContain("more than 2 calls");
  // As sqlite3 writes a text with both ends of lines; an empty pattern changes nothing.
  expect(read(nested(2, "a"))).toEqual([{ id: 1, name: "\n" }]);
  expect(read(nested(1, ""))).toEqual([{ id: 1, name: "a" }]);
});

test("a line, or tables, of more than 64 MiB are refused before they are held in memory", () => {
  const begun = `${HEAD}INSERT INTO t VALUES(1,'`;
  expect(read(begun, 500 * 2 ** 20)).toBe("Error: /dump.sql:3: is longer than 64 MiB, as no line of a dump is");
  const row = `INSERT INTO t VALUES(1,'${"b".repeat(2 ** 20)}');\n`;
  expect(read(`${HEAD}${row.repeat(64)}COMMIT;\n`)).toBe(
    "Error: /dump.sql:66: cannot be read as SQL: its tables hold more than 64 MiB",
  );
  const other = row.replace("INTO t", "INTO other");
  expect(read(`${HEAD}${other.repeat(80)}COMMIT;\n`)).toEqual([]);
});

test("a table of more rows than are read is refused, so that no row is left out unsaid", () => {
  const rows = (count: number): string => `INSERT INTO t VALUES${"(1,'a'),".repeat(count - 1)}(1,'a');\n`;
  expect(read(`${HEAD}${rows(100_000)}COMMIT;\n`)).toHaveLength(100_000);
  expect(read(`${HEAD}${rows(100_001)}COMMIT;\n`)).toBe(
    "Error: /dump.sql:3: cannot be read as SQL: table t has more than 100000 rows, and the import reads no more",
  );
  using database = new Database(":memory:");
  database.run(
    "CREATE TABLE t AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 100001) SELECT id FROM n",
  );
  expect(read(database.serialize())).toContain("table t has more than 100000 rows");
  database.run("DELETE FROM t WHERE id = 1");
  expect(read(database.serialize())).toHaveLength(100_000);
});

test("a dump that begins with the mark of UTF-8 is read, and one in UTF-16 is refused by that name", () => {
  expect(read(`\ufeffCREATE TABLE t (id integer, name text);\nINSERT INTO t VALUES(1,'a');\n`)).toEqual([
    { id: 1, name: "a" },
  ]);
  expect(read(`\ufeff[{"model":"t","pk":1,"fields":{}}]`)).toEqual([{ id: 1 }]);
  expect(read(Buffer.from(`\ufeff${HEAD}COMMIT;\n`, "utf16le"))).toBe(
    "Error: /dump.sql: cannot be read: it is UTF-16, save it as UTF-8",
  );
});
