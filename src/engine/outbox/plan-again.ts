// Writes what is owed, and plans again everything that waits (R38), because receivers' rules have changed, a
// destination takes messages again, or the clock was set back. It works in pieces; each lane keeps its earlier plan
// until its turn.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Instant } from "../../domain/time.ts";
import type { MonitorRecord } from "../../views/completed-monitors.ts";
import type { EngineContext } from "../engine-context.ts";
import { readableMonitor } from "../notices.ts";
import { payLostEnds, payOwed } from "../pay-owed.ts";
import { planDeletedAgain, planMonitorAgain, planNoticesAgain } from "../telling.ts";
import type { NoticeTools } from "./review.ts";

/** How many monitors are planned in one turn, because pings wait for it. */
const MONITORS_A_PIECE = 100;

/** Stands for the lanes of notices, which belong to no monitor. */
const OF_NOTICES = null;

/**
 * Writes what is owed, and plans again everything that waits. `first` is applied to the rows of a monitor, or of
 * notices (`null`), before they are planned, in the same transaction. It returns whether it changed any.
 */
export function* planAllAgain(
  { context, committer, announcer, log }: Pick<NoticeTools, "context" | "committer" | "announcer" | "log">,
  first: (monitorId: number | null, now: Instant) => boolean = () => false,
): InPieces<void> {
  const { deliveries } = context;
  let owed = 0;
  let hasChanged = committer.one((now) => {
    const isFirst = first(OF_NOTICES, now);
    owed += payLostEnds(context, now);
    return planNoticesAgain(context, now) || isFirst;
  });
  function tellOf(monitorId: number, now: Instant): void {
    hasChanged = first(monitorId, now) || hasChanged;
    const record = readableMonitor(context, monitorId);
    owed += payOwed(context, monitorId, record, now);
    hasChanged = planOne(context, monitorId, record, now) || hasChanged;
  }
  yield;
  for (const find of [deliveries.monitorsAfter, deliveries.untoldAfter]) {
    let some: readonly Readonly<{ id: number; monitorId: number }>[] = [];
    let after = 0;
    do {
      some = committer.one((now) => {
        const found = find.all({ after, limit: MONITORS_A_PIECE });
        for (const { monitorId } of found) tellOf(monitorId, now);
        return found;
      });
      after = some.at(-1)?.id ?? after;
      yield;
    } while (some.length > 0);
  }
  if (owed > 0) log("info", "owed_messages", { messages: owed });
  if (hasChanged || owed > 0) announcer.sooner();
}

const planOne = (context: EngineContext, id: number, record: MonitorRecord | null, now: Instant): boolean =>
  record === null
    ? planDeletedAgain(context, id, now)
    : planMonitorAgain(context, record, record.heads.openIncidentId, now);
