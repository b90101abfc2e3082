// Timelines in which some reports come late: those of arbitrary.ts with ages, played again.

import fc from "fast-check";
import type { Signal } from "../../../src/domain/monitor/transition.ts";
import { anyTimelineOf } from "./arbitrary.ts";
import { isReport } from "./facts.ts";
import type { Kind } from "./plan.ts";
import { play, shown, type Timeline } from "./timeline.ts";

const anyAge = fc.oneof(
  fc.constantFrom(null, null, null, 1, 5, 60, 66, 600, 3_600, 604_800),
  fc.integer({ min: 0, max: 100_000 }),
);

export const anyLateTimelineOf = (kind: Kind): fc.Arbitrary<Timeline> =>
  fc
    .tuple(anyTimelineOf(kind), fc.array(anyAge, { minLength: 1, maxLength: 20 }))
    .map(([timeline, ages]) => shown(aged(timeline, ages)));

function aged(timeline: Timeline, ages: readonly (number | null)[]): Timeline {
  const steps = timeline.moments.map((moment, index) => {
    const { now, signal, gaps } = moment;
    const ageSeconds = ages[index % ages.length]!;
    const late = isReport(moment) && signal.kind !== "refused" ? ({ ...signal, ageSeconds } as Signal) : signal;
    return { now, signal: late, gaps };
  });
  return play(timeline, steps);
}
