// The timeline of one monitor in a span, from which everything that shows a job's past is drawn. Pure.

import { TRANSIT } from "../domain/limits.ts";
import type { Gap } from "../domain/monitor/monitor.ts";
import type { Span } from "../domain/monitor/window.ts";
import { intervalOf } from "../domain/schedule/rhythm.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { IncidentInSpan, UnendedRun, UnknownInSpan, WalkedReport } from "../store/spans.ts";
import type { MaintenanceSpan } from "./maintenances.ts";
import { isSuccess, type RunResult } from "./results.ts";
import { type FillingReport, intervalSlots, type JudgedSlot, judgeSlots } from "./slot-results.ts";
import type { ReportInSpan, WalkedReports } from "./walk-reports.ts";

export interface TimelineRun {
  /** When the run began; `null` when it is not known, or the report is not the end of a run. */
  readonly from: Instant | null;
  /** When the run ended, its deadline if it did not end, or now while it is in progress. */
  readonly to: Instant;
  readonly result: RunResult;
}

/** One entry: a slot with the run that filled it, or a run without a slot. */
export interface TimelineEntry {
  /** The slot; for a run without a slot, when it began, if that is known. */
  readonly at: Instant;
  /** For a slot that a run filled, the run's result. */
  readonly result: JudgedSlot["result"] | RunResult;
  /** The slot as it was judged; `null` for a run without a slot. */
  readonly slot: Pick<JudgedSlot, "reportAt" | "heardAt"> | null;
  /** The run that filled the slot; `null` when none did, or the run was not read. */
  readonly run: TimelineRun | null;
}

export interface Timeline {
  /**
   * The entries in ascending order. When only some slots are judged, a run without a slot is left out unless it went
   * wrong.
   */
  readonly entries: readonly TimelineEntry[];
  /** All runs, sorted by their ends. */
  readonly runs: readonly TimelineRun[];
  /** How many slots of its schedule the span has, from `scheduledSince` on. */
  readonly slotCount: number;
  /** True when there were too many slots, so that only some of them are judged. */
  readonly isThinned: boolean;
  /**
   * When its settings changed, before which it is not known what was due; the span's begin when they did not change in
   * it.
   */
  readonly scheduledSince: Instant;
  /** Reports from before this instant were too many to read; the span's begin when all were read. */
  readonly readSince: Instant;
  /** When it was, is or will be in maintenance, in ascending order. */
  readonly maintenance: readonly MaintenanceSpan[];
}

/** What was read about a monitor. */
export interface TimelineFacts {
  readonly outline: MonitorOutline;
  readonly walked: WalkedReports;
  readonly openRuns: readonly UnendedRun[];
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
  /** The times in which rollcall could not hear. */
  readonly gaps: readonly Gap[];
  /** In ascending order. */
  readonly maintenance: readonly MaintenanceSpan[];
}

/** The slots of a schedule in the span that are to be judged, and how many slots there are. */
export type SlotsOf = (
  schedule: string,
  timezone: string,
  since: Instant,
) => { readonly slots: readonly Instant[]; readonly count: number };

/** How many slots are judged: more than a job that runs every minute has in eight days and an hour. */
export const SLOTS_MAX = 12_000;

/**
 * For a schedule, what became of its slots from `scheduledSince` on. For an interval (R44), the slots that were missed
 * or stayed unknown, because the others follow from its reports. Without either, only the runs.
 */
