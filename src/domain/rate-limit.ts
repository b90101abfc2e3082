// Rate limits (R33): whether a key may send another request now, and otherwise in how many seconds. A window opens with
// the first request after the former window has ended. A key that stays within the limit in every span of a window's
// length is never refused. With a limit of 60 a minute, 60 requests at the end of a window and 60 at the begin of the
// next can pass. In return, a window takes only two numbers.

import { ALIAS_PER_MINUTE, V1_PER_HOUR, V1_PER_MINUTE } from "./limits.ts";
import { mostSlotsIn, type Rhythm } from "./schedule/rhythm.ts";
import { HOUR, MINUTE, SECOND } from "./time.ts";

export interface RateLimit {
  /** The configuration key that sets the limit, such as `limits.v1_per_minute`. */
  readonly setting: string;
  readonly most: number;
  /** How long a window stays open, in milliseconds. */
  readonly span: number;
  /** `most` grows up to this number when an application's schedules call for more; absent when the limit is fixed. */
  readonly growsTo?: number;
}

export type RhythmCount = Omit<Rhythm, "timezone"> & Readonly<{ monitors: number }>;

const REPORTS_A_RUN = 2;

/** The limit is this many times what the schedules call for, to leave room for retries and starts by hand. */
const MARGIN = 2;

/** The most reports that these monitors send in `span` milliseconds, if each run reports its start and its end. */
export const reportsCalledFor = (rhythms: readonly RhythmCount[], span: number): number =>
  rhythms.reduce((sum, { monitors, ...rhythm }) => sum + REPORTS_A_RUN * monitors * mostSlotsIn(rhythm, span), 0);

/** The limit for a key, raised to what the schedules of its application's monitors call for, if that is more. */
export function grownLimit(limit: RateLimit, rhythms: readonly RhythmCount[]): RateLimit {
  const { most, span, growsTo = most } = limit;
  return { ...limit, most: Math.max(most, Math.min(growsTo, MARGIN * reportsCalledFor(rhythms, span))) };
}

/** The contract's limit can grow to this many times its number. */
const GROWS_BY = 20;

/**
 * Lets a limit grow when an application's schedules call for more reports (R33). Only the contract's own number grows.
 * A number that an operator has set stays as it is.
 */
const growing = (limit: RateLimit, contractual: number): RateLimit =>
  limit.most === contractual ? { ...limit, growsTo: GROWS_BY * contractual } : limit;

/** The limits for the reports of one key under version 1; 0 means no limit. */
export const versionOneRateLimits = (perMinute: number, perHour: number): readonly RateLimit[] =>
  [
    growing({ setting: "limits.v1_per_minute", most: perMinute, span: MINUTE }, V1_PER_MINUTE),
    growing({ setting: "limits.v1_per_hour", most: perHour, span: HOUR }, V1_PER_HOUR),
  ].filter(isLimit);

/** The limit for the reports of one key at the unversioned aliases; 0 means no limit. */
export const aliasRateLimits = (perMinute: number): readonly RateLimit[] =>
  [growing({ setting: "limits.alias_per_minute", most: perMinute, span: MINUTE }, ALIAS_PER_MINUTE)].filter(isLimit);

export function isLimit({ most }: RateLimit): boolean {
  return most > 0;
}

/** `openedAt` is in whole milliseconds of a clock that never makes a step; `taken` counts the window's requests. */
export type Window = Readonly<{ openedAt: number; taken: number }>;

export type RateVerdict =
  | { readonly accepted: true; readonly windows: readonly Window[] }
  /** After `retryAfterSeconds` whole seconds another request is accepted: the window of `limit` has ended by then. */
  | { readonly accepted: false; readonly retryAfterSeconds: number; readonly limit: RateLimit };

/** The most monitors of an application that count for its limits. With so many, each limit is at its largest. */
export const MONITORS_COUNTED = 5_000;

/** Finds the first limit that would refuse what the jobs' own schedules call for; `null` when no limit does. */
export function tooSmall(limits: readonly RateLimit[], rhythms: readonly RhythmCount[]): TooSmall | null {
  for (const limit of limits) {
    const called = reportsCalledFor(rhythms, limit.span);
    const { setting, span, most } = grownLimit(limit, rhythms);
    if (called <= most) continue;
    const words = `its jobs may send ${called} reports in 1 ${span < HOUR ? "minute" : "hour"}, and a key may send ${most}`;
    return { setting, words };
  }
  return null;
}

/** `words` says what is too small, but not what to do about it. */
type TooSmall = Readonly<{ setting: string; words: string }>;

export const RAISE_LIMIT = "raise the limit, or give busy jobs an application of their own";

export type RateExcess = Extract<RateVerdict, { accepted: false }>;

/**
 * Decides whether a request at `now` is within all limits. `windows` has one window for each limit, in the same order;
 * it is undefined before the first request. An accepted request gets the windows to keep for the next call. A refused
 * request changes no window, so it does not prolong the wait.
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
