// A run: one execution of a job, from its start to its end, and how reports find theirs (R21, R22). Pure.

import { OPEN_RUNS_MAX, PAIRING_SPAN } from "../limits.ts";
import { type Instant, SECOND, wholeSeconds } from "../time.ts";
import type { UsualRun } from "./unusual.ts";

/**
 * Without an end a run is `open` or over: `unfinished` (past its deadline, reported), `incomplete` (never reported:
 * outlived by a success, begun again under its id, past its deadline under a pause, or one too many) or `unknown` (past
 * its deadline, but a gap touches it). `ended`: `endedBy` says how.
 */
export type RunState = "open" | "ended" | "unfinished" | "incomplete" | "unknown";

export type EndKind = "heartbeat" | "complete" | "fail";

/**
 * What was decided of an end that reports no failure, when it came: `wrong`, its values fail the job; `warned`, they
 * only warn; `overran`, its run had been counted as unfinished by then.
 */
export type EndVerdict = "wrong" | "warned" | "overran";

export interface Run {
  /** Counts the monitor's runs from 1. */
  readonly number: number;
  readonly runId: string | null;
  /** The caller's zero-based retry number: shown, but decides nothing (R22). */
  readonly attempt: number | null;
  readonly state: RunState;
  /** Null: an end arrived but we never saw the start. */
  readonly startedAt: Instant | null;
  /** Fixed at the start (R21); null without one. */
  readonly deadline: Instant | null;
  readonly endedAt: Instant | null;
  readonly endedBy: EndKind | null;
  /** Whole seconds from start to end; null without a start before the end. */
  readonly durationSeconds: number | null;
  /** Paired without a shared run_id: the pairing is a guess, and we label it so. */
  readonly legacy: boolean;
  /** Fixed at the start, as long as it is open; null: its length does not matter before its end. */
  readonly usual: UsualRun | null;
  /** Of its end; null: it has none, or there is nothing to say of it. */
  readonly verdict: EndVerdict | null;
}

export type RunMark = Readonly<{ runId: string | null; attempt: number | null }>;

export type OpenRun = Run & { readonly startedAt: Instant; readonly deadline: Instant };

export const isOpen = (run: Run): run is OpenRun => run.state === "open";

/** The start of `run` before any end: what a new run, or a new attempt of one, looks like. */
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

/** When its end would be unusual, in whole seconds; null: that does not matter, or is told. */
export const slowAt = ({ startedAt, usual }: OpenRun): Instant | null =>
  usual === null || usual.isTold ? null : startedAt + usual.longestMs + SECOND;

/** An end whose run_id no start had: we keep it so that a late start finds it (R22). */
export const endWithoutStart = (number: number, mark: RunMark, kind: EndKind, at: Instant): Run => ({
  ...startedRun(number, mark, at, at),
  state: "ended",
  startedAt: null,
  deadline: null,
  endedAt: at,
  endedBy: kind,
});

/** The run with its end at `at`. `guessed`: we did not find it by a shared run_id. */
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

/** The newest run of this run_id, as far back as runs pair (R22). */
export const runNamed = (runs: readonly Run[], runId: string, at: Instant): Run | null =>
  newest(runs, (run) => run.runId === runId && pairs(run, at));

/**
 * The run an end belongs to (R22), and whether that is a guess; null when we know no such run. We look for its run_id.
 * Otherwise we take a run without id: the newest start that waits for its end or, for an end with a run_id, the only
 * open one. A complete may use the start that a heartbeat has ended. We never take another reporter's run: no one would
 * notice that it hangs.
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
 * Numbers of the runs that a report may find without naming them: open runs, and the newest run without id while an end
 * may take it or an older one is open, because the older one must not count as the newest once it is over. A run that
 * no longer matters never will again, unless a report names it.
 */
export function matteringRuns(runs: readonly Run[], at: Instant): ReadonlySet<number> {
  const mattering = new Set(runs.filter(isOpen).map((run) => run.number));
  const unnamed = runs.filter((run) => run.runId === null);
  const last = newest(unnamed, () => true);
  if (last === null) return mattering;
  if (isWaiting(last, at) || isEndedByHeartbeat(last, at) || unnamed.some(isOpen)) mattering.add(last.number);
  return mattering;
}

/** Open runs that are older than a run that began at `beganAt` and has succeeded (R21). */
export const outlivedBy = (runs: readonly Run[], beganAt: Instant): readonly OpenRun[] =>
  runs.filter(isOpen).filter(({ startedAt }) => startedAt < beganAt);

/** A run that waits for no end any more and that we do not report. */
export const incompleteRun = (run: Run): Run => ({ ...run, state: "incomplete" });

/** When too many runs are open, the oldest become incomplete (R21). */
export function withinOpenLimit(runs: readonly Run[]): readonly Run[] {
  const surplus = runs.filter(isOpen).length - OPEN_RUNS_MAX;
  if (surplus <= 0) return runs;
  const oldestFirst = runs.filter(isOpen).sort((a, b) => a.startedAt - b.startedAt || a.number - b.number);
  const dropped = new Set(oldestFirst.slice(0, surplus));
  return runs.map((run) => (isOpen(run) && dropped.has(run) ? incompleteRun(run) : run));
}

/** An open run pairs at any age; we remember any other for seven days. */
const pairs = (run: Run, at: Instant): boolean =>
  isOpen(run) || (run.endedAt ?? run.startedAt ?? at) >= at - PAIRING_SPAN;

/**
 * The newest run while it waits for its end, also past its deadline; else the newest open one. We leave an older run
 * that is over alone: it would get another run's end, and a duration of hours or days.
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
