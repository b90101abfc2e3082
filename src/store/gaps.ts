// The rows of gaps (R26). There are few; the engine keeps the undecided ones in memory, and these rows survive it.

import type { Database } from "bun:sqlite";
import { type FoundGap, oneGap } from "../domain/monitor/gap.ts";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { gaps } from "./schema.ts";
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
