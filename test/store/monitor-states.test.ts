// The newest facts of monitors: own rows and the state log together always say what was saved last, whatever followed,
// was taken back, or was lost with the process.

import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { type MonitorStates, monitorStateRows } from "../../src/store/memory/monitor-states.ts";
import { packedStates } from "../../src/store/memory/packed-states.ts";
import { loggedFactsIn } from "../../src/store/memory/state-log.ts";
import { NO_HEADS, type StateRow, toState } from "../../src/store/monitor-state.ts";
import { openTestDatabase } from "../support/database.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { PLAIN_WATCH } from "../support/watch.ts";

const MONITORS = 5;
const IDS = Array.from({ length: MONITORS }, (_, index) => index + 1);
/** So short that own rows follow within a case. */
const SHORT_LOG = 6;

const { watch: _, ...FACTS } = newMonitor(PLAIN_WATCH, 1_000);

/** Fewer than monitors: some share one. */
const PLACES = 7;

/** What makes a monitor's facts more than numbers, or nothing. */
const BESIDES: readonly (Partial<StateRow> | null)[] = [
  null,
  { pausedManually: 1, pausedUntil: 7 },
  null,
  { pendingFail: 1, pendingFailMessage: "no disk", pendingFailRunId: "a", pendingFailAt: 5, pendingFailHeardAt: 6 },
  { runsThatMatter: 2 },
  null,
  { openIncidentId: 3 },
  { carried: "[1,2]", excusedBy: 9 },
  { pausedByPlan: 1 },
  { lastRunMs: 0.5 },
  { wakeAt: Number.MAX_SAFE_INTEGER },
];

/** Each number is another one; what may be null is so every other time. */
function row(monitorId: number, value: number, besides = BESIDES[value % BESIDES.length]): StateRow {
  const given = (place: number) => (value % 2 === 0 ? null : 1_000 * place + value);
  const facts = {
    ...FACTS,
    changedAt: value,
    receivedAt: given(1),
    succeededAt: given(2),
    failedAt: given(3),
    expectedAt: given(4),
    lastSuccess: value % 3 === 0 ? null : { afterSlotMs: -value, startAfterSlotMs: given(6) },
    misses: value,
    failures: 7_000 + value,
    unheard: value % 3 === 1,
    warned: value % 4 < 2,
    runCount: 8_000 + value,
    lastRunMs: given(9),
    incidentCount: 10_000 + value,
    drift: { minutes: 15 * value, reports: 1 + value },
  };
  const heads = {
    ...NO_HEADS,
    pingCount: value,
    lastPingId: given(11),
    lastFailurePingId: given(12),
  };
  return { ...toState(monitorId, facts, heads, given(13)), ...besides };
}

const openStates = (database: Database): MonitorStates => monitorStateRows(database, SHORT_LOG, packedStates(PLACES));

const logLength = (database: Database): number =>
  database.query<{ rows: number }, []>("select count(*) as rows from state_log").get()!.rows;

const ownRows = (database: Database): readonly unknown[] =>
  database.query("select monitor_id, changed_at, misses, ping_count from monitor_states order by monitor_id").all();

type Change =
  | { readonly do: "save" | "remove" | "insert" | "follow"; readonly id: number }
  | { readonly do: "some"; readonly limit: number }
  | { readonly do: "all" };

interface Part {
  readonly changes: readonly Change[];
  readonly fails: boolean;
}

/** A transaction of parts with a savepoint each; or the process ends. */
type Step =
  | { readonly do: "transaction"; readonly parts: readonly Part[]; readonly fails: boolean }
  | { readonly do: "crash" };

/** Enough that a pass over those that are behind seldom ends in one transaction. */
const MANY = Array.from({ length: 12 }, (_, index) => index + 1);

