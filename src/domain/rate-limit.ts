// Rate limits (R33): may this key send another request now, and if not, in how many seconds. A window opens with the
// first request after the one before has ended. So a key that never sends more than the limit within any one span is never
// refused, and two numbers suffice; in return, up to twice the limit fits around a window's end.

import { SECOND } from "./time.ts";

export interface RateLimit {
  /** The key of the configuration that sets it, such as `limits.v1_per_minute`. */
  readonly setting: string;
  /** Requests in one window, at least 1. */
  readonly most: number;
  /** How long a window stays open, in milliseconds. */
  readonly span: number;
}

/** The window of one limit, on a clock that never steps; milliseconds, whole. */
export interface Window {
  readonly openedAt: number;
  /** Requests accepted since. */
  readonly taken: number;
}

export type RateVerdict =
  | { readonly accepted: true; readonly windows: readonly Window[] }
  /** `retryAfterSeconds`: the least whole number of seconds after which a request is accepted; `limit`: whose window ends then. */
  | { readonly accepted: false; readonly retryAfterSeconds: number; readonly limit: RateLimit };

/** A request beyond the limit. */
export type RateExcess = Extract<RateVerdict, { accepted: false }>;

/**
 * Whether a request at `now` is within all limits. `windows`: one for each limit, in the same order, as the last accepted
 * request left them; undefined before the first. A refused request leaves them as they were, so it prolongs nothing.
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
