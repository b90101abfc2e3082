// Laws of late reports: what they heal, what they leave alone, and that they never raise an alarm unless they tell of a
// failure. Each takes a timeline whose reports came in time, and lets late ones come in the states it has reached.

import type { Incident } from "../../../src/domain/monitor/incident.ts";
import type { Gap, Monitor, Watch } from "../../../src/domain/monitor/monitor.ts";
import { isPaused, statusOf } from "../../../src/domain/monitor/monitor.ts";
import { CHECKS_PASSED } from "../../../src/domain/monitor/reported-outcomes.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { type Signal, transition } from "../../../src/domain/monitor/transition.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { closeOf, isReport, must, slotAfter } from "../timelines/facts.ts";
import type { Moment, Timeline } from "../timelines/timeline.ts";

const NO_RUN = { runId: null, attempt: null };
const OWN_RUN = { runId: "late", attempt: 0 };
const AGES = [1, 30, 70, 600, 3_700, 20_000, 100_000];

const success = (ageSeconds: number) =>
  ({ kind: "heartbeat", ...NO_RUN, checks: CHECKS_PASSED, ageSeconds }) satisfies Signal;

/** An age of 0 is no age. */
export function noAge({ moments }: Timeline): void {
  for (const moment of moments) {
    const { signal, before, now, gaps, after } = moment;
    if (!isReport(moment)) continue;
    const aged = { ...signal, ageSeconds: 0 } as Signal;
    must(Bun.deepEquals(transition(before, aged, now, gaps), after, true), "an age of 0 changes something", moment);
  }
}

/**
 * A late success or start brings no alert but a recovery, or the miss that was counted while a run might still report.
 * A late start is not judged for five minutes.
 */
export function noAlarm({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { gaps, after } = moment;
    const ageSeconds = AGES[index % AGES.length]!;
    const now = after.monitor.changedAt;
    // A run in doubt after a gap is judged by how long the last one took, which a late report may be the first to say.
    if (after.monitor.runs.some((run) => isOpen(run) && run.deadline <= now)) continue;
    const reports: Signal[] = [
      success(ageSeconds),
      { ...success(ageSeconds), kind: "complete" },
      { ...success(ageSeconds), kind: "complete", runId: nameOf(after.monitor, index) },
      { kind: "start", ...OWN_RUN, ageSeconds },
    ];
    for (const report of reports) {
      const { alerts, monitor } = transition(after.monitor, report, now, gaps);
      must(
        alerts.every(({ reason, cause }) => reason === "success" || (reason === "new_cause" && cause === "missed")),
        "it raises an alarm",
        moment,
      );
      const { incident } = after.monitor;
      const wasOverdue = incident?.causes.includes("unfinished") && incident.awaitsRun;
      const isNews = alerts.some(({ reason }) => reason === "new_cause");
      must(
        !isNews || wasOverdue || incident!.missedSlots > 0,
        "it tells of a miss that was not counted before",
        moment,
      );
      const run = monitor.runs.find(({ runId, state }) => runId === "late" && state === "open");
      must(run === undefined || run.deadline! >= now + 5 * 60_000, "its run is judged at once", moment);
    }
  }
}

const nameOf = ({ runs }: Monitor, index: number): string => runs[index % Math.max(1, runs.length)]?.runId ?? "late";

