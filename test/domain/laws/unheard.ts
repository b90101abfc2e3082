// The law of what is counted in an incident (R23, R26): slots that closed unfilled are missed, those in a gap of ours
// are unheard. Takes a timeline and throws where it does not hold.

import { isPaused, type Monitor } from "../../../src/domain/monitor/monitor.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { closeOf, gapsOnSlot, must, slotAfter } from "../timelines/facts.ts";
import { type Moment, type Timeline, watched } from "../timelines/timeline.ts";

/**
 * R21, R26: as time passes, every slot that is passed over closed under a run inside its deadline, is missed or is
 * unknown; one that waits for its judgement covers nothing.
 */
export function passedOver(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, before, after } = moment;
    const { watch, expectedAt, incident } = before;
    const expected = after.monitor.expectedAt;
    const counts = incident !== null && (incident.causes.includes("missed") || incident.awaitsRun);
    const simple = watch.maintenance.length === 0 && before.carried.length === 0 && !isPaused(before) && !counts;
    if (signal.kind !== "wake" || !simple || expectedAt === null || expected === null) continue;
    const coveredUntil = Math.max(0, ...before.runs.filter(isOpen).map(({ deadline }) => deadline));
    let judged = 0;
    for (let slot = expectedAt; slot < expected; slot = slotAfter(watch, slot)!)
      if (closeOf(watch, slot) >= coveredUntil) judged += 1;
    const unknown = after.unknowns.reduce((sum, { slots }) => sum + slots, 0);
    const missed = after.monitor.misses - before.misses;
    // The one whose miss is told stays expected until it is counted.
    const told = after.monitor.incident?.expectedAt === expected ? 1 : 0;
    must(judged + told === unknown + missed, `${judged + told} slots passed, not all were judged`, moment);
  }
}

/** R23, R26: counted one by one, beside what was judged as unknown under the incident. */
export function countedApart(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, before, after } = moment;
    const open = before.incident;
    const closed = after.alerts.find(({ kind }) => kind === "Recovered")?.incident;
    const incident = closed ?? after.monitor.incident;
    // A window that begins counts at another instant, and slots that are carried are another schedule's.
    const sameSlots = signal.kind !== "rebase" && signal.kind !== "declare" && before.carried.length === 0;
    const simple = before.watch.maintenance.length === 0 && sameSlots;
    if (open === null || incident == null || incident.number !== open.number || !simple) continue;
    const judged = after.unknowns.reduce((sum, { gap, slots }) => sum + (gap === null ? 0 : slots), 0);
    const { missed, unheard } = signal.kind === "wake" ? NONE : leftBehind(moment, before);
    must(incident.unheardSlots - open.unheardSlots === unheard + judged, `not ${unheard} are unheard`, moment);
    must(judged > 0 || incident.missedSlots - open.missedSlots === missed, `not ${missed} are missed`, moment);
  }
}

const NONE = { missed: 0, unheard: 0 };

/**
 * The slots that a signal leaves behind after a miss was told. The one that was told is missed, whatever touches it.
 */
function leftBehind({ at, gaps }: Moment, monitor: Monitor): { missed: number; unheard: number } {
  const { incident, watch, expectedAt } = monitor;
  const counts = incident !== null && (incident.causes.includes("missed") || incident.awaitsRun);
  if (expectedAt === null || !counts) return NONE;
  if (isPaused(monitor) || monitor.runs.some(isOpen)) return NONE;
  let [missed, unheard] = [0, 0];
  for (let slot = expectedAt; closeOf(watch, slot) <= at; slot = slotAfter(watch, slot)!) {
    const isNotified = slot === incident.expectedAt;
    if (!isNotified && gapsOnSlot(monitor, slot, gaps).length > 0) unheard += 1;
    else missed += 1;
  }
  return { missed, unheard };
}