export function timelineOf(
  { outline, walked, openRuns, ...facts }: TimelineFacts,
  slotsOf: SlotsOf,
  { from, to }: Span,
  now: Instant,
): Timeline {
  const { schedule, timezone, graceSeconds, createdAt, updatedAt } = outline;
  const scheduledSince = Math.max(from, createdAt, updatedAt);
  const { reports, readSince, readTo } = walked;
  const found = [
    ...reports.flatMap((report, place) => readRun(report, reports, place, readTo, outline.maxRuntimeSeconds !== null)),
    ...openRuns.map((run) => openRun(run, now)),
  ]
    .filter(({ run }) => run.to >= from)
    .sort((a, b) => a.run.to - b.run.to);
  const runs = found.map(({ run }) => run);
  const delay = graceSeconds * SECOND + TRANSIT;
  const maintenance = facts.maintenance.filter((one) => one.from <= to);
  const told = { runs: runs.filter((run) => (run.from ?? run.to) <= to), scheduledSince, readSince, maintenance };
  /** Of the reports after the span, only those are used that fill its last slots. */
  const inSpan = (entries: TimelineEntry[]) => entries.filter(({ at, slot }) => slot !== null || at <= to);
  if (schedule === null) {
    const interval = intervalOf(outline);
    const span = { from: scheduledSince, to };
    const judged = interval === null ? [] : intervalSlots({ ...facts, interval, delay }, span, now, SLOTS_MAX);
    return {
      ...told,
      entries: inSpan(timelineEntries(judged, runs, false)),
      slotCount: judged.length,
      isThinned: false,
    };
  }
  const { slots, count } = slotsOf(schedule, timezone, scheduledSince);
  const judged = judgeSlots(
    slots,
    {
      ...facts,
      ...outline,
      schedule,
      readSince,
      reports: reports.flatMap((report) => fillingOf(report)),
      // A run that was open for less than a slot's closing delay is left out: each slot that closed during it was
      // filled by its start.
      runs: found.flatMap(({ open }) => (open === null || open.to - open.from < delay ? [] : [open])),
    },
    now,
  );
  const isThinned = count > slots.length;
  return { ...told, entries: inSpan(timelineEntries(judged, runs, isThinned)), slotCount: count, isThinned };
}

/** The slots, each with the run that filled it, and the runs that filled none. */
export function timelineEntries(
  slots: readonly JudgedSlot[],
  runs: readonly TimelineRun[],
  isThinned: boolean,
): TimelineEntry[] {
  const byReport = new Map<Instant, TimelineRun>();
  for (const run of runs) for (const at of [run.to, run.from]) if (at !== null) byReport.set(at, run);
  const used = new Set<TimelineRun>();
  const entries = slots.map(({ slot, result, reportAt, heardAt }): TimelineEntry => {
    const run = reportAt === null ? null : (byReport.get(reportAt) ?? null);
    const shown = result === "succeeded" && run !== null ? run.result : result;
    // Beside a missed slot only a run that went well is shown.
    if (run !== null && (run.result === shown || isSuccess(run.result))) used.add(run);
    return { at: slot, result: shown, slot: { reportAt, heardAt }, run };
  });
  for (const run of runs) {
    if (used.has(run) || (isThinned && run.result === "succeeded")) continue;
    entries.push({ at: run.from ?? run.to, result: run.result, slot: null, run });
  }
  return entries.sort((a, b) => a.at - b.at);
}

/**
 * How late the reports came that filled its last slots or came after them, and how long its last successes took; in
 * milliseconds, at most `count` of each.
 */
export const lastLengths = ({ entries, runs }: Timeline, count: number) => ({
  late: entries
    .flatMap(({ at, slot }) => (slot?.reportAt == null ? [] : [Math.max(0, slot.reportAt - at)]))
    .slice(-count),
  took: runs.flatMap(({ from, to, result }) => (from === null || !isSuccess(result) ? [] : [to - from])).slice(-count),
});

export type LastLengths = ReturnType<typeof lastLengths>;

/** Whether the result ends the failures before it (R23), whatever the verdict on its own run. */
const recovers = (result: RunResult | null): boolean => isSuccess(result) || result === "overran";

type ReportOfRun = Pick<
  WalkedReport,
  "kind" | "at" | "state" | "startedAt" | "endedAt" | "durationSeconds" | "verdict"
> &
  Partial<Pick<WalkedReport, "deadline">>;

