// The rulings on runs (R21, R22), restated simply: every run with an id is kept for seven days. For the verdict:
// imports nothing from the product.

import type { Expected } from "./rules-slots.ts";
import { DAY, type Instant, MINUTE } from "./units.ts";

export type ReportKind = "heartbeat" | "start" | "complete" | "fail";
export type EndKind = Exclude<ReportKind, "start">;

export interface KnownRun {
  readonly number: number;
  readonly runId: string | null;
  attempt: number | null;
  startedAt: Instant | null;
  deadline: Instant;
  /** Still watched: neither ended nor past its deadline. */
  open: boolean;
  endedAt: Instant | null;
  endedBy: EndKind | null;
}

export interface Runs {
  open(): readonly KnownRun[];
  /**
   * Opens a run, or attaches a late start to one that ended without, or does nothing when it only comes again (R22).
   */
  start(mark: Mark, at: Instant, deadline: Instant, dueSince: Expected["dueSince"]): void;
  /** Without `maxRuntime` a success of what began at `beganAt` gives up all that is older (R21). */
  giveUpBefore(beganAt: Instant): void;
  /** The run an end belongs to, before it is ended; null when it belongs to none. */
  endedBy(runId: string | null, kind: EndKind, at: Instant): Found | null;
  /** Writes the end down. Answers the run, if there is one to speak of. */
  end(found: Found | null, runId: string | null, kind: EndKind, at: Instant): KnownRun | null;
  /** The clock had been wrong: deadlines begin again (R26). */
  restart(now: Instant): void;
  /** Milliseconds of the last run that had both ends. */
  lastRunMs(): number | null;
  /** See `MonitorRules.keep`. */
  keep(): () => void;
}

export interface Mark {
  readonly runId: string | null;
  readonly attempt: number | null;
}

export interface Found {
  readonly run: KnownRun;
  /** Paired without a shared run_id. */
  readonly guessed: boolean;
}

const PAIRED_FOR = 7 * DAY;
const WATCHED_MOST = 100;

