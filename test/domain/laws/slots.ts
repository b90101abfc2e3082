// Laws of slots: what a report fills, when a slot is missed, what a late ping still tells, what becomes of slots when
// the schedule or the clock changes. Each takes a timeline and throws where it does not hold.

import { isPaused, type Monitor, type Watch } from "../../../src/domain/monitor/monitor.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { transition, transitions } from "../../../src/domain/monitor/transition.ts";
import { slotsAround } from "../../../src/domain/schedule/slots.ts";
import type { Instant } from "../../../src/domain/time.ts";
import {
  cameBack,
  closeOf,
  firstUnfilledBy,
  gapsNearSlot,
  isReport,
  isSameSchedule,
  isSuccess,
  isWatchedAgain,
  must,
  onlyCounts,
  slotAfter,
  slotJudged,
  toleranceBefore,
  touching,
  windowsIn,
} from "../timelines/facts.ts";
import { type Moment, type Timeline, watched } from "../timelines/timeline.ts";

/** R20: a report fills every slot up to its own time, and the next when it is near; nothing later, nothing again. */
export function filling(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    if (!isReport(moment)) continue;
    const { before, after } = moment;
    const unfilled = firstUnfilledBy(moment, before.watch);
    const later = before.expectedAt !== null && unfilled !== null && before.expectedAt > unfilled;
    must(after.monitor.expectedAt === (later ? before.expectedAt : unfilled), "another slot is expected", moment);
  }
}

/**
 * R20, R21, R26: a slot is told missed when it closes or, in doubt, once clients have had time to retry; never a slot
 * that was filled, and never under a run inside its deadline.
 */
export function missedAtItsClose(timeline: Timeline): void {
  let unfilled: Instant = Number.NEGATIVE_INFINITY;
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after, gaps } = moment;
    const { watch } = after.monitor;
    const sameSlots = isSameSchedule(watch, before.watch);
    if (signal.kind === "rebase" || !sameSlots) unfilled = Number.NEGATIVE_INFINITY;
    for (const alert of after.alerts) {
      if (alert.cause !== "missed" || (alert.reason !== "opened" && alert.reason !== "new_cause")) continue;
      const slot = alert.incident.expectedAt!;
      const due = slotJudged({ ...before, watch }, slot, gaps);
      must(
        alert.at === (signal.kind === "declare" ? at : due) && due <= at,
        "a slot is missed too early or late",
        moment,
      );
      must(slot >= unfilled && slotAfter(watch, slot - 1) === slot, "a slot is missed that was filled", moment);
      const covering = before.runs.some((run) => isOpen(run) && run.deadline > closeOf(watch, slot));
      must(!covering, "a slot is missed under a run inside its deadline", moment);
      const quiet = isPaused(before) && !isWatchedAgain(moment, alert.at);
      must(alert.incident.causes.includes("missed") && !quiet, "a slot is missed under a pause", moment);
    }
    if (isReport(moment)) unfilled = Math.max(unfilled, firstUnfilledBy(moment, watch) ?? unfilled);
  }
}

/** R19, R41: whatever looks first after the n-th close, the incident opens at that close; a ping then recovers it. */
export function latePing({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { monitor } = moment.after;
    if (index % 3 !== 0 || !isQuiet(monitor) || monitor.expectedAt === null || monitor.carried.length > 0) continue;
    const slots = unfilledSlots(monitor, 4);
    const nth = Math.max(1, monitor.watch.alertAfterMisses - monitor.misses);
    if (slots.length < 4 || slots.some((slot) => gapsNearSlot(monitor.watch, slot, moment.gaps).length > 0)) continue;
    const close = closeOf(monitor.watch, slots[nth - 1]!);
    // A clock that was set back leaves gaps in the future, which excuse slots that close before the ping comes.
    if (moment.gaps.some(({ to }) => to > monitor.changedAt)) continue;
    if (windowsIn(monitor.watch, monitor.changedAt, close + 7 * 60_000).length > 0) continue;
    for (const late of [-1, 0, 1, 7 * 60_000]) pingsAfter(moment, monitor, close, close + late, nth);
  }
}

const isQuiet = (monitor: Monitor): boolean =>
  !isPaused(monitor) && monitor.incident === null && !monitor.runs.some(isOpen);

