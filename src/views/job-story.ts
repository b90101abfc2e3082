// The story of one monitor, the newest first: reports, missed slots, messages about its incidents, what people did, and
// how its settings changed. Reads a limited number of rows.

import { type InPieces, piecesOf } from "../domain/in-pieces.ts";
import type { Instant } from "../domain/time.ts";
import { isToldOf, pastActsOf } from "./acts.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { notifiedOf } from "./notified.ts";
import { OUTPUTS_SHOWN, type ReadReport, reportsForPeople } from "./reports.ts";
import type { Notified } from "./schemas/incident-schemas.ts";
import type { ShownMonitor } from "./schemas/shown-monitor-schemas.ts";
import {
  actedEntry,
  changedEntry,
  missedEntry,
  notifiedEntry,
  type PastAct,
  type PastEntry,
  reportEntry,
  unknownEntry,
  withoutRepeatedQuotes,
} from "./story.ts";
import type { TimelineEntry } from "./timeline.ts";
import type { ViewSource } from "./view-source.ts";

export const STORY_PARTS = ["all", "runs", "incidents", "changes", "reports"] as const;

export interface StoryAsked {
  readonly part: (typeof STORY_PARTS)[number];
  readonly before: Instant;
  /** A text that is searched in the kind, message, `run_id` and outcomes of reports; empty for no search. */
  readonly find: string;
  readonly limit: number;
  /** The zone of the times in messages; without it, the zone of the job. */
  readonly timezone?: string | null;
}

export interface JobStory {
  /** The entries of this page of the story, the newest first. */
  readonly entries: readonly PastEntry[];
  /**
   * The value of `StoryAsked.before` with which older entries are asked for; `null` when there are none, or it is not
   * known whether there are any.
   */
  readonly older: Instant | null;
  /** False when there were too many older reports to look through, so that some may be missing. */
  readonly isWhole: boolean;
}

/**
 * Reads the part of the job's story that `asked` names. `missed` has the missed slots of the timeline, which become
 * entries of the story.
 */
export function* jobStoryOf(
  context: ViewSource,
  record: MonitorRecord,
  asked: StoryAsked,
  missed: readonly TimelineEntry[],
  now: Instant,
): InPieces<JobStory> {
  const { part, before, find } = asked;
  const has = (...parts: StoryAsked["part"][]): boolean => part === "all" || parts.includes(part);
  const walked = has("runs", "reports") ? yield* reportsOf(context, record, asked) : { entries: [], isWhole: true };
  const unknowns = has("runs") ? unknownsOf(context, record, asked) : [];
  yield;
  const told = has("incidents") ? yield* notifiedIn(context, record, asked, now) : [];
  const messages = told.map(({ message }) => message);
  const changes = has("changes") ? changesOf(context, record, asked, messages) : [];
  yield;
  const slots = has("runs") && find === "" ? missed.filter(({ at }) => at < before).map(missedEntry) : [];
  const entries = [...walked.entries, ...slots, ...unknowns, ...told.map(({ entry }) => entry), ...changes].sort(
    (a, b) => b.at - a.at,
  );
  const last = entries[asked.limit - 1]?.at;
  // All entries of the last instant are shown, even beyond the limit, because the next page begins before that instant.
  const shown = last === undefined ? entries : entries.filter(({ at }) => at >= last);
  const newest = shown.find(({ output }) => output !== null);
  return {
    // Only the newest output is shown at once; older ones are shown on request.
    entries: withoutRepeatedQuotes(shown.map((entry) => ({ ...entry, isFolded: entry !== newest }))),
    older: shown.length < entries.length && last !== undefined ? last : null,
    isWhole: walked.isWhole || shown.length < entries.length,
  };
}

function* reportsOf(
  context: ViewSource,
  record: MonitorRecord,
  { part, before, find, limit }: StoryAsked,
): InPieces<Omit<JobStory, "older">> {
  const wanted = find.toLowerCase();
  const isTold = ({ shown, run }: ReadReport): boolean => {
    // Logs, and starts of runs that have ended, are shown only in the part `reports` of the story. The other parts show
    // a run once, at its end.
    const isBeside = shown.kind === "log" || (shown.kind === "start" && run?.state === "ended");
    return (part === "reports" || !isBeside) && (wanted === "" || saysOf(shown).includes(wanted));
  };
  const asked = { since: 0, before, limit, outputs: OUTPUTS_SHOWN, isTold };
  const { reports, isWhole } = yield* reportsForPeople(context, record, asked);
  const entries = reports.map(({ shown, run, output }) =>
    reportEntry({ ...shown, output, isLikely: run?.legacy ?? false }),
  );
  return { entries, isWhole: isWhole || reports.length > limit };
}

const saysOf = ({ kind, message, runId, outcomes }: ShownMonitor["pings"][number]): string =>
  [kind, message ?? "", runId ?? "", outcomes === null ? "" : JSON.stringify(outcomes)].join(" ").toLowerCase();

const UNKNOWNS_READ = 50;

const unknownsOf = ({ store }: ViewSource, { id }: MonitorRecord, { before }: StoryAsked): PastEntry[] =>
  store.unknowns
    .last(id, UNKNOWNS_READ)
    .filter(({ at }) => at < before)
    .map(unknownEntry);

const READ_AT_ONCE = 20;

type ToldEntry = Readonly<{ message: Notified; entry: PastEntry }>;

/**
 * The messages about the job's incidents before the instant `before`. Each incident has at least one message, so the
 * newest `limit + 1` incidents are enough.
 */
function* notifiedIn(
  context: ViewSource,
  { id }: MonitorRecord,
  { before, limit, timezone = null }: StoryAsked,
  now: Instant,
): InPieces<ToldEntry[]> {
  const entries: ToldEntry[] = [];
  for (const piece of piecesOf(context.store.incidents.ofMonitor(id, { before, limit: limit + 1 }), READ_AT_ONCE)) {
    for (const [incidentId, messages] of notifiedOf(context, piece, timezone))
      for (const message of messages)
        if (message.at < before) entries.push({ message, entry: notifiedEntry(message, incidentId, now) });
    yield;
  }
  return entries;
}

/**
 * The entries for changed settings and for what people did. An action is left out when a change of settings or one of
 * `messages` tells of it already.
 */
function changesOf(
  context: ViewSource,
  record: MonitorRecord,
  { before, limit }: StoryAsked,
  messages: readonly Notified[],
): PastEntry[] {
  const changes = context.store.settingChanges
    .of(record.id, before, limit + 1)
    .map(({ at, changes, ...changed }) => changedEntry(at, changed, JSON.parse(changes)));
  const span = { since: record.monitor.createdAt, before };
  const isSaid = (act: PastAct): boolean =>
    (act.action === "monitor set" && changes.some(({ at }) => at === act.at)) || isToldOf(act, messages);
  const acts = pastActsOf(context, record, span, limit + 1).filter((act) => !isSaid(act));
  return [...acts.map(actedEntry), ...changes];
}