export function knownRuns(): Runs {
  /** Those with an id, the newest of each. */
  const byName = new Map<string, KnownRun>();
  /** Those that were open when somebody last asked, by number. */
  let watched: KnownRun[] = [];
  let lastUnnamed: KnownRun | null = null;
  let count = 0;
  let lastMs: number | null = null;

  const pairs = (run: KnownRun, at: Instant): boolean =>
    run.open || (run.endedAt ?? run.startedAt ?? at) >= at - PAIRED_FOR;

  function named(runId: string, at: Instant): KnownRun | null {
    const run = byName.get(runId);
    return run !== undefined && pairs(run, at) ? run : null;
  }

  function openRuns(): KnownRun[] {
    if (watched.some((run) => !run.open)) watched = watched.filter((run) => run.open);
    return watched;
  }

  function add(runId: string | null, facts: Omit<KnownRun, "number" | "runId">): KnownRun {
    const run = { number: ++count, runId, ...facts };
    if (runId !== null) byName.set(runId, run);
    if (count % 1_000 === 0) forgetOld(facts.startedAt ?? facts.deadline);
    if (runId === null) lastUnnamed = run;
    return run;
  }

  /** What can never be found again goes now and then. */
  function forgetOld(at: Instant): void {
    for (const [runId, run] of byName) if (!pairs(run, at - DAY)) byName.delete(runId);
  }

  function start({ runId, attempt }: Mark, at: Instant, deadline: Instant, dueSince: Expected["dueSince"]): void {
    const known = runId === null ? null : named(runId, at);
    if (known !== null && known.startedAt === null) {
      Object.assign(known, { startedAt: at, attempt: attempt ?? known.attempt });
      return;
    }
    if (known !== null && comesAgain(known, attempt, at, dueSince)) return;
    const facts = { attempt, startedAt: at, deadline, open: true, endedAt: null, endedBy: null };
    const isAttempt = known !== null && !known.open;
    if (known !== null) known.open = false;
    const run = isAttempt ? Object.assign(known, facts) : add(runId, facts);
    watched = [...openRuns(), run].sort((a, b) => a.number - b.number);
    const oldestFirst = watched.toSorted((a, b) => a.startedAt! - b.startedAt! || a.number - b.number);
    for (const surplus of oldestFirst.slice(0, Math.max(0, watched.length - WATCHED_MOST))) surplus.open = false;
  }

  /**
   * Without an id of its own an end takes only a run without one; one that is past its deadline only while it is the
   * newest.
   */
  function endedBy(runId: string | null, kind: EndKind, at: Instant): Found | null {
    const byName = runId === null ? null : named(runId, at);
    if (byName !== null && byName.startedAt !== null) return { run: byName, guessed: false };
    const newest = lastUnnamed !== null && pairs(lastUnnamed, at) ? lastUnnamed : null;
    const open = openRuns().filter(withoutId);
    const waiting = newest !== null && newest.endedAt === null ? newest : (open.at(-1) ?? null);
    const guess = runId === null ? waiting : theOnly(open);
    if (guess !== null) return { run: guess, guessed: true };
    if (byName !== null) return { run: byName, guessed: false };
    const used = kind === "complete" && newest !== null && newest.endedBy === "heartbeat" && open.length === 0;
    return used ? { run: newest, guessed: true } : null;
  }

  function end(found: Found | null, runId: string | null, kind: EndKind, at: Instant): KnownRun | null {
    if (found === null) {
      if (runId === null) return null;
      return add(runId, { attempt: null, startedAt: null, deadline: at, open: false, endedAt: at, endedBy: kind });
    }
    const { run, guessed } = found;
    const repeated = run.endedAt !== null && !guessed;
    if (run.startedAt !== null && !repeated) lastMs = Math.max(0, at - run.startedAt);
    Object.assign(run, { open: false, endedAt: at, endedBy: kind });
    return run;
  }

  function restart(now: Instant): void {
    for (const run of openRuns()) {
      const span = run.deadline - run.startedAt!;
      run.startedAt = Math.min(run.startedAt!, now);
      run.deadline = now + span;
    }
  }

  function giveUpBefore(beganAt: Instant): void {
    for (const run of openRuns()) if (run.startedAt! < beganAt) run.open = false;
  }

  function keep(): () => void {
    const kept = structuredClone({ byName, watched, lastUnnamed, count, lastMs });
    return () => {
      const { byName: names, ...others } = structuredClone(kept);
      ({ watched, lastUnnamed, count, lastMs } = others);
      byName.clear();
      for (const [runId, run] of names) byName.set(runId, run);
    };
  }

  return { open: openRuns, start, giveUpBefore, endedBy, end, restart, lastRunMs: () => lastMs, keep };
}

/**
 * The same start once more, of a run that is open or has just succeeded: no slot that it could be for has come due
 * since.
 */
function comesAgain(run: KnownRun, attempt: number | null, at: Instant, dueSince: Expected["dueSince"]): boolean {
  const due = dueSince(run.startedAt!, at);
  if (run.open) return due === null;
  if (run.endedAt === null || run.endedBy === "fail" || at - run.endedAt > MINUTE) return false;
  return (attempt ?? 0) <= (run.attempt ?? 0) && !(due !== null && due > run.endedAt);
}

const withoutId = (run: KnownRun): boolean => run.runId === null;

const theOnly = (runs: readonly KnownRun[]): KnownRun | null => (runs.length === 1 ? runs[0]! : null);

/** R21: until when a run that starts now must have ended; `spanMs`: how long it may take when nobody has said. */
export function deadlineOf(
  spanMs: number,
  { graceMs, maxRuntimeMs }: { readonly graceMs: number; readonly maxRuntimeMs: number | null },
  lastRunMs: number | null,
  at: Instant,
): Instant {
  if (maxRuntimeMs !== null) return at + maxRuntimeMs;
  return at + Math.max(spanMs + graceMs, Math.min(2 * (lastRunMs ?? 0), DAY + graceMs));
}
