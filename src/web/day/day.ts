// Decides what the day shows: which jobs in which order, and of one page of them their lanes. The templates decide how.

import type { Span } from "../../domain/monitor/window.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";
import { counted, intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { Engine } from "../../engine/parts.ts";
import type { BoardMonitor } from "../../engine/reads/board.ts";
import type { MonitorDay } from "../../engine/reads/day.ts";
import type { InStretches } from "../../engine/reads/in-stretches.ts";
import { rankOf, standingOf } from "../overview/standing.ts";
import type { Standing } from "../parts/shapes.tsx";
import { namesakesOf, shownName } from "../shown.ts";
import type { Tone } from "../tone.ts";
import { maySee, type Viewer } from "../viewer.ts";
import { clockChanges, spanOf } from "./axis.ts";
import { type ClockWords, clockWords } from "./clock-words.ts";
import { crowdsOf } from "./crowds.ts";
import { drawingOf } from "./marks.ts";
import type { DayLane, DayView } from "./model.ts";
import type { DayQuery } from "./query.ts";
import { momentsOf } from "./stretches.ts";
import { linesOf, summaryOf } from "./words.ts";

const LANES_ON_A_PAGE = 50;

interface DayJob extends BoardMonitor, Pick<DayLane, "hasNamesake"> {
  readonly standing: Standing;
  /** It had an incident in the span. */
  readonly isTroubled: boolean;
}

/** The board must have caught up. A stretch throws what SQLite throws. */
export function* dayView(engine: Engine, viewer: Viewer, query: DayQuery, timezone: string): InStretches<DayView> {
  const { now } = engine.bearings();
  const span = spanOf(query, now);
  const troubled = span.from >= now ? new Set() : engine.troubledIn({ from: span.from, to: Math.min(span.to, now) });
  const seen = (yield* engine.board.monitors(now)).filter(({ application }) => maySee(viewer, application));
  yield;
  const namesakes = namesakesOf(seen, seen);
  const all = seen
    .filter((monitor) => isFound(monitor, query))
    .map(
      (monitor): DayJob => ({
        ...monitor,
        name: shownName(monitor),
        hasNamesake: namesakes.has(monitor.name),
        standing: standingOf(monitor, now),
        isTroubled: troubled.has(monitor.id),
      }),
    );
  const counts = { all: all.length, trouble: all.filter(({ isTroubled }) => isTroubled).length };
  yield;
  const found = (query.show === "all" ? all : all.filter(({ isTroubled }) => isTroubled)).sort(byTrouble());
  const pages = Math.max(1, Math.ceil(found.length / LANES_ON_A_PAGE));
  const page = Math.min(query.page, pages);
  const jobs = found.slice((page - 1) * LANES_ON_A_PAGE, page * LANES_ON_A_PAGE);
  yield;
  const crowds = yield* crowdsOf(found, span, partsOf(query, span), now);
  const { gaps, monitors } = yield* engine.day(
    jobs.map(({ id }) => id),
    span,
  );
  const clock = clockWords(timezone, now);
  const lanes: DayLane[] = [];
  for (const job of jobs) {
    const day = monitors.get(job.id);
    if (day !== undefined) lanes.push(laneOf(job, day, span, clock));
    yield;
  }
  return {
    now,
    query: { ...query, page },
    span,
    timezone,
    headline: {
      sentence: sentenceOf({ ...counts, isEmpty: seen.length === 0 }, query, span, clock),
      title: "Day",
      tone: toneOf(all),
    },
    isEmpty: seen.length === 0,
    lanes,
    gaps,
    changes: clockChanges(span, [timezone, ...jobs.map((job) => job.timezone)]),
    crowds,
    counts,
    found: found.length,
    pages,
    applications: [...new Set(seen.map(({ application }) => application))].sort(),
  };
}

function isFound({ name, key, application }: BoardMonitor, { find, app }: DayQuery): boolean {
  if (app !== "" && application !== app) return false;
  const wanted = find.toLowerCase();
  return wanted === "" || name.toLowerCase().includes(wanted) || key.toLowerCase().includes(wanted);
}

/** Those that need somebody, then those that did in the span. */
function byTrouble(): (a: DayJob, b: DayJob) => number {
  const names = new Intl.Collator("en", { numeric: true });
  const isUrgent = ({ standing }: DayJob): boolean => standing === "critical";
  return (a, b) =>
    Number(isUrgent(b)) - Number(isUrgent(a)) ||
    Number(b.isTroubled) - Number(a.isTroubled) ||
    rankOf(a.standing) - rankOf(b.standing) ||
    names.compare(a.application, b.application) ||
    names.compare(a.name, b.name) ||
    a.id - b.id;
}

/** Bars of the histogram: five minutes each in a day, half an hour in a week. */
const partsOf = ({ span: kind }: DayQuery, { from, to }: Span): number =>
  Math.round((to - from) / (kind === "day" ? 5 * MINUTE : HOUR / 2));

function laneOf(job: DayJob, day: MonitorDay, span: Span, clock: ClockWords): DayLane {
  const { id, application, key, name, hasNamesake, schedule, everySeconds, timezone, standing } = job;
  const moments = momentsOf(day);
  return {
    ...{ id, application, key, name, hasNamesake, schedule, timezone, standing },
    drawing: drawingOf(day, moments, span),
    summary: summaryOf(moments, day, everySeconds === null ? undefined : "no report"),
    lines: linesOf(moments, clock),
    remarks: remarksOf(job, day, span, clock),
  };
}

function remarksOf(
  { schedule, everySeconds }: DayJob,
  day: MonitorDay,
  { from, to }: Span,
  clock: ClockWords,
): string[] {
  const { scheduledSince, readSince, slotCount, slots } = day;
  return [
    ...(everySeconds === null
      ? []
      : [`It must report at least ${intervalInWords(everySeconds)}: only what came and what was missed is drawn.`]),
    ...(schedule === null && everySeconds === null ? ["It has no schedule, so nothing is due."] : []),
    ...(schedule !== null && scheduledSince > from && scheduledSince < to
      ? [`Its settings are from ${clock.moment(scheduledSince)}; what was due before is not known.`]
      : []),
    ...(readSince > from ? [`Its reports from before ${clock.moment(readSince)} are too many to show.`] : []),
    ...(slotCount > slots.length ? [`${slotCount} were due; some of them are shown.`] : []),
  ];
}

function toneOf(jobs: readonly DayJob[]): Tone {
  if (jobs.some(({ standing }) => standing === "critical")) return "bad";
  return jobs.some(({ standing }) => standing === "late" || standing === "warning") ? "late" : "well";
}

function sentenceOf(
  { all, trouble, isEmpty }: DayView["counts"] & Pick<DayView, "isEmpty">,
  { span: kind, until }: DayQuery,
  span: Span,
  clock: ClockWords,
) {
  const days = `from ${clock.day(span.from)} to ${clock.day(span.to)}`;
  if (all === 0) return isEmpty ? "No job has reported yet." : "No job to show.";
  if (span.from >= clock.now) return `What ${all === 1 ? "the only job does" : `${all} jobs do`} ${days}.`;
  const when = until !== null ? days : kind === "day" ? "in the last 24 hours" : "in the last week";
  if (trouble > 0) return `${trouble} of ${counted(all, "job")} had trouble ${when}.`;
  return all === 1 ? `The only job had no trouble ${when}.` : `None of ${all} jobs had trouble ${when}.`;
}
