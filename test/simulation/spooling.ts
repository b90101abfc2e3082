// Jobs whose client keeps what it cannot send: the network goes away, rollcall is down, answers get lost, and what
// waited comes late, in its order or out of it, now and then twice. What really happened is known here, and judged
// without the product's rules: each report counts once, each alarm has a cause, none is missing, and the day shows what
// ran.

import { wholeOf } from "../../src/domain/in-pieces.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { type Random, seeded } from "./random.ts";

/** What a world came to. */
export interface SpooledWorld {
  readonly faults: readonly string[];
  readonly reports: number;
  /** Of these, those that came late. */
  readonly late: number;
  readonly alarms: number;
}

const GRACE = 5 * MINUTE;
const CLOSES = GRACE + 5 * SECOND;
const LASTS = 24 * HOUR;
/** At the end all goes well, and all that waits is sent. */
const QUIET = 3 * HOUR;
const FLUSHES = 10 * MINUTE;
const STEP = 5 * SECOND;

/** One thing that a job said, and when rollcall heard it. */
interface Said {
  readonly monitor: string;
  readonly kind: "start" | "complete" | "fail";
  readonly runId: string;
  readonly happenedAt: Instant;
  readonly key: string;
  /** Null: it has not been heard yet. */
  heardAt: Instant | null;
}

interface JobHere {
  readonly key: string;
  /** In milliseconds: it declares that it reports at least every so often (R44); null: it declares its schedule. */
  readonly interval: number | null;
  readonly schedule: string;
  readonly every: number;
  readonly offset: number;
  readonly maxRuntimeSeconds: number | null;
}

type Span = readonly [from: Instant, to: Instant];
const isIn = (spans: readonly Span[], at: Instant): boolean => spans.some(([from, to]) => at >= from && at < to);

function spansOf(random: Random, count: number, longest: number): Span[] {
  return Array.from({ length: random.whole(0, count) }, (): Span => {
    const from = NOON + HOUR + Math.floor(random.fraction() * (LASTS - QUIET - HOUR - longest));
    return [from, from + MINUTE + Math.floor(random.fraction() * longest)];
  });
}

const jobsOf = (random: Random): JobHere[] =>
  Array.from({ length: 8 }, (_, place): JobHere => {
    const minute = random.whole(0, 29);
    const isHourly = random.chance(0.5);
    const every = isHourly ? HOUR : HOUR / 2;
    const hasInterval = random.branch(`interval ${place}`).chance(0.4);
    return {
      key: `job-${place}`,
      interval: hasInterval ? every * 1.25 : null,
      schedule: isHourly ? `${minute} * * * *` : `${minute},${minute + 30} * * * *`,
      every,
      offset: minute * MINUTE,
      maxRuntimeSeconds: random.chance(0.5) ? 1_200 : null,
    };
  });

/** All that the jobs will do, in the order of time. */
function plansOf(jobs: readonly JobHere[], random: Random): Said[] {
  const said: Said[] = [];
  for (const { key: monitor, every, offset } of jobs)
    for (let slot = NOON + offset + every; slot < NOON + LASTS; slot += every) {
      const isQuiet = slot > NOON + LASTS - QUIET;
      const fate = isQuiet ? "well" : random.weighted(FATES);
      if (fate === "vanishes") continue;
      const runId = `${monitor} ${slot}`;
      const from = slot + random.whole(0, 20) * SECOND;
      said.push({ monitor, kind: "start", runId, happenedAt: from, key: `${runId} start`, heardAt: null });
      if (fate === "killed") continue;
      const happenedAt = from + random.whole(5, 600) * SECOND;
      said.push({
        monitor,
        kind: fate === "fails" ? "fail" : "complete",
        runId,
        happenedAt,
        key: `${runId} end`,
        heardAt: null,
      });
    }
  return said.filter(({ happenedAt }) => happenedAt <= NOON + LASTS).sort((a, b) => a.happenedAt - b.happenedAt);
}

const FATES = [
  [85, "well"],
  [6, "fails"],
  [6, "vanishes"],
  [2, "killed"],
] as const;

