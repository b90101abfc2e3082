// The one decision: what a signal means for a monitor now. It never throws and never refuses, because callers refuse
// before. It reads no clock: `now` and the gaps are given.

import type { Alert } from "../message/alert.ts";
import { maintenanceUntil } from "../schedule/maintenance.ts";
import type { Instant } from "../time.ts";
import { declare, rebase } from "./declare.ts";
import type { Draft, Unknown } from "./draft.ts";
import { addAlert, closeIncident, countMissedSlots, leaveCarriedBehind, openDraft } from "./draft.ts";
import { type ClosedBy, nextReminder, onlyCountsSlots } from "./incident.ts";
import type { OwnTime } from "./late.ts";
import type { Gap, Monitor, PauseKind, Watch } from "./monitor.ts";
import { withLongerPause } from "./monitor.ts";
import { type EndSignal, end, type FailSignal, fail, refuseReport, type StartSignal, start } from "./report.ts";
import { checkOutcomes, type Expectations, type Outcomes } from "./reported-outcomes.ts";
import type { EndVerdict, Run, RunMark } from "./run.ts";
import { type MonitorPast, NO_PAST } from "./series.ts";
import { endPause, passOver, settle } from "./settle.ts";
import type { UsualRun } from "./unusual.ts";

export type Signal =
  // A job sends these signals.
  | EndSignal
  | StartSignal
  | FailSignal
  // A job sent a report that the rate limit refused. It only shows that the job lives (R26).
  // `further` is true when another report of the same minute was refused before it.
  | { readonly kind: "refused"; readonly further: boolean }
  // A registry, a job that carries its schedule, or the configuration declares values.
  // `byHand` is the end of the pause that a person asked for, even if maintenance lasts longer; absent when it is not
  // known.
  | { readonly kind: "declare"; readonly watch: Watch; readonly byHand?: Instant | null }
  | { readonly kind: "withdraw" }
  // An operator or the plan causes these signals.
  | { readonly kind: "pause"; readonly pause: "manual"; readonly until: Instant | null }
  | { readonly kind: "pause"; readonly pause: "plan" | "suspension" }
  | { readonly kind: "resume"; readonly pause: PauseKind }
  // `at` is set when only a replaced database knew of the acknowledgement; without it the time is now.
  | { readonly kind: "acknowledge"; readonly by: string | null; readonly at?: Instant }
  // The acknowledgement is taken back.
  | { readonly kind: "unacknowledge" }
  | { readonly kind: "resolve" }
  // A restore has replaced the database that knew of this end of the incident.
  | { readonly kind: "ended"; readonly by: ClosedBy; readonly at: Instant }
  | { readonly kind: "delete" }
  // The clock causes these signals.
  | { readonly kind: "wake" }
  // After the clock had been wrong, stored instants in the future are pulled back (R26). `endedAt` is when the newest
  // end came, if the clock was set back before that; `byHand` is the end of a person's pause, if that is known.
  | { readonly kind: "rebase"; readonly backMs: number; readonly endedAt?: Instant; readonly byHand?: Instant };

/** What a report says, as it came. `outcomes` are those of a complete. */
export interface ReportFacts extends RunMark, Required<OwnTime> {
  readonly kind: "heartbeat" | "complete" | "start" | "fail" | "log";
  readonly message: string | null;
  readonly outcomes: Outcomes;
}

/**
 * The signal of a ping. `expectations` are the rules for its outcomes (R27). For a start, `usual` says how long the
 * job's runs take.
 */
export function signalOf(ping: ReportFacts, expectations: Expectations, usual: UsualRun | null = null): Signal {
  const { runId, attempt, ageSeconds, durationSeconds } = ping;
  switch (ping.kind) {
    case "heartbeat":
    case "complete":
      return {
        kind: ping.kind,
        runId,
        attempt,
        ageSeconds,
        durationSeconds,
        checks: checkOutcomes(expectations, ping.outcomes),
      };
    case "start":
      return { kind: "start", runId, attempt, ageSeconds, usual };
    case "fail":
      return { kind: "fail", runId, attempt, ageSeconds, durationSeconds, message: ping.message };
    case "log":
      // A log counts as if only the clock had come: it fills nothing, and changes only what time changes anyway (R5).
      return { kind: "wake" };
    default:
      return ping.kind satisfies never;
  }
}

export interface Transition {
  readonly monitor: Monitor;
  readonly alerts: readonly Alert[];
  readonly unknowns: readonly Unknown[];
  /**
   * The slot that a late report has filled, taken at the time of its event; `null` when no late report has filled one.
   */
  readonly lateSlot: Instant | null;
  /** The run that the signal belongs to, after the signal. */
  readonly run: Run | null;
  /** The verdict on the end that the last signal reports; `null` when it reports no end or its end is unremarkable. */
  readonly verdict: EndVerdict | null;
  /** How long the run took, in seconds, as its client measured it; `null` when it gave no plausible length (R43). */
  readonly measuredSeconds: number | null;
  /** Runs without an end that this success has turned `incomplete` (R21). */
  readonly outlived: readonly Run[];
}

/**
 * Settles what is overdue, each step at its own instant. Then it applies the signal at `now`, or at the monitor's
 * newest instant when the clock is behind it (R26). `gaps` are over by `now`, disjoint and ascending. Inputs are not
 * changed.
 */
