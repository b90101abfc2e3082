// The verdict on the whole run: compares what was kept, told and received with what jobs did and when rollcall could
// hear. Throws contradictions as soon as they show. Imports nothing from the product but types.

import type { LogFields } from "../../src/domain/log.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { readCrontab } from "./crontab.ts";
import { Contradiction } from "./failure.ts";
import type { Member, Terms } from "./fleet.ts";
import type { Job, Report } from "./job.ts";
import { HEARERS, type Heard, type Hearer, RECEIVERS, type Reception } from "./receivers.ts";
import type { KnownGap, RuleTerms } from "./rules-words.ts";
import { slotList } from "./slot-list.ts";
import { DAY, type Instant, iso, MINUTE, SECOND } from "./units.ts";
import { copyVerdict } from "./verdict-copies.ts";
import { deliveryVerdict, type Route } from "./verdict-deliveries.ts";
import { hearerVerdict } from "./verdict-hearers.ts";
import { type HearingVerdict, hearingVerdict, type WrittenGap } from "./verdict-hearing.ts";
import { type LateVerdict, lateVerdict } from "./verdict-late.ts";
import { type MonitorVerdict, monitorVerdict } from "./verdict-monitor.ts";
import { noticeVerdict } from "./verdict-notices.ts";
import { type AlarmCause, truthVerdict } from "./verdict-truth.ts";
import { zoneOf } from "./zone.ts";

export interface VerdictParts {
  readonly jobs: readonly Job[];
  /** True time, and what rollcall's wall clock shows. */
  readonly now: () => Instant;
  readonly wall: () => Instant;
  readonly count: (what: string) => void;
}

export interface Verdict {
  readonly hearing: HearingVerdict;
  /** Monitors that the configuration names exist from now on. */
  configured(at: Instant): void;
  settled(at: Instant): void;
  /** Something befalls rollcall, or its clock is wrong. */
  disturbed(clockIsWrong: boolean): void;
  accepted(key: string, report: Report, at: Instant): void;
  refused(key: string, report: Report, at: Instant): void;
  logged(event: string, fields: LogFields): void;
  received(reception: Reception): void;
  /** A person or a pager has got a message, or could not be reached. */
  heard(heard: Heard): void;
  notReached(hearer: Hearer): void;
  /** A message is being sent; it was written down that it was. */
  sending(delivery: number): void;
  marked(delivery: number): void;
  givenUp(delivery: ClaimedDelivery, at: Instant): void;
  /**
   * A backup is made now, that knows deliveries up to this number; what it answers is to be called when that has taken
   * the place of the database, before rollcall starts.
   */
  keep(lastDelivery: number): () => void;
  /** Whether a restore has made rollcall forget this monitor. */
  knows(key: string): boolean;
  /** Everything that has been due for long has been told. */
  review(): void;
  /** How far the newest instant of any monitor lies ahead of the wall clock, in milliseconds. */
  ahead(): number;
  finish(): void;
  counts(): Readonly<Record<string, number>>;
}

interface Watched {
  readonly job: Job;
  readonly monitor: MonitorVerdict;
  /** The same, of a job whose reports may come late. */
  readonly late: LateVerdict | null;
  readonly routes: readonly Route[];
  declared: Declared;
  terms: RuleTerms | null;
  /** Idempotency keys of the last reports that were kept. */
  readonly keys: Set<string>;
}

interface Declared {
  readonly schedule: string | null;
  readonly everySeconds: number | null;
  readonly graceSeconds: number;
  readonly maxRuntimeSeconds: number | null;
}

