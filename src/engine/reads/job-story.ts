// The story of one monitor, newest first: its runs and reports, what was told of its incidents, what people did to it, and how
// its settings changed. Reads a bounded number of rows. Changes nothing.

import type { Instant } from "../../domain/time.ts";
import { WALKED } from "../../store/pings.ts";
import type { StoredRun } from "../../store/runs.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import type { Chapter } from "../operations/answers/incidents.ts";
import type { ShownMonitor } from "../operations/answers/shown-monitor.ts";
import type { ChangedValue } from "../setting-changes.ts";
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

/** Throws what SQLite throws. */
export function jobStoryOf(context: EngineContext, record: MonitorRecord, asked: StoryAsked): JobStory {
  const { part } = asked;
  const has = (...parts: StoryAsked["part"][]): boolean => part === "all" || parts.includes(part);
  const walked = has("runs", "reports") ? reportsOf(context, record, asked) : { events: [], isWhole: true };
  const events = [
    ...walked.events,
    ...(has("runs") ? unknownsOf(context, record, asked) : []),
    ...(has("incidents") ? toldOf(context, record, asked) : []),
    ...(has("changes") ? changesOf(context, record, asked) : []),
  ].sort((a, b) => b.at - a.at);
  const last = events[asked.limit - 1]?.at;
  // What happened at one instant stays together.
  const shown = last === undefined ? events : events.filter(({ at }) => at >= last);
  return {
    events: shown,
    older: shown.length < events.length && last !== undefined ? last : null,
    isWhole: walked.isWhole || shown.length < events.length,
  };
}

function reportsOf({ store }: EngineContext, { id, heads }: MonitorRecord, { part, before, find, limit }: StoryAsked) {
  const isAny = find === "" && part === "reports";
  const span = { since: 0, until: before - 1, walked: WALKED, limit: isAny ? limit + 1 : WALKED };
  const found = store.pings.between(id, heads.lastPingId, span);
  const runs = new Map<number, StoredRun | null>();
  const runOf = (row: number | null): StoredRun | null => {
    if (row === null) return null;
    if (!runs.has(row)) runs.set(row, store.runs.find(id, row));
    return runs.get(row) ?? null;
  };
  const outputs = newestOutputs(store, found);
  const wanted = find.toLowerCase();
  const events: JobEvent[] = [];
  for (const { id: ping, at: came, happenedAt, kind, runRow, attempt, durationSeconds, message, outcomes } of found) {
    const at = happenedAt ?? came;
    if (events.length > limit) break;
    if (part !== "reports" && kind === "log") continue;
    const run = runOf(runRow)?.run ?? null;
    // A run that has ended is told at its end.
    if (part !== "reports" && kind === "start" && run?.state === "ended") continue;
    const report: ToldReport = {
      heardAt: happenedAt === null ? null : came,
      kind,
      runId: run?.runId ?? null,
      runNumber: run?.number ?? null,
      attempt,
      message,
      output: outputs.get(ping) ?? null,
      outcomes: outcomes === null ? null : JSON.parse(outcomes),
      milliseconds: run?.startedAt != null && run.endedAt === at ? at - run.startedAt : secondsIn(durationSeconds),
      state: run?.state ?? null,
      isLikely: run?.legacy ?? false,
    };
    if (wanted === "" || saysOf(report).includes(wanted)) events.push({ kind: "report", at, report });
  }
  const isShort = found.length < span.limit && (found.at(-1)?.previousId ?? null) === null;
  return { events, isWhole: isShort || events.length > limit };
}

const secondsIn = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000);

const saysOf = ({ kind, message, runId, outcomes }: ToldReport): string =>
  [kind, message ?? "", runId ?? "", outcomes === null ? "" : JSON.stringify(outcomes)].join(" ").toLowerCase();

const UNKNOWNS_READ = 50;

const unknownsOf = ({ store }: EngineContext, { id }: MonitorRecord, { before }: StoryAsked): JobEvent[] =>
  store.unknowns
    .last(id, UNKNOWNS_READ)
    .filter(({ at }) => at < before)
    .map((unknown) => ({ kind: "unknown", at: unknown.at, unknown }));

/** Each has a message at least. */
function toldOf(context: EngineContext, { id }: MonitorRecord, { before, limit }: StoryAsked): JobEvent[] {
  const incidentIds = context.store.incidents.ofMonitor(id, { before, limit: limit + 1 });
  return [...chaptersOf(context, incidentIds)].flatMap(([incidentId, chapters]) =>
    chapters
      .filter(({ at }) => at < before)
      .map((chapter): JobEvent => ({ kind: "told", at: chapter.at, incidentId, chapter })),
  );
}

/** What is told by an incident's messages already. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["incident ack", "incident resolve"]);

function changesOf({ store }: EngineContext, record: MonitorRecord, { part, before, limit }: StoryAsked): JobEvent[] {
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