/** What a report says about its run; `null` when it says nothing, or the end of its run does. */
export function resultOfReport({
  kind,
  state,
  verdict,
}: Pick<ReportOfRun, "kind" | "state" | "verdict">): RunResult | null {
  switch (kind) {
    case "log":
      return null;
    case "start":
      if (state === null || state === "ended") return null;
      return state === "open" ? "running" : state;
    case "fail":
      return "failed";
    case "heartbeat":
    case "complete":
      return verdict ?? "succeeded";
    default:
      return kind satisfies never;
  }
}

/** The run of which a report is the end, or the start if it has no end; `null` when it is neither. */
export function runOf(report: ReportOfRun): TimelineRun | null {
  const { kind, at, startedAt, endedAt, durationSeconds, deadline = null } = report;
  const result = resultOfReport(report);
  if (result === null) return null;
  if (kind === "start") return { from: at, to: deadline ?? at, result };
  // A run_id that is used again belongs to another run, so its start is compared too.
  const isEnd = startedAt !== null && startedAt <= at && endedAt === at;
  const from = isEnd ? startedAt : durationSeconds === null ? null : at - durationSeconds * SECOND;
  return { from, to: at, result };
}

interface ReadRun {
  readonly run: TimelineRun;
  /**
   * When the run was in progress; no slot that closed then was missed (R21). `null` when it was never known to be in
   * progress.
   */
  readonly open: Span | null;
}

/** The run of the report at this place. Open runs, also those from before the span, are found separately. */
function readRun(
  report: ReportInSpan,
  reports: readonly ReportInSpan[],
  place: number,
  until: Instant,
  isLimited: boolean,
): ReadRun[] {
  const { kind, at, state, startedAt, endedAt, endedBy, deadline, runVerdict } = report;
  if (kind === "start" && state === "open") return [];
  // Whether the end of the run is after the span, so that it is not among the reports.
  const endsAfter = kind === "start" && state === "ended" && startedAt === at && endedAt !== null && endedAt > until;
  const run = endsAfter
    ? ({ from: at, to: endedAt, result: endedBy === "fail" ? "failed" : (runVerdict ?? "succeeded") } as const)
    : runOf(report);
  if (run === null) return [];
  const began = startedAt === null || run.from !== startedAt ? null : startedAt;
  // A run is waited for until a later one succeeds (R21), even if its end comes after that.
  const isEnded = run.result !== "incomplete";
  const next = reports.find((one, other) =>
    isEnded ? outlives(one, began, isLimited) && one.at < run.to : other > place && recovers(resultOfReport(one)),
  );
  const waited = Math.min(run.to, next?.at ?? run.to);
  const to = isEnded ? run.to : waited;
  return [{ run: { ...run, to }, open: began === null ? null : { from: began, to: Math.min(waited, deadline ?? to) } }];
}

/** Whether the report is the success of a run that began later. A run with `maxRuntime` is waited for all the same. */
function outlives(report: ReportInSpan, began: Instant | null, isLimited: boolean): boolean {
  const { kind, at, startedAt, endedAt } = report;
  if (began === null || isLimited || !recovers(resultOfReport(report))) return false;
  const beganAt = startedAt !== null && endedAt === at ? startedAt : kind === "heartbeat" ? at : null;
  return beganAt !== null && beganAt > began;
}

function openRun({ startedAt, deadline }: UnendedRun, now: Instant): ReadRun {
  const to = Math.max(startedAt ?? now, Math.min(now, deadline ?? now));
  return {
    run: { from: startedAt, to, result: "running" },
    open: startedAt === null ? null : { from: startedAt, to },
  };
}

/** The report as one that fills slots. `at` is when its event happened. */
const fillingOf = ({ kind, at, heardAt, startedAt }: ReportInSpan): FillingReport[] =>
  kind === "log" ? [] : [{ at, heardAt, mayBeEarly: kind === "start" || startedAt === null }];
