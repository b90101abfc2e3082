// Decides what the day page shows: which jobs, in which order, and the rows of one page of them. The templates decide
// how they look.

import { type Made, sortedInPieces } from "../../domain/in-pieces.ts";
import type { Span } from "../../domain/monitor/window.ts";
import { HOUR, type Instant, MINUTE } from "../../domain/time.ts";
import { counted, intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { Timeline } from "../../views/timeline.ts";
import type { Tone } from "../assets/assets.ts";
import { filterPartOfJob, findsJob, healthOf, type JobsPart, rankOf } from "../overview/model.ts";
import type { Health } from "../parts/shapes.tsx";
import { nameOnPage, pageLine, type ToldApart, tellingNamesakesApart } from "../shown.ts";
import { type Viewer, viewerMaySee } from "../viewer.ts";
import { axisClockWords, type ClockWords, dayClockChanges, spanOf } from "./axis.ts";
import { busyMinutesOf, dayStarts } from "./busy-minutes.ts";
import { drawingOf } from "./marks.ts";
import { type DayQuery, readDayQuery } from "./query.ts";
import { dayLinesOf, rowSummary } from "./words.ts";

const ROWS_ON_A_PAGE = 50;

export type DayView = Made<typeof dayView>;

/**
 * Returns what the day page shows for a query, as data. Before the call, the caller must have awaited `catchUp`
 * (`PagesParts`), which brings the board up to date. Each step may throw SQLite's errors.
 */
export function* dayView(engine: Engine, viewer: Viewer, query: DayQuery, timezone: string) {
  const { now } = engine.views.viewContext();
  const span = spanOf(query, now);
  const troubled: ReadonlySet<number> =
    span.from >= now ? new Set() : engine.views.troubledIn({ from: span.from, to: Math.min(span.to, now) });
  yield;
  const finds = findsJob(query.find, now);
  const matching: BoardMonitor[] = [];
  const applications = new Set<string>();
  const standing = new Set<JobsPart>();
  const counts = { all: 0, trouble: 0 };
  const seen = yield* engine.views.board.monitors(now, (monitor) => {
    if (!viewerMaySee(viewer, monitor.application)) return false;
    applications.add(monitor.application);
    if ((query.app !== "" && monitor.application !== query.app) || !finds(monitor)) return true;
    const isTroubled = troubled.has(monitor.id);
    counts.all++;
    if (isTroubled) counts.trouble++;
    standing.add(filterPartOfJob(monitor, now));
    if (query.show === "all" || isTroubled) matching.push(monitor);
    return true;
  });
  const found = yield* sortedInPieces(matching, byTrouble(troubled, now));
  const pages = Math.max(1, Math.ceil(found.length / ROWS_ON_A_PAGE));
  const page = Math.min(query.page, pages);
  const jobs = found.slice((page - 1) * ROWS_ON_A_PAGE, page * ROWS_ON_A_PAGE);
  const apart = tellingNamesakesApart(jobs, seen);
  yield;
  const busyMinutes = yield* busyMinutesOf(found, span, partsOf(span), now);
  const { gaps, monitors } = yield* engine.views.timelines(
    jobs.map(({ id }) => id),
    span,
  );
  const clock = axisClockWords(timezone, now);
  const rows: DayRow[] = [];
  for (const job of jobs) {
    const day = monitors.get(job.id);
    if (day !== undefined)
      rows.push(dayRow({ ...job, apart: apart(job), health: healthOf(job, now) }, day, span, clock));
    yield;
  }
  return {
    now,
    query: { ...query, page },
    span,
    timezone,
    headline: {
      sentence: daySentence({ ...counts, isEmpty: seen.length === 0 }, query, span, clock),
      title: "Day",
      tone: toneOf(standing),
    },
    /** Whether the viewer may see no job at all. */
    isEmpty: seen.length === 0,
    rows,
    /** The gaps in the span, in ascending order. */
    gaps,
    changes: dayClockChanges(span, [timezone, ...jobs.map((job) => job.timezone)]),
    busyMinutes,
    counts,
    found: found.length,
    pages,
    applications: [...applications].sort(),
  };
}

export type SmallDay = Made<typeof smallDay>;

/**
 * Reads what the strip on the overview shows of the day of `jobs`. The strip's `now` moves on only every five minutes,
 * so that an open overview seldom gets the strip again.
 */
export function* smallDay({ views }: Engine, jobs: readonly BoardMonitor[], timezone: string) {
  const { now } = views.viewContext();
  const query = readDayQuery(new URLSearchParams(), now);
  const span = spanOf(query, now);
  const troubled = views.troubledIn({ from: span.from, to: now });
  const trouble = jobs.filter(({ id }) => troubled.has(id)).length;
  const clock = axisClockWords(timezone, now);
  return {
    query,
    span,
    timezone,
    clock,
    now: Math.floor(now / (5 * MINUTE)) * 5 * MINUTE,
    gaps: (yield* views.timelines([], span)).gaps,
    changes: dayClockChanges(span, [timezone]),
    busyMinutes: { starts: yield* dayStarts(jobs, span, (span.to - span.from) / (HOUR / 2)) },
    sentence: daySentence({ all: jobs.length, trouble, isEmpty: false }, query, span, clock),
  };
}

const APPLICATIONS = new Intl.Collator("en", { numeric: true });

/**
 * Sorts jobs that need attention first, then those that had trouble in the span, then by their state now, and then by
 * application. Jobs that compare as equal keep the order in which they were read, by name.
 */
function byTrouble(troubled: ReadonlySet<number>, now: Instant): (a: BoardMonitor, b: BoardMonitor) => number {
  return (a, b) => {
    const needs = (job: BoardMonitor): number => Number(filterPartOfJob(job, now) === "trouble");
    return (
      needs(b) - needs(a) ||
      Number(troubled.has(b.id)) - Number(troubled.has(a.id)) ||
      rankOf(healthOf(a, now)) - rankOf(healthOf(b, now)) ||
      (a.application === b.application ? 0 : APPLICATIONS.compare(a.application, b.application))
    );
  };
}

/**
 * How many milliseconds a bar of the histogram may cover. The shortest that gives at most `BARS_MAX` bars is used: a
 * minute in an hour, five minutes in a day, and half an hour in a week.
 */
const BARS = [MINUTE, 5 * MINUTE, 30 * MINUTE];
const BARS_MAX = 600;

const partsOf = ({ from, to }: Span): number =>
  BARS.map((one) => Math.round((to - from) / one)).find((parts) => parts <= BARS_MAX)!;

type DayJob = BoardMonitor & Readonly<{ health: Health; apart: ToldApart }>;

export type DayRow = Readonly<ReturnType<typeof dayRow>>;

function dayRow(job: DayJob, day: Timeline, span: Span, clock: ClockWords) {
  const { id, application, key, apart, schedule, everySeconds, timezone, health } = job;
  return {
    id,
    application,
    key,
    name: nameOnPage(job),
    apart,
    schedule,
    timezone,
    health,
    drawing: drawingOf(day, span),
    summary: rowSummary(day, everySeconds === null ? undefined : "no report"),
    lines: dayLinesOf(day, clock),
    /** Sentences about what the drawing of the row cannot show. */
    remarks: remarksOf(job, day, span, clock),
  };
}

const MAINTENANCE_NAMED = 10;

function remarksOf({ schedule, everySeconds }: DayJob, day: Timeline, { from, to }: Span, clock: ClockWords): string[] {
  const { scheduledSince, readSince, slotCount, isThinned } = day;
  return [
    ...day.maintenance.slice(0, MAINTENANCE_NAMED).map((one) => {
      const why = one.reason === null ? " by the configuration" : `: ${pageLine(one.reason)}`;
      return `Maintenance ${clock.between(one)}${why}.`;
    }),
    ...(everySeconds === null
      ? []
      : [`It must report at least ${intervalInWords(everySeconds)}: only what came and what was missed is drawn.`]),
    ...(schedule === null && everySeconds === null ? ["It has no schedule, so nothing is due."] : []),
    ...(schedule !== null && scheduledSince > from && scheduledSince < to
      ? [`Its settings are from ${clock.moment(scheduledSince)}; what was due before is not known.`]
      : []),
    ...(readSince > from ? [`Its reports from before ${clock.moment(readSince)} are too many to show.`] : []),
    ...(isThinned ? [`${slotCount} were due; some of them are shown.`] : []),
  ];
}

function toneOf(standing: ReadonlySet<JobsPart>): Tone {
  if (standing.has("trouble")) return "bad";
  return standing.has("taken") || standing.has("late") ? "late" : "well";
}

function daySentence(
  { all, trouble, isEmpty }: Readonly<Record<DayQuery["show"], number>> & { readonly isEmpty: boolean },
  { span: kind, until }: DayQuery,
  span: Span,
  clock: ClockWords,
) {
  const days = `from ${kind === "hour" ? clock.between(span) : `${clock.day(span.from)} to ${clock.day(span.to)}`}`;
  if (all === 0) return isEmpty ? "No job has reported yet." : "No job to show.";
  if (span.from >= clock.now) return `What ${all === 1 ? "the only job does" : `${all} jobs do`} ${days}.`;
  const when = until !== null || kind === "hour" ? days : `in the last ${kind === "day" ? "24 hours" : "week"}`;
  if (trouble > 0) return `${trouble} of ${counted(all, "job")} had trouble ${when}.`;
  return all === 1 ? `The only job had no trouble ${when}.` : `None of ${all} jobs had trouble ${when}.`;
}
