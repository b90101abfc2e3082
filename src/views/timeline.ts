// Makes the timeline of one monitor: what became of each slot and run in a span. The day, a job's calendar, `rollcall
// why` and `monitor history` are made from timelines. Pure.

import { TRANSIT } from "../domain/limits.ts";
import type { Gap } from "../domain/monitor/monitor.ts";
import type { Span } from "../domain/monitor/window.ts";
import { intervalOfRhythm } from "../domain/schedule/rhythm.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { isSuccessResult, type RunResult } from "../domain/wording/results.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { IncidentInSpan, UnendedRun, UnknownInSpan, WalkedReport } from "../store/spans.ts";
import type { MaintenanceSpan } from "./maintenances.ts";
import type { PausedSpan } from "./past-pauses.ts";
import { type FillingReport, intervalSlotResults, type JudgedSlot, slotResults } from "./slot-results.ts";
import type { ReportInSpan, WalkedReports } from "./walk-reports.ts";

export interface TimelineRun {
  /** When the run began; `null` when that is not known, for example of a heartbeat without a start. */
  readonly from: Instant | null;
  /**
   * When the run ended. For a run without an end: its deadline, or when a later run succeeded. For a run in progress:
   * now.
   */
  readonly to: Instant;
  readonly result: RunResult;
}

/** One entry: a slot with the run that filled it, or a run without a slot. */
export interface TimelineEntry {
  /** The slot's time. For a run without a slot, when the run began; if that is not known, when it ended. */
  readonly at: Instant;
  /** What became of the slot or run. For a slot that a run filled, this is the run's result. */
  readonly result: JudgedSlot["result"] | RunResult;
  /** When the report came that filled the slot, or that came after its miss; `null` for a run without a slot. */
  readonly slot: Pick<JudgedSlot, "reportAt" | "heardAt"> | null;
  /**
   * For a slot, the run of the report that filled it or, after a miss, of the report that came then. For an entry
   * without a slot, the entry's own run. `null` when there is no run, or when its reports were not read.
   */
  readonly run: TimelineRun | null;
}

export interface Timeline {
  /**
   * The entries in ascending order. When only some slots are judged (`isThinned`), successful runs that filled none of
   * these slots are left out.
   */
  readonly entries: readonly TimelineEntry[];
  /** All runs, including those that filled a slot, sorted by when they ended (`to`). */
  readonly runs: readonly TimelineRun[];
  /**
   * How many slots of the schedule lie in the span from `scheduledSince` on, whether judged or not. For an interval
   * (R44), how many slots were judged.
   */
  readonly slotCount: number;
  /** True when there were too many slots, so that only some of them are judged. */
  readonly isThinned: boolean;
  /**
   * When the monitor's settings last changed, or the span's begin if that is later. What was due before this instant is
   * not known, because earlier settings are not stored.
   */
  readonly scheduledSince: Instant;
  /**
   * Reports were read from this instant on. It is the span's begin, or a later instant when there were too many
   * reports.
   */
  readonly readSince: Instant;
  /** The maintenance that touches the span, past, present and planned, in ascending order. */
  readonly maintenance: readonly MaintenanceSpan[];
  /** The pauses that touch the span, whatever caused them, in ascending order. */
  readonly paused: readonly PausedSpan[];
}

/** What was read about one monitor, from which its timeline is made. */
export interface TimelineFacts {
  readonly outline: MonitorOutline;
  readonly walked: WalkedReports;
  readonly openRuns: readonly UnendedRun[];
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
  readonly gaps: readonly Gap[];
  /** The monitor's maintenance, in ascending order. */
  readonly maintenance: readonly MaintenanceSpan[];
  /** The monitor's pauses, in ascending order. */
  readonly paused: readonly PausedSpan[];
}

/**
 * Returns the slots of a schedule from `since` to the end of the span. `count` is the number of all. `slots` are those
 * that the timeline shows: all of them, or evenly spaced ones where there are too many.
 */
export type SlotsOf = (
  schedule: string,
  timezone: string,
  since: Instant,
) => { readonly slots: readonly Instant[]; readonly count: number };

/** At most this many slots of a monitor are judged. A job that runs every minute has fewer in 8 days and an hour. */
export const SLOTS_MAX = 12_000;

/**
 * Makes the timeline of a monitor. With a schedule, it has the slots from `scheduledSince` on. With an interval (R44),
 * it has only missed and unknown slots, because each report moves the next slot. The timeline of a monitor with neither
 * has only runs.
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
  const told = {
    runs: runs.filter((run) => (run.from ?? run.to) <= to),
    scheduledSince,
    readSince,
    maintenance,
    paused: facts.paused,
  };
  /**
   * Leaves out runs without a slot that began after the span. Reports from after the span are read only because they
   * may fill its last slots.
   */
  const inSpan = (entries: TimelineEntry[]) => entries.filter(({ at, slot }) => slot !== null || at <= to);
  if (schedule === null) {
    const interval = intervalOfRhythm(outline);
    const span = { from: scheduledSince, to };
    const judged = interval === null ? [] : intervalSlotResults({ ...facts, interval, delay }, span, now, SLOTS_MAX);
    return {
      ...told,
      entries: inSpan(timelineEntries(judged, runs, false)),
      slotCount: judged.length,
      isThinned: false,
    };
  }
  const { slots, count } = slotsOf(schedule, timezone, scheduledSince);
  const judged = slotResults(
    slots,
    {
      ...facts,
      ...outline,
      schedule,
      readSince,
      reports: reports.flatMap((report) => fillingOf(report)),
      // `runs` are needed for slots that closed while a run was open. A slot closes `delay` after its time. So if a run
      // was shorter than `delay`, a slot that closed during the run was due before the run began. The start of the run
      // filled that slot already, so the run is left out.
      runs: found.flatMap(({ open }) => (open === null || open.to - open.from < delay ? [] : [open])),
    },
    now,
  );
  const isThinned = count > slots.length;
  return { ...told, entries: inSpan(timelineEntries(judged, runs, isThinned)), slotCount: count, isThinned };
}