/** A report that was heard twice, or after a newer success, changes nothing that anybody is told of. */
export function history({ moments }: Timeline): void {
  for (const moment of moments) {
    const { gaps, after } = moment;
    const { monitor } = after;
    const { succeededAt, changedAt: now } = monitor;
    if (succeededAt === null || now - succeededAt < 3_000) continue;
    const ageSeconds = Math.ceil((now - succeededAt) / 1000) + 2;
    const fails = [
      { kind: "fail", ...NO_RUN, message: "then", ageSeconds },
      { kind: "fail", ...OWN_RUN, message: "then", ageSeconds },
      { ...success(ageSeconds), checks: { verdict: "failed", message: "rows was 0", outcomes: [] } },
    ] satisfies Signal[];
    for (const fail of fails) {
      const late = transition(monitor, fail, now, gaps);
      must(late.alerts.length === 0, "a fail before the last success is told", moment);
      const { incident, failures, failedAt, pendingFail, warned } = late.monitor;
      const same = { failures, failedAt, pendingFail, warned };
      must(Bun.deepEquals(same, pick(monitor, same), true), "a fail before the last success counts", moment);
      must((incident === null) === (monitor.incident === null), "it opens or closes an incident", moment);
    }
  }
}

const pick = <Part extends object>(whole: Monitor, part: Part): object =>
  Object.fromEntries(Object.keys(part).map((field) => [field, whole[field as keyof Monitor]]));

/** A success that is older than a failure ends nothing: only the unfinished run's own end may be older. */
export function oldSuccess({ moments }: Timeline): void {
  for (const moment of moments) {
    const { gaps, after } = moment;
    const { monitor } = after;
    const { incident, failedAt, changedAt: now, failures } = monitor;
    if (incident === null || failedAt === null || failures === 0 || incident.causes.includes("unfinished")) continue;
    const ageSeconds = Math.ceil((now - failedAt) / 1000) + 2;
    const late = transition(monitor, { ...success(ageSeconds), kind: "complete", ...OWN_RUN }, now, gaps);
    must(late.alerts.length === 0 && late.monitor.incident !== null, "an old success ends a newer failure", moment);
    must(late.monitor.failures === failures, "an old success forgets a newer failure", moment);
  }
}

/** A run that began after a late end happened goes on. */
export function newerRun({ moments }: Timeline): void {
  for (const moment of moments) {
    const { gaps, after } = moment;
    const { runs, changedAt: now } = after.monitor;
    for (const { number, runId, startedAt } of runs.filter(isOpen)) {
      if (startedAt > now) continue;
      const ageSeconds = Math.ceil((now - startedAt) / 1000) + 6;
      const late = transition(after.monitor, { ...success(ageSeconds), kind: "complete", runId }, now, gaps);
      const run = late.monitor.runs.find((each) => each.number === number);
      must(run?.endedAt === null, "a late end ends a run that began after it", moment);
    }
  }
}

/**
 * What a client says of a run's length counts only as far as it can be, and lengthens no guessed deadline by more than
 * we measured.
 */
export function measures({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { gaps, after } = moment;
    const now = after.monitor.changedAt;
    for (const durationSeconds of [0, 3_000, 600_000, 700_000]) {
      const runId = nameOf(after.monitor, index);
      const end = { ...success(0), kind: "complete", runId, durationSeconds } satisfies Signal;
      const { monitor, run, measuredSeconds } = transition(after.monitor, end, now, gaps);
      const startedAt = after.monitor.runs.find(({ number }) => number === run?.number)?.startedAt ?? null;
      const most = startedAt === null ? 604_800 : Math.max(0, now - startedAt) / 1000 + 5;
      must((measuredSeconds === durationSeconds) === durationSeconds <= most, "it believes another length", moment);
      const ours = startedAt === null ? 0 : Math.max(0, now - startedAt);
      must(
        (monitor.lastRunMs ?? 0) <= Math.max(after.monitor.lastRunMs ?? 0, ours),
        "a guess grows unmeasured",
        moment,
      );
    }
  }
}

