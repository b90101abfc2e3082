// Handles refused reports that had a valid key (R26, R33). Reports that are alike are written and logged together, at
// most once a minute. A notice then tells the people who get the alerts of these jobs.

import type { InPieces } from "../../domain/in-pieces.ts";
import { TRANSIT } from "../../domain/limits.ts";
import type { ListedMonitor, ListedRefused } from "../../domain/message/notice.ts";
import { isFailReported, LISTED_MAX, refusedDetails } from "../../domain/message/notice-lists.ts";
import { isWorthNaming } from "../../domain/message/refused-report.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import type { MonitorPolicy } from "../../domain/settings/policy.ts";
import { monitorName, monitorPolicy, watchOf } from "../../domain/settings/policy.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { StoredRefused } from "../../store/refused-reports.ts";
import type { RefusedPing } from "../api.ts";
import type { EngineContext } from "../engine-context.ts";
import { listedMonitorOf, raiseNotices, readableMonitor } from "../notices.ts";
import { type Audience, createAudiences } from "../outbox/audiences.ts";
import { reviewOneAtATime } from "../outbox/review.ts";
import { inTransaction } from "../transaction.ts";
import type { IntakeTools } from "./ingest.ts";
import { refusedRow } from "./refusals.ts";

export function createRefusedReports({ context, clock, committer, announcer, log, background }: IntakeTools) {
  const { refusals, store } = context;
  let willWrite = false;
  const tell = reviewOneAtATime(background, (now) => refusals.tellBy(tellAll(now), now));

  function note(refused: RefusedPing): void {
    const isDue = refusals.count(refusedRow(refused, clock.now()));
    if (!isDue || willWrite || committer.failing() !== null) return;
    willWrite = true;
    background.later(writeDue);
  }

  function writeDue(): void {
    willWrite = false;
    // While nothing can be stored, refused reports stay in memory.
    if (committer.failing() !== null) return;
    const due = refusals.takeDue();
    if (due.length === 0) return;
    for (const news of committer.one(() => due.map(store.refusedReports.save))) refusals.add(news);
    refusals.written(due);
    for (const { application, monitorKey: monitor, code: error, reason, kind: report, times } of due) {
      // A report that a rate limit refused is not logged here, because http/api/throttle.ts has logged it already.
      if (error !== "RATE_LIMIT_EXCEEDED")
        log("warn", "report_refused", { application, monitor, report, error, reason, times });
    }
  }

  function write(): void {
    writeDue();
    refusals.forgetQuiet();
    const beyond = refusals.takeUncounted();
    if (beyond > 0) log("warn", "more_reports_refused", { times: beyond });
  }

  function* tellAll(now: Instant): InPieces<boolean> {
    const { span, audiences } = yield* findPending(context, now);
    const noticeOf = ({ monitors, total, first }: Audience<ListedRefused>) => refusedDetails(monitors, total, first);
    const { raised, at, last } = committer.one((at) => {
      store.refusedReports.markNotified(span.upTo);
      const raised = raiseNotices(context, audiences.all(), noticeOf, at);
      return { raised, at, last: store.refusedReports.markFailed(span, at, FAILED_A_PIECE) };
    });
    announcer.notices(raised);
    const markMore = (after: number): number | null =>
      inTransaction(store, () => store.refusedReports.markFailed({ ...span, after }, at, FAILED_A_PIECE));
    for (let after = last; after !== null; after = markMore(after)) yield;
    return raised.length > 0;
  }

  return {
    note,
    /**
     * Must be called once a second. Writes the refused reports that are due, and sends a notice when one is due. No
     * notice is sent while `storageNewsFollow` is true: the notice that storage works again will name the fails that
     * could not be stored.
     */
    review: (now: Instant, storageNewsFollow: () => boolean): void => {
      background.later(write);
      background.later(() => {
        if (!storageNewsFollow() && refusals.isDue(now)) tell(now);
      });
    },
    /**
     * Returns the monitors whose fails (reports of a failed job) could not be stored. Each of these fails is returned
     * only once, for the caller's notice.
     */
    takeUnstored: (): readonly ListedRefused[] => {
      writeDue();
      const rows = committer.one(store.refusedReports.takeUnstored);
      const byMonitor = Map.groupBy(rows, ({ applicationId, monitorKey }) => `${applicationId}/${monitorKey}`);
      return [...byMonitor.values()].flatMap((its) => listedRefused(context, its)?.job ?? []);
    },
  };
}

const MONITORS_A_PIECE = 200;
const FAILED_A_PIECE = 1_000;

/**
 * Finds the refused reports that the next notice names, grouped by receivers. It reads a piece in each turn, because
 * there may be very many. Reports that are refused meanwhile go into the notice after that.
 */
function* findPending(context: EngineContext, now: Instant) {
  const { refusedReports } = context.store;
  const span = refusedReports.pendingSpan();
  const { after, upTo } = span;
  const audiences = createAudiences<ListedRefused>(now, LISTED_MAX, isFailReported);
  const seen = new Set<string>();
  for (let last = after; last < upTo; yield) {
    const some = refusedReports.within({ after: last, upTo }, MONITORS_A_PIECE);
    for (const { applicationId, monitorKey } of some) {
      const key = `${applicationId}/${monitorKey}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const rows = refusedReports.ofMonitor(applicationId, monitorKey);
      const listed = listedRefused(
        context,
        rows.filter(({ news }) => news > after && news <= upTo),
      );
      if (listed !== null) audiences.add(listed.job, listed.policy);
    }
    last = some.length < MONITORS_A_PIECE ? upTo : some.at(-1)!.news;
  }
  return { span, audiences };
}

/**
 * Returns what a notice says of one job. `rows` are the job's refused reports, the newest first. Returns `null` when
 * the notice need not name any of them.
 */
function listedRefused(context: EngineContext, rows: readonly StoredRefused[]) {
  const [newest] = rows;
  if (newest === undefined) return null;
  const id = context.store.monitors.find(newest.applicationId, newest.monitorKey);
  const record = id === null ? null : readableMonitor(context, id);
  const watched = id !== null;
  // Whether the monitor's last accepted fail is newer than this refused fail, or at most `TRANSIT` milliseconds older.
  // Perhaps the client has sent the refused fail again, and this copy was accepted. People hear of the incident of the
  // accepted fail, so the notice need not name the refused one.
  const isHeard = ({ kind, at }: StoredRefused): boolean =>
    kind === "fail" && (record?.monitor.failedAt ?? Number.NEGATIVE_INFINITY) >= at - TRANSIT;
  const named = rows.filter((row) => isWorthNaming(row, watched) && !isHeard(row));
  if (named.length === 0) return null;
  const { application, monitorKey } = newest;
  const policy = record?.policy ?? monitorPolicy(context.policy, application, monitorKey);
  const job: ListedRefused = {
    ...(record === null ? unknownMonitor(policy, newest) : listedMonitorOf(record)),
    watched,
    refused: named.map(({ at, kind, code, field, reason, message, firstAt, times }) => ({
      at: toIso(at),
      report: kind,
      error: code,
      field,
      reason,
      message,
      firstAt: toIso(firstAt),
      times,
    })),
  };
  return { job, policy };
}

function unknownMonitor(policy: MonitorPolicy, { application, monitorKey }: StoredRefused): ListedMonitor {
  const { timezone } = watchOf(policy);
  return { applicationId: application, monitorKey, name: monitorName(policy, NOTHING_DECLARED), timezone };
}
