// The first decision: what a signal, such as a report or the time, means for a monitor now. It reads no clock, because
// `now` and the gaps are given. It never refuses a signal, because its callers do that before.

import type { Alert } from "../message/alert.ts";
import { maintenanceUntil } from "../schedule/maintenance.ts";
import type { Instant } from "../time.ts";
import { declare, rebase } from "./declare.ts";
import type { Draft, PauseChange, Unknown } from "./draft.ts";
import { addAlert, closeIncident, countMissedSlots, leaveCarriedBehind, notePauseChange, openDraft } from "./draft.ts";
import { type ClosedBy, nextReminder, onlyCountsSlots } from "./incident.ts";
import type { OwnTime } from "./late.ts";
import type { Gap, Monitor, PauseKind, Watch } from "./monitor.ts";
import { withLongerPause } from "./monitor.ts";
import {
  applyEndReport,
  applyFailReport,
  applyStartReport,
  type EndSignal,
  type FailSignal,
  refuseReport,
  type StartSignal,
} from "./report.ts";
import { checkOutcomes, type Expectations, type Outcomes } from "./reported-outcomes.ts";
import type { EndVerdict, Run, RunMark } from "./run.ts";
import { type MonitorPast, NO_PAST } from "./series.ts";
import { endPause, judgeWaiting, passOver, settle } from "./settle.ts";
import type { UsualRun } from "./unusual.ts";

export type Signal =
  // A job sends these signals.
  | EndSignal
  | StartSignal
  | FailSignal
  // The rate limit refused a report of the job. That only shows that the job is alive (R26). `further` is true when
  // another report of the same minute was refused before this one.
  | { readonly kind: "refused"; readonly further: boolean }
  // A registry, the configuration, a person or the job itself declares settings. `byHand` is when the pause ends that a
  // person asked for; absent or `null` when there is no such pause or no such end.
  | { readonly kind: "declare"; readonly watch: Watch; readonly byHand?: Instant | null }
  | { readonly kind: "withdraw" }
  // A person or the limit of the paid plan causes these signals.
  | { readonly kind: "pause"; readonly pause: "manual"; readonly until: Instant | null }
  | { readonly kind: "pause"; readonly pause: "plan" | "suspension" }
  | { readonly kind: "resume"; readonly pause: PauseKind }
  // `at` is set after a restore, if only the replaced database knew of the acknowledgement; absent means now.
  | { readonly kind: "acknowledge"; readonly by: string | null; readonly at?: Instant }
  // A person takes the acknowledgement back.
  | { readonly kind: "unacknowledge" }
  | { readonly kind: "resolve" }
  // After a restore: the replaced database knew that the incident had ended, and how.
  | { readonly kind: "ended"; readonly by: ClosedBy; readonly at: Instant }
  | { readonly kind: "delete" }
  // The clock causes these signals.
  | { readonly kind: "wake" }
  // After the clock was set back by `backMs` milliseconds: stored instants in the future move back (R26). `endedAt` is
  // when the monitor's newest success or fail came, by the corrected clock; absent when not known. `byHand` is when a
  // person's pause ends; absent when it does not end by itself.
  | { readonly kind: "rebase"; readonly backMs: number; readonly endedAt?: Instant; readonly byHand?: Instant };

/** What a report says. Only a complete has `outcomes`. */
export interface ReportFacts extends RunMark, Required<OwnTime> {
  readonly kind: "heartbeat" | "complete" | "start" | "fail" | "log";
  readonly message: string | null;
  readonly outcomes: Outcomes;
}

/**
 * Returns the signal of a report. `expectations` is what the configuration expects of its outcomes (R27). `usual` is
 * how long the job's runs usually take; only a start uses it.
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
      // A log only tells that time has passed: it fills no slot and ends no run (R5).
      return { kind: "wake" };
    default:
      return ping.kind satisfies never;
  }
}

export interface Transition {
  readonly monitor: Monitor;
  readonly alerts: readonly Alert[];
  readonly unknowns: readonly Unknown[];
  /** When the monitor was paused or watched again, in ascending order; of one instant the last counts. */
  readonly pauseChanges: readonly PauseChange[];
  /** The slot that a late report has filled, by the time of its event; `null` when it has filled none. */
  readonly lateSlot: Instant | null;
  /** The run to which the last signal belongs, with the signal applied; `null` when it belongs to none. */
  readonly run: Run | null;
  /** What is remarkable about the end that the last signal reports; `null` when nothing is, or it reports no end. */
  readonly verdict: EndVerdict | null;
  /** The run's length in seconds, as its client measured it; `null` without a plausible one (R43). */
  readonly measuredSeconds: number | null;
  /** Older open runs that became `incomplete`, because a run that began later has succeeded (R21). */
  readonly outlived: readonly Run[];
}

/**
 * Applies what has come due by `now`, each step at its own instant, and then the signal at `now`. If the clock is
 * behind the monitor's newest instant, that instant counts instead of `now`, except for a `rebase` (R26). `gaps` are
 * over by `now`, ascending, and do not overlap. Inputs are not changed.
 */
export const transition = (monitor: Monitor, signal: Signal, now: Instant, gaps: readonly Gap[]): Transition =>
  transitions(monitor, [signal], now, gaps);

/**
 * Like `transition`, for several signals at one instant. Nothing is judged between them. So a report that also shortens
 * the grace is heard before any slot is judged by the new grace (R12).
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
  if (signals.some(({ kind }) => kind === "pause" || kind === "withdraw")) judgeWaiting(draft, at);
  const { pauses, expectedAt, runs } = draft.monitor;
  for (const signal of signals) applySignal(draft, signal, at);
  notePauseChange(draft, { pauses, expectedAt, runs }, at);
  // Through this report a slot may count as closed that did not before: the report declares a shorter grace, or it is
  // the late end of a run that seemed to cover the slot. That slot is skipped without an alarm. Whether the job is
  // silent is decided at the next slot (R12, R43, R44).
  if (draft.lateFrom !== null) draft.monitor.unheard = passOver(draft, at) || draft.monitor.unheard;
  else if (signals.length > 1) passOver(draft, at);
  draft.lateFrom = null;
  settle(draft, at, gaps);
  // A shorter grace may have closed more slots. They are counted now, so that a repetition of the signal counts
  // nothing.
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
      return applyEndReport(draft, signal, at);
    case "start":
      return applyStartReport(draft, signal, at);
    case "fail":
      return applyFailReport(draft, signal, at);
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

/** A person's pause counts from now, but lasts at least as long as the maintenance that pauses the monitor (R24). */
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

/** Closes the incident and forgets misses and failures, so that none counts if the monitor comes back (R25). */
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

/** Takes the acknowledgement back. Reminders come again, but those of the meantime are not sent later (R23). */
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
  // The missed work is still not done, so the status stays `warning` until the job reports (R18).
  if (onlyCountsSlots(monitor.incident)) monitor.unheard = true;
  closeIncident(draft, by, at);
  monitor.misses = 0;
  monitor.failures = 0;
}
