// Sends the reports that wait in the spool, oldest first.

import { SECOND } from "../domain/time.ts";
import { type After, limited } from "./client-moment.ts";
import type { Report } from "./client-report.ts";
import type { SendReport, Sent } from "./send.ts";
import type { KeptReport, Spool } from "./spool.ts";

export interface Flushing {
  readonly within: AbortSignal;
  readonly onRefused: (kept: KeptReport, why: string) => void;
  readonly after: After;
  /**
   * Waits this number of milliseconds; false when that is too long, or the client was told to end. `null` when it never
   * waits.
   */
  readonly pause: ((milliseconds: number) => Promise<boolean>) | null;
}

/** For how many milliseconds the server may take for one report, unless the caller has less time. */
const RESPONSE_WITHIN = 30 * SECOND;
/**
 * How many milliseconds pass between reports after the server has refused more of them, because jobs that run now must
 * be able to report at the same time.
 */
const GENTLE_PAUSE = 2 * SECOND;

/** Ends when the server does not answer. A report that is not taken delays only the reports of its monitor. */
export async function flush(spool: Spool, send: SendReport, { within, onRefused, pause, after }: Flushing) {
  let isGentle = false;

  async function sendGently(report: Report): Promise<Sent> {
    const sent = await send(report, limited(within, RESPONSE_WITHIN, after));
    if (sent.is !== "waiting" || sent.again === null || pause === null) return sent;
    isGentle = true;
    return (await pause(Math.max(sent.again, GENTLE_PAUSE))) ? sendGently(report) : sent;
  }

  const waiting = spool.waiting();
  const held = new Set<string>();
  let [taken, refused] = [0, 0];
  let why: string | null = null;
  for (const kept of waiting) {
    const { monitor } = kept.report;
    if (held.has(monitor)) continue;
    if (isGentle) await pause?.(GENTLE_PAUSE);
    if (within.aborted) {
      why ??= "the time is over";
      break;
    }
    const sent = await sendGently(kept.report);
    if (sent.is === "waiting") {
      why ??= sent.why;
      // A server that answers every report like this still gets one report of each monitor, because it cannot be told
      // from a server that refuses a few bad reports at the front.
      if (sent.concerns !== "one") break;
      held.add(monitor);
      continue;
    }
    if (sent.is === "refused") onRefused(kept, sent.why);
    kept.remove();
    if (sent.is === "refused") refused++;
    else taken++;
  }
  /**
   * `refused` counts reports that the server will never take, which are removed. `why` says why reports still wait;
   * `null` when none do.
   */
  return { sent: taken, refused, left: waiting.length - taken - refused, why };
}
