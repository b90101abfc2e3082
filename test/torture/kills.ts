// The executable is killed again and again while jobs report to it, at any moment of its life, its start among them.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { seeded } from "../simulation/random.ts";
import { until } from "../support/executable.ts";
import { keepReporting, makeJobs } from "./jobs.ts";
import type { Part } from "./part.ts";
import { openTortured, type Tortured } from "./tortured.ts";

/** How long a life lasts under load, and one that is over before it listens. Milliseconds. */
const LIFE_MAX = 300;
const START_MAX = 90;
/** Of so many lives one ends during its start. */
const ONE_IN_THE_START = 4;

export const kills: Part<"kills" | "jobs"> = {
  name: "kills",
  what: "a kill -9 at any moment under load loses no report that was answered and no alert, and makes none up",
  counts: { kills: { full: 1_000, sample: 8 }, jobs: { full: 24, sample: 16 } },
  run: async ({ kills: count, jobs: jobCount, seed }, report) => {
    const random = seeded(seed, "kills");
    await using tortured = await openTortured(makeJobs(jobCount));
    const judged = async (kill: number): Promise<void> => {
      for (const fault of await tortured.verdict()) report.fault(`after ${kill} kills: ${fault}`);
    };
    for (let kill = 1; kill <= count; kill++) {
      if (random.chance(1 / ONE_IN_THE_START)) await killInStart(tortured, random.fraction() * START_MAX);
      else await killUnderLoad(tortured, random.fraction() * LIFE_MAX, () => judged(kill - 1));
      report.progress(`${kill} of ${count} kills, ${tortured.stored} reports stored`);
    }
    tortured.newLife();
    const last = await tortured.folder.serve();
    await judged(count);
    const waiting = "SELECT count(*) AS waiting FROM deliveries WHERE finished_at IS NULL";
    await until("the end of all deliveries", () => (tortured.folder.rows(waiting)[0]!["waiting"] === 0 ? true : null));
    await last.end("SIGTERM");
    for (const fault of tortured.verdictOnAlerts()) report.fault(fault);
    if (!isIntact(tortured)) report.fault("the database does not pass its integrity check");
    report.figure("kills", count);
    report.figure("reports stored", tortured.stored);
    report.figure("alerts arrived", tortured.arrived);
  },
};

async function killInStart(tortured: Tortured, after: number): Promise<void> {
  tortured.newLife();
  const service = tortured.folder.launch();
  await Bun.sleep(after);
  await service.end("SIGKILL");
}

/** `judge` compares what the service knows at its start, before the first report. */
async function killUnderLoad(tortured: Tortured, after: number, judge: () => Promise<void>): Promise<void> {
  tortured.newLife();
  const service = await tortured.folder.serve();
  await judge();
  const port = Number(new URL(service.url).port);
  const reporting = [...tortured.memories].map(([job, memory]) => keepReporting(job, memory, port, tortured.apiKey));
  await Bun.sleep(after);
  await service.end("SIGKILL");
  await Promise.all(reporting);
}

function isIntact({ folder }: Tortured): boolean {
  using database = new Database(join(folder.path, "data/rollcall.db"), { readonly: true });
  const [row] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  return row?.integrity_check === "ok";
}
