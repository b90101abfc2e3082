// The rows of gaps, and of what they left unknown (R26). There are few gaps; the engine keeps the undecided ones in
// memory, and these rows survive it.

import type { Database } from "bun:sqlite";
import type { Unknown } from "../domain/monitor/draft.ts";
import { type FoundGap, oneGap } from "../domain/monitor/gap.ts";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { gaps, unknowns } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored } from "./sql.ts";

export interface GapRow {
  readonly id: number;
  readonly gap: FoundGap;
}

export interface GapRows {
  /** The largest number that a gap ever had; 0: there was none. */
  lastId(): number;
  /** Gaps that may touch an undecided slot or run, ascending. */
  undecided(): GapRow[];
  /** Those and all that end at `from` or later, decided or not, ascending. */
  since(from: Instant): FoundGap[];
  /** The newest first, at most `limit`. */
  last(limit: number): FoundGap[];
  /** Writes the gap, or its change since. */
  save(row: GapRow): void;
  /** A notice has told what is unknown so far; what is judged from now on is for the next one. */
  told(id: number): void;
  /** The gap no longer leaves a slot or run in doubt. */
  decide(id: number, at: Instant): void;
  /** Ends every gap at `now`; deletes gaps that began later, with what they left unknown (R26: a wrong clock). */
  cut(now: Instant): void;
  /** Deletes gaps decided before `before` with what they left unknown. To be called in a transaction. */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function gapRows(database: Database): GapRows {
  const lastId = database.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'gaps'");
  const undecided = database.prepare<Stored<typeof gaps>, []>(
    `SELECT ${columnsOf(gaps, "g")} FROM gaps g WHERE g.decided_at IS NULL ORDER BY g.from_at`,
  );
  const since = database.prepare<Stored<typeof gaps>, [Instant]>(
    `SELECT ${columnsOf(gaps, "g")} FROM gaps g WHERE g.decided_at IS NULL OR g.to_at >= ? ORDER BY g.from_at`,
  );
  const last = database.prepare<Stored<typeof gaps>, [number]>(
    `SELECT ${columnsOf(gaps, "g")} FROM gaps g ORDER BY g.id DESC LIMIT ?`,
  );
  const save = database.prepare<null, [Stored<typeof gaps>]>(
    `${insertInto(gaps, [])} ON CONFLICT (id) DO UPDATE SET ${assignmentsOf(gaps, ["id", "from", "decidedAt", "notices"])}`,
  );
  const told = database.prepare<null, [number]>("UPDATE gaps SET notices = notices + 1 WHERE id = ?");
  const decide = database.prepare<null, [{ id: number; at: Instant }]>(
    "UPDATE gaps SET decided_at = $at WHERE id = $id AND decided_at IS NULL",
  );
  const forgetUnknowns = database.prepare<null, [Instant]>(
    "DELETE FROM unknowns WHERE gap_id IN (SELECT id FROM gaps WHERE from_at > ?)",
  );
  // First, because a gap may have left something unknown about every monitor.
  const removeUnknowns = database.prepare<null, [Instant, number]>(
    `DELETE FROM unknowns WHERE id IN
       (SELECT u.id FROM gaps g CROSS JOIN unknowns u ON u.gap_id = g.id WHERE g.decided_at < ? LIMIT ?)`,
  );
  const prune = pruner(database, { table: "gaps", instant: "decided_at", keep: "decided_at IS NULL" });
  const forget = database.prepare<null, [Instant]>("DELETE FROM gaps WHERE from_at > ?");
  const shorten = database.prepare<null, [Instant]>("UPDATE gaps SET to_at = ?1 WHERE to_at > ?1");
  return {
    lastId: () => lastId.get()?.seq ?? 0,
    undecided: () => undecided.all().map((row) => ({ id: row.id, gap: gapOf(row) })),
    since: (from) => since.all(from).map(gapOf),
    last: (limit) => last.all(limit).map(gapOf),
    save: ({ id, gap: { lastFrom: _, ...gap } }) =>
      void save.run({ ...gap, id, excuses: gap.excuses ?? null, decidedAt: null, notices: 0 }),
    told: (id) => void told.run(id),
    decide: (id, at) => void decide.run({ id, at }),
    cut: (now) => {
      forgetUnknowns.run(now);
      forget.run(now);
      shorten.run(now);
    },
    prune: (before, after, limit) =>
      removeUnknowns.run(before, limit).changes === limit ? { deleted: 0, after } : prune(before, after, limit),
  };
}

function gapOf({ from, to, reason, outages, silentMs, silentTo, joinsUntil, excuses }: Stored<typeof gaps>): FoundGap {
  const known =
    outages === 0 ? oneGap(from, to, reason) : { from, to, reason, outages, silentMs, silentTo, joinsUntil };
  return excuses === null ? known : { ...known, excuses };
}

// The rows of what gaps left unknown: slots and runs that would have been trouble if we had been able to hear (R26).

export type UnknownRow = Readonly<Stored<typeof unknowns>>;

/** What was left unknown, and by which gap. */
interface UnknownInGap extends UnknownRow {
  readonly gap: Pick<FoundGap, "from" | "to" | "reason">;
}

export interface UnknownRows {
  /** Writes what a gap left unknown about a monitor. Writes nothing unless the gap has its row. */
  insert(monitorId: number, unknown: Unknown): void;
  /** When the first was judged that no notice of the gap has told; null: all was told. */
  untoldSince(gapId: number): Instant | null;
  /** The number of the last of those. */
  lastUntold(gapId: number): number | null;
  /** The monitors that the next notice of the gap tells of, ascending: at most `limit` of those after this id. */
  untold(gapId: number, after: number, limit: number): number[];
  /** What it tells of one, in the order of judgement. */
  untoldOf(gapId: number, monitorId: number): UnknownRow[];
  /** The last row of slots that begins at this one or before; null: there is none. */
  before(monitorId: number, slot: Instant): UnknownRow | null;
  /** Writes these slots in place of the row's. */
  replace(id: number, slots: readonly Pick<UnknownRow, "slot" | "slots">[]): void;
  /** Takes out what was unknown of the monitor's run that began then. */
  removeRun(monitorId: number, startedAt: Instant): void;
  /** The last unknowns of one monitor, newest first. */
  last(monitorId: number, limit: number): UnknownInGap[];
}

export function unknownRows(database: Database): UnknownRows {
  const insert = database.prepare<null, [Record<string, number | string | null>]>(
    `INSERT INTO unknowns (gap_id, monitor_id, at, slot, slots, run_id, run_started_at, notice)
     SELECT max(id), $monitorId, $at, $slot, $slots, $runId, $runStartedAt, notices FROM gaps WHERE from_at = $from`,
  );
  const isUntold = "gap_id = ?1 AND notice = (SELECT notices FROM gaps WHERE id = ?1)";
  const untoldSince = database.prepare<{ at: Instant | null }, [number]>(
    `SELECT min(at) AS at FROM unknowns WHERE ${isUntold}`,
  );
  const lastUntold = database.prepare<{ id: number | null }, [number]>(
    `SELECT max(id) AS id FROM unknowns WHERE ${isUntold}`,
  );
  const untold = database.prepare<{ monitorId: number }, [number, number, number]>(
    `SELECT DISTINCT monitor_id AS monitorId FROM unknowns WHERE ${isUntold} AND monitor_id > ?2
     ORDER BY monitor_id LIMIT ?3`,
  );
  const untoldOf = database.prepare<UnknownRow, [number, number]>(
    `SELECT ${columnsOf(unknowns, "u")} FROM unknowns u WHERE ${isUntold} AND u.monitor_id = ?2 ORDER BY u.id`,
  );
  const before = database.prepare<UnknownRow, [number, Instant]>(
    `SELECT ${columnsOf(unknowns, "u")} FROM unknowns u WHERE u.monitor_id = ? AND u.slot <= ?
     ORDER BY u.slot DESC, u.id DESC LIMIT 1`,
  );
  const copy = database.prepare<null, [Instant | null, number, number]>(
    `INSERT INTO unknowns (gap_id, monitor_id, at, slot, slots, notice)
     SELECT gap_id, monitor_id, at, ?, ?, notice FROM unknowns WHERE id = ?`,
  );
  const remove = database.prepare<null, [number]>("DELETE FROM unknowns WHERE id = ?");
  const removeRun = database.prepare<null, [number, Instant]>(
    "DELETE FROM unknowns WHERE monitor_id = ? AND slot IS NULL AND run_started_at = ?",
  );
  type Joined = UnknownRow & Pick<Stored<typeof gaps>, "from" | "to" | "reason">;
  const last = database.prepare<Joined, [number, number]>(
    `SELECT ${columnsOf(unknowns, "u")}, g.from_at AS "from", g.to_at AS "to", g.reason
     FROM unknowns u JOIN gaps g ON g.id = u.gap_id WHERE u.monitor_id = ? ORDER BY u.id DESC LIMIT ?`,
  );
  return {
    insert: (monitorId, { at, slot, slots, run, gap }) => {
      if (gap === null) return;
      const { runId = null, startedAt: runStartedAt = null } = run ?? {};
      insert.run({ from: gap.from, monitorId, at, slot, slots, runId, runStartedAt });
    },
    untoldSince: (gapId) => untoldSince.get(gapId)!.at,
    lastUntold: (gapId) => lastUntold.get(gapId)!.id,
    untold: (gapId, after, limit) => untold.all(gapId, after, limit).map(({ monitorId }) => monitorId),
    untoldOf: (gapId, monitorId) => untoldOf.all(gapId, monitorId),
    before: (monitorId, slot) => before.get(monitorId, slot),
    replace: (id, pieces) => {
      for (const { slot, slots } of pieces) copy.run(slot, slots, id);
      remove.run(id);
    },
    removeRun: (monitorId, startedAt) => void removeRun.run(monitorId, startedAt),
    last: (monitorId, limit) =>
      last.all(monitorId, limit).map(({ from, to, reason, ...row }) => ({ ...row, gap: { from, to, reason } })),
  };
}
