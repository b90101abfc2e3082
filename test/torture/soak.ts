// The part that uses the service as usual for a long time, and measures whether it grows: memory, descriptors, files.
// Nothing may fail meanwhile, and at the end everything that was answered must be stored, and told.

import { type Random, seeded } from "../simulation/random.ts";
import { until } from "../support/executable.ts";
import { type Footprint, footprintOf, inMegabytes, riseOf } from "./footprint.ts";
import type { Part, Report } from "./part.ts";
import { type Neighbour, neighboursOf, openSoakInstance, type SoakInstance } from "./soak-instance.ts";
import { type Ask, act, beat, newSoakJob, type SoakJob } from "./soak-jobs.ts";

const JOBS = 200;
/** Of a run whose length is given as 0. Seconds. */
const SHORTEST = 4;
/** Milliseconds. */
const PATIENCE = 30_000;
/** What waits for its next attempt when the receiver has become calm. */
const LAST_ALERTS = 10 * 60_000;
/**
 * Memory between two collections of garbage says little: a look takes the least of so many readings, a second apart.
 */
const READINGS = 10;

/** A shorter run would measure how it warms up. Minutes. */
const JUDGED_FROM = 10;
/** How much the line through the looks of the second half may rise in all. */
const MEMORY_RISE = 0.08;
const DESCRIPTORS_RISE = 3;
/** Bytes for each report that was stored in the second half. */
const DATABASE_A_REPORT = 1_000;
const LOG_MAX = 16 * 2 ** 20;

export const soak: Part<"soakMinutes" | "looks" | "perSecond"> = {
  name: "soak",
  what: "under steady load of every kind nothing fails or is lost, and neither memory, descriptors nor files grow beyond it",
  counts: {
    soakMinutes: { full: 30, sample: 0 },
    looks: { full: 30, sample: 4 },
    perSecond: { full: 50, sample: 50 },
  },
  run: async ({ soakMinutes, looks, perSecond, seed }, report) => {
    const random = seeded(seed, "soak");
    await using instance = await openSoakInstance(random.branch("house"));
    const jobs = Array.from({ length: JOBS }, (_, place) => newSoakJob(place));
    const load = startLoad(instance, jobs, perSecond, random.branch("load"), report);
    const every = ((soakMinutes === 0 ? SHORTEST : soakMinutes * 60) * 1_000) / looks;
    const seen: Look[] = [];
    for (let look = 0; look < looks; look++) {
      seen.push(await lookAfter(every, instance, load, jobs));
      report.note(lineOf(seen, every));
    }
    // On a slow machine the shortest run ends before any job has failed, and then nothing would be judged.
    await until("an alert to be told", () => (jobs.some(({ told }) => told.length > 0) ? true : null), PATIENCE);
    await load.end();
    await judgeEnd(instance, jobs, report);
    if (soakMinutes >= JUDGED_FROM)
      for (const fault of growthOf(seen.slice(Math.floor(looks / 2)))) report.fault(fault);
    report.figure("answers", load.answers());
    report.figure("reports stored", storedOf(jobs));
    report.figure("alerts arrived", [...instance.arrived.values()].flat().length);
    report.figure("MB at the end", inMegabytes(seen.at(-1)!.memory));
  },
};

interface Load {
  answers(): number;
  /** The slowest answer since the last call, in milliseconds. */
  slowest(): number;
  /** Starts nothing more, and waits for what is under way. */
  end(): Promise<void>;
}

