// The rows of gaps, and the one row that says when we last could hear (R26) and by which clock on the wall (R13). Gaps are few; the engine keeps the undecided
// ones in memory, and these rows are what survives it.

import type { Database } from "bun:sqlite";
import { type FoundGap, oneGap } from "../domain/monitor/gap.ts";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import { gaps } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored } from "./sql.ts";

export interface GapRows {
  /** Null: no process has run on this database yet. */
  lastAliveAt(): Instant | null;
  saveAlive(at: Instant): void;
  /** In which schedules are read while nothing names a zone, as the first start found it (R13); null: none was found. */
  timezone(): string | null;
  /** To be called once an instant has been saved. */
  keepTimezone(zone: string): void;
  /** Those that may touch a slot or run that is undecided, ascending. */
  undecided(): FoundGap[];
  /** The same and all that end at `from` or later, decided or not, ascending. */
  since(from: Instant): FoundGap[];
  /** Writes the gap, or what has become of the undecided one that begins with it. */
  save(gap: FoundGap): void;
  /** No slot or run is in doubt any more because of the gap that begins at `from`. */
  decide(from: Instant, at: Instant): void;
  /** Ends every gap at `now`: those that began later go, with what they left unknown (R26, a clock that had been wrong). */
  cut(now: Instant): void;
  /** Deletes gaps decided before `before` with what they left unknown. To be called in a transaction. */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function gapRows(database: Database): GapRows {
  const alive = database.prepare<{ at: Instant }, []>("SELECT last_alive_at AS at FROM liveness WHERE id = 1");
  const saveAlive = database.prepare<null, [Instant]>(
    "INSERT INTO liveness (id, last_alive_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET last_alive_at = ?1",
  );
  const timezone = database.prepare<{ timezone: string | null }, []>("SELECT timezone FROM liveness WHERE id = 1");
  const keepTimezone = database.prepare<null, [string]>("UPDATE liveness SET timezone = ? WHERE id = 1");
  const undecided = database.prepare<Stored<typeof gaps>, []>(
    `SELECT ${columnsOf(gaps, "g")} FROM gaps g WHERE g.decided_at IS NULL ORDER BY g.from_at`,
  );
  const since = database.prepare<Stored<typeof gaps>, [Instant]>(
    `SELECT ${columnsOf(gaps, "g")} FROM gaps g WHERE g.decided_at IS NULL OR g.to_at >= ? ORDER BY g.from_at`,
  );
  const insert = database.prepare<null, [Omit<Stored<typeof gaps>, "id">]>(insertInto(gaps));
  const change = database.prepare<null, [Omit<Stored<typeof gaps>, "id" | "decidedAt">]>(
    `UPDATE gaps SET ${assignmentsOf(gaps, ["id", "from", "decidedAt"])} WHERE from_at = $from AND decided_at IS NULL`,
  );
  const decide = database.prepare<null, [{ from: Instant; at: Instant }]>(
    "UPDATE gaps SET decided_at = $at WHERE from_at = $from AND decided_at IS NULL",
  );
  const forgetUnknowns = database.prepare<null, [Instant]>(
    "DELETE FROM unknowns WHERE gap_id IN (SELECT id FROM gaps WHERE from_at > ?)",
  );
  const forget = database.prepare<null, [Instant]>("DELETE FROM gaps WHERE from_at > ?");
  const shorten = database.prepare<null, [Instant]>("UPDATE gaps SET to_at = ?1 WHERE to_at > ?1");
  return {
    lastAliveAt: () => alive.get()?.at ?? null,
    saveAlive: (at) => void saveAlive.run(at),
    timezone: () => timezone.get()?.timezone ?? null,
    keepTimezone: (zone) => void keepTimezone.run(zone),
    undecided: () => undecided.all().map(gapOf),
    since: (from) => since.all(from).map(gapOf),
    save: (gap) => {
      const facts = { ...gap, excuses: gap.excuses ?? null };
      if (change.run(facts).changes === 0) insert.run({ ...facts, decidedAt: null });
    },
    decide: (from, at) => void decide.run({ from, at }),
    cut: (now) => {
      forgetUnknowns.run(now);
      forget.run(now);
      shorten.run(now);
    },
    prune: pruner(database, {
      table: "gaps",
      instant: "decided_at",
      keep: "decided_at IS NULL",
      dependents: ["DELETE FROM unknowns WHERE gap_id IN ($old)"],
    }),
  };
}

function gapOf({ from, to, reason, outages, silentMs, silentTo, joinsUntil, excuses }: Stored<typeof gaps>): FoundGap {
  const known =
    outages === 0 ? oneGap(from, to, reason) : { from, to, reason, outages, silentMs, silentTo, joinsUntil };
  return excuses === null ? known : { ...known, excuses };
}
