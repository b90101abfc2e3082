// Plans every waiting message again, and writes messages that receivers should have but were never sent (R38). It runs
// at a start, after a reload, once a day, and when the clock made a step. It also runs when a destination takes
// messages again after some were given up, and when the people to notify in a browser change. It takes many turns;
// until a monitor is reached, its messages keep their earlier plan.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Instant } from "../../domain/time.ts";
import type { MonitorRecord } from "../../views/completed-monitors.ts";
import type { EngineContext } from "../engine-context.ts";
import { readableMonitor } from "../notices.ts";
import { payLostEnds, payOwed } from "../pay-owed.ts";
import { planDeletedAgain, planMonitorAgain, planNoticesAgain } from "../telling.ts";
import type { NoticeTools } from "./review.ts";

const MONITORS_A_PIECE = 100;

/** Used in place of a monitor's id for notices, which belong to no monitor. */
const OF_NOTICES = null;

/**
 * Plans everything again: the notices first, then each monitor with waiting messages, with trouble that a receiver
 * knows of, or with an open incident. Before the notices or a monitor are planned, `first` is called with `null` or the
 * monitor's id, in the same transaction. `first` may change the waiting messages of that monitor, or of the notices. It
 * returns whether it has done so.
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
