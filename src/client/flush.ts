// Sends what waits in the spool, oldest first.

import { SECOND } from "../domain/time.ts";
import { type After, limited } from "./client-moment.ts";
import type { Report } from "./client-report.ts";
import type { SendReport, Sent } from "./send.ts";
import type { KeptReport, Spool } from "./spool.ts";

export interface Flushing {
  readonly within: AbortSignal;
  readonly onRefused: (kept: KeptReport, why: string) => void;
  readonly after: After;
  /** Waits so many milliseconds; false: that is too long, or it was told to end. Null: we never wait. */
  readonly pause: ((milliseconds: number) => Promise<boolean>) | null;
}

/** How long the server may take for one, unless its caller has less time. Milliseconds. */
const ANSWER_MAX = 30 * SECOND;
/** Between reports, once the server took no more: jobs that run now must find room beside ours. Milliseconds. */
const GENTLY = 2 * SECOND;

/** Ends when the server does not answer. A report that does not get through holds up only those of its monitor. */
export async function flush(spool: Spool, send: SendReport, { within, onRefused, pause, after }: Flushing) {
  let isGentle = false;

  async function sent(report: Report): Promise<Sent> {
    const answer = await send(report, limited(within, ANSWER_MAX, after));
    if (answer.is !== "waiting" || answer.again === null || pause === null) return answer;
    isGentle = true;
    return (await pause(Math.max(answer.again, GENTLY))) ? sent(report) : answer;
  }

  const waiting = spool.waiting();
  const held = new Set<string>();
  let [taken, refused] = [0, 0];
  let why: string | null = null;
  for (const kept of waiting) {
    const { monitor } = kept.report;
    if (held.has(monitor)) continue;
    if (isGentle) await pause?.(GENTLY);
    if (within.aborted) {
      why ??= "the time is over";
      break;
    }
    const answer = await sent(kept.report);
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
    else taken++;
  }
  /** `refused`: the server will never take these; they are gone. `why` something waits; null: nothing does. */
  return { sent: taken, refused, left: waiting.length - taken - refused, why };
}