function unfilledSlots({ watch, expectedAt }: Monitor, count: number): Instant[] {
  const slots: Instant[] = [];
  for (let slot = expectedAt; slot !== null && slots.length < count; slot = slotAfter(watch, slot)) slots.push(slot);
  return slots;
}

function pingsAfter(moment: Moment, monitor: Monitor, close: Instant, now: Instant, nth: number): void {
  const checks = { verdict: "passed" } as const;
  const ping = { kind: "heartbeat", runId: null, attempt: null, checks } as const;
  const { alerts } = transition(monitor, ping, now, moment.gaps);
  if (now < close) return must(alerts.length === 0, "a ping before the close tells something", moment);
  const [opening] = alerts;
  const recovery = alerts.at(-1)!;
  must(opening?.reason === "opened" && opening.at === close, "the opening is not stamped with the close", moment);
  must(opening.kind === (monitor.receivedAt === null ? "NeverExecuted" : "InitialFailure"), "another kind", moment);
  must(recovery.kind === "Recovered" && recovery.at === now, "the ping does not recover it", moment);
  must(recovery.incident.openedAt === close, "the incident began at another time", moment);
  let missed = monitor.misses + nth - 1;
  let slot = opening.incident.expectedAt;
  for (; slot !== null && closeOf(monitor.watch, slot) <= now; slot = slotAfter(monitor.watch, slot)) missed += 1;
  must(recovery.incident.missedSlots === missed, "other slots were missed", moment);
}

/** R12: a slot that both schedules have stays open or filled, any other counts from now on; an open incident stays. */
export function declaring(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, now, at, before, after, gaps } = moment;
    if (signal.kind !== "declare") continue;
    const { monitor } = after;
    must(Bun.deepEquals(monitor.watch, signal.watch), "the new values are not in force", moment);
    must(before.incident === null || monitor.incident?.number === before.incident.number, "an incident closed", moment);
    must(Bun.deepEquals(monitor.runs, before.runs), "a run changed", moment);
    const { monitor: settled, unknowns } = transition(before, { kind: "wake" }, now, gaps);
    if (monitor.misses > settled.misses || after.unknowns.length > unknowns.length) continue;
    const open = openSlots(settled, at).filter((slot) => slotAfter(signal.watch, slot - 1) === slot);
    const next = firstUnfilled(settled, signal.watch, at);
    const waiting = open.find((slot) => !isCounted(settled, signal.watch, slot, at));
    must(monitor.expectedAt === (waiting ?? next), "another slot is expected", moment);
    if (isSameSchedule(before.watch, signal.watch)) {
      must(Bun.deepEquals(monitor.drift, before.drift), "a spelling changed more than itself", moment);
    } else {
      const carried = waiting === undefined || next === null ? [] : [...open.slice(0, 100), next];
      must(Bun.deepEquals(monitor.carried, carried), "an open slot that both have is forgotten", moment);
    }
  }
}

/** R23: while slots are only counted, one that has closed is missed and waits no more. */
const isCounted = (monitor: Monitor, watch: Watch, slot: Instant, at: Instant): boolean =>
  onlyCounts(monitor) && closeOf(watch, slot) <= at;

/** The first slot after `at` that was not filled early. */
function firstUnfilled({ watch: old, expectedAt }: Monitor, watch: Watch, at: Instant): Instant | null {
  const isFilled = (slot: Instant): boolean => slot < (expectedAt ?? at) && slotAfter(old, slot - 1) === slot;
  let slot = slotAfter(watch, at);
  while (slot !== null && isFilled(slot)) slot = slotAfter(watch, slot);
  return slot;
}

/** The slots up to `at` that wait for a report. */
function openSlots(monitor: Monitor, at: Instant): Instant[] {
  const { watch, expectedAt, carried } = monitor;
  const open: Instant[] = [];
  for (let slot = expectedAt; slot !== null && slot <= at; slot = afterIn(slot)) {
    if (!isCounted(monitor, watch, slot, at)) open.push(slot);
  }
  return open;

  function afterIn(slot: Instant): Instant | null {
    return carried.find((later) => later > slot) ?? slotAfter(watch, slot);
  }
}

