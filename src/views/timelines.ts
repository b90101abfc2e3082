// The timelines of many monitors in a span of time, and when we could not hear in it. Its queries grow with the reports
// alone. Changes nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Span } from "../domain/monitor/window.ts";
import { countSlots, nextSlot } from "../domain/schedule/slots.ts";
import { monitorPolicy } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { ChainHead } from "../store/recent.ts";
import type { ViewSource } from "./context.ts";
import { SLOTS_MAX, type SlotsOf, type Timeline, timelineOf } from "./timeline.ts";
import { walkReports } from "./walk-reports.ts";

export interface Timelines {
  /** When we could not hear, ascending. */
  readonly gaps: readonly FoundGap[];
  /** By id; without those that are gone. */
  readonly monitors: ReadonlyMap<number, Timeline>;
}

/**
 * Of these monitors in [from, to], which may lie partly or wholly in the future. Each piece takes some milliseconds,
 * and throws what SQLite throws.
 */
export function* timelinesOf(
  { store, policy, gaps }: ViewSource,
  ids: readonly number[],
  { from, to }: Span,
  now: Instant,
): InPieces<Timelines> {
  const outlines = store.monitorPages.outlines(ids);
  const heads = outlines.flatMap(({ id, lastPingId }): ChainHead[] =>
    lastPingId === null ? [] : [{ id, lastPingId }],
  );
  const walked = yield* walkReports(store, heads, { from, to: Math.min(to, now), isPast: to < now });
  const openRuns = Map.groupBy(store.spans.openRuns(ids, Math.min(to, now) + 1), ({ monitorId }) => monitorId);
  const incidents = Map.groupBy(store.spans.incidents(ids, from), ({ monitorId }) => monitorId);
  const unknowns = Map.groupBy(store.spans.unknowns(ids, from), ({ monitorId }) => monitorId);
  const unheard = gaps.since(from).filter((gap) => gap.to >= from && gap.from <= to);
  const slotsOf = createSlotLists({ from, to });
  const monitors = new Map<number, Timeline>();
  for (const outline of outlines) {
    yield;
    const { id, application, key } = outline;
    const facts = {
      outline,
      walked: walked.get(id) ?? { reports: [], readSince: from },
      openRuns: openRuns.get(id) ?? [],
      incidents: incidents.get(id) ?? [],
      unknowns: unknowns.get(id) ?? [],
      gaps: unheard,
      maintenance: monitorPolicy(policy, application, key).own.maintenance ?? [],
    };
    monitors.set(id, timelineOf(facts, slotsOf, { from, to }, now));
  }
  return { gaps: unheard, monitors };
}

/** Slots of the span, by schedule: many jobs have the same one. */
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
  for (
    let slot = nextSlot(schedule, timezone, from - 1);
    slot !== null && slot <= to;
    slot = nextSlot(schedule, timezone, slot + step - 1)
  )
    slots.push(slot);
  return slots;
}
