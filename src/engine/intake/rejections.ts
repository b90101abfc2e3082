// Reports with a live key that were refused for another reason than the rate limit (R33): counted in memory, written
// and logged once a minute each, so that a flood costs next to nothing. rejected-notice.ts says whom to tell.

import { withoutKeys } from "../../domain/api-key.ts";
import type { Log } from "../../domain/log.ts";
import { NOTHING_REFUSED, refusalNoticeDue, withRefusal } from "../../domain/message/refusal-notice.ts";
import type { Instant } from "../../domain/time.ts";
import type { NewRejected } from "../../store/rejected-reports.ts";
import type { Clock, Rejected } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Announcer } from "../telling/announce.ts";
import type { Turns } from "../turns.ts";
import { tellRejected } from "./rejected-notice.ts";
import { createRejectionCounts } from "./rejection-counts.ts";

export interface Rejections {
  /** Reads what the earlier process left unreported. Once, before the first report. */
  start(): void;
  /** Records one; writes it in a later turn. */
  note(rejected: Rejected): void;
  /** Once a second: writes the counts of the last minute, and sends due notices. */
  review(now: Instant): void;
}

interface RejectionParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly log: Log;
  readonly turns: Turns;
}

export function createRejections(parts: RejectionParts): Rejections {
  const { context, clock, committer, announcer, log, turns } = parts;
  const { rejectedReports } = context.store;
  const counts = createRejectionCounts(clock);
  let untold = NOTHING_REFUSED;
  let willWrite = false;

  function start(): void {
    untold = { ...NOTHING_REFUSED, lastNoticeAt: rejectedReports.lastNoticeAt() };
    for (const { at, kind } of rejectedReports.untold()) untold = withRefusal(untold, at, kind === "fail", null);
  }

  function note(rejected: Rejected): void {
    const isDue = counts.count(rejected.caller.application, rowOf(rejected, clock.now()));
    if (!isDue || willWrite) return;
    willWrite = true;
    turns.later(writeDue);
  }

  function writeDue(): void {
    willWrite = false;
    const due = counts.takeDue();
    if (due.length === 0) return;
    committer.one(() => {
      for (const { newest, unwritten } of due) {
        const isNews = rejectedReports.save({ ...newest, times: unwritten });
        if (isNews) untold = withRefusal(untold, newest.at, newest.kind === "fail", null);
      }
    });
    counts.written(due);
    for (const { application, newest, unwritten: times } of due) {
      const { monitorKey: monitor, code: error, reason, kind: report } = newest;
      log("warn", "report_refused", { application, monitor, report, error, reason, times });
    }
  }

  function review(now: Instant): void {
    writeDue();
    counts.forgetQuiet();
    const beyond = counts.takeBeyond();
    if (beyond > 0) log("warn", "more_reports_refused", { times: beyond });
    if (!refusalNoticeDue(untold, now)) return;
    announcer.notices(committer.one(() => tellRejected(context, now)));
    untold = { ...NOTHING_REFUSED, lastNoticeAt: now };
  }

  return { start, note, review };
}

/** The sentence's subject: the parameter before its colon. */
const FIELD = /^([A-Za-z_]+): /;

/** We must not store a key that is in the wrong place. */
function rowOf({ caller, monitorKey, kind, refusal }: Rejected, at: Instant): NewRejected {
  const { refusal: code, message } = refusal;
  const { applicationId, keyId } = caller;
  const reason = withoutKeys(message);
  const field = FIELD.exec(message)?.[1] ?? "";
  return { applicationId, keyId, monitorKey: withoutKeys(monitorKey), code, field, reason, kind, at, times: 0 };
}
