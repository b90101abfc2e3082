// What a job reports when a scheduler runs it: each run once as it ends, or its start and its end; on its way for some
// seconds, from a machine whose clock may be two seconds fast.

import type { Instant } from "../../../src/domain/time.ts";
import type { Chance } from "./chance.ts";

export interface Report {
  readonly at: Instant;
  readonly kind: "heartbeat" | "start" | "complete";
  readonly runId: string | null;
  /** Which of the scheduler's runs it belongs to; BY_HAND: none of them. */
  readonly fire: number;
  /** When the scheduler ran it. */
  readonly firedAt: Instant;
}

/** How a job reports: heartbeats, short runs, or runs that take most of the time until the next. */
export type ValueRule = "heartbeats" | "short runs" | "long runs";

/** A job as a scheduler runs it: each fire some seconds after `from`. `shortestPause`: minutes between two at least. */
export interface Fires {
  readonly from: Instant;
  readonly seconds: readonly number[];
  readonly shortestPause: number;
  readonly changeAt: Instant;
}

const BY_HAND = -1;
const FAST_MS = 2_000;
const LATE_MS = 5_000;
const SHORT_RUN_MS = 20_000;
/** No run takes longer: without `maxRuntime` a day is the limit anyway (R21). */
const LONG_RUN_MS = 4 * 3_600_000;
/** Runs of a job that comes more often are short whatever it does. */
const LONG_RUN_PAUSE_MINUTES = 10;
const HOUR_MS = 3_600_000;

/** Every other job sends heartbeats. */
export function mannerOf({ shortestPause }: Fires, chance: Chance): ValueRule {
  if (chance(2) === 0) return "heartbeats";
  return chance(2) === 0 && shortestPause >= LONG_RUN_PAUSE_MINUTES ? "long runs" : "short runs";
}

/**
 * The reports of a job in the order in which they arrive. First comes a run by hand, so that the monitor is healthy and
 * knows how long a run takes. A job that sends heartbeats may be run by hand again, in the hours around the change.
 */
export function reportsOf(fires: Fires, valueRule: ValueRule, chance: Chance): Report[] {
  const { from, seconds, changeAt } = fires;
  const length = valueRule === "long runs" ? Math.min(fires.shortestPause * 48_000, LONG_RUN_MS) : SHORT_RUN_MS;
  const tried = from - 30_000;
  const reports = runOf(BY_HAND, valueRule === "heartbeats" ? tried : tried - length, tried, length, valueRule);
  if (valueRule === "heartbeats" && chance(3) === 0) {
    const at = Math.max(from, changeAt + chance(3 * HOUR_MS) - HOUR_MS);
    reports.push(...runOf(BY_HAND, at, at, length, valueRule));
  }
  for (const [fire, second] of seconds.entries()) {
    const firedAt = from + second * 1_000;
    const at = firedAt + chance(FAST_MS + LATE_MS) - FAST_MS;
    reports.push(...runOf(fire, at, firedAt, length, valueRule));
  }
  return reports.sort((one, other) => one.at - other.at);
}

function runOf(fire: number, at: Instant, firedAt: Instant, length: number, valueRule: ValueRule): Report[] {
  if (valueRule === "heartbeats") return [{ at, kind: "heartbeat", runId: null, fire, firedAt }];
  const runId = String(fire);
  return [
    { at, kind: "start", runId, fire, firedAt },
    { at: at + length, kind: "complete", runId, fire, firedAt },
  ];
}
