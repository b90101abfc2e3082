// Sends what waits in the spool, oldest first.

import type { Send } from "./send.ts";
import type { Kept, Spool } from "./spool.ts";

export interface Flushed {
  readonly sent: number;
  /** The server will never take these; they are gone. */
  readonly refused: number;
  /** Still waiting. */
  readonly left: number;
  /** Why something waits, as the first said; null: nothing does. */
  readonly why: string | null;
}

/**
 * Ends when the server does not answer, and when `within` is over. A report that something on the way does not let
 * through, or that makes the server stumble, holds up only those of its own monitor. Throws what the file system throws.
 */
export async function flush(
  spool: Spool,
  send: Send,
  within: AbortSignal,
  onRefused: (kept: Kept, why: string) => void,
): Promise<Flushed> {
  const waiting = spool.waiting();
  const held = new Set<string>();
  let [sent, refused] = [0, 0];
  let why: string | null = null;
  for (const kept of waiting) {
    const { monitor } = kept.report;
    if (held.has(monitor)) continue;
    if (within.aborted) {
      why ??= "the time is over";
      break;
    }
    const answer = await send(kept.report, within);
    if (answer.is === "waiting") {
      why ??= answer.why;
      // Where all are answered so, each monitor asks once: nothing tells that from a few bad reports at the front.
      if (answer.concerns !== "one") break;
      held.add(monitor);
      continue;
    }
    if (answer.is === "refused") onRefused(kept, answer.why);
    kept.remove();
    if (answer.is === "refused") refused++;
    else sent++;
  }
  return { sent, refused, left: waiting.length - sent - refused, why };
}
