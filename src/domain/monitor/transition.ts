// The one decision: what a signal means for a monitor, now. Total: it never throws and never refuses; callers refuse
// before. Reads no clock: `now` and the gaps are given.

import type { Alert } from "../message/alert.ts";
import type { Instant } from "../time.ts";
import { declare } from "./declare.ts";
import { lastSuccessAt } from "./doubt.ts";
import {
  closeIncident,
  countMissedSlots,
  countTrouble,
  type Draft,
  fillSlots,
  keepRun,
  leaveCarriedBehind,
  openDraft,
  outlive,
  tell,
  tellTrouble,
  type Unknown,
} from "./draft.ts";
import { failedLater } from "./incident.ts";
import { countExpectedSlots, type Gap, isPaused, type Monitor, type PauseKind, type Watch } from "./monitor.ts";
import type { Checks } from "./outcomes.ts";
import { rebase } from "./rebase.ts";
import { type EndKind, endedRun, endWithoutStart, type Run, type RunMark, runEndedBy, withinOpenLimit } from "./run.ts";
import { startedBy } from "./run-start.ts";
import { endPause, settle } from "./settle.ts";
import { driftAfter } from "./zone-hint.ts";

export type Signal =
  // a job
  | ({ readonly kind: "heartbeat" | "complete"; readonly checks: Checks } & RunMark)
  | ({ readonly kind: "start" } & RunMark)
  | ({ readonly kind: "fail"; readonly message: string | null } & RunMark)
  // a job whose report the rate limit refused: evidence of life, nothing else (R26)
  | { readonly kind: "refused" }
  // a registry, a job that carries its schedule, or the configuration
  | { readonly kind: "declare"; readonly watch: Watch }
  | { readonly kind: "withdraw" }
  // an operator, or the plan
  | { readonly kind: "pause"; readonly pause: "manual"; readonly until: Instant | null }
  | { readonly kind: "pause"; readonly pause: "plan" | "suspension" }
  | { readonly kind: "resume"; readonly pause: PauseKind }
  | { readonly kind: "acknowledge"; readonly by: string | null }
  | { readonly kind: "resolve" }
  | { readonly kind: "delete" }
  // the clock
  | { readonly kind: "wake" }
  // the clock had been wrong: stored instants that lie in the future are pulled back (R26)
  | { readonly kind: "rebase"; readonly backMs: number };

export interface Transition {
  readonly monitor: Monitor;
  /** What is worth reporting, in order. */
  readonly alerts: readonly Alert[];
  readonly unknowns: readonly Unknown[];
  /** The run that the signal belongs to, as it stands afterwards. */
  readonly run: Run | null;
  /** Runs without an end that the signal's success has made `incomplete` (R21). */
  readonly outlived: readonly Run[];
}

/**
 * Settles what is overdue, each step at its own instant, then applies the signal at `now`, or at the monitor's newest
 * instant when the clock is behind it (R26). `gaps`: over by now, disjoint, ascending. Does not change its inputs.
 */
export const transition = (monitor: Monitor, signal: Signal, now: Instant, gaps: readonly Gap[]): Transition =>
  transitions(monitor, [signal], now, gaps);

/**
 * Several signals of one instant. Nothing is settled or counted between them: a report that brings new values counts
 * before these judge anything (R12). The run is the last signal's.
 */
export function transitions(
  monitor: Monitor,
  signals: readonly [Signal, ...Signal[]],
  now: Instant,
  gaps: readonly Gap[],
): Transition {
  const draft = openDraft(monitor, gaps);
  const at = signals[0].kind === "rebase" ? now : Math.max(now, monitor.changedAt);
  settle(draft, at, gaps);
  if (signals.every(({ kind }) => kind === "wake")) return draft;
  draft.monitor.changedAt = at;
  countMissedSlots(draft, at);
  for (const signal of signals) apply(draft, signal, at);
  settle(draft, at, gaps);
  // We also count slots that a shorter grace has made late, so that repeating the signal changes nothing.
  countMissedSlots(draft, at);
  leaveCarriedBehind(draft.monitor);
  return draft;
}

function apply(draft: Draft, signal: Signal, at: Instant): void {
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
      return refused(draft, at);
    case "declare":
      return declare(monitor, signal.watch, at);
    case "withdraw":
      return withdraw(draft, at);
    case "pause":
      monitor.pauses =
        signal.pause === "manual"
          ? { ...monitor.pauses, manual: { until: signal.until } }
          : { ...monitor.pauses, [signal.pause]: true };
      return;
    case "resume":
      if (monitor.pauses[signal.pause]) endPause(draft, signal.pause, at);
      return;
    case "acknowledge":
      return acknowledge(draft, signal.by, at);
    case "resolve":
      return resolve(draft, at);
    case "delete":
      return closeIncident(draft, "deleted", at);
    case "rebase":
      return rebase(draft, at, signal.backMs);
    default:
      signal satisfies never;
  }
}

