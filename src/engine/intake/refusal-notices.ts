// Tells people what was refused (R33): when a notice is due for a reason, one to the people of the jobs concerned. A
// rejected report is told if its job has no monitor, or if it was a failure; the miss that follows names any other.
// Reports that could not be stored (R26) are apart, because the notice that storing works again may name them: of those
// it is failures alone.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import type { ListedMonitor, ListedRefused, ListedRejected, RateLimitedDetails } from "../../domain/message/notice.ts";
import {
  failingFirst,
  LISTED_MAX,
  type RateLimitedSum,
  rateLimitedDetails,
  rejectedDetails,
  shareOf,
} from "../../domain/message/notice-lists.ts";
import { laterOf, notifiedAtOnce } from "../../domain/message/refused-report.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { monitorPolicy, nameOf, watchOf } from "../../domain/settings/policy.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { IdSpan, RateLimitedBrief, RejectedRow, RejectedSort } from "../../store/refused-reports.ts";
import type { MonitorRecord } from "../../views/monitor-records.ts";
import type { EngineContext } from "../context.ts";
import { type Audience, audiencesOf, createSummedAudiences } from "../outbox/audiences.ts";
import { namedBy, type RaiseNotices, raiseNotices, readable } from "../outbox/notices.ts";
import { oneAtATime } from "../outbox/review.ts";
import { isHeardSince } from "../refused-report.ts";
import type { IntakeTools } from "./ingest.ts";
import { REFUSAL_REASONS, type RefusalReason } from "./refusal-memory.ts";

export function createRefusalNotices({ context, committer, announcer, turns }: IntakeTools) {
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
      refusals.unstoredNotified();
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
  const groups = Map.groupBy(rejectedReports.pending(sort), ({ applicationId, monitorKey }) =>
    JSON.stringify([applicationId, monitorKey]),
  );
  const monitors = [...groups.values()].flatMap((rows) => rejectedMonitor(context, rows, sort) ?? []);
  rejectedReports.markNotified(now, sort);
  return monitors;
}

function rejectedMonitor(
  context: EngineContext,
  rows: readonly RejectedRow[],
  sort: RejectedSort,
): ListedRejected | null {
  const { applicationId, application, monitorKey: key } = rows[0]!;
  const id = context.store.monitors.find(applicationId, key);
  const record = id === null ? null : readable(context, id);
  const notified =
    sort === "unstored"
      ? notifiedAtOnce(rows, true).filter(({ at }) => !isHeardSince(record, at))
      : notifiedAtOnce(rows, id !== null);
  if (notified.length === 0) return null;
  const named = record === null ? unknownMonitor(context, application, key) : namedBy(record);
  return {
    ...named,
    watched: id !== null,
    refused: notified
      .toSorted((a, b) => b.at - a.at)
      .map(({ at, kind, code, reason }) => ({ at: toIso(at), report: kind, error: code, reason })),
  };
}

function unknownMonitor(context: EngineContext, applicationId: string, monitorKey: string): ListedMonitor {
  const policy = monitorPolicy(context.policy, applicationId, monitorKey);
  const name = nameOf(policy, NOTHING_DECLARED);
  return { applicationId, monitorKey, name, timezone: watchOf(policy, NOTHING_DECLARED).timezone };
}

// What a notice about reports that a rate limit refused names (R33): counted for each job, and read in pieces, because
// a flood is large.

/** Rows counted in one turn of the event loop, and monitors read. */
const COUNTED_A_TURN = 1_000;
const MONITORS_A_TURN = 200;

function* findRateLimited(context: EngineContext): InPieces<RaiseNotices> {
  const { rateLimitedReports } = context.store;
  const span = rateLimitedReports.pending();
  const audiences = yield* audiencesOfRateLimited(context, span);
  return (at) => {
    rateLimitedReports.markNotified(span.upTo);
    return raiseNotices(context, audiences, noticeAbout, at);
  };
}

interface CountedReports extends Pick<RateLimitedSum, "from" | "to" | "settings" | "failsTotal"> {
  readonly minutes: number;
  /** The newest of the fails; null: there is none. */
  readonly failedAt: Instant | null;
}

