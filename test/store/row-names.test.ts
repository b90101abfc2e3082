// Names of rows: memory and a table of names together always find the newest row of a name, whatever has followed, was
// taken back, was deleted, or was lost with the process. The names of runs stand for all; those of answers beside them.

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { startedRun } from "../../src/domain/monitor/run.ts";
import { DAY } from "../../src/domain/time.ts";
import { openDatabase } from "../../src/store/file/database.ts";
import { MIGRATIONS } from "../../src/store/file/migrations.ts";
import { type RowNames, rowNameHash } from "../../src/store/memory/row-names.ts";
import { idempotencyRows, receiptNames } from "../../src/store/pings.ts";
import { NO_RUNS, type RunRows, runNames, runRows } from "../../src/store/runs.ts";
import { openStore } from "../../src/store/store.ts";
import { openTestDatabase } from "../support/database.ts";
import { propertyRuns } from "../support/property-runs.ts";

const MONITORS = [1, 2];
const NAMES = ["a", "b", "c", "d", "e", null];
/** So few that names follow within a case. */
const SHORT = { noted: 4, between: 2, hashOf: rowNameHash };
/** Several names share a hash. */
const ALIKE = { ...SHORT, hashOf: (monitorId: number, runId: string) => (5 * monitorId + runId.charCodeAt(0)) % 8 };

interface Opened {
  readonly names: RowNames;
  readonly runs: RunRows;
}

function open(database: Database, limits = SHORT): Opened {
  const names = runNames(database, limits);
  return { names, runs: runRows(database, names) };
}

type Change =
  | { readonly do: "begin"; readonly monitorId: number; readonly runId: string | null }
  | { readonly do: "delete newest" }
  | { readonly do: "all follow" };

interface Part {
  readonly changes: readonly Change[];
  readonly fails: boolean;
}

/** A transaction of parts with a savepoint each; or the process ends. */
type Step =
  | { readonly do: "transaction"; readonly parts: readonly Part[]; readonly fails: boolean }
  | { readonly do: "crash" };

const seldom = fc.nat(4).map((chance) => chance === 0);
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("begin" as const),
      monitorId: fc.constantFrom(...MONITORS),
      runId: fc.constantFrom(...NAMES),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "delete newest" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "all follow" as const }) },
);
const anyPart = fc.record({ changes: fc.array(anyChange, { maxLength: 4, size: "max" }), fails: seldom });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("transaction" as const),
      parts: fc.array(anyPart, { maxLength: 3, size: "max" }),
      fails: seldom,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) },
);

/** All of the monitor whose run is the newest, as when it is deleted. SQLite gives their ids again. */
const DELETE_NEWEST = "DELETE FROM runs WHERE monitor_id = (SELECT monitor_id FROM runs ORDER BY id DESC LIMIT 1)";

let number = 0;

function change(database: Database, { names, runs }: Opened, step: Change): void {
  if (step.do === "all follow") return names.writeBehindAll();
  if (step.do === "delete newest") return void database.run(DELETE_NEWEST);
  number += 1;
  runs.save(step.monitorId, NO_RUNS, [startedRun(number, { runId: step.runId, attempt: null }, 0, 0)], new Set());
}

/** What each name finds, and what a search through all runs finds. */
function found(database: Database, { runs }: Opened) {
  const search = database.query<{ number: number | null }, [number, string]>(
    "SELECT number FROM runs WHERE monitor_id = ? AND run_id = ? ORDER BY id DESC LIMIT 1",
  );
  const all = MONITORS.flatMap((monitorId) => NAMES.flatMap((name) => (name === null ? [] : [{ monitorId, name }])));
  return {
    byName: all.map(({ monitorId, name }) => [...runs.load(monitorId, 0, name).keys()][0] ?? null),
    bySearch: all.map(({ monitorId, name }) => search.get(monitorId, name)?.number ?? null),
  };
}

