// Reads and writes runs. A report reads only the runs that it may be about: those marked `matters`, and the newest with
// its run_id. So a ping costs the same however many runs have ended.

import type { Database } from "bun:sqlite";
import { PAIRING_SPAN } from "../domain/limits.ts";
import { undoableMap } from "../domain/maps.ts";
import type { Run } from "../domain/monitor/run.ts";
import type { RunWeek } from "../domain/monitor/run-lengths.ts";
import type { UsualRun } from "../domain/monitor/unusual.ts";
import type { Instant } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import { type NameTuning, type RowNames, rowNames } from "./memory/row-names.ts";
import type { TransactionMemory } from "./memory/transaction-memory.ts";
import { LAST_KEPT, pruner } from "./retention.ts";
import { runs } from "./schema.ts";
import {
  assignmentsOf,
  columnsOf,
  insertInto,
  PARAMETER_IN_SUBQUERY,
  type Stored,
  toBit,
  unlessDamaged,
} from "./sql.ts";

/** A run with its row's id. `matters` is true while a report that does not name this run may still end it. */
export type StoredRun = Readonly<{ id: number; run: Run; matters: boolean }>;

/** Runs of one monitor by their numbers, in ascending order. */
export type StoredRuns = ReadonlyMap<number, StoredRun>;

export const NO_RUNS: StoredRuns = new Map();

export type RunRows = ReturnType<typeof runRows>;

type RunRecord = Stored<typeof runs>;

export const runNames = (database: Database, tuning?: NameTuning): RowNames =>
  rowNames(
    database,
    {
      table: "runs",
      name: "run_id",
      names: "run_names",
      row: "run_row",
      isWanted: "r.matters = 1 OR coalesce(r.ended_at, r.started_at) >= $before",
      span: PAIRING_SPAN,
    },
    tuning,
  );

