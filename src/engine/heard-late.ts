// What a late report says of what a gap had left unknown (R43): its slot and its run are unknown no longer. The notice that is
// still to come does not name them, and neither does any page.

import type { Watch } from "../domain/monitor/monitor.ts";
import type { Transition } from "../domain/monitor/transition.ts";
import { closingDelay } from "../domain/monitor/window.ts";
import { intervalOf } from "../domain/schedule/rhythm.ts";
import { countSlots, nextSlot } from "../domain/schedule/slots.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { UnknownRow } from "../store/unknowns.ts";

/** Runs inside the caller's transaction, after what the transition itself left unknown has been written. */
export function forgetUnknown({ unknowns }: Pick<Store, "unknowns">, monitorId: number, decision: Transition): void {
  const { lateSlot, run, monitor } = decision;
  if (lateSlot !== null) {
    const row = unknowns.before(monitorId, lateSlot);
    const left = row === null ? null : withoutSlot(row, lateSlot, monitor.watch);
    if (row !== null && left !== null) unknowns.replace(row.id, left);
  }
  if (run?.startedAt != null && run.endedAt !== null) unknowns.removeRun(monitorId, run.startedAt);
}

type Stretch = Pick<UnknownRow, "slot" | "slots">;

/** The slots before it and those after it; null: it is not among them. */
function withoutSlot({ slot: first, slots }: UnknownRow, slot: Instant, watch: Watch): readonly Stretch[] | null {
  const { schedule, timezone } = watch;
  const interval = intervalOf(watch);
  // Of an interval, nothing is unknown that was to close after the report (R44).
  if (first !== null && interval !== null) return first + closingDelay(watch) >= slot - interval ? [] : null;
  if (first === null || schedule === null) return null;
  const before = slot === first ? 0 : countSlots(schedule, timezone, first - 1, slot - 1);
  if (before >= slots) return null;
  const next = nextSlot(schedule, timezone, slot);
  const after = slots - before - 1;
  return [
    ...(before === 0 ? [] : [{ slot: first, slots: before }]),
    ...(after === 0 || next === null ? [] : [{ slot: next, slots: after }]),
  ];
}
