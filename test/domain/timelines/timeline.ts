// A timeline: one monitor's life as a list of steps, each with what was known before and what came of it. Plays steps
// through the core; what steps to take is decided in arbitrary.ts, what must hold in laws.test.ts.

import fc from "fast-check";
import { type Gap, type Monitor, newMonitor, type Watch } from "../../../src/domain/monitor/monitor.ts";
import { wakeAt } from "../../../src/domain/monitor/settle.ts";
import { type Signal, type Transition, transition } from "../../../src/domain/monitor/transition.ts";
import { type Instant, toIso } from "../../../src/domain/time.ts";

export interface Step {
  /** What the wall clock shows; it may step back. */
  readonly now: Instant;
  readonly signal: Signal;
  /** The gaps that are over by then, as far as they have been recorded. */
  readonly gaps: readonly Gap[];
}

/** A step that was taken. */
export interface Moment extends Step {
  readonly before: Monitor;
  readonly after: Transition;
  /** The instant at which the signal counts: `now`, or later when the clock stands behind what is known. */
  readonly at: Instant;
}

export interface Timeline {
  readonly watch: Watch;
  readonly createdAt: Instant;
  readonly moments: readonly Moment[];
}

const WAKE: Signal = { kind: "wake" };

export function take(before: Monitor, step: Step): Moment {
  const { now, signal, gaps } = step;
  const at = signal.kind === "rebase" ? now : Math.max(now, before.changedAt);
  return { now, signal, gaps, before, at, after: transition(before, signal, now, gaps) };
}

/** Takes the steps one after the other; each begins with the monitor the one before has left. */
export function play({ watch, createdAt }: Timeline, steps: readonly Step[]): Timeline {
  const moments: Moment[] = [];
  let monitor = newMonitor(watch, createdAt);
  for (const step of steps) {
    const moment = take(monitor, step);
    moments.push(moment);
    monitor = moment.after.monitor;
  }
  return { watch, createdAt, moments };
}

/** Many laws ask for the same timeline, watched; it is played once. */
const watchedTimelines = new WeakMap<Timeline, Timeline>();

/** The same steps, with a look at the clock whenever something is due: one or few things happen at each moment. */
export function watched(timeline: Timeline): Timeline {
  const known = watchedTimelines.get(timeline) ?? playWatched(timeline);
  watchedTimelines.set(timeline, known);
  return known;
}

function playWatched(timeline: Timeline): Timeline {
  const moments: Moment[] = [];
  let monitor = newMonitor(timeline.watch, timeline.createdAt);
  let now = timeline.createdAt;
  let known: readonly Gap[] = [];
  for (const { now: until, signal, gaps } of timeline.moments) {
    for (let due = nextLook(monitor, known, now); due !== null && due <= until; due = nextLook(monitor, known, now)) {
      now = outsideGaps(due, gaps);
      if (now > until) break;
      known = knownAt(gaps, known, now);
      add({ now, signal: WAKE, gaps: known });
      const next = wakeAt(monitor, known);
      if (next !== null && next <= now) throw new Error(`a look at ${toIso(now)} leaves undone what is due`);
    }
    now = until;
    known = gaps;
    add({ now, signal, gaps });
  }
  return { ...timeline, moments };

  function add(step: Step): void {
    const moment = take(monitor, step);
    moments.push(moment);
    monitor = moment.after.monitor;
  }
}

function nextLook(monitor: Monitor, known: readonly Gap[], now: Instant): Instant | null {
  const due = wakeAt(monitor, known);
  return due === null ? null : Math.max(due, now);
}

/** Nobody looks at the clock during a gap: the first look is at its end. */
export const outsideGaps = (now: Instant, gaps: readonly Gap[]): Instant =>
  gaps.find((gap) => gap.from <= now && now < gap.to)?.to ?? now;

/** Which gaps of `recorded` are known at `now`, when those of `before` have been known all along. */
export const knownAt = (recorded: readonly Gap[], before: readonly Gap[], now: Instant): readonly Gap[] =>
  recorded.filter((gap) => gap.to <= now || before.includes(gap));

export const alertsOf = ({ moments }: Timeline) => moments.flatMap(({ after }) => after.alerts);

export const lastMonitor = ({ moments }: Timeline): Monitor => moments.at(-1)!.after.monitor;

/** Makes a failing timeline readable where fast-check prints it. */
export const shown = (timeline: Timeline): Timeline =>
  Object.assign(timeline, { [fc.toStringMethod]: () => describeTimeline(timeline) });

function describeTimeline({ watch, createdAt, moments }: Timeline): string {
  const lines = moments.map(({ now, signal, after, gaps }) => {
    const alerts = after.alerts.map(({ kind, cause, at }) => ` → ${kind} (${cause}) ${toIso(at)}`);
    const unknowns = after.unknowns.map(({ at }) => ` → unknown ${toIso(at)}`);
    const { kind, ...details } = signal;
    return `${toIso(now)} ${kind} ${JSON.stringify(details)} gaps: ${gaps.length}${[...alerts, ...unknowns].join("")}`;
  });
  const gaps = (moments.at(-1)?.gaps ?? []).map(({ from, to }) => `gap ${toIso(from)} to ${toIso(to)}`);
  return [`\ncreated ${toIso(createdAt)} ${JSON.stringify(watch)}`, ...gaps, ...lines].join("\n");
}
