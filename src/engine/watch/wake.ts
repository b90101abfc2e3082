// One monitor on which no report stands to be recorded: time has passed, or the clock was put right. Its row is read again
// and says whether anything is to be done (R19). Runs inside the caller's transaction.

import { wakeAt } from "../../domain/monitor/settle.ts";
import { transition } from "../../domain/monitor/transition.ts";
import type { Instant } from "../../domain/time.ts";
import type { MonitorRecord } from "../../store/monitors.ts";
import { gapsAbout, loadMonitor, lookAgain } from "../monitor-records.ts";
import { type Aftermath, type Desk, record } from "../record.ts";

/** Settles what is due at `now`; writes nothing when nothing is. Null: the monitor is gone. */
export function wakeOne(desk: Desk, monitorId: number, now: Instant): Aftermath | null {
  const before = loadMonitor(desk, monitorId);
  if (before === null) return null;
  const { monitor } = before;
  const due = wakeAt(monitor, desk.gaps());
  if (due === null || due > now) return lookAgain(before, due);
  return record(desk, before, transition(monitor, { kind: "wake" }, now, gapsAbout(desk, monitor)), now, null);
}

/**
 * Pulls a monitor's instants back that a clock wrong then has set in the future (R26); one without any is only armed
 * again, since gaps of that clock are shorter now. Null: the monitor is gone.
 */
export function rebaseOne(desk: Desk, monitorId: number, now: Instant, backMs: number): Aftermath | null {
  const before = loadMonitor(desk, monitorId);
  if (before === null) return null;
  if (before.monitor.changedAt <= now) return rearm(desk, before);
  return record(
    desk,
    before,
    transition(before.monitor, { kind: "rebase", backMs }, now, gapsAbout(desk, before.monitor)),
    now,
    null,
  );
}

/**
 * When to look again at a monitor of which nothing changed. A gap puts off what is due, and that is not written: rows stay
 * as they are for it (R26). What the configuration alone knows, or a gap that is shorter now, may bring something forward.
 */
export function rearm(desk: Desk, before: MonitorRecord): Aftermath {
  const { id, wakeAt: stored } = before;
  const wake = wakeAt(before.monitor, desk.gaps());
  if (wake !== null && (stored === null || wake < stored)) desk.store.monitors.saveWake(id, wake);
  return lookAgain(before, wake);
}
