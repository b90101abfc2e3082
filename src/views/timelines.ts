// Reads the timelines of many monitors in a span, and the gaps in it. The number of queries grows with the number of
// reports and of monitors in maintenance, not with the number of all monitors.

import type { InPieces } from "../domain/in-pieces.ts";
import { RUN_SPAN_MAX, TRANSIT } from "../domain/limits.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Span } from "../domain/monitor/window.ts";
import { countSlots, nextSlot } from "../domain/schedule/slots.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { Result } from "../domain/wording/results.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { ChainHead } from "../store/recent.ts";
import { maintenanceIn } from "./maintenances.ts";
import { pausedSpansOf } from "./past-pauses.ts";
import { SLOTS_MAX, type SlotsOf, type Timeline, timelineOf } from "./timeline.ts";
import type { ViewSource } from "./view-source.ts";
import { reportsInSpan, type WalkedReports } from "./walk-reports.ts";

export interface Timelines {
  /** The gaps in the span, in ascending order. */
  readonly gaps: readonly FoundGap[];
  /** The timeline of each monitor by its id. Monitors that no longer exist are left out. */
  readonly monitors: ReadonlyMap<number, Timeline>;
}

/** Makes the timelines of the monitors `ids` for [from, to], which may lie in the future. Throws what SQLite throws. */
export function* timelinesOf(
  source: ViewSource,
  ids: readonly number[],
  { from, to }: Span,
  now: Instant,
): InPieces<Timelines> {
  const { store, gaps } = source;
  const outlines = store.monitorPages.outlines(ids);
  const heads = outlines.flatMap(({ id, lastPingId }): ChainHead[] =>
    lastPingId === null ? [] : [{ id, lastPingId }],
  );
  const longestGrace = Math.max(0, ...outlines.map(({ graceSeconds }) => graceSeconds)) * SECOND + TRANSIT;
  const readTo = Math.min(to + longestGrace, now);
  const walked = yield* reportsInSpan(store, heads, { from, to: readTo, isPast: readTo < now });
  const openRuns = Map.groupBy(store.spans.openRuns(ids, Math.min(to, now) + 1), ({ monitorId }) => monitorId);
  const incidents = Map.groupBy(store.spans.incidents(ids, from), ({ monitorId }) => monitorId);
  const unknowns = Map.groupBy(store.spans.unknowns(ids, from), ({ monitorId }) => monitorId);
  const paused = Map.groupBy(store.pausedSpans.of(ids, from), ({ monitorId }) => monitorId);
  const unheard = gaps.since(from).filter((gap) => gap.to >= from && gap.from <= to);
  const maintenanceOf = maintenanceIn(source, { from, to: to + longestGrace }, now);
  const slotsOf = createSlotLists({ from, to });
  const drawn = (outline: MonitorOutline, reports: WalkedReports): Timeline => {
    const { id } = outline;
    const facts = {
      outline,
      walked: reports,
      openRuns: openRuns.get(id) ?? [],
      incidents: incidents.get(id) ?? [],
      unknowns: unknowns.get(id) ?? [],
      gaps: unheard,
      maintenance: maintenanceOf(outline),
      paused: pausedSpansOf(outline, paused.get(id) ?? []),
    };
    return timelineOf(facts, slotsOf, { from, to }, now);
  };
  const nothing: WalkedReports = { reports: [], readSince: from, readTo, before: null };
  const monitors = new Map<number, Timeline>();
  for (const outline of outlines) {
    yield;
    monitors.set(outline.id, drawn(outline, walked.get(outline.id) ?? nothing));
  }
  // A run that began long before the span may have been in progress when the span's first slots closed. So for jobs
  // with such a slot that no report filled, older reports are read too.
  const unsure = outlines.filter((outline) => mayBeCovered(outline, monitors.get(outline.id)!, from));
  const before = unsure.flatMap(({ id }) => walked.get(id)?.before ?? []);
  if (before.length > 0) {
    const reach = Math.max(...unsure.map(longestRun));
    const earlier = yield* reportsInSpan(store, before, { from: from - reach, to: from, isPast: false });
    for (const outline of unsure) {
      const [nearer, further] = [walked.get(outline.id), earlier.get(outline.id)];
      if (nearer === undefined || further === undefined || further.reports.length === 0) continue;
      yield;
      const reports = [...further.reports, ...nearer.reports].sort((a, b) => a.at - b.at);
      monitors.set(outline.id, drawn(outline, { ...nearer, reports }));
    }
  }
  return { gaps: unheard, monitors };
}

/**
 * The results of slots that no report has filled. Reports from before the span may change such a result: a run that
 * began before the span may cover the slot. Or a later run's success may show that no run covered the slot any more
 * (R21).
 */
const UNFILLED: ReadonlySet<Result> = new Set<Result>([
  "missed",
  "unknown",
  "paused",
  "maintenance",
  "silent",
  "covered",
]);

const mayBeCovered = (outline: MonitorOutline, { entries }: Timeline, from: Instant): boolean =>
  outline.schedule !== null &&
  entries.some(({ at, slot, result }) => slot !== null && UNFILLED.has(result) && at <= from + longestRun(outline));

/**
 * The longest time, in milliseconds, from the start of a run to its deadline. After the deadline the run covers no slot
 * (R21).
 */
const longestRun = ({ maxRuntimeSeconds, graceSeconds }: MonitorOutline): number =>
  Math.max((maxRuntimeSeconds ?? 0) * SECOND, RUN_SPAN_MAX + graceSeconds * SECOND);

/**
 * Makes a function that returns the slots of a schedule in the span. It finds the slots of each schedule once, because
 * many jobs have the same one.
 */
function createSlotLists({ from, to }: Span): SlotsOf {
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
  for (let slot = nextSlot(schedule, timezone, from - 1); slot !== null && slot <= to; ) {
    slots.push(slot);
    slot = nextSlot(schedule, timezone, slot + step - 1);
  }
  return slots;
}
