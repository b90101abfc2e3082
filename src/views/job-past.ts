// Reads all that the page of a job shows of the past: the last runs, a calendar, the last incidents, and the story.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { lastMidnights } from "../domain/schedule/midnights.ts";
import { countSlots } from "../domain/schedule/slots.ts";
import { offsetPeriodAt } from "../domain/schedule/zone.ts";
import { DAY, type Instant } from "../domain/time.ts";
import type { WordedPart } from "../domain/wording/now.ts";
import type { UnendedRun } from "../store/spans.ts";
import { unnotifiedOf } from "./attention.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import { incidentSummaryOf } from "./incident-summaries.ts";
import { type JobStory, jobStoryOf, type StoryAsked } from "./job-story.ts";
import { newestRun } from "./jobs-now.ts";
import { notifiedOf } from "./notified.ts";
import { INCIDENTS_OF_DAYS, type PastDay, pastDays } from "./past-days.ts";
import { pausedSpansOf } from "./past-pauses.ts";
import { type RecentRun, recentRuns } from "./recent-runs.ts";
import type { IncidentSummary, Notified } from "./schemas/incident-schemas.ts";
import { timelinesOf } from "./timelines.ts";
import type { ViewSource } from "./view-source.ts";

export interface JobPast {
  /** The job's last runs, the oldest first. */
  readonly runs: readonly RecentRun[];
  /** The job's run in progress; `null` when there is none. */
  readonly run: Pick<UnendedRun, "startedAt" | "deadline"> | null;
  /** The messages about the job's open incident, the oldest first; empty without an open incident. */
  readonly notified: readonly Notified[];
  /** Why no message about the open incident has arrived; empty when one has or is on its way, or none is open. */
  readonly unnotified: readonly WordedPart[];
  /** The days of the last 13 weeks, from a Monday until today, in the zone of the job's schedule. */
  readonly days: readonly PastDay[];
  /** The job's last incidents, the newest first. */
  readonly incidents: readonly IncidentSummary[];
  readonly moreIncidents: boolean;
  readonly story: JobStory;
}

/** How many runs a chart has room for. */
const RUNS_DRAWN = 100;
const WEEKS = 13;
/**
 * For at most this many of the newest slots the page looks up what became of them, which takes some milliseconds. An
 * hourly job has fewer in the 13 weeks that the page shows.
 */
const SLOTS_JUDGED = 2_300;
const INCIDENTS_SHOWN = 5;

export function* jobPast(
  context: ViewSource,
  name: MonitorName,
  asked: StoryAsked,
  now: Instant,
): InPieces<JobPast | Refusal> {
  const { store } = context;
  const record = findMonitor(context, name);
  if (isRefusal(record)) return record;
  const ids = store.incidents.ofMonitor(record.id, { before: Number.MAX_SAFE_INTEGER, limit: INCIDENTS_SHOWN + 1 });
  const incidents = store.incidents.list(ids.slice(0, INCIDENTS_SHOWN)).map((each) => incidentSummaryOf(context, each));
  const { days, missed } = yield* daysOf(context, record.id, now);
  yield;
  const story = yield* jobStoryOf(context, record, asked, missed, now);
  yield;
  const { id, heads } = record;
  const runs = recentRuns(store, [{ id, lastPingId: heads.lastPingId }], RUNS_DRAWN).get(id) ?? [];
  const run = newestRun(store.spans.openRuns([id], now + 1));
  yield;
  const open = heads.openIncidentId;
  const notified = open === null ? [] : (notifiedOf(context, [open]).get(open) ?? []);
  const unnotified = open === null ? [] : (unnotifiedOf(context, [open], now).get(open) ?? []);
  return {
    runs,
    run,
    notified,
    unnotified,
    days,
    incidents,
    moreIncidents: ids.length > INCIDENTS_SHOWN,
    story,
  };
}

/**
 * Returns the job's calendar in `days`, and its missed slots in `missed`. For a job with very many slots, `missed`
 * begins later than the calendar: it covers only as many slots as `SLOTS_JUDGED`.
 */
function* daysOf(context: ViewSource, id: number, now: Instant) {
  const { store } = context;
  const outline = store.monitorPages.outlines([id])[0]!;
  const { schedule, timezone } = outline;
  // The day of the week, where 0 is Monday: 1970-01-01 was a Thursday.
  const weekday = (Math.floor((now + offsetPeriodAt(timezone, now).offset) / DAY) + 3) % 7;
  const midnights = lastMidnights(timezone, now, (WEEKS - 1) * 7 + weekday + 1);
  const since = midnights[0]!;
  yield;
  const incidents = store.recent.past([id], since, INCIDENTS_OF_DAYS);
  const unknowns = store.recent.unknown([id], since);
  const paused = pausedSpansOf(outline, store.pausedSpans.of([id], since));
  yield;
  const isJudged = (from: Instant) =>
    schedule === null || countSlots(schedule, timezone, from - 1, now) <= SLOTS_JUDGED;
  const from = midnights.find(isJudged) ?? now;
  const { monitors } = yield* timelinesOf(context, [id], { from, to: now }, now);
  yield;
  const timeline = monitors.get(id) ?? null;
  return {
    days: pastDays(outline, { incidents, unknowns, paused, timeline }, midnights, now),
    missed: timeline?.entries.filter(({ result, slot }) => result === "missed" && slot !== null) ?? [],
  };
}
