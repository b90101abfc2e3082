// A slow second opinion on alerts, for tests: it looks at every second and remembers every slot and run by itself.
// Covers heartbeats, fails, runs with an id, pauses by hand and maintenance; no gaps, no reminders. It must import
// nothing of the product but types.

import type { Cause } from "../../../src/domain/monitor/incident.ts";
import { intervalSlots, minuteSlots, type Second } from "./naive-slots.ts";

export interface NaiveWatch {
  /** Minutes of each hour. */
  readonly minutes: readonly number[];
  /** Instead of them: the longest time from end to end (R44). */
  readonly everySeconds: number | null;
  readonly graceSeconds: number;
  readonly maxRuntimeSeconds: number | null;
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
  /** Of a start. */
  readonly attempt: number | null;
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
  attempt: number;
  endedAt: Second | null;
  succeeded: boolean;
}

interface Known {
  incident: { causes: Cause[]; missedSlots: number; failedRunBegan: Second | null; awaitsRun: boolean } | null;
  pause: { until: Second | null } | null;
  pendingFail: boolean;
  misses: number;
  failures: number;
  /** How long the last run took that had both its ends. */
  lastRun: number;
}

const A_DAY = 86_400;

/** Everything that is told from second 0 to `last`. */
export function naiveAlerts(watch: NaiveWatch, events: readonly NaiveEvent[], last: Second): NaiveAlert[] {
  const alerts: NaiveAlert[] = [];
  const slots = watch.everySeconds === null ? minuteSlots(watch.minutes) : intervalSlots(watch.everySeconds);
  const runs = new Map<string, NaiveRun>();
  let { graceSeconds } = watch;
  const known: Known = { incident: null, pause: null, pendingFail: false, misses: 0, failures: 0, lastRun: 0 };

  const openRuns = (): NaiveRun[] => [...runs.values()].filter(({ open }) => open);

  /** What has closed after a miss was told, or while a run past its deadline may still report, is behind us. */
  function countUntil(at: Second): void {
    // An interval begins again as the pause ends.
    if (known.pause !== null && watch.everySeconds !== null) return;
    if (known.incident?.causes.includes("missed") || known.incident?.awaitsRun) slots.passOver(at - graceSeconds - 5);
  }

  /** `beganAt`: when the run began that it is about; null: it is not known which. */
  function trouble(at: Second, cause: Cause, beganAt: Second | null): void {
    const { failedRunBegan = null, awaitsRun = false } = known.incident ?? {};
    const ofRun =
      cause === "missed"
        ? { failedRunBegan, awaitsRun }
        : { failedRunBegan: beganAt, awaitsRun: cause === "unfinished" };
    if (known.incident !== null) {
      Object.assign(known.incident, ofRun);
      if (cause === "missed") known.incident.missedSlots += 1;
      if (known.incident.causes.includes(cause)) return;
      known.incident.causes.push(cause);
      alerts.push({ told: "new_cause", at, cause, missedSlots: known.incident.missedSlots });
      return;
    }
    const enough =
      cause === "missed" ? known.misses >= watch.alertAfterMisses : known.failures >= watch.alertAfterFailures;
    if (!enough) return;
    known.incident = { causes: [cause], missedSlots: cause === "missed" ? known.misses : 0, ...ofRun };
    alerts.push({ told: "opened", at, cause, missedSlots: 0 });
  }

  function beginMaintenance(at: Second): void {
    if (watch.maintenance === null) return;
    const { minutes, second, lasts } = watch.maintenance;
    if (!minutes.some((minute) => (at - minute * 60 - second) % 3600 === 0)) return;
    const end = at + lasts;
    const health = known.pause;
    const covers = health === null || (health.until !== null && health.until < end);
    if (covers) countUntil(at - 1);
    if (covers && at > 0) slots.putOff(at, end, health === null ? null : health.until);
    if (health === null) known.pause = { until: end };
    else if (health.until !== null) known.pause = { until: Math.max(health.until, end) };
  }

  /** A shorter one goes on until the end of the window that pauses it. */
  function pauseByHand(at: Second, until: Second | null): void {
    let end = until;
    for (let from = at; known.pause !== null && watch.maintenance !== null && from > at - 3600; from -= 1) {
      const { minutes, second, lasts } = watch.maintenance;
      const begins = minutes.some((minute) => (from - minute * 60 - second) % 3600 === 0);
      if (begins && from + lasts > at && end !== null) end = Math.max(end, from + lasts);
    }
    known.pause = { until: end };
  }

  function endPause(at: Second): void {
    known.pause = null;
    slots.resume(at);
    for (const run of openRuns()) if (run.deadline <= at) run.open = false;
    if (known.pendingFail) trouble(at, "failed", known.incident?.failedRunBegan ?? null);
    known.pendingFail = false;
  }

  function closeSlot(at: Second): void {
    const slot = at - graceSeconds - 5;
    if (!slots.waits(slot) || known.pause !== null) return;
    if (openRuns().length > 0) return slots.cover(slot);
    slots.miss(slot);
    if (known.incident?.awaitsRun) {
      known.incident.missedSlots += 1;
      return;
    }
    known.misses += 1;
    trouble(at, "missed", null);
  }

  function passDeadlines(at: Second): void {
    for (const run of openRuns()) {
      if (run.deadline !== at || known.pause !== null) continue;
      run.open = false;
      known.failures += 1;
      slots.passOver(at - graceSeconds - 6);
      trouble(at, "unfinished", run.startedAt);
    }
  }

  function deadlineFrom(at: Second): Second {
    if (watch.maxRuntimeSeconds !== null) return at + watch.maxRuntimeSeconds;
    const apart = Math.min(slots.apart(at), A_DAY) + graceSeconds;
    return at + Math.max(apart, Math.min(2 * known.lastRun, A_DAY + graceSeconds));
  }

  function start(at: Second, runId: string, attempt: number): void {
    slots.fill(at, "start", true);
    const named = runs.get(runId);
    if (named !== undefined && named.startedAt === null) {
      named.startedAt = at;
      named.attempt = attempt;
      return;
    }
    if (named !== undefined && repeats(named, at, attempt)) return;
    if (named?.open) named.open = false;
    runs.set(runId, {
      startedAt: at,
      deadline: deadlineFrom(at),
      open: true,
      attempt,
      endedAt: null,
      succeeded: false,
    });
  }

  /** A start that came before, and comes once more: no slot has come due since that this one could be for. */
  function repeats(run: NaiveRun, at: Second, attempt: number): boolean {
    if (run.open) return !slots.isFurther(run.startedAt!, at, run.startedAt!);
    const copy = run.succeeded && at - run.endedAt! <= 60 && attempt <= run.attempt;
    return copy && !slots.isFurther(run.startedAt!, at, run.endedAt!);
  }

  function end(at: Second, run: NaiveRun | undefined, succeeded: boolean): void {
    slots.fill(at, "end", run === undefined || run.startedAt === null);
    if (run === undefined) return;
    if (run.startedAt !== null && run.endedAt === null) known.lastRun = at - run.startedAt;
    Object.assign(run, { open: false, endedAt: at, succeeded });
  }

  /** Without a runtime that was set, a success of what began later gives up what is older. */
  function giveUpBefore(beganAt: Second | null): void {
    if (watch.maxRuntimeSeconds !== null || beganAt === null) return;
    for (const run of openRuns()) if (run.startedAt! < beganAt) run.open = false;
  }

  function fail(at: Second, beganAt: Second | null): void {
    known.failures += 1;
    if (known.incident !== null) known.incident.failedRunBegan = beganAt;
    if (known.pause === null) trouble(at, "failed", beganAt);
    else known.pendingFail = true;
  }

  function succeed(at: Second, beganAt: Second | null): void {
    known.pendingFail = false;
    known.misses = 0;
    known.failures = 0;
    if (known.incident === null) return;
    const { causes, missedSlots, failedRunBegan } = known.incident;
    if (beganAt !== null && failedRunBegan !== null && beganAt < failedRunBegan) return;
    alerts.push({ told: "recovered", at, cause: causes[0]!, missedSlots });
    known.incident = null;
  }

  function take({ at, does, runId, attempt, until, graceSeconds: brings }: NaiveEvent): void {
    if (does !== "pause" && does !== "resume") graceSeconds = brings ?? graceSeconds;
    if (does !== "pause" && does !== "resume" && known.incident !== null) known.incident.awaitsRun = false;
    const named = runs.get(runId);
    if (does === "start") start(at, runId, attempt ?? 0);
    if (does === "heartbeat") end(at, undefined, true);
    if (does === "complete" || does === "fail") {
      const succeeded = does === "complete";
      end(at, named, succeeded);
      const alone = { startedAt: null, deadline: at, open: false, attempt: 0, endedAt: at, succeeded };
      if (named === undefined) runs.set(runId, alone);
    }
    if (does === "heartbeat") giveUpBefore(at);
    if (does === "complete") giveUpBefore(named?.startedAt ?? null);
    if (does === "heartbeat") succeed(at, null);
    if (does === "complete") succeed(at, named?.startedAt ?? null);
    if (does === "fail") fail(at, named?.startedAt ?? null);
    if (does === "pause") pauseByHand(at, until);
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
      countUntil(at);
      take(event);
      if (known.pause !== null && known.pause.until !== null && known.pause.until <= at) endPause(at);
    }
  }
  return alerts;
}
