// New values for a monitor, from a report, a registry, a person or the configuration: how its slots (R12) and
// maintenance windows (R24) change. Pure; does not decide who may declare what.

import { maintenanceUntil } from "../schedule/maintenance.ts";
import { firstSlot, intervalOf, isSameRhythm } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import type { Draft } from "./draft.ts";
import {
  expectedSlotAfter,
  lastEndAt,
  type Monitor,
  NO_DRIFT,
  NOTHING_CARRIED,
  pausedAlso,
  slotAfter,
  type Watch,
} from "./monitor.ts";

/** More slots wait only when the grace is many times the distance between slots; the oldest alarm first. */
const CARRIED_MAX = 100;
/** We stop comparing two schedules after this, in case they never meet. */
const COMPARED_MAX = 1_000;

/** The values are in force from `at`; everything before is settled under the old ones. An open incident stays (R12). */
export function declare(monitor: Draft["monitor"], watch: Watch, at: Instant): void {
  const under = maintenanceUntil(monitor.watch, at) ?? at;
  if (isSameRhythm(monitor.watch, watch)) monitor.watch = watch;
  else reschedule(monitor, watch, at);
  // A window that existed before has begun at its time, and a monitor that was resumed in it stays resumed (R24).
  const until = maintenanceUntil(watch, at);
  if (until !== null && until > under) monitor.pauses = pausedAlso(monitor.pauses, until);
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
