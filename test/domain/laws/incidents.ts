// Laws of incidents: how they open, go on and close, what each signal tells, what is reminded of. Each takes a timeline
// and throws where it does not hold.

import type { Alert } from "../../../src/domain/message/alert.ts";
import { type Cause, type Incident, onlyCountsSlots, type Reminders } from "../../../src/domain/monitor/incident.ts";
import { isPaused, type Monitor, type Status, statusOf } from "../../../src/domain/monitor/monitor.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { cameBack, isEnd, isManual, isReport, isSuccess, manualEnd, must, touching } from "../timelines/facts.ts";
import { type Moment, type Timeline, watched } from "../timelines/timeline.ts";
import { failingRuns, overdueRuns } from "./overdue.ts";

/**
 * (opening (ContinuedFailure | Acknowledged)* Recovered)*, one incident at a time, each cause and acknowledgement told
 * once.
 */
export function grammar({ moments }: Timeline): void {
  let last: Incident | null = null;
  let count = 0;
  for (const moment of moments) {
    if (moment.signal.kind === "rebase") last = pulledBack(last, moment.now, moment.signal.backMs);
    for (const alert of moment.after.alerts) {
      last = unlessTakenBack(last, moment, alert.incident);
      if (alert.reason === "opened") {
        must(last === null && alert.incident.number === count + 1, "an incident opens beside another", moment);
        must(isOpening(alert), "an opening is not told as it is", moment);
        count += 1;
      } else {
        must(last !== null && alert.incident.number === last.number, "there is no such open incident", moment);
        const follows = isContinuation(alert, last) || isAcknowledgement(alert, last) || isRecovery(alert, last);
        must(follows, "an alert does not follow from the last", moment);
      }
      last = alert.kind === "Recovered" ? null : alert.incident;
    }
    const { incident, incidentCount } = moment.after.monitor;
    must((incident === null) === (last === null) && incidentCount === count, "the alerts tell another story", moment);
    last = unlessTakenBack(last, moment, incident);
    if (incident === null || last === null) continue;
    must(incident.closedAt === null && continues(incident.causes, last.causes), "causes are untold", moment);
    must(incident.openedAt === last.openedAt, "the opening has moved", moment);
    must(incident.acknowledgedAt === last.acknowledgedAt, "an acknowledgement is untold", moment);
    last = incident;
  }
}

/** That an acknowledgement is taken back is the one change of an incident that no alert tells. */
const unlessTakenBack = (last: Incident | null, { signal }: Moment, now: Incident | null): Incident | null =>
  signal.kind === "unacknowledge" && last !== null && now?.acknowledgedAt === null
    ? { ...last, acknowledgedAt: null, acknowledgedBy: null }
    : last;

const pulledBack = (incident: Incident | null, now: Instant, backMs: number): Incident | null =>
  incident === null ? null : { ...incident, openedAt: cameBack(incident.openedAt, now, backMs) };

/** A late end has shown that a run had ended: then that it had not is a cause no more (R43). */
const continues = (causes: Incident["causes"], told: readonly string[]): boolean =>
  [told, told.filter((cause) => cause !== "unfinished")].some((each) => Bun.deepEquals(causes, each));

const isOpening = ({ kind, cause, at, incident }: Alert): boolean =>
  kind === incident.opening &&
  incident.openedAt === at &&
  incident.closedAt === null &&
  incident.remindersSent === 0 &&
  Bun.deepEquals(incident.causes, [cause]);

function isContinuation({ kind, reason, cause, incident }: Alert, last: Incident): boolean {
  if (kind !== "ContinuedFailure" || incident.openedAt !== last.openedAt) return false;
  if (incident.acknowledgedAt !== last.acknowledgedAt) return false;
  if (reason === "new_cause") return continues(incident.causes, [...last.causes, cause]);
  return Bun.deepEquals(incident.causes, last.causes) && incident.remindersSent === last.remindersSent + 1;
}

/** R23: it ends the reminders, and says nothing new of the failure. */
const isAcknowledgement = ({ kind, reason, at, cause, incident, run, outcomes }: Alert, last: Incident): boolean =>
  kind === "Acknowledged" &&
  reason === "acknowledged" &&
  last.acknowledgedAt === null &&
  incident.acknowledgedAt === at &&
  incident.remindAt === null &&
  incident.closedAt === null &&
  cause === last.causes[0] &&
  run === null &&
  outcomes === null &&
  Bun.deepEquals(incident.causes, last.causes) &&
  incident.openedAt === last.openedAt &&
  incident.remindersSent === last.remindersSent;

const isRecovery = ({ kind, reason, at, cause, incident }: Alert, last: Incident): boolean =>
  kind === "Recovered" &&
  incident.closedAt === at &&
  incident.closedBy === reason &&
  cause === last.causes[0] &&
  incident.openedAt === last.openedAt &&
  incident.missedSlots + incident.lateSlots >= last.missedSlots + last.lateSlots;