export function verdictOn({ jobs, now, wall, count }: VerdictParts): Verdict {
  const hearing = hearingVerdict();
  const deliveries = deliveryVerdict();
  const copies = copyVerdict();
  const notices = noticeVerdict(hearing.gaps, (key) => watched.get(key)?.late != null);
  const truth = truthVerdict(hearing.gaps);
  const alarms = new Map<AlarmCause, number>();
  const watched = new Map(jobs.map((job) => [job.member.key, watch(job)]));
  const hearers = hearerVerdict({
    now,
    wall,
    undisturbedSince: () => disturbedAt,
    rightSince: () => clockWrongAt,
  });
  let unread: { readonly at: Instant; readonly read: (at: Instant) => void }[] = [];
  let settledTo = Number.NEGATIVE_INFINITY;
  let disturbedAt = Number.NEGATIVE_INFINITY;
  let clockWrongAt = Number.NEGATIVE_INFINITY;

  function watch(job: Job): Watched {
    const { member } = job;
    const { key, terms } = member;
    const routes = routesOf(member);
    if (member.spools) return watchLate(job, routes);
    const monitor = monitorVerdict({
      key,
      about: member,
      gaps: hearing.gaps,
      unknown: (unknown) => notices.unknown(monitor, routes, unknown),
      agreed: (raised) => {
        count(`${raised.alert.kind} ${raised.alert.reason}`);
        if (raised.alert.isForPeople) return count("reminders for people alone");
        deliveries.raised(monitor, routes, raised);
        hearers.raised(monitor, raised);
        const cause = truth.raised(monitor, job, watched.get(key)!.terms!, raised.alert, now());
        if (cause !== null) alarms.set(cause, (alarms.get(cause) ?? 0) + 1);
        checkPromptness(monitor, raised.alert.at);
      },
    });
    return { job, monitor, late: null, routes, declared: declaredBy(terms), terms: null, keys: new Set() };
  }

  function watchLate(job: Job, routes: readonly Route[]): Watched {
    const { key, terms } = job.member;
    const declared = declaredBy(terms);
    const inForce = ruleTerms(job.member, declared);
    const late = lateVerdict({
      key,
      about: job.member,
      terms: inForce,
      soundSince: () => clockWrongAt + 2 * DAY,
      told: (raised) => {
        deliveries.raised(late, routes, raised);
        truth.told(late, raised.alert, now());
        count(`late: ${raised.alert.kind} ${raised.alert.reason}`);
      },
    });
    return { job, monitor: late, late, routes, declared, terms: inForce, keys: new Set() };
  }

  /** Unless something befell us, what became true has been told within seconds. */
  function checkPromptness(monitor: MonitorVerdict, at: Instant): void {
    const late = wall() - at;
    if (late > 5 * SECOND && now() - disturbedAt > late + MINUTE) {
      throw monitor.contradiction("an alert was told late", { at: iso(at), late });
    }
  }

  /** Who declares a schedule or an interval takes back the other (R44). */
  function declare(one: Watched, { said }: Report): RuleTerms {
    const { schedule, everySeconds, graceSeconds, maxRuntimeSeconds } = said;
    const { member } = one.job;
    const rhythm = schedule === null && everySeconds === null ? one.declared : { schedule, everySeconds };
    const declared = {
      schedule: rhythm.schedule,
      everySeconds: rhythm.everySeconds,
      graceSeconds: graceSeconds ?? one.declared.graceSeconds,
      maxRuntimeSeconds: maxRuntimeSeconds ?? one.declared.maxRuntimeSeconds,
    };
    const same = JSON.stringify(declared) === JSON.stringify({ ...one.declared });
    if (one.terms === null || (!same && !member.configured)) one.terms = ruleTerms(member, declared);
    one.declared = declared;
    return one.terms;
  }

  function accepted(key: string, report: Report, at: Instant): void {
    const one = watched.get(key)!;
    keepKey(one, report);
    if (one.late !== null) return one.late.heard(report, at);
    notices.reported(key, report.kind, at);
    const terms = declare(one, report);
    if (one.monitor.rules() === null) one.monitor.create(terms, at);
    const { runId, attempt, message } = report;
    one.monitor.report({ kind: kindOf(report), runId, attempt, message, terms }, at);
  }

  /** R11: a repeat of what was kept is not kept again. */
  function keepKey({ monitor, keys }: Watched, { idempotencyKey }: Report): void {
    if (idempotencyKey === null) return;
    if (keys.has(idempotencyKey)) throw monitor.contradiction("a repeat was kept", { idempotencyKey });
    keys.add(idempotencyKey);
    if (keys.size > KEYS_KEPT) keys.delete(keys.values().next().value!);
  }

  /** Of a report that had come already nothing is lost. */
  function refused(key: string, report: Report, at: Instant): void {
    const { monitor, late, routes, keys } = watched.get(key)!;
    if (late !== null) {
      // Nothing is written of one that rollcall does not know yet.
      if (keys.size > 0 && !keys.has(report.idempotencyKey ?? "")) notices.refused(key, routes, report.kind, at);
      return;
    }
    if (monitor.rules() === null || keys.has(report.idempotencyKey ?? "")) return;
    const repeats = notices.refused(key, routes, report.kind, at);
    monitor.refused(at, repeats);
  }

  function logged(event: string, fields: LogFields): void {
    if (event === "alert") watched.get(String(fields["monitor"]))!.monitor.raised(fields);
    else if (event === "notice" && fields["notice"] === "clock") pullBack(Number(fields["setBackSeconds"]) * SECOND);
    else if (NEVER.includes(event)) throw new Contradiction(`rollcall logged ${event}`, null, { ...fields }, []);
  }

  /** Told once for each receiver; the first one is enough. */
  function pullBack(backMs: number): void {
    const at = wall();
    const ahead = [...watched.values()].filter(({ monitor }) => (monitor.rules()?.newestAt() ?? 0) > at);
    for (const { monitor } of ahead) monitor.pulledBack(at, backMs);
    if (ahead.length > 0) count("clocks pulled back");
    hearing.pulledBack(at);
    notices.pulledBack(at);
    unread = unread.map((one) => ({ ...one, at: Math.min(one.at, at) }));
    settledTo = at;
  }

  function received(reception: Reception): void {
    if (copies.received(reception, now())) return;
    const { message } = reception.delivery;
    // Nobody asks for a test here, no monitor is drilled, and no receiver takes digests.
    if (message.type === "destination.test" || message.type === "monitor.digest")
      throw new Error("a message that nobody asked for");
    if (message.type !== "service.notice") {
      const { monitor, late } = watched.get(message.data.monitorKey)!;
      if (message.data.reason !== "restored") monitor.agree();
      late?.arrived(message.data, message.at);
      return deliveries.received(reception);
    }
    const { notice } = message.data;
    // What a wrong clock has written may be sent again once that is set right.
    unread.push({ at: Math.min(message.at, wall()), read: (at) => notices.received(reception, notice, at) });
    readNotices();
  }

  function heard({ hearer, delivery }: Heard): void {
    const { id, reference, recipient, message } = delivery;
    if (copies.received({ receiver: hearer.name, recipient, reference, delivery }, now())) return;
    if (message.type === "destination.test" || message.type === "monitor.digest")
      throw new Error(`a message that no one asked for: ${id}`);
    // Notices are told to receivers too, whose verdict is enough.
    if (message.type === "service.notice") return;
    if (message.data.reason !== "restored") watched.get(message.data.monitorKey)!.monitor.agree();
    hearers.heard({ hearer, delivery });
  }

  /** Only once the rules have judged what rollcall had judged when it wrote them. */
  function readNotices(): void {
    if (unread.every(({ at }) => at > settledTo)) return;
    settleAll(settledTo);
    const ready = unread.filter(({ at }) => at <= settledTo);
    unread = unread.filter(({ at }) => at > settledTo);
    for (const { at, read } of ready) read(at);
  }

  function settleAll(at: Instant): void {
    for (const { monitor } of watched.values()) monitor.settled(at);
  }

  function keep(lastDelivery: number): () => void {
    const [madeAt, shownAt] = [now(), wall()];
    settleAll(settledTo);
    const known = [...watched.values()].map((one) => {
      const { declared, terms, keys } = one;
      return { one, declared, terms, keys: new Set(keys), putBack: one.monitor.keep(), forget: one.job.keep() };
    });
    const putBackGaps = hearing.keep(shownAt);
    const putBackHearers = hearers.keep();
    const parts = [truth.keep(jobs, madeAt), notices.keep(lastDelivery), deliveries.keep(lastDelivery)];
    return () => {
      settleAll(settledTo);
      readNotices();
      unread = [];
      for (const { one, declared, terms, keys, putBack, forget } of known) {
        Object.assign(one, { declared, terms });
        one.keys.clear();
        for (const key of keys) one.keys.add(key);
        putBack();
        forget();
      }
      putBackGaps(wall());
      // Nothing is, by what it knows now, until it has started and looked.
      settledTo = Number.NEGATIVE_INFINITY;
      copies.putBack(madeAt);
      putBackHearers();
      for (const putBackPart of parts) putBackPart(wall());
    };
  }

  /** How far the newest instant of any monitor lies ahead of the wall clock. */
  const ahead = (): number =>
    Math.max(...[...watched.values()].map(({ monitor }) => monitor.rules()?.newestAt() ?? 0)) - wall();

  function review(): void {
    settleAll(settledTo);
    if (ahead() > MINUTE && now() - disturbedAt > PUT_RIGHT_AFTER)
      throw new Contradiction("what a wrong clock had left was not put right", null, { ahead: ahead() }, []);
    hearing.review(wall());
    hearers.review();
    for (const { monitor, job, terms } of watched.values()) {
      if (terms !== null) truth.review(monitor, job, terms, now());
    }
  }

  return {
    hearing: {
      ...hearing,
      // What was judged by then was judged by the gaps that were known then: one that goes on may touch more.
      found: (written) => {
        const isNews = ({ from, to }: WrittenGap): boolean =>
          hearing.gaps.some((gap) => gap.from === from && gap.to !== to);
        if (written.some(isNews)) settleAll(settledTo);
        hearing.found(written);
      },
    },
    configured: (at) => {
      for (const one of watched.values()) {
        const { configured, terms } = one.job.member;
        if (!configured) continue;
        one.terms = ruleTerms(one.job.member, declaredBy(terms));
        one.monitor.create(one.terms, at);
      }
    },
    settled: (at) => {
      settledTo = at;
      if (unread.length > 0) readNotices();
    },
    disturbed: (clockIsWrong) => {
      if (now() - disturbedAt > 0) settleAll(settledTo);
      disturbedAt = now();
      truth.disturbed(now());
      if (!clockIsWrong) return;
      truth.clockWrong(now());
      clockWrongAt = wall();
    },
    accepted,
    refused,
    logged,
    received,
    heard,
    notReached: hearers.notReached,
    sending: copies.sending,
    marked: (delivery) => copies.marked(delivery, now()),
    givenUp: (delivery, at) => {
      const hasArrived = copies.hasArrived(delivery.id);
      const hearer = HEARERS.find(({ name }) => name === delivery.destination);
      if (hearer === undefined) deliveries.givenUp(delivery, at, hasArrived);
      else hearers.givenUp(hearer, delivery, at, hasArrived);
    },
    keep,
    knows: (key) => watched.get(key)!.monitor.rules() !== null,
    review,
    ahead,
    finish: () => {
      review();
      for (const { at, read } of unread) read(at);
      deliveries.finish();
      const isOpen = ({ monitor, late }: Watched, gap: KnownGap): boolean =>
        late !== null || monitor.rules()?.isOpenSince(gap) === true;
      notices.finish((gap) => [...watched.values()].some((one) => isOpen(one, gap)), wall());
    },
    counts: () => ({
      ...Object.fromEntries([...alarms].map(([cause, number]) => [`alarms: ${cause}`, number])),
      ...deliveries.counts(),
      ...hearers.counts(),
      ...notices.counts(),
      copies: copies.count(),
    }),
  };
}

