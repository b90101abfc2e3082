// Copies of a database that is written to meanwhile: whole or not there.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabase, proveDatabase } from "../../src/store/file/copy.ts";
import { openDatabase } from "../../src/store/file/database.ts";
import { lackOfRoom } from "../../src/store/file/database-files.ts";

let folder: string;
let path: string;
let copy: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-copy-"));
  path = join(folder, "rollcall.db");
  copy = join(folder, "copy.db");
  database = openDatabase(path, 1);
  database.run("INSERT INTO applications (slug, created_at) VALUES ('prod', 1)");
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const slugsIn = (file: string): unknown[] => {
  const opened = new Database(file, { readonly: true });
  const rows = opened.query("SELECT slug FROM applications").all();
  opened.close();
  return rows;
};

describe("a copy", () => {
  test("holds what was committed, for its owner alone, and leaves nothing beside it", () => {
    expect(copyDatabase(path, copy)).toEqual({ bytes: statSync(copy).size, monitors: 0 });
    expect(slugsIn(copy)).toEqual([{ slug: "prod" }]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  });

  test("never replaces a file", () => {
    writeFileSync(copy, "mine");
    expect(() => copyDatabase(path, copy)).toThrow(`${copy} exists already`);
    expect(readFileSync(copy, "utf8")).toBe("mine");
  });

  test("of a damaged database is not made", () => {
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 3 * 1_024, 9 * 1_024);
    const damaged = join(folder, "damaged.db");
    writeFileSync(damaged, bytes);
    expect(() => copyDatabase(damaged, copy)).toThrow(/damaged|could not be written/);
    expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual([]);
  });

  test("into a directory that does not exist is refused", () => {
    const nowhere = join(folder, "nowhere");
    expect(() => copyDatabase(path, join(nowhere, "copy.db"))).toThrow(`${nowhere} does not exist; make it first`);
  });

  test("takes the place of one that was never finished", () => {
    writeFileSync(`${copy}.partial`, "half");
    copyDatabase(path, copy);
    expect(existsSync(`${copy}.partial`)).toBe(false);
  });
});

describe("proving", () => {
  test("refuses what is no database of ours, is empty, or is of a newer version", () => {
    writeFileSync(copy, "hello");
    expect(() => proveDatabase(copy)).toThrow("is not a database");
    writeFileSync(copy, "");
    expect(() => proveDatabase(copy)).toThrow("is empty");
    database.run("INSERT INTO migrations (name, hash, applied_at) VALUES ('9999_later', 'x', 1)");
    expect(() => proveDatabase(path)).toThrow("was written by another version of rollcall");
  });
});

test("what a copy, a migration or a restore needs is compared with what is free, and both are said", () => {
  const file = join(folder, "some.db");
  writeFileSync(file, "x".repeat(1_000));
  writeFileSync(`${file}-wal`, "x".repeat(500));
  const asked: number[] = [];
  const needing = (needed: number) =>
    lackOfRoom(file, folder, (bytes) => {
      asked.push(bytes);
      return needed;
    });
  expect(needing(0)).toBeNull();
  expect(needing(2 ** 60)).toEqual({ free: expect.stringMatching(/^\d+ MB$/), wanted: "1152921504607 MB" });
  expect(new Set(asked)).toEqual(new Set([1_500]));
});
