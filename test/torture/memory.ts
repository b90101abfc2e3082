// The executable runs out of memory while jobs report to it: strangers fill what it may have with halves of requests.
// It may refuse, and it may die; what it answered must be true.

import { connect, type Socket } from "node:net";
import { type Random, seeded } from "../simulation/random.ts";
import { type Service, until } from "../support/executable.ts";
import { inMegabytes, memoryOf } from "./footprint.ts";
import { type Memories, makeJobs, newMemories, reportAll } from "./jobs.ts";
import { openJudge } from "./judge.ts";
import type { Part } from "./part.ts";
import { damageOf, isAllNotified, openTortured, type Tortured } from "./tortured.ts";

/** What it may address, in KiB: with less than the first it does not start. */
const ROOM_LEAST = 550_000;
const ROOM_MOST = 750_000;
/** The largest head that is taken has 32 KiB; this much of one is held as long as the rest may come. */
const HALF_A_HEAD = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(30_000)}`;
const AT_ONCE = 20;
const STRANGERS_MAX = 12_000;
/** Milliseconds. */
const FLOOD_MAX = 20_000;

export const memory: Part<"floods" | "jobs"> = {
  name: "memory",
  what: "without memory the executable refuses or dies, and loses no report that was answered and no alert",
  counts: { floods: { full: 60, sample: 1 }, jobs: { full: 12, sample: 12 } },
  run: async ({ floods, jobs: jobCount, seed }, report) => {
    const random = seeded(seed, "memory");
    // A job that insists would repeat what was refused.
    const jobs = makeJobs(jobCount).filter(({ insists }) => !insists);
    const memories = newMemories(jobs);
    await using tortured = await openTortured();
    using judge = openJudge(jobs);
    let [died, refused, most] = [0, 0, 0];
    for (let flood = 1; flood <= floods; flood++) {
      const ended = await floodOnce(tortured, memories, random);
      if (ended.hasDied) died += 1;
      most = Math.max(most, ended.memory);
      for (const { faults } of memories.values()) refused += faults.splice(0).length;
      tortured.newLife();
      const service = await tortured.folder.serve();
      for (const fault of await judge.judge(tortured.folder, memories)) report.fault(`after ${flood} floods: ${fault}`);
      if (flood === floods)
        await until("the end of all deliveries", () => (isAllNotified(tortured.folder) ? true : null));
      await service.end("SIGTERM");
      report.progress(`${flood} of ${floods} floods, ${died} deaths, ${judge.stored} reports stored`);
    }
    for (const fault of tortured.judgeArrivals(judge.alerts())) report.fault(fault);
    const damage = damageOf(tortured.folder);
    if (damage !== null) report.fault(damage);
    report.figure("floods", floods);
    report.figure("deaths", died);
    report.figure("reports refused", refused);
    report.figure("reports stored", judge.stored);
    report.figure("alerts arrived", tortured.arrived);
    report.figure("MB resident at most", inMegabytes(most));
  },
};

interface Ended {
  readonly hasDied: boolean;
  /** The most that was resident. */
  readonly memory: number;
}

async function floodOnce({ folder, newLife, apiKey }: Tortured, memories: Memories, random: Random): Promise<Ended> {
  newLife();
  const service = await folder.serve({}, `ulimit -v ${random.whole(ROOM_LEAST, ROOM_MOST)}`);
  const port = Number(new URL(service.url).port);
  const reporting = reportAll(memories, { port, key: apiKey });
  const ended = await flood(service, port);
  await service.end("SIGKILL");
  await reporting;
  return ended;
}

/** More and more strangers, until it dies, or takes no more of them. */
async function flood({ pid }: Service, port: number): Promise<Ended> {
  const strangers: Socket[] = [];
  let memory = 0;
  const begun = performance.now();
  while (strangers.length < STRANGERS_MAX && performance.now() - begun < FLOOD_MAX) {
    const now = memoryOf(pid);
    if (now === 0) break;
    memory = Math.max(memory, now);
    for (let count = 0; count < AT_ONCE; count++) strangers.push(stranger(port));
    await Bun.sleep(5);
  }
  const hasDied = memoryOf(pid) === 0;
  for (const socket of strangers) socket.destroy();
  return { hasDied, memory };
}

function stranger(port: number): Socket {
  const socket = connect(port, "127.0.0.1", () => socket.write(HALF_A_HEAD));
  socket.on("error", () => {});
  return socket;
}