const anyId = fc.constantFrom(...MANY);
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant("save" as const), id: anyId }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "insert" as const, "follow" as const), id: anyId }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("some" as const), limit: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "all" as const }) },
);
const seldom = fc.nat(4).map((chance) => chance === 0);
const anyPart = fc.record({ changes: fc.array(anyChange, { maxLength: 5, size: "max" }), fails: seldom });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("transaction" as const),
      parts: fc.array(anyPart, { maxLength: 3, size: "max" }),
      fails: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "crash" as const }) },
);

/** What was saved last for each monitor; null: it was removed, and its id is never given again. */
type Model = Map<number, number | null>;

function change(states: MonitorStates, model: Model, step: Change, value: number): void {
  switch (step.do) {
    case "save":
      if (typeof model.get(step.id) !== "number") return;
      states.save(row(step.id, value));
      model.set(step.id, value);
      return;
    case "insert":
      if (model.has(step.id)) return;
      states.insert(row(step.id, value));
      model.set(step.id, value);
      return;
    case "remove":
      states.remove(step.id);
      model.set(step.id, null);
      return;
    case "follow":
      return states.follow(step.id);
    case "some":
      return void states.followSome(step.limit);
    case "all":
      return states.writeBehindAll();
    default:
      step satisfies never;
  }
}

const loaded = (states: MonitorStates) => MANY.map((id) => states.load(id));
const lasting = (model: Model) => MANY.flatMap((id) => ({ id, value: model.get(id) ?? null }));
const expected = (model: Model) => lasting(model).map(({ id, value }) => (value === null ? null : row(id, value)));

test("R19: a row of the log that cannot be read ends a start as a damaged page does, and stays", () => {
  using database = openTestDatabase();
  for (const body of [[0], [0, 8, 0x7b], [0, 99, 0x7b, 0x7d, 0x7d]]) {
    database.run("DELETE FROM state_log");
    database.run("INSERT INTO state_log (body) VALUES (?)", [new Uint8Array(body)]);
    expect(() => monitorStateRows(database)).toThrow(
      expect.objectContaining({ code: "SQLITE_CORRUPT", message: "a row of state_log is damaged" }),
    );
    expect(database.query("SELECT count(*) AS rows FROM state_log").get()).toEqual({ rows: 1 });
  }
});

test("R19: a row that says nothing of runs and incidents, as one of an earlier version, has none", () => {
  // The monitor 5, the mask of its 2nd, 10th and 13th number, and these: 1,000, 2 and 7.
  const body = new Uint8Array([10, 0b0000_0001, 0b0000_1001, 0, 0xd0, 0x0f, 4, 14]);
  const [found, ...others] = [...loggedFactsIn(body)];
  expect(others).toEqual([]);
  expect(found).toMatchObject({ monitorId: 5, changedAt: 1_000, misses: 2, runCount: 7, receivedAt: null });
  expect(found).toMatchObject({ runsThatMatter: 0, openIncidentId: null });
});

test("R19: a row that says what only a later version knows ends a start, and does not pass for other facts", () => {
  using database = openTestDatabase();
  // The monitor 5, the mask of its 2nd number and of one behind the last, and these.
  const body = new Uint8Array([10, 0b0000_0001, 0, 0b0010_0000, 0xd0, 0x0f, 4]);
  database.run("INSERT INTO state_log (body) VALUES (?)", [body]);
  expect(() => monitorStateRows(database)).toThrow(expect.objectContaining({ code: "SQLITE_CORRUPT" }));
});

