// What many monitors did in a span of time, and what was due in it: their runs, what became of each slot, and when we could
// not hear. Its queries grow with the reports alone. Changes nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import { TRANSIT } from "../domain/limits.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import { isPaused } from "../domain/monitor/monitor.ts";
import type { Span } from "../domain/monitor/window.ts";
import { intervalOf } from "../domain/schedule/rhythm.ts";
import { countSlots, nextSlot } from "../domain/schedule/slots.ts";
import { monitorPolicy } from "../domain/settings/policy.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { ChainHead } from "../store/recent.ts";
import type { IncidentInSpan, UnendedRun, UnknownInSpan, WalkedReport } from "../store/spans.ts";
import type { ViewSource } from "./context.ts";
import type { RunOutcome } from "./recent-runs.ts";
import { type FillingReport, type SlotOutcome, slotOutcomes } from "./slot-outcomes.ts";
import { type ReportInSpan, type WalkedReports, walkReports } from "./walk-reports.ts";

export interface Day {
  /** When we could not hear, ascending. */
  readonly gaps: readonly FoundGap[];
  /** By id; without those that are gone. */
  readonly monitors: ReadonlyMap<number, MonitorDay>;
}

export interface MonitorDay {
  /** In the order of their ends. */
  readonly runs: readonly DayRun[];
  /**
   * Ascending, to the span's end; none without a schedule. Beyond `SLOTS_MAX` only some are judged. Of an interval (R44) those
   * that were missed or stayed unknown.
   */
  readonly slots: readonly SlotOutcome[];
  /** All of them, from `scheduledSince` on. */
  readonly slotCount: number;
  /** Its settings changed then: what was due before is not known. The span's begin: they did not change in it. */
  readonly scheduledSince: Instant;
  /** Reports from before this were too many to read. The span's begin: all were read. */
  readonly readSince: Instant;
}

export interface DayRun {
  /** When it began; null: it is not known, or the report is no run's end. */
  readonly from: Instant | null;
  /** When it ended; its deadline where it did not; now while it is under way. */
  readonly to: Instant;
  readonly outcome: RunOutcome;
}

/** More than a job of every minute has in eight days and an hour. */
const SLOTS_MAX = 12_000;

/**
 * Of these monitors in [from, to], which may lie partly or wholly in the future. Each piece takes some milliseconds, and
 * throws what SQLite throws.
 */
export function* dayOf(
  { store, policy, gaps }: ViewSource,
  ids: readonly number[],
  { from, to }: Span,
  now: Instant,
): InPieces<Day> {
  const outlines = store.monitorPages.outlines(ids);
  const heads = outlines.flatMap(({ id, lastPingId }): ChainHead[] =>
    lastPingId === null ? [] : [{ id, lastPingId }],
  );
  const walked = yield* walkReports(store, heads, { from, to: Math.min(to, now), isPast: to < now });
  const found = {
    openRuns: Map.groupBy(store.spans.openRuns(ids, Math.min(to, now)), ({ monitorId }) => monitorId),
    incidents: Map.groupBy(store.spans.incidents(ids, from), ({ monitorId }) => monitorId),
    unknowns: Map.groupBy(store.spans.unknowns(ids, from), ({ monitorId }) => monitorId),
    gaps: gaps.since(from).filter((gap) => gap.to >= from && gap.from <= to),
  };
  const slotsIn = createSlotLists({ from, to });
  const monitors = new Map<number, MonitorDay>();
  for (const outline of outlines) {
    yield;
    const { id, application, key } = outline;
    const evidence = {
      walked: walked.get(id) ?? { reports: [], readSince: from },
      openRuns: found.openRuns.get(id) ?? [],
      incidents: found.incidents.get(id) ?? [],
      unknowns: found.unknowns.get(id) ?? [],
      gaps: found.gaps,
      maintenance: monitorPolicy(policy, application, key).own.maintenance ?? [],
    };
    monitors.set(id, monitorDay(outline, evidence, slotsIn, { from, to }, now));
  }
  return { gaps: found.gaps, monitors };
}

interface Evidence {
  readonly walked: WalkedReports;
  readonly openRuns: readonly UnendedRun[];
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
  readonly gaps: readonly FoundGap[];
  readonly maintenance: Parameters<typeof slotOutcomes>[1]["maintenance"];
}

