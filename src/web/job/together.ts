// Puts successes that follow one another into one event, so that a story shows what was not as always.

import type { Instant } from "../../domain/time.ts";
import type { StoryEntry } from "../../views/job-story.ts";

/** Of one day, and between two other events. */
export interface Successes {
  readonly count: number;
  /** The first of them; `at` is the last. */
  readonly since: Instant;
  /** Milliseconds; null: not known of all. */
  readonly least: number | null;
  readonly most: number | null;
}

export type ShownEvent = StoryEntry | ({ readonly kind: "successes"; readonly at: Instant } & Successes);

/** Fewer stand for themselves. */
const TOGETHER_FROM = 3;

/** `events`: of one day, newest first. */
export function together(events: readonly StoryEntry[]): ShownEvent[] {
  const shown: ShownEvent[] = [];
  let row: StoryEntry[] = [];
  const close = (): void => {
    if (row.length < TOGETHER_FROM) shown.push(...row);
    else shown.push(successesOf(row));
    row = [];
  };
  for (const event of events) {
    if (isPlain(event)) row.push(event);
    else {
      close();
      shown.push(event);
    }
  }
  close();
  return shown;
}

/** It says no more than that it went well. */
const isPlain = (event: StoryEntry): boolean =>
  event.kind === "report" &&
  (event.report.kind === "heartbeat" || event.report.kind === "complete") &&
  event.report.heardAt === null &&
  (event.report.message ?? "") === "" &&
  event.report.outcomes === null;

function successesOf(row: readonly StoryEntry[]): ShownEvent {
  const lengths = row.flatMap((event) => (event.kind === "report" ? [event.report.milliseconds] : []));
  const known = lengths.filter((length) => length !== null);
  const isKnown = known.length === row.length;
  return {
    kind: "successes",
    at: row[0]!.at,
    count: row.length,
    since: row.at(-1)!.at,
    least: isKnown ? Math.min(...known) : null,
    most: isKnown ? Math.max(...known) : null,
  };
}