/** The newest fact, a fail, opens an incident now, and says when it happened. */
export function newFail({ moments }: Timeline): void {
  for (const moment of moments) {
    const { gaps, after } = moment;
    const { monitor } = after;
    const now = monitor.changedAt + 7_200_000;
    const settled = transition(monitor, { kind: "wake" }, now, gaps).monitor;
    if (settled.incident !== null || settled.pauses.manual !== null) continue;
    const { alerts, monitor: failed } = transition(
      settled,
      { kind: "fail", ...NO_RUN, message: null, ageSeconds: 3_600 },
      now,
      gaps,
    );
    const opens = settled.failures + 1 >= settled.watch.alertAfterFailures;
    must(alerts.length === (opens ? 1 : 0), "it is told otherwise than a fail in time", moment);
    const happenedAt = now - 3_600_000;
    must(failed.failedAt === happenedAt || (settled.failedAt ?? 0) > happenedAt, "it counts from another time", moment);
    if (!opens) continue;
    const [{ at, incident, lateFrom }] = alerts as [(typeof alerts)[0]];
    must(at === now && incident.openedAt === now, "the incident opens at another time", moment);
    must(incident.failedAt === happenedAt && lateFrom === happenedAt, "it does not say when it happened", moment);
    must(incident.heardAt === now, "it does not say when it was heard", moment);
  }
}

/** A success leaves the same behind, whether it is heard in time or later when nothing else came between. */
export function asInTime({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { monitor } = moment.after;
    if (!isPlain(monitor, moment.gaps)) continue;
    const from = monitor.changedAt + 1_000;
    const slot = monitor.expectedAt ?? from;
    const happenedAt = [slot, slot + 1_500, closeOf(monitor.watch, slot), closeOf(monitor.watch, slot) + 60_000][
      index % 4
    ]!;
    if (happenedAt <= from) continue;
    for (const ageSeconds of AGES) {
      const at = happenedAt + ageSeconds * 1000;
      const inTime = transition(monitor, success(0), happenedAt, moment.gaps).monitor;
      const waited = transition(monitor, { kind: "wake" }, at - 1, moment.gaps).monitor;
      const late = transition(waited, success(ageSeconds), at, moment.gaps);
      same(moment, counted(inTime, at, moment.gaps), counted(late.monitor, at, moment.gaps));
    }
  }
}

/**
 * A run whose start and end come late leaves as many slots missed as it would have left in time, as many as have closed
 * since.
 */
export function covering({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { gaps } = moment;
    const { monitor } = moment.after;
    const slot = monitor.expectedAt;
    if (!isPlain(monitor, gaps) || monitor.watch.alertAfterMisses > 1 || slot === null) continue;
    if (slot <= monitor.changedAt + 1_000) continue;
    const begun = transition(monitor, { kind: "start", ...OWN_RUN }, slot, gaps);
    const length = Math.floor(((begun.run!.deadline! - slot) * [0.1, 0.5, 0.999][index % 3]!) / 1_000) * 1_000;
    const end = { ...success(0), kind: "complete", ...OWN_RUN } satisfies Signal;
    const inTime = transition(begun.monitor, end, slot + length, gaps).monitor;
    for (const wait of [1, 4_000, 90_000]) {
      const at = slot + length + wait * 1_000;
      const expected = counted(transition(inTime, { kind: "wake" }, at - 1, gaps).monitor, at, gaps).incident;
      const waited = transition(monitor, { kind: "wake" }, at - 1, gaps).monitor;
      const start = { kind: "start", ...OWN_RUN, ageSeconds: wait + length / 1_000 } satisfies Signal;
      const started = transition(waited, start, at, gaps);
      const ended = transition(started.monitor, { ...end, ageSeconds: wait }, at, gaps);
      const recovered = ended.alerts.find(({ reason }) => reason === "success");
      const missed = recovered?.incident.missedSlots ?? ended.monitor.incident?.missedSlots ?? 0;
      must(
        missed === (expected?.missedSlots ?? 0),
        `${missed} slots are called missed, and ${expected?.missedSlots ?? 0} were`,
        moment,
      );
      if (waited.incident !== null)
        must((ended.monitor.incident === null) === (expected === null), "its incident is another", moment);
    }
  }
}

/**
 * A late end in time of a run that was told not to have ended: that is no cause any more, and what was missed since is
 * told.
 */
