// R13, R15, R16, R17: no clock change of any zone raises an alarm, whichever scheduler runs the job, and a job that
// dies after one is told of. ZONE_PROOF=all: at every change; else at a sample of PROPERTY_RUNS changes, by
// PROPERTY_SEED.

import { expect, test } from "bun:test";
import { offsetPeriodAt } from "../../src/domain/schedule/zone.ts";
import { judgedByRuntime } from "../support/runtime-zones.ts";
import type { ZoneHistory } from "./scheduler-models/zone-history.ts";
import { chanceOf } from "./zone-proof/chance.ts";
import { allHistories, distinctHistories, FROM, landmarks, type Place, placesOf, UNTIL } from "./zone-proof/changes.ts";
import { PROVEN_JOBS } from "./zone-proof/plans.ts";
import { prove } from "./zone-proof/prove.ts";
import type { Tally } from "./zone-proof/tally.ts";

judgedByRuntime();

const everything = process.env.ZONE_PROOF === "all";
const seed = Number(process.env.PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const sampleSize = Number(process.env.PROPERTY_RUNS ?? 150);
/** More changes may take longer; how long is not what these tests are about. */
const timeout = 3_600_000;

const histories = allHistories();
const distinct = distinctHistories(histories);

/** The zone's changes as the core finds them. */
function historyInCore(timezone: string): ZoneHistory {
  const first = offsetPeriodAt(timezone, FROM);
  const changes = [];
  for (let period = first; period.until < UNTIL; ) {
    const next = offsetPeriodAt(timezone, period.until);
    changes.push({ at: next.from, before: period.offset / 60_000, after: next.offset / 60_000 });
    period = next;
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
    const tally = prove(places, seed);
    console.log(summary(tally, places, (performance.now() - started) / 1_000));

    expect(tally.contradictions.first).toEqual([]);
    expect(tally.falseAlarms.first).toEqual([]);
    expect(tally.missedAlarms.first).toEqual([]);
    expectSomethingProven(tally);
  },
  timeout,
);

/** Some changes of every kind, and for the rest by chance. */
function sampleOf(all: readonly Place[]): Place[] {
  const chance = chanceOf(seed);
  const size = Math.min(sampleSize, all.length);
  return [...landmarks(), ...Array.from({ length: size }, () => all[chance(all.length)]!)];
}

/** A proof in which nothing ran, nothing died or nobody disagreed is none. */
function expectSomethingProven(tally: Tally): void {
  expect(PROVEN_JOBS.length).toBeGreaterThanOrEqual(35);
  for (const { number, declared } of PROVEN_JOBS) {
    expect([declared, tally.runs[number]! > 0, tally.slots[number]! > 0]).toEqual([declared, true, true]);
  }
  for (const name of ["Debian cron", "comparing", "shifting"] as const) {
    expect(tally.astray.get(name) ?? 0).toBeGreaterThan(tally.changes);
  }
  expect(tally.disputed.size).toBeGreaterThan(PROVEN_JOBS.length / 2);
  expect([...tally.manners].sort()).toEqual(["heartbeats", "long runs", "short runs"]);
  expect(tally.missesFound).toBeGreaterThan(100 * tally.changes);
  expect(tally.missesBeyond).toBeLessThan(tally.missesFound / 20);
}

function summary(tally: Tally, places: readonly Place[], seconds: number): string {
  const zones = new Set(places.map(({ history }) => history.timezone)).size;
  const quarrels = [...tally.astray].map(([name, count]) => `${name} ${count}`).join(", ");
  const { missesFound, missesBeyond } = tally;
  return [
    `Zones: ${histories.length} known, ${distinct.length} distinct histories from 2000 to 2040, ${zones} of them with changes looked at`,
    `Clock changes: ${tally.changes}${everything ? ", all there are" : ", a sample"} (PROPERTY_SEED=${seed})`,
    `Schedules: ${PROVEN_JOBS.length}; schedulers disagree over ${tally.disputed.size} (windows: ${quarrels})`,
    `Monitor windows: ${tally.windows}, ${tally.drives} of them different, with ${tally.reports} reports`,
    `False alarms: ${tally.falseAlarms.count}`,
    `Deaths: ${missesFound} told in time, ${tally.missedAlarms.count} not, ${missesBeyond} with no slot left in the window`,
    `Took ${seconds.toFixed(1)} s`,
  ].join("\n");
}
