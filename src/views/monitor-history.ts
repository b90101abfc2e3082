// What happened to a monitor: its reports, and between them the slots that none filled. Changes nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { DAY, type Instant, SECOND } from "../domain/time.ts";
import type { History } from "./answers/shown-monitor.ts";
import type { ViewSource } from "./context.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import type { Outcome } from "./outcomes.ts";
import { createReportReader } from "./reports.ts";
import { timelinesOf } from "./timelines.ts";

interface HistoryAsked extends MonitorName {
  /** How far back; null: as far as the limit goes. */
  readonly sinceSeconds: number | null;
  readonly limit: number;
}

/** Slots of a monitor that never reported are named for this long. */
const WITHOUT_REPORTS = 7 * DAY;

/** What people look for among reports. */
const UNFILLED: ReadonlySet<Outcome> = new Set<Unfilled>(["missed", "unknown", "silent"]);

/** Newest first. */
export function historyOf(
  context: ViewSource,
  { sinceSeconds, limit, ...name }: HistoryAsked,
  now: Instant,
): InPieces<History> | Refusal {
  const found = findMonitor(context, name);
  if (isRefusal(found)) return found;
  const { store } = context;
  const { id, application, key, heads, monitor } = found;

  function* read(): InPieces<History> {
    const asked = sinceSeconds === null ? monitor.createdAt : Math.max(monitor.createdAt, now - sinceSeconds * SECOND);
    const span = { since: asked, until: now, walked: limit + 1, limit: limit + 1 };
    const pings = store.pings.between(id, heads.lastPingId, span).filter(({ at }) => at >= asked);
    yield;
    const reports = createReportReader(store, id, 0)(pings).map(({ shown }) => ({ ...shown, reportAt: null }));
    yield;
    const oldest =
      pings.length > limit
        ? pings.at(-1)!.at
        : sinceSeconds === null && pings.length === 0
          ? now - WITHOUT_REPORTS
          : asked;
    const from = Math.max(asked, oldest);
    const { monitors } = yield* timelinesOf(context, [id], { from, to: now }, now);
    const slots = (monitors.get(id)?.entries ?? []).flatMap(({ at, outcome, slot }) => {
      // One that a report filled is told at that report.
      const isSaid = slot === null || (slot.reportAt !== null && outcome !== "missed");
      if (isSaid || !UNFILLED.has(outcome)) return [];
      return [{ ...NO_REPORT, at, outcome: outcome as Unfilled, reportAt: slot.reportAt }];
    });
    const entries = [...reports, ...slots].sort((a, b) => b.at - a.at);
    return {
      application,
      key,
      timezone: monitor.watch.timezone,
      everySeconds: monitor.watch.everySeconds,
      entries: entries.slice(0, limit),
      more: entries.length > limit,
    };
  }
  return read();
}

type Unfilled = "missed" | "unknown" | "silent";

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