function startLoad(
  instance: SoakInstance,
  jobs: readonly SoakJob[],
  perSecond: number,
  random: Random,
  report: Report,
): Load {
  const underWay = new Set<Promise<void>>();
  const timers: Timer[] = [];
  let answers = 0;
  let slowest = 0;

  const ask: Ask = async (path, init, expected = 200) => {
    const begun = performance.now();
    const response = await fetch(`${instance.service.url}${path}`, { signal: AbortSignal.timeout(PATIENCE), ...init });
    const body = await response.text();
    slowest = Math.max(slowest, performance.now() - begun);
    answers += 1;
    if (response.status === expected) return body;
    report.fault(`${init.method ?? "GET"} ${path.replace(instance.apiKey, "***")}: ${response.status} ${body}`);
    return null;
  };
  const start = (work: Promise<void>): void => {
    const done = work.catch((error: unknown) => report.fault(String(error))).finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const actOn = async (job: SoakJob): Promise<void> => {
    const parts = { apiKey: instance.apiKey, ask, random };
    job.isBusy = true;
    try {
      await (job.stored === 0 ? beat(job, parts) : act(job, parts));
    } finally {
      job.isBusy = false;
    }
  };
  const repeat = ({ every, ask: askAgain }: Neighbour): void => {
    let round = 0;
    let isBusy = false;
    const next = async (): Promise<void> => {
      isBusy = true;
      await askAgain(round++).finally(() => {
        isBusy = false;
      });
    };
    start(next());
    timers.push(setInterval(() => isBusy || start(next()), every));
  };

  for (const neighbour of neighboursOf(instance, ask)) repeat(neighbour);
  timers.push(
    setInterval(() => {
      const job = random.pick(jobs);
      if (!job.isBusy) start(actOn(job));
    }, 1_000 / perSecond),
  );
  return {
    answers: () => answers,
    slowest: () => {
      const most = slowest;
      slowest = 0;
      return most;
    },
    end: async () => {
      for (const timer of timers) clearInterval(timer);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

interface Look extends Footprint {
  readonly stored: number;
  readonly slowest: number;
}

const storedOf = (jobs: readonly SoakJob[]): number => jobs.reduce((sum, { stored }) => sum + stored, 0);

async function lookAfter(wait: number, instance: SoakInstance, load: Load, jobs: readonly SoakJob[]): Promise<Look> {
  const { pid, url } = instance.service;
  const footprint = (): Footprint => footprintOf(pid, Number(new URL(url).port), instance.folder.path);
  const readings = Math.max(1, Math.min(READINGS, Math.floor(wait / 1_000)));
  await Bun.sleep(wait - (readings - 1) * 1_000);
  let least = footprint();
  for (let reading = 1; reading < readings; reading++) {
    await Bun.sleep(1_000);
    const next = footprint();
    const [memory, descriptors] = [Math.min(least.memory, next.memory), Math.min(least.descriptors, next.descriptors)];
    least = { ...next, memory, descriptors };
  }
  return { ...least, stored: storedOf(jobs), slowest: load.slowest() };
}

function lineOf(seen: readonly Look[], every: number): string {
  const { memory, descriptors, connections, database, log, stored, slowest } = seen.at(-1)!;
  const minutes = ((seen.length * every) / 60_000).toFixed(1).padStart(5);
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1).padStart(6);
  return `${minutes} min ${megabytes(memory)} MB ${String(descriptors).padStart(3)} descriptors and ${String(connections).padStart(3)} connections, database ${megabytes(database)} MB, log ${megabytes(log)} MB, ${String(stored).padStart(7)} reports, slowest ${Math.round(slowest)} ms`;
}

/** What grows more than it may, over these looks. */
function growthOf(seen: readonly Look[]): string[] {
  const riseIn = (of: (look: Look) => number): number => riseOf(seen.map(of)) * (seen.length - 1);
  const memory = riseIn((look) => look.memory) / seen[0]!.memory;
  const descriptors = riseIn((look) => look.descriptors);
  const perReport = riseIn((look) => look.database) / (seen.at(-1)!.stored - seen[0]!.stored);
  const log = Math.max(...seen.map((look) => look.log));
  return [
    ...(memory > MEMORY_RISE ? [`memory grew by ${(memory * 100).toFixed(1)} % in the second half`] : []),
    ...(descriptors > DESCRIPTORS_RISE ? [`${descriptors.toFixed(1)} descriptors more in the second half`] : []),
    ...(perReport > DATABASE_A_REPORT ? [`the database grew by ${Math.round(perReport)} bytes a report`] : []),
    ...(log > LOG_MAX ? [`the write-ahead log had ${log} bytes`] : []),
  ];
}

/** Everything that was answered is stored, and everything that follows from it was told, in its order. */
async function judgeEnd(
  { folder, arrived, calm }: SoakInstance,
  jobs: readonly SoakJob[],
  report: Report,
): Promise<void> {
  calm();
  const waiting = "SELECT count(*) AS waiting FROM deliveries WHERE finished_at IS NULL";
  const isOver = (): true | null => (folder.rows(waiting)[0]!["waiting"] === 0 ? true : null);
  await until("the end of all deliveries", isOver, LAST_ALERTS);
  const rows = folder.rows(
    "SELECT m.key, count(*) AS stored FROM pings p JOIN monitors m ON m.id = p.monitor_id GROUP BY m.key",
  );
  const stored = new Map(rows.map((row) => [String(row["key"]), Number(row["stored"])]));
  for (const job of jobs) {
    const found = stored.get(job.key) ?? 0;
    if (found !== job.stored) report.fault(`${job.key}: ${found} reports are stored, ${job.stored} were answered`);
    const told = (arrived.get(job.key) ?? []).join();
    if (told !== job.told.join()) report.fault(`${job.key}: ${told} arrived, not ${job.told.join()}`);
  }
}
