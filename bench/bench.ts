// `make bench`: durable, answered heartbeats per second beside a bare server that answers a constant, interleaved in one
// run on this machine; then start-up and idle memory. Prints ratios, since only they carry over to other machines.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder, freePort, type Rollcall, startRollcall, stopRollcall } from "./rollcall.ts";

const MONITORS = 1_000;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 4);

interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

interface Scenario {
  readonly name: string;
  readonly connections: number;
  readonly keepAlive: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { name: "64 keep-alive", connections: 64, keepAlive: true },
  { name: "512 keep-alive", connections: 512, keepAlive: true },
  { name: "new connections, 64", connections: 64, keepAlive: false },
];

async function load(port: number, paths: readonly string[], { connections, keepAlive }: Scenario): Promise<Measured> {
  const plan = JSON.stringify({ port, connections, seconds: SECONDS, keepAlive, paths });
  const generator = Bun.spawn([process.execPath, join(import.meta.dir, "load.ts"), plan], { stdout: "pipe" });
  return JSON.parse(await new Response(generator.stdout).text());
}

interface Bare {
  readonly process: Bun.Subprocess;
  readonly port: number;
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const bytes of stream) return new TextDecoder().decode(bytes).split("\n")[0]!;
  throw new Error("the server said nothing");
}

async function startBare(): Promise<Bare> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare.ts")], { stdout: "pipe" });
  return { process: child, port: Number(await firstLine(child.stdout)) };
}

async function register(port: number, key: string): Promise<string[]> {
  const paths = Array.from({ length: MONITORS }, (_, index) => `/api/v1/ping/bench-${index}/${key}`);
  for (const path of paths) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}?schedule=*/5%20*%20*%20*%20*`);
    if (!answer.ok) throw new Error(`registering failed: ${answer.status} ${await answer.text()}`);
  }
  return paths;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const mid = (rounds: readonly Measured[], part: "rate" | "p50" | "p99"): number => median(rounds.map((it) => it[part]));

async function compare(bare: Bare, rollcall: Rollcall, paths: readonly string[], scenario: Scenario): Promise<void> {
  const rounds = { bare: [] as Measured[], rollcall: [] as Measured[] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.bare.push(await load(bare.port, ["/"], scenario));
    rounds.rollcall.push(await load(rollcall.port, paths, scenario));
  }
  const share = Math.round((100 * mid(rounds.rollcall, "rate")) / mid(rounds.bare, "rate"));
  const failed = rounds.rollcall.reduce((sum, { failed }) => sum + failed, 0);
  const row = (part: readonly Measured[]) =>
    `${mid(part, "rate").toString().padStart(8)}/s  p50 ${mid(part, "p50").toFixed(2)} ms  p99 ${mid(part, "p99").toFixed(2)} ms`;
  console.log(`${scenario.name.padEnd(20)} bare     ${row(rounds.bare)}`);
  console.log(
    `${"".padEnd(20)} rollcall ${row(rounds.rollcall)}  ${share} % of bare${failed > 0 ? `, ${failed} failed` : ""}`,
  );
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1];
  return Math.round(Number(kilobytes) / 1024);
}

const [directory, remove] = benchFolder();
const port = await freePort();
console.log(`median of ${ROUNDS} rounds of ${SECONDS} s each, bare and rollcall in turn; ${MONITORS} monitors`);
let rollcall = await startRollcall(directory, port);
const key = /ck_app_\S+/.exec(readFileSync(join(directory, "data/first-key"), "utf8"))![0];
const paths = await register(port, key);
const bare = await startBare();
for (const scenario of SCENARIOS) await compare(bare, rollcall, paths, scenario);
const busy = residentMegabytes(rollcall.process.pid);
await stopRollcall(rollcall);

const starts: number[] = [];
for (let round = 0; round < 5; round++) {
  rollcall = await startRollcall(directory, port);
  starts.push(rollcall.milliseconds);
  if (round < 4) await stopRollcall(rollcall);
}
console.log(`start to first answer with ${MONITORS} monitors: median ${Math.round(median(starts))} ms`);
await Bun.sleep(5_000);
console.log(`memory (resident): ${residentMegabytes(rollcall.process.pid)} MB idle, ${busy} MB after the load`);
bare.process.kill("SIGTERM");
await stopRollcall(rollcall);
remove();
