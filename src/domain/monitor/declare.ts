// Applies new values to a monitor, whoever declared them: they change its slots (R12) and its maintenance (R24). Pure.

import { isOfLaterMaintenance, type Maintenance, maintenancesAt, maintenanceUntil } from "../schedule/maintenance.ts";
import { firstSlot, intervalOf, isSameRhythm, rhythmSlotAfter } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import { countMissedSlots, type Draft } from "./draft.ts";
import { nextReminder } from "./incident.ts";
import type { Monitor, Watch } from "./monitor.ts";
import { expectedSlotAfter, lastEndAt, NO_DRIFT, NOTHING_CARRIED, slotAfter, withLongerPause } from "./monitor.ts";
import { isOpen } from "./run.ts";
import { closingDelay } from "./window.ts";

/**
 * How many open slots are carried over to a new schedule at most. More can be open only when the grace is many times
 * the distance between slots; then the oldest are kept.
 */
const CARRIED_MAX = 100;
/** How many slots of two schedules are compared, in case they have no slot in common. */
const COMPARED_MAX = 1_000;

/**
 * Puts the values in force from `at`; everything before `at` must be settled already. An open incident stays open
 * (R12). `byHand` is the end of the pause that a person asked for, apart from maintenance; `null` when no such pause is
 * known.
 */
export function declare(monitor: Draft["monitor"], watch: Watch, at: Instant, byHand: Instant | null): void {
  const before = maintenancesAt(monitor.watch, at);
  if (isSameRhythm(monitor.watch, watch)) monitor.watch = watch;
  else reschedule(monitor, watch, at);
  const now = maintenancesAt(watch, at);
  const standing = monitor.pauses.manual?.until ?? null;
  const ends = (windows: readonly Maintenance[]) => windows.some(({ until }) => until === standing);
  // When a maintenance is removed or shortened, the pause that it caused ends with it. A pause that a person asked for,
  // or another maintenance that lasts longer, goes on.
  if (standing !== null && standing !== byHand && ends(before) && !ends(now)) {
    const left = [byHand ?? at, ...now.map(({ until }) => until)].filter((until) => until < standing);
    monitor.pauses = { ...monitor.pauses, manual: { until: Math.max(at, ...left) } };
  }
  // A maintenance that existed before has already begun at its time, and a monitor that a person resumed during it
  // stays resumed (R24). Only a new or longer one pauses the monitor now.
  for (const { from, until } of now) {
    const isNew = !before.some((old) => old.from === from && old.until >= until);
    if (isNew) monitor.pauses = withLongerPause(monitor.pauses, until);
  }
}

/**
 * Moves the monitor to the new schedule. A slot that both schedules have stays as it is, open or filled; a slot that
 * only the new schedule has counts from `at` (R12). An interval has a single slot, which follows from the last end
 * (R44).
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
 * The next slot of a new interval. If it has passed already, the job gets one whole new interval, but no longer than
 * until its old slot. So a shorter interval raises no alarm at once, and changing it again and again cannot silence a
 * dead job.
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
 * The next slot after `at`, or the one after it when a report has already filled it early. Only a slot that the old
 * schedule has too can lie before `expectedAt` (R20).
 */
function nextUnfilled(monitor: Monitor, watch: Watch, at: Instant): Instant | null {
  const next = firstSlot(watch, at);
  const filled = next !== null && next < (monitor.expectedAt ?? next) && slotAfter(monitor, next - 1) === next;
  return filled ? firstSlot(watch, next) : next;
}

// Corrects a monitor whose stored instants lie in the future because the clock was wrong (R26). Pure.

type PulledBack = Readonly<{ backMs: number; endedAt?: Instant; byHand?: Instant }>;

/**
 * Expects the next slot after `now`, restarts run deadlines, keeps an open incident and reads the maintenance again
 * (R26). `endedAt` is when the newest end came, if that is known by the right clock.
 */
export function rebase(draft: Draft, now: Instant, { backMs, endedAt, byHand }: PulledBack): void {
  const { monitor } = draft;
  countMissedSlots(draft, Math.max(now, notifiedMissClosedAt(monitor) ?? now));
  // Instants in the future are moved back by as much as the clock was set back. A report of an hour ago so stays an
  // hour ago, and a dead job does not seem to have just reported.
  const back = (instant: Instant): Instant => (instant > now ? Math.min(instant - backMs, now) : instant);
  const backOrNull = (instant: Instant | null): Instant | null => (instant === null ? null : back(instant));
  // While the clock was behind, an end was stored with the newest stored instant, which lies in the future. The clock
  // is right now, so that end gets the time at which it came.
  const newest = lastEndAt(monitor);
  const cameAt = endedAt !== undefined && newest > now ? Math.max(back(newest), endedAt) : null;
  const endBack = (end: Instant | null): Instant | null =>
    end === newest ? (cameAt ?? backOrNull(end)) : backOrNull(end);
  monitor.receivedAt = endBack(monitor.receivedAt);
  monitor.succeededAt = endBack(monitor.succeededAt);
  monitor.failedAt = endBack(monitor.failedAt);
  // The slot of an interval follows from the last end, which has just been moved back (R44).
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
  // The missed slot that people were told of comes round again by the right clock. It has been counted, so its second
  // passing is judged by itself.
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
 * When the slot of a reported miss closed, as long as the slot is not counted yet. The right clock may not have reached
 * this instant.
 */
const notifiedMissClosedAt = ({ incident, expectedAt, watch }: Monitor): Instant | null =>
  expectedAt === null || incident?.expectedAt !== expectedAt ? null : expectedAt + closingDelay(watch);

/**
 * A pause that a person asked for lasts until its end by the right clock, even if the wrong clock has ended it. A pause
 * for a maintenance that the wrong clock began too early ends now, because the monitor would otherwise stay silent
 * until that maintenance is over (R26).
 */
function pauseGoingOn({ pauses, watch }: Monitor, now: Instant, byHand: Instant = now): Monitor["pauses"] {
  const until = pauses.manual?.until ?? null;
  if (byHand > now && (pauses.manual === null || until !== null)) return { ...pauses, manual: { until: byHand } };
  const tooEarly = until !== null && isOfLaterMaintenance(watch, until, now);
  return tooEarly ? { ...pauses, manual: { until: now } } : pauses;
}
