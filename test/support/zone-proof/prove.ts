// The zone proof itself: every job through every given clock change under every scheduler, and a count of what was seen,
// so that a proof of nothing cannot pass for one.

import { toIso } from "../../../src/domain/time.ts";
import { wallsOf } from "../scheduler-models/wall-minutes.ts";
import { alike, type Place } from "./changes.ts";
import { chanceOf } from "./chance.ts";
import { drive } from "./drive.ts";
import { PROVEN_JOBS, type Plan, type ProvenJob, planOf, type Runs, type SchedulerName } from "./plans.ts";
import { type Manner, mannerOf, reportsOf } from "./reports.ts";

export interface Proof {
  changes: number;
  /** A job through a clock change under one scheduler. */
  windows: number;
  /** Those through which the core was driven; the others had the very same runs. */
  drives: number;
  signals: number;
  missesFound: number;
  missesBeyond: number;
  /** Sentences; the first of them, and how many there were in all. */
  falseAlarms: string[];
  falseAlarmCount: number;
  missedAlarms: string[];
  missedAlarmCount: number;
  contradictions: string[];
  /** Windows in which a scheduler ran at other minutes than the slots. */
  readonly astray: Map<SchedulerName, number>;
  /** The jobs of those windows. */
  readonly disputed: Set<string>;
  readonly manners: Map<Manner, number>;
  /** Runs and slots for each job, by its number. */
  readonly runs: number[];
  readonly slots: number[];
}

const MINUTE = 60_000;
const KEPT = 10;
/** The runs after a change at which the job dies, one after the other. */
const DEATHS = 4;

export function prove(places: readonly Place[], seed: number): Proof {
  const proof: Proof = {
    changes: places.length,
    windows: 0,
    drives: 0,
    signals: 0,
    missesFound: 0,
    missesBeyond: 0,
    falseAlarms: [],
    falseAlarmCount: 0,
    missedAlarms: [],
    missedAlarmCount: 0,
    contradictions: [],
    astray: new Map(),
    disputed: new Set(),
    manners: new Map(),
    runs: PROVEN_JOBS.map(() => 0),
    slots: PROVEN_JOBS.map(() => 0),
  };
  for (const group of alike(places)) proveGroup(proof, group, seed);
  return proof;
}

/** Around these changes walls show the same, unless another change is near. */
function proveGroup(proof: Proof, group: readonly Place[], seed: number): void {
  const plans = new Map<string, Plan>();
  for (const place of group) {
    for (const job of PROVEN_JOBS) {
      const { history, change } = place;
      const from = change.at - job.reach.before * MINUTE;
      const repeated = Math.max(0, change.before - change.after);
      const until = change.at + (job.reach.after + repeated) * MINUTE;
      const near = history.changes.filter(({ at }) => at > from && at < until);
      const key = `${job.number} ${near.map(({ at, before, after }) => [at - from, after - before])}`;
      let plan = plans.get(key);
      if (plan === undefined) {
        const wall = change.at / MINUTE + change.before;
        plan = planOf(job, wallsOf(history, from, until), chanceOf(seed, wall, job.number));
        plans.set(key, plan);
      }
      provePlan(proof, place, job, plan, { from, until, seed });
    }
  }
}

interface Span {
  readonly from: number;
  readonly until: number;
  readonly seed: number;
}

function provePlan(proof: Proof, place: Place, job: ProvenJob, plan: Plan, span: Span): void {
  const where = `${place.history.timezone}, change ${toIso(place.change.at)}, "${job.declared}"`;
  for (const text of plan.contradictions) if (proof.contradictions.length < KEPT) proof.contradictions.push(`${where}: ${text}`);
  for (const name of plan.astray) proof.astray.set(name, (proof.astray.get(name) ?? 0) + 1);
  if (plan.astray.length > 0) proof.disputed.add(job.declared);
  proof.slots[job.number]! += plan.slots.length;
  const slots = plan.slots.map((second) => span.from + second * 1_000);
  for (const runs of plan.runs) {
    proof.windows += runs.schedulers.length;
    proof.runs[job.number]! += runs.fires.length * runs.schedulers.length;
    proveRuns(proof, place, job, runs, slots, span, where);
  }
}

function proveRuns(
  proof: Proof,
  { history, change }: Place,
  job: ProvenJob,
  { schedulers, fires }: Runs,
  slots: readonly number[],
  { from, until, seed }: Span,
  where: string,
): void {
  const chance = chanceOf(seed, change.at / MINUTE, job.number, fires.length);
  const manner = mannerOf(chance, job.reach.shortestPause);
  const reports = reportsOf(from, fires, manner, job.reach.shortestPause, chance);
  const firstAfter = fires.findIndex((second) => from + second * 1_000 >= change.at);
  const deaths = firstAfter < 0 ? [] : Array.from({ length: DEATHS }, (_, index) => firstAfter + index);
  const found = drive({ timezone: history.timezone, schedule: job.declared, reports, slots, from, until, deaths });

  proof.drives += 1;
  proof.signals += found.signals;
  proof.missesFound += found.missesFound;
  proof.missesBeyond += found.missesBeyond;
  proof.manners.set(manner, (proof.manners.get(manner) ?? 0) + 1);
  const told = (text: string) => `${where}, ${schedulers.join(" and ")}, ${manner}: ${text}`;
  proof.falseAlarmCount += found.falseAlarms.length;
  proof.missedAlarmCount += found.missedAlarms.length;
  for (const text of found.falseAlarms) if (proof.falseAlarms.length < KEPT) proof.falseAlarms.push(told(text));
  for (const text of found.missedAlarms) if (proof.missedAlarms.length < KEPT) proof.missedAlarms.push(told(text));
}
