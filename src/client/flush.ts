// Sends the reports that wait in the spool, the oldest first, for `rollcall run --flush` and after each run.

import { SECOND } from "../domain/time.ts";
import { type After, limitedReportSignal } from "./client-moment.ts";
import type { Report } from "./client-report.ts";
import type { SendReport, Sent } from "./send.ts";
import type { KeptReport, Spool } from "./spool.ts";

export interface Flushing {
  readonly within: AbortSignal;
  readonly onRefused: (kept: KeptReport, why: string) => void;
  readonly after: After;
  /**
   * Waits this many milliseconds. The result is false when there is not so much time, or when the client was told to
   * end. `null` when the caller does not want to wait.
   */
  readonly pause: ((milliseconds: number) => Promise<boolean>) | null;
}

/** How many milliseconds the server may take for one report, unless the caller has less time. */
const RESPONSE_WITHIN = 30 * SECOND;
/**
 * How many milliseconds pass between reports once the server has refused one as too many, so that running jobs can
 * report too.
 */
const GENTLE_PAUSE = 2 * SECOND;

/**
 * Sends the waiting reports, and stops when the server takes none for now. If the server has not taken one report but
 * may take others, the later reports of that monitor wait. Those of other monitors are still sent.
 */
export async function sendWaitingReports(
  spool: Spool,
  send: SendReport,
  { within, onRefused, pause, after }: Flushing,
) {
  let isGentle = false;

  async function sendGently(report: Report): Promise<Sent> {
    const sent = await send(report, limitedReportSignal(within, RESPONSE_WITHIN, after));
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
      // `one`: the server has not taken this report, which does not say whether it would take others. So the reports of
      // other monitors are still sent.
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
   * `refused` counts reports that the server will never take; they are removed. `why` says why reports still wait;
   * `null` when none waits.
   */
  return { sent: taken, refused, left: waiting.length - taken - refused, why };
}
