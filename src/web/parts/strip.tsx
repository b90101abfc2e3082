// The last runs of a job as bars: height says how long, colour and shape how it went. One path for each outcome.

import { raw } from "hono/html";
import { span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { inWords, tallyOf } from "../../views/outcomes.ts";
import { type RecentRun, RUNS_SHOWN } from "../../views/recent-runs.ts";

const STEP = 4;
const WIDTH = 3;
const HEIGHT = 20;
const WIDE = RUNS_SHOWN * STEP - (STEP - WIDTH);
/** Of a run whose length is not known, and of the shortest. */
const LEAST = 3;
const TALLEST = 15;

/** As the board keeps them, the runs of a job are the same list until it reports again. */
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
    <title>{titleOf(runs)}</title>
    {pathsOf(runs).map(([outcome, path]) => (
      <path key={outcome} class={`bar-${outcome}`} d={path} />
    ))}
  </svg>
);

/** The newest stands at the right edge. */
function pathsOf(runs: readonly RecentRun[]): [outcome: string, path: string][] {
  const longest = Math.max(1, ...runs.map(({ milliseconds }) => milliseconds ?? 0));
  const paths = new Map<RecentRun["outcome"], string>();
  runs.forEach((run, place) => {
    const x = (RUNS_SHOWN - runs.length + place) * STEP;
    paths.set(run.outcome, (paths.get(run.outcome) ?? "") + shapeOf(run, x, longest));
  });
  return [...paths];
}

function shapeOf({ outcome, milliseconds }: RecentRun, x: number, longest: number): string {
  switch (outcome) {
    case "succeeded": {
      // By its root, because one slow run among many must not flatten the others.
      const share = Math.sqrt((milliseconds ?? 0) / longest);
      return bar(x, Math.round(LEAST + share * (TALLEST - LEAST)));
    }
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
      return outcome satisfies never;
  }
}

const bar = (x: number, height: number): string => `M${x} ${HEIGHT}v-${height}h${WIDTH}v${height}z`;

/** `The last 30 runs: 2 failed, 28 well; the longest took 3 min 2 s`. */
function titleOf(runs: readonly RecentRun[]): string {
  if (runs.length === 0) return "No run yet";
  const tally = tallyOf(runs.map(({ outcome }) => outcome));
  const longest = Math.max(0, ...runs.map(({ milliseconds }) => milliseconds ?? 0));
  const took = longest === 0 ? "" : `; the longest took ${span(longest)}`;
  return `The last ${counted(runs.length, "run")}: ${inWords(tally)}${took}`;
}
