// The law of overdue and failed runs: how often they are reported, and which one a success must not be older than.
// Throws where it does not hold.

import { isOpen, type OpenRun } from "../../../src/domain/monitor/run.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { cameBack, isEnd, isReport, isSuccess, must, runJudged } from "../timelines/facts.ts";
import { type Moment, type Timeline, watched } from "../timelines/timeline.ts";

/** R23: while a run past its deadline was told and nothing has come since, no miss is told: the job is running. */
export function oneMessage(timeline: Timeline): void {
  let awaited = false;
  for (const moment of watched(timeline).moments) {
    const { signal, after } = moment;
    const misses = after.alerts.filter(({ cause }) => cause === "missed");
    const told = misses.some(({ reason }) => reason === "opened" || reason === "new_cause");
    must(!(awaited && told), "a miss is told although the run that was told may still report", moment);
    const { first, later } = overdueRuns(moment);
    if (first.some((run) => isNotifiedThen(moment, run))) awaited = true;
    if (isReport(moment) && signal.kind !== "refused") awaited = false;
    if (later.some((run) => isNotifiedThen(moment, run))) awaited = true;
    if (after.monitor.incident === null) awaited = false;
    must((after.monitor.incident?.awaitsRun ?? false) === awaited, "an overdue run is awaited, or not", moment);
  }
}

/**
 * Those that have passed their deadline in this moment and are told, or tolerated: `first`, before the signal counts;
 * `later`, after it. How long the run that it ends took changes when others were likely to end, and so which of them
 * a short gap leaves in doubt (R26).
 */
export function overdueRuns({ before, after, at, gaps }: Moment) {
  const overdue = before.runs
    .filter(isOpen)
    .filter((open) => after.monitor.runs.some(({ number, state }) => state === "unfinished" && number === open.number));
  const isFirst = (run: OpenRun): boolean => runJudged(before, run, gaps) <= at;
  return { first: overdue.filter(isFirst), later: overdue.filter((run) => !isFirst(run)) };
}

/** With an incident open. A slot that closes at the same instant comes after it. */
function isNotifiedThen({ before, after, gaps }: Moment, run: OpenRun): boolean {
  const opened = after.alerts.find(({ reason }) => reason === "opened");
  if (before.incident !== null || opened === undefined) return before.incident !== null;
  return opened.cause === "unfinished" || opened.at < runJudged(before, run, gaps);
}

/**
 * When the run that failed last in the open incident began, as far as its run_id says which it was, before each moment.
 */
export function failingRuns({ moments }: Timeline): ReadonlyMap<Moment, Instant | null> {
  const known = new Map<Moment, Instant | null>();
  let beganAt: Instant | null = null;
  for (const moment of moments) {
    known.set(moment, beganAt);
    const { signal, before, after } = moment;
    const { first, later } = overdueRuns(moment);
    const fails = isEnd(signal) && !isSuccess(moment) ? [after.run] : [];
    for (const run of [...first, ...fails, ...later]) beganAt = run?.runId == null ? null : run.startedAt;
    const held = before.pendingFail !== null && after.monitor.pendingFail === null && !isEnd(signal);
    const opened = after.alerts.find(({ reason }) => reason === "opened");
    // A miss is about no run, and a fail that was held back is told without its own.
    if (after.monitor.incident === null || opened?.cause === "missed" || (opened && held)) beganAt = null;
    if (signal.kind === "rebase" && beganAt !== null) beganAt = cameBack(beganAt, moment.now, signal.backMs);
  }
  return known;
}
