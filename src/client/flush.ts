// Sends what waits in the spool, oldest first.

import type { Send } from "./send.ts";
import type { Kept, Spool } from "./spool.ts";

export interface Flushed {
  readonly sent: number;
  /** The server will never take these; they are gone. */
  readonly refused: number;
  /** Still waiting. */
  readonly left: number;
  /** Why the rest waits; null: nothing does. */
  readonly why: string | null;
}

/** Ends with the first that the server does not answer, and when `within` is over. Throws what the file system throws. */
export async function flush(
  spool: Spool,
  send: Send,
  within: AbortSignal,
  onRefused: (kept: Kept, why: string) => void,
): Promise<Flushed> {
  const waiting = spool.waiting();
  let refused = 0;
  for (const [done, kept] of waiting.entries()) {
    const sent = within.aborted
      ? ({ is: "waiting", why: "the time is over" } as const)
      : await send(kept.report, within);
    if (sent.is === "waiting") return { sent: done - refused, refused, left: waiting.length - done, why: sent.why };
    if (sent.is === "refused") {
      refused++;
      onRefused(kept, sent.why);
    }
    kept.remove();
  }
  return { sent: waiting.length - refused, refused, left: 0, why: null };
}
