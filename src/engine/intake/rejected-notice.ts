// Whom to tell about refused reports (R33): if the job has no monitor, or a failure was refused, one notice reports it;
// the miss that follows names any other. Reports that could not be stored (R26) are apart, because the notice that
// storing works again may name them: of those it is failures alone.

import type { ListedMonitor, ListedRejected } from "../../domain/message/notice.ts";
import { rejectedDetails } from "../../domain/message/notice-lists.ts";
import { NOTHING_REFUSED, refusalNoticeDue, withRefusal } from "../../domain/message/refusal-notice.ts";
import { toldAtOnce } from "../../domain/message/refused-report.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { monitorPolicy, nameOf, watchOf } from "../../domain/settings/policy.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { NewRejected, RejectedRow, RejectedSort } from "../../store/refused-reports.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import { isHeardSince } from "../refused-report.ts";
import type { Announcer } from "../telling/announce.ts";
import { audiencesOf } from "../telling/audiences.ts";
import { namedBy, raiseNotices, readable } from "../telling/notices.ts";
import type { IntakeContext } from "./ingest.ts";

interface UntoldParts {
  readonly context: IntakeContext;
  readonly committer: Committer;
  readonly announcer: Announcer;
}

/** Refused reports of one sort that no notice has named yet. */
export function createUntoldRejections(parts: UntoldParts, sort: RejectedSort) {
  const { context, committer, announcer } = parts;
  const { lastRefusalNotice: last, store } = context;
  let untold = NOTHING_REFUSED;

  /** One more is stored. */
  function add({ at, kind }: Pick<NewRejected, "at" | "kind">): void {
    const isFail = kind === "fail";
    // Of others that could not be stored the gap that they left tells.
    if (sort === "refused" || isFail) untold = withRefusal(untold, at, isFail, null);
  }

  function take(now: Instant): ListedRejected[] {
    const groups = Map.groupBy(store.rejectedReports.untold(sort), ({ applicationId, monitorKey }) =>
      JSON.stringify([applicationId, monitorKey]),
    );
    const monitors = [...groups.values()].flatMap((rows) => rejectedMonitor(context, rows, sort) ?? []);
    store.rejectedReports.markTold(now, sort);
    return monitors;
  }

  /** Sends the notice about them if it is due. */
  function review(now: Instant): void {
    if (!refusalNoticeDue(untold, last.at, now)) return;
    const raised = committer.one(() => {
      const audiences = audiencesOf(context.policy, take(now));
      return raiseNotices(context, audiences, ({ monitors }) => rejectedDetails(monitors), now);
    });
    announcer.notices(raised);
    last.at = now;
    untold = NOTHING_REFUSED;
  }

  return {
    /** Reads what the earlier process left. Once, before the first report. */
    start: (): void => {
      for (const row of store.rejectedReports.untold(sort)) add(row);
    },
    add,
    review,
    /** The monitors that another notice names now. */
    take: (now: Instant): readonly ListedRejected[] => {
      const monitors = committer.one(() => take(now));
      untold = NOTHING_REFUSED;
      return monitors;
    },
  };
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
