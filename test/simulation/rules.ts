// What the rulings say of one monitor (R17 to R26, R41), said again and simply: slot by slot, told everything in the order
// in which it became known. What it tells is what must be told. For the verdict: imports nothing of the product but types.

import type { AlertKind, Reason } from "../../src/domain/alert.ts";
import type { Cause } from "../../src/domain/incident.ts";
import { deadlineOf, type EndKind, type KnownRun, knownRuns, type ReportKind } from "./rules-runs.ts";
import type { SlotList } from "./slot-list.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "./units.ts";

/** What is in force for a monitor. */
export interface RuleTerms {
  /** Slots are the same when this is. */
  readonly slotsName: string;
  readonly slots: SlotList;
  readonly graceMs: number;
  readonly maxRuntimeMs: number | null;
  readonly alertAfterMisses: number;
  readonly alertAfterFailures: number;
}

/** A span in which rollcall could not hear, as far as it is known; there is one object for each. */
export interface KnownGap {
  readonly from: Instant;
  /** A gap that follows soon goes on with it. */
  to: Instant;
}

export interface ExpectedAlert {
  /** Counts the monitor's incidents from 1. */
  readonly incident: number;
  readonly kind: AlertKind;
  readonly reason: Reason;
  readonly cause: Cause;
  readonly causes: readonly Cause[];
  readonly at: Instant;
  readonly openedAt: Instant;
  readonly recoveredAt: Instant | null;
  /** Of a recovery: how many slots closed unfilled. */
  readonly missedSlots: number | null;
  readonly troubles: number;
  readonly failureMessage: string | null;
  readonly expectedAt: Instant | null;
  readonly lastPingAt: Instant | null;
  readonly runId: string | null;
}

/** Something that would have been trouble, had we been able to hear. */
export interface ExpectedUnknown {
  readonly gap: KnownGap | null;
  readonly slot: Instant | null;
  readonly run: KnownRun | null;
  readonly at: Instant;
}

export interface Report {
  readonly kind: ReportKind;
  readonly runId: string | null;
  readonly message: string | null;
  /** What the report declares; null: nothing. */
  readonly terms: RuleTerms | null;
}

export interface MonitorRules {
  /** Everything that was due by then has been settled, by what was known. */
  look(at: Instant): void;
  report(report: Report, arrivedAt: Instant): void;
  refused(arrivedAt: Instant): void;
  /** The clock had been wrong, stored instants are pulled back. */
  pullBack(now: Instant): void;
  /** Whether something is still to be judged because of this gap. */
  isInDoubt(gap: KnownGap): boolean;
  /** The newest instant at which anything changed. */
  newestAt(): Instant;
}

interface Incident {
  readonly number: number;
  readonly opening: "InitialFailure" | "NeverExecuted";
  openedAt: Instant;
  causes: Cause[];
  missedSlots: number;
  troubles: number;
  message: string | null;
  runId: string | null;
  expectedAt: Instant | null;
  remindAt: Instant | null;
  remindersSent: number;
}

interface Trouble {
  readonly cause: Cause;
  readonly message: string | null;
  /** As the report named it, whether or not a run was found. */
  readonly runId: string | null;
  readonly run: KnownRun | null;
  readonly slot: Instant | null;
}

const TRANSIT = 5 * SECOND;
const RETRIES = MINUTE;
const EARLY_MOST = MINUTE;
const REMINDERS = [HOUR, 6 * HOUR, DAY];
const REMINDERS_MOST = 30;

