// R13, R15, R16, R17: no clock change of any zone raises an alarm, whichever scheduler runs the job, and a job that dies
// after one is told of. ZONE_PROOF=all: at every change; else at a sample of PROPERTY_RUNS changes, by PROPERTY_SEED.

import { expect, test } from "bun:test";
import { stretchAt } from "../../src/domain/zone.ts";
import type { ZoneHistory } from "../support/scheduler-models/zone-history.ts";
import {
  allHistories,
  distinctHistories,
  FROM,
  landmarks,
  type Place,
  placesOf,
  UNTIL,
} from "../support/zone-proof/changes.ts";
import { chanceOf } from "../support/zone-proof/chance.ts";
import { PROVEN_JOBS } from "../support/zone-proof/plans.ts";
import { type Proof, prove } from "../support/zone-proof/prove.ts";

const everything = process.env.ZONE_PROOF === "all";
const seed = Number(process.env.PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const sampleSize = Number(process.env.PROPERTY_RUNS ?? 100);
/** More changes may take longer; how long is not what these tests are about. */
const timeout = 3_600_000;

const histories = allHistories();
const distinct = distinctHistories(histories);

/** The zone's changes as the core finds them. */
function historyInCore(timezone: string): ZoneHistory {
  const first = stretchAt(timezone, FROM);
  const changes = [];
  for (let stretch = first; stretch.until < UNTIL; ) {
    const next = stretchAt(timezone, stretch.until);
    changes.push({ at: next.from, before: stretch.offset / 60_000, after: next.offset / 60_000 });
    stretch = next;
  }
  return { timezone, first: first.offset / 60_000, changes };
}

test(
  "R17: the core finds the clock changes of every zone that are found without it",
  () => {
    for (const history of histories) expect(historyInCore(history.timezone)).toEqual(history);
    expect(placesOf(histories).length).toBeGreaterThan(10_000);
    expect(distinct.length).toBeGreaterThan(150);
  },
  timeout,
);

test(
  "R17: no clock change raises an alarm under any scheduler, and a job that dies after it is missed at its next slot",
  () => {
    const started = performance.now();
    const all = placesOf(distinct);
    const places = everything ? all : sampleOf(all);
    const proof = prove(places, seed);
    console.log(summary(proof, places, (performance.now() - started) / 1_000));

    expect(proof.contradictions).toEqual([]);
    expect(proof.falseAlarms).toEqual([]);
    expect(proof.missedAlarms).toEqual([]);
    expectSomethingProven(proof);
  },
  timeout,
);

/** Some changes of every kind, and for the rest by chance. */
function sampleOf(all: readonly Place[]): Place[] {
  const chance = chanceOf(seed);
  return [...landmarks(), ...Array.from({ length: sampleSize }, () => all[chance(all.length)]!)];
}

/** A proof in which nothing ran, nothing died or nobody disagreed is none. */
function expectSomethingProven(proof: Proof): void {
  expect(proof.runs.filter((count) => count === 0)).toEqual([]);
  expect(proof.slots.filter((count) => count === 0)).toEqual([]);
  expect(PROVEN_JOBS.length).toBeGreaterThanOrEqual(35);
  for (const name of ["Debian cron", "comparing", "shifting"] as const) {
    expect(proof.astray.get(name) ?? 0).toBeGreaterThan(proof.changes);
  }
  expect(proof.disputed.size).toBeGreaterThan(PROVEN_JOBS.length / 2);
  expect([...proof.manners.keys()].sort()).toEqual(["heartbeats", "long runs", "short runs"]);
  expect(proof.missesFound).toBeGreaterThan(100 * proof.changes);
  expect(proof.missesBeyond).toBeLessThan(proof.missesFound / 20);
}

function summary(proof: Proof, places: readonly Place[], seconds: number): string {
  const zones = new Set(places.map(({ history }) => history.timezone)).size;
  const reports = `${proof.signals} reports in ${proof.drives} different windows`;
  const quarrels = [...proof.astray].map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `Zones: ${histories.length} known, ${distinct.length} distinct histories from 2000 to 2040, ${zones} of them looked at`,
    `Clock changes: ${proof.changes}${everything ? "" : ` (a sample, PROPERTY_SEED=${seed})`}`,
    `Schedules: ${PROVEN_JOBS.length}, of which schedulers disagree on ${proof.disputed.size} (windows: ${quarrels})`,
    `Monitors watched through a change: ${proof.windows} (${reports})`,
    `False alarms: ${proof.falseAlarmCount}`,
    `Jobs that died: ${proof.missesFound} misses told in time, ${proof.missedAlarmCount} not, ${proof.missesBeyond} after the window`,
    `Took ${seconds.toFixed(1)} s`,
  ].join("\n");
}
