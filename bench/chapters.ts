// The measurements in a closed loop: each group is a function that starts a service on a database. side-by-side.ts says
// how a figure is made.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Chapter, less, medianOf, more, OWN_MEMORY, type Result } from "./figures.ts";
import { bytesWritten, megabytesOf, ownMegabytesOf, type Rollcall, stopRollcall } from "./rollcall.ts";
import { type Bare, type Compared, compare, load, ROUNDS, type Scenario, startBare } from "./side-by-side.ts";
import { steadyRates } from "./steady.ts";
import { heartbeatPaths, inMemory, scenarioOf, startIn, type World } from "./world.ts";
import type { OverLimit } from "./wrk.ts";

/** Connections of each kind, the reports of jobs, requests at a limit, and a steady rate, with a thousand monitors. */
export async function fewMonitors(bare: Bare, world: World): Promise<Chapter[]> {
  const rollcall = await startIn(world);
  const run = (scenario: Scenario) => compare(scenario, rollcall, bare);
  const heartbeat = scenarioOf("", "heartbeat", world);
  const connections = [
    await run({ ...heartbeat, name: "64 connections, kept alive" }),
    await run({ ...heartbeat, name: "512 connections, kept alive", connections: 512 }),
    await run({
      ...heartbeat,
      name: "a new connection each, 64 at a time",
      keepAlive: false,
      wanted: { share: 80, p99: 2.5 },
    }),
  ];
  const kinds = [
    await run(scenarioOf("start and complete of a run", "run", world)),
    await run(scenarioOf("a heartbeat with its schedule, grace and zone", "schedule", world)),
    await run(scenarioOf("a heartbeat with a new idempotency key", "idempotent", world)),
  ];
  const chapters = [
    { title: "Connections", note: noteOnConnections(connections), results: resultsOf(connections) },
    { title: "What jobs send", note: "64 connections kept alive, 1,000 monitors.", results: resultsOf(kinds) },
    await overLimit(rollcall, world),
    await steadyRates(rollcall, bare, heartbeatPaths(world)),
  ];
  await stopRollcall(rollcall);
  return chapters;
}

const resultsOf = (all: readonly Compared[]): Result[] => all.flatMap(({ results }) => results);

/** The generator must be faster than the bare server: otherwise the figure is that of the generator. */
function noteOnConnections([kept, , fresh]: readonly Compared[]): string {
  const share = ({ rounds }: Compared): string =>
    medianOf(rounds.map(({ bare }) => bare.processor / bare.answers / bare.each)).toFixed(1);
  return (
    "1,000 monitors; heartbeats from `wrk`. For a request over a connection that is kept alive `wrk` took " +
    `${share(kept!)} times the processor time of the bare server, and ${share(fresh!)} times over a new connection. There ` +
    "the kernel does most of the work in the client's time. So the processor time says more than the rate."
  );
}

