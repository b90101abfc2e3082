// Runs of unusual length: what counts as such, and that few are told needlessly.

import { expect, test } from "bun:test";
import {
  isUsualRunLength,
  type PastRun,
  RUNS_LOOKED_AT,
  type UsualRun,
  usualBefore,
} from "../../src/domain/monitor/unusual.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";

/** What was usual before this run, if the run is unusual beside it. */
function unusualBeside({ endedAt, ms }: PastRun, before: readonly PastRun[]): UsualRun | null {
  const usual = usualBefore(endedAt - ms, before);
  return usual === null || isUsualRunLength(usual, ms) ? null : usual;
}

/** A run a day, the newest first. */
const daily = (lengths: readonly number[]): PastRun[] =>
  lengths.map((ms, place) => ({ endedAt: (100 - place) * DAY, ms }));

const TWENTY = daily(Array.from({ length: 20 }, (_, place) => (20 + (place % 5) * 3) * MINUTE));
const at = (ms: number): PastRun => ({ endedAt: 101 * DAY, ms });

test("a run that takes several times as long, or ends at once, is unusual, with what was usual", () => {
  expect(unusualBeside(at(4 * HOUR), TWENTY)).toMatchObject({ fromMs: 20 * MINUTE, toMs: 32 * MINUTE });
  expect(unusualBeside(at(2 * SECOND), TWENTY)).toMatchObject({ fromMs: 20 * MINUTE, toMs: 32 * MINUTE });
  for (const minutes of [5, 10, 33, 60, 79]) expect(unusualBeside(at(minutes * MINUTE), TWENTY)).toBeNull();
});

test("with fewer than twenty runs nothing is unusual, and short jobs differ by seconds", () => {
  expect(unusualBeside(at(4 * HOUR), TWENTY.slice(1))).toBeNull();
  const short = daily(Array.from({ length: 40 }, () => 2 * SECOND));
  for (const ms of [0, 10 * SECOND, 50 * SECOND]) expect(unusualBeside(at(ms), short)).toBeNull();
  expect(unusualBeside(at(2 * MINUTE), short)).not.toBeNull();
});

test("one wild run among them changes nothing, and a day of the week may have its length", () => {
  const wild = daily([9 * HOUR, ...Array.from({ length: 39 }, () => 20 * MINUTE)]);
  expect(unusualBeside(at(9 * HOUR), wild)).not.toBeNull();
  // Each seventh run takes five hours, as the next would.
  const weekly = daily(Array.from({ length: 63 }, (_, place) => (place % 7 === 6 ? 5 * HOUR : 20 * MINUTE)));
  expect(unusualBeside({ endedAt: 101 * DAY, ms: 5 * HOUR }, weekly)).toBeNull();
  // Twice a month a full one: too few for the quantile, and still of its weekday.
  const rare = daily(Array.from({ length: 62 }, (_, place) => (place % 14 === 13 ? 5 * HOUR : 20 * MINUTE)));
  expect(unusualBeside({ endedAt: 101 * DAY, ms: 5 * HOUR }, rare)).toBeNull();
});

test("a backup of some weekdays that ends on the day after it began is usual, and so while it runs", () => {
  const rare = Array.from({ length: 63 }, (_, place): PastRun => {
    const isLong = place % 21 === 20;
    return { endedAt: (100 - place) * DAY + (isLong ? 28 : 23.4) * HOUR, ms: isLong ? 5 * HOUR : 20 * MINUTE };
  });
  expect(usualBefore(101 * DAY + 23 * HOUR, rare)?.longestMs).toBe(12.5 * HOUR);
  expect(usualBefore(102 * DAY + 23 * HOUR, rare)?.longestMs).toBe(50 * MINUTE);
});

/** Deterministic, so that the figures are the same each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Lengths about twenty minutes, `spread` as the deviation of their logarithm. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const KINDS: readonly [string, (random: () => number, place: number) => number][] = [
  ["steady", (random) => Math.exp(0.1 * normal(random))],
  ["spread", (random) => Math.exp(0.3 * normal(random))],
  ["one in five is a full one", (random) => (random() < 0.2 ? 6 : 1) * Math.exp(0.15 * normal(random))],
  ["grows by a twentieth a week", (random, place) => 1.05 ** (place / 7) * Math.exp(0.1 * normal(random))],
];

test("backtest: at most one needless warning a monitor and year, of jobs of each day and each hour", () => {
  const figures = KINDS.flatMap(([kind, lengthOf]) =>
    [DAY, HOUR].map((every) => {
      const runsOfYear = Math.round((365 * DAY) / every);
      let warnings = 0;
      for (let monitor = 0; monitor < 4; monitor++) {
        const random = randomFrom(1 + monitor);
        const before: PastRun[] = [];
        for (let place = 0; place < runsOfYear; place++) {
          const ms = 20 * MINUTE * lengthOf(random, (place * every) / DAY);
          const run = { endedAt: place * every + ms, ms };
          const known = before.slice(-RUNS_LOOKED_AT);
          // Told while it runs, or once it has ended.
          const usual = usualBefore(place * every, known);
          const isSlow = usual !== null && ms > usual.longestMs + SECOND;
          if (isSlow || (usual !== null && ms < usual.shortestMs)) warnings++;
          if (isSlow && unusualBeside(run, known) === null) throw new Error("told of a run that is usual at its end");
          before.push(run);
        }
      }
      return [`${kind}, each ${every === DAY ? "day" : "hour"}`, warnings / 4] as const;
    }),
  );
  expect(figures.filter(([, perYear]) => perYear > 1)).toEqual([]);
});
