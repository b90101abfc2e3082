// Loads on rollcall and on the bare server in turn, round by round, so that whatever else the machine does meanwhile befalls
// both. What comes out are ratios.

import { join } from "node:path";
import { type Figure, figureOf, type Result } from "./figures.ts";
import { type Load, type Measured, runWrk } from "./wrk.ts";

export const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 2);

/** What a scenario asks of rollcall. */
export interface Scenario extends Pick<Load, "kind" | "key" | "monitors" | "connections" | "keepAlive"> {
  readonly name: string;
  /** Of the bare server's rate, in percent; and how many times its p99. */
  readonly wanted: { readonly share: number; readonly p99: number } | null;
}

export interface Compared {
  readonly results: readonly Result[];
  /** rollcall's own, for what is counted beside. */
  readonly rounds: readonly Measured[];
}

/** Measures the scenario at both addresses. `seconds` of each round. */
export async function compare(
  scenario: Scenario,
  rollcall: string,
  bare: string,
  seconds = SECONDS,
): Promise<Compared> {
  const { name, wanted } = scenario;
  const rounds: { readonly ours: Measured; readonly bare: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: await runWrk({ ...scenario, url: bare, kind: "bare", seconds }),
      ours: await runWrk({ ...scenario, url: rollcall, seconds }),
    });
  }
  const figure = (ratio: (round: (typeof rounds)[number]) => number): Figure => figureOf(rounds.map(ratio));
  const share = figure(({ ours, bare }) => (100 * ours.rate) / bare.rate);
  const p99 = figure(({ ours, bare }) => ours.p99 / bare.p99);
  const rate = figure(({ ours }) => ours.rate);
  console.log(
    `${name}: ${Math.round(rate.median)}/s, ${Math.round(share.median)} %, p99 ${p99.median.toFixed(1)} times`,
  );
  const results: Result[] = [
    { name: `${name}: answers`, unit: "% of bare", better: "more", figure: share, wanted: wanted?.share ?? null },
    { name: `${name}: p99`, unit: "times bare", better: "less", figure: p99, wanted: wanted?.p99 ?? null },
  ];
  return { results, rounds: rounds.map(({ ours }) => ours) };
}

export interface Bare {
  readonly process: Bun.Subprocess;
  readonly url: string;
  readonly port: number;
}

/** `certificate`: for a server that speaks TLS. */
export async function startBare(certificate: readonly [path: string, key: string] | null = null): Promise<Bare> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare.ts"), ...(certificate ?? [])], {
    stdout: "pipe",
  });
  process.on("exit", () => child.kill());
  for await (const bytes of child.stdout) {
    const port = Number(new TextDecoder().decode(bytes));
    return { process: child, port, url: `${certificate === null ? "http" : "https"}://127.0.0.1:${port}` };
  }
  throw new Error("the bare server said nothing");
}

export interface Rate {
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly paths: readonly string[];
}

/** How long answers take, in milliseconds, when requests are due at a rate; see open-loop.ts. */
export async function atRate(port: number, plan: Rate): Promise<{ readonly p50: number; readonly p99: number }> {
  const file = join(import.meta.dir, "open-loop.ts");
  const generator = Bun.spawn([process.execPath, file, JSON.stringify({ port, ...plan })], { stdout: "pipe" });
  const { p50, p99, failed } = JSON.parse(await new Response(generator.stdout).text());
  if (failed > 0) throw new Error(`${failed} requests failed at ${plan.rate} a second`);
  return { p50, p99 };
}
