// A run is one execution of a job, from its start to its end. This file has its states and how reports find their run
// (R21, R22). Pure.

import { OPEN_RUNS_MAX, PAIRING_SPAN } from "../limits.ts";
import { type Instant, SECOND, wholeSeconds } from "../time.ts";
import type { UsualRun } from "./unusual.ts";

/**
 * A run without an end is `open`, `unfinished` (past its deadline, and told), `unknown` (past its deadline, but a gap
 * touches it) or `incomplete` (never told: a later run succeeded, its id began again, its deadline passed under a
 * pause, or too many runs were open). For `ended`, `endedBy` says how.
 */
export type RunState = "open" | "ended" | "unfinished" | "incomplete" | "unknown";

export type EndKind = "heartbeat" | "complete" | "fail";

/**
 * The verdict on an end that reports no failure. `wrong`: its outcomes fail the job; `warned`: its outcomes only warn;
 * `overran`: its run was already counted as unfinished when the end came.
 */
export type EndVerdict = "wrong" | "warned" | "overran";

export interface Run {
  /** The monitor's runs are numbered from 1. */
  readonly number: number;
  readonly runId: string | null;
  /** The caller's number of the attempt, counted from 0. It is shown but decides nothing (R22). */
  readonly attempt: number | null;
  readonly state: RunState;
  /** `null` when an end arrived without a start. */
  readonly startedAt: Instant | null;
  /** The deadline is fixed at the start (R21); `null` without a start. */
  readonly deadline: Instant | null;
  readonly endedAt: Instant | null;
  readonly endedBy: EndKind | null;
  /** Whole seconds from start to end; `null` when no start came before the end. */
  readonly durationSeconds: number | null;
  /** True when start and end were paired without a shared run_id. Such a pairing is a guess and is marked as one. */
  readonly legacy: boolean;
  /** What was usual when the run started; `null` when the length of the open run does not matter. */
  readonly usual: UsualRun | null;
  /** The verdict on the run's end; `null` without an end or when the end is unremarkable. */
  readonly verdict: EndVerdict | null;
}

export type RunMark = Readonly<{ runId: string | null; attempt: number | null }>;

export type OpenRun = Run & { readonly startedAt: Instant; readonly deadline: Instant };

export const isOpen = (run: Run): run is OpenRun => run.state === "open";

/** The run as it is just after its start, for a new run or a new attempt. */
export const startedRun = (number: number, mark: RunMark, at: Instant, deadline: Instant): Run => ({
  number,
  runId: mark.runId,
  attempt: mark.attempt,
  state: "open",
  startedAt: at,
  deadline,
  endedAt: null,
  endedBy: null,
  durationSeconds: null,
  legacy: false,
  usual: null,
  verdict: null,
});

/** The instant from which the open run is unusually long; `null` when that does not matter or was told already. */
export const slowAt = ({ startedAt, usual }: OpenRun): Instant | null =>
  usual === null || usual.isTold ? null : startedAt + usual.longestMs + SECOND;

/** An end whose run_id no start has used. It is kept so that a late start can find it (R22). */
export const endWithoutStart = (number: number, mark: RunMark, kind: EndKind, at: Instant): Run => ({
  ...startedRun(number, mark, at, at),
  state: "ended",
  startedAt: null,
  deadline: null,
  endedAt: at,
  endedBy: kind,
});

/** The run with its end at `at`. `guessed` is true when the run was not found by a shared run_id. */
export const endedRun = (run: Run, mark: RunMark, kind: EndKind, at: Instant, guessed: boolean): Run => ({
  ...run,
  attempt: mark.attempt ?? run.attempt,
  state: "ended",
  endedAt: at,
  endedBy: kind,
  durationSeconds: run.startedAt === null ? null : wholeSeconds(run.startedAt, at),
  legacy: run.legacy || guessed,
  usual: null,
});

/** The newest run with this run_id that is recent enough to be paired (R22). */
export const runNamed = (runs: readonly Run[], runId: string, at: Instant): Run | null =>
  newest(runs, (run) => run.runId === runId && pairs(run, at));

