// Opening the database: who may, with which settings, and what is refused and left alone.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, openDirectory } from "../../src/store/file/database.ts";
import { lockDirectory } from "../../src/store/file/database-files.ts";
import { applySettings } from "../../src/store/file/pragmas.ts";

const HOLD_DIRECTORY = join(import.meta.dir, "hold-directory.ts");

let directory: string;
let path: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "rollcall-store-")), "data");
  path = join(directory, "rollcall.db");
});

afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

const settingOf = (database: Database, name: string): unknown =>
  Object.values(database.query(`PRAGMA ${name}`).get() as object)[0];

describe("a data directory", () => {
  test("is created for its owner alone, and so are its files, whatever the umask", () => {
    const umask = process.umask(0);
    try {
      const { database, close } = openDirectory(directory, 0);
      database.run("INSERT INTO applications (slug, created_at) VALUES ('a', 1)");
      expect(modeOf(directory)).toBe("700");
      expect(readdirSync(directory).sort()).toEqual([
        "rollcall.db",
        "rollcall.db-shm",
        "rollcall.db-wal",
        "rollcall.lock",
      ]);
      for (const file of readdirSync(directory)) expect(modeOf(join(directory, file))).toBe("600");
      close();
    } finally {
      process.umask(umask);
    }
  });

  test("a database that others may read is made private when it is opened", () => {
    openDirectory(directory, 0).close();
    chmodSync(path, 0o644);
    openDirectory(directory, 0).close();
    expect(modeOf(path)).toBe("600");
  });

  test("keeps what was written when it is opened again", () => {
    const first = openDirectory(directory, 0);
    first.database.run("INSERT INTO applications (slug, created_at) VALUES ('a', 1)");
    first.close();
    const second = openDirectory(directory, 0);
    expect(second.database.query("SELECT slug FROM applications").all()).toEqual([{ slug: "a" }]);
    second.close();
  });

  test("every commit is synced, keys are enforced, and the log is folded back every 4,000 pages", () => {
    const { database, close } = openDirectory(directory, 0);
    const names = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "wal_autocheckpoint"];
    expect(names.map((name) => settingOf(database, name))).toEqual(["wal", 2, 1, 2_000, 4_000]);
    close();
  });

  test("a new file has pages of 1,024 bytes, and an older one keeps its own", () => {
    const created = openDirectory(directory, 0);
    expect(settingOf(created.database, "page_size")).toBe(1_024);
    created.database.run("PRAGMA journal_mode = DELETE");
    created.database.run("PRAGMA page_size = 4096");
    created.database.run("VACUUM");
    created.close();
    const { database, close } = openDirectory(directory, 0);
    expect(settingOf(database, "page_size")).toBe(4_096);
    close();
  });

  test("a setting that SQLite does not take stops the start", () => {
    const inMemory = new Database(":memory:");
    expect(() => applySettings(inMemory, false)).toThrow(
      "could not set journal_mode to wal for :memory:: it is memory",
    );
  });

  test("a database that another program has locked stops the start", () => {
    openDirectory(directory, 0).close();
    using other = new Database(path);
    other.run("PRAGMA journal_mode = DELETE");
    other.run("BEGIN IMMEDIATE");
    expect(() => openDirectory(directory, 0)).toThrow(`${path} cannot be opened: database is locked`);
  });
});

describe("one process writes", () => {
  test("a second opener is refused with the directory's name and the reason", () => {
    const { close } = openDirectory(directory, 0);
    expect(() => openDirectory(directory, 0)).toThrow(`rollcall already runs on ${directory}`);
    // The refused one must not have taken the lock away with it.
    expect(() => openDirectory(directory, 0)).toThrow("rollcall already runs");
    close();
    openDirectory(directory, 0).close();
  });

  test("a start that failed gives the guard back", () => {
    openDirectory(directory, 0).close();
    writeFileSync(path, "not a database, and longer than a header would be: ".repeat(4));
    expect(() => openDirectory(directory, 0)).toThrow("is not a database");
    lockDirectory(directory)();
  });

  test("a second opener of this process does not give the guard away to others", () => {
    const { close } = openDirectory(directory, 0);
    expect(() => openDirectory(directory, 0)).toThrow("rollcall already runs");
    const other = Bun.spawnSync([process.execPath, HOLD_DIRECTORY, directory]);
    expect(other.exitCode).toBe(1);
    expect(other.stderr.toString()).toContain("rollcall already runs");
    close();
  });

  test("a guard whose file was deleted still keeps others out", () => {
    const { close } = openDirectory(directory, 0);
    rmSync(join(directory, "rollcall.lock"));
    for (let times = 0; times < 2; times++) {
      const other = Bun.spawnSync([process.execPath, HOLD_DIRECTORY, directory]);
      expect(other.exitCode).toBe(1);
      expect(other.stderr.toString()).toContain(`already runs on ${directory}: process ${process.pid} holds`);
    }
    close();
    openDirectory(directory, 0).close();
  });

  test("the guard is held until it is given back, even when nobody keeps what holds it", () => {
    openDirectory(directory, 0);
    Bun.gc(true);
    expect(() => openDirectory(directory, 0)).toThrow("rollcall already runs");
  });

  test("another process is refused, and kill -9 frees the directory", async () => {
    await using held = Bun.spawn([process.execPath, HOLD_DIRECTORY, directory], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const { value } = await held.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("open\n");
    expect(() => openDirectory(directory, 0)).toThrow("rollcall already runs");
    held.kill("SIGKILL");
    await held.exited;
    const { database, close } = openDirectory(directory, 0);
    expect(database.query("SELECT slug FROM applications").all()).toEqual([{ slug: "written-by-the-other" }]);
    close();
  });
});

describe("a file that is not ours", () => {
  /** The file as it is, and what stands beside it. */
  const snapshot = () => ({
    bytes: readFileSync(path).toString("base64"),
    mode: modeOf(path),
    files: readdirSync(directory).sort(),
  });

  test("that is no database is refused and left as it was", () => {
    openDirectory(directory, 0).close();
    for (const content of [
      "short",
      "SQLite format 3\0",
      "SQLite format 3 is what this text begins with. ".repeat(20),
    ]) {
      writeFileSync(path, content);
      chmodSync(path, 0o644);
      const before = snapshot();
      expect(() => openDatabase(path, 0)).toThrow(`${path} is not a database`);
      expect(snapshot()).toEqual(before);
    }
  });

  test("that is another program's database is refused and left as it was", () => {
    openDirectory(directory, 0).close();
    rmSync(path);
    const foreign = new Database(path, { create: true, readwrite: true });
    foreign.run("CREATE TABLE notes (text)");
    foreign.close();
    chmodSync(path, 0o644);
    const before = snapshot();
    expect(() => openDatabase(path, 0)).toThrow(`${path} is a database of another program`);
    expect(snapshot()).toEqual(before);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test("that is a symbolic link is refused, with what to set, and what it leads to is left as it was", () => {
    const elsewhere = `${directory}/elsewhere.db`;
    openDirectory(directory, 0).close();
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    const before = readFileSync(elsewhere).toString("base64");
    expect(() => openDirectory(directory, 0)).toThrow(/is a symbolic link; set storage\.directory/);
    expect(readFileSync(elsewhere).toString("base64")).toBe(before);
  });

  test("ours is known by its application id, which stands in the file's own first page at once", () => {
    const { close } = openDirectory(directory, 0);
    expect(readFileSync(path).subarray(68, 72).toString()).toBe("roll");
    close();
  });
});
