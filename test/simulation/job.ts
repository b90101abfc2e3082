// One job on its host: its scheduler starts it, it runs, and it reports as its kind does. It may fail, be slow, hang,
// start again beside itself, or never start again. What it really did is kept for the verdict.

import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { Declared } from "../../src/domain/settings/settings.ts";
import type { Ping } from "../../src/engine/api.ts";
import type { Agenda } from "./agenda.ts";
import type { Deliver, Network, Sending } from "./client.ts";
import { readCrontab } from "./crontab.ts";
import type { Member, Terms } from "./fleet.ts";
import type { Random } from "./random.ts";
import { type NextRun, schedulerOf } from "./schedulers.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "./units.ts";
import { zoneOf } from "./zone.ts";

/** A request as the job's client makes it; its repeats are known by the key, if it sends one (R11). */
export interface Report extends Omit<Ping, "caller" | "idempotency"> {
  readonly idempotencyKey: string | null;
}

const saidBy = (
  { timezone }: Member,
  { schedule, everySeconds, graceSeconds, maxRuntimeSeconds }: Terms,
): Declared => ({
  ...NOTHING_DECLARED,
  ...(everySeconds === null ? { schedule } : { everySeconds }),
  graceSeconds,
  timezone,
  maxRuntimeSeconds,
});

/** What the job sent, and what became of it. */
export interface Sent {
  /** The run and its attempt in truth, whether or not the report names them. */
  readonly run: string;
  readonly report: Report;
  readonly sending: Sending;
}

export interface Job {
  readonly member: Member;
  /** The last things it sent, oldest first. */
  readonly sent: readonly Sent[];
  /** What its reports declare now. */
  terms(): Terms;
  begin(): void;
  /** It is not started any more until then; Infinity: for good. */
  silence(until: Instant): void;
  /** When its scheduler was last told to stop starting it, and until when. */
  silentSpan(): { readonly from: Instant; readonly until: Instant } | null;
  /** What it declares from now on, and when it runs. */
  change(terms: Terms): void;
  /** A report of it was taken. */
  accepted(report: Report): void;
  /** Remembers what rollcall knows of its terms; what it answers puts that back, so that it declares again. */
  keep(): () => void;
}

export interface JobParts {
  readonly agenda: Agenda;
  readonly now: () => Instant;
  readonly random: Random;
  readonly network: Network;
  readonly deliver: Deliver<Report>;
  /** How much earlier than true time its host's clock has everything happen, in milliseconds. */
  readonly hostAhead: number;
  readonly hostIsOff: () => boolean;
  readonly count: (what: string) => void;
}

type Fate = "well" | "fails" | "hangs" | "vanishes" | "late" | "slow";

const FATES: readonly (readonly [number, Fate])[] = [
  [1000, "well"],
  [8, "fails"],
  [2, "hangs"],
  [2, "vanishes"],
  [2, "late"],
  [3, "slow"],
];

const SENT_KEPT = 600;
/** How often a client tries to send what it has kept. */
const FLUSHES = 10 * MINUTE;
const AGE_MOST = (7 * DAY) / SECOND;

interface Spooled {
  readonly run: string;
  readonly report: Report;
  readonly happenedAt: Instant;
}

const isAccepted = ({ arrivals }: Sending): boolean => arrivals.some(({ answer }) => answer === "accepted");

/** Somebody finds a run that hangs in the end. */
const HANGS_MOST = 2 * DAY;