/**
 * The run that an end belongs to (R22), and whether that is a guess; `null` when no known run fits. The run_id decides
 * first. Without a match a run without id is taken: the newest start that waits for its end or, for an end with a
 * run_id, the only open one. A complete may use the start that a heartbeat has ended. The run of another run_id is
 * never taken, because its hanging would go unnoticed.
 */
export function runEndedBy(
  runs: readonly Run[],
  runId: string | null,
  kind: EndKind,
  at: Instant,
): { readonly run: Run; readonly guessed: boolean } | null {
  if (runs.length === 0) return null;
  const named = runId === null ? null : runNamed(runs, runId, at);
  if (named !== null && named.startedAt !== null) return { run: named, guessed: false };
  const unnamed = runs.filter((run) => run.runId === null);
  const last = newest(unnamed, () => true);
  const guess = runId === null ? waitingRun(unnamed, last, at) : onlyOpen(unnamed);
  if (guess !== null) return { run: guess, guessed: true };
  if (named !== null) return { run: named, guessed: false };
  const used = kind === "complete" && last !== null && isEndedByHeartbeat(last, at) && !unnamed.some(isOpen);
  return used ? { run: last, guessed: true } : null;
}

/**
 * The numbers of the runs that a report may find without naming them. These are the open runs, and the newest run
 * without id while an end may take it or an older one is open; the older one must not become the newest once it is
 * over. A run that has stopped mattering never matters again unless a report names it.
 */
export function matteringRuns(runs: readonly Run[], at: Instant): ReadonlySet<number> {
  const mattering = new Set(runs.filter(isOpen).map((run) => run.number));
  const unnamed = runs.filter((run) => run.runId === null);
  const last = newest(unnamed, () => true);
  if (last === null) return mattering;
  if (isWaiting(last, at) || isEndedByHeartbeat(last, at) || unnamed.some(isOpen)) mattering.add(last.number);
  return mattering;
}

/** The open runs that are older than a run which began at `beganAt` and has succeeded (R21). */
export const outlivedBy = (runs: readonly Run[], beganAt: Instant): readonly OpenRun[] =>
  runs.filter(isOpen).filter(({ startedAt }) => startedAt < beganAt);

/** The run in the state of one that no longer waits for an end, and whose missing end is not told. */
export const incompleteRun = (run: Run): Run => ({ ...run, state: "incomplete" });

/** When too many runs are open, the oldest of them become incomplete (R21). */
export function withinOpenLimit(runs: readonly Run[]): readonly Run[] {
  const surplus = runs.filter(isOpen).length - OPEN_RUNS_MAX;
  if (surplus <= 0) return runs;
  const oldestFirst = runs.filter(isOpen).sort((a, b) => a.startedAt - b.startedAt || a.number - b.number);
  const dropped = new Set(oldestFirst.slice(0, surplus));
  return runs.map((run) => (isOpen(run) && dropped.has(run) ? incompleteRun(run) : run));
}

/** Whether an end or a start may be paired with the run: with an open run at any age, with any other for seven days. */
const pairs = (run: Run, at: Instant): boolean =>
  isOpen(run) || (run.endedAt ?? run.startedAt ?? at) >= at - PAIRING_SPAN;

/**
 * The newest run while it waits for its end, even past its deadline; otherwise the newest open run. A finished older
 * run is not taken: it would get another run's end, and a duration of hours or days.
 */
const waitingRun = (unnamed: readonly Run[], last: Run | null, at: Instant): Run | null =>
  last !== null && isWaiting(last, at) ? last : newest(unnamed, isOpen);

const isWaiting = (run: Run, at: Instant): boolean => run.endedAt === null && pairs(run, at);

const isEndedByHeartbeat = (run: Run, at: Instant): boolean => run.endedBy === "heartbeat" && pairs(run, at);

function onlyOpen(runs: readonly Run[]): Run | null {
  const open = runs.filter(isOpen);
  return open.length === 1 ? open[0]! : null;
}

function newest(runs: readonly Run[], fits: (run: Run) => boolean): Run | null {
  let found: Run | null = null;
  for (const run of runs) if (fits(run) && (found === null || run.number > found.number)) found = run;
  return found;
}
