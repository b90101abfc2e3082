// Drives the real core through one window: every report in its time, and for some of them the same job dead from there
// on. Says what went wrong; it knows the slots from the models alone.

import { GRACE_SECONDS_DEFAULT } from "../../../src/domain/limits.ts";
import { type Monitor, newMonitor, statusOf, type Watch } from "../../../src/domain/monitor/monitor.ts";
import { CHECKS_PASSED } from "../../../src/domain/monitor/reported-outcomes.ts";
import { matteringRuns } from "../../../src/domain/monitor/run.ts";
import { wakeAt } from "../../../src/domain/monitor/settle.ts";
import { type Signal, transition } from "../../../src/domain/monitor/transition.ts";
import { zoneHint } from "../../../src/domain/monitor/zone-hint.ts";
import { type Instant, toIso } from "../../../src/domain/time.ts";
import { PLAIN_WATCH } from "../../support/watch.ts";
import type { Report } from "./reports.ts";

export interface Case {
  readonly timezone: string;
  readonly schedule: string;
  readonly reports: readonly Report[];
  /** R17's slots in [from, until), in order. */
  readonly slots: readonly Instant[];
  readonly from: Instant;
  readonly until: Instant;
  /** The runs in place of which the job dies, each time again, as they are numbered in its reports. */
  readonly deaths: readonly number[];
}

export interface Outcome {
  /** A sentence; null when nothing was told and nothing looked ill. */
  falseAlarm: string | null;
  /** A sentence for each death that was not told of as it should be. */
  readonly missedAlarms: string[];
  reports: number;
  missesFound: number;
  /** Deaths whose next slot lies behind the window: the monitor waits for it, which is all that can be seen. */
  missesBeyond: number;
}

interface Watched {
  monitor: Monitor;
  openRuns: number;
  /** The oldest slot that no report has filled, as an index. */
  unfilled: number;
}

const NO_GAPS = [] as const;
/** R20: the grace, and five seconds for a request on its way. */
const CLOSE_MS = GRACE_SECONDS_DEFAULT * 1_000 + 5_000;
const EARLY_MS = 60_000;

const watchOf = ({ schedule, timezone }: Case): Watch => ({
  ...PLAIN_WATCH,
  schedule,
  timezone,
  graceSeconds: GRACE_SECONDS_DEFAULT,
});

export function drive(proven: Case): Outcome {
  const outcome: Outcome = { falseAlarm: null, missedAlarms: [], reports: 0, missesFound: 0, missesBeyond: 0 };
  const monitor = newMonitor(watchOf(proven), proven.reports[0]!.at - 1_000);
  const watched: Watched = { monitor, openRuns: 0, unfilled: 0 };
  const deaths = proven.deaths.values();
  let death = deaths.next().value;

  for (const report of proven.reports) {
    if (report.at >= proven.until) break;
    if (report.fire === death) {
      death = deaths.next().value;
      if (watched.openRuns === 0) dieBefore(report, watched, proven, outcome);
    }
    outcome.reports += 1;
    outcome.falseAlarm = alarmBefore(watched.monitor, report.at) ?? receive(watched, report, proven);
    if (outcome.falseAlarm !== null) return outcome;
  }
  outcome.falseAlarm = alarmBefore(watched.monitor, proven.until);
  return outcome;
}

/** What time alone would tell before an instant. */
function alarmBefore(monitor: Monitor, at: Instant): string | null {
  const wake = wakeAt(monitor, NO_GAPS);
  return wake === null || wake >= at ? null : alarmAt(monitor, wake);
}

function alarmAt(monitor: Monitor, wake: Instant): string | null {
  const [alert] = transition(monitor, { kind: "wake" }, wake, NO_GAPS).alerts;
  if (alert === undefined) return null;
  const slot = alert.incident.expectedAt;
  return `${alert.kind} (${alert.cause}) at ${toIso(wake)}${slot === null ? "" : ` for the slot ${toIso(slot)}`}`;
}

