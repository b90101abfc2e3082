// Plans again all that waits (R38), because the rules of hearers have changed or the clock was set back: in pieces, and
// until its turn a lane keeps the plan before.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Instant } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import { readable } from "../notices.ts";
import { planDeletedAgain, planMonitorAgain, planNoticesAgain } from "../telling.ts";
import type { NoticeTools } from "./review.ts";

/** Pings wait for a piece. */
const MONITORS_A_TURN = 100;

/** The lanes of notices belong to no monitor. */
const OF_NOTICES = null;

/**
 * `first` is done to the rows of a monitor, or of notices (null), before they are planned, in the same transaction; it
 * returns whether it changed any.
 */
export function* planAllAgain(
  { context, committer, announcer }: Pick<NoticeTools, "context" | "committer" | "announcer">,
  first: (monitorId: number | null, now: Instant) => boolean = () => false,
): InPieces<void> {
  let some: readonly (number | null)[] = [OF_NOTICES];
  let hasChanged = false;
  for (let after = 0; some.length > 0; yield) {
    some = committer.one((now) => {
      for (const monitorId of some) {
        hasChanged = first(monitorId, now) || hasChanged;
        hasChanged = planOne(context, monitorId, now) || hasChanged;
      }
      return context.deliveries.monitorsAfter.all({ after, limit: MONITORS_A_TURN }).map(({ id }) => id);
    });
    after = some.at(-1) ?? after;
  }
  if (hasChanged) announcer.sooner();
}

function planOne(context: EngineContext, monitorId: number | null, now: Instant): boolean {
  if (monitorId === null) return planNoticesAgain(context, now);
  const record = readable(context, monitorId);
  return record === null
    ? planDeletedAgain(context, monitorId, now)
    : planMonitorAgain(context, record, record.heads.openIncidentId, now);
}
