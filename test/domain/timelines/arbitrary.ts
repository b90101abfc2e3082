// Random timelines: turns a plan into steps, each at the instant its move means in the state that has been reached. The
// core is asked for the state; the instants are computed here, so that a fault in the core's deadlines does not hide.

import type fc from "fast-check";
import { type Gap, isPaused, type Monitor, newMonitor, type PauseKind } from "../../../src/domain/monitor/monitor.ts";
import { CHECKS_PASSED } from "../../../src/domain/monitor/reported-outcomes.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { wakeAt } from "../../../src/domain/monitor/settle.ts";
import type { Signal } from "../../../src/domain/monitor/transition.ts";
import type { UsualRun } from "../../../src/domain/monitor/unusual.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { closeOf, nextWindow, slotAfter, toleranceBefore } from "./facts.ts";
import { type ActionEntry, type Anchor, type Kind, type Move, PLANS, type Plan } from "./plan.ts";
import { type Moment, outsideGaps, shown, type Timeline, take } from "./timeline.ts";

export const anyTimelineOf = (kind: Kind): fc.Arbitrary<Timeline> => PLANS[kind].map((plan) => shown(unfold(plan)));

interface Journey {
  monitor: Monitor;
  /** What the wall clock shows. */
  now: Instant;
  gaps: readonly Gap[];
  readonly moments: Moment[];
}

function unfold({ watch, createdAt, moves, ending }: Plan): Timeline {
  const journey: Journey = { monitor: newMonitor(watch, createdAt), now: createdAt, gaps: [], moments: [] };
  for (const move of moves) {
    go(journey, move);
    if (move.action.does === "delete") break;
  }
  journey.now = outsideGaps(newestLook(journey) + ending, journey.gaps);
  step(journey, { kind: "wake" });
  return { watch, createdAt, moments: journey.moments };
}

const newestLook = ({ now, moments }: Journey): Instant => Math.max(now, ...moments.map((moment) => moment.now));

function go(journey: Journey, move: Move): void {
  const { action } = move;
  switch (action.does) {
    case "gaps":
      for (let count = 0; count < action.times; count += 1) addGap(journey, move, action);
      return;
    case "step back":
      journey.now = outsideGaps(journey.now - action.by, journey.gaps);
      return step(journey, { kind: "wake" });
    case "step back and rebase":
      journey.now = outsideGaps(journey.monitor.changedAt - MINUTE - 1 - move.reach * 10 * SECOND, journey.gaps);
      if (journey.now >= journey.monitor.changedAt) return;
      return step(journey, {
        kind: "rebase",
        backMs: journey.monitor.changedAt - journey.now + (move.reach % 4) * MINUTE,
      });
    case "many starts":
      journey.now = whenOf(journey, move);
      for (let count = 0; count < action.count; count += 1) {
        step(journey, { kind: "start", runId: null, attempt: null });
        journey.now = outsideGaps(journey.now + (move.reach % 3), journey.gaps);
      }
      return;
    case "start, end and start":
      journey.now = whenOf(journey, move);
      step(journey, { kind: "start", runId: action.runId, attempt: 0 });
      journey.now = outsideGaps(journey.now + move.reach * 30, journey.gaps);
      step(journey, { kind: "complete", runId: action.runId, attempt: null, checks: CHECKS_PASSED });
      journey.now = outsideGaps(journey.now + move.reach * 65, journey.gaps);
      step(journey, { kind: "start", runId: action.runId, attempt: action.attempt });
      return;
    default:
      journey.now = whenOf(journey, move);
      step(journey, signalOf(journey, action, move));
  }
}

function step(journey: Journey, signal: Signal): void {
  const moment = take(journey.monitor, { now: journey.now, signal, gaps: journey.gaps });
  journey.moments.push(moment);
  journey.monitor = moment.after.monitor;
}

/** A gap begins after every look at the clock and after every gap before it; nothing happens until it is over. */
function addGap(journey: Journey, move: Move, { length, excuses }: ActionEntry & { does: "gaps" }): void {
  const last = Math.max(newestLook(journey), journey.gaps.at(-1)?.to ?? 0);
  const from = Math.max(last + 1, instantOf(journey, move.near, move.reach) + move.beside);
  const to = typeof length === "number" ? from + length : Math.max(from, instantOf(journey, length, move.reach));
  journey.gaps = [...journey.gaps, excuses === undefined ? { from, to } : { from, to, excuses }];
  journey.now = to;
}

