// Runs as rows: those that matter are found without a name, the others by their run_id alone.

import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isOpen, type Run, startedRun } from "../../src/domain/monitor/run.ts";
import { NO_RUNS, runRows, type StoredRuns } from "../../src/store/runs.ts";
import type { Store } from "../../src/store/store.ts";
import { openTestStore } from "../support/database.ts";
import { propertyRuns } from "../support/property-runs.ts";

const MONITOR = 7;

const seldom = fc.nat(4).map((chance) => chance === 0);

let store: Store;

beforeEach(() => {
  store = openTestStore();
});

const started = (number: number, runId: string | null): Run =>
  startedRun(number, { runId, attempt: null }, 1_000 * number, 1_000 * number + 500);

const save = (stored: StoredRuns, after: readonly Run[], ...matters: number[]): StoredRuns =>
  store.runs.save(MONITOR, stored, after, new Set(matters));

const countOf = (monitorId: number): number =>
  store.database
    .query<{ n: number }, [number]>("SELECT count(*) AS n FROM runs WHERE monitor_id = ? AND matters = 1")
    .get(monitorId)!.n;

const load = (runId: string | null): StoredRuns => store.runs.load(MONITOR, countOf(MONITOR), runId);

const runsOf = (stored: StoredRuns): Run[] => [...stored.values()].map(({ run }) => run);

const changes = (): number => store.database.query<{ n: number }, []>("SELECT total_changes() AS n").get()!.n;

describe("loading", () => {
  test("finds the runs that matter, ascending by number, and no other monitor's", () => {
    const runs = [started(1, "a"), started(2, null), started(3, null)];
    const stored = save(NO_RUNS, runs, 1, 3);
    store.runs.save(MONITOR + 1, NO_RUNS, [started(1, "a")], new Set([1]));
    expect(runsOf(load(null))).toEqual([runs[0]!, runs[2]!]);
    expect(load(null).get(3)).toEqual(stored.get(3)!);
  });

  test("R22: finds the newest run of the run_id that is named, beside those that matter, once", () => {
    const runs = [started(1, "a"), started(2, "a"), started(3, "b"), started(4, null)];
    save(NO_RUNS, runs, 4);
    expect(runsOf(load("a"))).toEqual([runs[1]!, runs[3]!]);
    expect(runsOf(load("unknown"))).toEqual([runs[3]!]);
    save(load("b"), runsOf(load("b")), 3, 4);
    expect(runsOf(load("b"))).toEqual([runs[2]!, runs[3]!]);
  });
});

describe("saving", () => {
  test("writes what changed and nothing else", () => {
    const [one, two] = [started(1, null), started(2, null)];
    const stored = save(NO_RUNS, [one, two], 1, 2);
    const before = changes();
    expect(save(stored, [one, two], 1, 2)).toEqual(stored);
    expect(changes()).toBe(before);
    const ended: Run = { ...two, state: "ended", endedAt: 9_000, endedBy: "complete", durationSeconds: 7 };
    save(stored, [one, ended], 1, 2);
    expect(changes()).toBe(before + 1);
    expect(runsOf(load(null))).toEqual([one, ended]);
  });

  test("a run that no longer matters is unmarked, though it did not change itself", () => {
    const one = started(1, "a");
    const stored = save(NO_RUNS, [one], 1);
    expect(save(stored, [one]).get(1)?.matters).toBe(false);
    expect(load(null).size).toBe(0);
    expect(runsOf(load("a"))).toEqual([one]);
  });
});