/** `gaps`: all that are known, disjoint and ascending; the caller adds to it as they are found. */
export function monitorRules(
  first: RuleTerms,
  createdAt: Instant,
  gaps: readonly KnownGap[],
  tell: (alert: ExpectedAlert) => void,
  leaveUnknown: (unknown: ExpectedUnknown) => void,
): MonitorRules {
  let terms = first;
  let newest = createdAt;
  let receivedAt: Instant | null = null;
  /** Every slot up to here is filled, missed, excused or covered. */
  let settledTo = createdAt;
  /** The gap that excused the first of the slots in a row before the next one. */
  let excuse: KnownGap | null = null;
  let misses = 0;
  let failures = 0;
  let incident: Incident | null = null;
  let incidents = 0;
  const runs = knownRuns();

  const closeOf = (slot: Instant): Instant => slot + terms.graceMs + TRANSIT;
  const afterRetries = (deadline: Instant, found: readonly KnownGap[]): Instant =>
    Math.max(deadline, ...found.map((gap) => gap.to + RETRIES));
  const judgedAt = (run: KnownRun): Instant => afterRetries(run.deadline, gapsOfRun(run));
  const gapsOfRun = (run: KnownRun): KnownGap[] => touching(run.startedAt!, run.deadline);

  function touching(from: Instant, to: Instant): KnownGap[] {
    const found: KnownGap[] = [];
    for (let place = gaps.length - 1; place >= 0 && gaps[place]!.to >= from; place--)
      if (gaps[place]!.from <= to) found.unshift(gaps[place]!);
    return found;
  }

  function gapsOfSlot(slot: Instant): KnownGap[] {
    const tolerance = Math.min(EARLY_MOST, (slot - terms.slots.atOrBefore(slot - 1)) / 10);
    return touching(slot - tolerance, closeOf(slot));
  }

  /** The earliest of all that is due; at one instant a run's deadline before a slot before a reminder (R21). */
  function nextDue(): { at: Instant; settle: () => void } | null {
    const dues = runs.open().map((run) => ({ at: judgedAt(run), settle: () => overrun(run) }));
    const slot = nextToJudge();
    if (slot !== null) dues.push(slotDue(slot));
    const remindAt = incident?.remindAt ?? null;
    if (remindAt !== null) dues.push({ at: remindAt, settle: () => remind(remindAt) });
    return dues.reduce<(typeof dues)[number] | null>(
      (earliest, due) => (earliest === null || due.at < earliest.at ? due : earliest),
      null,
    );
  }

  /** Under an open run a slot that closes is not missed (R21); after a miss was told none is told again (R23). */
  function nextToJudge(): Instant | null {
    if (incident?.causes.includes("missed")) return null;
    const coveredUntil = Math.max(Number.NEGATIVE_INFINITY, ...runs.open().map(judgedAt));
    let slot = terms.slots.after(settledTo);
    while (closeOf(slot) < coveredUntil) slot = terms.slots.after(slot);
    return slot === Number.POSITIVE_INFINITY ? null : slot;
  }

  function slotDue(slot: Instant): { at: Instant; settle: () => void } {
    const doubts = gapsOfSlot(slot);
    const at = afterRetries(closeOf(slot), doubts);
    return { at, settle: () => judge(slot, doubts, Math.max(newest, at)) };
  }

  /** Slots that have closed are behind us: missed, if a miss was told and no run was open. */
  function leaveBehind(until: Instant, underRun: boolean): void {
    for (let slot = terms.slots.after(settledTo); closeOf(slot) <= until; slot = terms.slots.after(slot)) {
      settledTo = slot;
      if (incident !== null && !underRun) incident.missedSlots += 1;
    }
  }

  function judge(slot: Instant, doubts: readonly KnownGap[], at: Instant): void {
    newest = at;
    settledTo = slot;
    const excusable = excuse === null || doubts.some((gap) => gap.from <= excuse!.to);
    if (doubts.length > 0 && excusable) {
      const gap = doubts.at(-1)!;
      excuse ??= gap;
      leaveUnknown({ gap, slot, run: null, at });
      return;
    }
    excuse = null;
    trouble({ cause: "missed", message: null, runId: null, run: null, slot }, at);
  }

  function overrun(run: KnownRun): void {
    const doubts = gapsOfRun(run);
    newest = Math.max(newest, judgedAt(run));
    run.open = false;
    leaveBehind(newest - 1, true);
    if (doubts.length > 0) leaveUnknown({ gap: doubts.at(-1)!, slot: null, run, at: newest });
    else trouble({ cause: "unfinished", message: null, runId: run.runId, run, slot: null }, newest);
  }

  function trouble(found: Trouble, at: Instant): void {
    const { cause, message, runId, run, slot } = found;
    const inARow = cause === "missed" ? ++misses : ++failures;
    if (incident !== null) {
      incident.troubles += 1;
      incident.message = message ?? incident.message;
      incident.runId = runId ?? incident.runId;
      if (cause === "missed") incident.missedSlots += 1;
      if (incident.causes.includes(cause)) return;
      incident.causes = [...incident.causes, cause];
      incident.expectedAt = slot ?? incident.expectedAt;
      return say("ContinuedFailure", "new_cause", cause, at, run);
    }
    if (inARow < (cause === "missed" ? terms.alertAfterMisses : terms.alertAfterFailures)) return;
    const opening = receivedAt === null ? "NeverExecuted" : "InitialFailure";
    incident = {
      number: ++incidents,
      opening,
      openedAt: at,
      causes: [cause],
      missedSlots: cause === "missed" ? inARow : 0,
      troubles: inARow,
      message,
      runId,
      expectedAt: slot,
      remindAt: reminderAfter(at, at),
      remindersSent: 0,
    };
    say(opening, "opened", cause, at, run);
  }

  function remind(due: Instant): void {
    const open = incident!;
    newest = Math.max(newest, due);
    const gap = touching(due, due)[0];
    if (gap !== undefined) {
      open.remindAt = reminderAfter(open.openedAt, gap.to);
      return;
    }
    open.remindersSent += 1;
    const last = open.remindersSent === REMINDERS_MOST;
    open.remindAt = last ? null : reminderAfter(open.openedAt, due);
    say("ContinuedFailure", last ? "last_reminder" : "reminder", open.causes.at(-1)!, newest, null);
  }

  function say(kind: AlertKind, reason: Reason, cause: Cause, at: Instant, run: KnownRun | null): void {
    const { number, openedAt, causes, missedSlots, troubles, message, expectedAt, runId } = incident!;
    const recovered = kind === "Recovered";
    tell({
      incident: number,
      kind,
      reason,
      cause,
      causes,
      at,
      openedAt,
      recoveredAt: recovered ? at : null,
      missedSlots: recovered ? missedSlots : null,
      troubles,
      failureMessage: message,
      expectedAt,
      lastPingAt: receivedAt,
      runId: run?.runId ?? runId,
    });
  }

  function look(at: Instant): void {
    for (let due = nextDue(); due !== null && due.at <= at; due = nextDue()) due.settle();
  }

  /** Settles what is overdue, then lets `change` happen at the report's time, or at the newest known one (R26). */
  function at(arrivedAt: Instant, change: (at: Instant) => void): void {
    const now = Math.max(arrivedAt, newest);
    look(now);
    newest = now;
    if (incident?.causes.includes("missed")) leaveBehind(now, runs.open().length > 0);
    change(now);
    look(now);
  }

  /** A report fills every slot up to its own time, and the next when that is near enough (R20). */
  function fill(now: Instant, mayBeEarly: boolean): void {
    settledTo = Math.max(settledTo, now);
    excuse = null;
    const before = terms.slots.atOrBefore(now);
    const next = terms.slots.after(now);
    if (mayBeEarly && next - now <= Math.min(EARLY_MOST, (next - before) / 10)) settledTo = Math.max(settledTo, next);
  }

  /** R12: slots of the old schedule that are still open are forgotten. */
  function declare(declared: RuleTerms, now: Instant): void {
    const sameSlots = declared.slotsName === terms.slotsName;
    terms = declared;
    if (sameSlots) return;
    settledTo = now;
    excuse = null;
  }

  function take({ kind, runId, message }: Report, now: Instant): void {
    if (kind === "start") {
      fill(now, true);
      receivedAt = now;
      const { slots, graceMs, maxRuntimeMs } = terms;
      runs.start(runId, now, deadlineOf(slots, graceMs, maxRuntimeMs, runs.lastRunMs(), now));
      return;
    }
    end(kind, runId, message, now);
  }

  function end(kind: EndKind, runId: string | null, message: string | null, now: Instant): void {
    const found = runs.endedBy(runId, kind, now);
    fill(now, found === null || found.run.startedAt === null);
    receivedAt = now;
    const run = runs.end(found, runId, kind, now);
    if (kind === "fail") return trouble({ cause: "failed", message, runId, run, slot: null }, now);
    misses = 0;
    failures = 0;
    if (incident === null) return;
    incident.remindAt = null;
    say("Recovered", "success", incident.causes[0]!, now, run);
    incident = null;
  }

  function refused(arrivedAt: Instant): void {
    at(arrivedAt, (now) => {
      const before = terms.slots.after(settledTo);
      fill(now, true);
      if (terms.slots.after(settledTo) !== before) leaveUnknown({ gap: null, slot: before, run: null, at: now });
    });
  }

  function pullBack(now: Instant): void {
    look(now);
    newest = now;
    if (incident?.causes.includes("missed")) leaveBehind(now, runs.open().length > 0);
    if (receivedAt !== null) receivedAt = Math.min(receivedAt, now);
    settledTo = now;
    excuse = null;
    runs.restart(now);
    if (incident !== null) {
      incident.openedAt = Math.min(incident.openedAt, now);
      if (incident.remindAt !== null) incident.remindAt = reminderAfter(incident.openedAt, now);
    }
    look(now);
  }

  function isInDoubt(gap: KnownGap): boolean {
    const touches = (from: Instant, to: Instant): boolean => gap.from <= to && gap.to >= from;
    if (runs.open().some((run) => touches(run.startedAt!, run.deadline))) return true;
    return gapsOfSlot(terms.slots.after(settledTo)).includes(gap);
  }

  return {
    isInDoubt,
    look: (instant) => look(Math.max(instant, newest)),
    report: (report, arrivedAt) => {
      if (report.terms !== null && report.terms !== terms) at(arrivedAt, (now) => declare(report.terms!, now));
      at(arrivedAt, (now) => take(report, now));
    },
    refused,
    pullBack,
    newestAt: () => newest,
  };
}

/** R23: 1 h, 6 h and 24 h after the opening, then daily: the first strictly after `after`. */
function reminderAfter(openedAt: Instant, after: Instant): Instant {
  for (const delay of REMINDERS) if (openedAt + delay > after) return openedAt + delay;
  let at = openedAt + DAY;
  while (at <= after) at += DAY;
  return at;
}
