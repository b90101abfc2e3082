// Looks at one monitor without a report: when the wheel says that it may be due (R19), and when a wrong clock was
// corrected. Everything here runs inside the caller's transaction.

import { wakeAt } from "../../domain/monitor/settle.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import { LAST_KEPT } from "../../store/retention.ts";
import { type MonitorRecord, monitorWithPolicy } from "../../views/completed-monitors.ts";
import { isPauseHeld } from "../decide.ts";
import { type AfterCommit, armOnly, type EngineContext } from "../engine-context.ts";
import { applySignals } from "../record.ts";

/**
 * Settles what is due for the monitor at `now`; writes nothing when nothing is due. Returns `null` when the monitor no
 * longer exists.
 */
export function wakeOne(context: EngineContext, monitorId: number, now: Instant): AfterCommit | null {
  const before = monitorWithPolicy(context, monitorId);
  if (before === null) return null;
  const due = wakeAt(before.monitor, context.gaps.undecided());
  if (due === null || due > now) return armOnly(before, due);
  if (isPauseHeld(context, before.monitor, now)) return armOnly(before, now + MINUTE);
  return applySignals(context, before, [{ kind: "wake" }], now).afterCommit;
}

/**
 * Pulls back the instants of a monitor that a wrong clock has set in the future (R26). For a monitor without such
 * instants only its due time is set again, because a gap may have become shorter. `since` is the time of the corrected
 * clock when it was first seen to be behind. Returns `null` when the monitor no longer exists.
 */
export function rebaseOne(
  context: EngineContext,
  monitorId: number,
  now: Instant,
  { backMs, since }: Readonly<{ backMs: number; since: Instant }>,
): AfterCommit | null {
  const before = monitorWithPolicy(context, monitorId);
  if (before === null) return null;
  if (before.monitor.changedAt <= now) return rearmUnchangedMonitor(context, before);
  const endedAt = endHeardBy(context, before, now);
  const byHand = pauseAskedFor(context, before, { now, backMs, since });
  const heard = { ...(endedAt !== undefined && { endedAt }), ...(byHand !== null && { byHand }) };
  const rebase = { kind: "rebase", backMs, ...heard } as const;
  const { afterCommit } = applySignals(context, before, [rebase], now);
  // `pullBack` changes the stored ends of pauses, so it comes after `applySignals`. That knows a pause that goes on by
  // its stored end, which must still lie in the future.
  context.store.pausedSpans.pullBack(monitorId, now, backMs);
  return afterCommit;
}

/**
 * Returns when the pause by hand ends, corrected because the clock was wrong, and stores the corrected end. `null` when
 * there is no pause by hand, or the pause has no end.
 */
function pauseAskedFor(
  { store: { pausesByHand } }: EngineContext,
  { id, monitor }: MonitorRecord,
  { now, backMs, since }: Readonly<{ now: Instant; backMs: number; since: Instant }>,
): Instant | null {
  const asked = pausesByHand.find(id);
  if (asked === null || asked.until === null) return null;
  if (asked.at <= now && asked.at < since) return asked.until;
  // If the pause was asked for while the clock was ahead, its beginning and its end are pulled back. If the pause was
  // asked for after the correction, only its end is pulled back. That end was counted from the newest stored instant,
  // which lay in the future.
  const at = asked.at > now ? asked.at - backMs : asked.at;
  const until = asked.at > now ? asked.until - backMs : at + asked.until - monitor.changedAt;
  pausesByHand.save({ ...asked, at, until });
  return until;
}

/**
 * Returns when the newest end of a run came, looked for among the last 20 reports. Undefined when none of them is an
 * end. Also undefined when its instant lies in the future: a wrong clock gave that instant.
 */
const endHeardBy = ({ store }: EngineContext, { id, heads }: MonitorRecord, now: Instant): Instant | undefined => {
  const end = store.pings.last(id, heads.lastPingId, LAST_KEPT).find(({ kind }) => kind !== "start" && kind !== "log");
  const endedAt = end?.happenedAt ?? end?.at;
  return endedAt === undefined || endedAt > now ? undefined : endedAt;
};

/**
 * Sets when the wheel names a monitor that did not change. An undecided gap may make the monitor due later than its row
 * says. A later time is not stored, because a gap must not change all rows (R26); an earlier time is stored.
 */
export function rearmUnchangedMonitor(context: EngineContext, before: MonitorRecord): AfterCommit {
  const { id, wakeAt: stored } = before;
  const wake = wakeAt(before.monitor, context.gaps.undecided());
  if (wake !== null && (stored === null || wake < stored)) context.store.monitors.saveWake(id, wake);
  return armOnly(before, wake);
}
