// What the rulings say of runs (R21, R22), said again and simply: every run of the last seven days is kept and looked
// through. For the verdict: imports nothing of the product.

import type { SlotList } from "./slot-list.ts";
import { DAY, type Instant } from "./units.ts";

export type ReportKind = "heartbeat" | "start" | "complete" | "fail";
export type EndKind = Exclude<ReportKind, "start">;

export interface KnownRun {
  readonly number: number;
  readonly runId: string | null;
  startedAt: Instant | null;
  deadline: Instant;
  /** Still watched: neither ended nor past its deadline. */
  open: boolean;
  endedAt: Instant | null;
  endedBy: EndKind | null;
}

export interface Runs {
  open(): readonly KnownRun[];
  /** Opens a run, or attaches a late start to one that ended without (R22). */
  start(runId: string | null, at: Instant, deadline: Instant): void;
  /** The run an end belongs to, before it is ended; null when it belongs to none. */
  endedBy(runId: string | null, kind: EndKind, at: Instant): Found | null;
  /** Writes the end down. Answers the run, if there is one to speak of. */
  end(found: Found | null, runId: string | null, kind: EndKind, at: Instant): KnownRun | null;
  /** The clock had been wrong: deadlines begin anew (R26). */
  restart(now: Instant): void;
  /** Milliseconds of the last run that had both ends. */
  lastRunMs(): number | null;
}

export interface Found {
  readonly run: KnownRun;
  /** Paired without a shared run_id. */
  readonly guessed: boolean;
}

const PAIRED_FOR = 7 * DAY;
const WATCHED_MOST = 100;

export function knownRuns(): Runs {
  let runs: KnownRun[] = [];
  let count = 0;
  let lastMs: number | null = null;

  const newest = (fits: (run: KnownRun) => boolean): KnownRun | null => runs.findLast(fits) ?? null;
  const pairs = (run: KnownRun, at: Instant): boolean =>
    run.open || (run.endedAt ?? run.startedAt ?? at) >= at - PAIRED_FOR;
  const named = (runId: string, at: Instant): KnownRun | null => newest((run) => run.runId === runId && pairs(run, at));
  const openRuns = (): KnownRun[] => runs.filter((run) => run.open);

  function add(runId: string | null, facts: Omit<KnownRun, "number" | "runId">): KnownRun {
    const run = { number: ++count, runId, ...facts };
    runs.push(run);
    return run;
  }

  /** Reading on costs time, so what can never be found again goes now and then. */
  function forgetOld(at: Instant): void {
    if (runs.length > 50 && !pairs(runs[0]!, at - DAY)) runs = runs.filter((run) => pairs(run, at - DAY));
  }

  function start(runId: string | null, at: Instant, deadline: Instant): void {
    forgetOld(at);
    const known = runId === null ? null : named(runId, at);
    if (known?.open) return;
    if (known !== null && known.startedAt === null) {
      known.startedAt = at;
      return;
    }
    if (known !== null) {
      Object.assign(known, { startedAt: at, deadline, open: true, endedAt: null, endedBy: null });
    } else {
      add(runId, { startedAt: at, deadline, open: true, endedAt: null, endedBy: null });
    }
    const watched = openRuns().sort((a, b) => a.startedAt! - b.startedAt! || a.number - b.number);
    for (const run of watched.slice(0, Math.max(0, watched.length - WATCHED_MOST))) run.open = false;
  }

  function endedBy(runId: string | null, kind: EndKind, at: Instant): Found | null {
    const byName = runId === null ? null : named(runId, at);
    if (byName !== null && byName.startedAt !== null) return { run: byName, guessed: false };
    const last = runs.find((run) => run.number === count && pairs(run, at)) ?? null;
    const guess = runId === null ? (waiting(last) ?? theOnly(openRuns())) : theOnly(openRuns().filter(withoutId));
    if (guess !== null) return { run: guess, guessed: true };
    if (byName !== null) return { run: byName, guessed: false };
    const used =
      kind === "complete" &&
      last !== null &&
      last.endedBy === "heartbeat" &&
      last.startedAt !== null &&
      openRuns().length === 0;
    return used && (runId === null || last.runId === null) ? { run: last, guessed: true } : null;
  }

  /** Without an id an end takes the newest start without id that has no end; of those past their deadline the newest run only. */
  function waiting(last: KnownRun | null): KnownRun | null {
    if (last !== null && withoutId(last) && last.endedAt === null) return last;
    return newest((run) => withoutId(run) && run.open);
  }

  function end(found: Found | null, runId: string | null, kind: EndKind, at: Instant): KnownRun | null {
    if (found === null) {
      if (runId === null) return null;
      return add(runId, { startedAt: null, deadline: at, open: false, endedAt: at, endedBy: kind });
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

  return { open: openRuns, start, endedBy, end, restart, lastRunMs: () => lastMs };
}

const withoutId = (run: KnownRun): boolean => run.runId === null;

const theOnly = (runs: readonly KnownRun[]): KnownRun | null => (runs.length === 1 ? runs[0]! : null);

/** R21: until when a run that starts now must have ended. */
export function deadlineOf(
  slots: SlotList,
  graceMs: number,
  maxRuntimeMs: number | null,
  lastRunMs: number | null,
  at: Instant,
): Instant {
  if (maxRuntimeMs !== null) return at + maxRuntimeMs;
  const apart = Math.min(slots.after(at) - slots.atOrBefore(at), DAY);
  return at + Math.max(apart + graceMs, 2 * (lastRunMs ?? 0));
}
