// The verdict by what the jobs really did, without any of rollcall's rules: no alarm for a job that was on time and
// audible, and no missing alarm for a dead one. Looks only at true time, and where clocks were right.

import type { Answer } from "./client.ts";
import type { Contradiction } from "./failure.ts";
import type { Job, Sent } from "./job.ts";
import type { ExpectedAlert, KnownGap, RuleTerms } from "./rules-words.ts";
import type { SlotList } from "./slot-list.ts";
import { DAY, HOUR, type Instant, iso, MINUTE, SECOND } from "./units.ts";
import type { MonitorVerdict } from "./verdict-monitor.ts";

/** Why an alarm was raised, in truth. */
export type AlarmCause =
  /** The job was late, silent or failed. */
  | "its job"
  /** What the job sent in time came too late or never, through no fault of ours. */
  | "its network"
  /** Two slots in a row fell into gaps of ours: the second one is not excused (R26). */
  | "second doubtful slot"
  /** We had come and gone for over a quarter of an hour, which excuses no more (R26). */
  | "came and went"
  /** The wall clock was wrong: slots could not be told. */
  | "wrong clock"
  /** Runs without id run beside each other, or a start of one came twice: which one ended is a guess (R22). */
  | "guessed pairing"
  /**
   * What it sent fell into a short gap at an unusual time, or with an interval into one before it was likely (R26,
   * R44).
   */
  | "unlikely then";

export interface TruthVerdict {
  /** Something befell rollcall at this time, or its clock is wrong then. */
  disturbed(now: Instant): void;
  clockWrong(now: Instant): void;
  /** An alert was raised. */
  told(monitor: MonitorVerdict, alert: Pick<ExpectedAlert, "kind" | "reason" | "cause">, now: Instant): void;
  /** The same; why, if it is an alarm. */
  raised(monitor: MonitorVerdict, job: Job, terms: RuleTerms, alert: ExpectedAlert, now: Instant): AlarmCause | null;
  /** As `MonitorRules.keep`. Put back, nobody has heard what was answered since. */
  keep(jobs: readonly Job[], madeAt: Instant): () => void;
  /** Whether a job that is silent has been noticed. */
  review(monitor: MonitorVerdict, job: Job, terms: RuleTerms, now: Instant): void;
}

/** How long before a slot a wrong clock may have done something to it. */
const CLOCK_AFTERMATH = 2 * HOUR;
const TRANSIT = 5 * SECOND;
const HEARD: readonly (Answer | null)[] = ["accepted"];