/** The cost of a request at a limit or over it, compared with a plain one. */
async function overLimit(rollcall: Rollcall, world: World): Promise<Chapter> {
  const plain = scenarioOf("", "heartbeat", world);
  const usual: number[] = [];
  const costs = LIMITS.map(({ name, kind }) => ({ name, kind, times: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    usual.push((await load(plain, rollcall)).each);
    for (const { kind, times } of costs) times.push((await load({ ...plain, kind }, rollcall)).each / usual.at(-1)!);
  }
  for (const { name, times } of costs) console.log(`${name}: ${medianOf(times).toFixed(2)} times a heartbeat`);
  return {
    title: "Requests at a limit",
    note: "The server's processor time for one. The first two are refused; the third is a heartbeat.",
    results: costs.map(({ name, times }) => less(name, "times a heartbeat", times, 1)),
  };
}

const LIMITS: readonly { readonly name: string; readonly kind: OverLimit }[] = [
  { name: "a query of 5,000 empty pairs", kind: "empty-pairs" },
  { name: "a query of 16 KiB", kind: "long-query" },
  { name: "30 KiB of headers", kind: "large-head" },
];

/** How many times the bare server's processor time each kind of report may take. */
export interface WantedPrice {
  readonly heartbeat: Scenario["wanted"];
  /** A start or a complete with a run_id. */
  readonly run: number;
  /** A heartbeat with a new idempotency key; `null` when nothing is wanted. */
  readonly key: number | null;
}

/** The cost of a report in processor time and garbage collection, when it waits for no disk. */
export async function price(bare: Bare, world: World, wanted: WantedPrice): Promise<Result[]> {
  const memory = inMemory(world);
  const monitors = `${world.monitors.toLocaleString("en")} monitors`;
  const rollcall = await startIn(memory, { BUN_JSC_logGC: "2" });
  const heartbeat = { ...scenarioOf(monitors, "heartbeat", memory), wanted: wanted.heartbeat };
  await warmUp(heartbeat, rollcall, 2 * world.monitors);
  const before = allocatedIn(memory);
  const { results, rounds } = await compare(heartbeat, rollcall, bare);
  const answers = rounds.reduce((sum, { ours }) => sum + ours.answers, 0);
  const allocated = (allocatedIn(memory) - before) / answers;
  console.log(`${monitors}: ${Math.round(allocated)} bytes allocated a report`);
  const others: Result[] = [];
  for (const [what, kind, times] of [
    ["start and complete", "run", wanted.run],
    ["with a key", "idempotent", wanted.key],
  ] as const) {
    const scenario = { ...scenarioOf(`${monitors}, ${what}`, kind, memory), wanted: times === null ? null : { times } };
    await warmUp(scenario, rollcall, 0);
    others.push(...(await compare(scenario, rollcall, bare)).results);
  }
  await stopRollcall(rollcall);
  return [...results, less(`${monitors}: allocated`, "bytes", [allocated], 4_096), ...others];
}

/**
 * Loads for at least four seconds, and until there were this many answers. JavaScriptCore needs some reports to compile
 * their code, and a minute after a start most monitors have reported once.
 */
async function warmUp(scenario: Scenario, rollcall: Rollcall, answers: number): Promise<void> {
  for (let round = 0, warm = 0; round < 4 || warm < answers; round++) warm += (await load(scenario, rollcall)).answers;
}

/**
 * Allocated bytes by the log, in which JavaScriptCore writes how large the heap was before and after each collection.
 */
function allocatedIn({ directory }: World): number {
  let kilobytes = 0;
  let after = 0;
  for (const [, began, ended] of readFileSync(join(directory, "log"), "utf8").matchAll(COLLECTION)) {
    if (began === undefined) after = Number(ended);
    else kilobytes += Number(began) - after;
  }
  return kilobytes * 1_024;
}

const COLLECTION = /START M (\d+)kb|=> (\d+)kb, p=/g;

/**
 * Reports spread at random over many monitors; starts; bytes written. `slow` are the bytes for a report at one a
 * second.
 */
export async function manyMonitors(
  bare: Bare,
  world: World,
  wanted: Scenario["wanted"],
  slow: readonly number[],
): Promise<Chapter[]> {
  const starts: number[] = [];
  const megabytes: number[] = [];
  const ownMegabytes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = await startIn(world);
    starts.push(started.milliseconds);
    megabytes.push(megabytesOf(started));
    ownMegabytes.push(ownMegabytesOf(started));
    await stopRollcall(started);
  }
  const rollcall = await startIn(world);
  const scenario = scenarioOf("64 connections, kept alive", "heartbeat", world);
  const { results, rounds } = await compare({ ...scenario, wanted }, rollcall, bare);
  // Some rows are written a while after their reports, but before the next round begins.
  const written = [...rounds.slice(1).map(({ ours }) => ours.writtenBefore), bytesWritten(rollcall)];
  const bytes = rounds.map(({ ours }, round) => (written[round]! - ours.writtenBefore) / ours.answers);
  await stopRollcall(rollcall);
  const all = [
    ...results,
    less("written to disk for a report, under load", "bytes", bytes, 1_024),
    less("written to disk for a report, one a second", "bytes", slow, 5_120),
    less("start to the first answer", "ms", starts),
    less("resident memory after the start", "MB", megabytes),
    less(OWN_MEMORY, "MB", ownMegabytes),
  ];
  const title = `${world.monitors.toLocaleString("en")} monitors`;
  return [{ title, note: "Each report is for one of them at random.", results: all }];
}

/** Bytes written per report while one comes a second, until an instant: a number for each group of reports. */
export async function bytesAtOneASecond(world: World, until: number): Promise<number[]> {
  const rollcall = await startIn(world);
  const paths = heartbeatPaths(world);
  const pieces: number[] = [];
  while (pieces.length === 0 || Date.now() + REPORTS * 1_000 < until) {
    const before = bytesWritten(rollcall);
    for (let report = 0; report < REPORTS; report++) {
      await (await fetch(rollcall.url + paths[Math.floor(Math.random() * paths.length)])).arrayBuffer();
      await Bun.sleep(1_000);
    }
    pieces.push((bytesWritten(rollcall) - before) / REPORTS);
  }
  await stopRollcall(rollcall);
  return pieces;
}

/** How many reports are sent, one a second: sending them takes longer than the rows that are written later wait. */
const REPORTS = 8;

/** The load with a history of many reports. */
export async function longHistory(bare: Bare, world: World, pings: number): Promise<Chapter[]> {
  const rollcall = await startIn(world);
  const name = `${pings.toLocaleString("en")} reports kept`;
  const { results } = await compare(scenarioOf(name, "heartbeat", world), rollcall, bare);
  await stopRollcall(rollcall);
  return [{ title: "A long history", note: "64 connections kept alive, 1,000 monitors.", results }];
}

/** The load with each sync to disk 4 ms longer; nothing when there is no C compiler to make such a disk. */
export async function slowDisk(world: World, other: World): Promise<Chapter[]> {
  if (Bun.which("gcc") === null) return [];
  const library = join(world.directory, "slow-disk.so");
  const source = join(import.meta.dir, "slow-disk.c");
  const compiled = Bun.spawnSync(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  if (!compiled.success) throw new Error(compiled.stderr.toString());
  const fast = await startIn(world);
  const slow = await startIn(other, { LD_PRELOAD: library });
  const results: Result[] = [];
  for (const connections of [64, 512]) {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const quick = await load({ ...scenarioOf("", "heartbeat", world), connections }, fast);
      rounds.push((100 * (await load({ ...scenarioOf("", "heartbeat", other), connections }, slow)).rate) / quick.rate);
    }
    results.push(more(`${connections} connections, kept alive: answers`, "% of the fast disk", rounds));
    console.log(`slow disk, ${connections} connections: ${Math.round(medianOf(rounds))} %`);
  }
  await stopRollcall(fast);
  await stopRollcall(slow);
  return [{ title: "A slow disk", note: "Each sync to disk takes 4 ms longer.", results }];
}

/** TLS by rollcall itself, compared with a bare server with the same certificate. */
export async function overTls(world: World): Promise<Chapter[]> {
  const certificate = join(world.directory, "certificate.pem");
  const key = join(world.directory, "key.pem");
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const made = Bun.spawnSync([
    "openssl",
    "req",
    ...kind,
    "-subj",
    "/CN=localhost",
    "-keyout",
    key,
    "-out",
    certificate,
  ]);
  if (!made.success) throw new Error(made.stderr.toString());
  const bare = await startBare([certificate, key]);
  const rollcall = await startIn(world, { ROLLCALL_SERVER__TLS_CERT: certificate, ROLLCALL_SERVER__TLS_KEY: key });
  const scenario = scenarioOf("64 connections over TLS, kept alive", "heartbeat", world);
  const { results } = await compare(scenario, rollcall, bare);
  await stopRollcall(rollcall);
  bare.process.kill();
  return [{ title: "TLS", note: "1,000 monitors.", results }];
}