type CountedMonitor = Omit<ListedRefused, "fails"> & CountedReports & { readonly id: number };

type Sum = CountedReports & RateLimitedSum;

type RateLimitedAudience = Audience<ListedRefused, Sum>;

function* audiencesOfRateLimited(context: EngineContext, span: IdSpan): InPieces<RateLimitedAudience[]> {
  const byMonitor = yield* countedByMonitor(context, span);
  const audiences = createSummedAudiences<CountedMonitor, Sum>(context.policy, {
    kept: LISTED_MAX,
    order: failingFirst,
    sumWith,
  });
  for (const some of piecesOf(byMonitor, MONITORS_A_TURN)) {
    yield;
    for (const [id, counted] of some) {
      const found = readable(context, id);
      if (found !== null) audiences.add({ ...namedBy(found), ...stillPending(counted, found), id });
    }
  }
  const notified: RateLimitedAudience[] = [];
  for (const audience of audiences.all()) notified.push(yield* withFails(context, span, audience));
  return notified;
}

function* countedByMonitor({ store }: EngineContext, { after, upTo }: IdSpan): InPieces<Map<number, CountedReports>> {
  const byMonitor = new Map<number, CountedReports>();
  for (let last = after; ; yield) {
    const rows = store.rateLimitedReports.within({ after: last, upTo }, COUNTED_A_TURN);
    for (const row of rows) byMonitor.set(row.monitorId, together(byMonitor.get(row.monitorId), countedOf(row)));
    if (rows.length < COUNTED_A_TURN) return byMonitor;
    last = rows.at(-1)!.id;
  }
}

/** A failure that its client has sent again is told by an incident. */
const stillPending = (counted: CountedReports, found: MonitorRecord): CountedReports =>
  counted.failedAt !== null && isHeardSince(found, counted.failedAt)
    ? { ...counted, failsTotal: 0, failedAt: null }
    : counted;

const countedOf = ({ at, setting, kind }: RateLimitedBrief): CountedReports => ({
  from: at,
  to: at,
  settings: new Set([setting]),
  minutes: 1,
  failsTotal: kind === "fail" ? 1 : 0,
  failedAt: kind === "fail" ? at : null,
});

const together = (a: CountedReports | undefined, b: CountedReports): CountedReports =>
  a === undefined
    ? b
    : {
        from: Math.min(a.from, b.from),
        to: Math.max(a.to, b.to),
        settings: b.settings.isSubsetOf(a.settings) ? a.settings : a.settings.union(b.settings),
        minutes: a.minutes + b.minutes,
        failsTotal: a.failsTotal + b.failsTotal,
        failedAt: laterOf(a.failedAt, b.failedAt),
      };

const sumWith = (sum: Sum | null, monitor: CountedMonitor): Sum => ({
  ...together(sum ?? undefined, monitor),
  failing: (sum?.failing ?? 0) + (monitor.failsTotal > 0 ? 1 : 0),
});

function* withFails(
  { store }: EngineContext,
  span: IdSpan,
  audience: Audience<CountedMonitor, Sum>,
): InPieces<RateLimitedAudience> {
  const most = shareOf(audience.sum.failing);
  const monitors: ListedRefused[] = [];
  for (const some of piecesOf(audience.monitors.toSorted(failingFirst).slice(0, LISTED_MAX), MONITORS_A_TURN)) {
    yield;
    for (const { id, applicationId, monitorKey, name, timezone, minutes, failsTotal } of some) {
      const rows = failsTotal === 0 ? [] : store.rateLimitedReports.fails(id, span, most);
      const fails = rows.map(({ at, message }) => ({ at: toIso(at), message }));
      monitors.push({ applicationId, monitorKey, name, timezone, minutes, failsTotal, fails });
    }
  }
  return { ...audience, monitors };
}

const noticeAbout = ({ total, sum, monitors }: RateLimitedAudience): RateLimitedDetails =>
  rateLimitedDetails(sum, total, monitors);
