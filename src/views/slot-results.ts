// What became of each slot of a schedule: which report filled it, or why none did. It follows what was decided at the
// time, as far as that was stored, and decides nothing again. Pure.

import { EARLY_MAX, TRANSIT } from "../domain/limits.ts";
import { type Gap, isPaused } from "../domain/monitor/monitor.ts";
import { earlyTolerance, type Span } from "../domain/monitor/window.ts";
import { countSlots, slotsAround } from "../domain/schedule/slots.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { IncidentInSpan, UnknownInSpan } from "../store/spans.ts";
import type { Result } from "./results.ts";

export interface JudgedSlot {
  readonly slot: Instant;
  /** What became of the slot. `succeeded`: a report came before it closed. */
  readonly result: Extract<
    Result,
    | "succeeded"
    | "covered"
    | "missed"
    | "unknown"
    | "late"
    | "expected"
    | "paused"
    | "maintenance"
    | "silent"
    | "unread"
  >;
  /**
   * When the report came that filled the slot, or that came after the miss and before the next slot; `null` when none
   * did.
   */
  readonly reportAt: Instant | null;
  /** When that report was heard, if it came late (R43); `reportAt` is then when its event happened. */
  readonly heardAt: Instant | null;
}

/** A report that fills slots (R20). */
export interface FillingReport {
  readonly at: Instant;
  /** False when the report ends a run that has a start. */
  readonly mayBeEarly: boolean;
  /** When the report came, if that was later than `at`. */
  readonly heardAt: Instant | null;
}

/** What is stored about the slots of one monitor. */
interface SlotEvidence
  extends Pick<
    MonitorOutline,
    "timezone" | "graceSeconds" | "pauses" | "misses" | "incident" | "expectedAt" | "receivedAt" | "createdAt"
  > {
  readonly schedule: string;
  readonly maintenance: readonly Span[];
  /** The reports in ascending order; none is from before `readSince`. */
  readonly reports: readonly FillingReport[];
  readonly readSince: Instant;
  /** The runs, each from its start until its end or its deadline. */
  readonly runs: readonly Span[];
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
  /** The times in which rollcall could not hear. */
  readonly gaps: readonly Gap[];
}

/** Judges slots. `slots` are ascending slots of the schedule, some of which may be left out. */
export function judgeSlots(slots: readonly Instant[], evidence: SlotEvidence, now: Instant): JudgedSlot[] {
  const { reports } = evidence;
  const delay = evidence.graceSeconds * SECOND + TRANSIT;
  const early = earlyBefore(slots, evidence);
  const results: JudgedSlot[] = [];
  let place = 0;
  slots.forEach((slot, index) => {
    const from = slot - early(index);
    while (place < reports.length && reports[place]!.at < from) place++;
    let filling = place;
    while (filling < reports.length && reports[filling]!.at < slot && !reports[filling]!.mayBeEarly) filling++;
    const report = reports[filling] ?? null;
    // A report that comes just as the slot closes does not fill it; one that is heard later fills it, because it came
    // late (R43).
    const closes = slot + delay + (report?.heardAt == null ? 0 : 1);
    if (report !== null && report.at < closes) results.push(byReport(slot, "succeeded", report));
    else results.push(unfilled(slot, report, (slots[index + 1] ?? Infinity) - early(index + 1), delay, evidence, now));
  });
  return results;
}

const byReport = (slot: Instant, result: JudgedSlot["result"], { at, heardAt }: FillingReport): JudgedSlot => ({
  slot,
  result,
  reportAt: at,
  heardAt,
});

/** How early a report may come for the slot at this place. */
function earlyBefore(slots: readonly Instant[], { schedule, timezone }: SlotEvidence): (index: number) => number {
  const [first] = slots;
  const ofFirst = first === undefined ? EARLY_MAX : earlyTolerance(slotsAround(schedule, timezone, first - 1));
  return (index) => {
    const [before, slot] = [slots[index - 1], slots[index]];
    if (before === undefined || slot === undefined) return ofFirst;
    return Math.min(EARLY_MAX, (slot - before) / 10);
  };
}

/** What became of a slot without a report. `report` is the first one after the slot closed; `null` when none came. */
function unfilled(
  slot: Instant,
  report: FillingReport | null,
  next: Instant,
  delay: number,
  evidence: SlotEvidence,
  now: Instant,
): JudgedSlot {
  const closes = slot + delay;
  const none = (result: JudgedSlot["result"]): JudgedSlot => ({ slot, result, reportAt: null, heardAt: null });
  if (closes > now) return none(pauseAt(evidence, slot) ?? (slot > now ? "expected" : "late"));
  const missed = () => (report !== null && report.at < next ? byReport(slot, "missed", report) : none("missed"));
  // A told miss and a stored unknown come first, because they are certain; what a run covers only follows from reports.
  if (evidence.incidents.some((one) => one.isMissed === 1 && namedSlot(one) === slot)) return missed();
  if (evidence.unknowns.some((unknown) => isAmong(slot, unknown, evidence))) return none("unknown");
  if (evidence.runs.some(({ from, to }) => from <= closes && to >= closes)) return none("covered");
  if (evidence.incidents.some((one) => isMissedIn(one, closes, delay)))
    return evidence.gaps.some(({ from, to }) => from <= closes && to >= slot) ? none("unknown") : missed();
  if (slot < evidence.readSince) return none("unread");
  if (isMaintained(evidence, closes)) return none("maintenance");
  // Without them it is not known whether the slot was missed, because the beginnings and ends of manual pauses are not
  // stored.
  return none(isInARow(evidence, slot) ? "missed" : "silent");
}

