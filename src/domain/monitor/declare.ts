// Gives a monitor new settings (R12, R24), and corrects it after the clock was wrong (R26). Pure.

import { isOfLaterMaintenance, type Maintenance, maintenancesAt, maintenanceUntil } from "../schedule/maintenance.ts";
import { firstSlot, intervalOfRhythm, isSameRhythm, rhythmSlotAfter } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import { countMissedSlots, type Draft } from "./draft.ts";
import { nextReminder } from "./incident.ts";
import type { Monitor, Watch } from "./monitor.ts";
import { expectedSlotAfter, lastEndAt, NO_DRIFT, NOTHING_CARRIED, slotAfter, withLongerPause } from "./monitor.ts";
import { isOpen } from "./run.ts";
import { closingDelay } from "./window.ts";

/**
 * How many open slots a monitor carries over to a new schedule at most. More are open only when the grace is many times
 * the distance between slots; then the oldest 100 are kept.
 */
const CARRIED_MAX = 100;
/** How many slots of both schedules are compared at most. They may have none in common, and the search must end. */
const COMPARED_MAX = 1_000;

/**
 * Puts the settings `watch` in force from `at`. The caller has settled everything that was due before `at`. An open
 * incident stays open (R12). `byHand` is when the pause ends that a person asked for; `null` when no such end is known.
 * A maintenance may have prolonged the monitor's present pause beyond that.
 */
export function declare(monitor: Draft["monitor"], watch: Watch, at: Instant, byHand: Instant | null): void {
  const before = maintenancesAt(monitor.watch, at);
  if (isSameRhythm(monitor.watch, watch)) monitor.watch = watch;
  else reschedule(monitor, watch, at);
  const now = maintenancesAt(watch, at);
  const standing = monitor.pauses.manual?.until ?? null;
  const ends = (windows: readonly Maintenance[]) => windows.some(({ until }) => until === standing);
  // The monitor is paused until the end of a maintenance that the new settings remove or shorten. So the pause ends
  // earlier: when the person's pause (`byHand`) and all maintenance in progress by the new settings are over.
  if (standing !== null && standing !== byHand && ends(before) && !ends(now)) {
    const left = [byHand ?? at, ...now.map(({ until }) => until)].filter((until) => until < standing);
    monitor.pauses = { ...monitor.pauses, manual: { until: Math.max(at, ...left) } };
  }
  // A maintenance of the old settings paused the monitor when it began. A person may have resumed the monitor since,
  // and that is obeyed (R24). So only a maintenance that is new or longer pauses it here.
  for (const { from, until } of now) {
    const isNew = !before.some((old) => old.from === from && old.until >= until);
    if (isNew) monitor.pauses = withLongerPause(monitor.pauses, until);
  }
}

/**
 * Moves the monitor to the new schedule (R12). A slot of both schedules stays as it is, open or filled. A slot of only
 * the new one is expected if it lies after `at`. An interval has one slot, an interval after the last end (R44).
 */
function reschedule(monitor: Draft["monitor"], watch: Watch, at: Instant): void {
  const interval = intervalOfRhythm(watch);
  const open = interval === null ? openInBoth(monitor, watch, at) : [];
  const next = interval === null ? nextUnfilled(monitor, watch, at) : sinceLastEnd(monitor, interval, at);
  monitor.watch = watch;
  monitor.expectedAt = open[0] ?? next;
  monitor.carried = open.length === 0 || next === null ? NOTHING_CARRIED : [...open, next];
  monitor.lastSuccess = null;
  monitor.drift = NO_DRIFT;
}

/**
 * The slot of a new interval: one interval after the last end. If that time is over, it is the earlier of the old slot
 * and one new interval from now. So a shorter interval raises no alarm at once, and a dead job is not silenced by
 * changing the interval again and again.
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

/**
 * The new schedule's first slot after `at`, or the slot after it when an early report has already filled the first one.
 * An early report can have filled a slot only if the old schedule has that slot too (R20).
 */
