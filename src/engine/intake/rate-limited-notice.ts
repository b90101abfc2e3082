// Notices about reports that a rate limit refused (R33): one to the people of the jobs that sent them, when it is due.
// Takes no report in.

import type { Notice, RateLimitedMonitor } from "../../domain/message/notice.ts";
import type { Instant } from "../../domain/time.ts";
import type { RateLimitedRow } from "../../store/rate-limited-reports.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import type { Announcer } from "../telling/announce.ts";
import { type Audience, audiencesOf } from "../telling/audiences.ts";
import { namedBy, type RaisedNotice, raiseNotices, readable } from "../telling/notices.ts";

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

/** Raises the notices about all unreported refusals, and marks them reported. */
function tellRateLimited(context: EngineContext, now: Instant): RaisedNotice[] {
  const { rateLimitedReports } = context.store;
  const monitors = [...Map.groupBy(rateLimitedReports.untold(), ({ monitorId }) => monitorId)].flatMap(([id, rows]) => {
    const found = readable(context, id);
    return found === null ? [] : [rateLimitedMonitor(found, rows)];
  });
  rateLimitedReports.markTold();
  return raiseNotices(context, audiencesOf(context.policy, monitors), noticeAbout, now);
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

function noticeAbout({ monitors }: Audience<Told>): Notice {
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
