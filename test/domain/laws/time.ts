// Laws of time: a decision depends on nothing but its inputs, looking at the clock changes nothing, what is due is
// settled at its own instant. Each takes a timeline and throws where it does not hold.

import type { Alert } from "../../../src/domain/message/alert.ts";
import { isPaused, type Monitor } from "../../../src/domain/monitor/monitor.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { wakeAt } from "../../../src/domain/monitor/settle.ts";
import { transition } from "../../../src/domain/monitor/transition.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { isReport, must, nextWindow, onlyCounts, runJudged, slotJudged, windowsIn } from "../timelines/facts.ts";
import {
  alertsOf,
  knownAt,
  lastMonitor,
  type Moment,
  outsideGaps,
  play,
  type Step,
  type Timeline,
  watched,
} from "../timelines/timeline.ts";

export function sameInputSameOutput({ moments }: Timeline): void {
  for (const moment of moments) {
    const { before, signal, now, gaps, after } = moment;
    for (const input of [before, signal, gaps]) freeze(input);
    must(Bun.deepEquals(transition(before, signal, now, gaps), after, true), "the outcome differs", moment);
  }
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

/** The same steps with more looks, with a look whenever something is due, and with as few as can be. */
export function wakeInvariance(timeline: Timeline): void {
  for (const other of [watched(timeline), play(timeline, often(timeline)), play(timeline, seldom(timeline))]) {
    const [changed] = other.moments.slice(-1);
    must(Bun.deepEquals(alertsOf(other), alertsOf(timeline), true), "the alerts differ", changed!);
    must(Bun.deepEquals(unknownsOf(other), unknownsOf(timeline), true), "what is unknown differs", changed!);
    must(Bun.deepEquals(lastMonitor(other), lastMonitor(timeline), true), "the state differs", changed!);
  }
}

const unknownsOf = ({ moments }: Timeline) => moments.flatMap(({ after }) => after.unknowns);

function often({ createdAt, moments }: Timeline): Step[] {
  let last = createdAt;
  let known: Step["gaps"] = [];
  return moments.flatMap(({ now, signal, gaps }) => {
    const times = [0, 1 / 7, 1 / 2, 6 / 7, 1].map((part) => outsideGaps(last + Math.floor((now - last) * part), gaps));
    const looks = now < last ? [] : times.map((time) => ({ now: time, gaps: knownAt(gaps, known, time) }));
    last = now;
    known = gaps;
    return [...looks.map((look) => ({ ...look, signal: { kind: "wake" } as const })), { now, signal, gaps }];
  });
}

/** A look may be left out when the next thing that happens is not before it; the last one stays. */
function seldom({ moments }: Timeline): Step[] {
  const kept: Step[] = [];
  let next: Instant = Number.NEGATIVE_INFINITY;
  for (const step of moments.toReversed()) {
    if (step.signal.kind === "wake" && next >= step.now) continue;
    next = step.now;
    kept.unshift(step);
  }
  return kept;
}

/** R19: nothing that was due is left undone, and the next look is when the next thing is due. */
export function progress({ moments }: Timeline): void {
  for (const moment of moments) {
    const { at, gaps, after } = moment;
    const { monitor } = after;
    const wake = wakeAt(monitor, gaps);
    must(wake === null || wake > at, "the next look is not in the future", moment);
    const due = firstDue(monitor, gaps);
    must(due === null || due > at, "something due is not settled", moment);
    const certain = !monitor.runs.some(isOpen) || isPaused(monitor);
    must(certain ? wake === due : wake !== null && wake <= due!, "the next look is not when something is due", moment);
    const later = wake === null ? at + 1 : wake - 1;
    const again = transition(monitor, { kind: "wake" }, later, gaps);
    must(Bun.deepEquals(again.monitor, monitor, true), "a look at which nothing is due changes something", moment);
  }
}

/** R19 to R24, R26, written down once more; with open runs only what is due whatever they cover. */
function firstDue(monitor: Monitor, gaps: Moment["gaps"]): Instant | null {
  const { expectedAt, incident } = monitor;
  const pauseChange = pauseChangeOf(monitor);
  if (isPaused(monitor)) return pauseChange;
  const open = monitor.runs.filter(isOpen);
  const dues = open.map((run) => runJudged(monitor, run, gaps));
  if (pauseChange !== null) dues.push(pauseChange);
  if (incident !== null && incident.remindAt !== null) dues.push(incident.remindAt);
  const looksForSlots = expectedAt !== null && !onlyCounts(monitor) && open.length === 0;
  if (looksForSlots) dues.push(slotJudged(monitor, expectedAt, gaps));
  return dues.length === 0 ? null : Math.min(...dues);
}

/** R24: the next window that a standing pause by hand does not outlast, or the end of that pause. */
function pauseChangeOf({ watch, changedAt, pauses: { manual } }: Monitor): Instant | null {
  if (manual === null) return nextWindow(watch, changedAt)?.from ?? null;
  const { until } = manual;
  if (until === null) return null;
  return windowsIn(watch, changedAt, until).find((span) => span.until > until)?.from ?? until;
}

/** R21: of several things due at one instant a run's deadline comes before a slot, and a slot before a reminder. */
export function alertTimes({ moments }: Timeline): void {
  let last = { at: Number.NEGATIVE_INFINITY, rank: 0 };
  for (const moment of moments) {
    const { signal, at, before, after } = moment;
    if (signal.kind !== "wake") last = { ...last, rank: 0 };
    if (signal.kind === "rebase") last = { at: Number.NEGATIVE_INFINITY, rank: 0 };
    for (const alert of after.alerts) {
      const rank = signal.kind === "wake" ? rankOf(alert) : 0;
      const since = signal.kind === "rebase" ? at : before.changedAt;
      must(last.at <= alert.at && since <= alert.at, "an alert is stamped before the one before it", moment);
      must(alert.at <= at, "an alert is stamped after the present", moment);
      must(last.at < alert.at || last.rank <= rank, "things of one instant are told in another order", moment);
      last = { at: alert.at, rank };
    }
  }
}

function rankOf({ cause, reason }: Alert): number {
  if (reason.endsWith("reminder")) return 3;
  return cause === "missed" ? 2 : 1;
}

/** A clock behind the newest stored instant makes nothing due; what it brings counts from that instant. */
export function clockBehind({ moments }: Timeline): void {
  for (const moment of moments) {
    const { now, signal, before, gaps, after } = moment;
    if (now >= before.changedAt || signal.kind === "rebase") continue;
    const onTime = transition(before, signal, before.changedAt, gaps);
    must(Bun.deepEquals(onTime, after, true), "it does not count from the newest instant", moment);
    if (signal.kind === "wake") {
      must(
        after.alerts.length === 0 && Bun.deepEquals(after.monitor, before, true),
        "time alone did something",
        moment,
      );
    }
    if (!isReport(moment) || signal.kind === "refused") continue;
    must(after.monitor.receivedAt === before.changedAt, "a report is lost", moment);
    const raised = after.alerts.some(({ cause, kind }) => cause === "missed" && kind !== "Recovered");
    must(!raised, "a slot is missed by a clock that stepped back", moment);
  }
}
