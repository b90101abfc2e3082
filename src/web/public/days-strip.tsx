// The last days of a job as a strip of bars, the newest at the right: colour and height say how each went. One path for each
// outcome; a day that did not go well has words of its own.

import { counted } from "../../domain/wording/spoken-time.ts";
import { DAY_OUTCOMES, type DayOutcome, type PastDay } from "../../views/past-days.ts";
import { dayOf } from "../parts/moment.tsx";
import { dueOf, troublesOf } from "../parts/past-day.ts";
import type { PublicJob } from "./status.ts";

const STEP = 6;
const WIDTH = 4;
const HEIGHT = 28;

export const DAY_WORDS: Readonly<Record<DayOutcome, string>> = {
  failed: "failed",
  missed: "missed",
  unknown: "unknown",
  paused: "paused",
  well: "well",
  quiet: "nothing expected",
  before: "not watched yet",
};

export const DaysStrip = ({ job: { name, days, counts }, timezone }: { job: PublicJob; timezone: string }) => {
  const width = days.length * STEP - (STEP - WIDTH);
  return (
    <svg
      class="days"
      role="img"
      aria-label={`${name}: ${inWords(counts)}`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {DAY_OUTCOMES.map((outcome) => {
        const path = days.map((day, place) => (day.outcome === outcome ? shapeOf(outcome, place * STEP) : "")).join("");
        return path === "" ? null : <path key={outcome} class={`day-${outcome}`} d={path} />;
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
    case "well":
      return bar(x, 18);
    case "unknown":
      return `${bar(x, 4)}M${x} 20v-4h${WIDTH}v4zM${x} 12v-4h${WIDTH}v4z`;
    case "paused":
      return `M${x} ${HEIGHT}v-12h1.3v12zM${x + WIDTH - 1.3} ${HEIGHT}v-12h1.3v12z`;
    case "quiet":
      return bar(x, 4);
    case "before":
      return bar(x, 1);
    default:
      return outcome satisfies never;
  }
}

const bar = (x: number, height: number): string => `M${x} ${HEIGHT}v-${height}h${WIDTH}v${height}z`;

/** `90 days: 86 well, 2 missed, 2 not watched yet`. */
function inWords(counts: PublicJob["counts"]): string {
  const said = DAY_OUTCOMES.flatMap((outcome) =>
    counts[outcome] === 0 ? [] : [`${counts[outcome]} ${DAY_WORDS[outcome]}`],
  );
  const days = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counted(days, "day")}: ${said.join(", ")}`;
}

/** `2026-03-04: 2 missed; 24 were expected`; null: there is nothing to say of it. */
function saidOf(day: PastDay, timezone: string): string | null {
  const { at, outcome, expected } = day;
  if (outcome === "well" || outcome === "quiet" || outcome === "before") return null;
  const troubles = troublesOf(day);
  const said =
    outcome === "paused" || troubles.length === 0 ? DAY_WORDS[outcome] : troubles.join(", ") + dueOf(expected);
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
