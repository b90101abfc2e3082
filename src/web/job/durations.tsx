// The last runs of a job as a chart: a point a run, by how long it took, with the limit as a line and failures marked.

import { SECOND } from "../../domain/time.ts";
import { span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { RecentRun } from "../../engine/reads/recent-runs.ts";

const WIDE = 640;
const HIGH = 160;
const BOTTOM = HIGH - 4;
const TOP = 12;
/** The height of a run whose length is not known. */
const UNTIMED = 6;
/** The line of the limit is drawn where the longest run comes this near to it. */
const LIMIT_SHOWN_FROM = 0.2;

export const Durations = ({ runs, limitSeconds }: { runs: readonly RecentRun[]; limitSeconds: number }) => {
  const timed = runs.filter(({ milliseconds }) => milliseconds !== null);
  if (timed.length < 2) return <section id="job-durations" hidden />;
  const longest = Math.max(1, ...timed.map(({ milliseconds }) => milliseconds ?? 0));
  const limit = limitSeconds * SECOND;
  const isLimitShown = longest > limit * LIMIT_SHOWN_FROM;
  const most = isLimitShown ? Math.max(longest, limit) : longest;
  const y = (milliseconds: number): number => Math.round(BOTTOM - (milliseconds / most) * (BOTTOM - TOP));
  const step = WIDE / runs.length;
  const usual = timed.map(({ milliseconds }) => milliseconds ?? 0).sort((a, b) => a - b)[timed.length >> 1]!;
  return (
    <section id="job-durations" class="panel">
      <h2>How long it takes</h2>
      <p class="note">
        usually {span(usual)}, at most {span(longest)} of {counted(timed.length, "run")}
        {isLimitShown ? `; the limit is ${span(limit)}` : ""}
      </p>
      <svg class="chart" viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" preserveAspectRatio="none">
        <title>{`Durations of the last ${counted(timed.length, "run")}, usually ${span(usual)}`}</title>
        {isLimitShown ? <path class="chart-limit" d={`M0 ${y(limit)}H${WIDE}`} /> : null}
        {runs.map((run, place) => (
          <Bar key={place} run={run} x={place * step} width={Math.max(1, step - 1.5)} y={y} />
        ))}
      </svg>
    </section>
  );
};

interface BarProps {
  readonly run: RecentRun;
  readonly x: number;
  readonly width: number;
  readonly y: (milliseconds: number) => number;
}

const Bar = ({ run: { milliseconds, became }, x, width, y }: BarProps) => {
  const top = milliseconds === null ? BOTTOM - UNTIMED : Math.min(BOTTOM - 2, y(milliseconds));
  const [left, right] = [x.toFixed(1), (x + width).toFixed(1)];
  const bar = `M${left} ${BOTTOM}V${top}H${right}V${BOTTOM}z`;
  // Not by its colour alone: a bar that did not end well stands below a cap.
  const cap = became === "well" || became === "running" ? "" : `M${left} ${top - 7}V${top - 3}H${right}V${top - 7}z`;
  return <path class={`bar-${became}`} d={bar + cap} />;
};
