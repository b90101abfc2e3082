// Finds what became of each slot of a monitor: which report filled it, or why none did. What was decided at the time
// and stored (told misses, unknown slots) is repeated here; all else follows from the reports. Pure.

import { EARLY_MAX, TRANSIT } from "../domain/limits.ts";
import type { Gap } from "../domain/monitor/monitor.ts";
import { earlyTolerance, type Span } from "../domain/monitor/window.ts";
import { countSlots, slotsAround } from "../domain/schedule/slots.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { Result } from "../domain/wording/results.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { IncidentInSpan, UnknownInSpan } from "../store/spans.ts";
import { countUnpausedSlots, isPausedSlot, type PausedSpan } from "./past-pauses.ts";

export interface JudgedSlot {
  readonly slot: Instant;
  /** What became of the slot. `succeeded`: a report came before the slot closed. */
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
   * When the report came that filled the slot. For a missed slot, when the first report after the miss came, if that
   * was before the next slot. `null` when there is no such report.
   */
  readonly reportAt: Instant | null;
  /**
   * For a late report (R43), when rollcall heard it; `reportAt` is then when its event happened. `null` for a report
   * that was not late, and without a report.
   */
  readonly heardAt: Instant | null;
}

/** A report that fills slots (R20). */
export interface FillingReport {
  readonly at: Instant;
  /** Whether the report may fill a slot shortly before its time. The end of a run that has a start may not (R20). */
  readonly mayBeEarly: boolean;
  /** When the report came, if that was later than its event (`at`); otherwise `null`. */
  readonly heardAt: Instant | null;
}

/** What is stored about the slots of one monitor. */
interface SlotEvidence
  extends Pick<
    MonitorOutline,
    "timezone" | "graceSeconds" | "misses" | "incident" | "expectedAt" | "receivedAt" | "createdAt"
  > {
  readonly schedule: string;
  readonly maintenance: readonly Span[];
  readonly paused: readonly PausedSpan[];
  /** The reports in ascending order; none is from before `readSince`. */
  readonly reports: readonly FillingReport[];
  readonly readSince: Instant;
  /** The times in which runs were in progress: each from its start to its end or its deadline. */
  readonly runs: readonly Span[];
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
  readonly gaps: readonly Gap[];
}

/** Finds what became of each of `slots`, which are in ascending order. They need not be all slots of the schedule. */
export function slotResults(slots: readonly Instant[], evidence: SlotEvidence, now: Instant): JudgedSlot[] {
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
    // A report at the instant at which the slot closes does not fill it, unless it was heard late (R43).
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

/** Makes a function that returns how many milliseconds early a report may come to fill the slot at `index` (R20). */
function earlyBefore(slots: readonly Instant[], { schedule, timezone }: SlotEvidence): (index: number) => number {
  const [first] = slots;
  const ofFirst = first === undefined ? EARLY_MAX : earlyTolerance(slotsAround(schedule, timezone, first - 1));
  return (index) => {
    const [before, slot] = [slots[index - 1], slots[index]];
    if (before === undefined || slot === undefined) return ofFirst;
    return Math.min(EARLY_MAX, (slot - before) / 10);
  };
}

/**
 * What became of a slot that no report filled. `report` is the first report after the slot closed; `null` when none
 * came. From `next` on, a report may belong to the next slot.
 */
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
  // A miss that was told and an unknown slot that was stored are certain, so they come first. That a run covered a slot
  // is only concluded from reports.
  if (evidence.incidents.some((one) => one.isMissed === 1 && toldSlot(one) === slot)) return missed();
  if (evidence.unknowns.some((unknown) => isAmong(slot, unknown, evidence))) return none("unknown");
  if (evidence.runs.some(({ from, to }) => from <= closes && to >= closes)) return none("covered");
  if (isPausedSlot(evidence.paused, slot))
    return none(isMaintained(evidence, slot) || isMaintained(evidence, closes) ? "maintenance" : "paused");
  if (evidence.incidents.some((one) => isMissedIn(one, closes, delay)))
    return evidence.gaps.some(({ from, to }) => from <= closes && to >= slot) ? none("unknown") : missed();
  if (slot < evidence.readSince) return none("unread");
  if (isMaintained(evidence, closes)) return none("maintenance");
  // The slot is surely missed if it is one of the present misses in a row. Otherwise it is `silent`: it may be an
  // earlier, tolerated miss, or lie in a pause from before pauses were stored.
  return none(isInARow(evidence, slot) ? "missed" : "silent");
}

