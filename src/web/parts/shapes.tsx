// Draws a shape for each status, so that colour alone never tells a status. Each shape is in a page once, and is used
// by name.

import { raw } from "hono/html";
import type { Status } from "../../domain/monitor/monitor.ts";
import { RESULTS, type Result, type RunResult } from "../../domain/wording/results.ts";

/** The state that a row shows: a status, `late` for a slot that is overdue, `running`, or `unknown`. */
export type Health = Status | "late" | "running" | "unknown";

const PATHS: Readonly<Record<Health, string>> = {
  healthy: "M3 8.5l3.2 3.2L13 4.8",
  late: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 4.8V8l2.4 1.6",
  warning: "M8 2.4L14.2 13.4H1.8zM8 6.6v3M8 11.3v.4",
  critical: "M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
  paused: "M5.4 3.4v9.2M10.6 3.4v9.2",
  pending: "M8 2.6a5.4 5.4 0 1 0 0 10.8A5.4 5.4 0 0 0 8 2.6z",
  running: "M5 3.2l7.6 4.8L5 12.8z",
  unknown: "M5.4 5.6a2.6 2.6 0 1 1 3.6 2.4c-.8.4-1 .8-1 1.6M8 12.2v.3",
};

/** The shape in the calendar for a day with a missed slot. */
const MARKS = { missed: "M3 8h10" } as const;

export const Sprite = () => (
  <svg class="sprite" aria-hidden="true" width="0" height="0">
    {Object.entries({ ...PATHS, ...MARKS }).map(([health, path]) => (
      <symbol key={health} id={`shape-${health}`} viewBox="0 0 16 16">
        <path d={path} />
      </symbol>
    ))}
  </svg>
);

const WORDS: Readonly<Record<Health, string>> = {
  healthy: "well",
  late: "late",
  warning: "warning",
  critical: "critical",
  paused: "paused",
  pending: "waiting for its first report",
  running: "running",
  unknown: "unknown",
};

const BY_TONE: Readonly<Record<(typeof RESULTS)[Result]["tone"], Health>> = {
  bad: "critical",
  warn: "warning",
  unsure: "unknown",
  well: "healthy",
  quiet: "pending",
};

const BY_RESULT: Partial<Readonly<Record<Result, Health>>> = { late: "late", paused: "paused", running: "running" };

/** The shape of the result of a run or slot: a failure never has the shape of a success. */
export const shapeOf = (result: Result): Health => BY_RESULT[result] ?? BY_TONE[RESULTS[result].tone];

/**
 * The kind of bar that is drawn for the result of a run. A run that reported a failure and one that never ended have
 * different bars.
 */
export const BAR_OF = {
  succeeded: "succeeded",
  warned: "warned",
  failed: "failed",
  wrong: "failed",
  overran: "failed",
  unfinished: "unfinished",
  incomplete: "incomplete",
  running: "running",
  unknown: "unknown",
} as const satisfies Readonly<Record<RunResult, RunResult>>;

export const Shape = ({ health }: { health: Health }) => DRAWN[health];

/** The shapes as HTML. They are made once at the start, because each row of a list has one. */
const DRAWN = Object.fromEntries(
  Object.entries(WORDS).map(([health, word]) => [
    health,
    raw(
      String(
        <svg class={`shape is-${health}`} role="img">
          <title>{word}</title>
          <use href={`#shape-${health}`} />
        </svg>,
      ),
    ),
  ]),
) as Readonly<Record<Health, ReturnType<typeof raw>>>;
