// `test/task bench-run`: by how much `rollcall run` delays a job, compared with the job alone, when the server answers.

import { join } from "node:path";
import { percentile } from "./figures.ts";
import { benchFolder, EXECUTABLE, firstKey, freePort, startRollcall, stopRollcall } from "./rollcall.ts";

const TIMES = Number(process.env["RUN_TIMES"] ?? 300);

const directory = benchFolder("[limits]\nv1_per_minute = 0\nv1_per_hour = 0\n");
const rollcall = await startRollcall(directory, await freePort());
const env = {
  PATH: process.env["PATH"],
  HOME: directory,
  ROLLCALL_URL: rollcall.url,
  ROLLCALL_KEY: firstKey(directory),
  ROLLCALL_SPOOL: join(directory, "spool"),
};

/** Milliseconds until the command has ended. */
async function took(command: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = Bun.spawn([...command], { env, stdio: ["ignore", "ignore", "inherit"] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
  return performance.now() - begun;
}

const alone: number[] = [];
const delays: number[] = [];
for (let round = 0; round < TIMES; round++) {
  const without = await took(["/bin/true"]);
  const within = await took([EXECUTABLE, "run", "--schedule", "0 0 * * *", "job", "--", "/bin/true"]);
  alone.push(without);
  delays.push(within - without);
}
await stopRollcall(rollcall);

const line = (name: string, numbers: readonly number[]): string =>
  `${name}: p50 ${percentile(numbers, 0.5).toFixed(1)} ms, p99 ${percentile(numbers, 0.99).toFixed(1)} ms, most ${percentile(numbers, 1).toFixed(1)} ms`;
console.log(`/bin/true, ${TIMES} times in turn`);
console.log(line("by itself", alone));
console.log(line("delayed by rollcall run", delays));
