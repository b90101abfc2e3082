// Runs wrk, the load generator, once. It is written in C, so that it takes little of the processor that it shares with
// the server. The result is numbers.

import { join } from "node:path";

/** The kinds of requests that requests.lua can send. */
export type RequestKind = "bare" | "push" | "heartbeat" | "run" | "schedule" | "idempotent" | OverLimit;
export type OverLimit = "empty-pairs" | "long-query" | "large-head";

const REFUSED: ReadonlySet<RequestKind> = new Set(["empty-pairs", "long-query"]);

export interface Load {
  /** The address without a slash at its end. */
  readonly url: string;
  readonly kind: RequestKind;
  readonly key: string;
  /** The number of monitors. Their keys are `job-1` to `job-N`; each request names one at random. */
  readonly monitors: number;
  readonly connections: number;
  /** False when each request opens a new connection. */
  readonly keepAlive: boolean;
  /** Whole seconds, because wrk takes no others. */
  readonly seconds: number;
}

export interface Measured {
  readonly answers: number;
  /** Answers per second. */
  readonly rate: number;
  /** The 99th percentile in milliseconds. */
  readonly p99: number;
  /** Seconds of processor time that wrk itself took. */
  readonly processor: number;
}

/** Throws when wrk is not installed, or when one request in a thousand was not answered as it should be. */
export async function runWrk(load: Load): Promise<Measured> {
  const { url, kind, key, monitors, connections, keepAlive, seconds } = load;
  const seed = String(Math.floor(Math.random() * 2 ** 30));
  const wrk = Bun.spawn(
    [
      ...["wrk", "--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`],
      ...["--timeout", "10s", "--script", join(import.meta.dir, "requests.lua"), url, "--"],
      ...[kind, String(monitors), keepAlive ? "keep-alive" : "close", key, seed],
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  const line = (await new Response(wrk.stdout).text()).split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error("wrk said nothing");
  const { requests, microseconds, p99, failed } = JSON.parse(line);
  const unexpected = REFUSED.has(kind) ? requests - failed : failed;
  // A new connection for each request means that each is closed, which wrk counts as an error of reading.
  if (keepAlive && unexpected > requests / 1_000)
    throw new Error(`${unexpected} of ${requests} answers are not as expected: ${url} ${kind}`);
  await wrk.exited;
  const processor = Number(wrk.resourceUsage()!.cpuTime.total) / 1e6;
  return { answers: requests, rate: (requests / microseconds) * 1e6, p99: p99 / 1_000, processor };
}

/** Whether wrk can be run; Debian's package is called wrk too. */
export const hasWrk = (): boolean => Bun.which("wrk") !== null;
