// Draws what is behind the rows of the day page: the hours, the gaps, clock changes and the line of now. Above the rows
// it draws the axis, and how many jobs start when.

import { type Instant, MINUTE } from "../../domain/time.ts";
import { RESULTS } from "../../domain/wording/results.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { type ClockWords, dayAxisPosition, ticksOf } from "./axis.ts";
import type { DayView, SmallDay } from "./day.ts";
import { HIGH, type MarkKind } from "./marks.ts";
import { DAY_PATH } from "./query.ts";

type FrameProps = Pick<DayView, "span" | "query" | "timezone" | "gaps" | "changes" | "now">;

const percent = (share: number): string => `${Math.round(share * 10_000) / 100}%`;

/**
 * The height of the axis in pixels. Its upper line of text has the days; its lower line has the hours, but in a week
 * only the word "now".
 */
const AXIS_HIGH = 38;
const DAYS_AT = 13;
const HOURS_AT = 32;

/** The least width of a gap, as a share of the axis; a narrower gap could not be seen. */
const GAP_LEAST = 0.003;

/** Draws hours, gaps and clock changes behind all rows, over their whole height. */
export const Backdrop = ({ span, timezone, gaps, changes }: FrameProps) => {
  const x = (at: Instant): string => percent(dayAxisPosition(at, span));
  return (
    <svg class="day-backdrop" id="day-backdrop" aria-hidden="true" width="100%" height="100%">
      {gaps.map(({ from, to }) => {
        const share = dayAxisPosition(from, span);
        const wide = Math.max(GAP_LEAST, dayAxisPosition(to, span) - share);
        return <rect key={from} class="day-gap" x={percent(share)} width={percent(wide)} y="0" height="100%" />;
      })}
      {ticksOf(span, timezone).map(({ at, kind }) => (
        <line key={at} class={`day-tick-${kind}`} x1={x(at)} x2={x(at)} y1="0" y2="100%" />
      ))}
      {changes.map(({ at }) => (
        <line key={at} class="day-change" x1={x(at)} x2={x(at)} y1="0" y2="100%" />
      ))}
    </svg>
  );
};

/**
 * Shares of the axis. `DATE_SHARE` is the width of a day's name on a phone, to the right of its midnight. `WORD_SHARE`
 * is the width of the word "now" on either side of the line of now.
 */
const DATE_SHARE = 0.3;
const WORD_SHARE = 0.05;

/**
 * Whether the word "now" is written in the lower line of the axis: always in a week, otherwise where a day's name would
 * overlap it in the upper line.
 */
function isBelow({ span, query, timezone, now }: Pick<FrameProps, "span" | "query" | "timezone" | "now">): boolean {
  if (query.span === "week") return true;
  const days = ticksOf(span, timezone).filter(({ kind }) => kind === "day");
  return [span.from, ...days.map(({ at }) => at)].some((at) => {
    const behind = dayAxisPosition(now, span) - dayAxisPosition(at, span);
    return behind > -WORD_SHARE && behind < DATE_SHARE;
  });
}

/** The line of now, which the browser moves on. Returns `null` when now is outside the span. */
export const Present = ({ span, now }: Pick<FrameProps, "span" | "now">) => {
  if (now < span.from || now > span.to) return null;
  const x = percent(dayAxisPosition(now, span));
  return (
    <svg class="day-backdrop" aria-hidden="true" width="100%" height="100%">
      <line class="day-now" data-now x1={x} x2={x} y1="0" y2="100%" />
    </svg>
  );
};

export const Axis = ({ span, query, timezone, now, clock }: FrameProps & { clock: ClockWords }) => {
  const ticks = ticksOf(span, timezone);
  const days = ticks.filter(({ kind }) => kind === "day");
  const first = days[0]?.at ?? span.to;
  const isRoomy = dayAxisPosition(first, span) > 0.08;
  const isLow = isBelow({ span, query, timezone, now });
  const isFree = (share: number): boolean =>
    share > 0.015 && share < 0.985 && !(isLow && Math.abs(share - dayAxisPosition(now, span)) < WORD_SHARE);
  return (
    <svg class="day-axis" aria-hidden="true" width="100%" height={AXIS_HIGH}>
      {isRoomy ? (
        <text class="day-date" x="0" y={DAYS_AT}>
          {clock.day(span.from)}
        </text>
      ) : null}
      {days.map(({ at }) => (
        <text key={at} class="day-date" x={percent(dayAxisPosition(at, span))} y={DAYS_AT} dx="4">
          {dayAxisPosition(at, span) > 0.93 ? "" : clock.day(at)}
        </text>
      ))}
      {ticks
        .filter(({ at }) => query.span !== "week" && isFree(dayAxisPosition(at, span)))
        .map(({ at, kind }) => (
          <text key={at} class={`day-hour is-${kind}`} x={percent(dayAxisPosition(at, span))} y={HOURS_AT}>
            {clock.time(at)}
          </text>
        ))}
      {now < span.from || now > span.to ? null : (
        <text class="day-now-word" data-now x={percent(dayAxisPosition(now, span))} y={isLow ? HOURS_AT : DAYS_AT}>
          now
        </text>
      )}
    </svg>
  );
};

