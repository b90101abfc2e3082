// New values for a monitor, from a report, a registry, a person or the configuration: how its slots (R12) and
// maintenance windows (R24) change. Pure; does not decide who may declare what.

import { maintenanceUntil } from "../schedule/maintenance.ts";
import { isSameSchedule } from "../schedule/slots.ts";
import type { Instant } from "../time.ts";
import type { Draft } from "./draft.ts";
import {
  expectedSlotAfter,
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
  if (isSameSchedule(monitor.watch, watch)) monitor.watch = watch;
  else reschedule(monitor, watch, at);
  // A window that existed before has begun at its time, and a monitor that was resumed in it stays resumed (R24).
  const until = maintenanceUntil(watch, at);
  if (until !== null && until > under) monitor.pauses = pausedAlso(monitor.pauses, until);
}

/** A slot of both schedules stays as it is, open or filled; one that only the new has counts from `at` (R12). */
function reschedule(monitor: Draft["monitor"], watch: Watch, at: Instant): void {
  const open = openInBoth(monitor, watch, at);
  const next = nextUnfilled(monitor, watch, at);
  monitor.watch = watch;
  monitor.expectedAt = open[0] ?? next;
  monitor.carried = open.length === 0 || next === null ? NOTHING_CARRIED : [...open, next];
  monitor.lastSuccess = null;
  monitor.drift = NO_DRIFT;
}

function openInBoth(monitor: Monitor, watch: Watch, at: Instant): Instant[] {
  const both: Instant[] = [];
  let slot = monitor.expectedAt;
  for (let compared = 0; slot !== null && slot <= at && compared < COMPARED_MAX; compared += 1) {
    const candidate = slotAfter(watch, slot - 1);
    if (candidate === slot) both.push(slot);
    if (candidate === null || both.length === CARRIED_MAX) break;
    slot = expectedSlotAfter(monitor, candidate === slot ? slot : candidate - 1);
  }
  return both;
}

/** A report may have filled the slot after `at` early: only that old slot can lie before `expectedAt` (R20). */
function nextUnfilled(monitor: Monitor, watch: Watch, at: Instant): Instant | null {
  const next = slotAfter(watch, at);
  const filled = next !== null && next < (monitor.expectedAt ?? next) && slotAfter(monitor.watch, next - 1) === next;
  return filled ? slotAfter(watch, next) : next;
}
