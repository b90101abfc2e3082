// The power is cut at random moments: what the executable wrote is written down, the disk is built as it may be found
// after the cut, and the executable must start on it and know every report that it had answered.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Random, seeded } from "../simulation/random.ts";
import { type Folder, firstKeyOf, openFolder, type Service, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { openDisk } from "./disk.ts";
import { type DiskRecord, databaseFiles, readJournal, rebuild } from "./disk-journal.ts";
import {
  answeredBy,
  type Job,
  type Memories,
  type Memory,
  makeJobs,
  newMemories,
  reportAll,
  reportOnce,
} from "./jobs.ts";
import { openJudge } from "./judge.ts";
import type { Counts, Part } from "./part.ts";
import { configurationTo, damageOf } from "./tortured.ts";

/** So many cuts are made of what one service wrote. */
const CUTS_OF_ONE = 20;
/** How often that service starts, and how many reports it answers then, at most. */
const LIVES = 3;
const ANSWERED_MAX = 400;
/** Of so many cuts one is followed by another, while the executable starts on what the first has left. */
const ONE_IN_TWO_CUTS = 3;
const START_MAX = 200;

/** How much of what was not synced a disk may have kept. */
const ANY_SHARE = [0, 0.1, 0.5, 0.9, 1];
const SOME_OR_NONE = [0, 0.5];

type Count = "cuts" | "deaf" | "jobs";

export const cuts: Part<Count> = {
  name: "cuts",
  what: "a power cut at any moment loses nothing that was answered; where syncs are ignored, the same look finds losses",
  counts: { cuts: { full: 200, sample: 4 }, deaf: { full: 10, sample: 2 }, jobs: { full: 16, sample: 8 } },
  run: async (counts, report) => {
    const random = seeded(counts.seed, "cuts");
    await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
    const files = { "rollcall.toml": configurationTo(receiver.url) };
    let made = 0;
    let answered = 0;
    while (made < counts.cuts) {
      const some = Math.min(CUTS_OF_ONE, counts.cuts - made);
      const written = await writeUnderLoad(files, makeJobs(counts.jobs), random, ["SIGTERM", "SIGKILL"], false);
      for (let cut = 0; cut < some; cut++) {
        made += 1;
        const { faults, known } = await cutPower(written, random);
        answered += known;
        for (const fault of faults) report.fault(`cut ${made}: ${fault}`);
        report.progress(`${made} of ${counts.cuts} cuts, ${answered} answered reports looked for`);
      }
    }
    report.figure("cuts", made);
    report.figure("answered reports looked for", answered);
    const found = await cutsFoundOut(files, counts, random);
    report.figure(`of ${counts.deaf} cuts with ignored syncs found out`, found);
    if (found < counts.deaf) report.fault(`of ${counts.deaf} cuts with ignored syncs only ${found} were found out`);
  },
};

/** What a folder begins with. */
type Files = Readonly<Record<string, string>>;

/** What a service has written under load, and what its jobs know of it. */
interface Written {
  readonly files: Files;
  readonly jobs: readonly Job[];
  readonly memories: Memories;
  readonly records: readonly DiskRecord[];
  /** Of the API. */
  readonly key: string;
}

/** `ends`: how its lives end. */
async function writeUnderLoad(
  files: Files,
  jobs: readonly Job[],
  random: Random,
  ends: readonly NodeJS.Signals[],
  ignoresLogSyncs: boolean,
): Promise<Written> {
  await using folder = openFolder(files);
  using disk = openDisk(dataOf(folder));
  if (ignoresLogSyncs) disk.ignoreLogSyncs();
  const memories = newMemories(jobs);
  let key: string | null = null;
  for (let life = 0; life < LIVES; life++) {
    const service = await folder.serve(disk.environment);
    key ??= firstKeyOf(service);
    const enough = answeredBy(memories) + random.whole(0, ANSWERED_MAX);
    const reporting = reportAll(memories, { port: portOf(service), key, mark: disk.mark });
    await until("enough answers", () => (answeredBy(memories) >= enough ? true : null));
    await service.end(random.pick(ends));
    await reporting;
  }
  return { files, jobs, memories, records: readJournal(disk.journal), key: key! };
}

/** What the jobs knew when no more than this was written. */
function memoriesAt({ memories }: Written, mark: number): Memories {
  const known = [...memories].map(([job, memory]): [Job, Memory] => {
    const begun = memory.begun.filter(([, at]) => at <= mark);
    const heard = memory.heard.filter(([, one]) => one.mark <= mark);
    return [job, { sent: begun.at(-1)?.[0] ?? 0, begun, heard, faults: [...memory.faults] }];
  });
  return new Map(known);
}

interface Found {
  readonly faults: readonly string[];
  /** How many answered reports were looked for. */
  readonly known: number;
}

/** Cuts the power somewhere after the first `after` records, starts on what is left, and says what is wrong there. */
async function cutPower(written: Written, random: Random, after = 0, shares = ANY_SHARE): Promise<Found> {
  const { jobs, records } = written;
  const count = random.whole(after, records.length);
  const memories = memoriesAt(written, records[count - 1]?.end ?? 0);
  const known = answeredBy(memories);
  await using folder = openFolder(written.files);
  rebuild(new Map(), records.slice(0, count), { random, shares }, dataOf(folder));
  if (random.chance(1 / ONE_IN_TWO_CUTS)) await cutInStart(folder, random);
  using judge = openJudge(jobs);
  try {
    const service = await folder.serve();
    const faults = await judge.judge(folder, memories);
    if (known > 0) {
      const isAnswered = await reportOnce(memories, { port: portOf(service), key: written.key });
      if (!isAnswered) faults.push("a report is not answered after the cut");
      faults.push(...(await judge.judge(folder, memories)));
    }
    const damage = damageOf(folder);
    return { faults: damage === null ? faults : [...faults, damage], known };
  } catch (error) {
    return { faults: [`it does not start: ${error}`], known };
  }
}

/** Cuts the power again while the executable starts on what the first cut has left. */
async function cutInStart(folder: Folder, random: Random): Promise<void> {
  const before = databaseFiles(dataOf(folder));
  using disk = openDisk(dataOf(folder));
  const service = folder.launch(disk.environment);
  await Bun.sleep(random.fraction() * START_MAX);
  await service.end("SIGKILL");
  const records = readJournal(disk.journal);
  rmSync(dataOf(folder), { recursive: true, force: true });
  rebuild(before, records.slice(0, random.whole(0, records.length)), { random, shares: ANY_SHARE }, dataOf(folder));
}

/** How many of the cuts of a disk whose log is never synced are found out; late enough that something was answered. */
async function cutsFoundOut(files: Files, { deaf, jobs }: Counts<Count>, random: Random): Promise<number> {
  // A stop would fold the log into the database, and that file's syncs are not ignored.
  const written = await writeUnderLoad(files, makeJobs(jobs), random, ["SIGKILL"], true);
  let found = 0;
  for (let cut = 0; cut < deaf; cut++) {
    const { faults } = await cutPower(written, random, Math.floor(written.records.length / 2), SOME_OR_NONE);
    if (faults.length > 0) found += 1;
  }
  return found;
}

const dataOf = ({ path }: Folder): string => join(path, "data");
const portOf = ({ url }: Service): number => Number(new URL(url).port);
