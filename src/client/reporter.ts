// Reports a run to the server, and sends the reports that wait from earlier ones. A report that cannot be sent goes to
// the spool.

import { errorMessage } from "../domain/errors.ts";
import { type After, limited } from "./client-moment.ts";
import { nameOfReport, type Report } from "./client-report.ts";
import { flush } from "./flush.ts";
import type { SendReport } from "./send.ts";
import type { KeptReport, Spool } from "./spool.ts";

export type Reporter = ReturnType<typeof createReporter>;

/** How long a response may take while the job runs, in milliseconds. */
const RESPONSE_WHILE_RUNNING = 30_000;
/** After how many milliseconds a long job tries again to send the reports that wait. */
const RETRY_WAITING_AFTER = 60_000;
/**
 * After this many milliseconds without a response the report is written to disk while we wait; a healthy server answers
 * sooner.
 */
const STORE_AFTER = 300;

/** Makes the reporter. `say` prints a sentence for the job's owner about a report that will never be sent. */
export function createReporter(send: SendReport, spool: Spool, after: After, say: (sentence: string) => void) {
  /** True when a report of this run waits: the reports after it must wait behind it. */
  let isBehind = false;
  /** Why a report of this run waits; `null` when none does. */
  let whyWaiting: string | null = null;
  let begun: Promise<void> = Promise.resolve();
  let cancelAgain = (): void => {};
  const working = new AbortController();
  const reasons = new Set<string>();
  const beside = (): AbortSignal => limited(working.signal, RESPONSE_WHILE_RUNNING, after);

  /** Keeps a report on disk. It returns a text when the report cannot be kept, which says why. */
  function keep(report: Report): KeptReport | string {
    try {
      return spool.keep(report) ?? "it could not be sent, and too many wait already";
    } catch (error) {
      return `it could be neither sent nor kept: ${errorMessage(error)}`;
    }
  }

  /** The server refuses a run's end for the same reason as its start, so each reason is printed once. */
  function lost(report: Report, why: string): void {
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
      if (typeof late === "string") lost(report, late);
      return;
    }
    if (sent.is === "refused") lost(report, `the server refused it: ${sent.why}`);
    if (early !== null && typeof early !== "string") early.remove();
  }

  async function sendWaiting(within: AbortSignal): Promise<void> {
    try {
      const { left, why } = await flush(spool, send, {
        within,
        onRefused: ({ report }, why) => lost(report, `the server refused it: ${why}`),
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
      begun = begun.then(() => sendWaiting(beside()));
      sendWaitingAgain();
    });
  }

  return {
    begin: (report: Report): void => {
      begun = tell(report, beside()).then(() => (isBehind ? undefined : sendWaiting(beside())));
      sendWaitingAgain();
    },
    /**
     * Sends the last report, after those that were begun, within this number of milliseconds. It returns why a report
     * waits, or `null`.
     */
    finish: async (report: Report, within: number): Promise<string | null> => {
      cancelAgain();
      const whole = limited(null, within, after);
      // The reports that were begun may use half of the time.
      after(within / 2, () => working.abort());
      await begun;
      // A report for which the disk has no space can still be sent.
      if (!isBehind || typeof keep(report) === "string") await tell(report, whole);
      else await sendWaiting(whole);
      return isBehind ? whyWaiting : null;
    },
  };
}