/** R12: the report that brings new values is heard before anything is judged by them. */
export function reportingNewValues({ moments }: Timeline): void {
  const checks = { verdict: "passed" } as const;
  for (const moment of moments) {
    const { signal, now, before, gaps } = moment;
    if (signal.kind !== "declare") continue;
    const settled = transition(before, { kind: "wake" }, now, gaps);
    const report = { kind: "heartbeat", runId: null, attempt: null, checks } as const;
    const heard = transitions(before, [signal, report], now, gaps);
    const { missedSlots } = transition(before, report, now, gaps).alerts.at(-1)?.incident ?? { missedSlots: 0 };
    must(Bun.deepEquals(heard.unknowns, settled.unknowns), "its values leave something unknown", moment);
    const [recovery, ...others] = heard.alerts.slice(settled.alerts.length);
    must(others.length === 0 && (recovery?.kind ?? "Recovered") === "Recovered", "it raises its own alarm", moment);
    must((recovery?.incident.missedSlots ?? missedSlots) === missedSlots, "its values make a slot missed", moment);
  }
}

/** R26: the next slot after now is expected, run deadlines restart, open incidents stay, nothing lies in the future. */
export function pulledBack({ moments }: Timeline): void {
  for (const moment of moments) {
    const { signal, now, before, after } = moment;
    if (signal.kind !== "rebase") continue;
    const { monitor } = after;
    const { changedAt, receivedAt, succeededAt, incident } = monitor;
    const known = [changedAt, receivedAt, succeededAt, incident?.openedAt, incident?.expectedAt];
    must(
      known.every((instant) => instant == null || instant <= now),
      "an instant lies in the future",
      moment,
    );
    for (const [is, was] of [
      [monitor.receivedAt, before.receivedAt],
      [monitor.succeededAt, before.succeededAt],
    ] as const) {
      must(is === (was === null ? null : cameBack(was, now, signal.backMs)), "a report has another time", moment);
    }
    const watchedNow = !isPaused(before) || !isPaused(monitor);
    must(!watchedNow || monitor.expectedAt === slotAfter(monitor.watch, now), "another slot is expected", moment);
    const notifiedNow = before.pendingFail !== null && monitor.pendingFail === null;
    must(notifiedNow || monitor.incident?.number === before.incident?.number, "the incident does not stay", moment);
    for (const run of before.runs.filter(isOpen)) {
      const restarted = monitor.runs.find(({ number }) => number === run.number)!;
      must(restarted.deadline === now + run.deadline - run.startedAt, "a run's deadline does not restart", moment);
      must(isOpen(restarted) && restarted.startedAt <= now, "a run is not open any more", moment);
    }
  }
}

/** R26: how far from its slot the last success came, and the start of its run, on the slots that are in force. */
export function distances({ moments }: Timeline): void {
  let expected: Monitor["lastSuccess"] = null;
  for (const moment of moments) {
    const { signal, at, before, after } = moment;
    const { watch, lastSuccess } = after.monitor;
    if (!isSameSchedule(watch, before.watch)) expected = null;
    if (isSuccess(moment)) {
      const startedAt = after.run?.startedAt ?? null;
      const afterSlotMs = distance(watch, at, startedAt === null);
      const startAfterSlotMs = startedAt === null ? null : distance(watch, startedAt, true);
      expected = afterSlotMs === null ? null : { afterSlotMs, startAfterSlotMs };
    }
    must(Bun.deepEquals(lastSuccess, expected), `another distance is known after ${signal.kind}`, moment);
  }
}

/** From the slot that it fills last. */
function distance(watch: Watch, at: Instant, mayBeEarly: boolean): number | null {
  const next = slotAfter(watch, at);
  if (next === null) return null;
  if (mayBeEarly && next - at <= toleranceBefore(watch, next)) return at - next;
  return at - slotsAround(watch.schedule!, watch.timezone, at).before!;
}

/** R26: a miss and a run without an end name the last gap that touches them; whatever else is told names none. */
export function namesItsGap(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { after, gaps } = moment;
    const { watch } = after.monitor;
    for (const { cause, reason, incident, run, gap } of after.alerts) {
      const told = reason === "opened" || reason === "new_cause";
      const touched =
        told && cause === "missed"
          ? gapsNearSlot(watch, incident.expectedAt!, gaps)
          : told && cause === "unfinished"
            ? touching(gaps, run!.startedAt!, run!.deadline!)
            : [];
      must(gap === (touched.at(-1) ?? null), "it does not name the gap that touches it", moment);
    }
  }
}
