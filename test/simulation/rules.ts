// The rulings on one monitor (R17 to R26, R41), restated simply: slot by slot, with all facts in the order they became
// known. Its alerts are the ones that must come. For the verdict: imports nothing from the product but types.

import { incidentRules } from "./rules-incident.ts";
import { deadlineOf, type EndKind, type KnownRun, knownRuns } from "./rules-runs.ts";
import { AROUND, type Expected, type Filling, intervalExpected, slotsExpected } from "./rules-slots.ts";
import type { ExpectedAlert, ExpectedUnknown, KnownGap, MonitorRules, Report, RuleTerms } from "./rules-words.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "./units.ts";

const TRANSIT = 5 * SECOND;
const RETRIES = MINUTE;
/** A gap up to this long is short: it counts where the report was likely. */
const SHORT = MINUTE;
/** Between slots that are further apart than this, it counts only so near to where the report was likely. */
const FAR_APART = 6 * HOUR;
const NEARLY_THEN = 10 * SECOND;

/** `gaps`: all that are known, disjoint and ascending; the caller adds to it as they are found. */
export function monitorRules(
  first: RuleTerms,
  createdAt: Instant,
  gaps: readonly KnownGap[],
  tell: (alert: ExpectedAlert) => void,
  leaveUnknown: (unknown: ExpectedUnknown) => void,
): MonitorRules {
  let terms = first;
  let expected = expectedBy(first, createdAt);
  let newest = createdAt;
  /** When the newest success and failure came; a run that was told not to have ended failed at its deadline. */
  let succeededAt: Instant | null = null;
  let failedAt: Instant | null = null;
  /** Every slot up to here is filled, missed, excused or covered. */
  let settledTo = createdAt;
  /** The gap that excused the first of the slots in a row before the next one. */
  let excuse: KnownGap | null = null;
  /** The last slot that was excused: by which gap, and when it was judged. */
  let excused: { readonly gap: KnownGap; readonly at: Instant } | null = null;
  const incidents = incidentRules(tell);
  const runs = knownRuns();

  /** When the last end came, if the clock was behind then. */
  let endedBehind = Number.NEGATIVE_INFINITY;

  /** The minute in which a report was refused last, and whether another one was refused before it there. */
  let refusedIn = { minute: Number.NEGATIVE_INFINITY, further: false };

  const closeOf = (slot: Instant): Instant => slot + terms.graceMs + TRANSIT;
  const lastEnd = (): Instant | null =>
    succeededAt === null || failedAt === null ? (succeededAt ?? failedAt) : Math.max(succeededAt, failedAt);
  const afterRetries = (deadline: Instant, found: readonly KnownGap[]): Instant =>
    Math.max(deadline, ...found.map((gap) => gap.to + RETRIES));
  const judgedAt = (run: KnownRun): Instant => afterRetries(run.deadline, gapsOfRun(run));

  function gapsOfRun(run: KnownRun): KnownGap[] {
    const lasts = runs.lastRunMs();
    return doubting(run.startedAt!, run.deadline, lasts === null ? [] : [run.startedAt! + lasts], false);
  }

  function touching(from: Instant, to: Instant): KnownGap[] {
    const found: KnownGap[] = [];
    for (let place = gaps.length - 1; place >= 0 && gaps[place]!.to >= from; place--)
      if (gaps[place]!.from <= to) found.unshift(gaps[place]!);
    return found;
  }

  function gapsOfSlot(slot: Instant): KnownGap[] {
    return doubting(expected.opensAt(slot), closeOf(slot), expected.likelyAt(slot), true);
  }

  /**
   * R26: a short gap leaves in doubt only what was likely to come then, where anything is known of that; a slot far
   * from the others only what came just then.
   */
  function doubting(from: Instant, to: Instant, likelyAt: readonly Instant[], isSlot: boolean): KnownGap[] {
    const known = likelyAt.filter((at) => at >= from - AROUND && at <= to + AROUND);
    const isNear = (gap: KnownGap, by: number): boolean => known.some((at) => gap.from <= at + by && gap.to >= at - by);
    const isLikely = (gap: KnownGap): boolean =>
      isSlot && expected.apartAt(gap.from) > FAR_APART
        ? isNear(gap, NEARLY_THEN)
        : known.length === 0 || isNear(gap, AROUND);
    const excusing = touching(from, to).filter(
      ({ excuses, to: end }) => excuses === null || (excuses === "closed" && to <= end + RETRIES),
    );
    return excusing.filter((gap) => gap.to - gap.from > SHORT || isLikely(gap));
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

  /**
   * Under an open run a slot that closes is not missed (R21); after a miss was told none is told again, and none while
   * an overdue run may report (R23).
   */
  function nextToJudge(): Instant | null {
    if (incidents.onlyCount()) return null;
    const coveredUntil = Math.max(Number.NEGATIVE_INFINITY, ...runs.open().map(({ deadline }) => deadline));
    let slot = expected.after(settledTo);
    while (closeOf(slot) < coveredUntil) slot = expected.after(slot);
    return slot === Number.POSITIVE_INFINITY ? null : slot;
  }

  function slotDue(slot: Instant): { at: Instant; settle: () => void } {
    const doubts = gapsOfSlot(slot);
    const at = afterRetries(closeOf(slot), doubts);
    return { at, settle: () => judge(slot, doubts, at) };
  }

  /** Slots that have closed are behind us: missed, if a miss was told and no run was open. */
  function leaveBehind(until: Instant, underRun: boolean): void {
    for (let slot = expected.after(settledTo); closeOf(slot) <= until; slot = expected.after(slot)) {
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
      leaveUnknown({ gap, before: doubts.slice(0, -1), slot, run: null, at: newest });
      expectAgain(gap, due);
      return;
    }
    excuse = null;
    incidents.trouble({ cause: "missed", message: null, runId: null, run: null, slot }, newest, terms);
  }

  /**
   * R44: what we could not hear may have been the last for an interval; what has closed by now fell into the gap too.
   */
  function expectAgain(gap: KnownGap, due: Instant): void {
    if (terms.rhythm.everyMs === null) return;
    for (let slot = expected.after(settledTo); closeOf(slot) <= due; slot = expected.after(slot)) {
      incidents.countUnheard();
      leaveUnknown({ gap, before: [], slot, run: null, at: newest });
    }
    expected.goOnFrom(gap.to);
    settledTo = gap.to;
  }

  function overrun(run: KnownRun): void {
    const doubts = gapsOfRun(run);
    newest = Math.max(newest, judgedAt(run));
    run.open = false;
    leaveBehind(run.deadline - 1, true);
    if (doubts.length > 0)
      leaveUnknown({ gap: doubts.at(-1)!, before: doubts.slice(0, -1), slot: null, run, at: newest });
    else {
      failedAt = Math.max(failedAt ?? run.deadline, run.deadline);
      incidents.trouble({ cause: "unfinished", message: null, runId: run.runId, run, slot: null }, newest, terms);
    }
  }

  function remind(due: Instant): void {
    newest = Math.max(newest, due);
    const uncounted = incidents.onlyCount() && runs.open().length === 0 ? closedBy(newest) : 0;
    incidents.remind(due, newest, touching(due, due)[0]?.to ?? null, uncounted);
  }

  /** How many slots have closed that are not behind us yet, and in no gap of ours. */
  function closedBy(until: Instant): number {
    let count = 0;
    for (let slot = expected.after(settledTo); closeOf(slot) <= until; slot = expected.after(slot))
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

  /**
   * A report fills every slot up to its own time, and the next when that is near enough (R20); a start no interval
   * (R44).
   */
  function fill(now: Instant, filling: Filling): void {
    settledTo = Math.max(settledTo, expected.filledBy(now, filling) ?? settledTo);
    excuse = null;
  }

  /**
   * R12: the report that brings another schedule fills what was open; a slot of both that was filled early stays so. An
   * interval counts from the last end; if that has passed, the job is overdue from now on, or has been before (R44).
   */
  function declare(declared: RuleTerms, now: Instant): void {
    const { rhythm } = declared;
    if (rhythm.name !== terms.rhythm.name) {
      const open = expected.after(settledTo);
      const from =
        rhythm.everyMs === null ? now : Math.max(lastEnd() ?? createdAt, Math.min(open, now) - rhythm.everyMs);
      expected = expectedBy(declared, from);
      if (rhythm.everyMs !== null || settledTo !== expected.after(now)) settledTo = from;
    }
    terms = declared;
  }

  function take({ kind, runId, attempt, message }: Report, now: Instant): void {
    if (kind === "start") {
      fill(now, { isEnd: false, mayBeEarly: true });
      incidents.received(now);
      const deadline = deadlineOf(expected.spanAt(now), terms, runs.lastRunMs(), now);
      runs.start({ runId, attempt }, now, deadline, expected.dueSince);
      return;
    }
    end(kind, runId, message, now);
  }

  function end(kind: EndKind, runId: string | null, message: string | null, now: Instant): void {
    const found = runs.endedBy(runId, kind, now);
    fill(now, { isEnd: true, mayBeEarly: found === null || found.run.startedAt === null });
    incidents.received(now);
    const run = runs.end(found, runId, kind, now);
    if (kind === "fail") {
      failedAt = now;
      incidents.trouble({ cause: "failed", message, runId, run, slot: null }, now, terms);
      return;
    }
    expected.succeeded(now, run?.startedAt ?? null, lastEnd());
    succeededAt = now;
    const beganAt = run?.startedAt ?? (kind === "heartbeat" ? now : Number.NEGATIVE_INFINITY);
    if (terms.maxRuntimeMs === null) runs.giveUpBefore(beganAt);
    incidents.succeeded(now, run);
  }

  function refused(arrivedAt: Instant, repeats: boolean): void {
    const isBefore = (now: Instant): boolean => now < expected.showsLifeFrom(expected.after(settledTo));
    const { everyMs } = terms.rhythm;
    const minute = Math.floor(arrivedAt / MINUTE);
    const further = refusedIn.minute === minute;
    // The second one of a minute speaks for all that follow it there (R44).
    const isSpokenFor = repeats && (everyMs === null || (further && refusedIn.further));
    if (isSpokenFor && !incidents.onlyCount() && isBefore(arrivedAt)) return;
    refusedIn = { minute, further };
    at(arrivedAt, (now) => {
      excuse = null;
      const counted = everyMs !== null && further ? (Math.floor(now / MINUTE) + 1) * MINUTE : now;
      if (isBefore(now)) {
        // An interval begins again with it, and nothing was due (R44).
        const isLater = everyMs !== null && counted + everyMs > expected.after(settledTo);
        if (isLater) fill(counted, { isEnd: true, mayBeEarly: true });
        return;
      }
      const slot = expected.after(settledTo);
      fill(counted, { isEnd: true, mayBeEarly: true });
      leaveUnknown({ gap: null, before: [], slot, run: null, at: now });
    });
  }

  function pullBack(now: Instant, backMs: number): void {
    const back = (at: Instant): Instant => (at > now ? Math.min(now, at - backMs) : at);
    look(now);
    newest = now;
    if (incidents.onlyCount()) leaveBehind(now, runs.open().length > 0);
    // An end that came since the clock was set back counts as it came.
    const newestEnd = lastEnd();
    const since = (end: Instant): Instant =>
      end === newestEnd && end > now ? Math.max(back(end), endedBehind) : back(end);
    succeededAt = succeededAt === null ? null : since(succeededAt);
    failedAt = failedAt === null ? null : since(failedAt);
    expected.goOnFrom(back(lastEnd() ?? createdAt));
    settledTo = now;
    excuse = null;
    runs.restart(now);
    incidents.pullBack(now, back, since);
    look(now);
  }

  /** What it touches may still come to be in doubt: another run tells when the end of this one was likely (R26). */
  function isOpenSince(gap: KnownGap): boolean {
    if (runs.open().some((run) => run.startedAt! <= gap.to)) return true;
    const slot = nextToJudge();
    return slot !== null && expected.opensAt(slot) <= gap.to;
  }

  function keep(): () => void {
    const kept = { terms, expected, newest, endedBehind, succeededAt, failedAt, settledTo, excuse, excused, refusedIn };
    const parts = [expected.keep(), incidents.keep(), runs.keep()];
    return () => {
      ({ terms, expected, newest, endedBehind, succeededAt, failedAt, settledTo, excuse, excused, refusedIn } = kept);
      for (const putBack of parts) putBack();
    };
  }

  return {
    isOpenSince,
    look: (instant) => look(Math.max(instant, newest)),
    report: (report, arrivedAt) => {
      at(arrivedAt, (now) => {
        if (report.kind !== "start") endedBehind = arrivedAt < now ? arrivedAt : Number.NEGATIVE_INFINITY;
        // Nothing is judged by the terms it brings before it is heard (R12).
        const isNew = report.terms !== null && report.terms !== terms;
        if (isNew) declare(report.terms!, now);
        take(report, now);
        // Nor by a start, which fills no interval: a grace that it shortens alarms nobody (R44).
        if (isNew && terms.rhythm.everyMs !== null) leaveBehind(now, true);
      });
    },
    refused,
    pullBack,
    newestAt: () => newest,
    keep,
  };
}

const expectedBy = ({ rhythm }: RuleTerms, from: Instant): Expected =>
  rhythm.everyMs === null ? slotsExpected(rhythm.slots) : intervalExpected(rhythm.everyMs, from);
