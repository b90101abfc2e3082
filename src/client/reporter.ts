// Reports a run of `rollcall run` to the server, and sends the reports of earlier runs that wait. A report that cannot
// be sent goes to the spool.

import { errorMessage } from "../domain/errors.ts";
import { type After, limitedReportSignal } from "./client-moment.ts";
import { nameOfReport, type Report } from "./client-report.ts";
import { sendWaitingReports } from "./flush.ts";
import type { SendReport } from "./send.ts";
import type { KeptReport, Spool } from "./spool.ts";

export type Reporter = ReturnType<typeof createReporter>;

/** How many milliseconds a response may take while the job runs. */
const RESPONSE_WHILE_RUNNING = 30_000;
/** While the job runs, the waiting reports are tried again each time so many milliseconds have passed. */
const RETRY_WAITING_AFTER = 60_000;
/** After how many milliseconds without a response a report is also written to disk, in case this process is killed. */
const STORE_AFTER = 300;

/**
 * Makes the reporter of one run. `say` prints a sentence for the job's owner, for example about a report that will
 * never be sent.
 */
export function createReporter(send: SendReport, spool: Spool, after: After, say: (sentence: string) => void) {
  /** True when a report of this run waits. Later ones must then wait too, because they may not overtake it. */
  let isBehind = false;
  let whyWaiting: string | null = null;
  let begun: Promise<void> = Promise.resolve();
  let cancelAgain = (): void => {};
  const working = new AbortController();
  const reasons = new Set<string>();
  const whileRunning = (): AbortSignal => limitedReportSignal(working.signal, RESPONSE_WHILE_RUNNING, after);

  /** Keeps a report on disk; returns a text that says why when that fails. */
  function keep(report: Report): KeptReport | string {
    try {
      return spool.keep(report) ?? "it could not be sent, and too many wait already";
    } catch (error) {
      return `it could be neither sent nor kept: ${errorMessage(error)}`;
    }
  }

  /**
   * Prints that a report is lost, each reason only once: the server refuses the end of a run for the same reason as its
   * start.
   */
  function sayLost(report: Report, why: string): void {
    if (!reasons.has(why)) say(`${nameOfReport(report)} is lost: ${why}`);
    reasons.add(why);
  }

  async function tell(report: Report, within: AbortSignal): Promise<void> {
    let kept: KeptReport | string | null = null;
    const cancel = after(STORE_AFTER, () => {
      kept = keep(report);
    });
    const sent = await send(report, within);
    cancel();
    const early = kept as KeptReport | string | null;
    if (sent.is === "waiting") {
      isBehind = true;
      whyWaiting = sent.why;
      if (sent.concerns === "settings") say(`the server takes no report until that is fixed: ${sent.why}`);
      const late = early === null || typeof early === "string" ? keep(report) : early;
      if (typeof late === "string") sayLost(report, late);
      return;
    }
    if (sent.is === "refused") sayLost(report, `the server refused it: ${sent.why}`);
    if (early !== null && typeof early !== "string") early.remove();
  }

  async function sendWaiting(within: AbortSignal): Promise<void> {
    try {
      const { left, why } = await sendWaitingReports(spool, send, {
        within,
        onRefused: ({ report }, why) => sayLost(report, `the server refused it: ${why}`),
        pause: null,
        after,
      });
      if (left === 0) isBehind = false;
      whyWaiting = left === 0 ? null : (why ?? whyWaiting);
    } catch (error) {
      say(`what waits could not be read: ${errorMessage(error)}`);
    }
  }

  function sendWaitingAgain(): void {
    cancelAgain = after(RETRY_WAITING_AFTER, () => {
      begun = begun.then(() => sendWaiting(whileRunning()));
      sendWaitingAgain();
    });
  }

  return {
    begin: (report: Report): void => {
      begun = tell(report, whileRunning()).then(() => (isBehind ? undefined : sendWaiting(whileRunning())));
      sendWaitingAgain();
    },
    /**
     * Sends the last report of the run, after the earlier ones, within this many milliseconds. Returns why a report
     * still waits, or `null`.
     */
    finish: async (report: Report, within: number): Promise<string | null> => {
      cancelAgain();
      const whole = limitedReportSignal(null, within, after);
      // The earlier reports may use half of the time.
      after(within / 2, () => working.abort());
      await begun;
      // If an earlier report waits, this one is kept and sent behind it. If it cannot be kept, it is sent at once.
      if (!isBehind || typeof keep(report) === "string") await tell(report, whole);
      else await sendWaiting(whole);
      return isBehind ? whyWaiting : null;
    },
  };
}
