// `test/task fuzz`: attacks dist/rollcall with random requests, the paths of jobs and then the pages, and says what
// came of them. SEED repeats an attack, SIDE=pages picks one side.

import { attack } from "./attack.ts";
import type { Front } from "./front.ts";
import { openPages } from "./pages-front.ts";
import { openPathsOfJobs } from "./paths-of-jobs.ts";

const SIDES: Readonly<Record<string, (requests: number) => Promise<Front>>> = {
  jobs: openPathsOfJobs,
  pages: () => openPages(),
};

const requests = Number(process.env.REQUESTS ?? 100_000);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const chosen = process.env.SIDE === undefined ? Object.keys(SIDES) : [process.env.SIDE];

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

for (const side of chosen) {
  console.log(`SIDE=${side} SEED=${seed}`);
  const begun = performance.now();
  await using front = await SIDES[side]!(requests);
  const { counts, findings } = await attack({
    front,
    seed,
    requests,
    progress: (sent, bytes) => console.log(`${sent} requests, ${megabytes(bytes)} resident`),
  });
  for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(7)}  ${name}`);
  console.log(`${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}
