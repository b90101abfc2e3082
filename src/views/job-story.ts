// The story of one monitor, newest first: its runs and reports, what was told of its incidents, what people did to it, and how
// its settings changed. Reads a bounded number of rows. Changes nothing.

import { type InPieces, piecesOf } from "../domain/in-pieces.ts";
import type { Instant } from "../domain/time.ts";
import { type StoredPing, WALKED } from "../store/pings.ts";
import type { StoredRun } from "../store/runs.ts";
import type { ChangedValue } from "../store/setting-changes.ts";
import type { Chapter } from "./answers/incidents.ts";
import type { ShownMonitor } from "./answers/shown-monitor.ts";
import type { ViewSource } from "./context.ts";
import type { MonitorRecord } from "./monitor-records.ts";
import { chaptersOf, newestOutputs } from "./stories.ts";

export const STORY_PARTS = ["all", "runs", "incidents", "changes", "reports"] as const;

export interface StoryAsked {
  readonly part: (typeof STORY_PARTS)[number];
  /** Only what is older. */
  readonly before: Instant;
  /** Part of a report's message, run or outcomes; empty: any. Only reports are searched. */
  readonly find: string;
  readonly limit: number;
}

type StoryPing = ShownMonitor["pings"][number];

/** A report, with what is known of its run. */
export interface ToldReport
  extends Pick<StoryPing, "heardAt" | "kind" | "runId" | "runNumber" | "attempt" | "message" | "outcomes"> {
  /** What the job wrote last (R46); null: nothing is kept, or only newer reports have it here. */
  readonly output: string | null;
  /** Null: it is not known. */
  readonly milliseconds: number | null;
  /** Of its run; null: it has none. */
  readonly state: StoredRun["run"]["state"] | null;
  /** Its run was found without an id: it is likely the right one. */
  readonly isLikely: boolean;
}

export type JobEvent = { readonly at: Instant } & (
  | { readonly kind: "report"; readonly report: ToldReport }
  | { readonly kind: "told"; readonly incidentId: number; readonly chapter: Chapter }
  | { readonly kind: "unknown"; readonly unknown: ShownMonitor["unknowns"][number] }
  | { readonly kind: "deed"; readonly deed: StoryAction }
  | { readonly kind: "changed"; readonly change: SettingsChanged }
);