export async function spooledWorld(seed: number): Promise<SpooledWorld> {
  const random = seeded(seed, "spooled");
  const jobs = jobsOf(random);
  const plans = plansOf(jobs, random);
  const away = spansOf(random, 4, 4 * HOUR);
  const down = spansOf(random, 2, 2 * HOUR);
  const outOfOrder = random.chance(0.3);
  const faults: string[] = [];
  using service = openService(policyWith(), NOON);
  for (const { key, interval, schedule, maxRuntimeSeconds } of jobs) {
    const rhythm = interval === null ? { schedule } : { everySeconds: interval / SECOND };
    await service.send(ping({ monitorKey: key, ...rhythm, graceSeconds: GRACE / SECOND, maxRuntimeSeconds }));
  }
  let spool: Said[] = [];
  let isUp = true;
  let next = 0;

  async function tell(said: Said): Promise<void> {
    const { monitor, kind, runId, happenedAt, key } = said;
    const ageSeconds = Math.floor((service.now - happenedAt) / SECOND);
    const idempotency: Ping["idempotency"] = { key, textOf: JSON.stringify };
    const before = service.count("alerts");
    await service.send(
      ping({ monitorKey: monitor, kind, runId, ageSeconds: ageSeconds === 0 ? null : ageSeconds, idempotency }),
    );
    if (kind === "fail" && said.heardAt === null) faults.push(...failFaults(service, plans, said, before));
    said.heardAt ??= service.now;
  }

  for (let at = NOON; at <= NOON + LASTS; at += STEP) {
    const isDown = isIn(down, at);
    if (isDown && isUp) service.kill();
    service.at(at);
    if (!isDown && !isUp) service.start();
    isUp = !isDown;
    if (isUp) service.look(at);
    const reaches = isUp && !isIn(away, at);
    const now = [];
    while (plans[next] !== undefined && plans[next]!.happenedAt <= at) now.push(plans[next++]!);
    for (const said of now) {
      if (!reaches) spool.push(said);
      else {
        await tell(said);
        // Its answer is lost, so it waits all the same.
        if (random.chance(0.05)) spool.push(said);
      }
    }
    if (!reaches || spool.length === 0 || (now.length === 0 && (at - NOON) % FLUSHES !== 0)) continue;
    const waiting = outOfOrder ? shuffled(spool, random) : spool;
    spool = [];
    for (const said of waiting) await tell(said);
  }
  faults.push(...verdictOf(service, jobs, plans, down));
  const alarms = service.alarms().filter(({ kind }) => kind !== "Recovered").length;
  const late = plans.filter(({ heardAt, happenedAt }) => heardAt !== null && heardAt - happenedAt >= MINUTE).length;
  return { faults, reports: plans.length, late, alarms };
}

