// Reports that a rate limit refused (R26, R33): evidence of life for their own monitor, a row for people, and the notice
// about them. They start, end and close nothing. Runs inside the caller's transaction.

import type { Notice, RateLimitedMonitor } from "../../domain/message/notice.ts";
import { isEvidence, rankOf } from "../../domain/message/refused-report.ts";
import { fillableFrom } from "../../domain/monitor/draft.ts";
import { transition } from "../../domain/monitor/transition.ts";
import type { Instant } from "../../domain/time.ts";
import type { RateLimitedRow } from "../../store/rate-limited-reports.ts";
import type { AfterCommit } from "../after-commit.ts";
import type { Ping } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import { gapsAbout, loadNamed } from "../monitor-records.ts";
import { record } from "../record.ts";
import type { Announcer } from "../telling/announce.ts";
import { namedBy, type RaisedNotice, raiseNotices, readable } from "../telling/notices.ts";
import { recallAnswer } from "./idempotency.ts";
import type { SeenRateLimited } from "./rate-limited-memory.ts";

/** What came of a rate-limited report: for the wheel (null: nothing), and for the memory of such reports. */
export interface RateLimited extends SeenRateLimited {
  readonly afterCommit: AfterCommit | null;
}

/**
 * Takes note of a report that was refused at `at`; `setting` sets the limit. Nothing is kept about a monitor that does not
 * exist. Reports of one minute share a row, and repeating what was kept writes nothing unless it fills another slot.
 */
export function ingestRateLimited(context: EngineContext, ping: Ping, at: Instant, setting: string): RateLimited {
  const { store } = context;
  const before = loadNamed(context, ping.caller.applicationId, ping.monitorKey, null);
  const unseen = { ping, at, setting, monitorId: null, kept: false, fillsAgainFrom: null, afterCommit: null };
  if (before === null) return unseen;
  // The report that it repeats was heard when it came first, and would have filled nothing again (R11). The next may be new.
  if (recallAnswer(store, ping, at) !== null) return { ...unseen, fillsAgainFrom: at };
  const kept = keep(context, before.id, ping, at, setting);
  const fillsFrom = fillableFrom(before.monitor);
  const seen = { ...unseen, monitorId: before.id, kept, fillsAgainFrom: fillsFrom };
  if (!isEvidence(ping, kept, fillsFrom, at)) return seen;
  const decision = transition(before.monitor, { kind: "refused" }, at, gapsAbout(context, before.monitor));
  const afterCommit = record(context, before, decision, at, null);
  return { ...seen, fillsAgainFrom: fillableFrom(decision.monitor), afterCommit };
}

/** Whether the report has its minute's row now. */
function keep({ store }: EngineContext, monitorId: number, ping: Ping, at: Instant, setting: string): boolean {
  const { kind, message } = ping;
  const report = { monitorId, at, kind, message, setting };
  const kept = store.rateLimitedReports.inMinute(monitorId, at);
  if (kept === null) store.rateLimitedReports.insert(report);
  else if (rankOf(ping) > rankOf(kept)) store.rateLimitedReports.replace(kept.id, report);
  else return false;
  return true;
}

interface RateLimitedNewsParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly announcer: Announcer;
}

/** A function, to be called once a second, that sends the notice when it is due. */
export function createRateLimitedNews({ context, committer, announcer }: RateLimitedNewsParts): (now: Instant) => void {
  const { rateLimitedMemory } = context;
  return (now) => {
    if (!rateLimitedMemory.noticeDue(now)) return;
    const raised = committer.one((at) => tellRateLimited(context, at));
    rateLimitedMemory.told(now);
    announcer.notices(raised);
  };
}

/** Raises the notices about all that is untold, and marks it told. */
function tellRateLimited(context: EngineContext, now: Instant): RaisedNotice[] {
  const { rateLimitedReports } = context.store;
  const monitors = [...Map.groupBy(rateLimitedReports.untold(), ({ monitorId }) => monitorId)].flatMap(([id, rows]) => {
    const found = readable(context, id);
    return found === null ? [] : [rateLimitedMonitor(found, rows)];
  });
  rateLimitedReports.markTold();
  return raiseNotices(context, monitors, noticeAbout, now);
}

interface Told extends RateLimitedMonitor {
  readonly rows: readonly RateLimitedRow[];
}

const rateLimitedMonitor = (monitor: MonitorRecord, rows: readonly RateLimitedRow[]): Told => ({
  ...namedBy(monitor),
  minutes: rows.length,
  fails: rows.filter(({ kind }) => kind === "fail"),
  rows,
});

function noticeAbout(monitors: readonly Told[]): Notice {
  const rows = monitors.flatMap((monitor) => monitor.rows);
  const times = rows.map(({ at }) => at);
  return {
    kind: "refused",
    from: times.reduce((a, b) => Math.min(a, b)),
    to: times.reduce((a, b) => Math.max(a, b)),
    settings: rows.map(({ setting }) => setting),
    monitors,
  };
}
