// How a monitor changes whose stored instants lie in the future because the clock was wrong (R26). Pure; the engine
// notices that and decides when.

import { isOfLaterMaintenance, maintenanceUntil } from "../schedule/maintenance.ts";
import { intervalOf, rhythmSlotAfter } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import { countMissedSlots, type Draft } from "./draft.ts";
import { nextReminder } from "./incident.ts";
import { lastEndAt, type Monitor, NO_DRIFT, NOTHING_CARRIED, pausedAlso } from "./monitor.ts";
import { isOpen } from "./run.ts";
import { closingDelay } from "./window.ts";

/**
 * The next slot after now is expected, run deadlines restart, an open incident stays, windows are read again (R26).
 * `endedAt`: when the newest end came, at `now` or before; null: by a clock that was ahead, or never.
 */
export function rebase(draft: Draft, now: Instant, backMs: number, endedAt: Instant | null): void {
  const { monitor } = draft;
  countMissedSlots(draft, Math.max(now, notifiedMissClosedAt(monitor) ?? now));
  // Shifted by as much as the clock was set back: a report of an hour ago stays an hour ago, so a dead job has not just
  // reported.
  const back = (instant: Instant): Instant => (instant > now ? Math.min(instant - backMs, now) : instant);
  const backOrNull = (instant: Instant | null): Instant | null => (instant === null ? null : back(instant));
  // An end that came since counted as of the newest stored time; the clock is believed now, so it counts as it came.
  const newest = lastEndAt(monitor);
  const endBack = (end: Instant | null): Instant | null =>
    end === newest && endedAt !== null ? Math.max(back(end), endedAt) : backOrNull(end);
  monitor.receivedAt = endBack(monitor.receivedAt);
  monitor.succeededAt = endBack(monitor.succeededAt);
  monitor.failedAt = endBack(monitor.failedAt);
  // An interval goes on from the last end, which has just been pulled back (R44).
  const interval = intervalOf(monitor.watch);
  monitor.expectedAt = rhythmSlotAfter(monitor.watch, now, interval === null ? null : back(lastEndAt(monitor)));
  monitor.carried = NOTHING_CARRIED;
  monitor.excusedBy = null;
  monitor.drift = NO_DRIFT;
  monitor.pauses = pausedAlso(pulledBack(monitor, now), maintenanceUntil(monitor.watch, now));
  monitor.runs = monitor.runs.map((run) =>
    isOpen(run)
      ? { ...run, startedAt: Math.min(run.startedAt, now), deadline: now + (run.deadline - run.startedAt) }
      : run,
  );
  const { pendingFail, incident, watch } = monitor;
  if (pendingFail !== null) {
    const { failedAt, heardAt } = pendingFail;
    monitor.pendingFail = { ...pendingFail, failedAt: back(failedAt), heardAt: back(heardAt) };
  }
  if (incident === null) return;
  const openedAt = back(incident.openedAt);
  const remindAt = incident.remindAt === null ? null : nextReminder(watch.reminders, openedAt, now);
  // A slot that was told comes once more, and is judged by its own time then; the old one has been counted.
  const expectedAt = backOrNull(incident.expectedAt);
  const failedAt = backOrNull(incident.failedAt);
  const heardAt = backOrNull(incident.heardAt);
  const failedRunBeganAt = backOrNull(incident.failedRunBeganAt);
  const lateTo = backOrNull(incident.lateTo);
  const missedTo = backOrNull(incident.missedTo);
  monitor.incident = {
    ...incident,
    ...{ openedAt, expectedAt, failedAt, heardAt, failedRunBeganAt, lateTo, missedTo, remindAt },
  };
}

/** When the slot of the reported miss closed, while it is not counted yet; the right clock may not be there yet. */
const notifiedMissClosedAt = ({ incident, expectedAt, watch }: Monitor): Instant | null =>
  expectedAt === null || incident?.expectedAt !== expectedAt ? null : expectedAt + closingDelay(watch);

/** A window's pause that the wrong clock began ends now; else this monitor would stay silent until then (R26). */
function pulledBack({ pauses, watch }: Monitor, now: Instant): Monitor["pauses"] {
  const until = pauses.manual?.until ?? null;
  const tooEarly = until !== null && isOfLaterMaintenance(watch, until, now);
  return tooEarly ? { ...pauses, manual: { until: now } } : pauses;
}
