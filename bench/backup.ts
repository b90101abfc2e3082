// `test/task bench-backup`: how long `rollcall backup` and `rollcall restore` take with a database of a gigabyte, and
// how long reports at a steady rate wait while a backup is made, in turn with the same reports while none is made.

import { statSync } from "node:fs";
import { join } from "node:path";
import { medianOf } from "./figures.ts";
import { EXECUTABLE, processorSeconds, type Rollcall, stopRollcall } from "./rollcall.ts";
import { type Answered, atRate } from "./steady.ts";
import { heartbeatPaths, startIn, type World, worldOf } from "./world.ts";

const MONITORS = Number(process.env["BACKUP_MONITORS"] ?? 100_000);
/** This number of reports, with the monitors above, makes a gigabyte. */
const REPORTS = Number(process.env["BACKUP_REPORTS"] ?? 24_000_000);
const ROUNDS = Number(process.env["BACKUP_ROUNDS"] ?? 5);
/** Reports per second. */
const RATE = 500;
const PATHS = 500;
const LOOK_EVERY = 100;

/** Runs a command as the operator of this data directory, and returns the seconds that it took. */
async function run({ directory }: World, ...args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn([EXECUTABLE, ...args], { cwd: directory, stdout: "ignore", stderr: "pipe" });
  const [exitCode, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (exitCode !== 0) throw new Error(`rollcall ${args.join(" ")} ended with ${exitCode}: ${said}`);
  return (performance.now() - startedAt) / 1_000;
}

const megabytes = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1e6;

/** The paths of heartbeats for some monitors all over the database, because the generator takes no more paths. */
const spreadOver = (world: World): string[] => {
  const paths = heartbeatPaths(world);
  const apart = Math.ceil(paths.length / PATHS);
  return paths.filter((_, place) => place % apart === 0);
};

interface Measured extends Answered {
  /** Seconds of a processor that the service itself took. */
  readonly processor: number;
}

async function reports(rollcall: Rollcall, world: World, seconds: number): Promise<Measured> {
  const before = processorSeconds(rollcall);
  const load = { rate: RATE, seconds, connections: 64, at: null, paths: spreadOver(world) };
  const answered = await atRate(rollcall.port, load);
  return { ...answered, processor: (processorSeconds(rollcall) - before) / seconds };
}

interface Beside extends Measured {
  /** Seconds that the backup took while reports came. */
  readonly took: number;
  /** The most megabytes that the log of the database had. */
  readonly log: number;
}

/** `seconds` is at most the time that the backup takes, so that all reports come during it. */
async function besideBackup(rollcall: Rollcall, world: World, file: string, seconds: number): Promise<Beside> {
  let isOver = false;
  let log = 0;
  const backup = run(world, "backup", file).finally(() => {
    isOver = true;
  });
  const watched = (async () => {
    for (; !isOver; await Bun.sleep(LOOK_EVERY))
      log = Math.max(log, megabytes(join(world.directory, "data/rollcall.db-wal")));
  })();
  const measured = await reports(rollcall, world, seconds);
  const took = await backup;
  await watched;
  return { ...measured, took, log };
}

const rounds = (of: readonly number[], digits = 1): string =>
  `${medianOf(of).toFixed(digits)} (${Math.min(...of).toFixed(digits)} to ${Math.max(...of).toFixed(digits)})`;

const wait = (of: readonly Answered[]): string =>
  `p50 ${rounds(of.map(({ p50 }) => p50))} ms, p99 ${rounds(of.map(({ p99 }) => p99))} ms, the slowest ${rounds(
    of.map(({ most }) => most),
    0,
  )} ms`;

console.log(`a database of ${MONITORS.toLocaleString("en")} monitors and ${REPORTS.toLocaleString("en")} reports`);
const world = await worldOf(MONITORS, REPORTS);
const rollcall = await startIn(world);
const copy = (name: string | number): string => join(world.directory, `copy-${name}.db`);
const alone = await run(world, "backup", copy("alone"));
console.log(`${megabytes(copy("alone")).toFixed(0)} MB; a backup with no report beside it: ${alone.toFixed(1)} s`);
// The generator gives up after a minute.
const seconds = Math.min(45, Math.max(1, Math.floor(alone)));
const without: Measured[] = [];
const beside: Beside[] = [];
for (let round = 0; round < ROUNDS; round++) {
  without.push(await reports(rollcall, world, seconds));
  beside.push(await besideBackup(rollcall, world, copy(round), seconds));
  console.log(`round ${round + 1}: p99 ${without.at(-1)!.p99.toFixed(1)} and ${beside.at(-1)!.p99.toFixed(1)} ms`);
}
await stopRollcall(rollcall);
console.log(
  `${RATE} reports a second without a backup: ${wait(without)}; ${rounds(
    without.map(({ processor }) => processor),
    2,
  )} of a processor`,
);
console.log(
  `beside a backup: ${wait(beside)}; ${rounds(
    beside.map(({ processor }) => processor),
    2,
  )} of a processor`,
);
console.log(
  `a backup beside them: ${rounds(beside.map(({ took }) => took))} s; the log of the database at most ${rounds(
    beside.map(({ log }) => log),
    0,
  )} MB`,
);
const restores: number[] = [];
for (let round = 0; round < Math.min(3, ROUNDS); round++) restores.push(await run(world, "restore", copy("alone")));
console.log(`a restore: ${rounds(restores)} s`);