test("R22: the newest run of a name is found, after every rollback and every crash", () => {
  using database = openTestDatabase();
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 5, maxLength: 30, size: "max" }), (steps) => {
      // A case that failed may have left one open.
      if (database.inTransaction) database.run("ROLLBACK");
      for (const table of ["runs", "run_names"]) database.run(`DELETE FROM ${table}`);
      database.run("UPDATE run_names_kept SET up_to = 0");
      let opened = open(database, ALIKE);
      const holds = () => {
        const { byName, bySearch } = found(database, opened);
        expect(byName).toEqual(bySearch);
      };
      for (const step of steps) {
        if (step.do === "crash") opened = open(database, ALIKE);
        else {
          database.run("BEGIN");
          const takeBack = opened.names.memory.begin();
          for (const part of step.parts) {
            database.run("SAVEPOINT part");
            const takeBackPart = opened.names.memory.mark();
            for (const each of part.changes) change(database, opened, each);
            if (part.fails) {
              takeBackPart();
              database.run("ROLLBACK TO part");
            }
            database.run("RELEASE part");
            holds();
          }
          opened.names.memory.end();
          if (step.fails) takeBack();
          database.run(step.fails ? "ROLLBACK" : "COMMIT");
        }
        holds();
      }
      // A process that begins here has only the file.
      opened = open(database, ALIKE);
      holds();
    }),
    propertyRuns(100),
  );
});

test("R22: a name's number, which files have, is the beginning of its SHA-256", () => {
  const digestOf = (text: string) => createHash("sha256").update(text).digest().readUIntBE(0, 6);
  for (const name of ["a", "run-1", "ä€😀", "x".repeat(255)]) expect(rowNameHash(7, name)).toBe(digestOf(`7/${name}`));
});

const count = (database: Database, table: string): number =>
  database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()!.rows;

describe("names follow", () => {
  function begun(count: number, limits = SHORT) {
    const database = openTestDatabase();
    const opened = open(database, limits);
    for (let index = 1; index <= count; index += 1) {
      opened.runs.save(1, NO_RUNS, [startedRun(index, { runId: `run-${index}`, attempt: null }, 0, 0)], new Set());
      opened.names.memory.end();
    }
    return { database, ...opened };
  }

  test("once many runs have begun, and few are behind under any number of them", () => {
    const { database } = begun(1_000);
    expect(count(database, "run_names")).toBeGreaterThan(1_000 - 4 * SHORT.noted);
    const { upTo } = database.query<{ upTo: number }, []>("SELECT up_to AS upTo FROM run_names_kept").get()!;
    expect(upTo).toBeGreaterThan(1_000 - 4 * SHORT.noted);
  });

  test("in pieces, however slowly runs begin", () => {
    const limits = { ...SHORT, noted: 30, between: 10 };
    const written = [29, 30, 39, 40].map((runs) => {
      const { database } = begun(runs, limits);
      return [count(database, "run_names"), database.query("SELECT up_to FROM run_names_kept").values()[0]![0]];
    });
    expect(written).toEqual([
      [0, 0],
      [20, 0],
      [20, 0],
      [30, 30],
    ]);
  });

  const begin = ({ runs, names }: Opened, first: number, last: number): void => {
    for (let index = first; index <= last; index += 1) {
      runs.save(1, NO_RUNS, [startedRun(index, { runId: `run-${index}`, attempt: null }, 0, 0)], new Set());
      names.memory.end();
    }
  };
  /** Of these runs, those that a process finds that begins here. */
  const foundAfterCrash = (database: Database, first: number, last: number): (number | undefined)[] => {
    const { runs } = open(database);
    return Array.from({ length: last - first + 1 }, (_, place) => [
      ...runs.load(1, 0, `run-${first + place}`).keys(),
    ]).map(([found]) => found);
  };
  const numbers = (first: number, last: number): number[] =>
    Array.from({ length: last - first + 1 }, (_, place) => first + place);

  test("R22: a run that gets the number of a deleted one meanwhile is found after a crash", () => {
    const opened = begun(30, { ...SHORT, noted: 30, between: 10 });
    opened.database.run("DELETE FROM runs");
    begin(opened, 31, 40);
    expect(foundAfterCrash(opened.database, 31, 40)).toEqual(numbers(31, 40));
  });

  test("R22: what a failed commit wrote of them is written once more", () => {
    const opened = begun(30, { ...SHORT, noted: 30, between: 5 });
    const { database, names } = opened;
    database.run("BEGIN");
    const takeBack = names.memory.begin();
    begin(opened, 31, 35);
    takeBack();
    database.run("ROLLBACK");
    begin(opened, 31, 45);
    expect(foundAfterCrash(database, 1, 45)).toEqual(numbers(1, 45));
  });

  test("runs without a name are passed, so that a start after a crash does not read them", () => {
    const database = openTestDatabase();
    const { names, runs } = open(database);
    for (let index = 1; index <= 100; index += 1) {
      runs.save(1, NO_RUNS, [startedRun(index, { runId: null, attempt: null }, 0, 0)], new Set());
      names.memory.end();
    }
    const { upTo } = database.query<{ upTo: number }, []>("SELECT up_to AS upTo FROM run_names_kept").get()!;
    expect([count(database, "run_names"), upTo > 90]).toEqual([0, true]);
  });
});

