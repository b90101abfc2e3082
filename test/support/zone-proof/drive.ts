// Drives the real core through one window: every report in its time, then the same job dead from some run on. Says what
// went wrong; it knows the slots from the models alone.

import { GRACE_SECONDS_DEFAULT } from "../../../src/domain/limits.ts";
import { type Monitor, newMonitor, statusOf, type Watch } from "../../../src/domain/monitor.ts";
import { matteringRuns } from "../../../src/domain/run.ts";
import { wakeAt } from "../../../src/domain/settle.ts";
import { type Instant, toIso } from "../../../src/domain/time.ts";
import { CHECKS_PASSED, type Signal, transition } from "../../../src/domain/transition.ts";
import { zoneHint } from "../../../src/domain/zone-hint.ts";
import type { Report } from "./reports.ts";

export interface Case {
  readonly timezone: string;
  readonly schedule: string;
  readonly reports: readonly Report[];
  /** R17's slots in [from, until), in order. */
  readonly slots: readonly Instant[];
  readonly from: Instant;
  readonly until: Instant;
  /** The runs at which the job is dead, one after the other, as they are numbered in its reports. */
  readonly deaths: readonly number[];
}

export interface Outcome {
  /** Sentences; empty when all is well. */
  readonly falseAlarms: readonly string[];
  readonly missedAlarms: readonly string[];
  readonly signals: number;
  readonly missesFound: number;
  /** Deaths whose next slot lies behind the window: the monitor waits for it, which is all that can be seen. */
  readonly missesBeyond: number;
}

const NO_GAPS = [] as const;
/** R20: the grace, and five seconds for a request on its way. */
const CLOSE_MS = GRACE_SECONDS_DEFAULT * 1_000 + 5_000;
const EARLY_MS = 60_000;

const watchOf = ({ schedule, timezone }: Case): Watch => ({
  schedule,
  timezone,
  graceSeconds: GRACE_SECONDS_DEFAULT,
  maxRuntimeSeconds: null,
  alertAfterMisses: 1,
  alertAfterFailures: 1,
  reminders: { after: [], every: 0, max: 0 },
  maintenance: [],
});

export function drive(proven: Case): Outcome {
  const falseAlarms: string[] = [];
  const missedAlarms: string[] = [];
  const due = [...proven.deaths];
  let signals = 0;
  let missesFound = 0;
  let missesBeyond = 0;
  let openRuns = 0;
  /** The oldest slot that no report has filled, as an index. */
  let unfilled = 0;
  let monitor = newMonitor(watchOf(proven), proven.reports[0]!.at - 1_000);

  for (const report of proven.reports) {
    if (report.at >= proven.until) break;
    if (report.fire === due[0]) {
      due.shift();
      const verdict = openRuns > 0 ? null : dieBefore(report, monitor, proven, unfilled);
      if (verdict === "found") missesFound += 1;
      else if (verdict === "beyond") missesBeyond += 1;
      else if (verdict !== null) missedAlarms.push(verdict);
    }
    const wake = wakeAt(monitor, NO_GAPS);
    const alarm = wake !== null && wake <= report.at ? alarmsAt(monitor, wake) : null;
    if (alarm !== null) falseAlarms.push(alarm);

    const next = transition(monitor, signalOf(report), report.at, NO_GAPS);
    monitor = forgetful(next.monitor);
    signals += 1;
    if (report.kind !== "heartbeat") openRuns += report.kind === "start" ? 1 : -1;
    unfilled = unfilledAfter(report, proven, unfilled);
    const fault = faultIn(monitor, next.alerts.length, report.at);
    if (fault !== null && alarm === null && report.fire >= 0) falseAlarms.push(fault);
    if (falseAlarms.length > 0) return { falseAlarms, missedAlarms, signals, missesFound, missesBeyond };
  }

  const wake = wakeAt(monitor, NO_GAPS);
  const alarm = wake !== null && wake < proven.until ? alarmsAt(monitor, wake) : null;
  if (alarm !== null) falseAlarms.push(alarm);
  return { falseAlarms, missedAlarms, signals, missesFound, missesBeyond };
}

/** As the engine loads a monitor: with the runs that can still matter. */
function forgetful(monitor: Monitor): Monitor {
  if (monitor.runs.length === 0) return monitor;
  const mattering = matteringRuns(monitor.runs, monitor.changedAt);
  return { ...monitor, runs: monitor.runs.filter(({ number }) => mattering.has(number)) };
}

function signalOf({ kind, runId }: Report): Signal {
  return kind === "start" ? { kind, runId, attempt: null } : { kind, runId, attempt: null, checks: CHECKS_PASSED };
}

function alarmsAt(monitor: Monitor, wake: Instant): string | null {
  const [alert] = transition(monitor, { kind: "wake" }, wake, NO_GAPS).alerts;
  if (alert === undefined) return null;
  const slot = alert.incident.expectedAt;
  return `${alert.kind} (${alert.cause}) at ${toIso(wake)}${slot === null ? "" : ` for the slot ${toIso(slot)}`}`;
}

/** After a report nothing is told, the monitor is healthy, and nobody is told of another zone (R13). */
function faultIn(monitor: Monitor, alertCount: number, at: Instant): string | null {
  if (alertCount > 0) return `${alertCount} alerts with the report at ${toIso(at)}`;
  const status = statusOf(monitor, at);
  if (status !== "healthy") return `${status} after the report at ${toIso(at)}`;
  return zoneHint(monitor, []) === null ? null : `a zone hint with the report at ${toIso(at)}`;
}

/** R20 from the models' slots: a report fills what is past, and the next slot when it is near. */
function unfilledAfter(report: Report, { slots, from }: Case, unfilled: number): number {
  let next = unfilled;
  while (next < slots.length && slots[next]! <= report.at) next += 1;
  const slot = slots[next];
  if (slot === undefined || report.kind === "complete") return next;
  const distance = slot - (slots[next - 1] ?? from);
  return slot - report.at <= Math.min(EARLY_MS, distance / 10) ? next + 1 : next;
}

/**
 * The job dies instead of sending this report. The miss must be told at the close of the oldest slot that nothing filled,
 * which is at most the one after the run that did not come.
 */
function dieBefore(report: Report, monitor: Monitor, { slots, until }: Case, unfilled: number): string | null {
  const slot = slots[unfilled];
  const wake = wakeAt(monitor, NO_GAPS);
  if (slot === undefined) {
    if (wake === null || wake >= until) return "beyond";
    return `looks again at ${toIso(wake)}, although no slot is left before ${toIso(until)}`;
  }
  const close = slot + CLOSE_MS;
  const dead = `dead before the report at ${toIso(report.at)}, the slot ${toIso(slot)} unfilled`;
  if (wake !== close) return `${dead}: looks again at ${wake === null ? "no time" : toIso(wake)}`;
  const afterDeath = slots.find((other) => other > report.firedAt);
  if (afterDeath !== undefined && slot > afterDeath) return `${dead}: more than a slot after the death`;
  const { alerts, monitor: told } = transition(monitor, { kind: "wake" }, close, NO_GAPS);
  const [alert] = alerts;
  const isTold = alerts.length === 1 && alert?.kind === "InitialFailure" && alert.cause === "missed";
  if (!isTold || alert.at !== close || alert.incident.expectedAt !== slot || told.incident === null) {
    return `${dead}: ${alert === undefined ? "nothing is told" : alarmsAt(monitor, close)}`;
  }
  return "found";
}