export interface StoryAction {
  /** The name of an operation. */
  readonly action: string;
  readonly by: "person" | "system";
  /** Null: not known. */
  readonly name: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface SettingsChanged {
  readonly by: "job" | "registry" | "configuration";
  readonly source: string | null;
  readonly values: readonly ChangedValue[];
}

export interface JobStory {
  /** Newest first. */
  readonly events: readonly JobEvent[];
  /** Where older ones begin (`before`); null: there are none, or they are not looked up. */
  readonly older: Instant | null;
  /** False: older reports were too many to look through. */
  readonly isWhole: boolean;
}

/** A piece throws what SQLite throws. */
export function* jobStoryOf(context: ViewSource, record: MonitorRecord, asked: StoryAsked): InPieces<JobStory> {
  const { part } = asked;
  const has = (...parts: StoryAsked["part"][]): boolean => part === "all" || parts.includes(part);
  const walked = has("runs", "reports") ? yield* reportsOf(context, record, asked) : { events: [], isWhole: true };
  const unknowns = has("runs") ? unknownsOf(context, record, asked) : [];
  yield;
  const told = has("incidents") ? yield* toldOf(context, record, asked) : [];
  const changes = has("changes") ? changesOf(context, record, asked) : [];
  yield;
  const events = [...walked.events, ...unknowns, ...told, ...changes].sort((a, b) => b.at - a.at);
  const last = events[asked.limit - 1]?.at;
  // What happened at one instant stays together.
  const shown = last === undefined ? events : events.filter(({ at }) => at >= last);
  return {
    events: shown,
    older: shown.length < events.length && last !== undefined ? last : null,
    isWhole: walked.isWhole || shown.length < events.length,
  };
}

/** Reports that are read and told in one piece. */
const REPORTS_AT_ONCE = 200;

interface ReportEvents {
  readonly events: readonly JobEvent[];
  /** See `JobStory`. */
  readonly isWhole: boolean;
}

function* reportsOf(
  { store }: ViewSource,
  { id, heads }: MonitorRecord,
  { part, before, find, limit }: StoryAsked,
): InPieces<ReportEvents> {
  const runs = new Map<number, StoredRun | null>();
  const runOf = (row: number | null): StoredRun | null => {
    if (row === null) return null;
    if (!runs.has(row)) runs.set(row, store.runs.find(id, row));
    return runs.get(row) ?? null;
  };
  const outputOf = newestOutputs(store);
  const wanted = find.toLowerCase();
  const events: JobEvent[] = [];

  function tell({ id: row, at: came, happenedAt, kind, runRow, attempt, durationSeconds, ...said }: StoredPing): void {
    const output = kind === "fail" ? outputOf(row) : null;
    if (part !== "reports" && kind === "log") return;
    const at = happenedAt ?? came;
    const run = runOf(runRow)?.run ?? null;
    // A run that has ended is told at its end.
    if (part !== "reports" && kind === "start" && run?.state === "ended") return;
    const report: ToldReport = {
      heardAt: happenedAt === null ? null : came,
      kind,
      runId: run?.runId ?? null,
      runNumber: run?.number ?? null,
      attempt,
      message: said.message,
      output,
      outcomes: said.outcomes === null ? null : JSON.parse(said.outcomes),
      milliseconds: run?.startedAt != null && run.endedAt === at ? at - run.startedAt : secondsIn(durationSeconds),
      state: run?.state ?? null,
      isLikely: run?.legacy ?? false,
    };
    if (wanted === "" || saysOf(report).includes(wanted)) events.push({ kind: "report", at, report });
  }

  const piece = { since: 0, until: Number.MAX_SAFE_INTEGER, walked: REPORTS_AT_ONCE, limit: REPORTS_AT_ONCE };
  let next = heads.lastPingId;
  for (let walked = 0; next !== null && walked < WALKED; walked += REPORTS_AT_ONCE) {
    if (walked > 0) yield;
    const found = store.pings.between(id, next, piece);
    for (const ping of found) {
      if (ping.at < before) tell(ping);
      if (events.length > limit) return { events, isWhole: true };
    }
    const last = found.at(-1);
    // The chain leads to a report that was deleted.
    if (last === undefined || (found.length < REPORTS_AT_ONCE && last.previousId !== null)) break;
    next = last.previousId;
  }
  return { events, isWhole: next === null };
}

const secondsIn = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000);

const saysOf = ({ kind, message, runId, outcomes }: ToldReport): string =>
  [kind, message ?? "", runId ?? "", outcomes === null ? "" : JSON.stringify(outcomes)].join(" ").toLowerCase();

const UNKNOWNS_READ = 50;

const unknownsOf = ({ store }: ViewSource, { id }: MonitorRecord, { before }: StoryAsked): JobEvent[] =>
  store.unknowns
    .last(id, UNKNOWNS_READ)
    .filter(({ at }) => at < before)
    .map((unknown) => ({ kind: "unknown", at: unknown.at, unknown }));

/** Incidents that are told in one piece. */
const TOLD_AT_ONCE = 20;

/** Each has a message at least. */
function* toldOf(context: ViewSource, { id }: MonitorRecord, { before, limit }: StoryAsked): InPieces<JobEvent[]> {
  const events: JobEvent[] = [];
  for (const piece of piecesOf(context.store.incidents.ofMonitor(id, { before, limit: limit + 1 }), TOLD_AT_ONCE)) {
    for (const [incidentId, chapters] of chaptersOf(context, piece))
      for (const chapter of chapters)
        if (chapter.at < before) events.push({ kind: "told", at: chapter.at, incidentId, chapter });
    yield;
  }
  return events;
}

/** What is told by an incident's messages already. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["incident ack", "incident resolve"]);

function changesOf({ store }: ViewSource, record: MonitorRecord, { part, before, limit }: StoryAsked): JobEvent[] {
  const { id, application, key, monitor } = record;
  const span = { since: monitor.createdAt, before };
  const deeds = store.audit.ofMonitor({ application, key }, span, limit + 1).flatMap((row): JobEvent[] => {
    const { at, action, personId, name, details } = row;
    if (part === "all" && TOLD_ELSEWHERE.has(action)) return [];
    const deed = { action, by: personId === null ? "system" : "person", name, details: JSON.parse(details) } as const;
    return [{ kind: "deed", at, deed }];
  });
  const changes = store.settingChanges.of(id, before, limit + 1).map(
    ({ at, by, source, changes }): JobEvent => ({
      kind: "changed",
      at,
      change: { by, source, values: JSON.parse(changes) },
    }),
  );
  return [...deeds, ...changes];
}
