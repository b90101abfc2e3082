// Reads and writes gaps, which are times in which rollcall may have lost reports, and the slots and runs that they left
// unknown (R26). A gap is decided once all slots and runs that it touches are judged; until then the engine also keeps
// it in memory.

import type { Database } from "bun:sqlite";
import type { Unknown } from "../domain/monitor/draft.ts";
import { type FoundGap, oneGap } from "../domain/monitor/gap.ts";
import type { Instant } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { gaps, unknowns } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored } from "./sql.ts";

export type GapRow = Readonly<{ id: number; gap: FoundGap }>;

export function gapRows(database: Database) {
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
  const notified = database.prepare<null, [number]>("UPDATE gaps SET notices = notices + 1 WHERE id = ?");
  const decide = database.prepare<null, [{ id: number; at: Instant }]>(
    "UPDATE gaps SET decided_at = $at WHERE id = $id AND decided_at IS NULL",
  );
  const forgetUnknowns = database.prepare<null, [Instant]>(
    "DELETE FROM unknowns WHERE gap_id IN (SELECT id FROM gaps WHERE from_at > ?)",
  );
  // A gap may leave slots or runs of every monitor unknown. Their rows in `unknowns` are deleted before the gap's own
  // row, in pieces.
  const removeUnknowns = database.prepare<null, [Instant, number]>(
    `DELETE FROM unknowns WHERE id IN
       (SELECT u.id FROM gaps g CROSS JOIN unknowns u ON u.gap_id = g.id WHERE g.decided_at < ? LIMIT ?)`,
  );
  // A gap is also kept if the oldest open incident began before the gap's end. Slots of an open incident are judged
  // only when the incident ends (R23), and because of the gap they may be unknown, not missed.
  const oldestOpen = `SELECT min(opened_at, coalesce(expected_at, opened_at)) FROM incidents INDEXED BY incidents_open
    WHERE closed_at IS NULL ORDER BY id LIMIT 1`;
  const keep = `decided_at IS NULL OR coalesce(to_at >= (${oldestOpen}), 0)`;
  const prune = pruner(database, { table: "gaps", instant: "decided_at", keep });
  const forget = database.prepare<null, [Instant]>("DELETE FROM gaps WHERE from_at > ?");
  const shorten = database.prepare<null, [Instant]>("UPDATE gaps SET to_at = ?1 WHERE to_at > ?1");
  return {
    /** The highest id that a gap ever had; 0 when there was none. */
    lastId: () => lastId.get()?.seq ?? 0,
    /** The gaps that may touch a slot or run which is not judged yet, in the order of time. */
    undecided: () => undecided.all().map((row) => ({ id: row.id, gap: gapOf(row) })),
    /**
     * The gaps that may touch a slot or run which is not judged yet, and all that end at `from` or later; in the order
     * of time.
     */
    since: (from: Instant) => since.all(from).map(gapOf),
    last: (limit: number) => last.all(limit).map(gapOf),
    save: ({ id, gap: { lastFrom: _, ...gap } }: GapRow) =>
      void save.run({ ...gap, id, excuses: gap.excuses ?? null, decidedAt: null, notices: 0 }),
    /**
     * Stores that a notice tells of all unknowns that the gap has now. Unknowns that are written later are for the next
     * notice.
     */
    markNotified: (id: number) => void notified.run(id),
    decide: (id: number, at: Instant) => void decide.run({ id, at }),
    /**
     * Used when the clock was found to be ahead (R26): deletes gaps that begin after `now`, with their unknowns, and
     * makes `now` the end of gaps that end later.
     */
    cut: (now: Instant): void => {
      forgetUnknowns.run(now);
      forget.run(now);
      shorten.run(now);
    },
    /**
     * Deletes gaps with their unknowns, if all slots and runs that the gap touches were judged before `before`. Must be
     * called in a transaction.
     */
    prune: (before: Instant, after: number, limit: number) =>
      removeUnknowns.run(before, limit).changes === limit ? { deleted: 0, after } : prune(before, after, limit),
  };
}

function gapOf({ from, to, reason, outages, silentMs, silentTo, joinsUntil, excuses }: Stored<typeof gaps>): FoundGap {
  const known =
    outages === 0 ? oneGap(from, to, reason) : { from, to, reason, outages, silentMs, silentTo, joinsUntil };
  return excuses === null ? known : { ...known, excuses };
}

// The rows of unknowns: slots and runs that were judged without a report, because a gap may have lost it (R26).

export type UnknownRow = Readonly<Stored<typeof unknowns>>;

export function unknownRows(database: Database) {
  const insert = database.prepare<null, [Record<string, number | string | null>]>(
    `INSERT INTO unknowns (gap_id, monitor_id, at, slot, slots, run_id, run_started_at, notice)
     SELECT max(id), $monitorId, $at, $slot, $slots, $runId, $runStartedAt, notices FROM gaps WHERE from_at = $from`,
  );
  const isPending = "gap_id = ?1 AND notice = (SELECT notices FROM gaps WHERE id = ?1)";
  const pendingSince = database.prepare<{ at: Instant | null }, [number]>(
    `SELECT min(at) AS at FROM unknowns WHERE ${isPending}`,
  );
  const lastPending = database.prepare<{ id: number | null }, [number]>(
    `SELECT max(id) AS id FROM unknowns WHERE ${isPending}`,
  );
  const pending = database.prepare<{ monitorId: number }, [number, number, number]>(
    `SELECT DISTINCT monitor_id AS monitorId FROM unknowns WHERE ${isPending} AND monitor_id > ?2
     ORDER BY monitor_id LIMIT ?3`,
  );
  const pendingOf = database.prepare<UnknownRow, [number, number]>(
    `SELECT ${columnsOf(unknowns, "u")} FROM unknowns u WHERE ${isPending} AND u.monitor_id = ?2 ORDER BY u.id`,
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
    /** Writes what a gap left unknown about a monitor. Writes nothing if the gap has no row. */
    insert: (monitorId: number, { at, slot, slots, run, gap }: Unknown): void => {
      if (gap === null) return;
      const { runId = null, startedAt: runStartedAt = null } = run ?? {};
      insert.run({ from: gap.from, monitorId, at, slot, slots, runId, runStartedAt });
    },
    /** When the oldest of the gap's unknowns that no notice has told of was judged; `null` when there is none. */
    pendingSince: (gapId: number) => pendingSince.get(gapId)!.at,
    lastPending: (gapId: number) => lastPending.get(gapId)!.id,
    /**
     * The monitors of which the gap's next notice must tell: at most `limit` with ids above `after`, in ascending
     * order.
     */
    pending: (gapId: number, after: number, limit: number) =>
      pending.all(gapId, after, limit).map(({ monitorId }) => monitorId),
    /** The unknowns of one monitor of which the gap's next notice must tell, in the order in which they were judged. */
    pendingOf: (gapId: number, monitorId: number) => pendingOf.all(gapId, monitorId),
    /** The monitor's unknown that begins at this slot or at the nearest one before it; `null` when there is none. */
    before: (monitorId: number, slot: Instant) => before.get(monitorId, slot),
    replace: (id: number, pieces: readonly Pick<UnknownRow, "slot" | "slots">[]): void => {
      for (const { slot, slots } of pieces) copy.run(slot, slots, id);
      remove.run(id);
    },
    removeRun: (monitorId: number, startedAt: Instant) => void removeRun.run(monitorId, startedAt),
    last: (monitorId: number, limit: number) =>
      last.all(monitorId, limit).map(({ from, to, reason, ...row }) => ({ ...row, gap: { from, to, reason } })),
  };
}