/** R18: in this order. */
export function status({ moments }: Timeline): void {
  let succeeded = false;
  let warned = false;
  let unheard = false;
  for (const moment of moments) {
    const { signal, after } = moment;
    const { monitor } = after;
    succeeded ||= isSuccess(moment);
    if (isEnd(signal)) warned = signal.kind !== "fail" && signal.checks.verdict === "warned";
    if (isReport(moment) && signal.kind !== "refused") unheard = monitor.unheard && after.unknowns.length > 0;
    else unheard ||= after.unknowns.length > 0;
    // Whether it came to its end is unknown until it reports (R44).
    if (signal.kind === "refused" && monitor.watch.everySeconds !== null) unheard = monitor.unheard;
    // Closed by hand, it is as overdue as before.
    if (signal.kind === "resolve")
      unheard ||= after.alerts.some(({ reason, incident }) => reason === "resolved" && onlyCountsSlots(incident));
    must(monitor.unheard === unheard, "it is forgotten that something is unknown, or that a report has come", moment);
    must(monitor.warned === warned, "what the last end's outcomes said is lost", moment);
    for (const now of [moment.at, monitor.expectedAt ?? moment.at, (monitor.expectedAt ?? moment.at) + 1]) {
      must(statusOf(monitor, now) === expectedStatus(monitor, succeeded, now), "the status is another", moment);
    }
  }
}

function expectedStatus(monitor: Monitor, succeeded: boolean, now: Instant): Status {
  const { pauses, incident, expectedAt, misses, failures, warned, unheard } = monitor;
  if (pauses.manual !== null || pauses.discovery || pauses.plan) return "paused";
  if (incident !== null) return "critical";
  if ((expectedAt !== null && now > expectedAt) || misses + failures > 0 || warned || unheard) return "warning";
  return succeeded ? "healthy" : "pending";
}

/** R23, R24, R41: what a signal itself tells, when nothing is overdue; never more, never less, at its own instant. */
export function notifiedAtOnce(timeline: Timeline): void {
  let received = false;
  const failing = failingRuns(watched(timeline));
  for (const moment of watched(timeline).moments) {
    const { signal, at, after } = moment;
    received ||= isReport(moment) && signal.kind !== "refused";
    for (const { kind } of after.alerts) {
      if (kind === "NeverExecuted") must(!received, "something had been received", moment);
      if (kind === "InitialFailure") must(received, "nothing had ever been received", moment);
    }
    const expected = expectedAlerts(moment, failing.get(moment) ?? null);
    if (expected === null) continue;
    // How long this run took changes when others were likely to end, and so which of them a short gap leaves in doubt
    // (R26).
    if (after.monitor.lastRunMs !== moment.before.lastRunMs && after.alerts.some(isAboutAnother(moment))) continue;
    const told = after.alerts.map(({ reason, cause }) => `${reason} ${cause}`);
    must(Bun.deepEquals(told, expected), `it tells ${told} instead of ${expected}`, moment);
    must(
      after.alerts.every((alert) => alert.at === at),
      "an alert is stamped with another instant",
      moment,
    );
    if (signal.kind !== "fail" || signal.message === null || after.monitor.incident === null) continue;
    must(after.monitor.incident.message === signal.message, "the message of the fail is lost", moment);
  }
}

const isAboutAnother =
  ({ after }: Moment) =>
  ({ cause, run }: Alert): boolean =>
    cause === "unfinished" && run !== null && run.number !== after.run?.number;

/** R27: the alert of a wrong result carries all that was checked, no other does, and its message is the incident's. */
export function wrongResults({ moments }: Timeline): void {
  for (const moment of moments) {
    const { signal, after } = moment;
    const { incident } = after.monitor;
    const isEndOfJob = signal.kind === "heartbeat" || signal.kind === "complete";
    const failed = isEndOfJob && signal.checks.verdict === "failed" ? signal.checks : null;
    for (const { cause, reason, outcomes } of after.alerts) {
      const tells = cause === "outcome" && (reason === "opened" || reason === "new_cause");
      must(outcomes === (tells ? failed?.outcomes : null), "it carries other outcomes", moment);
    }
    if (failed !== null && incident !== null) must(incident.message === failed.message, "its message is lost", moment);
  }
}

/** Null: time tells something too. `failing`: when the run that failed last began, if its run_id tells which it was. */
function expectedAlerts({ signal, before, after }: Moment, failing: Instant | null): readonly string[] | null {
  const { run } = after;
  const older =
    failing !== null && run !== null && run.runId !== null && run.startedAt !== null && run.startedAt < failing;
  const closing = before.incident === null ? [] : [before.incident.causes[0]];
  switch (signal.kind) {
    case "heartbeat":
    case "complete":
      if (signal.checks.verdict !== "failed") return older ? [] : closing.map((cause) => `success ${cause}`);
      return isPaused(before) ? [] : reasonsOf(before, "outcome");
    case "fail":
      return isManual(before) ? [] : reasonsOf(before, "failed");
    case "resolve":
      return closing.map((cause) => `resolved ${cause}`);
    case "ended":
      return closing.map((cause) => `${signal.by} ${cause}`);
    case "delete":
      return closing.map((cause) => `deleted ${cause}`);
    case "withdraw":
      return before.pauses.discovery ? [] : closing.map((cause) => `withdrawn ${cause}`);
    case "acknowledge":
      return before.incident?.acknowledgedAt === null ? [`acknowledged ${before.incident.causes[0]}`] : [];
    case "start":
    case "refused":
    case "unacknowledge":
      return [];
    case "rebase":
      // Where it ends a pause, a fail that was hushed is told.
      return before.pendingFail === null ? [] : null;
    case "declare":
    case "pause":
    case "resume":
    case "wake":
      return null;
    default:
      return signal satisfies never;
  }
}