/** Reads and writes runs. For at most `remember` monitors it keeps the runs that matter in memory. */
export function runRows(database: Database, names: RowNames, remember = REMEMBERED) {
  const columns = columnsOf(runs, "r");
  const mattering = database.prepare<RunRecord, [number]>(
    `SELECT ${columns} FROM runs r WHERE r.monitor_id = ${PARAMETER_IN_SUBQUERY} AND r.matters = 1 ORDER BY r.id`,
  );
  const byId = database.prepare<RunRecord, [number, number]>(
    `SELECT ${columns} FROM runs r WHERE r.id = ? AND r.monitor_id = ${PARAMETER_IN_SUBQUERY}`,
  );
  const some = database.prepare<RunRecord, [{ monitorId: number; ids: string }]>(
    `SELECT ${columns} FROM json_each($ids) wanted CROSS JOIN runs r ON r.id = wanted.value
     WHERE r.monitor_id = $monitorId`,
  );
  const insert = database.prepare<null, [Omit<RunRecord, "id">]>(insertInto(runs));
  const remembered = rememberedRuns(remember);
  const update = database.prepare<null, [Omit<RunRecord, "monitorId" | "number" | "runId">]>(
    `UPDATE runs SET ${assignmentsOf(runs, ["id", "monitorId", "number", "runId"])} WHERE id = $id`,
  );

  function matteringOf(monitorId: number): StoredRuns {
    const known = remembered.of(monitorId);
    return known ?? byNumber(mattering.all(monitorId).map(runFromRow));
  }

  /** The newest run with this run_id; `null` when there is none. Runs in `known` are not read again. */
  function named(monitorId: number, runId: string, known: StoredRuns): StoredRun | null {
    return names.find(monitorId, runId, (id) => {
      const found = runAt(id, known) ?? readById(id, monitorId);
      return found?.run.runId === runId ? found : null;
    });
  }

  function readById(id: number, monitorId: number): StoredRun | null {
    const row = byId.get(id, monitorId);
    return row === null ? null : runFromRow(row);
  }

  function write(monitorId: number, old: StoredRun | undefined, run: Run, matters: boolean): StoredRun {
    if (old !== undefined && old.run === run && old.matters === matters) return old;
    const { number, runId, ...facts } = run;
    const usual = run.usual === null ? null : JSON.stringify(run.usual);
    const cells = { ...facts, usual, legacy: toBit(run.legacy), matters: toBit(matters) };
    if (old === undefined) {
      const id = Number(insert.run({ ...cells, monitorId, number, runId }).lastInsertRowid);
      names.note(id, monitorId, runId);
      return { id, run, matters };
    }
    update.run({ ...cells, id: old.id });
    return { id: old.id, run, matters };
  }

  return {
    /**
     * The runs of a monitor that are marked `matters`. `count` is how many these are; with 0 they are not searched.
     * With a `runId`, also the newest run with this run_id.
     */
    load: (monitorId: number, count: number, runId: string | null): StoredRuns => {
      const known = count === 0 ? NO_RUNS : matteringOf(monitorId);
      const byName = runId === null ? null : named(monitorId, runId, known);
      if (byName === null || known.get(byName.run.number)?.id === byName.id) return known;
      return byNumber([...known.values(), byName]);
    },
    /** The monitor's runs among the rows with these ids, by the row's id. */
    some: (monitorId: number, ids: readonly number[]): ReadonlyMap<number, StoredRun> =>
      ids.length === 0
        ? new Map()
        : new Map(
            some.all({ monitorId, ids: JSON.stringify([...new Set(ids)]) }).map((row) => [row.id, runFromRow(row)]),
          ),
    /**
     * Writes runs that are new or have changed. A run of `after` has changed when it is another object than in
     * `stored`, or begins or ceases to matter. `matters` has the numbers of the runs that matter (`matteringRuns` of
     * domain/monitor/run.ts). Returns the runs as they are stored now.
     */
    save: (monitorId: number, stored: StoredRuns, after: readonly Run[], matters: ReadonlySet<number>): StoredRuns => {
      if (after.length === 0) return stored;
      const saved = new Map(stored);
      for (const run of after) {
        saved.set(run.number, write(monitorId, stored.get(run.number), run, matters.has(run.number)));
      }
      remembered.set(monitorId, matters, saved);
      return saved;
    },
    memory: remembered.memory,
    prune: pruner(database, {
      table: "runs",
      instant: "coalesce(ended_at, deadline, started_at)",
      keep: `runs.matters = 1 OR EXISTS (SELECT 1 FROM monitor_states s
             WHERE s.monitor_id = runs.monitor_id AND runs.number > s.run_count - ${LAST_KEPT})`,
    }),
  };
}

/**
 * For how many monitors the runs are kept in memory that a report may still end (`matters`). A report that ends one of
 * these runs reads no run from the database.
 */
const REMEMBERED = 8_192;

function rememberedRuns(most: number) {
  const byMonitor = undoableMap<number, StoredRuns>();
  return {
    /** The runs of a monitor that are kept in memory; undefined when none are. */
    of: byMonitor.get,
    /** Keeps in memory those runs of `saved` whose numbers are in `matters`. */
    set: (monitorId: number, matters: ReadonlySet<number>, saved: StoredRuns): void => {
      if (matters.size === 0) return void byMonitor.delete(monitorId);
      // When `most` monitors are kept, the one that was added first makes room.
      if (byMonitor.get(monitorId) === undefined && byMonitor.size() >= most)
        for (const oldest of byMonitor.keys().take(1)) byMonitor.delete(oldest);
      byMonitor.set(monitorId, byNumber([...saved.values()].filter(({ run }) => matters.has(run.number))));
    },
    memory: {
      begin: () => {
        byMonitor.forget();
        return byMonitor.mark();
      },
      mark: byMonitor.mark,
    } satisfies TransactionMemory,
  };
}

const byNumber = (runs: readonly StoredRun[]): StoredRuns =>
  new Map(runs.toSorted((a, b) => a.run.number - b.run.number).map((stored) => [stored.run.number, stored]));

function runAt(id: number, runs: StoredRuns): StoredRun | null {
  for (const stored of runs.values()) if (stored.id === id) return stored;
  return null;
}

/**
 * Makes a run of its row. Answers show runs as JSON, so its fields have the same order as in a run that was just begun.
 */