function whenOf(journey: Journey, { near, beside, reach }: Move): Instant {
  const wanted = instantOf(journey, near, reach) + beside;
  return outsideGaps(wanted >= journey.now ? wanted : journey.now + reach, journey.gaps);
}

function instantOf({ monitor, now, gaps }: Journey, anchor: Anchor, reach: number): Instant {
  const { watch, expectedAt, incident } = monitor;
  const next = slotAfter(watch, now, expectedAt);
  switch (anchor) {
    case "soon":
      return now + reach * 30;
    case "minutes":
      return now + reach * 3 * SECOND;
    case "hours":
      return now + reach * 30 * SECOND;
    case "days":
      return now + reach * 5 * MINUTE;
    case "weeks":
      return now + reach * HOUR;
    case "due":
      return wakeAt(monitor, gaps) ?? now;
    case "expected slot":
      return expectedAt ?? now;
    case "next slot":
      return next ?? now;
    case "early edge":
      return next === null ? now : Math.ceil(next - toleranceBefore(watch, next));
    case "close":
      return expectedAt === null ? now : closeOf(watch, expectedAt);
    case "later close":
      return next === null ? now : closeOf(watch, next);
    case "run deadline":
      return pick(monitor.runs.filter(isOpen), reach)?.deadline ?? now;
    case "start whose deadline meets a close":
      return next === null ? now : closeOf(watch, next) - (watch.maxRuntimeSeconds ?? 0) * SECOND;
    case "reminder":
      return incident?.remindAt ?? now;
    case "pause end":
      return monitor.pauses.manual?.until ?? now;
    case "maintenance":
      return nextWindow(watch, now)?.from ?? now;
    case "start whose deadline meets maintenance":
      return (nextWindow(watch, now)?.from ?? now) - (watch.maxRuntimeSeconds ?? 0) * SECOND;
    case "retries after gap":
      return (gaps.at(-1)?.to ?? now) + MINUTE;
    case "forgotten run": {
      const run = pick(monitor.runs, reach);
      return (run?.endedAt ?? run?.startedAt ?? now) + 7 * DAY;
    }
    default:
      return anchor satisfies never;
  }
}

const pick = <Item>(items: readonly Item[], reach: number): Item | undefined =>
  items[reach % Math.max(1, items.length)];

/** For most starts: runs take up to 50 minutes, or up to two days. */
const usualOf = (reach: number): UsualRun | null =>
  reach % 3 === 0
    ? null
    : {
        ...{ fromMs: 0, toMs: 0, shortestMs: 0, isTold: false },
        longestMs: (reach % 3 === 1 ? reach % 50 : reach % 2_880) * MINUTE,
      };

type Said = Exclude<
  ActionEntry,
  { does: "gaps" | "step back" | "step back and rebase" | "many starts" | "start, end and start" }
>;

function signalOf(journey: Journey, action: Said, { reach }: Move): Signal {
  switch (action.does) {
    case "heartbeat":
    case "complete":
      return { kind: action.does, runId: action.runId, attempt: null, checks: action.checks };
    case "start":
      return { kind: "start", runId: action.runId, attempt: action.attempt, usual: usualOf(reach) };
    case "fail":
      return { kind: "fail", runId: action.runId, attempt: null, message: action.message };
    case "refused":
      return { kind: "refused", further: action.further };
    case "declare":
      return { kind: "declare", watch: { ...journey.monitor.watch, ...action.changes }, byHand: journey.now + reach };
    case "pause manually":
      return { kind: "pause", pause: "manual", until: untilOf(journey, action.until, reach) };
    case "pause by plan":
      return { kind: "pause", pause: "plan" };
    case "resume":
      return {
        kind: "resume",
        pause: action.pause === "any that stands" ? standingPause(journey.monitor, reach) : action.pause,
      };
    case "acknowledge":
      return { kind: "acknowledge", by: "Ada" };
    default:
      return { kind: action.does };
  }
}

function untilOf(journey: Journey, until: Anchor | "before now" | "never", reach: number): Instant | null {
  if (until === "never") return null;
  return until === "before now" ? journey.now - reach : instantOf(journey, until, reach);
}

function standingPause({ pauses, ...monitor }: Monitor, reach: number): PauseKind {
  const kinds: readonly PauseKind[] = ["manual", "discovery", "plan"];
  const health = kinds.filter((kind) => pauses[kind]);
  return pick(isPaused({ pauses, ...monitor }) ? health : kinds, reach)!;
}
