// The answer of `monitor history`: a monitor's reports, and between them the slots that no report filled.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { DAY, type Instant, SECOND } from "../domain/time.ts";
import type { Result } from "../domain/wording/results.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import { type ReadReport, reportsForPeople } from "./reports.ts";
import type { History } from "./schemas/shown-monitor-schemas.ts";
import { timelinesOf } from "./timelines.ts";
import type { ViewSource } from "./view-source.ts";

interface HistoryAsked extends MonitorName {
  /** How far back the history goes, in seconds; `null` means as far as `limit` allows. */
  readonly sinceSeconds: number | null;
  readonly limit: number;
}

/** How far back unfilled slots are listed for a monitor that never reported, in milliseconds. */
const WITHOUT_REPORTS = 7 * DAY;

/** The results of unfilled slots that are listed among the reports. */
const UNFILLED: ReadonlySet<Result> = new Set<Unfilled>(["missed", "unknown", "paused", "silent"]);

export function monitorHistory(
  context: ViewSource,
  { sinceSeconds, limit, ...name }: HistoryAsked,
  now: Instant,
): InPieces<History> | Refusal {
  const record = findMonitor(context, name);
  return isRefusal(record) ? record : readHistory(context, record, { sinceSeconds, limit }, now);
}

function* readHistory(
  context: ViewSource,
  record: MonitorRecord,
  { sinceSeconds, limit }: Omit<HistoryAsked, keyof MonitorName>,
  now: Instant,
): InPieces<History> {
  const { id, application, key, monitor } = record;
  const since = sinceSeconds === null ? monitor.createdAt : Math.max(monitor.createdAt, now - sinceSeconds * SECOND);
  const isTold = ({ heardAt }: ReadReport): boolean => heardAt >= since;
  const { reports } = yield* reportsForPeople(context, record, { since, before: now + 1, limit, outputs: 0, isTold });
  yield;
  // Slots are listed only as far back as reports are.
  const oldest =
    reports.length > limit
      ? reports.at(-1)!.heardAt
      : sinceSeconds === null && reports.length === 0
        ? now - WITHOUT_REPORTS
        : since;
  const from = Math.max(since, oldest);
  const { monitors } = yield* timelinesOf(context, [id], { from, to: now }, now);
  const slots = (monitors.get(id)?.entries ?? []).flatMap(({ at, result, slot }) => {
    // True when `reports` tells of this entry already: the entry is a run without a slot, or a report filled its slot.
    const isSaid = slot === null || (slot.reportAt !== null && result !== "missed");
    if (isSaid || !UNFILLED.has(result)) return [];
    return [{ ...NO_REPORT, at, outcome: result as Unfilled, reportAt: slot.reportAt }];
  });
  const entries = [...reports.map(({ shown }) => ({ ...shown, reportAt: null })), ...slots];
  return {
    application,
    key,
    timezone: monitor.watch.timezone,
    everySeconds: monitor.watch.everySeconds,
    entries: entries.sort((a, b) => b.at - a.at).slice(0, limit),
    more: entries.length > limit,
  };
}

type Unfilled = "missed" | "unknown" | "paused" | "silent";

const NO_REPORT = {
  kind: null,
  heardAt: null,
  runNumber: null,
  runId: null,
  attempt: null,
  durationSeconds: null,
  durationMilliseconds: null,
  message: null,
  outcomes: null,
};
