// Finds the facts for `why.ts`: the slot or run, the incident, and the gaps that explain how a job stood at an instant.
// All are taken from the timeline and the stored incidents.

import type { Made } from "../domain/in-pieces.ts";
import { EARLY_MAX } from "../domain/limits.ts";
import { closingDelay, nextExpected } from "../domain/monitor/window.ts";
import { intervalOfRhythm, rhythmSlotAfter } from "../domain/schedule/rhythm.ts";
import { slotsAround } from "../domain/schedule/slots.ts";
import { DAY, type Instant } from "../domain/time.ts";
import type { Result } from "../domain/wording/results.ts";
import { durationInWords } from "../domain/wording/spoken-time.ts";
import type { UnwordedPart } from "../domain/wording/types.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { incidentSummaryOf } from "./incident-summaries.ts";
import { pauseOfSlot } from "./past-pauses.ts";
import type { Timeline, TimelineEntry, TimelineRun } from "./timeline.ts";
import { timelinesOf } from "./timelines.ts";
import type { ViewSource } from "./view-source.ts";

export type WhyContext = ViewSource & { readonly keepPings: number };

export type WhyFacts = Made<typeof factsAt>;

/**
 * Finds the facts that explain how the monitor stood at `at`. `unknown` says in words why that is not known; `null`
 * when it is known.
 */
export function* factsAt(context: WhyContext, record: MonitorRecord, at: Instant, now: Instant) {
  const { store } = context;
  const { id, monitor } = record;
  const { watch, createdAt, receivedAt } = monitor;
  /**
   * True when `at` is before the last change of settings. Earlier settings are not stored, so it is not known what was
   * due at `at`.
   */
  const isEarlier = at >= createdAt && at < record.updatedAt;
  const outline = store.monitorPages.outlines([id])[0]!;
  const interval = intervalOfRhythm(watch);
  const around = watch.schedule === null ? null : slotsAround(watch.schedule, watch.timezone, at);
  const begin = (isEarlier ? null : around?.before) ?? Math.min(at - DAY - 2 * (interval ?? 0), receivedAt ?? at);
  const span = { from: begin - EARLY_MAX, to: around?.after ?? at };
  const { monitors, gaps } = yield* timelinesOf(context, [id], span, now);
  const timeline = monitors.get(id)!;
  const delay = closingDelay(watch);
  const known = isEarlier ? timeline.entries.filter(({ slot }) => slot === null) : timeline.entries;
  const entry = withDue(known.findLast((each) => each.at <= at || isFilledBy(each, at)) ?? null);
  const until = Math.min(now, Math.max(at, (entry?.at ?? at) + delay));
  /**
   * The newest incident that opened at or before `before`; `null` when there is none. `endsAt` is when the incident
   * closed, or infinity while it is open.
   */
  const openedBy = (before: Instant) => {
    const [incidentId] = at > now ? [] : store.incidents.ofMonitor(id, { before: before + 1, limit: 1 });
    const found = incidentId === undefined ? null : store.incidents.find(incidentId);
    if (found === null) return null;
    return { of: incidentSummaryOf(context, found), endsAt: found.incident.closedAt ?? Number.POSITIVE_INFINITY };
  };
  // An incident that was open at `at` is preferred. Otherwise it is one that opened soon after `at`, when the slot that
  // was due at `at` closed.
  const [last, later] = [openedBy(at), openedBy(until)];
  const incident = [last, later].find((one) => one !== null && one.endsAt > at)?.of ?? null;
  /**
   * True when the last incident closed within a day before `at`, or since the newest slot or run. Then the incident
   * explains a recovery.
   */
  const isRecent = last !== null && last.endsAt <= at && last.endsAt >= Math.min(at - DAY, entry?.at ?? at);
  const over = incident === null && isRecent ? last.of : null;
  const following = around?.after ?? rhythmSlotAfter(watch, at, outline.expectedAt);
  const expected = at === now ? nextExpected(monitor, now) : following;
  return {
    record,
    outline,
    at,
    now,
    isEarlier,
    delay,
    entry,
    gaps,
    runs: timeline.runs,
    /**
     * The maintenance in progress at `at`. With a newest slot or run (`entry`), all maintenance from its time until
     * `at`.
     */
    maintenance: timeline.maintenance.filter(({ from, to }) => from <= at && to > Math.min(at, entry?.at ?? at)),
    isPaused: timeline.paused.some(({ from, to }) => from <= at && to > at),
    result: resultAt(entry, timeline.runs, at, delay),
    incident,
    over,
    next: isEarlier ? null : expected !== null && expected <= at ? following : expected,
    unknown: whyUnknown(),
  };

  /**
   * Returns `last`. But if the monitor has an interval (R44), and a slot has come due since the run of `last` ended, it
   * returns that slot.
   */
  function withDue(last: TimelineEntry | null): TimelineEntry | null {
    if (interval === null || isEarlier || (last !== null && last.run === null) || last?.result === "running")
      return last;
    const due = at === now ? outline.expectedAt : (last?.run?.to ?? createdAt) + interval;
    if (due === null || due > at) return last;
    return overdueInterval(timeline, due, at, delay) ?? last;
  }

  function whyUnknown(): UnwordedPart[] | null {
    const { scheduledSince, readSince } = timeline;
    if (at < createdAt) return ["was not watched before ", { at: createdAt, as: "when" }];
    if (at > now) return ["is not known yet"];
    if (incident !== null || entry?.run != null) return null;
    if (at < now - context.keepPings || at < readSince)
      return [`is not known: reports are kept for ${durationInWords(context.keepPings)}`];
    return entry === null && (isEarlier || (begin < scheduledSince && begin >= createdAt))
      ? ["is not known: its settings were others before ", { at: record.updatedAt, as: "when" }]
      : null;
  }
}

/**
 * The slot of an interval that has come due by `at`. `null` when the slot fell into a pause that is over: the interval
 * began again when the pause ended.
 */
function overdueInterval({ paused }: Timeline, due: Instant, at: Instant, delay: number): TimelineEntry | null {
  const pause = pauseOfSlot(paused, due);
  if (pause !== undefined) return pause.to > at ? emptySlot(due, "paused") : null;
  return emptySlot(due, due + delay > at ? "late" : "silent");
}

export const emptySlot = (at: Instant, result: "late" | "missed" | "paused" | "silent"): TimelineEntry => {
  return { at, result, slot: { reportAt: null, heardAt: null }, run: null };
};

const isFilledBy = ({ slot }: TimelineEntry, at: Instant): boolean =>
  (slot?.reportAt ?? Number.POSITIVE_INFINITY) <= at;

function resultAt(entry: TimelineEntry | null, runs: readonly TimelineRun[], at: Instant, delay: number): Result {
  if (
    runs.some(({ from, to, result }) => from !== null && from <= at && (to > at || (result === "running" && to === at)))
  )
    return "running";
  if (entry === null) return "quiet";
  const { result, slot, run } = entry;
  // A run that ended since the slot says more than the slot's own result, because the run's report may have come after
  // the slot was missed.
  const ended = runs.findLast(({ to }) => to <= at && (to >= entry.at || to === run?.to));
  if (ended !== undefined) return ended.result;
  const isOpen = entry.at + delay > at && result !== "paused" && result !== "maintenance";
  return slot !== null && isOpen && !isFilledBy(entry, at) ? "late" : result;
}
