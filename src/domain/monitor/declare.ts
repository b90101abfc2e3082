// New values change the slots (R12) and the maintenance (R24) of a monitor, whoever declared them. Pure.

import { isOfLaterMaintenance, type Maintenance, maintenancesAt, maintenanceUntil } from "../schedule/maintenance.ts";
import { firstSlot, intervalOf, isSameRhythm, rhythmSlotAfter } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import { countMissedSlots, type Draft } from "./draft.ts";
import { nextReminder } from "./incident.ts";
import type { Monitor, Watch } from "./monitor.ts";
import { expectedSlotAfter, lastEndAt, NO_DRIFT, NOTHING_CARRIED, slotAfter, withLongerPause } from "./monitor.ts";
import { isOpen } from "./run.ts";
import { closingDelay } from "./window.ts";

/** More slots wait only when the grace is many times the distance between slots; the oldest alarm first. */
const CARRIED_MAX = 100;
/** We stop comparing two schedules after this, in case they never meet. */
const COMPARED_MAX = 1_000;

/**
 * The values are in force from `at`; everything before is settled under the old ones. An open incident stays (R12).
 * `byHand`: until when a person paused it beside maintenance; null: it is not known to be.
 */
export function declare(monitor: Draft["monitor"], watch: Watch, at: Instant, byHand: Instant | null): void {
  const before = maintenancesAt(monitor.watch, at);
  if (isSameRhythm(monitor.watch, watch)) monitor.watch = watch;
  else reschedule(monitor, watch, at);
  const now = maintenancesAt(watch, at);
  const standing = monitor.pauses.manual?.until ?? null;
  const ends = (windows: readonly Maintenance[]) => windows.some(({ until }) => until === standing);
  // The pause of one that was taken out or made shorter ends with it, and what it outlasted goes on.
  if (standing !== null && standing !== byHand && ends(before) && !ends(now)) {
    const left = [byHand ?? at, ...now.map(({ until }) => until)].filter((until) => until < standing);
    monitor.pauses = { ...monitor.pauses, manual: { until: Math.max(at, ...left) } };
  }
  // A window that existed before has begun at its time, and a monitor that was resumed in it stays resumed (R24).
  for (const { from, until } of now) {
    const isNew = !before.some((old) => old.from === from && old.until >= until);
    if (isNew) monitor.pauses = withLongerPause(monitor.pauses, until);
  }
}

/**
 * A slot of both schedules stays as it is, open or filled; one that only the new has counts from `at` (R12). An
 * interval has one slot, which follows from the last end (R44).
 */
function reschedule(monitor: Draft["monitor"], watch: Watch, at: Instant): void {
  const interval = intervalOf(watch);
  const open = interval === null ? openInBoth(monitor, watch, at) : [];
  const next = interval === null ? nextUnfilled(monitor, watch, at) : sinceLastEnd(monitor, interval, at);
  monitor.watch = watch;
  monitor.expectedAt = open[0] ?? next;
  monitor.carried = open.length === 0 || next === null ? NOTHING_CARRIED : [...open, next];
  monitor.lastSuccess = null;
  monitor.drift = NO_DRIFT;
}

/**
 * If that has passed, the job has one new interval, or until its old slot: we raise no alarm because a person asked for
 * more, and one who changes the interval again and again does not silence a dead job.
 */
function sinceLastEnd(monitor: Monitor, interval: number, at: Instant): Instant {
  const next = lastEndAt(monitor) + interval;
  return next > at ? next : Math.min(monitor.expectedAt ?? Number.POSITIVE_INFINITY, at + interval);
}

function openInBoth(monitor: Monitor, watch: Watch, at: Instant): Instant[] {
  const both: Instant[] = [];
  let slot = monitor.expectedAt;
  for (let compared = 0; slot !== null && slot <= at && compared < COMPARED_MAX; compared += 1) {
    const candidate = firstSlot(watch, slot - 1);
    if (candidate === slot) both.push(slot);
    if (candidate === null || both.length === CARRIED_MAX) break;
    slot = expectedSlotAfter(monitor, candidate === slot ? slot : candidate - 1);
  }
  return both;
}

