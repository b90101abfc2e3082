// Another instance takes a directory over, again and again: the one that serves dies under load, or hangs and is then
// killed, and the next starts on its files at once, at another address. While the first lives, nobody else may start.

import { seeded } from "../simulation/random.ts";
import { type Service, until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { makeJobs, newMemories, reportAll, reportOnce } from "./jobs.ts";
import { openJudge } from "./judge.ts";
import type { Part } from "./part.ts";
import { damageOf, isAllNotified, openTortured, type Tortured } from "./tortured.ts";

/** How long an instance serves under load. Milliseconds. */
const LIFE_MIN = 100;
const LIFE_MAX = 600;
/** Of so many deaths one is a hang before it is a death. */
const ONE_HANGS = 3;

export const failovers: Part<"failovers" | "jobs"> = {
  name: "failovers",
  what: "an instance that takes over from a dead one loses no answered report and no alert, makes none up, and never runs beside it",
  counts: { failovers: { full: 200, sample: 3 }, jobs: { full: 24, sample: 16 } },
  run: async ({ failovers: count, jobs: jobCount, seed }, report) => {
    const random = seeded(seed, "failovers");
    const jobs = makeJobs(jobCount);
    const memories = newMemories(jobs);
    await using tortured = await openTortured();
    using judge = openJudge(jobs);
    const waits: number[] = [];
    let service = await serveAt(tortured, freePort());
    for (let done = 0; done < count; done++) {
      const hangs = random.chance(1 / ONE_HANGS);
      const reporting = reportAll(memories, placeOf(service, tortured));
      await Bun.sleep(random.whole(LIFE_MIN, LIFE_MAX));
      if (hangs) process.kill(service.pid, "SIGSTOP");
      for (const fault of await faultsOfSecond(tortured)) report.fault(`before failover ${done + 1}: ${fault}`);

      const port = freePort();
      const diedAt = performance.now();
      const dead = service.end("SIGKILL");
      const place = { port, key: tortured.apiKey };
      const next = dead.then(() => serveAt(tortured, port));
      await Promise.all([dead, reporting]);
      await until("an answer of every job", async () => ((await reportOnce(memories, place)) ? true : null));
      waits.push(performance.now() - diedAt);
      service = await next;
      for (const fault of await judge.judge(tortured.folder, memories))
        report.fault(`after failover ${done + 1}: ${fault}`);
      report.progress(`${done + 1} of ${count} failovers, ${judge.stored} reports stored`);
    }
    await until("the end of all deliveries", () => (isAllNotified(tortured.folder) ? true : null));
    await service.end("SIGTERM");
    for (const fault of tortured.judgeArrivals(judge.alerts())) report.fault(fault);
    const damage = damageOf(tortured.folder);
    if (damage !== null) report.fault(damage);
    waits.sort((a, b) => a - b);
    const inSeconds = (place: number): string =>
      ((waits[Math.floor((waits.length - 1) * place)] ?? 0) / 1_000).toFixed(2);
    report.figure("failovers", count);
    report.figure("reports stored", judge.stored);
    report.figure("alerts arrived", tortured.arrived);
    report.figure("s from a death until every job was answered, in the middle", inSeconds(0.5));
    report.figure("s at most", inSeconds(1));
  },
};

const placeOf = ({ url }: Service, { apiKey }: Tortured) => ({ port: Number(new URL(url).port), key: apiKey });

function serveAt(tortured: Tortured, port: number): Promise<Service> {
  tortured.newLife();
  return tortured.folder.serve({ ROLLCALL_SERVER__LISTEN: `127.0.0.1:${port}` });
}

/** One that starts beside the living gives up, says why, and has done nothing. */
async function faultsOfSecond({ folder }: Tortured): Promise<string[]> {
  const { exitCode, err } = await folder.run(["serve"]);
  const held = `rollcall already runs on ${folder.path}/data: another process holds ${folder.path}/data/rollcall.lock`;
  const isRefused = exitCode === 1 && err.includes(JSON.stringify(held).slice(1, -1));
  return isRefused ? [] : [`a second one was not refused: exit code ${exitCode}\n${err}`];
}
