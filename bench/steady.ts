// Requests that are due at a steady rate, and many at one moment: how long answers take, beside the bare server. The load is
// made by open-loop.ts.

import { join } from "node:path";
import { type Chapter, less, medianOf, percentile, type Result } from "./figures.ts";
import type { Rollcall } from "./rollcall.ts";
import { type Bare, ROUNDS } from "./side-by-side.ts";

export interface Rate {
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Null: a new connection for each request. */
  readonly connections: number | null;
  readonly paths: readonly string[];
  /** The instant at which the first is due; null: at once. */
  readonly at: number | null;
}

export interface Answered {
  /** Milliseconds from when a request was due to its whole answer. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds by which the generator itself was late, p99. */
  readonly late: number;
  /** Answers other than 200. */
  readonly failed: number;
}

/** How long answers take; throws where one is not 200. */
export async function atRate(port: number, plan: Rate): Promise<Answered> {
  const file = join(import.meta.dir, "open-loop.ts");
  const generator = Bun.spawn([process.execPath, file, JSON.stringify({ port, ...plan })], { stdout: "pipe" });
  const answered: Answered = JSON.parse(await new Response(generator.stdout).text());
  if (answered.failed > 0) throw new Error(`${answered.failed} requests failed at ${plan.rate} a second`);
  return answered;
}

const SECONDS = 1;
const CONNECTIONS = 64;

/** `paths` are those of the reports; each request takes one at random. */
export async function steadyRates(rollcall: Rollcall, bare: Bare, paths: readonly string[]): Promise<Chapter> {
  const late: number[] = [];
  async function p99(name: string, plan: Omit<Rate, "paths" | "at">): Promise<Result> {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const plain = await atRate(bare.port, { ...plan, at: null, paths: ["/"] });
      const ours = await atRate(rollcall.port, { ...plan, at: null, paths });
      ratios.push(ours.p99 / plain.p99);
      if (plan.seconds === SECONDS) late.push(plain.late, ours.late);
    }
    const result = less(`${name}: p99`, "times bare", ratios);
    console.log(`${result.name} ${medianOf(ratios).toFixed(1)} times`);
    return result;
  }
  const results = [
    await p99("100 a second", { rate: 100, seconds: SECONDS, connections: CONNECTIONS }),
    await p99("2,000 a second", { rate: 2_000, seconds: SECONDS, connections: CONNECTIONS }),
    await p99("5,000 a second", { rate: 5_000, seconds: SECONDS, connections: CONNECTIONS }),
    await p99("5,000 at one moment over 512 connections", { rate: 5_000_000, seconds: 0.001, connections: 512 }),
  ];
  return { title: "At a steady rate", note: noteOn(late), results };
}

const noteOn = (late: readonly number[]): string =>
  "Requests are due at a steady rate over 64 connections. Each answer's time counts from when its request was due, whether " +
  `or not a connection was free. 99 of 100 requests were looked at within ${percentile(late, 0.5).toFixed(2)} ms of ` +
  "that: so late was the generator itself.";
