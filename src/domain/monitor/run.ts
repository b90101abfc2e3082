// A run is one execution of a job. This file has its fields, and finds the run of a report (R21, R22). Pure.

import { OPEN_RUNS_MAX, PAIRING_SPAN } from "../limits.ts";
import { type Instant, SECOND, wholeSeconds } from "../time.ts";
import type { UsualRun } from "./unusual.ts";

/**
 * How a run stands. `open`: it waits for its end. `ended`: `endedBy` says how. `unfinished`: it passed its deadline,
 * which counts as trouble. `unknown`: it passed its deadline, but a gap may have swallowed its end. `incomplete`:
 * rollcall no longer waits for its end, and that is no trouble. For example a later run has succeeded, its run_id began
 * a new run, or its deadline passed under a pause.
 */
export type RunState = "open" | "ended" | "unfinished" | "incomplete" | "unknown";

export type EndKind = "heartbeat" | "complete" | "fail";

/**
 * What is remarkable about an end that is no fail. `wrong`: its outcomes make the run a failure. `warned`: its outcomes
 * only warn. `overran`: it came after the run was counted as unfinished.
 */
export type EndVerdict = "wrong" | "warned" | "overran";

export interface Run {
  /** Counts the runs of one monitor, from 1. */
  readonly number: number;
  readonly runId: string | null;
  /**
   * The attempt's number as the caller sent it, counted from 0; `null` when it sent none. It decides only whether a
   * start is a delayed copy (R22).
   */
  readonly attempt: number | null;
  readonly state: RunState;
  /** When the run began; `null` as long as only its end was heard. */
  readonly startedAt: Instant | null;
  /** When the run must have ended. It is fixed at the start (R21); `null` when the end was heard before any start. */
  readonly deadline: Instant | null;
  readonly endedAt: Instant | null;
  readonly endedBy: EndKind | null;
  /**
   * How long the run took: as its client measured it, otherwise from start to end in whole seconds. `null` when neither
   * is known.
   */
  readonly durationSeconds: number | null;
  /** True when rollcall guessed that this start and this end belong together, because they share no run_id. */
  readonly legacy: boolean;
  /**
   * How long runs usually took at this run's start; `null` if that is unknown, if people are not told of unusual runs,
   * or once the run has ended.
   */
  readonly usual: UsualRun | null;
  /** What is remarkable about the end of the run; `null` when nothing is, or the run has not ended. */
  readonly verdict: EndVerdict | null;
}

export type RunMark = Readonly<{ runId: string | null; attempt: number | null }>;

export type OpenRun = Run & { readonly startedAt: Instant; readonly deadline: Instant };

export const isOpen = (run: Run): run is OpenRun => run.state === "open";

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

/** From when on the open run takes unusually long; `null` when that is not known, or people were told. */
export const slowAt = ({ startedAt, usual }: OpenRun): Instant | null =>
  usual === null || usual.isTold ? null : startedAt + usual.longestMs + SECOND;

/** A run of which only the end was heard, by a run_id that no start has used. Its start may come late (R22). */
export const endWithoutStart = (number: number, mark: RunMark, kind: EndKind, at: Instant): Run => ({
  ...startedRun(number, mark, at, at),
  state: "ended",
  startedAt: null,
  deadline: null,
  endedAt: at,
  endedBy: kind,
});

/** The run with its end at `at`. `guessed` is true when the run was found without a shared run_id. */
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

/** The newest run with this run_id to which a report may still belong (R22). */
export const runNamed = (runs: readonly Run[], runId: string, at: Instant): Run | null =>
  newest(runs, (run) => run.runId === runId && pairs(run, at));

/**
 * The run that an end belongs to, and whether that is a guess (R22); `null` when no known run fits. A run with the
 * end's run_id and a known start comes first. Then come runs without run_id:
 * - An end without run_id takes the newest of them that waits for its end.
 * - An end with another run_id takes one only if exactly one of them is open.
 * - Without either, a complete may take the newest of them if a heartbeat has ended it.
 *
 * A run with another run_id is never taken, because then a hang of that run would go unnoticed.
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
 * The numbers of the runs that must be in memory, because a report without their run_id may change them: all open runs,
 * and sometimes the newest run without run_id. The newest is needed when an end may still belong to it. It is also
 * needed while an older run without run_id is open: otherwise the older run would be taken for the newest.
 */
export function matteringRuns(runs: readonly Run[], at: Instant): ReadonlySet<number> {
  const mattering = new Set(runs.filter(isOpen).map((run) => run.number));
  const unnamed = runs.filter((run) => run.runId === null);
  const last = newest(unnamed, () => true);
  if (last === null) return mattering;
  if (isWaiting(last, at) || isEndedByHeartbeat(last, at) || unnamed.some(isOpen)) mattering.add(last.number);
  return mattering;
}

/** The open runs that began before `beganAt`, the start of a run that has succeeded (R21). */
export const outlivedBy = (runs: readonly Run[], beganAt: Instant): readonly OpenRun[] =>
  runs.filter(isOpen).filter(({ startedAt }) => startedAt < beganAt);

export const incompleteRun = (run: Run): Run => ({ ...run, state: "incomplete" });

/** Makes the oldest open runs `incomplete` when there are more than 100 (R21). */
export function withinOpenLimit(runs: readonly Run[]): readonly Run[] {
  const surplus = runs.filter(isOpen).length - OPEN_RUNS_MAX;
  if (surplus <= 0) return runs;
  const oldestFirst = runs.filter(isOpen).sort((a, b) => a.startedAt - b.startedAt || a.number - b.number);
  const dropped = new Set(oldestFirst.slice(0, surplus));
  return runs.map((run) => (isOpen(run) && dropped.has(run) ? incompleteRun(run) : run));
}

/**
 * Whether a start or an end may belong to this run: always when the run is open, otherwise for seven days after its
 * end. If no end is known, the seven days count from its start.
 */
const pairs = (run: Run, at: Instant): boolean =>
  isOpen(run) || (run.endedAt ?? run.startedAt ?? at) >= at - PAIRING_SPAN;

/**
 * Of the runs without run_id: the newest one if it has no end yet, even past its deadline; otherwise the newest open
 * one. An older run past its deadline is not taken: the end of a newer run would give it a length of days.
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