/** The slot that the incident told as missed; `null` when it told none, or a late report has filled it since (R43). */
export const toldSlot = ({ expectedAt, lateTo }: Pick<IncidentInSpan, "expectedAt" | "lateTo">): Instant | null =>
  expectedAt === lateTo ? null : expectedAt;

/** The pause in which a slot that has not closed yet lies; `null` when it lies in none. */
function pauseAt(evidence: SlotEvidence, slot: Instant): "paused" | "maintenance" | null {
  if (isMaintained(evidence, slot)) return "maintenance";
  return isPausedSlot(evidence.paused, slot) ? "paused" : null;
}

/**
 * Whether the slot is one of the last misses in a row, which are tolerated so far and opened no incident (R41). Only
 * their number is stored, and a success sets it to 0.
 */
function isInARow(evidence: SlotEvidence, slot: Instant): boolean {
  const { incident, misses, receivedAt, createdAt, schedule, timezone, expectedAt, unknowns, paused } = evidence;
  if (incident !== null || misses === 0 || slot <= (receivedAt ?? createdAt) || expectedAt === null) return false;
  const unknown = unknowns.reduce((sum, one) => sum + (one.slot !== null && one.slot > slot ? one.slots : 0), 0);
  const count = (from: Instant, until: Instant): number => countSlots(schedule, timezone, from - 1, until - 1);
  return countUnpausedSlots(paused, slot, expectedAt, count) - unknown <= misses;
}

const isMaintained = ({ maintenance }: SlotEvidence, at: Instant): boolean =>
  maintenance.some(({ from, to }) => from <= at && at < to);

const isAmong = (slot: Instant, { slot: first, slots }: UnknownInSpan, { schedule, timezone }: SlotEvidence): boolean =>
  first !== null && slot >= first && (slot === first || countSlots(schedule, timezone, first - 1, slot) <= slots);

/**
 * Whether a slot that closed unfilled at `closes` was missed during the incident. This is so for every slot that closed
 * unfilled from the told miss until the incident closed (R23).
 */
function isMissedIn(incident: IncidentInSpan, closes: Instant, delay: number): boolean {
  const { isMissed, expectedAt, openedAt, closedAt, lateSlots } = incident;
  if (isMissed === 0) return false;
  // Usually `expectedAt` is the first missed slot. But a late report moves it to a later slot, though slots before that
  // stay missed (R43). Then the misses begin when the incident opened.
  const from = expectedAt === null || lateSlots > 0 ? openedAt : expectedAt + delay;
  return closes >= from && closes <= (closedAt ?? Infinity);
}

// The following judges slots of a monitor with an interval (R44). Each report moves the next slot, so of past slots
// only missed and unknown ones are known.

interface IntervalEvidence {
  /** The interval in milliseconds. */
  readonly interval: number;
  /** How many milliseconds after its time a slot closes. */
  readonly delay: number;
  readonly paused: readonly PausedSpan[];
  readonly incidents: readonly IncidentInSpan[];
  readonly unknowns: readonly UnknownInSpan[];
}

/**
 * The missed and unknown slots in the span, in ascending order: of each incident and of each stored unknown, at most
 * the newest `most` slots.
 */
export function intervalSlotResults(
  { interval, delay, paused, incidents, unknowns }: IntervalEvidence,
  span: Span,
  now: Instant,
  most: number,
): JudgedSlot[] {
  /** Up to `count` slots, one interval apart from `first` on, that had closed by `until`. */
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
      : // After a late report `missedSlots` may be too high (R43). So slots that closed after the incident's end are left
        // out.
        judged("missed", expectedAt, closedAt === null ? Number.POSITIVE_INFINITY : missedSlots, closedAt ?? now),
  );
  const unknown = unknowns.flatMap(({ slot, slots }) => (slot === null ? [] : judged("unknown", slot, slots)));
  const isUnknown = new Set(unknown.map(({ slot }) => slot));
  const isMissed = ({ slot }: JudgedSlot): boolean => !isUnknown.has(slot) && !isPausedSlot(paused, slot);
  return [...missed.filter(isMissed), ...unknown].sort((a, b) => a.slot - b.slot);
}
