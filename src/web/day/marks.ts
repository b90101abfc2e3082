// Computes the drawing of a row of the day page. A bar shows a run. A mark shows a slot without a run, or a report that
// is no run; a mark has the same shape at every width of the page. A band shows several such slots that are close
// together.

import type { Span } from "../../domain/monitor/window.ts";
import type { Instant } from "../../domain/time.ts";
import type { Timeline, TimelineEntry, TimelineRun } from "../../views/timeline.ts";
import { BAR_OF } from "../parts/shapes.tsx";
import { bandsOfAlikeEntries } from "../parts/time-bands.ts";
import { dayAxisPosition } from "./axis.ts";

/** The width of a row in units of the drawing; a unit is a quarter of a pixel on most screens. */
export const WIDE = 4_000;
export const HIGH = 28;
const MIDDLE = HIGH / 2;

const BARS = {
  succeeded: { top: 7, bottom: 21, least: 8 },
  warned: { top: 7, bottom: 21, least: 10 },
  failed: { top: 3, bottom: 25, least: 10 },
  unfinished: { top: 7, bottom: 21, least: 10 },
  incomplete: { top: 7, bottom: 21, least: 10 },
  running: { top: 7, bottom: 21, least: 10 },
  unknown: { top: 7, bottom: 21, least: 8 },
} as const;

/** Slots with one of these results share a band when they are nearer to one another than `APART`. */
const BANDS = ["missed", "unknown", "silent", "paused"] as const;
const BAND = { top: MIDDLE - 4, bottom: MIDDLE + 4, least: 16 };
const WHOLE = { top: 0, bottom: HIGH, least: 8 };
/** The tick at the bottom of a row that shows when a slot was due. */
const DUE = { top: HIGH - 2, bottom: HIGH, least: 4 };

const MARKS = ["missed", "late", "unknown", "expected", "paused", "silent", "report"] as const;
export type MarkKind = (typeof MARKS)[number];

interface Mark {
  readonly kind: MarkKind;
  /** The position from the left, in percent of the row's width. */
  readonly percent: number;
}

/**
 * How far apart two slots must be to get a mark each, in units of the drawing (a row has `WIDE`). Nearer slots with the
 * same result share one mark. If the result is one of `BANDS`, a band behind the mark reaches from the first of these
 * slots to the last.
 */
const APART = 56;
/**
 * How far apart reports must be on average to be drawn as marks, in units of the drawing (a row has `WIDE`). Nearer
 * ones are drawn as bars, because marks would overlap.
 */
const REPORTS_APART = 48;

type Drawn = Pick<Timeline, "runs" | "entries" | "maintenance">;

export function drawingOf({ runs, entries, maintenance }: Drawn, span: Span) {
  const x = (at: Instant): number => Math.round(dayAxisPosition(at, span) * WIDE);
  const length = (span.to - span.from) * (APART / WIDE);
  const seen = runs.filter(({ from, to }) => to >= span.from && (from ?? to) <= span.to);
  const isReport = ({ from, result }: TimelineRun): boolean => from === null && result === "succeeded";
  const reports = seen.filter(isReport);
  const areMarks = distanceOf(reports) * WIDE >= REPORTS_APART * (span.to - span.from);
  const bars = Map.groupBy(areMarks ? seen.filter((run) => !isReport(run)) : seen, ({ result }) => BAR_OF[result]);
  const marked = bandsOfAlikeEntries(entries, entryMark, length).flatMap(({ kind, first, last }) => {
    return kind === null ? [] : [{ kind, from: x(first.at), to: x(last.at) }];
  });
  const bands = Map.groupBy(
    marked.filter(({ kind, from, to }) => isBand(kind) && from < to),
    ({ kind }) => kind,
  );
  const within = (at: Instant): number => x(Math.min(Math.max(at, span.from), span.to));
  const piece = ({ from, to }: Span): Piece => ({ from: within(from), to: within(to) });
  const due = entries.flatMap(({ at, slot }): Piece[] => (slot === null ? [] : [{ from: x(at), to: x(at) }]));
  return {
    /**
     * The SVG paths, each with the name that its CSS class ends with. Their positions are in units of the drawing,
     * which is `WIDE` units wide.
     */
    paths: [
      ...(maintenance.length === 0 ? [] : [["maintenance", pathOf(maintenance.map(piece), WHOLE)] as const]),
      ...(due.length === 0 ? [] : [["due", pathOf(due, DUE)] as const]),
      ...[...bands].map(([kind, pieces]) => [`band-${kind}`, pathOf(pieces, BAND)] as const),
      ...[...bars].map(([bar, some]) => {
        const pieces = some.map(({ from, to }) => ({ from: x(from ?? to), to: x(to) }));
        return [`bar-${bar}`, pathOf(pieces, BARS[bar])] as const;
      }),
    ],
    marks: [
      ...(areMarks ? reports.map(({ to }): Mark => ({ kind: "report", percent: percentOf(x(to)) })) : []),
      ...marked.map(({ kind, from }): Mark => ({ kind, percent: percentOf(from) })),
    ],
  };
}

/** The average time between two reports, in milliseconds; infinite with fewer than two. */
function distanceOf(reports: readonly TimelineRun[]): number {
  const [first, last] = [reports[0], reports.at(-1)];
  return first === undefined || first === last
    ? Number.POSITIVE_INFINITY
    : (last!.to - first.to) / (reports.length - 1);
}

const isBand = (kind: MarkKind): boolean => BANDS.some((one) => one === kind);

const percentOf = (x: number): number => (x * 100) / WIDE;

/** The mark of an entry; `null` when it has none, mostly because a bar shows it. */
function entryMark({ result, run }: TimelineEntry): MarkKind | null {
  if (result === "unknown" && run !== null) return null;
  return MARKS.find((mark) => mark === result) ?? null;
}

type Piece = Readonly<{ from: number; to: number }>;

/** Draws bars as one path. Bars that touch become one, so the runs of a job that runs every minute look like a band. */
function pathOf(pieces: readonly Piece[], { top, bottom, least }: Readonly<typeof BAND>): string {
  const wide = pieces
    .map(({ from, to }) => {
      const width = Math.max(least, to - from);
      return { from: Math.max(0, Math.min(from, WIDE - width)), width };
    })
    .sort((a, b) => a.from - b.from);
  let path = "";
  let [start, end] = [0, -1];
  let drawn = 0;
  const draw = (): void => {
    if (end < start) return;
    // Positions are relative to the previous bar, because bars at equal distances then compress to almost nothing.
    path += `${path === "" ? `M${start} ${top}` : `m${start - drawn} 0`}h${end - start}v${bottom - top}h${start - end}z`;
    drawn = start;
  };
  for (const { from, width } of wide) {
    if (from <= end + 1) {
      end = Math.max(end, from + width);
      continue;
    }
    draw();
    [start, end] = [from, from + width];
  }
  draw();
  return path;
}