/** `gaps`: in which rollcall could not hear. */
export function truthVerdict(gaps: readonly KnownGap[]): TruthVerdict {
  const disturbances: Instant[] = [];
  let clockWrongAt = Number.NEGATIVE_INFINITY;
  /** When each monitor last raised an alarm about a miss, and which have an incident open. */
  const alarmed = new Map<string, Instant>();
  const open = new Set<string>();
  /** Runs without id that an alarm was about. */
  const explained = new Set<string>();

  function disturbed(now: Instant): void {
    if (now - (disturbances.at(-1) ?? 0) < SECOND) return;
    disturbances.push(now);
    if (disturbances.length > 50_000) disturbances.splice(0, 25_000);
  }

  const wasDisturbed = (from: Instant, to: Instant): boolean => disturbances.some((at) => at >= from && at <= to);

  function told(monitor: MonitorVerdict, alert: Pick<ExpectedAlert, "kind" | "reason" | "cause">, now: Instant): void {
    if (alert.kind === "Recovered") open.delete(monitor.key);
    else open.add(monitor.key);
    const isAlarm = alert.reason === "opened" || alert.reason === "new_cause";
    if (isAlarm && alert.cause === "missed") alarmed.set(monitor.key, now);
  }

  function raised(
    monitor: MonitorVerdict,
    job: Job,
    terms: RuleTerms,
    alert: ExpectedAlert,
    now: Instant,
  ): AlarmCause | null {
    told(monitor, alert, now);
    if (alert.reason !== "opened" && alert.reason !== "new_cause") return null;
    const because = causeOf(monitor, job, terms, alert);
    if (typeof because === "string") return because;
    // An interval counts from the end before it, a deadline from the start, by the clock that was right or wrong then.
    const counted = alert.cause === "missed" ? (terms.rhythm.everyMs ?? 0) : (terms.maxRuntimeMs ?? DAY);
    if (clockWrongAt > Math.min(alert.expectedAt ?? now, alert.at) - counted - CLOCK_AFTERMATH) return "wrong clock";
    throw because;
  }

  /** A contradiction: nothing in truth explains the alarm. */
  function causeOf(
    monitor: MonitorVerdict,
    job: Job,
    { rhythm, graceMs }: RuleTerms,
    alert: ExpectedAlert,
  ): AlarmCause | Contradiction {
    if (alert.cause === "missed" && rhythm.slots !== null) return missedBecause(monitor, job, rhythm.slots, alert);
    if (alert.cause === "missed") return silentBecause(monitor, job, rhythm.everyMs!, graceMs, alert);
    return alert.cause === "unfinished" ? unfinishedBecause(monitor, job, alert) : "its job";
  }

  function missedBecause(
    monitor: MonitorVerdict,
    job: Job,
    slots: SlotList,
    alert: ExpectedAlert,
  ): AlarmCause | Contradiction {
    const slot = alert.expectedAt!;
    const { graceSeconds } = job.terms();
    const before = slots.atOrBefore(slot - 1);
    const from = slot - Math.min(MINUTE, (slot - before) / 10);
    // R20: only the end of a run that has its start fills nothing early.
    const mayFillFrom = ({ report }: Sent): Instant =>
      report.kind === "start" || report.kind === "heartbeat" ? from : slot;
    const inTime = job.sent.filter((sent) => {
      const { firstAt } = sent.sending;
      return firstAt >= mayFillFrom(sent) && firstAt <= slot + graceSeconds * SECOND;
    });
    if (inTime.length === 0) return "its job";
    const arrivals = inTime.flatMap(({ sending }) =>
      sending.arrivals.filter(({ at }) => at <= slot + graceSeconds * SECOND + TRANSIT),
    );
    if (arrivals.some(({ answer }) => HEARD.includes(answer))) {
      return monitor.contradiction("an alarm although the report had come", { alert, inTime });
    }
    if (arrivals.length === 0) return "its network";
    const earlier = job.sent.filter(({ sending }) => sending.firstAt >= before - MINUTE && sending.firstAt < from);
    if (earlier.some(({ sending }) => sending.arrivals.some(({ answer }) => HEARD.includes(answer)))) {
      // What came while the clock was wrong has counted for another slot, and the one before was doubtful for want of
      // it.
      if (clockWrongAt > before - CLOCK_AFTERMATH) return "wrong clock";
      if (arrivals.every(({ at }) => isShort(gapAt(at)))) return "unlikely then";
      if (arrivals.every(({ at }) => (gapAt(at)?.excuses ?? null) !== null)) return "came and went";
      return monitor.contradiction("an alarm although we could not hear the report", { alert, inTime, earlier });
    }
    return "second doubtful slot";
  }

  /** R44: an alarm says that nothing has ended for the whole interval before the slot, nor until it closed. */
  function silentBecause(
    monitor: MonitorVerdict,
    job: Job,
    everyMs: number,
    graceMs: number,
    alert: ExpectedAlert,
  ): AlarmCause | Contradiction {
    const slot = alert.expectedAt!;
    const begunAt = slot - everyMs;
    const ended = job.sent.filter(({ report }) => report.kind !== "start");
    const inTime = ended.filter(({ sending: { firstAt } }) => firstAt > begunAt && firstAt <= slot + graceMs);
    if (inTime.length === 0) return "its job";
    const arrivals = inTime.flatMap(arrivalsOf).filter(({ at }) => at <= slot + graceMs + TRANSIT);
    if (arrivals.some(({ answer }) => HEARD.includes(answer)))
      return monitor.contradiction("an alarm although an end had come", { alert, inTime });
    if (arrivals.length === 0) return "its network";
    // One that was refused begins the interval again, unless it was lost before it was kept (R44).
    const deaf = arrivals.map(({ at }) => gapAt(at));
    // Counted from the end of another gap, which has excused the slot before.
    if (gaps.some(({ to }) => to === begunAt)) return "second doubtful slot";
    const likely = likelyAfter(ended, begunAt);
    if (deaf.every((gap) => isShort(gap) || (gap !== null && likely !== null && gap.to < likely - MINUTE)))
      return "unlikely then";
    return monitor.contradiction("an alarm although we could not hear the end", { alert, inTime, likely });
  }

  const gapAt = (at: Instant): KnownGap | null => gaps.find(({ from, to }) => from <= at && at <= to) ?? null;

  /** With an id it is certain which run it is about. */
  function unfinishedBecause(monitor: MonitorVerdict, job: Job, alert: ExpectedAlert): AlarmCause | Contradiction {
    if (alert.runId === null) return unnamedBecause(monitor, job, alert);
    const attempt = job.sent.findLastIndex(({ report }) => report.runId === alert.runId && report.kind === "start");
    const ends = job.sent.slice(attempt + 1).filter(({ report }) => report.runId === alert.runId);
    const arrivals = ends.flatMap(arrivalsOf).filter(({ at, answer }) => at <= alert.at && answer !== "limited");
    if (arrivals.length > 0 && arrivals.every(({ at }) => isShort(gapAt(at)))) return "unlikely then";
    if (arrivals.length > 0) return monitor.contradiction("an alarm although the run had ended", { alert, ends });
    return "its job";
  }

  /**
   * A run that had not ended explains one alarm. Where runs have overlapped, or a start that was repeated came twice,
   * rollcall cannot know which start an end belongs to.
   */
  function unnamedBecause(monitor: MonitorVerdict, job: Job, alert: ExpectedAlert): AlarmCause | Contradiction {
    const { maxRuntimeSeconds } = job.terms();
    const since = alert.at - (maxRuntimeSeconds === null ? 2 * DAY : maxRuntimeSeconds * SECOND) - MINUTE;
    const runs = runsOf(job.sent, alert.at).filter((run) => lasted(run) >= since);
    const unended = runs.find(({ name, endedAt }) => endedAt === null && !explained.has(`${monitor.key} ${name}`));
    if (unended !== undefined) {
      explained.add(`${monitor.key} ${unended.name}`);
      return "its job";
    }
    const isGuess = runs.some(
      ({ startedAt, starts }, place) => starts > 1 || runs.slice(0, place).some((run) => lasted(run) >= startedAt),
    );
    if (isGuess) return "guessed pairing";
    return monitor.contradiction("an alarm although no run was left unfinished", { alert, runs: runs.slice(-5) });
  }

  function review(monitor: MonitorVerdict, job: Job, { rhythm, graceMs }: RuleTerms, now: Instant): void {
    const { habit, alertAfterMisses, laterTerms } = job.member;
    if (habit !== "heartbeat" || alertAfterMisses > 1 || laterTerms !== null || open.has(monitor.key)) return;
    const last = job.sent.findLast(({ sending }) => sending.arrivals.length > 0);
    if (last === undefined || now - clockWrongAt < 2 * DAY) return;
    const heardAt = last.sending.arrivals.at(-1)!.at;
    const slot = rhythm.slots === null ? heardAt + rhythm.everyMs : rhythm.slots.after(heardAt + MINUTE);
    const due = slot + graceMs + TRANSIT;
    const from = rhythm.slots === null ? heardAt - MINUTE : slot - DAY;
    if (now < due + 5 * SECOND || wasDisturbed(from, now)) return;
    const told = alarmed.get(monitor.key) ?? 0;
    if (told < heardAt) throw monitor.contradiction("a silent job was not noticed", { last, slot: iso(slot) });
  }

  return {
    disturbed,
    clockWrong: (now) => {
      clockWrongAt = now;
    },
    told,
    raised,
    review,
    keep: (jobs, madeAt) => {
      const kept = new Set(open);
      return () => {
        open.clear();
        for (const key of kept) open.add(key);
        const since = jobs.flatMap(({ sent }) => sent.flatMap(arrivalsOf)).filter(({ at }) => at > madeAt);
        for (const arrival of since) if (arrival.answer !== null) arrival.answer = "gone";
      };
    },
  };
}

