// Puts a load on rollcall and on the bare server in turn, round by round, so that disturbances by other programs affect
// both. The results are ratios.

import { join } from "node:path";
import { less, medianOf, more, type Result } from "./figures.ts";
import { bytesWritten, processorSeconds, type Rollcall } from "./rollcall.ts";
import { type Load, type Measured, runWrk } from "./wrk.ts";

export const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 4);
/** The seconds of one load. */
export const SECONDS = 1;

/** The requests of a load on rollcall. */
export interface Scenario extends Pick<Load, "kind" | "key" | "monitors" | "connections" | "keepAlive"> {
  readonly name: string;
  /**
   * `share` is our rate in percent of the bare server's; `p99` and `times` (processor time) are ours divided by the
   * bare server's.
   */
  readonly wanted: Readonly<{ share?: number; p99?: number; times?: number }> | null;
}

/** The result of one load on a server. */
export interface Loaded extends Measured {
  /** Seconds of processor time that the server took for an answer. */
  readonly each: number;
  /** Bytes that the server had caused to be written to disk before. */
  readonly writtenBefore: number;
}

export interface Compared {
  readonly results: readonly Result[];
  readonly rounds: readonly { readonly ours: Loaded; readonly bare: Loaded }[];
}

type Server = Pick<Rollcall, "process" | "url">;

/** Throws when three loads, one after the other, got no answer; a disk may stall for as long as one. */
export async function load(scenario: Omit<Scenario, "name" | "wanted">, server: Server): Promise<Loaded> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const writtenBefore = bytesWritten(server);
    const before = processorSeconds(server);
    const measured = await runWrk({ ...scenario, url: server.url, seconds: SECONDS });
    const each = (processorSeconds(server) - before) / measured.answers;
    if (measured.answers > 0) return { ...measured, each, writtenBefore };
  }
  throw new Error(`no answer within ${SECONDS} s: ${server.url}`);
}

export async function compare(scenario: Scenario, rollcall: Server, bare: Server): Promise<Compared> {
  const { name, wanted } = scenario;
  const rounds: { readonly ours: Loaded; readonly bare: Loaded }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await load({ ...scenario, kind: "bare" }, bare), ours: await load(scenario, rollcall) });
  }
  const share = rounds.map(({ ours, bare: its }) => (100 * ours.rate) / its.rate);
  const p99 = rounds.map(({ ours, bare: its }) => ours.p99 / its.p99);
  const processor = rounds.map(({ ours, bare: its }) => ours.each / its.each);
  const rate = medianOf(rounds.map(({ ours }) => ours.rate));
  console.log(
    `${name}: ${Math.round(rate)}/s, ${Math.round(medianOf(share))} %, p99 ${medianOf(p99).toFixed(1)} times, ` +
      `processor time ${medianOf(processor).toFixed(1)} times`,
  );
  const results = [
    more(`${name}: answers`, "% of bare", share, wanted?.share ?? null),
    less(`${name}: p99`, "times bare", p99, wanted?.p99 ?? null),
    less(`${name}: processor time`, "times bare", processor, wanted?.times ?? null),
  ];
  return { results, rounds };
}

export interface Bare extends Server {
  readonly port: number;
}

/** `certificate` is for a server that speaks TLS. */
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
