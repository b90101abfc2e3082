// A slow second opinion on what is told, for tests: it looks at every second and remembers every slot and run by itself.
// Heartbeats, fails, runs with an id, pauses by hand, maintenance; no gaps, no reminders. It must import nothing but types.

import type { Cause } from "../../src/domain/incident.ts";

/** Seconds since the beginning of an hour in UTC; the watch begins at 0. */
export type Second = number;

export interface NaiveWatch {
  /** Minutes of each hour. */
  readonly minutes: readonly number[];
  readonly graceSeconds: number;
  readonly maxRuntimeSeconds: number;
  readonly alertAfterMisses: number;
  readonly alertAfterFailures: number;
  /** Minutes of each hour in which it begins, at which second of them, and for how many it lasts. */
  readonly maintenance: {
    readonly minutes: readonly number[];
    readonly second: number;
    readonly lasts: number;
  } | null;
}

export interface NaiveEvent {
  readonly at: Second;
  readonly does: "heartbeat" | "start" | "complete" | "fail" | "pause" | "resume";
  readonly runId: string;
  /** Of a pause; null: until it is lifted. */
  readonly until: Second | null;
  /** Of a report: the grace it brings; null: it says nothing of it (R12). */
  readonly graceSeconds: number | null;
}

export interface NaiveAlert {
  readonly told: "opened" | "new_cause" | "recovered";
  readonly at: Second;
  readonly cause: Cause;
  readonly missedSlots: number;
}

interface NaiveRun {
  startedAt: Second | null;
  deadline: Second;
  open: boolean;
}

interface Known {
  incident: { causes: Cause[]; missedSlots: number } | null;
  pause: { until: Second | null } | null;
  hushed: boolean;
  misses: number;
  failures: number;
}

/** Everything that is told from second 0 to `last`. */
export function naiveAlerts(watch: NaiveWatch, events: readonly NaiveEvent[], last: Second): NaiveAlert[] {
  const alerts: NaiveAlert[] = [];
  const settledSlots = new Set<Second>();
  const runs = new Map<string, NaiveRun>();
  let { graceSeconds } = watch;
  const known: Known = { incident: null, pause: null, hushed: false, misses: 0, failures: 0 };

  const isSlot = (at: Second): boolean => at > 0 && at % 60 === 0 && watch.minutes.includes((at / 60) % 60);
  const openRuns = (): NaiveRun[] => [...runs.values()].filter(({ open }) => open);

  function settleSlotsUntil(at: Second): void {
    for (let minute = 0; minute <= at; minute += 60) if (isSlot(minute)) settledSlots.add(minute);
  }

  function trouble(at: Second, cause: Cause): void {
    if (known.incident !== null) {
      if (cause === "missed") known.incident.missedSlots += 1;
      if (known.incident.causes.includes(cause)) return;
      known.incident.causes.push(cause);
      alerts.push({ told: "new_cause", at, cause, missedSlots: known.incident.missedSlots });
      return;
    }
    const enough =
      cause === "missed" ? known.misses >= watch.alertAfterMisses : known.failures >= watch.alertAfterFailures;
    if (!enough) return;
    known.incident = { causes: [cause], missedSlots: cause === "missed" ? known.misses : 0 };
    alerts.push({ told: "opened", at, cause, missedSlots: 0 });
  }

  function beginMaintenance(at: Second): void {
    if (watch.maintenance === null) return;
    const { minutes, second, lasts } = watch.maintenance;
    if (!minutes.some((minute) => (at - minute * 60 - second) % 3600 === 0)) return;
    const end = at + lasts;
    const standing = known.pause;
    if (standing === null) known.pause = { until: end };
    else if (standing.until !== null) known.pause = { until: Math.max(standing.until, end) };
  }

  function endPause(at: Second): void {
    known.pause = null;
    settleSlotsUntil(at);
    for (const run of openRuns()) if (run.deadline <= at) run.open = false;
    if (known.hushed) trouble(at, "failed");
    known.hushed = false;
  }

  function closeSlot(at: Second): void {
    const slot = at - graceSeconds - 5;
    if (!isSlot(slot) || settledSlots.has(slot) || known.pause !== null) return;
    settledSlots.add(slot);
    if (openRuns().length > 0) return;
    known.misses += 1;
    trouble(at, "missed");
  }

  function passDeadlines(at: Second): void {
    for (const run of openRuns()) {
      if (run.deadline !== at || known.pause !== null) continue;
      run.open = false;
      known.failures += 1;
      trouble(at, "unfinished");
    }
  }

  function fill(at: Second, early: boolean): void {
    settleSlotsUntil(at);
    if (!early) return;
    let next = at + 1;
    while (!isSlot(next)) next += 1;
    let before = at;
    while (before % 60 !== 0 || !watch.minutes.includes((((before / 60) % 60) + 60) % 60)) before -= 1;
    if (next - at <= Math.min(60, (next - before) / 10)) settledSlots.add(next);
  }

  function start(at: Second, runId: string): void {
    fill(at, true);
    const named = runs.get(runId);
    if (named?.open) return;
    if (named !== undefined && named.startedAt === null) named.startedAt = at;
    else runs.set(runId, { startedAt: at, deadline: at + watch.maxRuntimeSeconds, open: true });
  }

  function end(at: Second, run: NaiveRun | undefined): void {
    fill(at, run === undefined || run.startedAt === null);
    if (run !== undefined) run.open = false;
  }

  function fail(at: Second): void {
    known.failures += 1;
    if (known.pause === null) trouble(at, "failed");
    else known.hushed = true;
  }

  function succeed(at: Second): void {
    known.hushed = false;
    known.misses = 0;
    known.failures = 0;
    if (known.incident === null) return;
    const { causes, missedSlots } = known.incident;
    alerts.push({ told: "recovered", at, cause: causes[0]!, missedSlots });
    known.incident = null;
  }

  function take({ at, does, runId, until, graceSeconds: brings }: NaiveEvent): void {
    if (does !== "pause" && does !== "resume") graceSeconds = brings ?? graceSeconds;
    const named = runs.get(runId);
    if (does === "start") start(at, runId);
    if (does === "heartbeat") end(at, undefined);
    if (does === "complete" || does === "fail") {
      end(at, named);
      if (named === undefined) runs.set(runId, { startedAt: null, deadline: at, open: false });
    }
    if (does === "heartbeat" || does === "complete") succeed(at);
    if (does === "fail") fail(at);
    if (does === "pause") known.pause = { until };
    if (does === "resume" && known.pause !== null) endPause(at);
  }

  for (let before = -3599; before < 0; before += 1) beginMaintenance(before);
  if (known.pause?.until != null && known.pause.until <= 0) known.pause = null;
  for (let at = 0; at <= last; at += 1) {
    beginMaintenance(at);
    if (known.pause !== null && known.pause.until !== null && known.pause.until <= at) endPause(at);
    passDeadlines(at);
    closeSlot(at);
    for (const event of events) {
      if (event.at !== at) continue;
      take(event);
      if (known.pause !== null && known.pause.until !== null && known.pause.until <= at) endPause(at);
    }
  }
  return alerts;
}
