// A backup in the place of the database: the replaced file stays, and nothing is changed where anything is wrong.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabase } from "../../src/store/file/copy.ts";
import { openDatabase, openDirectory } from "../../src/store/file/database.ts";
import { restoreDatabase } from "../../src/store/file/restore.ts";

let folder: string;
let data: string;
let backup: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-restore-"));
  data = join(folder, "data");
  backup = join(folder, "backup.db");
  mkdirSync(data);
  const { database, close } = openDirectory(data, 1);
  named(database, "old");
  copyDatabase(join(data, "rollcall.db"), backup);
  named(database, "new");
  close();
});

afterEach(() => rmSync(folder, { recursive: true }));

const named = (database: Database, slug: string): void =>
  void database.run("INSERT INTO applications (slug, created_at) VALUES (?, 1)", [slug]);

function slugsIn(file: string): string[] {
  const database = openDatabase(file, 1);
  const rows = database.query<{ slug: string }, []>("SELECT slug FROM applications ORDER BY id").all();
  database.close();
  return rows.map(({ slug }) => slug);
}

/** Names and contents of the data directory, without the lock. */
const filesIn = (directory: string): [string, string][] =>
  readdirSync(directory)
    .filter((name) => name !== "rollcall.lock")
    .sort()
    .map((name) => [name, readFileSync(join(directory, name), "latin1")]);

describe("restoring", () => {
  test("puts the backup in the database's place and keeps the replaced one", () => {
    const restored = restoreDatabase(data, backup, "replaced-1");
    expect(restored).toMatchObject({
      database: join(data, "rollcall.db"),
      replaced: join(data, "rollcall.db.replaced-1"),
    });
    expect(slugsIn(restored.database)).toEqual(["old"]);
    expect(slugsIn(restored.replaced!)).toEqual(["old", "new"]);
    expect(slugsIn(backup)).toEqual(["old"]);
    expect(statSync(restored.database).mode & 0o777).toBe(0o600);
  });

  test("twice in one second keeps both replaced files", () => {
    const again = [1, 2, 3].map(() => restoreDatabase(data, backup, "replaced-same").replaced);
    const name = join(data, "rollcall.db.replaced-same");
    expect(again).toEqual([name, `${name}-2`, `${name}-3`]);
    for (const kept of again) expect(existsSync(kept!)).toBe(true);
  });

  test("into an empty directory replaces nothing", () => {
    const restored = restoreDatabase(join(folder, "other"), backup, "replaced-1");
    expect(restored.replaced).toBeNull();
    expect(slugsIn(restored.database)).toEqual(["old"]);
  });

  test("names what people did since the backup, and not what holds all the same or changed nothing", () => {
    const { database, close } = openDirectory(data, 1);
    const acts = [
      ["key revoke", "ada"],
      ["incident ack", "ada"],
      ["sign in", "ada"],
      ["key create", null],
    ] as const;
    for (const [action, name] of acts)
      database.run("INSERT INTO audit (at, name, action, details) VALUES (7, ?, ?, '{}')", [name, action]);
    close();
    expect(restoreDatabase(data, backup, "replaced-1").carried?.undone).toEqual([
      { at: 7, action: "key revoke", application: null, monitorKey: null, details: "{}" },
    ]);
  });

  test("takes a plain copy of a running database with its log, and loses nothing of it", () => {
    const { database, close } = openDirectory(data, 1);
    named(database, "in the log");
    for (const ending of ["", "-wal"])
      copyFileSync(join(data, `rollcall.db${ending}`), join(folder, `plain.db${ending}`));
    close();
    const restored = restoreDatabase(join(folder, "other"), join(folder, "plain.db"), "replaced-1");
    expect(slugsIn(restored.database)).toEqual(["old", "new", "in the log"]);
  });

  test("keeps the rows that a crash has left in the replaced database's log", () => {
    const { database, close } = openDirectory(data, 1);
    named(database, "in the log");
    const crashed = join(folder, "crashed");
    mkdirSync(crashed);
    for (const ending of ["", "-wal"])
      copyFileSync(join(data, `rollcall.db${ending}`), join(crashed, `rollcall.db${ending}`));
    close();
    const { replaced } = restoreDatabase(crashed, backup, "replaced-1");
    expect(slugsIn(replaced!)).toEqual(["old", "new", "in the log"]);
    expect(slugsIn(join(crashed, "rollcall.db"))).toEqual(["old"]);
  });

  test("replaces a damaged database, and never reads its log as part of the new one", () => {
    const { database, close } = openDirectory(data, 1);
    named(database, "in the log");
    const crashed = join(folder, "crashed");
    mkdirSync(crashed);
    writeFileSync(join(crashed, "rollcall.db"), "torn");
    copyFileSync(join(data, "rollcall.db-wal"), join(crashed, "rollcall.db-wal"));
    close();
    const restored = restoreDatabase(crashed, backup, "replaced-1");
    expect(slugsIn(restored.database)).toEqual(["old"]);
    expect(readFileSync(restored.replaced!, "latin1")).toBe("torn");
    expect(readdirSync(crashed)).toContain("rollcall.db.replaced-1-wal");
  });

  test("changes nothing where the backup is missing, foreign, damaged or newer", () => {
    const before = filesIn(data);
    const wrong = join(folder, "wrong.db");
    const attempt = () => restoreDatabase(data, wrong, "replaced-1");
    expect(attempt).toThrow("does not exist");
    writeFileSync(wrong, "hello");
    expect(attempt).toThrow("is not a database");
    writeFileSync(wrong, readFileSync(backup).subarray(0, 20_000));
    expect(attempt).toThrow("damaged");
    copyFileSync(backup, wrong);
    const newer = new Database(wrong);
    newer.run("INSERT INTO migrations (name, hash, applied_at) VALUES ('9999_later', 'x', 1)");
    newer.close();
    expect(attempt).toThrow("another version");
    expect(filesIn(data)).toEqual(before);
  });

  test("refuses while rollcall runs", () => {
    const { database, close } = openDirectory(data, 1);
    expect(() => restoreDatabase(data, backup, "replaced-1")).toThrow("rollcall already runs");
    named(database, "still here");
    close();
    expect(slugsIn(join(data, "rollcall.db"))).toEqual(["old", "new", "still here"]);
  });
});