function monitorDay(
  { schedule, timezone, everySeconds, graceSeconds, createdAt, updatedAt, pauses }: MonitorOutline,
  { walked, openRuns, ...evidence }: Evidence,
  slotsIn: SlotLists,
  { from, to }: Span,
  now: Instant,
): MonitorDay {
  const scheduledSince = Math.max(from, createdAt, updatedAt);
  const { reports, readSince } = walked;
  const runs = [...reports.flatMap((report) => runOf(report)), ...openRuns.map((run) => openRun(run, now))];
  runs.sort((a, b) => a.to - b.to);
  const delay = graceSeconds * SECOND + TRANSIT;
  if (schedule === null) {
    const interval = intervalOf({ schedule, timezone, everySeconds });
    const span = { from: scheduledSince, to };
    const slots = interval === null ? [] : intervalSlots({ ...evidence, interval, delay }, span, now, SLOTS_MAX);
    return { runs, slots, slotCount: slots.length, scheduledSince, readSince };
  }
  const { slots, count } = slotsIn(schedule, timezone, scheduledSince);
  const outcomes = slotOutcomes(
    slots,
    {
      ...evidence,
      schedule,
      timezone,
      graceSeconds,
      readSince,
      pausedUntil: isPaused({ pauses }) ? (pauses.manual?.until ?? Number.POSITIVE_INFINITY) : null,
      reports: reports.flatMap((report) => fillingOf(report)),
      // A shorter one covers no slot that its start has not filled.
      runs: runs.flatMap(({ from: began, to: ended }) =>
        began === null || ended - began < delay ? [] : [{ from: began, to: ended }],
      ),
    },
    now,
  );
  return { runs, slots: outcomes, slotCount: count, scheduledSince, readSince };
}

/** None: the report is no end, and its run has one or is found as an open one. */
function runOf({ kind, at, state, startedAt, endedAt, deadline, durationSeconds }: WalkedReport): DayRun[] {
  switch (kind) {
    case "log":
      return [];
    case "start":
      if (state === null || state === "ended" || state === "open") return [];
      return [{ from: at, to: deadline ?? at, outcome: state === "unknown" ? "unknown" : "unfinished" }];
    case "heartbeat":
    case "complete":
    case "fail": {
      const isEnd = startedAt !== null && endedAt === at;
      const from = isEnd ? startedAt : durationSeconds === null ? null : at - durationSeconds * SECOND;
      return [{ from, to: at, outcome: kind === "fail" ? "failed" : "succeeded" }];
    }
    default:
      return kind satisfies never;
  }
}

const openRun = ({ startedAt, deadline }: UnendedRun, now: Instant): DayRun => ({
  from: startedAt,
  to: Math.max(startedAt ?? now, Math.min(now, deadline ?? now)),
  outcome: "running",
});

/** `at`: when it happened. */
const fillingOf = ({ kind, at, heardAt, startedAt }: ReportInSpan): FillingReport[] =>
  kind === "log" ? [] : [{ at, heardAt, mayBeEarly: kind === "start" || startedAt === null }];

type SlotLists = (schedule: string, timezone: string, since: Instant) => { slots: Instant[]; count: number };

/** Slots of the span, by schedule: many jobs have the same one. */
function createSlotLists({ from, to }: Span): SlotLists {
  const lists = new Map<string, Instant[]>();
  return (schedule, timezone, since) => {
    const name = `${timezone} ${schedule}`;
    const slots = lists.get(name) ?? slotsOf(schedule, timezone, { from, to });
    lists.set(name, slots);
    return {
      slots: since === from ? slots : slots.filter((slot) => slot >= since),
      count: countSlots(schedule, timezone, since - 1, to),
    };
  };
}

function slotsOf(schedule: string, timezone: string, { from, to }: Span): Instant[] {
  const isTooMany = countSlots(schedule, timezone, from - 1, to) > SLOTS_MAX;
  const step = isTooMany ? Math.ceil((to - from) / SLOTS_MAX) : 1;
  const slots: Instant[] = [];
  for (
    let slot = nextSlot(schedule, timezone, from - 1);
    slot !== null && slot <= to;
    slot = nextSlot(schedule, timezone, slot + step - 1)
  )
    slots.push(slot);
  return slots;
}

// What is written of the slots of a monitor that must report every so often (R44). They follow from each report anew, so of
// the past there are only those that were missed or stayed unknown. Pure.

interface IntervalEvidence {
  /** Milliseconds. */
  readonly interval: number;
  /** How long after it a slot closes. Milliseconds. */
  readonly delay: number;
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
}

/** Those in the span, ascending; of one incident the newest `most`. */
function intervalSlots(
  { interval, delay, incidents, unknowns }: IntervalEvidence,
  span: Span,
  now: Instant,
  most: number,
): SlotOutcome[] {
  /** `count` slots from `first` on, as far as they have closed. */
  const judged = (outcome: "missed" | "unknown", first: Instant, count: number): SlotOutcome[] => {
    const last = Math.min(first + (count - 1) * interval, span.to, now - delay);
    const begin = Math.max(0, Math.ceil((span.from - first) / interval));
    const end = Math.floor((last - first) / interval);
    const from = Math.max(begin, end - most + 1);
    return Array.from({ length: Math.max(0, end - from + 1) }, (_, place) => {
      return { slot: first + (from + place) * interval, outcome, reportAt: null, heardAt: null };
    });
  };
  const missed = incidents.flatMap(({ isMissed, expectedAt, closedAt, missedSlots }) =>
    isMissed === 0 || expectedAt === null
      ? []
      : judged("missed", expectedAt, closedAt === null ? Number.POSITIVE_INFINITY : missedSlots),
  );
  const unknown = unknowns.flatMap(({ slot, slots }) => (slot === null ? [] : judged("unknown", slot, slots)));
  const isUnknown = new Set(unknown.map(({ slot }) => slot));
  return [...missed.filter(({ slot }) => !isUnknown.has(slot)), ...unknown].sort((a, b) => a.slot - b.slot);
}
