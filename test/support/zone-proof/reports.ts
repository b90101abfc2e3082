// What a job reports when a scheduler runs it: each run once as it ends, or its start and its end; on its way for some
// seconds, from a machine whose clock may be two seconds fast.

import type { Instant } from "../../../src/domain/time.ts";
import type { Chance } from "./chance.ts";

export interface Report {
  readonly at: Instant;
  readonly kind: "heartbeat" | "start" | "complete";
  readonly runId: string | null;
  /** Which of the scheduler's runs it belongs to; -1: one by hand before all of them. */
  readonly fire: number;
  /** When the scheduler ran it. */
  readonly firedAt: Instant;
}

/** How a job reports: heartbeats, short runs, or runs that take most of the time until the next. */
export type Manner = "heartbeats" | "short runs" | "long runs";

const FAST_MS = 2_000;
const LATE_MS = 5_000;
const SHORT_RUN_MS = 20_000;
/** No run takes longer: without `maxRuntime` a day is the limit anyway (R21). */
const LONG_RUN_MS = 4 * 3_600_000;
/** Runs of a job that comes more often are short whatever it does. */
const LONG_RUN_PAUSE_MINUTES = 10;

/** Every other job sends heartbeats. `shortestPause`: minutes between two runs of the job at least. */
export function mannerOf(chance: Chance, shortestPause: number): Manner {
  if (chance(2) === 0) return "heartbeats";
  return chance(2) === 0 && shortestPause >= LONG_RUN_PAUSE_MINUTES ? "long runs" : "short runs";
}

/**
 * The reports of a job in the order in which they arrive. `from`: when the fires' seconds begin to count. First comes a
 * run by hand before it, so that the monitor is healthy and knows how long a run takes.
 */
export function reportsOf(
  from: Instant,
  fires: readonly number[],
  manner: Manner,
  shortestPause: number,
  chance: Chance,
): Report[] {
  const length = manner === "long runs" ? Math.min(shortestPause * 48_000, LONG_RUN_MS) : SHORT_RUN_MS;
  const byHand = from - 30_000;
  const reports = runOf(manner === "heartbeats" ? byHand : byHand - length, -1, byHand, length, manner);
  for (const [fire, second] of fires.entries()) {
    const firedAt = from + second * 1_000;
    const at = firedAt + chance(FAST_MS + LATE_MS) - FAST_MS;
    reports.push(...runOf(at, fire, firedAt, length, manner));
  }
  return reports.sort((one, other) => one.at - other.at);
}

function runOf(at: Instant, fire: number, firedAt: Instant, length: number, manner: Manner): Report[] {
  const mark = { fire, firedAt };
  if (manner === "heartbeats") return [{ at, kind: "heartbeat", runId: null, ...mark }];
  const runId = String(fire);
  return [
    { at, kind: "start", runId, ...mark },
    { at: at + length, kind: "complete", runId, ...mark },
  ];
}
