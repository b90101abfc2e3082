// The executable is killed again and again while jobs report to it, at any moment of its life, its start among them.

import { seeded } from "../simulation/random.ts";
import { type Folder, until } from "../support/executable.ts";
import { type Memories, makeJobs, newMemories, reportAll } from "./jobs.ts";
import { openJudge } from "./judge.ts";
import type { Part } from "./part.ts";
import { damageOf, openTortured, type Tortured } from "./tortured.ts";

/** How long a life lasts under load, and one that is over before it listens. Milliseconds. */
const LIFE_MAX = 300;
const START_MAX = 90;
/** How long after it was told to stop it is killed. Milliseconds. */
const STOP_MAX = 25;
/** Of so many lives one ends during its start; of the others one is first told to stop. */
const ONE_IN_THE_START = 4;
const ONE_IN_THE_STOP = 4;

export const kills: Part<"kills" | "jobs"> = {
  name: "kills",
  what: "a kill -9 at any moment under load loses no report that was answered and no alert, and makes none up",
  counts: { kills: { full: 1_000, sample: 8 }, jobs: { full: 24, sample: 16 } },
  run: async ({ kills: count, jobs: jobCount, seed }, report) => {
    const random = seeded(seed, "kills");
    const jobs = makeJobs(jobCount);
    const memories = newMemories(jobs);
    await using tortured = await openTortured();
    using judge = openJudge(jobs);
    const judged = async (kill: number): Promise<void> => {
      for (const fault of await judge.judge(tortured.folder, memories)) report.fault(`after ${kill} kills: ${fault}`);
    };
    for (let kill = 1; kill <= count; kill++) {
      if (random.chance(1 / ONE_IN_THE_START)) await killInStart(tortured, random.fraction() * START_MAX);
      else {
        const stop = random.chance(1 / ONE_IN_THE_STOP) ? random.fraction() * STOP_MAX : null;
        await killUnderLoad(tortured, memories, random.fraction() * LIFE_MAX, stop, () => judged(kill - 1));
      }
      report.progress(`${kill} of ${count} kills, ${judge.stored} reports stored`);
    }
    tortured.newLife();
    const last = await tortured.folder.serve();
    await judged(count);
    await until("the end of all deliveries", () => (isAllTold(tortured.folder) ? true : null));
    await last.end("SIGTERM");
    for (const fault of tortured.judgeArrivals(judge.alerts())) report.fault(fault);
    const damage = damageOf(tortured.folder);
    if (damage !== null) report.fault(damage);
    report.figure("kills", count);
    report.figure("reports stored", judge.stored);
    report.figure("alerts arrived", tortured.arrived);
  },
};

async function killInStart(tortured: Tortured, after: number): Promise<void> {
  tortured.newLife();
  const service = tortured.folder.launch();
  await Bun.sleep(after);
  await service.end("SIGKILL");
}

/**
 * `judge` compares what the service knows at its start, before the first report. `stop`: how long before its end it is told
 * to stop; null: it is not.
 */
async function killUnderLoad(
  tortured: Tortured,
  memories: Memories,
  after: number,
  stop: number | null,
  judge: () => Promise<void>,
): Promise<void> {
  tortured.newLife();
  const service = await tortured.folder.serve();
  await judge();
  const reporting = reportAll(memories, { port: Number(new URL(service.url).port), key: tortured.apiKey });
  await Bun.sleep(after);
  if (stop !== null) {
    process.kill(service.pid, "SIGTERM");
    await Bun.sleep(stop);
  }
  await service.end("SIGKILL");
  await reporting;
}

const isAllTold = (folder: Folder): boolean =>
  folder.rows("SELECT 1 FROM deliveries WHERE finished_at IS NULL LIMIT 1").length === 0;
