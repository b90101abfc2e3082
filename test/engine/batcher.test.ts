// Group commit on real SQLite: who shares a transaction, when it is answered, and what a failed commit answers.

import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBatcher } from "../../src/engine/intake/batcher.ts";
import { runBatch } from "../../src/engine/transaction.ts";
import { openBareFile } from "../support/database.ts";

let directory: string;
let database: Database;
/** The jobs of each transaction that was begun. */
let batches: string[][];
/** Ends of turns that were asked for and have not come. */
let turns: (() => void)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rollcall-batcher-"));
  database = openBareFile(directory);
  database.run("CREATE TABLE parent (id INTEGER PRIMARY KEY)");
  database.run("CREATE TABLE entry (job TEXT, parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)");
  batches = [];
  turns = [];
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

/** What another connection sees: committed rows alone. */
function committed(): string[] {
  using reader = openBareFile(directory);
  return reader
    .query<{ job: string }, []>("SELECT job FROM entry ORDER BY rowid")
    .all()
    .map((row) => row.job);
}

interface Setup {
  limit?: number;
  schedule?: (run: () => void) => void;
  duringCommit?: (job: string) => void;
}

/** A batcher whose jobs write their name; `orphan` breaks the commit, `refuse` and `throw` do as they are called. */
function create({ limit = 100, schedule = (run) => turns.push(run), duringCommit = () => {} }: Setup = {}) {
  const apply = (job: string): string => {
    duringCommit(job);
    if (job === "refuse") return "refused";
    database.run("INSERT INTO entry VALUES (?, ?)", [job, job === "orphan" ? 7 : null]);
    if (job === "throw") throw new Error("a defect");
    return `wrote ${job}`;
  };
  return createBatcher<string, string>({
    commit: (jobs) => {
      batches.push([...jobs]);
      return runBatch(database, jobs, apply, () => "threw");
    },
    failed: (jobs) => `not kept: ${jobs.join(" ")}`,
    schedule,
    limit,
  });
}

const submitAll = (batcher: ReturnType<typeof createBatcher<string, string>>, jobs: string[]): Promise<string[]> =>
  Promise.all(jobs.map((job) => batcher.submit(job)));

const endTurn = (): void => {
  for (const run of turns.splice(0)) run();
};

describe("one turn of the event loop", () => {
  test("commits what arrived in it together and answers in order", async () => {
    const batcher = create({ schedule: setImmediate });
    const answers = submitAll(batcher, ["a", "refuse", "throw", "b"]);
    expect(await answers).toEqual(["wrote a", "refused", "threw", "wrote b"]);
    expect(batches).toEqual([["a", "refuse", "throw", "b"]]);
    expect(committed()).toEqual(["a", "b"]);
  });

  test("includes what its microtasks submit", async () => {
    const batcher = create({ schedule: setImmediate });
    const first = batcher.submit("a");
    await Promise.resolve();
    await Promise.all([first, batcher.submit("b")]);
    expect(batches).toEqual([["a", "b"]]);
  });

  test("answers nobody before the commit", async () => {
    const batcher = create();
    const seen: string[][] = [];
    const answered = batcher.submit("a").then(() => seen.push(committed()));
    await Promise.resolve();
    expect([seen, batches, committed(), batcher.waiting]).toEqual([[], [], [], 1]);
    endTurn();
    await answered;
    expect(seen).toEqual([["a"]]);
    expect(batcher.waiting).toBe(0);
  });

  test("is asked for once, and again by the next job after it", async () => {
    const batcher = create();
    const both = submitAll(batcher, ["a", "b"]);
    expect(turns).toHaveLength(1);
    endTurn();
    expect(turns).toHaveLength(0);
    const third = batcher.submit("c");
    expect(turns).toHaveLength(1);
    endTurn();
    expect([await both, await third]).toEqual([["wrote a", "wrote b"], "wrote c"]);
    expect(batches).toEqual([["a", "b"], ["c"]]);
  });

  test("commits at most the limit and leaves the rest to the turns after it", async () => {
    const batcher = create({ limit: 2 });
    const answers = submitAll(batcher, ["a", "b", "c", "d", "e"]);
    const left = [];
    for (let turn = 1; turn <= 3; turn++) {
      endTurn();
      left.push(batcher.waiting);
    }
    expect(left).toEqual([3, 1, 0]);
    expect(turns).toHaveLength(0);
    expect(batches).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(await answers).toEqual(["wrote a", "wrote b", "wrote c", "wrote d", "wrote e"]);
  });

  test("leaves what is submitted while it commits to the next", async () => {
    const late: Promise<string>[] = [];
    const batcher = create({ duringCommit: (job) => job === "a" && late.push(batcher.submit("late")) });
    const answers = submitAll(batcher, ["a", "b"]);
    endTurn();
    expect(batches).toEqual([["a", "b"]]);
    expect(batcher.waiting).toBe(1);
    endTurn();
    expect(batches).toEqual([["a", "b"], ["late"]]);
    expect(await answers).toEqual(["wrote a", "wrote b"]);
    expect(await Promise.all(late)).toEqual(["wrote late"]);
  });
});

describe("R19: a flush", () => {
  test("commits all that waits before it returns, within the limit per transaction", async () => {
    const batcher = create({ limit: 2 });
    const answers = submitAll(batcher, ["a", "b", "c"]);
    batcher.flush();
    expect(committed()).toEqual(["a", "b", "c"]);
    expect(batches).toEqual([["a", "b"], ["c"]]);
    expect(batcher.waiting).toBe(0);
    expect(await answers).toEqual(["wrote a", "wrote b", "wrote c"]);
  });

  test("with nothing waiting begins no transaction, nor does the turn it came in", () => {
    const batcher = create();
    batcher.flush();
    void batcher.submit("a");
    batcher.flush();
    endTurn();
    batcher.flush();
    expect(batches).toEqual([["a"]]);
  });

  test("leaves what is submitted after it to the same turn", async () => {
    const batcher = create();
    void batcher.submit("a");
    batcher.flush();
    const later = batcher.submit("b");
    expect(turns).toHaveLength(1);
    endTurn();
    expect(await later).toBe("wrote b");
    expect(batches).toEqual([["a"], ["b"]]);
  });
});

describe("a failed commit", () => {
  test("answers the whole batch alike, keeps nothing and spoils no other batch", async () => {
    const batcher = create({ limit: 3 });
    const answers = submitAll(batcher, ["a", "orphan", "refuse", "b"]);
    endTurn();
    expect(committed()).toEqual([]);
    endTurn();
    const failed = "not kept: a orphan refuse";
    expect(await answers).toEqual([failed, failed, failed, "wrote b"]);
    expect(committed()).toEqual(["b"]);
  });
});