function nextUnfilled(monitor: Monitor, watch: Watch, at: Instant): Instant | null {
  const next = firstSlot(watch, at);
  const filled = next !== null && next < (monitor.expectedAt ?? next) && slotAfter(monitor, next - 1) === next;
  return filled ? firstSlot(watch, next) : next;
}

type PulledBack = Readonly<{ backMs: number; endedAt?: Instant; byHand?: Instant }>;

/**
 * Corrects a monitor after a clock that was ahead was set back by `backMs` milliseconds (R26): it expects the next slot
 * after `now`, open runs get their whole time again from `now`, and an open incident stays open. `endedAt` is when,
 * by the right clock, the monitor's newest success or fail came, if that is known. `byHand` is when a person's pause
 * ends, if it does.
 */
export function rebase(draft: Draft, now: Instant, { backMs, endedAt, byHand }: PulledBack): void {
  const { monitor } = draft;
  countMissedSlots(draft, Math.max(now, notifiedMissClosedAt(monitor) ?? now));
  // An instant in the future was stored by the clock that was ahead, so it moves back by `backMs`. Then a report that
  // came an hour ago still counts as an hour old. If the instant became `now` instead, a dead job would seem to have
  // just reported.
  const back = (instant: Instant): Instant => (instant > now ? Math.min(instant - backMs, now) : instant);
  const backOrNull = (instant: Instant | null): Instant | null => (instant === null ? null : back(instant));
  // A success or fail may have come after the clock was set back, and before this correction. It was stored at the
  // monitor's newest instant, so that the monitor's time did not run backwards. Now it gets the instant at which it
  // came by the right clock (`endedAt`).
  const newest = lastEndAt(monitor);
  const cameAt = endedAt !== undefined && newest > now ? Math.max(back(newest), endedAt) : null;
  const endBack = (end: Instant | null): Instant | null =>
    end === newest ? (cameAt ?? backOrNull(end)) : backOrNull(end);
  monitor.receivedAt = endBack(monitor.receivedAt);
  monitor.succeededAt = endBack(monitor.succeededAt);
  monitor.failedAt = endBack(monitor.failedAt);
  // The slot of an interval follows from the last end, which has just been moved back (R44).
  const interval = intervalOfRhythm(monitor.watch);
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
  // By the wrong clock, an alert named the slot `incident.expectedAt` as missed. By the right clock this slot is still
  // to come, and is then judged again. So the incident's `expectedAt` moves back: it must not equal the slot to come.
  const expectedAt = backOrNull(incident.expectedAt);
  const failedAt = backOrNull(incident.failedAt);
  const heardAt = backOrNull(incident.heardAt);
  const failedRunBeganAt = backOrNull(incident.failedRunBeganAt);
  const lateTo = backOrNull(incident.lateTo);
  const missedTo = backOrNull(incident.missedTo);
  monitor.incident = {
    ...incident,
    openedAt,
    expectedAt,
    failedAt,
    heardAt,
    failedRunBeganAt,
    lateTo,
    missedTo,
    remindAt,
    seriesSince,
  };
}

/**
 * When a slot closes that an alert of the open incident named as missed. This may lie in the future, because a clock
 * that was ahead told of the miss too early. `null` when no alert named a slot, or the monitor no longer expects that
 * slot.
 */
const notifiedMissClosedAt = ({ incident, expectedAt, watch }: Monitor): Instant | null =>
  expectedAt === null || incident?.expectedAt !== expectedAt ? null : expectedAt + closingDelay(watch);

/**
 * The pauses after the clock was corrected (R26). A person's pause lasts until the end that the person asked for, even
 * if the wrong clock ended it. A maintenance pause that the wrong clock began too early ends now; otherwise the monitor
 * would be silent until the end of that maintenance.
 */
function pauseGoingOn({ pauses, watch }: Monitor, now: Instant, byHand: Instant = now): Monitor["pauses"] {
  const until = pauses.manual?.until ?? null;
  if (byHand > now && (pauses.manual === null || until !== null)) return { ...pauses, manual: { until: byHand } };
  const tooEarly = until !== null && isOfLaterMaintenance(watch, until, now);
  return tooEarly ? { ...pauses, manual: { until: now } } : pauses;
}
