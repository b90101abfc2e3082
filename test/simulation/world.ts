// The world of one run: the machine, rollcall on it, jobs, network and receivers, one agenda for all, and the verdict
// that watches. Time goes from one event to the next; the process itself looks at the clock every second, as it always
// does.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgenda } from "./agenda.ts";
import { type Answer, createNetwork, type Deliver } from "./client.ts";
import { createCrashPoints } from "./crash-points.ts";
import { Contradiction } from "./failure.ts";
import { planFaults } from "./faults.ts";
import { API_KEYS, drawFleet, HOSTS } from "./fleet.ts";
import { createInstance } from "./instance.ts";
import { createJob, type Job, type Report } from "./job.ts";
import { createMachine } from "./machine.ts";
import { planMisfortunes } from "./misfortunes.ts";
import { policyFor } from "./policy.ts";
import { seeded } from "./random.ts";
import { createReceivers } from "./receivers.ts";
import type { Trace } from "./trace.ts";
import { troublemaker } from "./troublemaker.ts";
import { DAY, HOUR, type Instant, iso, SECOND } from "./units.ts";
import { type Verdict, verdictOn } from "./verdict.ts";

export interface Setting {
  readonly seed: number;
  readonly monitors: number;
  /** Milliseconds of simulated time. */
  readonly length: number;
  /** How much more often than usual something befalls rollcall; 0: nothing does. */
  readonly density: number;
}

export interface Outcome {
  readonly counts: ReadonlyMap<string, number>;
  readonly ticks: number;
}

/** How long all is well at the end, so that everything that waits gets through. */
const QUIET = 5 * HOUR;

/** Runs the whole simulation. Throws what the verdict throws, with `now` in its last words. */
export function simulate(
  { seed, monitors, length, density }: Setting,
  trace: Trace,
  step: (now: Instant) => void,
): Outcome {
  const random = seeded(seed);
  const start = Date.UTC(2026, 0, 1) + random.whole(0, 3 * 365) * DAY;
  const end = start + length;
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const agenda = createAgenda();
  const machine = createMachine(start);
  const network = createNetwork(agenda, machine.now, random.branch("network"));
  const directory = mkdtempSync(join(tmpdir(), "rollcall-simulation-"));
  const fleet = drawFleet(random.branch("fleet"), monitors);
  const offUntil = new Array<Instant>(HOSTS).fill(0);
  const hostsAhead = offUntil.map((_, host) => random.branch(`host ${host}`).whole(-2 * SECOND, 2 * SECOND));

  const jobs: Job[] = fleet.map((member) =>
    createJob(member, {
      agenda,
      now: machine.now,
      random: random.branch(`job ${member.key}`),
      network,
      deliver: (report, answer) => deliver(member.apiKey, report, answer),
      hostAhead: hostsAhead[member.host]!,
      hostIsOff: () => machine.now() < offUntil[member.host]!,
      count,
    }),
  );
  const byKey = new Map(jobs.map((job) => [job.member.key, job]));
  let failure: unknown = null;
  /** Rollcall must not catch what the verdict throws in the middle of its work: it is thrown at the end of the step. */
  const judged =
    <Args extends unknown[]>(run: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        run(...args);
      } catch (error) {
        failure ??= error;
      }
    };
  const verdict: Verdict = verdictOn({ jobs, now: machine.now, wall: machine.clock.now, count });
  const crashes = createCrashPoints(() => troubles.crashed());
  const receivers = createReceivers({
    agenda,
    now: machine.now,
    random: random.branch("receivers"),
    sending: judged(verdict.sending),
    received: judged(verdict.received),
    heard: judged(verdict.heard),
    notReached: verdict.notReached,
    whenAwake: () => instance.whenAwake(),
    underWay: (point) => void crashes.reached(point),
  });
  const instance = createInstance(
    {
      machine,
      random: random.branch("house"),
      policy: policyFor(fleet),
      path: join(directory, "rollcall.db"),
      channels: receivers.channels,
      guardOutbox: (outbox) => crashes.guard(outbox, { sent: verdict.marked, givenUp: judged(verdict.givenUp) }),
      log: judged((level, event, fields) => {
        if (level !== "info" && !event.startsWith("delivery")) trace.note(machine.now(), event, fields);
        if (event === "gap") verdict.hearing.found(instance.gaps());
        else takeGaps();
        verdict.logged(event, fields);
      }),
      settled: judged((at) => {
        takeGaps();
        verdict.settled(at);
      }),
    },
    API_KEYS,
  );
  const pending = new Set<() => void>();
  const troubles = troublemaker({
    agenda,
    machine,
    instance,
    verdict,
    crashes,
    receivers,
    pending,
    random: random.branch("troubles"),
    quietFrom: end - QUIET,
    note: (what, details) => trace.note(machine.now(), what, { ...details, wall: iso(machine.clock.now()) }),
  });

  /** Only while there may be news: reading them takes time. */
  function takeGaps(): void {
    const { hearing } = verdict;
    if (troubles.underWay() || hearing.reachesBeyond(machine.clock.now())) hearing.found(instance.gaps());
  }

  function deliver(apiKey: number, report: Report, answer: Parameters<Deliver<Report>>[1]): void {
    const arrivedAt = machine.clock.now();
    const lost = (): void => {
      pending.delete(lost);
      verdict.hearing.lost(arrivedAt);
      answer("gone");
    };
    pending.add(lost);
    const answered = judged((heard: Answer): void => {
      pending.delete(lost);
      count(`answer: ${heard}`);
      // One that a restore has made rollcall forget declares itself with its next report.
      if (heard === "refused" && verdict.knows(report.monitorKey))
        throw new Contradiction("a report was refused", report.monitorKey, { report }, []);
      if (heard === "gone" || heard === "unavailable") verdict.hearing.lost(arrivedAt);
      if (heard === "accepted") byKey.get(report.monitorKey)!.accepted(report);
      answer(heard);
    });
    const kept = judged((as: "report" | "refusal", at: Instant): void => {
      takeGaps();
      if (as === "refusal") verdict.refused(report.monitorKey, report, at);
      else verdict.accepted(report.monitorKey, report, at);
    });
    instance.receive(report, apiKey, { answered, kept });
  }

  function reviewHourly(): void {
    verdict.hearing.found(instance.gaps());
    if (!troubles.underWay()) verdict.review();
    agenda.enter(machine.now() + HOUR, reviewHourly);
  }

  let ticks = 0;
  try {
    verdict.configured(machine.clock.now());
    instance.start();
    for (const job of jobs) job.begin();
    planMisfortunes({ agenda, now: machine.now, random, jobs, offUntil, end, count });
    if (density > 0)
      planFaults(agenda, { from: start + HOUR, until: end - QUIET }, troubles, random.branch("faults"), density, count);
    reviewHourly();
    agenda.enter(end - QUIET, troubles.calm);
    while (true) {
      const eventAt = agenda.nextAt();
      const workAt = instance.nextAt();
      const at = Math.max(machine.now(), Math.min(eventAt, workAt));
      if (at > end) break;
      machine.moveTo(at);
      step(at);
      if (eventAt <= at) agenda.doNext();
      else {
        instance.work();
        ticks += 1;
      }
      if (failure !== null) throw failure;
    }
    verdict.finish();
    for (const [what, number] of Object.entries(verdict.counts())) counts.set(what, number);
    return { counts, ticks };
  } finally {
    instance.close();
    rmSync(directory, { recursive: true });
  }
}
