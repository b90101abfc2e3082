// Migrations over real files: from every earlier state, all or nothing, with a copy before, and never backwards.

import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteInteger, SQLiteTable } from "drizzle-orm/sqlite-core";
import { openDatabase } from "../../src/store/file/database.ts";
import { MIGRATIONS, type Migration } from "../../src/store/file/migrations.ts";
import * as schema from "../../src/store/schema.ts";
import * as received from "../../src/store/schema-received.ts";

/** A history as drizzle-kit writes it: the third migration rebuilds a table that another one refers to. */
const HISTORY: readonly Migration[] = [
  {
    name: "0000_initial",
    sql: `CREATE TABLE parents (id integer PRIMARY KEY, name text);
--> statement-breakpoint
CREATE TABLE children (id integer PRIMARY KEY, parent_id integer NOT NULL REFERENCES parents(id) ON DELETE CASCADE);`,
  },
  { name: "0001_ages", sql: "ALTER TABLE parents ADD age integer;" },
  {
    name: "0002_named",
    sql: `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE __new_parents (id integer PRIMARY KEY, name text NOT NULL, age integer);
--> statement-breakpoint
INSERT INTO __new_parents (id, name, age) SELECT id, name, age FROM parents;--> statement-breakpoint
DROP TABLE parents;--> statement-breakpoint
ALTER TABLE __new_parents RENAME TO parents;--> statement-breakpoint
PRAGMA foreign_keys=ON;`,
  },
];

const ORPHANING: Migration = { name: "0003_orphaning", sql: "DELETE FROM parents WHERE id = 1;" };
const BROKEN: Migration = { name: "0003_broken", sql: "CREATE TABLE half (id); INSERT INTO nowhere VALUES (1);" };

const TABLES = Object.values({ ...schema, ...received }).filter((entry) => is(entry, SQLiteTable));

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rollcall-migrations-"));
  path = join(directory, "rollcall.db");
});

afterEach(() => rmSync(directory, { recursive: true }));

const withDatabase = <Answer>(known: readonly Migration[], use: (database: Database) => Answer, at = 0): Answer => {
  const database = openDatabase(path, at, known);
  try {
    return use(database);
  } finally {
    database.close();
  }
};

const fill = (known: readonly Migration[]): void =>
  withDatabase(known, (database) => {
    database.run("INSERT INTO parents (id, name) VALUES (1, 'Ada'), (2, 'Bob')");
    database.run("INSERT INTO children (id, parent_id) VALUES (10, 1), (11, 2), (12, 1)");
  });

const childrenOf = (database: Database): unknown[] =>
  database.query("SELECT c.id, p.name FROM children c JOIN parents p ON p.id = c.parent_id ORDER BY c.id").values();

const appliedTo = (database: Database): unknown[] =>
  database.query("SELECT name, applied_at FROM migrations ORDER BY name").values();

const copies = (): string[] =>
  existsSync(join(directory, "backups")) ? readdirSync(join(directory, "backups")).sort() : [];

/** The tables as SQL, without the backquotes and spaces in which a renamed table differs. */
const schemaOf = (database: Database): unknown[] =>
  database.query("SELECT replace(sql, '\"', '') FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").values();

describe("a fresh database", () => {
  test("gets every migration, with the time at which it was applied, and no copy", () => {
    withDatabase(
      HISTORY,
      (database) => expect(appliedTo(database)).toEqual(HISTORY.map(({ name }) => [name, 1_772_330_400_000])),
      1_772_330_400_000,
    );
    expect(copies()).toEqual([]);
  });

  test("has the executable's own tables and nothing to be done at the next start", () => {
    withDatabase(MIGRATIONS, () => {}, 1);
    withDatabase(
      MIGRATIONS,
      (database) => {
        expect(appliedTo(database)).toEqual(MIGRATIONS.map(({ name }) => [name, 1]));
        expect(database.query("SELECT count(*) FROM monitors").values()).toEqual([[0]]);
      },
      2,
    );
  });

  for (const table of TABLES) {
    const { name, columns, indexes } = getTableConfig(table);
    test(`has the table ${name} as the schema describes it`, () => {
      withDatabase(MIGRATIONS, (database) => {
        const found = database
          .query<{ name: string; type: string; notnull: number }, [string]>("SELECT * FROM pragma_table_info(?)")
          .all(name);
        expect(found.map((column) => [column.name, column.type.toLowerCase(), column.notnull === 1])).toEqual(
          columns.map((column) => [column.name, column.getSQLType(), column.notNull]),
        );
        const sql = database
          .query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE name = ?")
          .get(name)!.sql;
        const counting = columns.some((column) => column instanceof SQLiteInteger && column.autoIncrement);
        expect(sql.includes("AUTOINCREMENT")).toBe(counting);
        const indexNames = database.query("SELECT name FROM pragma_index_list(?)").values(name).flat();
        for (const index of indexes) expect(indexNames).toContain(index.config.name);
      });
    });
  }

  test("an empty file counts as one", () => {
    writeFileSync(path, "");
    withDatabase(HISTORY, (database) => expect(appliedTo(database)).toHaveLength(HISTORY.length));
  });
});

