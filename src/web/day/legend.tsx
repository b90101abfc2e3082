// The marks of the day: their shapes, drawn once in a page and used by name, and what each means.

import { OUTCOMES } from "../../views/outcomes.ts";
import { HIGH, type MarkKind } from "./marks.ts";

const MIDDLE = HIGH / 2;

/** Around the place where they stand. */
const SHAPES: Readonly<Record<MarkKind, string>> = {
  report: `M0 ${MIDDLE - 5}L4 ${MIDDLE}L0 ${MIDDLE + 5}L-4 ${MIDDLE}z`,
  missed: `M-4.5 ${MIDDLE - 4.5}L4.5 ${MIDDLE + 4.5}M4.5 ${MIDDLE - 4.5}L-4.5 ${MIDDLE + 4.5}`,
  unknown: `M-3 ${MIDDLE - 3.4}a3 3 0 1 1 4.2 2.7c-.9.4-1.2.9-1.2 1.8M0 ${MIDDLE + 4.6}v.2`,
  late: `M-4.5 ${MIDDLE}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M0 ${MIDDLE - 2}V${MIDDLE}l1.8 1.2`,
  expected: `M-3.5 ${MIDDLE}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`,
  paused: `M-2 ${MIDDLE - 4}v8M2 ${MIDDLE - 4}v8`,
  maintenance: `M-3.5 ${MIDDLE - 3.5}h7v7h-7z`,
  silent: `M-3.5 ${MIDDLE}h7`,
};

/** Of a page's marks. */
export const DaySprite = () => (
  <svg class="sprite" aria-hidden="true" width="0" height="0">
    <defs>
      {Object.entries(SHAPES).map(([kind, path]) => (
        <path key={kind} id={`day-${kind}`} class={`day-mark-${kind}`} d={path} />
      ))}
      <pattern id="day-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="day-hatch" d="M0 0V6" />
      </pattern>
    </defs>
  </svg>
);

const MEANINGS: readonly (readonly [MarkKind, string])[] = [
  ["report", "a report"],
  ["expected", OUTCOMES.expected.word],
  ["late", OUTCOMES.late.word],
  ["missed", OUTCOMES.missed.word],
  ["unknown", "rollcall could not hear"],
  ["paused", OUTCOMES.paused.word],
  ["maintenance", OUTCOMES.maintenance.word],
  ["silent", "nothing came, no miss"],
];

const Sample = ({ kind }: { kind: MarkKind }) => (
  <svg viewBox={`-8 0 16 ${HIGH}`} width="16" height={HIGH} aria-hidden="true">
    <use href={`#day-${kind}`} />
  </svg>
);

export const Legend = () => (
  <ul class="day-legend" aria-label="What the marks mean">
    <li>
      <svg viewBox={`-8 0 16 ${HIGH}`} width="16" height={HIGH} aria-hidden="true">
        <path class="day-bar-succeeded" d="M-6 7h12v14h-12z" />
      </svg>
      a run, as long as it took
    </li>
    <li>
      <svg viewBox={`-8 0 16 ${HIGH}`} width="16" height={HIGH} aria-hidden="true">
        <path class="day-bar-failed" d="M-4 3h8v22h-8z" />
      </svg>
      {OUTCOMES.failed.word}
    </li>
    {MEANINGS.map(([kind, meaning]) => (
      <li key={kind}>
        <Sample kind={kind} />
        {meaning}
      </li>
    ))}
  </ul>
);