interface TrueRun {
  readonly name: string;
  /** When its start was heard first, and how often it was. */
  readonly startedAt: Instant;
  readonly starts: number;
  /** When its end was heard; null: not yet. */
  readonly endedAt: Instant | null;
}

const isShort = (gap: KnownGap | null): boolean => gap !== null && gap.to - gap.from <= MINUTE;

/**
 * When the next end was likely: as long after this one as the last success that was heard came after the end before it.
 * What was repeated under one key counts once (R11), and the last as of when it was heard, which may be later than it
 * came.
 */
function likelyAfter(ended: readonly Sent[], begunAt: Instant): Instant | null {
  const heard = ended.flatMap(({ report, sending }) => {
    const arrivals = sending.arrivals.filter(({ at, answer }) => at <= begunAt && HEARD.includes(answer));
    const counted = report.idempotencyKey === null ? arrivals : arrivals.slice(0, 1);
    return counted.map(({ at }) => ({ at, isSuccess: report.kind !== "fail" }));
  });
  const last = heard.findLastIndex(({ isSuccess }) => isSuccess);
  if (last < 1) return null;
  const lastAt = last === heard.length - 1 ? begunAt : heard[last]!.at;
  return begunAt + lastAt - heard[last - 1]!.at;
}

const lasted = ({ endedAt }: TrueRun): Instant => endedAt ?? Number.POSITIVE_INFINITY;

/** What rollcall has heard of runs by `until`: those whose start it heard, in their order. */
function runsOf(sent: readonly Sent[], until: Instant): TrueRun[] {
  const heardOf = (reports: readonly Sent[]): Instant[] =>
    reports
      .flatMap(arrivalsOf)
      .filter(({ at, answer }) => at <= until && HEARD.includes(answer))
      .map(({ at }) => at);
  return [...Map.groupBy(sent, ({ run }) => run)].flatMap(([name, reports]) => {
    const starts = heardOf(reports.filter(({ report }) => report.kind === "start"));
    const ends = heardOf(reports.filter(({ report }) => report.kind !== "start"));
    const [startedAt] = starts;
    return startedAt === undefined ? [] : [{ name, startedAt, starts: starts.length, endedAt: ends[0] ?? null }];
  });
}

const arrivalsOf = ({ sending }: Sent) => sending.arrivals;
