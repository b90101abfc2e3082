// `test/task bench-status`: one application of 100,000 monitors is asked for its sync status, and the socket for its
// list, while another process reports. It measures how long each answer takes, the longest wait of a report meanwhile,
// and memory.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder, freePort, type Rollcall, startRollcall, stopRollcall } from "./rollcall.ts";

const MONITORS = Number(process.env["STATUS_MONITORS"] ?? 100_000);
const ROUNDS = Number(process.env["STATUS_ROUNDS"] ?? 5);
const IN_ONE_SYNC = 100;
/** Milliseconds from the answer to one report to the next report. */
const PAUSE = 2;
const CONFIGURATION = "[limits]\nsync_per_minute = 0\n";

/** The task of a reader or a reporter in another process. */
type Plan =
  | { readonly role: "report"; readonly url: string }
  | { readonly role: "read"; readonly url: string; readonly unix?: string; readonly authorization: string };

interface Read {
  readonly milliseconds: number;
  readonly megabytes: number;
  readonly monitors: number;
}

/**
 * Reports one after another until it is told to stop; for each line on its input it prints the longest wait since the
 * line before.
 */
async function report(url: string): Promise<void> {
  let longest = 0;
  const loop = async (): Promise<never> => {
    for (;;) {
      const sentAt = performance.now();
      const answer = await fetch(url);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`a report was refused: ${answer.status}`);
      longest = Math.max(longest, performance.now() - sentAt);
      await Bun.sleep(PAUSE);
    }
  };
  void loop();
  for await (const _ of console) {
    console.log(longest);
    longest = 0;
  }
  process.exit(0);
}

async function read({ url, unix, authorization }: Extract<Plan, { role: "read" }>): Promise<void> {
  const startedAt = performance.now();
  const answer = await fetch(url, unix === undefined ? { headers: { authorization } } : { method: "POST", unix });
  const text = await answer.text();
  const milliseconds = performance.now() - startedAt;
  const { monitors, totalMonitors = monitors.length } = JSON.parse(text);
  if (totalMonitors !== monitors.length) throw new Error(`${totalMonitors} announced, ${monitors.length} listed`);
  console.log(JSON.stringify({ milliseconds, megabytes: text.length / 1e6, monitors: monitors.length }));
}

const started = (plan: Plan) =>
  Bun.spawn([process.execPath, import.meta.path, JSON.stringify(plan)], { stdin: "pipe", stdout: "pipe" });

async function readOnce(plan: Extract<Plan, { role: "read" }>): Promise<Read> {
  return JSON.parse(await new Response(started(plan).stdout).text());
}

/** Asks the reporter for its longest wait since it was last asked. */
function createReporter(url: string): { readonly longest: () => Promise<number>; readonly stop: () => void } {
  const child = started({ role: "report", url });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  return {
    longest: async () => {
      child.stdin.write("\n");
      await child.stdin.flush();
      return Number((await lines.read()).value);
    },
    stop: () => child.kill(),
  };
}

async function declareAll(port: number, authorization: string): Promise<void> {
  for (let from = 0; from < MONITORS; from += IN_ONE_SYNC) {
    const monitors = Array.from({ length: Math.min(IN_ONE_SYNC, MONITORS - from) }, (_, index) => ({
      key: `job-${from + index}`,
      name: `Nightly job ${from + index}`,
      schedule: `${index % 60} 3 * * *`,
    }));
    const body = JSON.stringify({ source: `bench-${from}`, monitors });
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/sync`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`a sync was refused: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

function memoryOf({ process: { pid } }: Rollcall, field: "VmRSS" | "VmHWM"): number {
  const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1];
  return Number(kilobytes) / 1024;
}

/** Restarts the measurement of the highest memory. */
const forgetHighest = ({ process: { pid } }: Rollcall): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");

async function measure(what: string, rollcall: Rollcall, reportUrl: string, ask: () => Promise<Read>): Promise<void> {
  const reporter = createReporter(reportUrl);
  await Bun.sleep(1_000);
  const rounds: { quiet: number; longest: number; read: Read; grown: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await reporter.longest();
    await Bun.sleep(1_000);
    const quiet = await reporter.longest();
    forgetHighest(rollcall);
    const before = memoryOf(rollcall, "VmRSS");
    const read = await ask();
    const longest = await reporter.longest();
    rounds.push({ quiet, longest, read, grown: memoryOf(rollcall, "VmHWM") - before });
  }
  reporter.stop();
  const { monitors, megabytes } = rounds[0]!.read;
  const waits = rounds.map(({ longest }) => longest);
  const of = (pick: (round: (typeof rounds)[number]) => number): number => Math.round(median(rounds.map(pick)));
  console.log(
    `${what.padEnd(12)} ${monitors} monitors, ${megabytes.toFixed(1)} MB in ${of(({ read }) => read.milliseconds)} ms; ` +
      `longest wait of a report ${median(waits).toFixed(1)} ms (worst ${Math.max(...waits).toFixed(1)} ms; ` +
      `${median(rounds.map(({ quiet }) => quiet)).toFixed(1)} ms while nobody asks); ` +
      `memory +${of(({ grown }) => grown)} MB at most`,
  );
}

async function main(): Promise<void> {
  const directory = benchFolder(CONFIGURATION);
  const rollcall = await startRollcall(directory, await freePort());
  const { port } = rollcall;
  const key = /ck_app_\S+/.exec(readFileSync(join(directory, "data/first-key"), "utf8"))![0];
  const authorization = `Basic ${btoa(`${key}:`)}`;
  console.log(`median of ${ROUNDS} rounds; a report every ${PAUSE} ms meanwhile, over one connection`);
  await declareAll(port, authorization);
  const reportUrl = `http://127.0.0.1:${port}/api/v1/ping/job-0/${key}`;
  const status = `http://127.0.0.1:${port}/api/v1/sync/status`;
  const socket = join(directory, "data/rollcall.sock");
  await measure("sync status", rollcall, reportUrl, () => readOnce({ role: "read", url: status, authorization }));
  await measure("monitor list", rollcall, reportUrl, () =>
    readOnce({ role: "read", url: "http://localhost/operations/monitor.list", unix: socket, authorization: "" }),
  );
  console.log(`memory (resident) afterwards: ${Math.round(memoryOf(rollcall, "VmRSS"))} MB`);
  await stopRollcall(rollcall);
  process.exit(0);
}

const plan: Plan | null = process.argv[2] === undefined ? null : JSON.parse(process.argv[2]);
if (plan === null) await main();
else if (plan.role === "report") await report(plan.url);
else await read(plan);