export function endedInTime({ moments }: Timeline): void {
  for (const moment of moments) {
    const { gaps, after } = moment;
    const { changedAt: now, runs, failedAt, incident } = after.monitor;
    if (!incident?.causes.includes("unfinished") || isPaused(after.monitor)) continue;
    for (const { number, runId, state, deadline, startedAt } of runs) {
      if (state !== "unfinished" || runId === null || deadline! < failedAt! || incident.failedRunBeganAt !== startedAt)
        continue;
      const ageSeconds = Math.ceil((now - deadline!) / 1_000) + 1;
      const end = { ...success(ageSeconds), kind: "complete", runId } satisfies Signal;
      const late = transition(after.monitor, end, now, gaps);
      if (late.run?.number !== number || late.monitor.incident === null) continue;
      const { causes, missedSlots } = late.monitor.incident;
      must(!causes.includes("unfinished"), "its run is still said not to have ended", moment);
      must(missedSlots > 0 && causes.includes("missed"), "what was missed is not told", moment);
      const told = late.alerts.filter(({ cause, reason }) => cause === "missed" && reason === "new_cause").length;
      must(told === (incident.causes.includes("missed") ? 0 : 1), `the miss is told ${told} times`, moment);
    }
  }
}

/** Nothing but slots and reports matters for it. */
const isPlain = (monitor: Monitor, gaps: readonly Gap[]): boolean =>
  !isPaused(monitor) &&
  monitor.watch.maintenance.length === 0 &&
  monitor.carried.length === 0 &&
  monitor.runs.length === 0 &&
  monitor.incident === null &&
  monitor.misses === 0 &&
  gaps.length === 0 &&
  // Created before its clock was pulled back, it would expect nothing yet.
  monitor.createdAt <= monitor.changedAt &&
  !isPutOff(monitor);

/** R44: a pause, a window or a new interval has moved the slot, and a late report does not bring it forward. */
function isPutOff({ watch, expectedAt, createdAt, succeededAt, failedAt }: Monitor): boolean {
  if (watch.everySeconds === null) return false;
  const ends = [succeededAt, failedAt].filter((end) => end !== null);
  return expectedAt !== Math.max(...(ends.length === 0 ? [createdAt] : ends)) + watch.everySeconds * 1000;
}

/** A declaration of what is in force counts the slots that have closed, and does nothing else. */
const counted = (monitor: Monitor, at: Instant, gaps: readonly Gap[]): Monitor =>
  transition(monitor, { kind: "declare", watch: monitor.watch }, at, gaps).monitor;

function same(moment: Moment, inTime: Monitor, late: Monitor): void {
  for (const field of [
    "receivedAt",
    "succeededAt",
    "failedAt",
    "lastSuccess",
    "drift",
    "expectedAt",
    "misses",
  ] as const)
    must(Bun.deepEquals(late[field], inTime[field], true), `${field} differs`, moment);
  for (const field of ["failures", "warned", "excusedBy", "lastRunMs", "runs"] as const)
    must(Bun.deepEquals(late[field], inTime[field], true), `${field} differs`, moment);
  const now = late.changedAt;
  // Slots that would have been tolerated after it: the incident that was opened goes on.
  if (late.watch.alertAfterMisses > 1 && late.incident !== null) return;
  must(statusOf(late, now) === statusOf(inTime, now), `it is ${statusOf(late, now)}`, moment);
  if (late.incident === null || inTime.incident === null) return;
  must(late.incident.expectedAt === inTime.incident.expectedAt, "another slot is said to be missed first", moment);
  must(late.incident.missedSlots >= inTime.incident.missedSlots, "missed slots are forgotten", moment);
}

/**
 * A late report moves at most one slot among those that an incident has counted, none that it has not, and loses none.
 */
