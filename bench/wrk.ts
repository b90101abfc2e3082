// One run of wrk, the load generator: C, so that on a machine it shares with the server it is mostly the server that is
// measured. Says what came of it as numbers.

import { join } from "node:path";

/** What requests.lua can send. */
export type RequestKind = "bare" | "heartbeat" | "run" | "schedule" | "idempotent" | OverLimit;
export type OverLimit = "empty-pairs" | "long-query" | "large-head";

const REFUSED: ReadonlySet<RequestKind> = new Set(["empty-pairs", "long-query"]);

export interface Load {
  /** Without a slash at its end. */
  readonly url: string;
  readonly kind: RequestKind;
  readonly key: string;
  /** Their keys are `job-1` to `job-N`; each request names one at random. */
  readonly monitors: number;
  readonly connections: number;
  /** False: a new connection for each request. */
  readonly keepAlive: boolean;
  /** Whole ones: wrk takes no others. */
  readonly seconds: number;
}

export interface Measured {
  readonly answers: number;
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Seconds of processor time that wrk itself took. */
  readonly processor: number;
}

/** Throws when wrk is not installed, or one request in a thousand was not answered as it should be. */
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
  // Closing each connection is what a new one for each request asks for, and wrk counts it as an error of reading.
  if (keepAlive && unexpected > requests / 1_000)
    throw new Error(`${unexpected} of ${requests} answers are not as expected: ${url} ${kind}`);
  await wrk.exited;
  const processor = Number(wrk.resourceUsage()!.cpuTime.total) / 1e6;
  return { answers: requests, rate: (requests / microseconds) * 1e6, p99: p99 / 1_000, processor };
}

/** Whether wrk can be run; Debian's package is called wrk too. */
export const hasWrk = (): boolean => Bun.which("wrk") !== null;
