// Reads the reports of one monitor as people see them, the newest first, each with its run and the job's last output.

import type { InPieces } from "../domain/in-pieces.ts";
import type { Run } from "../domain/monitor/run.ts";
import { type Instant, wholeSeconds } from "../domain/time.ts";
import { PINGS_WALKED_MAX, type StoredPing } from "../store/pings.ts";
import type { Store } from "../store/store.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import type { ShownMonitor } from "./schemas/shown-monitor-schemas.ts";
import { resultOfReport } from "./timeline.ts";
import type { ViewSource } from "./view-source.ts";

export interface ReadReport {
  /** When the report came. The event that the report tells may have happened earlier (R43). */
  readonly heardAt: Instant;
  readonly shown: ShownMonitor["pings"][number];
  /** The run of the report; `null` when it belongs to none, or the run was deleted. */
  readonly run: Run | null;
  /**
   * The job's last output (R46). It is read only for the newest fails, as many as `ReportsAsked.outputs` says; `null`
   * for other reports, and when no output is kept.
   */
  readonly output: string | null;
}

interface ReportsAsked {
  /**
   * Reports are read from this instant on. The last report before it is read as well, because it shows how the job
   * stood at this instant.
   */
  readonly since: Instant;
  readonly before: Instant;
  /** How many reports the caller wants at most. One more may be returned, which shows that there are more. */
  readonly limit: number;
  /** For how many of the newest fails the job's last output is read. */
  readonly outputs: number;
  readonly isTold: (report: ReadReport) => boolean;
}

/** The usual value of `ReportsAsked.outputs`: each output may be long, and those of the newest fails say most. */
export const OUTPUTS_SHOWN = 10;

const AT_ONCE = 200;

/**
 * Reads the reports that `isTold` accepts, the newest first. `isWhole` is false when some are missing: there were more
 * than `limit`, or more than `PINGS_WALKED_MAX` to look through, or some were deleted.
 */
export function* reportsForPeople(
  { store }: Pick<ViewSource, "store">,
  { id, heads }: Pick<MonitorRecord, "id" | "heads">,
  { since, before, limit, outputs, isTold }: ReportsAsked,
): InPieces<{ readonly reports: readonly ReadReport[]; readonly isWhole: boolean }> {
  const read = createReportReader(store, id, outputs);
  const reports: ReadReport[] = [];
  let [last, left] = [heads.lastPingId, PINGS_WALKED_MAX];
  while (last !== null && left > 0) {
    const span = { since, until: before - 1, limit: AT_ONCE };
    let found = store.pings.between(id, last, { ...span, walked: Math.min(AT_ONCE, left) });
    // None of the reports that were read lies in the span: they all came after it. So one query skips all that came
    // after the span, because many short queries would take too long.
    if (found.length === 0) found = store.pings.between(id, last, { ...span, walked: left });
    for (const report of read(found)) {
      if (isTold(report)) reports.push(report);
      if (reports.length > limit) return { reports, isWhole: false };
    }
    const oldest = found.at(-1);
    // No report was found: all of the `left` reports that may still be examined came after the span, or the chain leads
    // to a deleted report.
    if (oldest === undefined) return { reports, isWhole: false };
    if (oldest.at < since) return { reports, isWhole: true };
    last = oldest.previousId;
    left = PINGS_WALKED_MAX - (heads.pingCount - oldest.number + 1);
    if (last !== null) yield;
  }
  return { reports, isWhole: last === null };
}

/** Makes a function that adds to stored pings of one monitor their runs and outputs. */
function createReportReader(
  store: Pick<Store, "runs" | "outputs">,
  monitorId: number,
  outputs: number,
): (newestFirst: readonly StoredPing[]) => ReadReport[] {
  let left = outputs;
  return (pings) => {
    const runs = store.runs.some(
      monitorId,
      pings.flatMap(({ runRow }) => runRow ?? []),
    );
    const failed = pings.filter(({ kind }) => kind === "fail").slice(0, left);
    left -= failed.length;
    const texts = store.outputs.of(failed.map(({ id }) => id));
    return pings.map((ping) => {
      const run = ping.runRow === null ? null : (runs.get(ping.runRow)?.run ?? null);
      return { heardAt: ping.at, shown: shownPing(ping, run), run, output: texts.get(ping.id) ?? null };
    });
  };
}

export const shownPing = (
  { at: heardAt, happenedAt, kind, attempt, durationSeconds, message, outcomes, verdict }: StoredPing,
  run: Run | null,
): ShownMonitor["pings"][number] => ({
  at: happenedAt ?? heardAt,
  heardAt: happenedAt === null ? null : heardAt,
  kind,
  outcome: resultOfReport({ kind, verdict, state: run?.state ?? null }),
  runNumber: run?.number ?? null,
  runId: run?.runId ?? null,
  attempt,
  durationSeconds,
  durationMilliseconds: millisecondsOf(durationSeconds, run, happenedAt ?? heardAt),
  message,
  outcomes: outcomes === null ? null : JSON.parse(outcomes),
});

/**
 * How long the run took, in milliseconds; the report has that in whole `seconds`. `null` when the exact length is not
 * known, because the run's start is unknown or has changed since.
 */
function millisecondsOf(seconds: number | null, run: Run | null, endedAt: Instant): number | null {
  if (seconds === null || run === null || run.startedAt === null) return null;
  return wholeSeconds(run.startedAt, endedAt) === seconds ? Math.max(0, endedAt - run.startedAt) : null;
}
