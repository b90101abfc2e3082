// One lane: the job's name, what happened in two words, its drawing, and its story in words.

import { Shape } from "../parts/shapes.tsx";
import { jobPath } from "../paths.ts";
import { shownLine } from "../shown.ts";
import { shareOf } from "./axis.ts";
import { HIGH, WIDE } from "./marks.ts";
import type { DayView, Lane } from "./model.ts";

export const LaneRow = ({ lane, span }: { lane: Lane; span: DayView["span"] }) => (
  <li id={`lane-${lane.id}`} class="lane" data-lane>
    <span class="lane-name">
      <Shape standing={lane.standing} />
      <a href={jobPath(lane)} data-row title={`${lane.name} (${lane.application})`}>
        {lane.name}
        {lane.hasNamesake ? <small> {shownLine(lane.key)}</small> : null}
      </a>
    </span>
    <Plot lane={lane} />
    <details class="lane-words">
      <summary class={lane.summary.isTrouble ? "is-trouble" : ""}>
        {lane.summary.text}
        <span class="unseen"> of {lane.name}: the story</span>
      </summary>
      <ol>
        {lane.lines.map(({ from, to, shown, text }) => (
          <li key={from} class={`said-${shown}`} data-x={`${placeOf(from, span)} ${placeOf(to, span)}`}>
            {text}
          </li>
        ))}
      </ol>
      {lane.remarks.map((remark) => (
        <p key={remark} class="note">
          {remark}
        </p>
      ))}
    </details>
  </li>
);

/** In thousandths of the lane's width: for the browser, which finds the line of what is pointed at. */
const placeOf = (at: number, span: DayView["span"]): number => Math.round(shareOf(at, span) * 1_000);

const Plot = ({ lane: { name, drawing, summary } }: { lane: Lane }) => (
  <svg class="lane-plot" role="img" height={HIGH}>
    <title>{`${name}: ${summary.text}`}</title>
    <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" width="100%" height={HIGH} aria-hidden="true">
      {drawing.paths.map(([kind, path]) => (
        <path key={kind} class={`day-${kind}`} d={path} />
      ))}
    </svg>
    {drawing.marks.map(({ kind, percent }) => (
      <use key={`${kind}${percent}`} href={`#day-${kind}`} x={`${percent}%`} />
    ))}
  </svg>
);