describe("what is remembered", () => {
  /** Of a monitor two runs begin, or its oldest open one ends. */
  const anyChange = fc.record({ monitorId: fc.constantFrom(1, 2, 3), ends: fc.boolean() });
  const anyPart = fc.record({ changes: fc.array(anyChange, { maxLength: 4, size: "max" }), fails: seldom });
  const anyTransaction = fc.record({ parts: fc.array(anyPart, { maxLength: 3, size: "max" }), fails: seldom });

  test("is what the file has, after every rollback, also where few are remembered", () => {
    fc.assert(
      fc.property(
        fc.array(anyTransaction, { maxLength: 20, size: "max" }),
        fc.constantFrom(1, 2, 100),
        (steps, most) => {
          store = openTestStore();
          const { database, runNames } = store;
          const runs = runRows(database, runNames, most);
          let number = 0;
          const change = ({ monitorId, ends }: { monitorId: number; ends: boolean }): void => {
            const stored = runs.load(monitorId, countOf(monitorId), null);
            const [oldest] = runsOf(stored);
            const fresh = ends ? [] : [0, 1].map(() => started(++number, `run-${number}`)).toReversed();
            const ended = oldest === undefined || !ends ? [] : [{ ...oldest, state: "ended", endedAt: 9_000 } as const];
            // The newest first, though the file has them in the order of their numbers.
            const after = [...fresh, ...ended, ...runsOf(stored).slice(ended.length).toReversed()];
            runs.save(monitorId, stored, after, new Set(after.filter(isOpen).map((run) => run.number)));
          };
          const holds = (): void => {
            const fromFile = runRows(database, runNames);
            for (const monitorId of [1, 2, 3]) {
              const count = countOf(monitorId);
              for (const runId of [null, `run-${number}`])
                expect([...runs.load(monitorId, count, runId)]).toEqual([...fromFile.load(monitorId, count, runId)]);
            }
          };
          for (const { parts, fails } of steps) {
            database.run("BEGIN");
            const memories = [runNames.memory, runs.memory];
            const takeBack = memories.map((memory) => memory.begin());
            for (const part of parts) {
              database.run("SAVEPOINT part");
              const takeBackPart = memories.map((memory) => memory.mark());
              for (const each of part.changes) change(each);
              if (part.fails) {
                for (const undo of takeBackPart) undo();
                database.run("ROLLBACK TO part");
              }
              database.run("RELEASE part");
              holds();
            }
            if (fails) for (const undo of takeBack) undo();
            database.run(fails ? "ROLLBACK" : "COMMIT");
            holds();
          }
        },
      ),
      propertyRuns(40),
    );
  });
});

describe("retention", () => {
  const BEFORE = 1_000_000;

  function monitorWithRuns(count: number): void {
    store.database.run("INSERT INTO applications (id, slug, created_at) VALUES (1, 'a', 0)");
    const runs = Array.from(
      { length: count },
      (_, index): Run => ({ ...started(index + 1, null), state: "unfinished" }),
    );
    save(NO_RUNS, runs, 1);
    store.database.run(
      `INSERT INTO monitor_states (monitor_id, changed_at, misses, failures, warned, paused_manually,
         paused_by_discovery, paused_by_plan, hushed, run_count, runs_that_matter, incident_count, ping_count)
       VALUES (?, 0, 0, 0, 0, 0, 0, 0, 0, ?, 1, 0, 0)`,
      [MONITOR, count],
    );
  }

  const numbers = (): number[] =>
    store.database
      .query<{ number: number }, []>("SELECT number FROM runs ORDER BY id")
      .all()
      .map(({ number }) => number);

  test("deletes old runs, but not those that matter nor a monitor's last 20", () => {
    monitorWithRuns(50);
    expect(store.runs.prune(BEFORE, 0, 1_000)).toEqual({ deleted: 29, after: null });
    expect(numbers()).toEqual([1, ...Array.from({ length: 20 }, (_, index) => 31 + index)]);
  });

  test("leaves a run that ended later than the time given", () => {
    monitorWithRuns(50);
    const run = 5;
    store.database.run("UPDATE runs SET ended_at = ? WHERE number = ?", [BEFORE, run]);
    store.runs.prune(BEFORE, 0, 1_000);
    expect(numbers().slice(0, 2)).toEqual([1, run]);
  });
});
