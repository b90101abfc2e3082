// Reads and writes when monitors were not watched, because something paused them (R24).

import type { Database } from "bun:sqlite";
import type { PauseBegin, PauseEnd } from "../domain/monitor/draft.ts";
import type { Instant } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { pausedSpans } from "./schema-people.ts";
import { columnsOf, type Stored } from "./sql.ts";

/** A time in which a monitor was not watched. `to` is `null` while it lasts. */
export type PausedRow = Readonly<Omit<Stored<typeof pausedSpans>, "id">>;

export function pausedSpanRows(database: Database) {
  // While the clock is behind, a pause may begin at an instant at which an earlier one had not ended. Both are then one
  // pause. The same is true of a pause that begins at the instant at which another ends.
  const goOn = database.prepare<null, [{ monitorId: number; at: Instant }]>(
    `UPDATE paused_spans SET to_at = NULL, from_at = min(from_at, $at) WHERE id = (SELECT id FROM paused_spans
       WHERE monitor_id = $monitorId AND (to_at IS NULL OR to_at >= $at) ORDER BY id DESC LIMIT 1)`,
  );
  const insert = database.prepare<null, [PausedRow]>(
    "INSERT INTO paused_spans (monitor_id, from_at, to_at, first_slot) VALUES ($monitorId, $from, $to, $firstSlot)",
  );
  const end = database.prepare<null, [{ monitorId: number; at: Instant; firstSlot: Instant | null }]>(
    `UPDATE paused_spans SET to_at = $at, first_slot = min(first_slot, coalesce($firstSlot, first_slot))
     WHERE monitor_id = $monitorId AND to_at IS NULL`,
  );
  const of = database.prepare<PausedRow, [{ ids: string; since: Instant }]>(
    `SELECT ${columnsOf(pausedSpans, "s", ["monitorId", "from", "to", "firstSlot"])}
     FROM json_each($ids) wanted CROSS JOIN paused_spans s ON s.monitor_id = wanted.value
     WHERE s.to_at IS NULL OR s.to_at >= $since ORDER BY s.id`,
  );
  const pulledBack = `UPDATE paused_spans SET from_at = iif(from_at > $now, min(from_at - $backMs, $now), from_at),
     to_at = iif(to_at > $now, min(to_at - $backMs, $now), to_at),
     first_slot = iif(from_at > $now, min(first_slot - $backMs, from_at - $backMs, $now), first_slot)
     WHERE (from_at > $now OR to_at > $now)`;
  const pullBack = database.prepare<null, [{ monitorId: number; now: Instant; backMs: number }]>(
    `${pulledBack} AND monitor_id = $monitorId`,
  );
  const pullBackDeleted = database.prepare<null, [{ now: Instant; backMs: number }]>(
    `${pulledBack} AND monitor_id IN (SELECT id FROM monitors INDEXED BY monitors_deleted WHERE deleted_at IS NOT NULL)`,
  );
  return {
    /**
     * Stores that the monitor is paused from `at` on. If the pause of the last row still lasts, or ended at `at` or
     * later, that pause goes on and no row is added.
     */
    begin: (monitorId: number, { at, firstSlot }: PauseBegin): void => {
      if (goOn.run({ monitorId, at }).changes === 0) insert.run({ monitorId, from: at, to: null, firstSlot });
    },
    /**
     * Stores that the monitor is watched again from `at` on. `unstored` says when the pause is taken to have begun, if
     * it has no row.
     */
    end: (monitorId: number, { at, firstSlot }: PauseEnd, unstored: Pick<PausedRow, "from" | "firstSlot">): void => {
      if (end.run({ monitorId, at, firstSlot }).changes === 0) insert.run({ ...unstored, monitorId, to: at });
    },
    /** The pauses of these monitors that last or ended at `since` or later, those of each in ascending order. */
    of: (monitorIds: readonly number[], since: Instant) => of.all({ ids: JSON.stringify(monitorIds), since }),
    /**
     * Used after the clock was set back by `backMs` (R26). In the monitor's pauses, a beginning or an end after `now`
     * becomes `backMs` milliseconds earlier, or `now` if that is still after `now`. The first slot moves with the
     * beginning.
     */
    pullBack: (monitorId: number, now: Instant, backMs: number) => void pullBack.run({ monitorId, now, backMs }),
    /** Does the same for the pauses of all deleted monitors. */
    pullBackDeleted: (now: Instant, backMs: number) => void pullBackDeleted.run({ now, backMs }),
    /** Deletes pauses that ended before `before`. */
    prune: pruner(database, { table: "paused_spans", instant: "coalesce(to_at, from_at)", keep: "to_at IS NULL" }),
  };
}