export function counts({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { gaps, after } = moment;
    if (after.monitor.incident === null) continue;
    const now = after.monitor.changedAt + 1_000;
    const before = counted(after.monitor, now, gaps);
    const ageSeconds = AGES[index % AGES.length]!;
    const report = { kind: "fail", ...OWN_RUN, message: null, ageSeconds } satisfies Signal;
    const { monitor, lateSlot } = transition(before, report, now, gaps);
    if (before.incident === null || monitor.incident === null) continue;
    const [was, is] = [before.incident, monitor.incident];
    must(sumOf(is) === sumOf(was), "a counted slot is lost, or one is counted twice", moment);
    // One report of a worker fills all slots of its grace.
    if (before.watch.everySeconds !== null) continue;
    const moved = is.lateSlots - was.lateSlots;
    must(moved === 0 || moved === 1, "it moves several slots", moment);
    must(moved === 0 || lateSlot !== null, "a slot is heard late that nothing has filled", moment);
    must(
      moved === 0 || lateSlot! <= (was.missedTo ?? lateSlot!),
      "a slot is heard late that was never counted",
      moment,
    );
  }
}

const sumOf = ({ missedSlots, unheardSlots, lateSlots }: Incident): number => missedSlots + unheardSlots + lateSlots;

/**
 * Runs that were spooled in an outage and come in order heal all: one recovery, and not one slot of theirs is missed.
 */
export function flush({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { monitor } = moment.after;
    if (!isPlain(monitor, moment.gaps) || monitor.expectedAt === null) continue;
    const slots = slotsFrom(monitor.watch, monitor.expectedAt, 2 + (index % 5));
    const last = slots.at(-1)!;
    if (monitor.expectedAt <= monitor.changedAt) continue;
    flushed(moment, monitor, slots.slice(0, -1), last, index % 2 === 0);
  }
}

function slotsFrom(watch: Watch, first: Instant, count: number): Instant[] {
  const slots = [first];
  while (slots.length < count) slots.push(slotAfter(watch, slots.at(-1)!, first)!);
  return slots;
}

/** `startFirst`: the next run's start is heard before what was spooled, as when that run brings it. */
function flushed(moment: Moment, before: Monitor, slots: readonly Instant[], next: Instant, startFirst: boolean): void {
  let at = next + 1_000;
  let monitor = transition(before, { kind: "wake" }, at, moment.gaps).monitor;
  const wasOpen = monitor.incident !== null;
  const closed = slots.filter((slot) => closeOf(before.watch, slot) <= at).length;
  const told: string[] = [];
  const hear = (signal: Signal): void => {
    const heard = transition(monitor, signal, at, moment.gaps);
    told.push(...heard.alerts.map(({ reason }) => reason));
    for (const { reason, incident } of heard.alerts) {
      if (reason !== "success") continue;
      must(incident.missedSlots === 0, `${incident.missedSlots} slots are called missed`, moment);
      must(incident.lateSlots === closed, `${incident.lateSlots} of ${closed} slots were heard late`, moment);
    }
    monitor = heard.monitor;
    at += 100;
  };
  if (startFirst) hear({ kind: "start", runId: "next", attempt: 0 });
  for (const [index, slot] of slots.entries()) {
    const ageSeconds = () => Math.floor((at - slot) / 1000);
    hear({ kind: "start", runId: `run ${index}`, attempt: 0, ageSeconds: ageSeconds() });
    hear({ kind: "complete", runId: `run ${index}`, attempt: 0, ageSeconds: ageSeconds(), checks: CHECKS_PASSED });
  }
  must(told.join() === (wasOpen ? "success" : ""), `it tells ${told.join()}`, moment);
  must(monitor.incident === null && monitor.failures === 0, "trouble is left", moment);
  // A miss that was tolerated is forgotten at the next success.
  must(monitor.misses === 0 || startFirst, "a miss is left", moment);
  must(monitor.runs.filter(isOpen).length === (startFirst ? 1 : 0), "a run is left open", moment);
}