describe("an earlier database", () => {
  for (const [index, { name }] of HISTORY.slice(0, -1).entries()) {
    test(`at ${name} is brought to the present with its rows, also where a table is rebuilt`, () => {
      const expected = withDatabase(HISTORY, schemaOf);
      rmSync(path);
      fill(HISTORY.slice(0, index + 1));
      withDatabase(HISTORY, (database) => {
        expect(childrenOf(database)).toEqual([
          [10, "Ada"],
          [11, "Bob"],
          [12, "Ada"],
        ]);
        expect(appliedTo(database)).toHaveLength(HISTORY.length);
        expect(schemaOf(database)).toEqual(expected);
        expect(database.query("PRAGMA foreign_keys").values()).toEqual([[1]]);
        expect(() => database.run("INSERT INTO children (id, parent_id) VALUES (13, 99)")).toThrow("FOREIGN KEY");
      });
    });
  }

  test("is copied before it is changed: the copy is private, whole and opens with the older executable", () => {
    const older = HISTORY.slice(0, 1);
    fill(older);
    withDatabase(HISTORY, () => {});
    expect(copies()).toEqual(["before-0001_ages.db"]);
    path = join(directory, "backups/before-0001_ages.db");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(withDatabase(older, (copy) => childrenOf(copy))).toEqual([
      [10, "Ada"],
      [11, "Bob"],
      [12, "Ada"],
    ]);
  });

  test("an older copy is never overwritten", () => {
    fill(HISTORY.slice(0, 1));
    const precious = join(directory, "backups/before-0001_ages.db");
    mkdirSync(dirname(precious));
    writeFileSync(precious, "precious");
    withDatabase(HISTORY, () => {});
    expect(readFileSync(precious, "utf8")).toBe("precious");
    expect(copies()).toEqual(["before-0001_ages-2.db", "before-0001_ages.db"]);
  });

  test("the newest three copies stay, and nothing else in the folder of backups goes", () => {
    const backups = join(directory, "backups");
    mkdirSync(backups);
    for (const [place, name] of [
      "before-0007.db",
      "before-0008.db",
      "before-0009.db",
      "rollcall-1.db",
      "mine.db",
    ].entries()) {
      writeFileSync(join(backups, name), "");
      utimesSync(join(backups, name), 1_000 + place, 1_000 + place);
    }
    fill(HISTORY.slice(0, 1));
    withDatabase(HISTORY, () => {});
    expect(copies()).toEqual(["before-0001_ages.db", "before-0008.db", "before-0009.db", "mine.db", "rollcall-1.db"]);
  });

  test("a copy that a crash left half done is made again", () => {
    fill(HISTORY.slice(0, 1));
    mkdirSync(join(directory, "backups"));
    writeFileSync(join(directory, "backups/before-0001_ages.db.partial"), "half");
    withDatabase(HISTORY, () => {});
    expect(copies()).toEqual(["before-0001_ages.db"]);
  });
});

describe("a migration that fails", () => {
  for (const [faulty, reason] of [
    [ORPHANING, "a row of children would refer to a row of parents that is not there"],
    [BROKEN, "no such table: nowhere"],
    [{ name: "0003_ending", sql: "COMMIT; CREATE TABLE half (id);" }, "0003_ending left the transaction"],
  ] as const) {
    test(`(${faulty.name}) says why and leaves no copy behind`, () => {
      fill(HISTORY);
      expect(() => openDatabase(path, 0, [...HISTORY, faulty])).toThrow(reason);
      expect(copies()).toEqual([]);
    });
  }

  for (const faulty of [ORPHANING, BROKEN]) {
    test(`(${faulty.name}) undoes the ones before it too, and the older executable goes on`, () => {
      const older = HISTORY.slice(0, 1);
      fill(older);
      expect(() => openDatabase(path, 0, [...HISTORY, faulty])).toThrow("could not be migrated and was left as it was");
      withDatabase(older, (database) => {
        expect(appliedTo(database)).toEqual([["0000_initial", 0]]);
        expect(childrenOf(database)).toHaveLength(3);
        expect(database.query("SELECT name FROM sqlite_schema WHERE name = 'half'").values()).toEqual([]);
      });
    });
  }
});

describe("a database that another version wrote", () => {
  const OTHER = [HISTORY[0]!, { name: "0001_ages", sql: "ALTER TABLE parents ADD age text;" }];

  for (const [title, written, known, named] of [
    ["a newer one is refused", HISTORY, HISTORY.slice(0, 2), '"0002_named"'],
    ["one with another text under the same name is refused", OTHER, HISTORY, '"0001_ages"'],
    [
      "one with another name in the same place is refused",
      [HISTORY[0]!, { ...HISTORY[1]!, name: "0001_other" }],
      HISTORY,
      '"0001_other"',
    ],
  ] as const) {
    test(`${title} and stays as it is, to the byte`, () => {
      fill(written);
      // As a backup is: setting it up would already change it.
      withDatabase(written, (database) => database.run("PRAGMA journal_mode = DELETE"));
      chmodSync(path, 0o640);
      const before = readFileSync(path);
      expect(() => openDatabase(path, 0, known)).toThrow(named);
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o640);
      expect(readdirSync(directory)).toEqual(["rollcall.db"]);
    });
  }
});