/** A report may have filled the slot after `at` early: only that old slot can lie before `expectedAt` (R20). */
function nextUnfilled(monitor: Monitor, watch: Watch, at: Instant): Instant | null {
  const next = firstSlot(watch, at);
  const filled = next !== null && next < (monitor.expectedAt ?? next) && slotAfter(monitor, next - 1) === next;
  return filled ? firstSlot(watch, next) : next;
}

// How a monitor changes whose stored instants lie in the future because the clock was wrong (R26). Pure.

type PulledBack = Readonly<{ backMs: number; endedAt?: Instant; byHand?: Instant }>;

/**
 * The next slot after now is expected, run deadlines restart, an open incident stays, windows are read again (R26).
 * `endedAt`: when the newest end came, at `now` or before; absent: by a clock that was ahead, or never.
 */
export function rebase(draft: Draft, now: Instant, { backMs, endedAt, byHand }: PulledBack): void {
  const { monitor } = draft;
  countMissedSlots(draft, Math.max(now, notifiedMissClosedAt(monitor) ?? now));
  // Shifted by as much as the clock was set back: a report of an hour ago stays an hour ago, so a dead job has not just
  // reported.
  const back = (instant: Instant): Instant => (instant > now ? Math.min(instant - backMs, now) : instant);
  const backOrNull = (instant: Instant | null): Instant | null => (instant === null ? null : back(instant));
  // An end that came since counted as of the newest stored time, so it lies in the future. The clock is believed now:
  // that end counts as it came.
  const newest = lastEndAt(monitor);
  const cameAt = endedAt !== undefined && newest > now ? Math.max(back(newest), endedAt) : null;
  const endBack = (end: Instant | null): Instant | null =>
    end === newest ? (cameAt ?? backOrNull(end)) : backOrNull(end);
  monitor.receivedAt = endBack(monitor.receivedAt);
  monitor.succeededAt = endBack(monitor.succeededAt);
  monitor.failedAt = endBack(monitor.failedAt);
  // An interval goes on from the last end, which has just been pulled back (R44).
  const interval = intervalOf(monitor.watch);
  monitor.expectedAt = rhythmSlotAfter(monitor.watch, now, interval === null ? null : back(lastEndAt(monitor)));
  monitor.carried = NOTHING_CARRIED;
  monitor.excusedBy = null;
  monitor.drift = NO_DRIFT;
  monitor.pauses = withLongerPause(pauseGoingOn(monitor, now, byHand), maintenanceUntil(monitor.watch, now));
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
  const seriesSince = backOrNull(incident.seriesSince);
  const remindAt = incident.remindAt === null ? null : nextReminder(watch.reminders, { seriesSince, openedAt }, now);
  // A slot that was told comes once more, and is judged by its own time then; the old one has been counted.
  const expectedAt = backOrNull(incident.expectedAt);
  const failedAt = backOrNull(incident.failedAt);
  const heardAt = backOrNull(incident.heardAt);
  const failedRunBeganAt = backOrNull(incident.failedRunBeganAt);
  const lateTo = backOrNull(incident.lateTo);
  const missedTo = backOrNull(incident.missedTo);
  monitor.incident = {
    ...incident,
    ...{ openedAt, expectedAt, failedAt, heardAt, failedRunBeganAt, lateTo, missedTo, remindAt, seriesSince },
  };
}

/** When the slot of the reported miss closed, while it is not counted yet; the right clock may not be there yet. */
const notifiedMissClosedAt = ({ incident, expectedAt, watch }: Monitor): Instant | null =>
  expectedAt === null || incident?.expectedAt !== expectedAt ? null : expectedAt + closingDelay(watch);

/**
 * A pause that a person asked for stands until it ends by the right clock, also when the wrong one has ended it. A
 * window's pause that the wrong clock began ends now; else this monitor would stay silent until then (R26).
 */
function pauseGoingOn({ pauses, watch }: Monitor, now: Instant, byHand: Instant = now): Monitor["pauses"] {
  const until = pauses.manual?.until ?? null;
  if (byHand > now && (pauses.manual === null || until !== null)) return { ...pauses, manual: { until: byHand } };
  const tooEarly = until !== null && isOfLaterMaintenance(watch, until, now);
  return tooEarly ? { ...pauses, manual: { until: now } } : pauses;
}
