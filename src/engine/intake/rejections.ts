// Reports with a live key that were refused for another reason than the rate limit (R33): counted in memory, written and
// logged once a minute each, so that a flood costs next to nothing. Who is told of them is rejected-notice.ts.

import { withoutKeys } from "../../domain/api-key.ts";
import type { Log } from "../../domain/log.ts";
import { NOTHING_REFUSED, refusalNoticeDue, withRefusal } from "../../domain/message/refusal-notice.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import type { NewRejected } from "../../store/rejected-reports.ts";
import type { Clock, Rejected } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../record.ts";
import type { Announcer } from "../telling/announce.ts";
import type { Turns } from "../turns.ts";
import { tellRejected } from "./rejected-notice.ts";

export interface Rejections {
  /** Reads what the process before this one left untold. Once, before the first report. */
  start(): void;
  /** Takes note of one; it is written in a later turn. */
  note(rejected: Rejected): void;
  /** Once a second: writes what has been counted for a minute, and tells what is to be told. */
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

/** Those that are alike: of one application, monitor and reason. */
interface Entry {
  readonly application: string;
  /** The newest, for as many as came since it was last written. */
  newest: NewRejected;
  unsaid: number;
  /** When it was last written, on the monotonic clock. */
  saidAt: number;
}

/** Counted one by one at a time, in all and of one application; what goes beyond is counted together, for the log alone. */
const ENTRIES_MAX = 1_000;
const ENTRIES_OF_APPLICATION_MAX = 200;

export function createRejections(parts: RejectionParts): Rejections {
  const { context, clock, committer, announcer, log, turns } = parts;
  const { rejectedReports } = context.store;
  const entries = new Map<string, Entry>();
  const ofApplication = new Map<number, number>();
  let untold = NOTHING_REFUSED;
  let uncounted = 0;
  let uncountedSaidAt = Number.NEGATIVE_INFINITY;
  let willWrite = false;

  function start(): void {
    untold = { ...NOTHING_REFUSED, lastNoticeAt: rejectedReports.lastNoticeAt() };
    for (const { at, kind } of rejectedReports.untold()) untold = withRefusal(untold, at, kind === "fail", null);
  }

  function note(rejected: Rejected): void {
    const newest = rowOf(rejected, clock.now());
    const { applicationId, monitorKey, code, field } = newest;
    const id = JSON.stringify([applicationId, monitorKey, code, field]);
    const entry = entries.get(id) ?? admit(id, rejected.caller.application, newest);
    if (entry === null) {
      uncounted++;
      return;
    }
    entry.unsaid++;
    // A failure says most, also where something else of the same reason follows it.
    const kind = entry.unsaid > 1 && entry.newest.kind === "fail" ? "fail" : newest.kind;
    entry.newest = { ...newest, kind };
    if (!willWrite && clock.monotonic() - entry.saidAt >= MINUTE) {
      willWrite = true;
      turns.later(writeDue);
    }
  }

  /** Null: there are too many. */
  function admit(id: string, application: string, newest: NewRejected): Entry | null {
    const { applicationId } = newest;
    const ofThis = ofApplication.get(applicationId) ?? 0;
    if (entries.size >= ENTRIES_MAX || ofThis >= ENTRIES_OF_APPLICATION_MAX) return null;
    const entry = { application, newest, unsaid: 0, saidAt: Number.NEGATIVE_INFINITY };
    entries.set(id, entry);
    ofApplication.set(applicationId, ofThis + 1);
    return entry;
  }

  function writeDue(): void {
    willWrite = false;
    const now = clock.monotonic();
    const due = [...entries.values()].filter(({ unsaid, saidAt }) => unsaid > 0 && now - saidAt >= MINUTE);
    if (due.length === 0) return;
    // Also when it cannot be written: storage that fails is not tried once for each of them.
    for (const entry of due) entry.saidAt = now;
    committer.one(() => {
      for (const { newest, unsaid } of due) {
        const isNews = rejectedReports.save({ ...newest, times: unsaid });
        if (isNews) untold = withRefusal(untold, newest.at, newest.kind === "fail", null);
      }
    });
    for (const entry of due) {
      const { monitorKey: monitor, code: error, reason, kind: report } = entry.newest;
      const { application, unsaid: times } = entry;
      log("warn", "report_refused", { application, monitor, report, error, reason, times });
      entry.unsaid = 0;
    }
  }

  /** An entry without a report for a minute need not be remembered: its next report is written at once. */
  function forgetQuiet(): void {
    const now = clock.monotonic();
    for (const [id, { unsaid, saidAt, newest }] of entries) {
      if (unsaid > 0 || now - saidAt < MINUTE) continue;
      entries.delete(id);
      ofApplication.set(newest.applicationId, ofApplication.get(newest.applicationId)! - 1);
    }
    if (uncounted === 0 || now - uncountedSaidAt < MINUTE) return;
    log("warn", "more_reports_refused", { times: uncounted });
    uncounted = 0;
    uncountedSaidAt = now;
  }

  return {
    start,
    note,
    review: (now) => {
      if (entries.size > 0 || uncounted > 0) {
        writeDue();
        forgetQuiet();
      }
      if (!refusalNoticeDue(untold, now)) return;
      announcer.notices(committer.one(() => tellRejected(context, now)));
      untold = { ...NOTHING_REFUSED, lastNoticeAt: now };
    },
  };
}

/** What the sentence is about: the parameter before its colon. */
const FIELD = /^([A-Za-z_]+): /;

/** A key that was sent in the wrong place must not be kept. */
function rowOf({ caller, monitorKey, kind, refusal }: Rejected, at: Instant): NewRejected {
  const { refusal: code, message } = refusal;
  const { applicationId, keyId } = caller;
  const reason = withoutKeys(message);
  const field = FIELD.exec(message)?.[1] ?? "";
  return { applicationId, keyId, monitorKey: withoutKeys(monitorKey), code, field, reason, kind, at, times: 0 };
}
