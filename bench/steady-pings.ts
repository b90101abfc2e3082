// Pings of one monitor at a steady rate while something else is measured, and how long each waited for its answer.

import { sleepUntil } from "./every-minute.ts";

/** Milliseconds between two pings. */
const PING_EVERY = 10;

/** Throws when the report is not taken. */
export async function ping(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`a ping was refused: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/**
 * Reports for one monitor until `over` returns true, each ping at its time whether or not the one before is answered.
 * `base` is the service's address. It returns how many milliseconds each ping took.
 */
export async function pingUntil(base: string, key: string, over: () => boolean): Promise<number[]> {
  const url = `${base}/api/v1/ping/beside/${key}?schedule=0%200%201%201%20*`;
  const took: number[] = [];
  const underWay: Promise<void>[] = [];
  for (let at = Date.now(); !over(); at += PING_EVERY) {
    await sleepUntil(at);
    underWay.push(ping(url).then(() => void took.push(Date.now() - at)));
  }
  await Promise.all(underWay);
  return took;
}

/** The spread of these milliseconds, in a line for a person. */
export function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  max ${at(1)} ms`;
}
