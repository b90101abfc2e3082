// Reports with a live key that were refused for another reason than the rate limit (R33), also because nothing could be
// stored (R26): counted in memory, written and logged once a minute each, so that a flood costs next to nothing.
// refusal-notices.ts says whom to tell.

import { withoutKeys } from "../../domain/api-key.ts";
import type { Instant } from "../../domain/time.ts";
import type { NewRejected } from "../../store/refused-reports.ts";
import type { Rejected } from "../api.ts";
import type { IntakeTools } from "./ingest.ts";

export function createRejections({ context, clock, committer, log, turns }: IntakeTools) {
  const { rejectionCounts: counts, refusals, store } = context;
  let willWrite = false;

  /** Records one; writes it in a later turn. */
  function note(rejected: Rejected): void {
    const isDue = counts.count(rejected.caller.application, rowOf(rejected, clock.now()));
    if (!isDue || willWrite || committer.failing() !== null) return;
    willWrite = true;
    turns.later(writeDue);
  }

  function writeDue(): void {
    willWrite = false;
    // While nothing can be stored they wait in memory.
    if (committer.failing() !== null) return;
    const due = counts.takeDue();
    if (due.length === 0) return;
    committer.one(() => {
      for (const { newest, unwritten } of due) {
        const isNews = store.rejectedReports.save({ ...newest, times: unwritten });
        if (isNews) refusals.addRejected(isUnstored(newest.code) ? "unstored" : "rejected", newest);
      }
    });
    counts.written(due);
    for (const { application, newest, unwritten: times } of due) {
      const { monitorKey: monitor, code: error, reason, kind: report } = newest;
      log("warn", "report_refused", { application, monitor, report, error, reason, times });
    }
  }

  /** Once a second: writes the counts of the last minute. */
  function review(): void {
    writeDue();
    counts.forgetQuiet();
    const beyond = counts.takeBeyond();
    if (beyond > 0) log("warn", "more_reports_refused", { times: beyond });
  }

  return { note, writeDue, review };
}

const isUnstored = (code: string): boolean => code === "STORAGE_UNAVAILABLE";

/** The sentence's subject: the parameter before its colon. */
const FIELD = /^([A-Za-z_]+): /;

/** We must not store a key that is in the wrong place. */
function rowOf({ caller, monitorKey, kind, refusal }: Rejected, at: Instant): NewRejected {
  const { refusal: code, message } = refusal;
  const { applicationId, keyId } = caller;
  const reason = withoutKeys(message);
  // A failure that could not be stored is counted apart from the reports after it: people must hear when it came.
  const field = isUnstored(code) ? (kind === "fail" ? kind : "") : (FIELD.exec(message)?.[1] ?? "");
  const key = withoutKeys(monitorKey);
  return { applicationId, keyId, monitorKey: key, code, field, reason, kind, firstAt: at, at, times: 0 };
}
