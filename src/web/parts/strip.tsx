// Draws the last runs of a job as bars. The height of a bar shows the length of the run; its colour and shape show the
// result. All bars of one kind are one SVG path.

import { raw } from "hono/html";
import { tallyInWords, tallyOf } from "../../domain/wording/results.ts";
import { span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { type RecentRun, RUNS_SHOWN } from "../../views/recent-runs.ts";
import { BAR_OF } from "./shapes.tsx";

const STEP = 4;
const WIDTH = 3;
const HEIGHT = 20;
const WIDE = RUNS_SHOWN * STEP - (STEP - WIDTH);
/** The least height of a bar, which is also the height for a run whose length is unknown. */
const LEAST = 3;
const TALLEST = 15;

/**
 * The strips that were drawn already, by their list of runs. A job's runs are the same list object until the job
 * reports again.
 */
const DRAWN = new WeakMap<readonly RecentRun[], ReturnType<typeof raw>>();

export const Strip = ({ runs }: { runs: readonly RecentRun[] }) => {
  let drawn = DRAWN.get(runs);
  if (drawn === undefined) {
    drawn = raw(String(<Bars runs={runs} />));
    DRAWN.set(runs, drawn);
  }
  return drawn;
};

const Bars = ({ runs }: { runs: readonly RecentRun[] }) => (
  <svg class="strip" role="img" viewBox={`0 0 ${WIDE} ${HEIGHT}`} width={WIDE} height={HEIGHT}>
    <title>{stripTitle(runs)}</title>
    {pathsOf(runs).map(([bar, path]) => (
      <path key={bar} class={`bar-${bar}`} d={path} />
    ))}
  </svg>
);

/** Returns one path for each kind of bar; the newest run is at the right edge. */
function pathsOf(runs: readonly RecentRun[]): [bar: string, path: string][] {
  const longest = Math.max(1, ...runs.map(({ milliseconds }) => milliseconds ?? 0));
  const paths = new Map<DrawnAs, string>();
  runs.forEach((run, place) => {
    const x = (RUNS_SHOWN - runs.length + place) * STEP;
    const drawn = run.result === "missed" ? run.result : BAR_OF[run.result];
    paths.set(drawn, (paths.get(drawn) ?? "") + pathOf(drawn, run.milliseconds, x, longest));
  });
  return [...paths];
}

type DrawnAs = "missed" | (typeof BAR_OF)[keyof typeof BAR_OF];

function pathOf(drawn: DrawnAs, milliseconds: number | null, x: number, longest: number): string {
  // The height grows with the square root of the length, because one slow run among many must not flatten the bars of
  // all other runs.
  const height = Math.round(LEAST + Math.sqrt((milliseconds ?? 0) / longest) * (TALLEST - LEAST));
  switch (drawn) {
    case "succeeded":
      return bar(x, height);
    case "warned":
      return `${bar(x, height)}M${x} ${HEIGHT - height - 2}h${WIDTH}v-2h-${WIDTH}z`;
    case "failed":
      return bar(x, HEIGHT);
    case "unfinished":
    case "incomplete":
    case "running":
      return `M${x + 0.5} ${HEIGHT}v-12h2v12`;
    case "missed":
      return `M${x} ${HEIGHT - 4}l3-4m0 4l-3-4`;
    case "unknown":
      return `M${x + 1.5} ${HEIGHT - 3}v-.1M${x + 1.5} ${HEIGHT - 8}v-.1`;
    default:
      return drawn satisfies never;
  }
}

const bar = (x: number, height: number): string => `M${x} ${HEIGHT}v-${height}h${WIDTH}v${height}z`;

/** Tells the runs in words: `The last 30 runs: 2 failed, 28 well; the longest took 3 min 2 s`. */
function stripTitle(runs: readonly RecentRun[]): string {
  if (runs.length === 0) return "No run yet";
  const tally = tallyOf(runs.map(({ result }) => result));
  const longest = Math.max(0, ...runs.map(({ milliseconds }) => milliseconds ?? 0));
  const took = longest === 0 ? "" : `; the longest took ${span(longest)}`;
  return `The last ${counted(runs.length, "run")}: ${tallyInWords(tally)}${took}`;
}
