// The last days of a job as a strip of bars, the newest at the right: colour and height say how each went. One path for
// each outcome; a day that did not go well has words of its own.

import { counted } from "../../domain/wording/spoken-time.ts";
import { inWords, OUTCOMES } from "../../views/outcomes.ts";
import { type DayOutcome, dueOf, type PastDay, troublesOf } from "../../views/past-days.ts";
import { dayOf } from "../parts/moment.tsx";
import type { PublicJob } from "./status.ts";

const STEP = 6;
const WIDTH = 4;
const HEIGHT = 28;

export const DaysStrip = ({ job: { name, days, tally }, timezone }: { job: PublicJob; timezone: string }) => {
  const width = days.length * STEP - (STEP - WIDTH);
  return (
    <svg
      class="days"
      role="img"
      aria-label={`${name}: ${counted(days.length, "day")}: ${inWords(tally)}`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {tally.map(([outcome]) => {
        const path = days.map((day, place) => (day.outcome === outcome ? shapeOf(outcome, place * STEP) : "")).join("");
        return <path key={outcome} class={`day-${outcome}`} d={path} />;
      })}
      {days.map((day, place) => {
        const said = saidOf(day, timezone);
        return said === null ? null : (
          <rect key={place} class="day-hover" x={place * STEP - 1} y="0" width={STEP} height={HEIGHT}>
            <title>{said}</title>
          </rect>
        );
      })}
    </svg>
  );
};

function shapeOf(outcome: DayOutcome, x: number): string {
  switch (outcome) {
    case "failed":
      return bar(x, HEIGHT);
    case "missed":
      // With a notch: it did not come, rather than went wrong.
      return `${bar(x, 8)}M${x} 14v-14h${WIDTH}v14z`;
    case "succeeded":
      return bar(x, 18);
    case "unknown":
      return `${bar(x, 4)}M${x} 20v-4h${WIDTH}v4zM${x} 12v-4h${WIDTH}v4z`;
    case "paused":
      return `M${x} ${HEIGHT}v-12h1.3v12zM${x + WIDTH - 1.3} ${HEIGHT}v-12h1.3v12z`;
    case "quiet":
      return bar(x, 4);
    case "unwatched":
      return bar(x, 1);
    default:
      return outcome satisfies never;
  }
}

const bar = (x: number, height: number): string => `M${x} ${HEIGHT}v-${height}h${WIDTH}v${height}z`;

/** `2026-03-04: 2 missed; 24 were expected`; null: there is nothing to say of it. */
function saidOf(day: PastDay, timezone: string): string | null {
  const { at, outcome, expected } = day;
  if (outcome === "succeeded" || outcome === "quiet" || outcome === "unwatched") return null;
  const troubles = troublesOf(day);
  const said =
    outcome === "paused" || troubles.length === 0 ? OUTCOMES[outcome].word : troubles.join(", ") + dueOf(expected);
  return `${dayOf(at, timezone)}: ${said}`;
}

/** One such bar, for a legend. */
export const DayMark = ({ outcome }: { outcome: DayOutcome }) => (
  <svg
    aria-hidden="true"
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    width={WIDTH * 1.5}
    height={HEIGHT / 2}
    preserveAspectRatio="none"
  >
    <path class={`day-${outcome}`} d={shapeOf(outcome, 0)} />
  </svg>
);