export const transition = (monitor: Monitor, signal: Signal, now: Instant, gaps: readonly Gap[]): Transition =>
  transitions(monitor, [signal], now, gaps);

/**
 * Applies several signals at one instant. Nothing is settled or counted between them, so new values in a report count
 * before the report is judged by them (R12). The returned run is the last signal's.
 */
export function transitions(
  monitor: Monitor,
  signals: readonly [Signal, ...Signal[]],
  now: Instant,
  gaps: readonly Gap[],
  past: MonitorPast = NO_PAST,
): Transition {
  const draft = openDraft(monitor, gaps, past);
  const at = signals[0].kind === "rebase" ? now : Math.max(now, monitor.changedAt);
  settle(draft, at, gaps);
  if (signals.every(({ kind }) => kind === "wake")) return draft;
  draft.monitor.changedAt = at;
  countMissedSlots(draft, at);
  for (const signal of signals) applySignal(draft, signal, at);
  // A start that also shortens the grace does not fill the slot of an interval, but must not raise an alarm either
  // (R12, R44).
  if (draft.lateFrom !== null) draft.monitor.unheard = passOver(draft, at) || draft.monitor.unheard;
  else if (signals.length > 1) passOver(draft, at);
  draft.lateFrom = null;
  settle(draft, at, gaps);
  // We also count slots that a shorter grace has made late, so that repeating the signal changes nothing.
  countMissedSlots(draft, at);
  leaveCarriedBehind(draft.monitor);
  return draft;
}

function applySignal(draft: Draft, signal: Signal, at: Instant): void {
  const { monitor } = draft;
  switch (signal.kind) {
    case "wake":
      return;
    case "heartbeat":
    case "complete":
      return end(draft, signal, at);
    case "start":
      return start(draft, signal, at);
    case "fail":
      return fail(draft, signal, at);
    case "refused":
      return refuseReport(draft, signal.further, at);
    case "declare":
      return declare(monitor, signal.watch, at, signal.byHand ?? null);
    case "withdraw":
      return applyWithdraw(draft, at);
    case "pause":
      if (signal.pause === "manual") pauseByHand(monitor, signal.until, at);
      else monitor.pauses = { ...monitor.pauses, [signal.pause]: true };
      return;
    case "resume":
      if (monitor.pauses[signal.pause]) endPause(draft, signal.pause, at);
      return;
    case "acknowledge":
      return acknowledge(draft, signal.by, signal.at ?? at);
    case "unacknowledge":
      return unacknowledge(draft, at);
    case "resolve":
      return resolve(draft, "resolved", at);
    case "ended":
      return resolve(draft, signal.by, signal.at);
    case "delete":
      return forget(draft, "deleted", at);
    case "rebase":
      return rebase(draft, at, signal);
    default:
      signal satisfies never;
  }
}

/** A pause by hand that is shorter than the maintenance in progress does not end that maintenance (R24). */
function pauseByHand(monitor: Draft["monitor"], until: Instant | null, at: Instant): void {
  const under = monitor.pauses.manual === null ? null : maintenanceUntil(monitor.watch, at);
  monitor.pauses = withLongerPause({ ...monitor.pauses, manual: { until } }, under);
}

function applyWithdraw(draft: Draft, at: Instant): void {
  const { monitor } = draft;
  if (monitor.pauses.discovery) return;
  monitor.pauses = { ...monitor.pauses, discovery: true };
  forget(draft, "withdrawn", at);
}

/** Closes the incident and clears the counts, so that nothing from before counts if the monitor comes back (R25). */
function forget(draft: Draft, by: ClosedBy, at: Instant): void {
  closeIncident(draft, by, at);
  draft.monitor.pendingFail = null;
  draft.monitor.misses = 0;
  draft.monitor.failures = 0;
}

function acknowledge(draft: Draft, by: string | null, at: Instant): void {
  const { monitor } = draft;
  if (monitor.incident === null || monitor.incident.acknowledgedAt !== null) return;
  const incident = { ...monitor.incident, acknowledgedAt: at, acknowledgedBy: by, remindAt: null };
  monitor.incident = incident;
  const cause = incident.causes[0];
  addAlert(draft, {
    kind: "Acknowledged",
    reason: "acknowledged",
    at,
    cause,
    incident,
    run: null,
    outcomes: null,
    gap: null,
  });
}

/** Reminders go on; those that would have come while the incident was acknowledged are not made up (R23). */
function unacknowledge({ monitor }: Draft, at: Instant): void {
  const { incident, watch } = monitor;
  if (incident === null || incident.acknowledgedAt === null) return;
  const isLast = incident.remindersSent >= watch.reminders.max;
  const remindAt = isLast ? null : nextReminder(watch.reminders, incident, at);
  monitor.incident = { ...incident, acknowledgedAt: null, acknowledgedBy: null, remindAt };
}

function resolve(draft: Draft, by: ClosedBy, at: Instant): void {
  const { monitor } = draft;
  if (monitor.incident === null) return;
  // The status stays `warning` until the job reports, because the missed work is still not done (R18).
  if (onlyCountsSlots(monitor.incident)) monitor.unheard = true;
  closeIncident(draft, by, at);
  monitor.misses = 0;
  monitor.failures = 0;
}
