// The zone proof itself: every job through every given clock change under every scheduler, the real core watching.

import { type Instant, toIso } from "../../../src/domain/time.ts";
import { wallsOf } from "../scheduler-models/wall-minutes.ts";
import { chanceOf } from "./chance.ts";
import { alike, type Place } from "./changes.ts";
import { drive } from "./drive.ts";
import { type Plan, PROVEN_JOBS, type ProvenJob, planOf, type Runs } from "./plans.ts";
import { mannerOf, reportsOf } from "./reports.ts";
import { countOutcome, emptyTally, note, type Tally } from "./tally.ts";

/** A job around a clock change. */
interface Window {
  readonly place: Place;
  readonly job: ProvenJob;
  readonly from: Instant;
  readonly until: Instant;
}

const MINUTE = 60_000;
/** The runs after a change at which the job dies, one after the other. */
const DEATHS = 4;

/** Proves it for these changes; the same seed, the same cases. */
export function prove(places: readonly Place[], seed: number): Tally {
  const tally = emptyTally();
  tally.changes = places.length;
  for (const group of alike(places)) {
    const plans = new Map<string, Plan>();
    for (const place of group) {
      for (const job of PROVEN_JOBS) {
        const window = windowOf(place, job);
        proveWindow(tally, window, planFor(window, plans, seed), seed);
      }
    }
  }
  return tally;
}

function windowOf(place: Place, job: ProvenJob): Window {
  const { at, before, after } = place.change;
  const repeated = Math.max(0, before - after);
  const from = at - job.reach.before * MINUTE;
  return { place, job, from, until: at + (job.reach.after + repeated) * MINUTE };
}

/** In a group of changes that are alike walls show the same for a job, unless another change is near. */
function planFor({ place, job, from, until }: Window, plans: Map<string, Plan>, seed: number): Plan {
  const { history, change } = place;
  const near = history.changes.filter(({ at }) => at > from && at < until);
  const key = `${job.number} ${near.map(({ at, before, after }) => [at - from, after - before])}`;
  const known = plans.get(key);
  if (known !== undefined) return known;
  const chance = chanceOf(seed, change.at / MINUTE + change.before, job.number);
  const plan = planOf(job, wallsOf(history, from, until), chance);
  plans.set(key, plan);
  return plan;
}

function proveWindow(tally: Tally, window: Window, plan: Plan, seed: number): void {
  const { place, job, from } = window;
  const where = `${place.history.timezone}, change ${toIso(place.change.at)}, "${job.declared}"`;
  for (const contradiction of plan.contradictions) note(tally.contradictions, `${where}: ${contradiction}`);
  for (const name of plan.astray) tally.astray.set(name, (tally.astray.get(name) ?? 0) + 1);
  if (plan.astray.length > 0) tally.disputed.add(job);
  tally.slots[job.number]! += plan.slots.length;

  const slots = plan.slots.map((second) => from + second * 1_000);
  for (const runs of plan.runs) {
    tally.windows += runs.schedulers.length;
    tally.runs[job.number]! += runs.fires.length * runs.schedulers.length;
    proveRuns(tally, window, runs, slots, `${where}, ${runs.schedulers.join(" and ")}`, seed);
  }
}

function proveRuns(
  tally: Tally,
  { place, job, from, until }: Window,
  runs: Runs,
  slots: readonly Instant[],
  where: string,
  seed: number,
): void {
  const changeAt = place.change.at;
  const chance = chanceOf(seed, changeAt / MINUTE, job.number, runs.fires.length);
  const fires = { from, seconds: runs.fires, shortestPause: job.reach.shortestPause, changeAt };
  const valueRule = mannerOf(fires, chance);
  const reports = reportsOf(fires, valueRule, chance);
  const firstAfter = runs.fires.findIndex((second) => from + second * 1_000 >= changeAt);
  const deaths = firstAfter < 0 ? [] : Array.from({ length: DEATHS }, (_, index) => firstAfter + index);
  const { timezone } = place.history;
  tally.manners.add(valueRule);
  const outcome = drive({ timezone, schedule: job.declared, reports, slots, from, until, deaths });
  countOutcome(tally, outcome, `${where}, ${valueRule}`);
}