/**
 * The slot whose miss an incident told; `null` when it told none, or a late report has filled that slot since (R43).
 */
export const namedSlot = ({ expectedAt, lateTo }: Pick<IncidentInSpan, "expectedAt" | "lateTo">): Instant | null =>
  expectedAt === lateTo ? null : expectedAt;

/** Whether a slot that is still to close lies in a pause or a maintenance. */
function pauseAt(evidence: SlotEvidence, slot: Instant): "paused" | "maintenance" | null {
  const { pauses } = evidence;
  if (isMaintained(evidence, slot)) return "maintenance";
  return isPaused({ pauses }) && slot <= (pauses.manual?.until ?? Number.POSITIVE_INFINITY) ? "paused" : null;
}

/**
 * Whether the slot is one of the misses in a row that have been tolerated so far (R41). Misses before a success are not
 * stored.
 */
function isInARow(evidence: SlotEvidence, slot: Instant): boolean {
  const { incident, misses, receivedAt, createdAt, schedule, timezone, expectedAt, unknowns } = evidence;
  if (incident !== null || misses === 0 || slot <= (receivedAt ?? createdAt) || expectedAt === null) return false;
  const unknown = unknowns.reduce((sum, one) => sum + (one.slot !== null && one.slot > slot ? one.slots : 0), 0);
  return countSlots(schedule, timezone, slot - 1, expectedAt - 1) - unknown <= misses;
}

const isMaintained = ({ maintenance }: SlotEvidence, at: Instant): boolean =>
  maintenance.some(({ from, to }) => from <= at && at < to);

const isAmong = (slot: Instant, { slot: first, slots }: UnknownInSpan, { schedule, timezone }: SlotEvidence): boolean =>
  first !== null && slot >= first && (slot === first || countSlots(schedule, timezone, first - 1, slot) <= slots);

/**
 * Whether the incident missed the slot: from the slot whose miss was told until the incident closed, each slot that
 * closed unfilled was missed (R23).
 */
function isMissedIn(incident: IncidentInSpan, closes: Instant, delay: number): boolean {
  const { isMissed, expectedAt, openedAt, closedAt, lateSlots } = incident;
  if (isMissed === 0) return false;
  // After a late report the opening counts, because such a report moves `expectedAt` also past earlier slots that stay
  // missed (R43).
  const from = expectedAt === null || lateSlots > 0 ? openedAt : expectedAt + delay;
  return closes >= from && closes <= (closedAt ?? Infinity);
}

// The stored slots of a monitor with an interval (R44). Its slots follow from each report, so of the past only those
// exist that were missed or stayed unknown.

interface IntervalEvidence {
  /** The interval in milliseconds. */
  readonly interval: number;
  /** How many milliseconds after its time a slot closes. */
  readonly delay: number;
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
}

/** The slots in the span, in ascending order; of each incident only the newest `most`. */
export function intervalSlots(
  { interval, delay, incidents, unknowns }: IntervalEvidence,
  span: Span,
  now: Instant,
  most: number,
): JudgedSlot[] {
  /** Up to `count` slots from `first` on that have closed by `until`. */
  const judged = (result: "missed" | "unknown", first: Instant, count: number, until = now): JudgedSlot[] => {
    const last = Math.min(first + (count - 1) * interval, span.to, until - delay);
    const begin = Math.max(0, Math.ceil((span.from - first) / interval));
    const end = Math.floor((last - first) / interval);
    const from = Math.max(begin, end - most + 1);
    return Array.from({ length: Math.max(0, end - from + 1) }, (_, place) => {
      return { slot: first + (from + place) * interval, result, reportAt: null, heardAt: null };
    });
  };
  const missed = incidents.flatMap(({ isMissed, expectedAt, closedAt, missedSlots }) =>
    isMissed === 0 || expectedAt === null
      ? []
      : // A report that was heard late has moved `expectedAt` on, and not lowered the count (R43).
        judged("missed", expectedAt, closedAt === null ? Number.POSITIVE_INFINITY : missedSlots, closedAt ?? now),
  );
  const unknown = unknowns.flatMap(({ slot, slots }) => (slot === null ? [] : judged("unknown", slot, slots)));
  const isUnknown = new Set(unknown.map(({ slot }) => slot));
  return [...missed.filter(({ slot }) => !isUnknown.has(slot)), ...unknown].sort((a, b) => a.slot - b.slot);
}
