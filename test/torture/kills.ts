// The executable is killed again and again while jobs report to it, at any moment of its life, its start among them.

import { seeded } from "../simulation/random.ts";
import { until } from "../support/executable.ts";
import { answeredBy, type Memories, makeJobs, newMemories, reportAll } from "./jobs.ts";
import { openJudge } from "./judge.ts";
import type { Part } from "./part.ts";
import { damageOf, isAllNotified, openTortured, type Tortured } from "./tortured.ts";

/** How long a life lasts under load, and one that is over before it listens. Milliseconds. */
const LIFE_MAX = 300;
const START_MAX = 90;
/** How long after it was told to stop it is killed. Milliseconds. */
const STOP_MAX = 25;
/** Of so many lives one ends during its start; of the others one is first told to stop. */
const ONE_IN_THE_START = 4;
const ONE_IN_THE_STOP = 4;

/**
 * A life so long after the last report of every job begins with one of each. On a busy machine short lives may hear
 * nobody for minutes, and after a quarter of an hour a loop of crashes excuses no silence (R26). Milliseconds.
 */
const SILENCE_MAX = 15_000;

/** A life in which so many reports are answered has begun to write what it had left for later. */
const LONG = 34_000;
const LONG_MAX = 40_000;
/** Milliseconds. */
const LONG_PATIENCE = 300_000;

export const kills: Part<"kills" | "long" | "jobs"> = {
  name: "kills",
  what: "a kill -9 at any moment under load loses no report that was answered and no alert, and makes none up",
  counts: { kills: { full: 1_000, sample: 8 }, long: { full: 5, sample: 0 }, jobs: { full: 24, sample: 16 } },
  run: async ({ kills: count, long, jobs: jobCount, seed }, report) => {
    const random = seeded(seed, "kills");
    const jobs = makeJobs(jobCount);
    const memories = newMemories(jobs);
    await using tortured = await openTortured();
    using judge = openJudge(jobs);
    let killed = 0;
    let allHeardAt = 0;
    const judged = async (): Promise<void> => {
      for (const fault of await judge.judge(tortured.folder, memories)) report.fault(`after ${killed} kills: ${fault}`);
    };
    for (; killed < count; killed++) {
      if (random.chance(1 / ONE_IN_THE_START)) await killInStart(tortured, random.fraction() * START_MAX);
      else {
        const stop = random.chance(1 / ONE_IN_THE_STOP) ? random.fraction() * STOP_MAX : null;
        const span = random.fraction() * LIFE_MAX;
        const isQuiet = Date.now() - allHeardAt > SILENCE_MAX;
        const life = () => (isQuiet ? everyJobAnswered(memories) : Bun.sleep(span));
        await killUnderLoad(tortured, memories, life, stop, judged);
        if (isQuiet) allHeardAt = Date.now();
      }
      report.progress(`${killed + 1} of ${count} kills, ${judge.stored} reports stored`);
    }
    for (; killed < count + long; killed++) {
      const enough = random.whole(LONG, LONG_MAX);
      const answers = () => (answeredBy(memories) >= enough ? true : null);
      await killUnderLoad(tortured, memories, () => until("a long life", answers, LONG_PATIENCE), null, judged);
      report.progress(`${killed + 1 - count} of ${long} long lives, ${judge.stored} reports stored`);
    }
    tortured.newLife();
    const last = await tortured.folder.serve();
    await judged();
    await until("the end of all deliveries", () => (isAllNotified(tortured.folder) ? true : null));
    await last.end("SIGTERM");
    for (const fault of tortured.judgeArrivals(judge.alerts())) report.fault(fault);
    const damage = damageOf(tortured.folder);
    if (damage !== null) report.fault(damage);
    report.figure("kills", killed);
    report.figure("reports stored", judge.stored);
    report.figure("alerts arrived", tortured.arrived);
  },
};

const everyJobAnswered = (memories: Memories): Promise<unknown> =>
  until("a report of every job", () => ([...memories.values()].every(({ heard }) => heard.length > 0) ? true : null));

async function killInStart(tortured: Tortured, after: number): Promise<void> {
  tortured.newLife();
  const service = tortured.folder.launch();
  await Bun.sleep(after);
  await service.end("SIGKILL");
}

/**
 * `judge` compares what the service knows at its start, before the first report. `stop`: how long before its end it is
 * told to stop; null: it is not.
 */
async function killUnderLoad(
  tortured: Tortured,
  memories: Memories,
  life: () => Promise<unknown>,
  stop: number | null,
  judge: () => Promise<void>,
): Promise<void> {
  tortured.newLife();
  const service = await tortured.folder.serve();
  await judge();
  const reporting = reportAll(memories, { port: Number(new URL(service.url).port), key: tortured.apiKey });
  await life();
  if (stop !== null) {
    process.kill(service.pid, "SIGTERM");
    await Bun.sleep(stop);
  }
  await service.end("SIGKILL");
  await reporting;
}
