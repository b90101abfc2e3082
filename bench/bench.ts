// `make bench`: measures the compiled executable in under five minutes, prints each figure as it comes, writes the results and
// their page, and fails where one is worse than the results that were kept.

import { fewMonitors, longHistory, manyMonitors, overTls, slowDisk } from "./chapters.ts";
import type { Chapter } from "./figures.ts";
import { machine, regressions, writeReport } from "./report.ts";
import { ROUNDS, startBare } from "./side-by-side.ts";
import { hasWrk } from "./wrk.ts";

if (!hasWrk()) {
  console.error("wrk is missing: it makes the load. On Debian: apt-get install wrk");
  process.exit(1);
}
const startedAt = performance.now();
const bare = await startBare();
const chapters: Chapter[] = [];
async function measure(title: string, run: () => Promise<Chapter | readonly Chapter[] | null>): Promise<void> {
  console.log(`==> ${title}`);
  chapters.push(...[(await run()) ?? []].flat());
}

await measure("1,000 monitors", () => fewMonitors(bare));
await measure("100,000 monitors", () => manyMonitors(bare, 100_000, { share: 45, p99: 2.5 }));
await measure("1,000,000 monitors", () => manyMonitors(bare, 1_000_000, { share: 35, p99: 2.5 }));
await measure("10,000,000 reports kept", () => longHistory(bare, 10_000_000));
await measure("a slow disk", slowDisk);
await measure("TLS", overTls);
bare.process.kill();

const worse = regressions(chapters);
const how = `Last measured on ${new Date().toISOString().slice(0, 10)}: ${machine()}, ${ROUNDS} rounds.`;
if (worse.length === 0 || process.env["BENCH_KEEP"] === "1") writeReport(chapters, how);
for (const line of worse) console.error(`worse: ${line}`);
console.log(`${worse.length} figures are worse; took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
process.exit(worse.length === 0 ? 0 : 1);
