// The whole service through some simulated days, with every fault far more often than in reality. `test/task simulate`
// runs years. A failing test's title has the seed; the same seed repeats the run.

import { expect, test } from "bun:test";
import { createTrace } from "./trace.ts";
import { YEAR } from "./units.ts";
import { simulate } from "./world.ts";

const DAYS = YEAR / 365;

/** Seldom disturbed it shows whether alerts come in time; the others, whether they come at all and are true. */
const SEEDS = [
  { seed: 4, density: 1, restores: false },
  { seed: 10, density: 20, restores: true },
  { seed: 69, density: 20, restores: false },
];

for (const { seed, density, restores } of SEEDS) {
  test(`R17 to R26, R36: no false alarm, none missed, none lost (seed ${seed}, faults ${density})`, () => {
    const trace = createTrace();
    const { counts } = simulate({ seed, monitors: 60, length: 4 * DAYS, density }, trace, () => {});
    const of = (what: string): number => counts.get(what) ?? 0;
    if (restores) expect(of("restored")).toBeGreaterThan(0);
    for (const what of ["alerts", "notices", "unknowns", "InitialFailure opened", "Recovered success"])
      expect([what, of(what) > 0]).toEqual([what, true]);
  }, 600_000);
}