function reasonsOf({ incident, failures, watch }: Monitor, cause: Cause): readonly string[] {
  if (incident === null) return failures + 1 >= watch.alertAfterFailures ? [`opened ${cause}`] : [];
  return incident.causes.includes(cause) ? [] : [`new_cause ${cause}`];
}

/** R25, R41: the n-th in a row opens; a success, a resolved incident, a withdrawal and a deletion begin again. */
export function counting(timeline: Timeline): void {
  let failures = 0;
  for (const moment of watched(timeline).moments) {
    const { signal, before, after } = moment;
    const { monitor } = after;
    const { first, later } = overdueRuns(moment);
    failures += first.length + (isEnd(signal) && !isSuccess(moment) ? 1 : 0);
    // A fail that was hushed counts when it is told, whatever was resolved meanwhile.
    if (before.pendingFail !== null && manualEnd(moment) !== null && !isEnd(signal)) failures = Math.max(1, failures);
    const startsOver =
      isSuccess(moment) ||
      ["withdraw", "delete"].includes(signal.kind) ||
      (signal.kind === "resolve" && before.incident !== null);
    if (startsOver && !(signal.kind === "withdraw" && before.pauses.discovery)) {
      failures = 0;
      must(monitor.misses === 0, "misses are not counted again", moment);
    }
    failures += later.length;
    must(monitor.failures === failures, `failures in a row are ${failures}, not ${monitor.failures}`, moment);
    const tolerated = monitor.incident === null && monitor.misses > before.misses;
    must(!tolerated || monitor.misses < before.watch.alertAfterMisses, "a miss too many is tolerated", moment);
    for (const { reason, cause, incident } of after.alerts) {
      if (reason !== "opened") continue;
      const { alertAfterMisses, alertAfterFailures } = monitor.watch;
      const needed = cause === "missed" ? alertAfterMisses : alertAfterFailures;
      must(incident.troubles >= needed, "the incident opens too early", moment);
    }
  }
}

/**
 * R23: after the configured times, then at regular intervals, up to the maximum; none in a gap, under a pause or once
 * acknowledged.
 */
export function reminders(timeline: Timeline): void {
  const pausedAt: { from: Instant; to: Instant }[] = [];
  let since: Instant = 0;
  let acknowledged = false;
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after, gaps } = moment;
    if (signal.kind === "rebase") return;
    if (isPaused(before)) pausedAt.push({ from: before.changedAt, to: at });
    for (const alert of after.alerts) {
      if (alert.reason === "opened") since = alert.at;
      if (alert.kind === "Recovered") acknowledged = false;
      if (alert.reason !== "reminder" && alert.reason !== "last_reminder") continue;
      const { openedAt, remindersSent } = alert.incident;
      const { max } = before.watch.reminders;
      const quiet = [...gaps, ...pausedAt];
      must(!acknowledged, "an acknowledged incident is reminded of", moment);
      must(
        (alert.reason === "last_reminder") === (remindersSent === max),
        "it is the last and does not say so",
        moment,
      );
      must(remindersSent <= max, "it is reminded of too often", moment);
      must(touching(gaps, alert.at, alert.at).length === 0, "a reminder's time fell into a gap", moment);
      const left = scheduled(before.watch.reminders, openedAt, since, alert.at);
      must(left.at(-1) === alert.at, "a reminder comes at a time of its own", moment);
      const lost = left.slice(0, -1).filter((time) => touching(quiet, time, time).length === 0);
      must(lost.length === 0, "a reminder was left out", moment);
      since = alert.at;
    }
    const { incident } = after.monitor;
    if (signal.kind === "acknowledge" && incident !== null) acknowledged = true;
    if (signal.kind === "unacknowledge" && acknowledged) {
      acknowledged = false;
      since = after.monitor.changedAt;
    }
    if (incident === null) continue;
    const ended = acknowledged || incident.remindersSent >= before.watch.reminders.max;
    must((incident.remindAt === null) === ended, "reminders go on or end when they must not", moment);
  }
}

/** The times for a reminder in (after, until]. */
function scheduled({ after: delays, every }: Reminders, openedAt: Instant, after: Instant, until: Instant): Instant[] {
  const times = delays.map((delay) => openedAt + delay);
  for (let time = (times.at(-1) ?? openedAt) + every; time <= until; time += every) times.push(time);
  return times.filter((time) => after < time && time <= until);
}