const BUSY_HIGH = 36;
const UNITS = 4_000;

type BusyProps = Readonly<{ busyMinutes: Pick<DayView["busyMinutes"], "starts">; span: DayView["span"] }>;

export const BusyMarks = ({ busyMinutes: { starts }, span: { from, to } }: BusyProps) => {
  const most = Math.max(0, ...starts);
  const wide = UNITS / starts.length;
  const path = starts
    .map((jobs, place) => {
      if (jobs === 0) return "";
      const high = Math.max(1, Math.round((jobs / most) * (BUSY_HIGH - 4)));
      return `M${Math.round(place * wide)} ${BUSY_HIGH}v-${high}h${Math.max(1, Math.floor(wide) - 1)}v${high}z`;
    })
    .join("");
  const minutes = (to - from) / starts.length / MINUTE;
  return (
    <svg
      class="day-busy"
      role="img"
      viewBox={`0 0 ${UNITS} ${BUSY_HIGH}`}
      preserveAspectRatio="none"
      width="100%"
      height={BUSY_HIGH}
    >
      <title>{`How many jobs start in each ${minutes === 1 ? "minute" : `${minutes} minutes`}: at most ${counted(most, "job")}`}</title>
      <path d={path} />
    </svg>
  );
};

/** The small day page of the overview: one strip for all jobs, which is a link to `/day`. */
export const DayStrip = (day: SmallDay) => (
  <a class="day-strip" href={DAY_PATH}>
    <span class="note">{day.sentence} When jobs start:</span>
    <span class="day-strip-figure">
      <Backdrop {...day} />
      <Present {...day} />
      <Axis {...day} />
      <BusyMarks {...day} />
    </span>
  </a>
);

// Defines the marks of the day page: their shapes, which are in each page once and are used by name, and what each
// means.

const MIDDLE = HIGH / 2;

/** SVG paths of the shapes, centred at the mark's position. */
const SHAPES: Readonly<Record<MarkKind, string>> = {
  report: `M0 ${MIDDLE - 5}L4 ${MIDDLE}L0 ${MIDDLE + 5}L-4 ${MIDDLE}z`,
  missed: `M-4.5 ${MIDDLE - 4.5}L4.5 ${MIDDLE + 4.5}M4.5 ${MIDDLE - 4.5}L-4.5 ${MIDDLE + 4.5}`,
  unknown: `M-3 ${MIDDLE - 3.4}a3 3 0 1 1 4.2 2.7c-.9.4-1.2.9-1.2 1.8M0 ${MIDDLE + 4.6}v.2`,
  late: `M-4.5 ${MIDDLE}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M0 ${MIDDLE - 2}V${MIDDLE}l1.8 1.2`,
  expected: `M-3.5 ${MIDDLE}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`,
  paused: `M-2 ${MIDDLE - 4}v8M2 ${MIDDLE - 4}v8`,
  silent: `M-3.5 ${MIDDLE}h7`,
};

export const DaySprite = () => (
  <svg class="sprite" aria-hidden="true" width="0" height="0">
    <defs>
      {Object.entries(SHAPES).map(([kind, path]) => (
        <path key={kind} id={`day-${kind}`} class={`day-mark-${kind}`} d={path} />
      ))}
      <pattern id="day-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="day-hatch" d="M0 0V6" />
      </pattern>
      <pattern id="day-quiet-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="day-quiet-hatch" d="M0 0V6" />
      </pattern>
    </defs>
  </svg>
);

const MEANINGS: readonly (readonly [MarkKind, string])[] = [
  ["report", "a report"],
  ["expected", RESULTS.expected.word],
  ["late", RESULTS.late.word],
  ["missed", RESULTS.missed.word],
  ["unknown", "rollcall could not hear"],
  ["paused", RESULTS.paused.word],
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
      {RESULTS.failed.word}, {RESULTS.wrong.word} or {RESULTS.overran.word}
    </li>
    <li>
      <svg viewBox={`-8 0 16 ${HIGH}`} width="16" height={HIGH} aria-hidden="true">
        <path class="day-bar-warned" d="M-6 7h12v14h-12z" />
      </svg>
      {RESULTS.warned.word}
    </li>
    <li>
      <svg viewBox={`-8 0 16 ${HIGH}`} width="16" height={HIGH} aria-hidden="true">
        <path class="day-maintenance" d="M-8 4h16v20h-16z" />
      </svg>
      {RESULTS.maintenance.word}
    </li>
    {MEANINGS.map(([kind, meaning]) => (
      <li key={kind}>
        <Sample kind={kind} />
        {meaning}
      </li>
    ))}
  </ul>
);
