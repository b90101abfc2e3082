// Whom to tell about refused reports (R33): if the job has no monitor, or a failure was refused, one notice reports it;
// the miss that follows names any other. Of reports that could not be stored (R26) it names failures alone. Runs inside
// the caller's transaction.

import type { Notice, RejectedMonitor } from "../../domain/message/notice.ts";
import { toldAtOnce } from "../../domain/message/refused-report.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { monitorPolicy, nameOf, watchOf } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import type { RejectedRow } from "../../store/rejected-reports.ts";
import type { EngineContext } from "../context.ts";
import { audiencesOf } from "../telling/audiences.ts";
import { namedBy, type RaisedNotice, raiseNotices, readable } from "../telling/notices.ts";
import { isHeardSince } from "./refused-report.ts";

/** Raises the notices about unreported refusals, and marks them reported; `unstored`: of reports that could not be stored. */
export function tellRejected(context: EngineContext, unstored: boolean, now: Instant): RaisedNotice[] {
  const audiences = audiencesOf(context.policy, takeUntold(context, unstored, now));
  return raiseNotices(context, audiences, ({ monitors }): Notice => ({ kind: "rejected", monitors }), now);
}

/** The monitors that a notice about these refusals names; marks them reported. */
export function takeUntold(context: EngineContext, unstored: boolean, now: Instant): RejectedMonitor[] {
  const { rejectedReports } = context.store;
  const groups = Map.groupBy(rejectedReports.untold(unstored), ({ applicationId, monitorKey }) =>
    JSON.stringify([applicationId, monitorKey]),
  );
  const monitors = [...groups.values()].flatMap((rows) => rejectedMonitor(context, rows, unstored) ?? []);
  rejectedReports.markTold(now, unstored);
  return monitors;
}

/** Null: it needs no notice. */
function rejectedMonitor(
  context: EngineContext,
  rows: readonly RejectedRow[],
  unstored: boolean,
): RejectedMonitor | null {
  const { applicationId, application, monitorKey: key } = rows[0]!;
  const id = context.store.monitors.find(applicationId, key);
  const record = id === null ? null : readable(context, id);
  const told = unstored
    ? toldAtOnce(rows, true).filter(({ at }) => !isHeardSince(record, at))
    : toldAtOnce(rows, id !== null);
  if (told.length === 0) return null;
  const named = record === null ? unknownMonitor(context, application, key) : namedBy(record);
  return {
    ...named,
    watched: id !== null,
    refused: told.map(({ at, kind, code, reason }) => ({ at, kind, code, reason })),
  };
}

function unknownMonitor(context: EngineContext, application: string, key: string) {
  const policy = monitorPolicy(context.policy, application, key);
  const name = nameOf(policy, NOTHING_DECLARED);
  return { application, key, name, watch: watchOf(policy, NOTHING_DECLARED) };
}
