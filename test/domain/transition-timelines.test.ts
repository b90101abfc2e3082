// Whether the random timelines that the laws are tried on bring everything the laws speak of. PROPERTY_SEED: the seed that
// a failing run has printed, to play it again.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyTimeline } from "./timelines/arbitrary.ts";
import { countOccurrences } from "./timelines/counts.ts";

test("R18: 1,000 random timelines bring each signal, each arrow of the state table and each kind of alert", () => {
  const seed = Number(process.env.PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const counts = countOccurrences(fc.sample(anyTimeline, { numRuns: 1_000, seed }));
  const never = [...counts].filter(([, count]) => count === 0).map(([name]) => name);
  expect({ seed, never }).toEqual({ seed, never: [] });
}, 60_000);