/** After a report nothing is sent, the monitor is healthy, and no message names another zone (R13). */
function receive(watched: Watched, report: Report, proven: Case): string | null {
  const { monitor, alerts } = transition(watched.monitor, signalOf(report), report.at, NO_GAPS);
  watched.monitor = asLoaded(monitor);
  watched.unfilled = unfilledAfter(report, proven, watched.unfilled);
  if (report.kind === "start") watched.openRuns += 1;
  if (report.kind === "complete") watched.openRuns -= 1;

  const where = `with the report at ${toIso(report.at)}`;
  if (alerts.length > 0) return `${alerts.length} alerts ${where}`;
  const status = statusOf(watched.monitor, report.at);
  if (status !== "healthy" && monitor.succeededAt !== null) return `${status} ${where}`;
  return zoneHint(watched.monitor, []) === null ? null : `a zone hint ${where}`;
}

function signalOf({ kind, runId }: Report): Signal {
  return kind === "start" ? { kind, runId, attempt: null } : { kind, runId, attempt: null, checks: CHECKS_PASSED };
}

/** As the engine loads a monitor: with the runs that can still matter. */
function asLoaded(monitor: Monitor): Monitor {
  if (monitor.runs.length === 0) return monitor;
  const mattering = matteringRuns(monitor.runs, monitor.changedAt);
  return { ...monitor, runs: monitor.runs.filter(({ number }) => mattering.has(number)) };
}

/** R20 from the models' slots: a report fills what is past, and the next slot when it is near and no end of a run. */
function unfilledAfter(report: Report, { slots, from }: Case, unfilled: number): number {
  let next = unfilled;
  while (next < slots.length && slots[next]! <= report.at) next += 1;
  const slot = slots[next];
  if (slot === undefined || report.kind === "complete") return next;
  const distance = slot - (slots[next - 1] ?? from);
  return slot - report.at <= Math.min(EARLY_MS, distance / 10) ? next + 1 : next;
}

/**
 * The job dies instead of sending this report: its miss must be told at the close of the oldest slot nothing filled.
 */
function dieBefore(report: Report, { monitor, unfilled }: Watched, proven: Case, outcome: Outcome): void {
  const slot = proven.slots[unfilled];
  const wake = wakeAt(monitor, NO_GAPS);
  if (slot === undefined) {
    if (wake === null || wake >= proven.until) outcome.missesBeyond += 1;
    else outcome.missedAlarms.push(`no slot is left, looks again at ${toIso(wake)}`);
    return;
  }
  const fault = faultOfMiss(monitor, slot, wake) ?? faultOfDelay(proven.slots, unfilled, report.firedAt);
  if (fault === null) outcome.missesFound += 1;
  else outcome.missedAlarms.push(`dead from ${toIso(report.at)} on, the slot ${toIso(slot)} unfilled: ${fault}`);
}

function faultOfMiss(monitor: Monitor, slot: Instant, wake: Instant | null): string | null {
  const close = slot + CLOSE_MS;
  if (wake !== close) return `looks again at ${wake === null ? "no time" : toIso(wake)}`;
  const { alerts } = transition(monitor, { kind: "wake" }, close, NO_GAPS);
  const [alert] = alerts;
  if (alert === undefined) return "nothing is told";
  const isNotified = alerts.length === 1 && alert.kind === "InitialFailure" && alert.cause === "missed";
  return isNotified && alert.at === close && alert.incident.expectedAt === slot ? null : alarmAt(monitor, close);
}

/** It is the first slot from the run on that did not come, or the one after it where a report before came early. */
function faultOfDelay(slots: readonly Instant[], unfilled: number, firedAt: Instant): string | null {
  const first = slots.findIndex((slot) => slot >= firedAt);
  return first < 0 || unfilled <= first + 1 ? null : "more than a slot after the death";
}
