// For how long a clock has been behind stored instants, and, if that lasts, how far it was set back (R26). Pure.

import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { ClockLook } from "./gap.ts";
import type { Incident } from "./incident.ts";
import type { Monitor } from "./monitor.ts";
import type { Transition } from "./transition.ts";

/** The clock will soon reach instants that are less far ahead. */
const AHEAD_MAX = MINUTE;
const PATIENCE = 10 * MINUTE;

export interface ClockStand {
  /** How far the wall clock was ahead of the monotonic one while nothing was wrong; null: not seen yet. */
  readonly rightOffset: number | null;
  /** When we first saw it behind, by both clocks; null: it is not. We can believe only the monotonic one. */
  readonly behind: (ClockLook & { readonly aheadMs: number }) | null;
}

/** How far the clock was set back, in milliseconds. `exact` false: at least this far. */
export type SetBack = Readonly<{ backMs: number; exact: boolean }>;

export const CLOCK_UNSEEN: ClockStand = { rightOffset: null, behind: null };

/** `aheadMs`: by how much the newest stored instant lies after now; negative when it lies before. */
export const isBehind = (aheadMs: number): boolean => aheadMs > AHEAD_MAX;

export const clockSeen = (before: ClockStand, look: ClockLook, aheadMs: number): ClockStand =>
  isBehind(aheadMs)
    ? { ...before, behind: before.behind ?? { ...look, aheadMs } }
    : { rightOffset: wallOffset(look), behind: null };

/** Null while the clock is not wrong, or not for long enough. */
export function setBack({ rightOffset, behind }: ClockStand, look: ClockLook): SetBack | null {
  if (behind === null || look.monotonic - behind.monotonic < PATIENCE) return null;
  if (rightOffset !== null) return { backMs: toSecond(rightOffset - wallOffset(look)), exact: true };
  // When no process has seen the clock both before and after, we use only what is certain.
  return { backMs: toSecond(behind.aheadMs + wallOffset(behind) - wallOffset(look)), exact: false };
}

const wallOffset = ({ at, monotonic }: ClockLook): number => at - monotonic;

/** Two clocks never agree to the millisecond. */
const toSecond = (milliseconds: number): number => Math.round(milliseconds / SECOND) * SECOND;

const OF_INCIDENT = ["openedAt", "failedAt", "heardAt", "acknowledgedAt", "closedAt"] as const;

/**
 * What was decided while the clock is behind the monitor's newest instant counts from that instant, so that nothing
 * comes before what came before it. But incidents say when it happened, by the clock that is right now.
 */
export function byTheClock(decision: Transition, before: Monitor, now: Instant): Transition {
  const told = (incident: Incident): Incident => {
    const known = before.incident?.number === incident.number ? before.incident : null;
    const later = OF_INCIDENT.filter((field) => incident[field] !== known?.[field] && (incident[field] ?? now) > now);
    return later.length === 0 ? incident : { ...incident, ...Object.fromEntries(later.map((field) => [field, now])) };
  };
  const { monitor, alerts } = decision;
  return {
    ...decision,
    monitor: monitor.incident === null ? monitor : { ...monitor, incident: told(monitor.incident) },
    alerts: alerts.map((alert) => ({ ...alert, incident: told(alert.incident) })),
  };
}
