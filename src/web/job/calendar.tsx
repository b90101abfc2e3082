// Draws the last 13 weeks of a job with a square for each day. The square shows the day's worst result by shape, colour
// and words, and is a link to the day in the story. Also draws the lengths of the last runs, and the run that has not
// ended.

import { medianOf } from "../../domain/monitor/run-lengths.ts";
import { DAY, type Instant, SECOND } from "../../domain/time.ts";
import { dayOf } from "../../domain/wording/moments.ts";
import { RESULTS, tallyOf } from "../../domain/wording/results.ts";
import { slowerInWords } from "../../domain/wording/run-length-words.ts";
import { aboutSpan, span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { JobPast } from "../../views/job-past.ts";
import { type DayResult, type PastDay, pastDayExpectedInWords, pastDayTroubles } from "../../views/past-days.ts";
import type { RecentRun } from "../../views/recent-runs.ts";
import type { ShownMonitor } from "../../views/schemas/shown-monitor-schemas.ts";
import { type Clocked, When } from "../parts/moment.tsx";
import { BAR_OF, shapeOf } from "../parts/shapes.tsx";
import type { JobAddress } from "../paths.ts";
import { storyPath, WHOLE_STORY } from "./story-part.tsx";

interface CalendarProps {
  readonly job: JobAddress;
  /** The days of whole weeks; the first is a Monday. */
  readonly days: readonly PastDay[];
  readonly timezone: string;
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** The shape that is drawn in a day's square; `null` when all went well, or nothing was due. */
const dayMark = (result: DayResult): string | null =>
  result === "missed" ? result : RESULTS[result].counted !== null || result === "paused" ? shapeOf(result) : null;

export const Calendar = ({ job, days, timezone }: CalendarProps) => {
  const weeks = Array.from({ length: Math.ceil(days.length / 7) }, (_, week) => days.slice(week * 7, week * 7 + 7));
  const today = days.at(-1);
  const shown = tallyOf(days.map(({ result }) => result));
  return (
    <section id="job-days" class="panel">
      <h2>The last 13 weeks</h2>
      <table class="weeks" data-weeks>
        <caption class="unseen">Each day with its worst result, in {timezone}</caption>
        <thead>
          <tr>
            <td />
            {weeks.map((week, place) => (
              <td key={place}>{monthOf(week, timezone)}</td>
            ))}
          </tr>
        </thead>
        <tbody>
          {WEEKDAYS.map((weekday, row) => (
            <tr key={weekday}>
              <th scope="row">
                <span class="unseen">{weekday}</span>
                <span aria-hidden="true">{row % 2 === 0 ? weekday.slice(0, 3) : ""}</span>
              </th>
              {weeks.map((week, place) => (
                <td key={place}>
                  {week[row] === undefined ? null : (
                    <Day
                      job={job}
                      day={week[row]}
                      called={week[row] === today ? "Today" : weekday}
                      timezone={timezone}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="legend note">
        {shown.map(([result]) => (
          <li key={result}>
            <Square result={result} /> {RESULTS[result].word}
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The name of the month that begins in this week, to write above the week; empty when none begins. */
function monthOf(week: readonly PastDay[], timezone: string): string {
  const first = week.map(({ at }) => dayOf(at, timezone)).find((date) => date.endsWith("-01"));
  return first === undefined ? "" : MONTHS[Number(first.slice(5, 7)) - 1]!;
}

type DayProps = Pick<CalendarProps, "job" | "timezone"> & { readonly day: PastDay; readonly called: string };

const Day = ({ job, day, called, timezone }: DayProps) => {
  if (day.result === "unwatched")
    return (
      <span class="square-box">
        <Square result="unwatched" />
      </span>
    );
  const words = `${called} ${dayOf(day.at, timezone)}: ${inWords(day)}`;
  return (
    <a
      class="square-box square-link"
      href={`${storyPath(job, { ...WHOLE_STORY, before: dayEnd(day.at) })}#story`}
      title={words}
    >
      <Square result={day.result} />
      <span class="unseen">{words}</span>
    </a>
  );
};

/** The end of a day. A day on which clocks go back has one hour more; the story lists that hour with the next day. */
const dayEnd = (at: Instant): Instant => at + DAY;

const Square = ({ result }: { result: DayResult }) => (
  <svg class={`square is-${result}`} viewBox="-3 -3 22 22" aria-hidden="true">
    <rect x="-3" y="-3" width="22" height="22" rx="3" />
    {dayMark(result) === null ? null : <use href={`#shape-${dayMark(result)}`} width="16" height="16" />}
  </svg>
);

/** Tells a day: `25 reports, 1 failed; 24 were expected`. */
function inWords(day: PastDay): string {
  const { result, expected, reports } = day;
  const came = reports === null || reports === 0 ? [] : [counted(reports, "report")];
  const troubles = pastDayTroubles(day);
  switch (result) {
    case "failed":
    case "missed":
    case "unknown":
      return [...came, ...troubles].join(", ") + pastDayExpectedInWords(expected);
    case "paused":
      return "paused";
    case "succeeded":
      if (expected === null) return came[0] ?? (reports === 0 ? "no report, and none was overdue" : "none was overdue");
      return expected === 1 ? "it answered" : `all ${expected} answered`;
    case "quiet":
      return [...came, "nothing was expected"].join(", ");
    case "unread":
      return RESULTS.unread.word;
    case "unwatched":
      return "";
    default:
      return result satisfies never;
  }
}

// Draws the last runs of a job as a chart. A run has a bar as high as the run was long; a line shows the limit, and
// failures are marked.

const WIDE = 640;
const HIGH = 160;
const BOTTOM = HIGH - 4;
const TOP = 12;
/** The height of the bar of a run whose length is unknown, in units of the chart. */
const UNTIMED = 6;
/** The limit is drawn only when the longest run takes more than this share of the limit. */
const LIMIT_SHOWN_FROM = 0.2;

type DurationsProps = Pick<JobPast, "runs"> & { readonly monitor: Pick<ShownMonitor, "runLimit" | "runLengths"> };

const usualOf = (runs: readonly RecentRun[]): number | null =>
  medianOf(runs.flatMap(({ milliseconds }) => milliseconds ?? []));

export const Durations = ({ runs, monitor: { runLimit, runLengths } }: DurationsProps) => {
  const timed = runs.filter(({ milliseconds }) => milliseconds !== null);
  if (timed.length < 2) return <section id="job-durations" hidden />;
  const longest = Math.max(1, ...timed.map(({ milliseconds }) => milliseconds ?? 0));
  const limit = runLimit.seconds * SECOND;
  const isLimitShown = longest > limit * LIMIT_SHOWN_FROM;
  const medians = mediansOf(runs, runLengths.weeks);
  const most = Math.max(longest, isLimitShown ? limit : 0, ...medians.map(({ medianMs }) => medianMs));
  const y = (milliseconds: number): number => Math.round(BOTTOM - (milliseconds / most) * (BOTTOM - TOP));
  const step = WIDE / runs.length;
  const usual = usualOf(timed)!;
  const marks = isLimitShown && limit < most ? [limit, most] : [most / 2, most];
  return (
    <section id="job-durations" class="panel">
      <h2>How long it takes</h2>
      <p class="note">
        usually {span(usual)}, at most {span(longest)} of {counted(timed.length, "run")}
        {isLimitShown ? `; the limit is ${span(limit)}` : ""}
        {medians.length < 2 ? "" : "; the stepped line is the median of each run's week"}
      </p>
      <div class="chart-box">
        <svg class="chart" viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" preserveAspectRatio="none">
          <title>{`Durations of the last ${counted(timed.length, "run")}, usually ${span(usual)}`}</title>
          {isLimitShown ? <path class="chart-limit" d={`M0 ${y(limit)}H${WIDE}`} /> : null}
          {runs.map((run, place) => barOf(run, place * step, Math.max(1, step - 1.5), y))}
          {medians.length < 2 ? null : (
            <path
              class="chart-median"
              d={medians
                .map(
                  ({ first, last, medianMs }) =>
                    `M${(first * step).toFixed(1)} ${y(medianMs)}h${((last + 1 - first) * step).toFixed(1)}`,
                )
                .join("")}
            />
          )}
        </svg>
        <Axis marks={marks} y={y} limit={isLimitShown ? limit : null} />
      </div>
      <Weeks {...runLengths} />
    </section>
  );
};

/**
 * For each week in which some of these runs are: its median length, and the indexes of its first and last run in
 * `runs`. The chart places runs by order and not by time, so a week with more runs is wider.
 */
function mediansOf(runs: readonly RecentRun[], weeks: ShownMonitor["runLengths"]["weeks"]) {
  return weeks.flatMap(({ from, medianMs }) => {
    const isIn = ({ at }: RecentRun): boolean => at >= from && at < from + 7 * DAY;
    const [first, last] = [runs.findIndex(isIn), runs.findLastIndex(isIn)];
    return first === -1 ? [] : [{ first, last, medianMs }];
  });
}

/**
 * The axis is drawn beside the chart: the chart is stretched to the width of the page, which would stretch the words,
 * too.
 */
const Axis = ({ marks, y, limit }: { marks: readonly number[]; y: (at: number) => number; limit: number | null }) => (
  <svg class="chart-axis" viewBox={`0 0 64 ${HIGH}`} aria-hidden="true">
    {marks.map((mark) => (
      <text key={mark} x="4" y={y(mark) + 4}>
        {mark === limit ? "limit" : aboutSpan(mark)}
      </text>
    ))}
  </svg>
);

// Draws for each week of a job the median length of its runs, as a bar with the length in words.

const Weeks = ({ usual, weeks }: ShownMonitor["runLengths"]) => {
  if (usual === null || weeks.length < 2) return null;
  const most = Math.max(1, ...weeks.map(({ medianMs }) => medianMs));
  return (
    <details>
      <summary>By week{usual.slower === null ? "" : `: ${slowerInWords(usual.slower)}`}</summary>
      <table class="chart-weeks">
        <caption class="unseen">The median of the runs that succeeded, week by week</caption>
        <tbody>
          {weeks.map(({ from, medianMs, runs }) => (
            <tr key={from}>
              <th scope="row">{dayOf(from, "UTC")}</th>
              <td>
                <svg width="100%" height="10" aria-hidden="true">
                  <rect class="bar-succeeded" width={`${(medianMs / most) * 100}%`} height="10" />
                </svg>
              </td>
              <td title={counted(runs, "run")}>{span(medianMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
};

/** Draws the bar of a run. For a length in milliseconds, `y` returns how far below the chart's top the bar begins. */
function barOf({ milliseconds, result }: RecentRun, x: number, width: number, y: (length: number) => number) {
  const top = milliseconds === null ? BOTTOM - UNTIMED : Math.min(BOTTOM - 2, y(milliseconds));
  const [left, right] = [x.toFixed(1), (x + width).toFixed(1)];
  const bar = `M${left} ${BOTTOM}V${top}H${right}V${BOTTOM}z`;
  // A run that did not end well has a cap above its bar, because a failure must not be shown by colour alone.
  const cap =
    result === "succeeded" || result === "running" ? "" : `M${left} ${top - 7}V${top - 3}H${right}V${top - 7}z`;
  return <path class={`bar-${result === "missed" ? result : BAR_OF[result]}`} d={bar + cap} />;
}

// Draws a run that has not ended as a bar from its start to its limit, with a line at its usual length. The browser
// moves the bar on.

export const UnderWay = ({ run, runs, now, timezone }: Pick<JobPast, "run" | "runs"> & Clocked) => {
  if (run?.startedAt == null) return <section id="job-run" hidden />;
  const { startedAt, deadline } = run;
  const usual = usualOf(runs);
  const end = deadline ?? startedAt + 2 * Math.max(usual ?? 0, now - startedAt);
  const share = (at: Instant): string => `${Math.min(100, ((at - startedAt) / Math.max(1, end - startedAt)) * 100)}%`;
  return (
    <section id="job-run" class="under-way">
      <svg width="100%" height="8" aria-hidden="true">
        <rect class="under-way-all" width="100%" height="8" />
        <rect class="under-way-done" width={share(now)} height="8" data-runs={`${startedAt} ${end}`} />
        {usual === null ? null : <line x1={share(startedAt + usual)} x2={share(startedAt + usual)} y2="8" />}
      </svg>
      <p class="note">
        running since <When at={startedAt} now={now} timezone={timezone} />
        {usual === null ? "" : `, usually ${span(usual)}`}
        {deadline === null ? null : (
          <>
            , until <When at={deadline} now={now} timezone={timezone} /> at the latest
          </>
        )}
      </p>
    </section>
  );
};
