// Whether the random timelines that the laws are tried on bring everything the laws speak of. PROPERTY_SEED: the seed
// that a failing run has printed, to play it again.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { propertyRuns } from "../support/property-runs.ts";
import { anyTimelineOf } from "./timelines/arbitrary.ts";
import { countOccurrences } from "./timelines/counts.ts";
import type { Kind } from "./timelines/plan.ts";

const AT_ONCE = 1_000;
/** The rarest comes twice in a thousand timelines, so one thousand in ten lacks it, and five thousand hardly ever. */
const ROUNDS = 5;

const KINDS: readonly (readonly [ruling: string, kind: Kind])[] = [
  ["R18", "schedules"],
  ["R44", "intervals"],
];
for (const [ruling, kind] of KINDS) {
  test(`${ruling}: random timelines of ${kind} bring each signal, each arrow of the state table and each kind of alert`, () => {
    const { seed } = propertyRuns(AT_ONCE);
    let never: readonly string[] | null = null;
    for (let round = 0; round < ROUNDS && never?.length !== 0; round++) {
      const timelines = fc.sample(anyTimelineOf(kind), { numRuns: AT_ONCE, seed: seed + round });
      const lacking = [...countOccurrences(kind, timelines)].filter(([, count]) => count === 0).map(([name]) => name);
      never = (never ?? lacking).filter((name) => lacking.includes(name));
    }
    expect({ seed, never }).toEqual({ seed, never: [] });
  }, 120_000);
}
