// One batch in one transaction, on real SQLite: what a refusal, a throw, a full disk and a failed commit leave behind.

import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { runBatch } from "../../src/engine/transaction.ts";
import { damageFirstRows } from "../support/damage.ts";
import { openBareFile } from "../support/database.ts";

let directory: string;
let database: Database;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rollcall-transaction-"));
  database = openBareFile(directory);
  database.run("CREATE TABLE entry (job TEXT NOT NULL, filling TEXT NOT NULL DEFAULT '')");
  database.run("CREATE TABLE parent (id INTEGER PRIMARY KEY)");
  database.run("CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)");
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

const write = (job: string): void => void database.run("INSERT INTO entry (job) VALUES (?)", [job]);

/** What another connection sees: committed rows alone. */
function committed(): string[] {
  using reader = openBareFile(directory);
  return reader
    .query<{ job: string }, []>("SELECT job FROM entry ORDER BY rowid")
    .all()
    .map((row) => row.job);
}

/** A job that is called `refuse` or `throw` does that, the latter after it has written; any other writes its name. */
function apply(job: string): string {
  if (job === "refuse") return "refused";
  write(job);
  if (job === "throw") throw new Error("a defect");
  return `wrote ${job}`;
}

const onThrow = (_job: string, error: unknown): string => `threw ${(error as Error).message}`;

const NO_MEMORY = { memory: { begin: () => () => {}, mark: () => () => {} } };

function expectNothingKept(): void {
  expect(database.inTransaction).toBe(false);
  expect(committed()).toEqual([]);
  expect(runBatch(database, ["next"], apply, onThrow)).toEqual(["wrote next"]);
  expect(committed()).toEqual(["next"]);
}

describe("a batch", () => {
  test("is applied in order, in one transaction, and committed when it returns", () => {
    const seen: string[][] = [];
    const results = runBatch(
      database,
      ["a", "b", "c"],
      (job) => {
        expect(database.inTransaction).toBe(true);
        seen.push(committed());
        return apply(job);
      },
      onThrow,
    );
    expect(results).toEqual(["wrote a", "wrote b", "wrote c"]);
    expect(seen).toEqual([[], [], []]);
    expect(committed()).toEqual(["a", "b", "c"]);
  });

  test("with a refusal in it keeps all the others", () => {
    expect(runBatch(database, ["a", "refuse", "b"], apply, onThrow)).toEqual(["wrote a", "refused", "wrote b"]);
    expect(committed()).toEqual(["a", "b"]);
  });

  test("with a throw in it undoes what that job wrote, reports it once, and keeps all the others", () => {
    const reported: string[] = [];
    const results = runBatch(database, ["a", "throw", "refuse", "b"], apply, (job, error) => {
      reported.push(job);
      return onThrow(job, error);
    });
    expect(results).toEqual(["wrote a", "threw a defect", "refused", "wrote b"]);
    expect(reported).toEqual(["throw"]);
    expect(committed()).toEqual(["a", "b"]);
  });

  test("with a broken constraint in it treats that as a throw of the one job", () => {
    const results = runBatch<string | null, string>(
      database,
      ["a", null, "b"],
      (job) => apply(job as string),
      (_job, error) => (error as Error).message,
    );
    expect(results).toEqual(["wrote a", "NOT NULL constraint failed: entry.job", "wrote b"]);
    expect(committed()).toEqual(["a", "b"]);
  });

  test("of any mixture keeps exactly what the jobs that did not throw wrote", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "refuse", "throw"), { maxLength: 20 }), (jobs) => {
        database.run("DELETE FROM entry");
        const results = runBatch(database, jobs, apply, onThrow);
        const expected = { refuse: "refused", throw: "threw a defect", a: "wrote a", b: "wrote b" };
        expect(results).toEqual(jobs.map((job) => expected[job]));
        expect(committed()).toEqual(jobs.filter((job) => job === "a" || job === "b"));
      }),
      { numRuns: 50 },
    );
  });
});