const shuffled = (said: readonly Said[], random: Random): Said[] =>
  said
    .map((one) => ({ one, place: random.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);

/** A fail of which no newer success is known opens an incident, or there is one; an older one is told to nobody. */
function failFaults(service: Service, plans: readonly Said[], said: Said, alertsBefore: number): string[] {
  const successes = plans
    .filter(({ monitor, kind, heardAt }) => monitor === said.monitor && kind === "complete" && heardAt !== null)
    .map(({ happenedAt }) => happenedAt);
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...successes);
  // Ages are whole seconds.
  if (newest > said.happenedAt + 2 * SECOND)
    return service.count("alerts") === alertsBefore ? [] : [`a fail is told that is history: ${said.key}`];
  if (newest > said.happenedAt - 2 * SECOND) return [];
  return service.monitor(said.monitor).incident === null ? [`a fail is not told: ${said.key}`] : [];
}

function verdictOf(
  service: Service,
  jobs: readonly JobHere[],
  plans: readonly Said[],
  down: readonly Span[],
): string[] {
  const faults: string[] = [];
  const count = service.count("pings");
  if (count !== plans.length + jobs.length) faults.push(`${count} reports are stored of ${plans.length + jobs.length}`);
  for (const job of jobs) {
    const said = plans.filter(({ monitor }) => monitor === job.key);
    if (service.monitor(job.key).incident !== null) faults.push(`${job.key}: an incident is open at the end`);
    const missed = job.interval === null ? missFaults : silenceFaults;
    faults.push(...alarmFaults(service, job, said), ...missed(service, job, said, down));
    // Of an interval the day lists what was told as missed, which later ends may have healed since.
    if (job.interval === null) faults.push(...dayFaults(service, job, said, down));
  }
  return faults;
}

/** What filled this slot, among what was heard by then. */
const inTime = (said: readonly Said[], slot: Instant, heardBy: Instant): boolean =>
  said.some(
    ({ happenedAt, heardAt }) =>
      happenedAt >= slot && happenedAt <= slot + CLOSES && heardAt !== null && heardAt <= heardBy,
  );

/** What filled the slot of this job; that of an interval, what ended in the interval before it or until it closed. */
const filled = ({ interval }: JobHere, said: readonly Said[], slot: Instant, heardBy: Instant): boolean =>
  interval === null
    ? inTime(said, slot, heardBy)
    : said.some(
        ({ kind, happenedAt, heardAt }) =>
          kind !== "start" &&
          happenedAt > slot - interval &&
          happenedAt <= slot + CLOSES &&
          heardAt !== null &&
          heardAt <= heardBy,
      );

/** Each alarm has its cause in what rollcall could know then. */
function alarmFaults(service: Service, job: JobHere, said: readonly Said[]): string[] {
  const { key } = job;
  const rows = service.store.database
    .query<{ data: string; at: Instant }, []>("select data, at from alerts where type <> 'service.notice' order by id")
    .all()
    .map(({ data, at }) => ({ ...alertDataFrom(data)!, at }))
    .filter(({ monitorKey, reason }) => monitorKey === key && (reason === "opened" || reason === "new_cause"));
  return rows.flatMap(({ cause, at, expectedAt, runId }) => {
    const known = said.filter(({ heardAt }) => heardAt !== null && heardAt <= at);
    const hasCause =
      cause === "missed"
        ? !filled(job, known, Date.parse(expectedAt!), at - 1)
        : cause === "failed"
          ? known.some((one) => one.kind === "fail" && one.heardAt === at)
          : known.some((one) => one.runId === runId) &&
            !known.some((one) => one.runId === runId && one.kind !== "start");
    return hasCause ? [] : [`${key}: ${cause} without a cause at ${new Date(at).toISOString()}, slot ${expectedAt}`];
  });
}

/**
 * Where nothing ran and rollcall was up, an incident was open when the slot closed, but where a run could still be
 * under way.
 */
function missFaults(service: Service, job: JobHere, said: readonly Said[], down: readonly Span[]): string[] {
  const { key, every, offset } = job;
  const isNotified = notifiedOf(service, job);
  const faults: string[] = [];
  for (let slot = NOON + offset + every; slot + CLOSES < NOON + LASTS; slot += every) {
    const closes = slot + CLOSES;
    if (inTime(said, slot, Number.POSITIVE_INFINITY) || isIn(near(down), slot) || isIn(near(down), closes)) continue;
    if (!mayRun(said, closes) && !isNotified(closes))
      faults.push(`${key}: nobody was told that nothing ran at ${new Date(slot).toISOString()}`);
  }
  return faults;
}

/** The same of an interval: it counts from each end, and rollcall was up all the time. */
function silenceFaults(service: Service, job: JobHere, said: readonly Said[], down: readonly Span[]): string[] {
  const isNotified = notifiedOf(service, job);
  const ends = [NOON, ...said.filter(({ kind }) => kind !== "start").map(({ happenedAt }) => happenedAt)];
  return ends.flatMap((end, place) => {
    const closes = end + job.interval! + CLOSES;
    const next = ends[place + 1] ?? NOON + LASTS;
    const wasDeaf = near(down).some(([from, to]) => from <= closes && to >= end);
    if (next <= closes || wasDeaf || mayRun(said, closes) || isNotified(closes)) return [];
    return [`${job.key}: nobody was told that nothing ended after ${new Date(end).toISOString()}`];
  });
}

/** Whether an incident was open at this instant, or opened just then. */
function notifiedOf(service: Service, { key }: JobHere): (at: Instant) => boolean {
  const incidents = service.store.database
    .query<{ opened: Instant; closed: Instant | null }, [string]>(
      `select opened_at as opened, closed_at as closed from incidents
       where monitor_id = (select id from monitors where key = ?)`,
    )
    .all(key);
  return (at) => incidents.some(({ opened, closed }) => opened <= at + STEP && (closed ?? Infinity) >= at);
}

/** By what was heard until then, a run had begun and not ended. */
function mayRun(said: readonly Said[], at: Instant): boolean {
  const isKnown = (one: Said | undefined): boolean => one?.heardAt != null && one.heardAt <= at;
  return said.some(
    (one) =>
      one.kind === "start" &&
      one.happenedAt <= at &&
      isKnown(one) &&
      !isKnown(said.find(({ runId, kind }) => runId === one.runId && kind !== "start")),
  );
}

const near = (spans: readonly Span[]): Span[] => spans.map(([from, to]): Span => [from - 2 * MINUTE, to + 2 * MINUTE]);

/** The day shows what ran where it ran, and calls missed or unheard what did not. */
function dayFaults(service: Service, { key }: JobHere, said: readonly Said[], down: readonly Span[]): string[] {
  const id = service.store.database
    .query<{ id: number }, [string]>("select id from monitors where key = ?")
    .get(key)!.id;
  const middle = NOON + LASTS / 2;
  const spans: Span[] = [
    [NOON + MINUTE, middle - SECOND],
    [middle, NOON + LASTS - HOUR - SECOND],
  ];
  const entries = spans.flatMap(
    ([from, to]) => wholeOf(service.engine.views.timelines([id], { from, to })).monitors.get(id)!.entries,
  );
  return entries.flatMap(({ at: slot, result, slot: told }) => {
    if (told === null) return [];
    const ran = inTime(said, slot, Number.POSITIVE_INFINITY);
    const where = `${key}: the slot ${new Date(slot).toISOString()} is ${result}`;
    const isFilled = told.reportAt !== null && result !== "missed";
    if (ran) return isFilled ? [] : [`${where}, and it ran`];
    if (isFilled) return [`${where}, and nothing ran`];
    const wasUp = !down.some(([from, to]) => from <= slot + CLOSES + MINUTE && to >= slot - MINUTE);
    return wasUp && result === "unknown" ? [`${where}, and rollcall was up`] : [];
  });
}
