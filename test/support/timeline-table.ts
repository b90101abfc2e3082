// Worked examples as tables: each row says what arrives and what must then be known and told. The clock ticks whenever
// the core asks for it, so an alert that no row names is found too.

import { expect } from "bun:test";
import type { Alert, AlertKind, Reason } from "../../src/domain/message/alert.ts";
import type { Cause } from "../../src/domain/monitor/incident.ts";
import { type Monitor, newMonitor, type Status, statusOf, type Watch } from "../../src/domain/monitor/monitor.ts";
import { CHECKS_PASSED } from "../../src/domain/monitor/reported-outcomes.ts";
import { isOpen } from "../../src/domain/monitor/run.ts";
import { wakeAt } from "../../src/domain/monitor/settle.ts";
import { type Signal, type Transition, transition } from "../../src/domain/monitor/transition.ts";
import { DAY, HOUR, type Instant, toIso, wholeSeconds } from "../../src/domain/time.ts";
import { PLAIN_WATCH } from "./watch.ts";

/** An alert in the words of the contract's tables. Fields that are absent are not checked. */
export interface ExpectedAlert {
  readonly kind: AlertKind;
  readonly reason: Reason;
  readonly cause: Cause;
  /** The alert's time; absent when it is the row's. */
  readonly at?: string;
  /** How long the incident was open, for a recovery. */
  readonly openSeconds?: number;
  readonly missedSlots?: number;
  readonly message?: string;
}

export interface Row {
  /** `10:00:01` on 2026-03-02, or `03-04 02:00:00` in 2026, in UTC. */
  readonly at: string;
  /** The signal; absent when only the clock ticks. */
  readonly says?: Signal;
  readonly status: Status;
  /** The slot that is expected after the row. */
  readonly expects?: string | null;
  readonly tells?: readonly ExpectedAlert[];
  readonly duration?: number | null;
  /** The deadline of the run that this row starts. */
  readonly deadline?: string;
  readonly legacy?: boolean;
  readonly openRuns?: number;
  /** The clock did not tick since the row before. */
  readonly unwatched?: true;
}

export interface Example {
  readonly title: string;
  readonly watch: Partial<Watch> & { readonly schedule: string | null };
  /** When the monitor is declared; absent when the first row's report creates it. */
  readonly declaredAt?: string;
  readonly rows: readonly Row[];
}

export const DEFAULT_WATCH: Watch = {
  ...PLAIN_WATCH,
  reminders: { after: [HOUR, 6 * HOUR, 24 * HOUR], every: DAY, max: 30 },
};

export const heartbeat: Signal = { kind: "heartbeat", runId: null, attempt: null, checks: CHECKS_PASSED };
export const start = (runId: string | null = null, attempt: number | null = null): Signal => ({
  kind: "start",
  runId,
  attempt,
});
export const complete = (runId: string | null = null, attempt: number | null = null): Signal => ({
  kind: "complete",
  runId,
  attempt,
  checks: CHECKS_PASSED,
});
export const fail = (
  message: string | null = null,
  runId: string | null = null,
  attempt: number | null = null,
): Signal => ({ kind: "fail", runId, attempt, message });

export const opened = (cause: Cause, more: Partial<ExpectedAlert> = {}): ExpectedAlert => ({
  kind: "InitialFailure",
  reason: "opened",
  cause,
  ...more,
});
export const reminder = (cause: Cause): ExpectedAlert => ({ kind: "ContinuedFailure", reason: "reminder", cause });
/** `cause` is the one with which the incident opened. */
export const recovered = (
  cause: Cause,
  openSeconds: number,
  missedSlots: number,
  reason: Reason = "success",
): ExpectedAlert => ({
  kind: "Recovered",
  reason,
  cause,
  openSeconds,
  missedSlots,
});

/** The instant that a row names. */
export const instantOf = (time: string): Instant =>
  Date.parse(time.includes(" ") ? `2026-${time.replace(" ", "T")}Z` : `2026-03-02T${time}Z`);

const watchOf = (example: Example): Watch => ({ ...DEFAULT_WATCH, ...example.watch });

/** Runs an example row by row; the first row that differs fails the test. */
export function follow(example: Example): void {
  let monitor = newMonitor(watchOf(example), instantOf(example.declaredAt ?? example.rows[0]!.at));
  for (const row of example.rows) {
    const now = instantOf(row.at);
    if (row.unwatched === undefined) monitor = watchUntil(monitor, now, row);
    const decision = transition(monitor, row.says ?? { kind: "wake" }, now, []);
    expect(seen(row, decision, now)).toEqual(told(row));
    monitor = decision.monitor;
  }
}

/** Nothing may be told between two rows, however often the clock ticks. */
function watchUntil(monitor: Monitor, now: Instant, row: Row): Monitor {
  let watched = monitor;
  for (let due = wakeAt(watched, []); due !== null && due < now; due = wakeAt(watched, [])) {
    const decision = transition(watched, { kind: "wake" }, due, []);
    expect({ before: row.at, at: toIso(due), alerts: decision.alerts }).toEqual({
      before: row.at,
      at: toIso(due),
      alerts: [],
    });
    watched = decision.monitor;
  }
  return watched;
}

/** Everything that a row says. */
const told = (row: Row) => ({
  ...row,
  says: row.says?.kind,
  expects: row.expects == null ? row.expects : toIso(instantOf(row.expects)),
  deadline: row.deadline === undefined ? undefined : toIso(instantOf(row.deadline)),
  tells: (row.tells ?? []).map((alert) => ({ ...alert, at: toIso(instantOf(alert.at ?? row.at)) })),
});

/** The same fields of what happened, as far as the row has them. */
function seen(row: Row, { monitor, alerts, run }: Transition, now: Instant): ReturnType<typeof told> {
  const actual: Partial<Record<keyof Row, unknown>> = {
    status: statusOf(monitor, now),
    expects: monitor.expectedAt === null ? null : toIso(monitor.expectedAt),
    duration: run?.durationSeconds,
    deadline: run?.deadline == null ? null : toIso(run.deadline),
    legacy: run?.legacy,
    openRuns: monitor.runs.filter(isOpen).length,
  };
  const spoken = Object.keys(actual).filter((field) => row[field as keyof Row] !== undefined);
  return {
    ...told(row),
    ...Object.fromEntries(spoken.map((field) => [field, actual[field as keyof Row]])),
    tells: alerts.map((alert, index) => seenAlert(alert, row.tells?.[index])),
  };
}

function seenAlert({ kind, reason, cause, at, incident }: Alert, expected: ExpectedAlert | undefined) {
  const said: ExpectedAlert & { at: string } = { kind, reason, cause, at: toIso(at) };
  return {
    ...said,
    ...(expected?.openSeconds === undefined ? {} : { openSeconds: wholeSeconds(incident.openedAt, at) }),
    ...(expected?.missedSlots === undefined ? {} : { missedSlots: incident.missedSlots }),
    ...(expected?.message === undefined ? {} : { message: incident.message ?? "" }),
  };
}