const KEYS_KEPT = 500;

/** R26: ten minutes, and a little for doing it. */
const PUT_RIGHT_AFTER = 12 * MINUTE;

/** Log events that report a defect of ours, whatever the fault. */
const NEVER = ["ping_failed", "monitor_unreadable", "announcing_failed", "channel_threw"];

function kindOf({ kind }: Report) {
  if (kind === "log") throw new Error("no job sends logs");
  return kind;
}

const routesOf = ({ destinations }: Member): Route[] =>
  RECEIVERS.filter(({ name }) => destinations.includes(name)).map(({ name }) => ({ receiver: name, recipient: null }));

/** What a job with these terms says: one of both. */
const declaredBy = ({ schedule, everySeconds, ...rest }: Terms): Declared => ({
  ...rest,
  everySeconds,
  schedule: everySeconds === null ? schedule : null,
});

const ruleTerms = (
  { timezone, alertAfterMisses, alertAfterFailures }: Member,
  { schedule, everySeconds, graceSeconds, maxRuntimeSeconds }: Declared,
): RuleTerms => ({
  rhythm:
    everySeconds === null
      ? { name: `${schedule} ${timezone}`, slots: slotList(readCrontab(schedule!), zoneOf(timezone)), everyMs: null }
      : { name: `every ${everySeconds}`, slots: null, everyMs: everySeconds * SECOND },
  graceMs: graceSeconds * SECOND,
  maxRuntimeMs: maxRuntimeSeconds === null ? null : maxRuntimeSeconds * SECOND,
  alertAfterMisses,
  alertAfterFailures,
});