function runFromRow({ id, monitorId: _monitorId, matters, legacy, usual, verdict, ...facts }: RunRecord): StoredRun {
  const known = orElse(null, (): UsualRun | null => JSON.parse(usual ?? "null"));
  return { id, matters: matters === 1, run: { ...facts, legacy: legacy === 1, usual: known, verdict } };
}

// How long runs take: one row for each monitor, updated up to a day late. Only people see it; it decides nothing.

/**
 * A monitor whose newest runs are still to be measured. `weeks` has its earlier measurements; `null` when there are
 * none.
 */
export type Unmeasured = Readonly<{ id: number; lastPingId: number; weeks: readonly RunWeek[] | null }>;

/** How many ids of monitors are examined in one call. */
const MONITORS_SEARCHED = 1_000;

export function runLengthRows(database: Database) {
  const due = database.prepare<
    Omit<Unmeasured, "weeks"> & { weeks: string | null },
    [{ after: number; before: Instant }]
  >(
    `SELECT s.monitor_id AS id, s.last_ping_id AS lastPingId, l.weeks
     FROM monitor_states s LEFT JOIN run_lengths l ON l.monitor_id = s.monitor_id
     WHERE s.monitor_id > $after AND s.monitor_id <= $after + ${MONITORS_SEARCHED} AND s.last_ping_id IS NOT NULL
       AND (l.at IS NULL OR (l.at <= $before AND s.received_at >= l.at)) ORDER BY s.monitor_id`,
  );
  const next = database.prepare<{ id: number | null }, [number]>(
    "SELECT min(monitor_id) AS id FROM monitor_states WHERE monitor_id > ?",
  );
  const of = database.prepare<{ id: number; weeks: string }, [{ ids: string }]>(
    `SELECT l.monitor_id AS id, l.weeks FROM json_each($ids) wanted
     CROSS JOIN run_lengths l ON l.monitor_id = wanted.value`,
  );
  const readOf = (ids: readonly number[]) => unlessDamaged(() => of.all({ ids: JSON.stringify(ids) }));
  const save = database.prepare<null, [{ monitorId: number; at: Instant; weeks: string }]>(
    `INSERT INTO run_lengths (monitor_id, at, weeks) VALUES ($monitorId, $at, $weeks)
     ON CONFLICT (monitor_id) DO UPDATE SET at = excluded.at, weeks = excluded.weeks`,
  );
  return {
    /**
     * Finds monitors whose runs must be measured: those never measured, and those measured at `before` or earlier that
     * have reported since. It examines a thousand ids after the id `after`. The returned `after` is for the next call;
     * `null` when no monitors follow. Rows on a damaged page are left out.
     */
    due: (after: number, before: Instant) => {
      const first = unlessDamaged(() => next.get(after)!.id);
      if (first === null) return { due: [], after: null };
      const found = unlessDamaged(() => due.all({ after: first - 1, before })) ?? [];
      return {
        due: found.map(({ weeks, ...one }): Unmeasured => ({ ...one, weeks: weeksOf(weeks) })),
        after: first - 1 + MONITORS_SEARCHED,
      };
    },
    /**
     * How long the runs of these monitors took in each week, by the monitor's id, the oldest week first. A monitor is
     * left out when nothing is known, or when its row is damaged.
     */
    of: (ids: readonly number[]): ReadonlyMap<number, readonly RunWeek[]> => {
      const found = readOf(ids) ?? ids.flatMap((id) => readOf([id]) ?? []);
      return new Map(found.map(({ id, weeks }) => [id, weeksOf(weeks) ?? []]));
    },
    save: (monitorId: number, at: Instant, weeks: readonly RunWeek[]): void =>
      void save.run({ monitorId, at, weeks: JSON.stringify(weeks) }),
  };
}

/** Reads the stored weeks; `null` when there are none, or when the text is not a JSON array. */
function weeksOf(text: string | null): readonly RunWeek[] | null {
  const kept: unknown = orElse(null, () => JSON.parse(text ?? "null"));
  if (!Array.isArray(kept)) return null;
  return kept.filter((week) => [week?.from, week?.runs, week?.medianMs].every(Number.isSafeInteger));
}