/** Makes the entries: each slot with the run that filled it, and the runs that filled none. */
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
    // The run of a slot gets no entry of its own when it succeeded, or when the slot shows its result. So a failed run
    // after a missed slot has its own entry, where the failure is seen.
    if (run !== null && (run.result === shown || isSuccessResult(run.result))) used.add(run);
    return { at: slot, result: shown, slot: { reportAt, heardAt }, run };
  });
  for (const run of runs) {
    if (used.has(run) || (isThinned && run.result === "succeeded")) continue;
    entries.push({ at: run.from ?? run.to, result: run.result, slot: null, run });
  }
  return entries.sort((a, b) => a.at - b.at);
}

/**
 * `late`: how long after their slots the last reports came; 0 for a report that came before its slot. `took`: how long
 * the last successful runs took. Both in milliseconds, at most `count` of each.
 */
export const lastLengths = ({ entries, runs }: Timeline, count: number) => ({
  late: entries
    .flatMap(({ at, slot }) => (slot?.reportAt == null ? [] : [Math.max(0, slot.reportAt - at)]))
    .slice(-count),
  took: runs
    .flatMap(({ from, to, result }) => (from === null || !isSuccessResult(result) ? [] : [to - from]))
    .slice(-count),
});

export type LastLengths = ReturnType<typeof lastLengths>;

/**
 * Whether a run with this result ends the trouble before it (R23). A run that `overran` does: it succeeded, although
 * too late.
 */
const recovers = (result: RunResult | null): boolean => isSuccessResult(result) || result === "overran";

type ReportOfRun = Pick<
  WalkedReport,
  "kind" | "at" | "state" | "startedAt" | "endedAt" | "durationSeconds" | "verdict"
> &
  Partial<Pick<WalkedReport, "deadline">>;

/**
 * What became of the report's run, as far as this report tells it. `null` for a log, for a start of an unknown run, and
 * for a start whose run has ended, because the report of the end tells it.
 */
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

/** The run that this report ended, or that it started if no end has come; `null` for all other reports. */
export function runOf(report: ReportOfRun): TimelineRun | null {
  const { kind, at, startedAt, endedAt, durationSeconds, deadline = null } = report;
  const result = resultOfReport(report);
  if (result === null) return null;
  if (kind === "start") return { from: at, to: deadline ?? at, result };
  // When a later start had the same `run_id`, the stored times may belong to another attempt. So the report ended the
  // run only if both times fit.
  const isEnd = startedAt !== null && startedAt <= at && endedAt === at;
  const from = isEnd ? startedAt : durationSeconds === null ? null : at - durationSeconds * SECOND;
  return { from, to: at, result };
}

interface ReadRun {
  readonly run: TimelineRun;
  /**
   * The time in which the run was in progress; no slot that closed in it was missed (R21). `null` when the run's start
   * is not known.
   */
  readonly open: Span | null;
}

/**
 * The run that `report` (which is `reports[place]`) ended or started, in a list; empty when there is none. `openRun`
 * makes the runs that have not ended.
 */
function readRun(
  report: ReportInSpan,
  reports: readonly ReportInSpan[],
  place: number,
  until: Instant,
  isLimited: boolean,
): ReadRun[] {
  const { kind, at, state, startedAt, endedAt, endedBy, deadline, runVerdict } = report;
  if (kind === "start" && state === "open") return [];
  // True when the run ended after `until`, the end of what was read, so that the report of its end was not read.
  const endsAfter = kind === "start" && state === "ended" && startedAt === at && endedAt !== null && endedAt > until;
  const run = endsAfter
    ? ({ from: at, to: endedAt, result: endedBy === "fail" ? "failed" : (runVerdict ?? "succeeded") } as const)
    : runOf(report);
  if (run === null) return [];
  const began = startedAt === null || run.from !== startedAt ? null : startedAt;
  // Rollcall stops waiting for a run's end when a run that began later succeeds (R21), even if the end comes later.
  const isEnded = run.result !== "incomplete";
  const next = reports.find((one, other) =>
    isEnded ? isLaterSuccess(one, began, isLimited) && one.at < run.to : other > place && recovers(resultOfReport(one)),
  );
  const waited = Math.min(run.to, next?.at ?? run.to);
  const to = isEnded ? run.to : waited;
  return [{ run: { ...run, to }, open: began === null ? null : { from: began, to: Math.min(waited, deadline ?? to) } }];
}

/**
 * Whether the report is the success of a run that began after `began`. Always false with `maxRuntime`: such a run is
 * waited for until its deadline.
 */
function isLaterSuccess(report: ReportInSpan, began: Instant | null, isLimited: boolean): boolean {
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

/** The report as `slotResults` takes it; empty for a log, which fills no slot. `at` is when the event happened. */
const fillingOf = ({ kind, at, heardAt, startedAt }: ReportInSpan): FillingReport[] =>
  kind === "log" ? [] : [{ at, heardAt, mayBeEarly: kind === "start" || startedAt === null }];
