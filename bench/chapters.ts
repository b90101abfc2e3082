// What is measured, a function a chapter, each with a service and a database of its own. How a figure is made is
// side-by-side.ts.

import { join } from "node:path";
import { type Chapter, figureOf, type Result } from "./figures.ts";
import { fillHistory, fillMonitors } from "./filled-database.ts";
import {
  benchFolder,
  bytesWritten,
  firstKey,
  freePort,
  megabytesOf,
  processorSeconds,
  type Rollcall,
  startRollcall,
  stopRollcall,
} from "./rollcall.ts";
import { atRate, type Bare, compare, type Rate, ROUNDS, type Scenario, startBare } from "./side-by-side.ts";
import { type RequestKind, runWrk } from "./wrk.ts";

/** Nothing of it comes due while it is measured. */
const YEARLY = "?schedule=0%200%201%201%20*";
const FEW = 1_000;
const KEEP_ALIVE = { connections: 64, keepAlive: true } as const;

const less = (name: string, unit: string, rounds: readonly number[], wanted: number | null = null): Result => ({
  name,
  unit,
  better: "less",
  figure: figureOf(rounds),
  wanted,
});

interface World {
  readonly directory: string;
  readonly key: string;
  remove(): void;
}

/** A data directory with this many monitors, from `job-1` on, and no running service. */
async function worldOf(monitors: number): Promise<World> {
  const [directory, remove] = benchFolder();
  const rollcall = await startRollcall(directory, await freePort());
  const key = firstKey(directory);
  const answer = await fetch(`${rollcall.url}/api/v1/ping/job-1/${key}${YEARLY}`);
  if (!answer.ok) throw new Error(`registering failed: ${answer.status} ${await answer.text()}`);
  await stopRollcall(rollcall);
  if (monitors > 1) fillMonitors(directory, monitors);
  return { directory, key, remove };
}

const scenarioOf = (name: string, kind: RequestKind, world: World, monitors: number): Scenario => ({
  name,
  kind,
  key: world.key,
  monitors,
  ...KEEP_ALIVE,
  wanted: null,
});

/** Connections of each kind, what jobs send, at rest and at a steady rate: a thousand monitors. */
export async function fewMonitors(bare: Bare): Promise<Chapter[]> {
  const world = await worldOf(FEW);
  const rollcall = await startRollcall(world.directory, await freePort());
  const idle = await atRest(rollcall);
  const run = async (scenario: Scenario) => (await compare(scenario, rollcall.url, bare.url)).results;
  const heartbeat = scenarioOf("", "heartbeat", world, FEW);
  const connections = [
    ...(await run({ ...heartbeat, name: "64 connections, kept alive" })),
    ...(await run({ ...heartbeat, name: "512 connections, kept alive", connections: 512 })),
    ...(await run({
      ...heartbeat,
      name: "a new connection each, 64 at a time",
      keepAlive: false,
      wanted: { share: 80, p99: 2.5 },
    })),
  ];
  const kinds = [
    ...(await run(scenarioOf("start and complete of a run", "run", world, FEW))),
    ...(await run(scenarioOf("a heartbeat with its schedule, grace and zone", "schedule", world, FEW))),
    ...(await run(scenarioOf("a heartbeat with a new idempotency key", "idempotent", world, FEW))),
  ];
  const steady = await steadyRates(rollcall, bare, world.key);
  const after = less("resident memory after all this", "MB", [megabytesOf(rollcall)]);
  await stopRollcall(rollcall);
  world.remove();
  const note = "1,000 monitors; heartbeats from `wrk`, unless the line says otherwise.";
  return [
    { title: "Connections", note, results: connections },
    { title: "What jobs send", note: "64 connections kept alive, 1,000 monitors.", results: kinds },
    {
      title: "At a steady rate",
      note: "Requests are due at a steady rate over 64 connections, and each answer's time counts from when its request was due.",
      results: steady,
    },
    { title: "At rest", note: "1,000 monitors.", results: [...idle, after] },
  ];
}

async function atRest(rollcall: Rollcall): Promise<Result[]> {
  const before = processorSeconds(rollcall);
  await Bun.sleep(5_000);
  const share = (100 * (processorSeconds(rollcall) - before)) / 5;
  return [
    less("resident memory, idle", "MB", [megabytesOf(rollcall)]),
    less("processor time, idle", "% of one", [share]),
  ];
}

const STEADY = { seconds: 2, connections: 64 };
/** As many jobs begin at the same minute. */
const AT_ONCE = { rate: 5_000_000, seconds: 0.001, connections: 512 };

async function steadyRates(rollcall: Rollcall, bare: Bare, key: string): Promise<Result[]> {
  const paths = Array.from({ length: FEW }, (_, index) => `/api/v1/ping/job-${index + 1}/${key}`);
  async function p99(name: string, plan: Omit<Rate, "paths">): Promise<Result> {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const plain = await atRate(bare.port, { ...plan, paths: ["/"] });
      const ours = await atRate(rollcall.port, { ...plan, paths });
      ratios.push(ours.p99 / plain.p99);
    }
    const result = less(`${name}: p99`, "times bare", ratios);
    console.log(`${result.name} ${result.figure.median.toFixed(1)} times`);
    return result;
  }
  return [
    await p99("100 a second", { ...STEADY, rate: 100 }),
    await p99("2,000 a second", { ...STEADY, rate: 2_000 }),
    await p99("5,000 a second", { ...STEADY, rate: 5_000 }),
    await p99("5,000 in the same moment over 512 connections", AT_ONCE),
  ];
}

