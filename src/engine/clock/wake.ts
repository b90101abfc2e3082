// Handles one monitor without a report: its row says whether anything is due (R19). It runs inside the caller's
// transaction.

import { wakeAt } from "../../domain/monitor/settle.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import { LAST_KEPT } from "../../store/retention.ts";
import { loadMonitor, type MonitorRecord } from "../../views/completed-monitors.ts";
import { isPauseHeld } from "../decide.ts";
import { type AfterCommit, type EngineContext, lookAgain } from "../engine-context.ts";
import { applySignals } from "../record.ts";

/** Settles what is due at `now`, and writes only if something was. Returns `null` when the monitor is gone. */
export function wakeOne(context: EngineContext, monitorId: number, now: Instant): AfterCommit | null {
  const before = loadMonitor(context, monitorId);
  if (before === null) return null;
  const due = wakeAt(before.monitor, context.gaps.undecided());
  if (due === null || due > now) return lookAgain(before, due);
  if (isPauseHeld(context, before.monitor, now)) return lookAgain(before, now + MINUTE);
  return applySignals(context, before, [{ kind: "wake" }], now).afterCommit;
}

/**
 * Pulls back instants of a monitor that a wrong clock has set in the future (R26). A monitor without such instants is
 * only armed again, because gaps of that clock are shorter now. `since` is when the clock was first seen behind, by
 * that clock. `null` when the monitor is gone.
 */
export function rebaseOne(
  context: EngineContext,
  monitorId: number,
  now: Instant,
  { backMs, since }: Readonly<{ backMs: number; since: Instant }>,
): AfterCommit | null {
  const before = loadMonitor(context, monitorId);
  if (before === null) return null;
  if (before.monitor.changedAt <= now) return rearm(context, before);
  const endedAt = endHeardBy(context, before, now);
  const byHand = pauseAskedFor(context, before, { now, backMs, since });
  const heard = { ...(endedAt !== undefined && { endedAt }), ...(byHand !== null && { byHand }) };
  const rebase = { kind: "rebase", backMs, ...heard } as const;
  return applySignals(context, before, [rebase], now).afterCommit;
}

/**
 * The end of a person's pause by the corrected clock, as it is stored from now on; `null` without such a pause, or when
 * it has no end.
 */
function pauseAskedFor(
  { store: { pausesByHand } }: EngineContext,
  { id, monitor }: MonitorRecord,
  { now, backMs, since }: Readonly<{ now: Instant; backMs: number; since: Instant }>,
): Instant | null {
  const asked = pausesByHand.find(id);
  if (asked === null || asked.until === null) return null;
  if (asked.at <= now && asked.at < since) return asked.until;
  // The pause was asked for either under the clock that was ahead, or after its correction. In the second case its
  // length was counted from the newest stored instant.
  const at = asked.at > now ? asked.at - backMs : asked.at;
  const until = asked.at > now ? asked.until - backMs : at + asked.until - monitor.changedAt;
  pausesByHand.save({ ...asked, at, until });
  return until;
}

/** When the newest end of a run came; undefined when only a clock that was ahead says so. */
const endHeardBy = ({ store }: EngineContext, { id, heads }: MonitorRecord, now: Instant): Instant | undefined => {
  const end = store.pings.last(id, heads.lastPingId, LAST_KEPT).find(({ kind }) => kind !== "start" && kind !== "log");
  const endedAt = end?.happenedAt ?? end?.at;
  return endedAt === undefined || endedAt > now ? undefined : endedAt;
};

/**
 * Arms a monitor that did not change. A gap delays what is due; that delay is not stored, because rows do not change
 * for a gap (R26). An earlier time, from the configuration or from a gap that is shorter now, is stored.
 */
export function rearm(context: EngineContext, before: MonitorRecord): AfterCommit {
  const { id, wakeAt: stored } = before;
  const wake = wakeAt(before.monitor, context.gaps.undecided());
  if (wake !== null && (stored === null || wake < stored)) context.store.monitors.saveWake(id, wake);
  return lookAgain(before, wake);
}
