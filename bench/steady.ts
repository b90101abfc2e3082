// Requests at a steady rate, and many at one moment: how long answers take, compared with the bare server. open-loop.ts
// makes the load.

import { join } from "node:path";
import { type Chapter, less, medianOf, type Result } from "./figures.ts";
import { processorSeconds, type Rollcall } from "./rollcall.ts";
import { type Bare, ROUNDS } from "./side-by-side.ts";

export interface Rate {
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  /** The number of connections; `null` when each request opens a new one. */
  readonly connections: number | null;
  readonly paths: readonly string[];
  /** The instant at which the first request is due; `null` when it is sent at once. */
  readonly at: number | null;
}

export interface Answered {
  /** Milliseconds from when a request was due to its whole answer. */
  readonly p50: number;
  readonly p99: number;
  /** The longest time. */
  readonly most: number;
  /** Milliseconds by which the generator itself was late, as p99. */
  readonly late: number;
  /**
   * Seconds of processor time that the generator took for a request, including what it takes while it waits for the
   * next.
   */
  readonly each: number;
  /** The number of answers other than 200. */
  readonly failed: number;
}

/** Measures how long answers take; throws when one is not 200. */
export async function atRate(port: number, plan: Rate): Promise<Answered> {
  const file = join(import.meta.dir, "open-loop.ts");
  const generator = Bun.spawn([process.execPath, file, JSON.stringify({ port, ...plan })], { stdout: "pipe" });
  const answered: Answered = JSON.parse(await new Response(generator.stdout).text());
  if (answered.failed > 0) throw new Error(`${answered.failed} requests failed at ${plan.rate} a second`);
  return answered;
}

const SECONDS = 1;
const CONNECTIONS = 64;
const AT_ONCE = 5_000;
const RATES = [
  { name: "100 a second", plan: { rate: 100, seconds: SECONDS, connections: CONNECTIONS } },
  { name: "2,000 a second", plan: { rate: 2_000, seconds: SECONDS, connections: CONNECTIONS } },
  { name: "5,000 a second", plan: { rate: 5_000, seconds: SECONDS, connections: CONNECTIONS } },
];
const BURST = {
  name: "5,000 at one moment over 512 connections",
  plan: { rate: AT_ONCE * 1_000, seconds: 0.001, connections: 512 },
};

interface Round {
  readonly ours: Answered;
  readonly plain: Answered;
  /** Seconds of processor time that the bare server took for an answer. */
  readonly bareEach: number;
}

/** `paths` are those of the reports; each request takes one at random. */
export async function steadyRates(rollcall: Rollcall, bare: Bare, paths: readonly string[]): Promise<Chapter> {
  async function roundsOf({ name, plan }: (typeof RATES)[number]): Promise<{ result: Result; rounds: Round[] }> {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = processorSeconds(bare);
      const plain = await atRate(bare.port, { ...plan, at: null, paths: ["/"] });
      const bareEach = (processorSeconds(bare) - before) / (plan.rate * plan.seconds);
      rounds.push({ plain, bareEach, ours: await atRate(rollcall.port, { ...plan, at: null, paths }) });
    }
    const ratios = rounds.map(({ ours, plain }) => ours.p99 / plain.p99);
    console.log(`${name}: p99 ${medianOf(ratios).toFixed(1)} times`);
    return { result: less(`${name}: p99`, "times bare", ratios), rounds };
  }
  const steady = [];
  for (const each of RATES) steady.push(await roundsOf(each));
  const burst = await roundsOf(BURST);
  const late = steady.flatMap(({ rounds }) => rounds.flatMap(({ ours, plain }) => [ours.late, plain.late]));
  const effort = burst.rounds.map(({ plain, bareEach }) => plain.each / bareEach);
  return {
    title: "At a steady rate",
    note: noteOn(late, effort),
    results: [...steady, burst].map(({ result }) => result),
  };
}

const noteOn = (late: readonly number[], effort: readonly number[]): string =>
  "Requests are due at a steady rate over 64 connections. Each answer's time counts from when its request was due, whether " +
  `or not a connection was free. The generator itself was late by ${medianOf(late).toFixed(2)} ms (p99). At one moment it ` +
  `took ${medianOf(effort).toFixed(1)} times the processor time of the bare server.`;
