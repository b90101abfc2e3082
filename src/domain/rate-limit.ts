// Rate limits (R33): may this key send another request now, and if not, in how many seconds. A window opens with the
// first request after the last window has ended. A key that stays within the limit in every such span is never refused;
// around a window's end up to twice the limit can pass. In return we keep only two numbers.

import { SECOND } from "./time.ts";

export interface RateLimit {
  /** The configuration key that sets the limit, such as `limits.v1_per_minute`. */
  readonly setting: string;
  /** Requests in one window, at least 1. */
  readonly most: number;
  /** How long a window stays open, in milliseconds. */
  readonly span: number;
}

/** The open window of one limit, in whole milliseconds on a clock that never steps. */
export interface Window {
  readonly openedAt: number;
  /** Requests accepted since the window opened. */
  readonly taken: number;
}

export type RateVerdict =
  | { readonly accepted: true; readonly windows: readonly Window[] }
  /** After `retryAfterSeconds` whole seconds a request is accepted; `limit`: the limit whose window ends then. */
  | { readonly accepted: false; readonly retryAfterSeconds: number; readonly limit: RateLimit };

/** A request beyond the limit. */
export type RateExcess = Extract<RateVerdict, { accepted: false }>;

/**
 * Whether a request at `now` is within all limits. `windows` has one window for each limit, in the same order, as the
 * last accepted request left them; undefined before the first. A refused request changes no window, so it prolongs
 * nothing.
 */
export function judgeRate(
  limits: readonly RateLimit[],
  windows: readonly Window[] | undefined,
  now: number,
): RateVerdict {
  let wait = 0;
  let exceeded: RateLimit | null = null;
  const after: Window[] = [];
  for (let place = 0; place < limits.length; place++) {
    const limit = limits[place]!;
    const { openedAt, taken } = openWindow(windows?.[place], limit, now);
    const left = openedAt + limit.span - now;
    if (taken >= limit.most && left > wait) {
      wait = left;
      exceeded = limit;
    }
    after.push({ openedAt, taken: taken + 1 });
  }
  if (exceeded === null) return { accepted: true, windows: after };
  return { accepted: false, retryAfterSeconds: Math.ceil(wait / SECOND), limit: exceeded };
}

const openWindow = (window: Window | undefined, { span }: RateLimit, now: number): Window =>
  window === undefined || now - window.openedAt >= span ? { openedAt: now, taken: 0 } : window;
