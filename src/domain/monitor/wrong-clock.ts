// Finds out for how long the clock has been behind stored instants and, if that lasts, how far it was set back (R26).
// Pure.

import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { ClockLook } from "./gap.ts";
import type { Incident } from "./incident.ts";
import type { Monitor } from "./monitor.ts";
import type { Transition } from "./transition.ts";

/**
 * How many milliseconds the clock may be behind stored instants without being treated as wrong, because it will soon
 * catch up.
 */
const AHEAD_MAX = MINUTE;
const PATIENCE = 10 * MINUTE;

export interface ClockStand {
  /** How far the wall clock was ahead of the monotonic clock while it was right; `null` when that was not seen yet. */
  readonly rightOffset: number | null;
  /**
   * Both clocks when the wall clock was first seen behind; `null` when it is not behind. Only `monotonic` can be
   * trusted.
   */
  readonly behind: (ClockLook & { readonly aheadMs: number }) | null;
}

/** How far the clock was set back, in milliseconds. When `exact` is false it was set back at least this far. */
export type SetBack = Readonly<{ backMs: number; exact: boolean }>;

export const CLOCK_UNSEEN: ClockStand = { rightOffset: null, behind: null };

/**
 * Whether the clock is behind. `aheadMs` is how far the newest stored instant lies after now; it is negative when that
 * instant lies before now.
 */
export const isBehind = (aheadMs: number): boolean => aheadMs > AHEAD_MAX;

export const clockSeen = (before: ClockStand, look: ClockLook, aheadMs: number): ClockStand =>
  isBehind(aheadMs)
    ? { ...before, behind: before.behind ?? { ...look, aheadMs } }
    : { rightOffset: wallOffset(look), behind: null };

/** How far the clock was set back; `null` while it is right, or has not been wrong for long enough. */
export function setBack({ rightOffset, behind }: ClockStand, look: ClockLook): SetBack | null {
  if (behind === null || look.monotonic - behind.monotonic < PATIENCE) return null;
  if (rightOffset !== null) return { backMs: toSecond(rightOffset - wallOffset(look)), exact: true };
  // No process has seen the clock both before and after the change, so only the certain part is used.
  return { backMs: toSecond(behind.aheadMs + wallOffset(behind) - wallOffset(look)), exact: false };
}

const wallOffset = ({ at, monotonic }: ClockLook): number => at - monotonic;

/** The result is rounded, because two clocks never agree to the millisecond. */
const toSecond = (milliseconds: number): number => Math.round(milliseconds / SECOND) * SECOND;

const OF_INCIDENT = ["openedAt", "failedAt", "heardAt", "acknowledgedAt", "closedAt"] as const;

/**
 * Returns a decision whose incidents tell the clock's time. While the clock is behind the monitor's newest instant,
 * decisions count from that instant, so that their order is kept; but people must read when something happened by the
 * clock, which is correct again.
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