/** A heartbeat or a complete: a success, unless an outcome check says otherwise (R23, R27). */
function end(draft: Draft, signal: Signal & { kind: "heartbeat" | "complete" }, at: Instant): void {
  const { monitor } = draft;
  const { checks } = signal;
  receiveEnd(draft, signal, signal.kind, at);
  monitor.pendingFail = null;
  monitor.warned = checks.verdict === "warned";
  if (checks.verdict !== "failed") return succeed(draft, signal.kind, at);
  const trouble = {
    cause: "outcome",
    message: checks.message,
    outcomes: checks.outcomes,
    runId: signal.runId,
    run: draft.run,
    slot: null,
  } as const;
  countTrouble(draft, trouble);
  if (!isPaused(monitor)) tellTrouble(draft, trouble, at);
}

function succeed(draft: Draft, kind: "heartbeat" | "complete", at: Instant): void {
  const { monitor } = draft;
  outlive(draft, kind, at);
  monitor.succeededAt = at;
  monitor.lastSuccess = lastSuccessAt(monitor.watch, at, draft.run?.startedAt ?? null);
  monitor.misses = 0;
  monitor.failures = 0;
  if (!failedLater(monitor.incident, draft.run)) closeIncident(draft, "success", at);
}

/** An explicit fail is reported at once, even under a pause that no person asked for; one by hand delays it (R24). */
function fail(draft: Draft, signal: Signal & { kind: "fail" }, at: Instant): void {
  const { monitor } = draft;
  receiveEnd(draft, signal, "fail", at);
  monitor.warned = false;
  const { message, runId } = signal;
  const trouble = { cause: "failed", message, runId, run: draft.run, slot: null } as const;
  countTrouble(draft, trouble);
  if (monitor.pauses.manual !== null) monitor.pendingFail = { message, runId, failedAt: at };
  else tellTrouble(draft, trouble, at);
}

/** Only the end of a run that has its start cannot fill a slot early (R20). */
function receiveEnd(draft: Draft, mark: RunMark, kind: EndKind, at: Instant): void {
  const { monitor } = draft;
  const ended = runEndedBy(monitor.runs, mark.runId, kind, at);
  receive(draft, at, ended === null || ended.run.startedAt === null);
  if (ended !== null) {
    draft.run = endedRun(ended.run, mark, kind, at, ended.guessed);
    const repeated = ended.run.endedAt !== null && !ended.guessed;
    // After the clock was pulled back, a start may lie in the future.
    if (ended.run.startedAt !== null && !repeated) monitor.lastRunMs = Math.max(0, at - ended.run.startedAt);
  } else if (mark.runId !== null) {
    draft.run = endWithoutStart(monitor.runCount + 1, mark, kind, at);
  }
  if (draft.run !== null) keepRun(draft, draft.run);
}

function receive(draft: Draft, at: Instant, mayBeEarly: boolean): void {
  const around = fillSlots(draft, at, mayBeEarly);
  // The end of a run that has its start is never early, and comes by the run's length after its slot (R13).
  if (mayBeEarly && around !== null) draft.monitor.drift = driftAfter(draft.monitor, around, at);
  draft.monitor.receivedAt = at;
  const { incident } = draft.monitor;
  if (incident?.awaitsRun) draft.monitor.incident = { ...incident, awaitsRun: false };
  draft.monitor.excusedBy = null;
  draft.monitor.unheard = false;
}

function start(draft: Draft, mark: RunMark, at: Instant): void {
  const { monitor } = draft;
  receive(draft, at, true);
  const { run, replaced } = startedBy(monitor, mark, at);
  draft.run = run;
  if (replaced !== null) keepRun(draft, replaced);
  keepRun(draft, run);
  monitor.runs = withinOpenLimit(monitor.runs);
}

/** The slots it fills are unknown; slots that closed after a reported miss still count as missed (R26). */
function refused(draft: Draft, at: Instant): void {
  const { monitor, unknowns } = draft;
  const expected = monitor.expectedAt;
  fillSlots(draft, at, true);
  monitor.excusedBy = null;
  if (expected === null || monitor.expectedAt === null || monitor.expectedAt === expected) return;
  monitor.unheard = true;
  const slots = countExpectedSlots(monitor, expected - 1, monitor.expectedAt - 1);
  unknowns.push({ at, slot: expected, slots, run: null, gap: null });
}

function withdraw(draft: Draft, at: Instant): void {
  const { monitor } = draft;
  if (monitor.pauses.discovery) return;
  monitor.pauses = { ...monitor.pauses, discovery: true };
  closeIncident(draft, "withdrawn", at);
  monitor.pendingFail = null;
  monitor.misses = 0;
  monitor.failures = 0;
}

function acknowledge(draft: Draft, by: string | null, at: Instant): void {
  const { monitor } = draft;
  if (monitor.incident === null || monitor.incident.acknowledgedAt !== null) return;
  const incident = { ...monitor.incident, acknowledgedAt: at, acknowledgedBy: by, remindAt: null };
  monitor.incident = incident;
  const cause = incident.causes[0];
  tell(draft, {
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

function resolve(draft: Draft, at: Instant): void {
  const { monitor } = draft;
  if (monitor.incident === null) return;
  closeIncident(draft, "resolved", at);
  monitor.misses = 0;
  monitor.failures = 0;
}