export function createJob(member: Member, parts: JobParts): Job {
  const { agenda, now, random, network, deliver, hostAhead, hostIsOff, count } = parts;
  const sent: Sent[] = [];
  let terms = member.terms;
  let nextRun = scheduler(member, terms, random);
  /** A change of terms makes what was planned under the old ones void. */
  let plan = 0;
  let silent: { from: Instant; until: Instant } | null = null;
  let running = 0;
  let runs = 0;
  let declared: Terms | null = null;
  const declaresAlways = random.chance(0.5) || member.spools;
  const spool: Spooled[] = [];

  function planNext(after: Instant): void {
    const at = nextRun(after);
    if (at === Number.POSITIVE_INFINITY) return;
    const planned = plan;
    agenda.enter(Math.max(now(), at - hostAhead), () => {
      if (planned !== plan) return;
      planNext(at);
      fire();
    });
  }

  function fire(): void {
    if (hostIsOff() || (silent !== null && now() < silent.until)) return count("runs not started");
    // A timer never starts a unit that is still active; cron starts another beside it.
    if (member.scheduler === "systemd" && running > 0) return count("runs skipped");
    if (running > 0) count("overlaps");
    const fate = random.weighted(FATES);
    if (fate !== "well") count(`run ${fate}`);
    if (fate === "vanishes") return;
    const late = fate === "late" ? terms.graceSeconds * SECOND * (1 + 2 * random.fraction()) : 0;
    const wait = Math.round(member.jitter * random.fraction() + late);
    running += 1;
    agenda.enter(now() + wait, () => run(`${member.key}-${++runs}`, 0, fate));
  }

  /** The client of a start lets the job begin when it is through with it, however that ended. */
  function run(runId: string, attempt: number, fate: Fate): void {
    if (member.habit === "heartbeat") work(runId, attempt, fate);
    else send("start", runId, attempt, null, () => work(runId, attempt, fate));
  }

  function work(runId: string, attempt: number, fate: Fate): void {
    const usual = member.usualRun * (0.5 + random.fraction());
    const length = fate === "slow" ? usual * (5 + 40 * random.fraction()) : usual;
    if (fate === "hangs") {
      agenda.enter(now() + Math.round(HOUR + HANGS_MOST * random.fraction()), () => void running--);
    } else {
      agenda.enter(now() + Math.round(length), () => end(runId, attempt, fate));
    }
  }

  function end(runId: string, attempt: number, fate: Fate): void {
    if (hostIsOff()) {
      running -= 1;
      return count("runs cut off");
    }
    const again = fate === "fails" && attempt === 0 && random.chance(0.5);
    const after = (): void => {
      if (again) agenda.enter(now() + random.whole(MINUTE, 5 * MINUTE), () => run(runId, 1, "well"));
      else running -= 1;
    };
    if (fate === "fails") send("fail", runId, attempt, `exit status ${random.whole(1, 255)}`, after);
    else send(member.habit === "heartbeat" ? "heartbeat" : "complete", runId, attempt, null, after);
  }

  function send(kind: Ping["kind"], runId: string, attempt: number, message: string | null, done: () => void): void {
    const id = runIdOf(member, runId);
    const declares = declaresAlways || declared !== terms;
    const report: Report = {
      monitorKey: member.key,
      kind,
      runId: id,
      attempt: id === null ? null : attempt,
      ageSeconds: null,
      durationSeconds: null,
      message,
      output: null,
      outcomes: new Map(),
      said: declares ? saidBy(member, terms) : NOTHING_DECLARED,
      host: null,
      user: null,
      lookalikes: [],
      idempotencyKey: member.patience === "official" || member.spools ? `${runId} ${attempt} ${kind}` : null,
    };
    const run = `${runId} ${attempt}`;
    const happenedAt = now();
    const sending = network.send(report, member.patience, deliver, () => {
      if (member.spools && !isAccepted(sending)) keepForLater({ run, report, happenedAt });
      done();
    });
    note({ run, report, sending });
  }

  function note(one: Sent): void {
    sent.push(one);
    if (sent.length > SENT_KEPT) sent.shift();
    count(one.report.ageSeconds === null ? "reports" : "late reports");
  }

  function keepForLater(one: Spooled): void {
    spool.push(one);
    if (spool.length === 1) agenda.enter(now() + FLUSHES, flush);
  }

  /** In its order, one after the other; what is too old or refused for good is dropped. */
  function flush(): void {
    const [oldest] = spool;
    if (oldest === undefined) return;
    const ageSeconds = Math.floor((now() - oldest.happenedAt) / SECOND);
    if (ageSeconds > AGE_MOST) {
      spool.shift();
      return flush();
    }
    if (hostIsOff()) return agenda.enter(now() + FLUSHES, flush);
    const report = { ...oldest.report, ageSeconds };
    const sending = network.send(report, "none", deliver, () => {
      if (!isAccepted(sending) && !sending.arrivals.some(({ answer }) => answer === "refused"))
        return agenda.enter(now() + FLUSHES, flush);
      spool.shift();
      flush();
    });
    note({ run: oldest.run, report, sending });
  }

  return {
    member,
    sent,
    terms: () => terms,
    begin: () => planNext(now()),
    silence: (until) => {
      silent = { from: now(), until };
    },
    silentSpan: () => silent,
    change: (changed) => {
      terms = changed;
      nextRun = scheduler(member, terms, random);
      plan += 1;
      planNext(now());
    },
    keep: () => {
      const kept = declared;
      return () => {
        declared = kept;
      };
    },
    accepted: ({ said: { schedule, everySeconds } }) => {
      const isTheirs = terms.everySeconds === null ? schedule === terms.schedule : everySeconds === terms.everySeconds;
      if (isTheirs) declared = terms;
    },
  };
}

/** What its reports say as `run_id`. */
function runIdOf({ habit, key }: Member, runId: string): string | null {
  if (habit === "pair with one id") return key;
  return habit === "pair with id" ? runId : null;
}

const scheduler = ({ scheduler, timezone }: Member, { schedule, everySeconds }: Terms, random: Random): NextRun =>
  schedule === null
    ? (at) => Math.round(at + everySeconds! * SECOND * (0.1 + 0.75 * random.fraction()))
    : schedulerOf(scheduler, readCrontab(schedule), zoneOf(timezone));