/** Reports spread at random over many monitors; starts; bytes written. */
export async function manyMonitors(bare: Bare, monitors: number, wanted: Scenario["wanted"]): Promise<Chapter> {
  const world = await worldOf(monitors);
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = await startRollcall(world.directory, await freePort());
    starts.push(started.milliseconds);
    await stopRollcall(started);
  }
  const rollcall = await startRollcall(world.directory, await freePort());
  const memory = megabytesOf(rollcall);
  const scenario = scenarioOf("64 connections, kept alive", "heartbeat", world, monitors);
  const before = bytesWritten(rollcall);
  const compared = await compare({ ...scenario, wanted }, rollcall.url, bare.url, 2);
  const reports = compared.rounds.reduce((sum, { rate }) => sum + rate * 2, 0);
  const bytes = (bytesWritten(rollcall) - before) / reports;
  const slow = await bytesAtOneASecond(rollcall, world.key, monitors);
  await stopRollcall(rollcall);
  world.remove();
  return {
    title: `${monitors.toLocaleString("en")} monitors`,
    note: "Each report is for one of them at random.",
    results: [
      ...compared.results,
      less("written to disk for a report, under load", "bytes", [bytes], 1_024),
      less("written to disk for a report, one a second", "bytes", [slow], 5_120),
      less("start to the first answer", "ms", starts),
      less("resident memory after the start", "MB", [memory]),
    ],
  };
}

async function bytesAtOneASecond(rollcall: Rollcall, key: string, monitors: number): Promise<number> {
  const before = bytesWritten(rollcall);
  const reports = 8;
  for (let report = 0; report < reports; report++) {
    const monitor = 1 + Math.floor(Math.random() * monitors);
    await (await fetch(`${rollcall.url}/api/v1/ping/job-${monitor}/${key}`)).arrayBuffer();
    await Bun.sleep(1_000);
  }
  return (bytesWritten(rollcall) - before) / reports;
}

/** Ten million reports have been kept. */
export async function longHistory(bare: Bare, pings: number): Promise<Chapter> {
  const world = await worldOf(FEW);
  fillHistory(world.directory, pings);
  const rollcall = await startRollcall(world.directory, await freePort());
  const name = `${pings.toLocaleString("en")} reports kept`;
  const { results } = await compare(scenarioOf(name, "heartbeat", world, FEW), rollcall.url, bare.url);
  await stopRollcall(rollcall);
  world.remove();
  return { title: "A long history", note: "64 connections kept alive, 1,000 monitors.", results };
}

/** The same load where each sync to disk takes 4 ms longer; null where there is no C compiler to make such a disk. */
export async function slowDisk(): Promise<Chapter | null> {
  if (Bun.which("gcc") === null) return null;
  const world = await worldOf(FEW);
  const library = join(world.directory, "slow-disk.so");
  const compiled = Bun.spawnSync([
    "gcc",
    "-shared",
    "-fPIC",
    "-o",
    library,
    join(import.meta.dir, "slow-disk.c"),
    "-ldl",
  ]);
  if (!compiled.success) throw new Error(compiled.stderr.toString());
  const fast = await startRollcall(world.directory, await freePort());
  const other = await worldOf(FEW);
  const slow = await startRollcall(other.directory, await freePort(), { LD_PRELOAD: library });
  const results: Result[] = [];
  for (const connections of [64, 512]) {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const quick = await rateOf(fast, world, connections);
      rounds.push((100 * (await rateOf(slow, other, connections))) / quick);
    }
    const name = `${connections} connections, kept alive: answers`;
    results.push({ name, unit: "% of the fast disk", better: "more", figure: figureOf(rounds), wanted: null });
    console.log(`slow disk, ${name} ${Math.round(results.at(-1)!.figure.median)} %`);
  }
  await stopRollcall(fast);
  await stopRollcall(slow);
  world.remove();
  other.remove();
  return { title: "A slow disk", note: "Each sync to disk takes 4 ms longer.", results };
}

async function rateOf(rollcall: Rollcall, world: World, connections: number): Promise<number> {
  const load = { ...scenarioOf("", "heartbeat", world, FEW), connections, url: rollcall.url, seconds: 2 };
  return (await runWrk(load)).rate;
}

/** TLS by rollcall itself, beside a bare server with the same certificate. */
export async function overTls(): Promise<Chapter> {
  const world = await worldOf(FEW);
  const certificate = join(world.directory, "certificate.pem");
  const key = join(world.directory, "key.pem");
  const made = Bun.spawnSync(
    [
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "1",
    ].concat(["-subj", "/CN=localhost", "-keyout", key, "-out", certificate]),
  );
  if (!made.success) throw new Error(made.stderr.toString());
  const bare = await startBare([certificate, key]);
  const tls = { ROLLCALL_SERVER__TLS_CERT: certificate, ROLLCALL_SERVER__TLS_KEY: key };
  const rollcall = await startRollcall(world.directory, await freePort(), tls);
  const scenario = scenarioOf("64 connections over TLS, kept alive", "heartbeat", world, FEW);
  const { results } = await compare(scenario, rollcall.url, bare.url);
  await stopRollcall(rollcall);
  bare.process.kill();
  world.remove();
  return { title: "TLS", note: "1,000 monitors.", results };
}