test("R19: own rows and the log together say what was saved last, after every rollback and every crash", () => {
  using database = openTestDatabase();
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 5, maxLength: 30, size: "max" }), (steps) => {
      for (const table of ["monitor_states", "state_log"]) database.run(`DELETE FROM ${table}`);
      let states = openStates(database);
      let model: Model = new Map(IDS.map((id) => [id, 0]));
      for (const id of IDS) states.insert(row(id, 0));
      let value = 0;
      for (const step of steps) {
        if (step.do === "crash") {
          states = openStates(database);
          expect(logLength(database)).toBe(0);
        } else {
          const before = new Map(model);
          database.run("BEGIN");
          const takeBack = states.memory.begin();
          for (const part of step.parts) {
            const beforePart = new Map(model);
            database.run("SAVEPOINT part");
            const takeBackPart = states.memory.mark();
            for (const each of part.changes) change(states, model, each, ++value);
            if (part.fails) {
              takeBackPart();
              database.run("ROLLBACK TO part");
              model = beforePart;
            }
            database.run("RELEASE part");
            expect(loaded(states)).toEqual(expected(model));
          }
          states.memory.end();
          if (step.fails) {
            takeBack();
            model = before;
          }
          database.run(step.fails ? "ROLLBACK" : "COMMIT");
        }
        expect(loaded(states)).toEqual(expected(model));
      }
      // A process that begins here has only the file.
      expect(loaded(openStates(database))).toEqual(expected(model));
      const lastingOnes = lasting(model).filter(({ value }) => value !== null);
      expect(ownRows(database)).toEqual(
        lastingOnes.map(({ id, value }) => ({ monitor_id: id, changed_at: value, misses: value, ping_count: value })),
      );
    }),
    propertyRuns(300),
  );
});

describe("own rows follow", () => {
  const plain = (id: number, value: number): StateRow => row(id, value, null);

  function saved(count: number) {
    const database = openTestDatabase();
    const states = openStates(database);
    for (const id of IDS) states.insert(plain(id, 0));
    for (let value = 1; value <= count; value++) {
      states.memory.begin();
      states.save(plain(IDS[value % MONITORS]!, value));
      states.memory.end();
    }
    return { database, states };
  }

  test("once the log is long, and it stays short under any number of reports", () => {
    const { database } = saved(1_000);
    expect(logLength(database)).toBeLessThanOrEqual(3 * SHORT_LOG);
    const own = ownRows(database) as { changed_at: number }[];
    expect(Math.min(...own.map(({ changed_at }) => changed_at))).toBeGreaterThan(1_000 - 4 * SHORT_LOG);
  });

  test("sooner where facts are more than numbers, of which memory holds each", () => {
    const followed = (changes: Partial<StateRow>): boolean => {
      const { states } = saved(1);
      for (const facts of [{ ...plain(2, 2), ...changes }, plain(3, 3)]) {
        states.memory.begin();
        for (const _ of [1, 2]) states.save(facts);
        states.memory.end();
      }
      return states.newerThanRow(2) === undefined;
    };
    expect([followed({ pausedManually: 1 }), followed({})]).toEqual([true, false]);
  });

  test("not for a few reports: a monitor that reports often costs its row a write now and then", () => {
    const { database, states } = saved(SHORT_LOG);
    expect(ownRows(database)).toMatchObject(IDS.map(() => ({ changed_at: 0 })));
    expect(states.newerThanRow(1)).toMatchObject({ changedAt: 5 });
  });

  test("all of them when asked to, and then the log is empty and begins again", () => {
    const { database, states } = saved(SHORT_LOG);
    states.writeBehindAll();
    expect([logLength(database), states.newerThanRow(1)]).toEqual([0, undefined]);
    expect(ownRows(database)).toMatchObject([5, 6, 2, 3, 4].map((value) => ({ changed_at: value })));
    states.save(plain(1, 9));
    states.memory.end();
    states.writeBehindAll();
    expect([logLength(database), states.load(1)]).toEqual([0, plain(1, 9)]);
  });

  test("in pieces of a bounded size, and all that were behind at the first piece have followed at the last", () => {
    const { database, states } = saved(SHORT_LOG);
    let pieces = 1;
    while (states.followSome(2)) {
      pieces++;
      states.save(plain(1, 100));
      expect(states.load(1)).toEqual(plain(1, 100));
    }
    expect(pieces).toBe(6);
    expect((ownRows(database) as { changed_at: number }[]).slice(1)).toMatchObject(
      [6, 2, 3, 4].map((value) => ({ changed_at: value })),
    );
    states.memory.end();
    expect(logLength(database)).toBe(1);
  });
});
