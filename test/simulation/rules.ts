// The rulings on one monitor (R17 to R26, R41), restated simply: slot by slot, with all facts in the order they became
// known. Its alerts are the ones that must come. For the verdict: imports nothing from the product but types.

import { incidentRules } from "./rules-incident.ts";
import { deadlineOf, type EndKind, type KnownRun, knownRuns } from "./rules-runs.ts";
import type { ExpectedAlert, ExpectedUnknown, KnownGap, MonitorRules, Report, RuleTerms } from "./rules-words.ts";
import { type Instant, MINUTE, SECOND } from "./units.ts";

const TRANSIT = 5 * SECOND;
const RETRIES = MINUTE;
const EARLY_MOST = MINUTE;
/** A gap up to this long is short: it counts where the report was likely, this far around. */
const SHORT = MINUTE;
const AROUND = MINUTE;

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
  /** Every slot up to here is filled, missed, excused or covered. */
  let settledTo = createdAt;
  /** The gap that excused the first of the slots in a row before the next one. */
  let excuse: KnownGap | null = null;
  /** The last slot that was excused: by which gap, and when it was judged. */
  let excused: { readonly gap: KnownGap; readonly at: Instant } | null = null;
  /** How long after their slots the last success came and its run began; empty when nothing is known. */
  let distances: readonly number[] = [];
  const incidents = incidentRules(tell);
  const runs = knownRuns();

  const closeOf = (slot: Instant): Instant => slot + terms.graceMs + TRANSIT;
  const afterRetries = (deadline: Instant, found: readonly KnownGap[]): Instant =>
    Math.max(deadline, ...found.map((gap) => gap.to + RETRIES));
  const judgedAt = (run: KnownRun): Instant => afterRetries(run.deadline, gapsOfRun(run));

  function gapsOfRun(run: KnownRun): KnownGap[] {
    const lasts = runs.lastRunMs();
    return doubting(run.startedAt!, run.deadline, lasts === null ? [] : [run.startedAt! + lasts]);
  }

  const toleranceBefore = (slot: Instant): number =>
    Math.min(EARLY_MOST, (slot - terms.slots.atOrBefore(slot - 1)) / 10);

  function touching(from: Instant, to: Instant): KnownGap[] {
    const found: KnownGap[] = [];
    for (let place = gaps.length - 1; place >= 0 && gaps[place]!.to >= from; place--)
      if (gaps[place]!.from <= to) found.unshift(gaps[place]!);
    return found;
  }

  function gapsOfSlot(slot: Instant): KnownGap[] {
    return doubting(
      slot - toleranceBefore(slot),
      closeOf(slot),
      distances.map((distance) => slot + distance),
    );
  }

  /** R26: a short gap leaves in doubt only what was likely to come then, where anything is known of that. */
  function doubting(from: Instant, to: Instant, likelyAt: readonly Instant[]): KnownGap[] {
    const known = likelyAt.filter((at) => at >= from - AROUND && at <= to + AROUND);
    const isNear = (gap: KnownGap): boolean => known.some((at) => gap.from <= at + AROUND && gap.to >= at - AROUND);
    const excusing = touching(from, to).filter(
      ({ excuses, to: end }) => excuses === null || (excuses === "closed" && to <= end + RETRIES),
    );
    return excusing.filter((gap) => known.length === 0 || gap.to - gap.from > SHORT || isNear(gap));
  }

  function distanceOf(at: Instant, mayBeEarly: boolean): number {
    const before = terms.slots.atOrBefore(at);
    const next = terms.slots.after(at);
    const isEarly = mayBeEarly && next - at <= Math.min(EARLY_MOST, (next - before) / 10);
    return at - (isEarly ? next : before);
  }

  /** The earliest of all that is due; at one instant a run's deadline before a slot before a reminder (R21). */
  function nextDue(): { at: Instant; settle: () => void } | null {
    const dues = runs.open().map((run) => ({ at: judgedAt(run), settle: () => overrun(run) }));
    const slot = nextToJudge();
    if (slot !== null) dues.push(slotDue(slot));
    const remindAt = incidents.remindAt();
    if (remindAt !== null) dues.push({ at: remindAt, settle: () => remind(remindAt) });
    return dues.reduce<(typeof dues)[number] | null>(
      (earliest, due) => (earliest === null || due.at < earliest.at ? due : earliest),
      null,
    );
  }

  /** Under an open run a slot that closes is not missed (R21); after a miss was told none is told again, and none while an overdue run may report (R23). */
  function nextToJudge(): Instant | null {
    if (incidents.onlyCount()) return null;
    const coveredUntil = Math.max(Number.NEGATIVE_INFINITY, ...runs.open().map(({ deadline }) => deadline));
    let slot = terms.slots.after(settledTo);
    while (closeOf(slot) < coveredUntil) slot = terms.slots.after(slot);
    return slot === Number.POSITIVE_INFINITY ? null : slot;
  }

  function slotDue(slot: Instant): { at: Instant; settle: () => void } {
    const doubts = gapsOfSlot(slot);
    const at = afterRetries(closeOf(slot), doubts);
    return { at, settle: () => judge(slot, doubts, at) };
  }

  /** Slots that have closed are behind us: missed, if a miss was told and no run was open. */
  function leaveBehind(until: Instant, underRun: boolean): void {
    for (let slot = terms.slots.after(settledTo); closeOf(slot) <= until; slot = terms.slots.after(slot)) {
      settledTo = slot;
      if (underRun) continue;
      if (gapsOfSlot(slot).length > 0) incidents.countUnheard();
      else incidents.countMissed();
    }
  }

  /** A slot is excused once (R26), and those that one gap has left to be judged at one instant are judged alike. */
  function judge(slot: Instant, doubts: readonly KnownGap[], due: Instant): void {
    newest = Math.max(newest, due);
    settledTo = slot;
    const gap = doubts.at(-1);
    const first = excuse === null || doubts.some(({ from }) => from <= excuse!.to);
    const alike = excused !== null && excused.gap === gap && excused.at === due;
    if (gap !== undefined && (first || alike)) {
      excuse ??= gap;
      excused = { gap, at: due };
      incidents.countUnheard();
      leaveUnknown({ gap, slot, run: null, at: newest });
      return;
    }
    excuse = null;
    incidents.trouble({ cause: "missed", message: null, runId: null, run: null, slot }, newest, terms);
  }

  function overrun(run: KnownRun): void {
    const doubts = gapsOfRun(run);
    newest = Math.max(newest, judgedAt(run));
    run.open = false;
    leaveBehind(run.deadline - 1, true);
    if (doubts.length > 0) leaveUnknown({ gap: doubts.at(-1)!, slot: null, run, at: newest });
    else incidents.trouble({ cause: "unfinished", message: null, runId: run.runId, run, slot: null }, newest, terms);
  }

  function remind(due: Instant): void {
    newest = Math.max(newest, due);
    const uncounted = incidents.onlyCount() && runs.open().length === 0 ? closedBy(newest) : 0;
    incidents.remind(due, newest, touching(due, due)[0]?.to ?? null, uncounted);
  }

  /** How many slots have closed that are not behind us yet, and in no gap of ours. */
  function closedBy(until: Instant): number {
    let count = 0;
    for (let slot = terms.slots.after(settledTo); closeOf(slot) <= until; slot = terms.slots.after(slot))
      if (gapsOfSlot(slot).length === 0) count += 1;
    return count;
  }

  function look(at: Instant): void {
    for (let due = nextDue(); due !== null && due.at <= at; due = nextDue()) due.settle();
  }

  /** Settles what is overdue, then lets `change` happen at the report's time, or at the newest known one (R26). */
  function at(arrivedAt: Instant, change: (at: Instant) => void): void {
    const now = Math.max(arrivedAt, newest);
    look(now);
    newest = now;
    if (incidents.onlyCount()) leaveBehind(now, runs.open().length > 0);
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

  /** R12: the report that brings another schedule fills what was open; a slot of both that was filled early stays so. */
  function declare(declared: RuleTerms, now: Instant): void {
    const otherSlots = declared.slotsName !== terms.slotsName;
    if (otherSlots && settledTo !== declared.slots.after(now)) settledTo = now;
    if (otherSlots) distances = [];
    terms = declared;
  }

  function take({ kind, runId, attempt, message }: Report, now: Instant): void {
    if (kind === "start") {
      fill(now, true);
      incidents.received(now);
      const { slots, graceMs, maxRuntimeMs } = terms;
      const deadline = deadlineOf(slots, graceMs, maxRuntimeMs, runs.lastRunMs(), now);
      runs.start({ runId, attempt }, now, deadline, slots);
      return;
    }
    end(kind, runId, message, now);
  }

  function end(kind: EndKind, runId: string | null, message: string | null, now: Instant): void {
    const found = runs.endedBy(runId, kind, now);
    fill(now, found === null || found.run.startedAt === null);
    incidents.received(now);
    const run = runs.end(found, runId, kind, now);
    if (kind === "fail") incidents.trouble({ cause: "failed", message, runId, run, slot: null }, now, terms);
    else {
      const startedAt = run?.startedAt ?? null;
      distances = [distanceOf(now, startedAt === null), ...(startedAt === null ? [] : [distanceOf(startedAt, true)])];
      const beganAt = run?.startedAt ?? (kind === "heartbeat" ? now : Number.NEGATIVE_INFINITY);
      if (terms.maxRuntimeMs === null) runs.giveUpBefore(beganAt);
      incidents.succeeded(now, run);
    }
  }

  function refused(arrivedAt: Instant, repeats: boolean): void {
    const expected = terms.slots.after(settledTo);
    if (repeats && !incidents.onlyCount() && arrivedAt < expected - toleranceBefore(expected)) return;
    at(arrivedAt, (now) => {
      const before = terms.slots.after(settledTo);
      fill(now, true);
      if (terms.slots.after(settledTo) !== before) leaveUnknown({ gap: null, slot: before, run: null, at: now });
    });
  }

  function pullBack(now: Instant, backMs: number): void {
    look(now);
    newest = now;
    if (incidents.onlyCount()) leaveBehind(now, runs.open().length > 0);
    settledTo = now;
    excuse = null;
    runs.restart(now);
    incidents.pullBack(now, backMs);
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
      at(arrivedAt, (now) => {
        // Nothing is judged by the terms it brings before it is heard (R12).
        if (report.terms !== null && report.terms !== terms) declare(report.terms, now);
        take(report, now);
      });
    },
    refused,
    pullBack,
    newestAt: () => newest,
  };
}