describe("a batch that meets a damaged page", () => {
  /** Its first rows lie in a page of their own. */
  const fill = (): void => {
    database.run("CREATE TABLE wide (id INTEGER PRIMARY KEY, filling TEXT NOT NULL)");
    for (let id = 1; id <= 20; id++) database.run("INSERT INTO wide VALUES (?, ?)", [id, "x".repeat(2_000)]);
  };

  /** A job that is called `damaged` writes, and then reads it. */
  const applyThere = (job: string): string => {
    const result = apply(job);
    if (job === "damaged") database.query("SELECT filling FROM wide WHERE id = 1").get();
    return result;
  };

  test("undoes the jobs that read it, reports each once, and keeps all the others", () => {
    fill();
    const repair = damageFirstRows(database, "wide");
    const reported: string[] = [];
    const jobs = ["a", "damaged", "b", "throw", "damaged", "c", "throw", "refuse"];
    const results = runBatch(database, jobs, applyThere, (job, error) => {
      reported.push(`${job}: ${(error as Error).message}`);
      return `${job} failed`;
    });
    const [damaged, thrown] = ["damaged failed", "throw failed"];
    expect(results).toEqual(["wrote a", damaged, "wrote b", thrown, damaged, "wrote c", thrown, "refused"]);
    expect(committed()).toEqual(["a", "b", "c"]);
    const malformed = "damaged: database disk image is malformed";
    expect(reported.sort()).toEqual([malformed, malformed, "throw: a defect", "throw: a defect"]);
    repair();
    expect(runBatch(database, ["damaged"], applyThere, onThrow)).toEqual(["wrote damaged"]);
  });

  test("fails as a whole when very many read it", () => {
    fill();
    damageFirstRows(database, "wide");
    const jobs = ["a", ...Array.from({ length: 40 }, () => "damaged")];
    expect(() => runBatch(database, jobs, applyThere, onThrow)).toThrow("malformed");
    expectNothingKept();
  });

  test("is repeated when what comes after the jobs reads it and has learned from that", () => {
    fill();
    damageFirstRows(database, "wide");
    let knows = false;
    const last = (): void => {
      if (knows) return;
      knows = true;
      database.query("SELECT filling FROM wide WHERE id = 1").get();
    };
    const around = { ...NO_MEMORY, first: () => {}, last };
    expect(runBatch(database, ["a", "b"], apply, onThrow, around)).toEqual(["wrote a", "wrote b"]);
    expect(committed()).toEqual(["a", "b"]);
  });
});

describe("a failed commit throws and keeps nothing", () => {
  test("when a deferred constraint breaks at the commit", () => {
    const orphan = (job: string): string => {
      if (job === "orphan") database.run("INSERT INTO child (parent) VALUES (7)");
      return apply(job);
    };
    expect(() => runBatch(database, ["a", "orphan", "b"], orphan, onThrow)).toThrow("FOREIGN KEY constraint failed");
    expectNothingKept();
  });

  test("when another connection holds the write lock", () => {
    using other = openBareFile(directory);
    other.run("BEGIN IMMEDIATE");
    expect(() => runBatch(database, ["a"], apply, onThrow)).toThrow("database is locked");
    other.run("ROLLBACK");
    expectNothingKept();
  });

  test("when SQLite ends the transaction in the middle of it, as it does after an I/O error", () => {
    const conflict = (job: string): string => {
      // Ends the transaction in the same way, on a disk that works.
      if (job === "conflict") database.run("INSERT OR ROLLBACK INTO parent VALUES (1), (1)");
      return apply(job);
    };
    for (const before of ["a", "throw"])
      expect(() => runBatch(database, [before, "conflict", "b"], conflict, onThrow)).toThrow("UNIQUE constraint");
    expectNothingKept();
  });

  test("inside an open transaction, which stays as it is", () => {
    database.run("BEGIN IMMEDIATE");
    write("outer");
    expect(() => runBatch(database, ["a"], apply, onThrow)).toThrow("cannot start a transaction");
    expect(database.inTransaction).toBe(true);
    database.run("COMMIT");
    expect(committed()).toEqual(["outer"]);
  });

  describe("when the disk is full", () => {
    const never = (): string => {
      throw new Error("a full disk is no job's own failure");
    };
    const FILLING = "hex(zeroblob(1000000))";
    /** Whether the transaction was still open after each statement that found the disk full. */
    let openAfterFull: boolean[];

    function applyOrFill(job: string): string {
      try {
        if (job === "fill by one row") database.run(`INSERT INTO entry VALUES ('full', ${FILLING})`);
        if (job === "fill by rows") database.run(`INSERT INTO entry SELECT 'full', ${FILLING} FROM entry`);
      } catch (error) {
        openAfterFull.push(database.inTransaction);
        throw error;
      }
      return apply(job);
    }

    beforeEach(() => {
      openAfterFull = [];
      database.run("PRAGMA max_page_count = 20");
    });

    test("and SQLite has ended the transaction", () => {
      expect(() => runBatch(database, ["a", "fill by one row", "b"], applyOrFill, never)).toThrow("disk is full");
      expect(openAfterFull).toEqual([false]);
      expectNothingKept();
    });

    test("and SQLite has undone the statement alone", () => {
      expect(() => runBatch(database, ["a", "fill by rows", "b"], applyOrFill, never)).toThrow("disk is full");
      expect(openAfterFull).toEqual([true]);
      expectNothingKept();
    });

    test("and a job before that threw", () => {
      for (const full of ["fill by one row", "fill by rows"]) {
        expect(() => runBatch(database, ["a", "throw", full, "b"], applyOrFill, onThrow)).toThrow("disk is full");
        expect(committed()).toEqual([]);
      }
      expectNothingKept();
    });

    test("and the job swallows the error", () => {
      const swallow = (job: string): string => {
        try {
          return applyOrFill(job);
        } catch {
          return "swallowed";
        }
      };
      expect(() => runBatch(database, ["a", "fill by one row", "b"], swallow, never)).toThrow(
        "in the middle of a batch",
      );
      expectNothingKept();
    });
  });
});