describe("after an update", () => {
  test("runs of before are found by their names", () => {
    const directory = mkdtempSync(join(tmpdir(), "rollcall-names-"));
    const path = join(directory, "rollcall.db");
    try {
      openDatabase(
        path,
        1,
        MIGRATIONS.slice(
          0,
          MIGRATIONS.findIndex(({ name }) => name.endsWith("run_names")),
        ),
      ).close();
      const old = new Database(path, { strict: true });
      old.run(`INSERT INTO runs (id, monitor_id, number, run_id, state, started_at, legacy, matters)
        VALUES (3, 7, 1, 'nightly', 'ended', 5, 0, 0), (4, 7, 2, NULL, 'ended', 6, 0, 0), (9, 8, 1, 'nightly', 'ended', 7, 0, 0)`);
      old.close();
      using database = openDatabase(path, 2);
      const { runs } = openStore(database);
      expect([...runs.load(7, 0, "nightly").values()]).toMatchObject([{ id: 3 }]);
      expect([...runs.load(8, 0, "nightly").values()]).toMatchObject([{ id: 9 }]);
      // So few may be noted that the table gets them at once.
      expect([
        ...open(database, { ...SHORT, noted: 2, between: 1 })
          .runs.load(8, 0, "nightly")
          .values(),
      ]).toMatchObject([{ id: 9 }]);
      expect(count(database, "run_names")).toBe(2);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("deleting names", () => {
  const NOW = 100 * DAY;

  function pass(names: RowNames, now: number): number {
    let deleted = 0;
    for (let after: number | null = 0; after !== null; ) {
      const piece = names.prune(now - 7 * DAY, after, 2);
      deleted += piece.deleted;
      after = piece.after;
    }
    return deleted;
  }

  test("once a week those of runs that were over at the pass before, and have been for a week", () => {
    const database = openTestDatabase();
    const { names, runs } = open(database);
    const begin = (name: string, startedAt: number, endedAt: number | null) => {
      number += 1;
      const run = startedRun(number, { runId: name, attempt: null }, startedAt, startedAt);
      const ended = endedAt === null ? run : { ...run, state: "ended" as const, endedAt };
      runs.save(1, NO_RUNS, [ended], new Set(endedAt === null ? [number] : []));
    };
    const isFound = (name: string): boolean => names.find(1, name, () => true) !== null;
    begin("old", NOW - 20 * DAY, NOW - 20 * DAY);
    begin("ended late", NOW - 20 * DAY, NOW);
    begin("open", NOW - 20 * DAY, null);
    names.writeBehindAll();
    expect(pass(names, NOW)).toBe(0);
    begin("later", NOW, NOW);
    names.writeBehindAll();
    expect(pass(names, NOW + 6 * DAY)).toBe(0);
    expect(pass(names, NOW + 7 * DAY - 1)).toBe(0);
    expect(isFound("old")).toBe(true);
    expect(pass(names, NOW + 7 * DAY)).toBe(1);
    expect(["old", "ended late", "open", "later"].map(isFound)).toEqual([false, true, true, true]);
    expect(pass(names, NOW + 14 * DAY)).toBe(2);
    expect(["ended late", "open", "later"].map(isFound)).toEqual([false, true, false]);
  });
});

describe("keys of answers", () => {
  const open = (database: Database, limits = SHORT) => {
    const names = receiptNames(database, limits);
    return { names, answers: idempotencyRows(database, names) };
  };

  test("R11: each finds its monitor's newest answer, noted or in the table, also after a crash", () => {
    const database = openTestDatabase();
    const { names, answers } = open(database, ALIKE);
    const newest = new Map<string, string>();
    const hold = (opened: typeof answers): void => {
      for (const [of, answer] of newest) {
        const [monitorId, key] = of.split(" ");
        expect([of, opened.recall(Number(monitorId), key!, 0)]).toEqual([of, answer]);
      }
    };
    for (let count = 0; count < 60; count += 1) {
      const [monitorId, key, answer] = [1 + (count % 2), String.fromCharCode(97 + (count % 7)), `answer ${count}`];
      answers.keep({ monitorId, key, at: count, answer });
      names.memory.end();
      newest.set(`${monitorId} ${key}`, answer);
      hold(answers);
      hold(open(database, ALIKE).answers);
    }
    expect(answers.recall(1, "never sent", 0)).toBeNull();
    expect(answers.recall(1, "c", 59)).toBeNull();
  });

  test("R11: answers of a version that had an index are found by their keys", () => {
    const directory = mkdtempSync(join(tmpdir(), "rollcall-keys-"));
    const path = join(directory, "rollcall.db");
    try {
      const before = MIGRATIONS.findIndex(({ name }) => name.endsWith("answer_names"));
      openDatabase(path, 1, MIGRATIONS.slice(0, before)).close();
      const old = new Database(path, { strict: true });
      old.run(`INSERT INTO idempotency_answers (id, monitor_id, key, at, answer)
        VALUES (3, 7, 'a', 5, 'of 7'), (9, 8, 'a', 6, 'of 8'), (10, 8, 'b', 7, 'b of 8')`);
      old.close();
      using database = openDatabase(path, 2);
      const recalled = ({ idempotency }: Pick<ReturnType<typeof openStore>, "idempotency">) =>
        (
          [
            [7, "a"],
            [8, "a"],
            [8, "b"],
            [7, "b"],
          ] as const
        ).map(([id, key]) => idempotency.recall(id, key, 0));
      const all = ["of 7", "of 8", "b of 8", null];
      expect(recalled(openStore(database))).toEqual(all);
      // So few may be noted that the table gets them at once.
      expect(recalled({ idempotency: open(database, { ...SHORT, noted: 2 }).answers })).toEqual(all);
      expect(count(database, "answer_names")).toBe(2);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("those of old answers are deleted once a week", () => {
    const NOW = 100 * DAY;
    const { names, answers } = open(openTestDatabase());
    const keep = (key: string, at: number) => answers.keep({ monitorId: 1, key, at, answer: key });
    const prune = (now: number): number => names.prune(now - 7 * DAY, 0, 100).deleted;
    const isFound = (key: string): boolean => names.find(1, key, () => true) !== null;
    keep("old", NOW - 8 * DAY);
    keep("young", NOW);
    names.writeBehindAll();
    expect([prune(NOW), prune(NOW + 7 * DAY - 1), prune(NOW + 7 * DAY)]).toEqual([0, 0, 1]);
    expect(["old", "young"].map(isFound)).toEqual([false, true]);
    expect(answers.recall(1, "young", NOW)).toBe("young");
  });
});

test("a name's hash stays what it is, because the database keeps it", () => {
  expect(rowNameHash(7, "nightly")).toBe(
    Number.parseInt(new Bun.CryptoHasher("sha256").update("7/nightly").digest("hex").slice(0, 12), 16),
  );
});
