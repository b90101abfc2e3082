// Tells people what was refused (R33): when a notice is due for a reason, one to the people of the jobs concerned. A
// rejected report is told if its job has no monitor, or if it was a failure; the miss that follows names any other.
// Reports that could not be stored (R26) are apart, because the notice that storing works again may name them: of those
// it is failures alone.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { ListedMonitor, ListedRejected } from "../../domain/message/notice.ts";
import { rejectedDetails } from "../../domain/message/notice-lists.ts";
import { toldAtOnce } from "../../domain/message/refused-report.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { monitorPolicy, nameOf, watchOf } from "../../domain/settings/policy.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { RejectedRow, RejectedSort } from "../../store/refused-reports.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import { isHeardSince } from "../refused-report.ts";
import type { Announcer } from "../telling/announce.ts";
import { audiencesOf } from "../telling/audiences.ts";
import { namedBy, type RaiseNotices, raiseNotices, readable } from "../telling/notices.ts";
import { oneAtATime } from "../telling/review.ts";
import type { Turns } from "../turns.ts";
import type { IntakeContext } from "./ingest.ts";
import { findRateLimited } from "./rate-limited-notice.ts";
import { REFUSAL_REASONS, type RefusalReason } from "./refusal-memory.ts";

interface RefusalNoticesParts {
  readonly context: IntakeContext;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly turns: Turns;
}

export function createRefusalNotices({ context, committer, announcer, turns }: RefusalNoticesParts) {
  const { refusals } = context;

  function* tellOf(reason: RefusalReason): InPieces<void> {
    const raise = reason === "rate_limited" ? yield* findRateLimited(context) : findRejected(context, reason);
    announcer.notices(committer.one(raise));
  }

  const beginning = REFUSAL_REASONS.map((reason) => ({
    reason,
    begin: oneAtATime(turns, (now) => refusals.tell(reason, tellOf(reason), now)),
  }));

  return {
    /**
     * Once a second: sends what is due. `storageNewsFollow`: the notice that storage works again will name the failures
     * that could not be stored.
     */
    review: (now: Instant, storageNewsFollow: () => boolean): void => {
      for (const { reason, begin } of beginning)
        turns.later(() => {
          if (reason === "unstored" && storageNewsFollow()) return;
          if (refusals.isDue(reason, now)) begin(now);
        });
    },
    /** The monitors whose failures could not be stored, for a notice that is sent now. */
    takeUnstored: (): readonly ListedRejected[] => {
      const monitors = committer.one((at) => takeRejected(context, "unstored", at));
      refusals.unstoredTold();
      return monitors;
    },
  };
}

const findRejected =
  (context: EngineContext, sort: RejectedSort): RaiseNotices =>
  (at) => {
    const audiences = audiencesOf(context.policy, takeRejected(context, sort, at));
    return raiseNotices(context, audiences, ({ monitors }) => rejectedDetails(monitors), at);
  };

function takeRejected(context: EngineContext, sort: RejectedSort, now: Instant): ListedRejected[] {
  const { rejectedReports } = context.store;
  const groups = Map.groupBy(rejectedReports.untold(sort), ({ applicationId, monitorKey }) =>
    JSON.stringify([applicationId, monitorKey]),
  );
  const monitors = [...groups.values()].flatMap((rows) => rejectedMonitor(context, rows, sort) ?? []);
  rejectedReports.markTold(now, sort);
  return monitors;
}

/** Null: it needs no notice. */
function rejectedMonitor(
  context: EngineContext,
  rows: readonly RejectedRow[],
  sort: RejectedSort,
): ListedRejected | null {
  const { applicationId, application, monitorKey: key } = rows[0]!;
  const id = context.store.monitors.find(applicationId, key);
  const record = id === null ? null : readable(context, id);
  const told =
    sort === "unstored"
      ? toldAtOnce(rows, true).filter(({ at }) => !isHeardSince(record, at))
      : toldAtOnce(rows, id !== null);
  if (told.length === 0) return null;
  const named = record === null ? unknownMonitor(context, application, key) : namedBy(record);
  return {
    ...named,
    watched: id !== null,
    refused: told
      .toSorted((a, b) => b.at - a.at)
      .map(({ at, kind, code, reason }) => ({ at: toIso(at), report: kind, error: code, reason })),
  };
}

function unknownMonitor(context: EngineContext, applicationId: string, monitorKey: string): ListedMonitor {
  const policy = monitorPolicy(context.policy, applicationId, monitorKey);
  const name = nameOf(policy, NOTHING_DECLARED);
  return { applicationId, monitorKey, name, timezone: watchOf(policy, NOTHING_DECLARED).timezone };
}
