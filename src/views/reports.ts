// The reports of one monitor for people, each with what is known of its run and what the job wrote last. They are read
// in pieces, the newest first. Everything that shows a job's past reads them here. Changes nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import type { Run } from "../domain/monitor/run.ts";
import { type Instant, wholeSeconds } from "../domain/time.ts";
import { type StoredPing, WALKED } from "../store/pings.ts";
import type { Store } from "../store/store.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import type { ShownMonitor } from "./schemas/shown-monitor-schemas.ts";
import { resultOfReport } from "./timeline.ts";
import type { ViewSource } from "./view-source.ts";

export interface ReadReport {
  /** When the report came, however late that was. */
  readonly heardAt: Instant;
  readonly shown: ShownMonitor["pings"][number];
  /** The run that the report belongs to; `null` when it belongs to none, or the run was deleted. */
  readonly run: Run | null;
  /** What a fail wrote (R46); `null` when none is kept, or only newer reports are shown with it. */
  readonly output: string | null;
}

interface ReportsAsked {
  /** The report before this instant is read as well, because it shows how the job stood until then. */
  readonly since: Instant;
  readonly before: Instant;
  /** How many reports are read. One more shows whether there are others. */
  readonly limit: number;
  /** For how many of the newest failures the job's last output is read. */
  readonly outputs: number;
  readonly isTold: (report: ReadReport) => boolean;
}

/**
 * For how many of the newest failures the output is read, because each output may be long and the newest ones say most.
 */
export const OUTPUTS_SHOWN = 10;

const AT_ONCE = 200;

/**
 * Reads reports. `isWhole` is true when none was left out: neither by the limit, nor because it is too far back
 * (`WALKED`) or deleted.
 */
export function* readReports(
  { store }: Pick<ViewSource, "store">,
  { id, heads }: Pick<MonitorRecord, "id" | "heads">,
  { since, before, limit, outputs, isTold }: ReportsAsked,
): InPieces<{ readonly reports: readonly ReadReport[]; readonly isWhole: boolean }> {
  const read = createReportReader(store, id, outputs);
  const reports: ReadReport[] = [];
  let [last, left] = [heads.lastPingId, WALKED];
  while (last !== null && left > 0) {
    const span = { since, until: before - 1, limit: AT_ONCE };
    let found = store.pings.between(id, last, { ...span, walked: Math.min(AT_ONCE, left) });
    // The reports after the span are skipped in one walk only, because skipping them again for each piece would take
    // too long.
    if (found.length === 0) found = store.pings.between(id, last, { ...span, walked: left });
    for (const report of read(found)) {
      if (isTold(report)) reports.push(report);
      if (reports.length > limit) return { reports, isWhole: false };
    }
    const oldest = found.at(-1);
    // Either all walked reports came later, or the chain leads to a report that was deleted.
    if (oldest === undefined) return { reports, isWhole: false };
    if (oldest.at < since) return { reports, isWhole: true };
    last = oldest.previousId;
    left = WALKED - (heads.pingCount - oldest.number + 1);
    if (last !== null) yield;
  }
  return { reports, isWhole: last === null };
}

/** Reads any number of reports of one monitor. */
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
 * The length of a run in milliseconds. If the run still has the start from which the contract's whole seconds were
 * counted, it is exact.
 */
function millisecondsOf(seconds: number | null, run: Run | null, endedAt: Instant): number | null {
  if (seconds === null || run === null || run.startedAt === null) return null;
  return wholeSeconds(run.startedAt, endedAt) === seconds ? Math.max(0, endedAt - run.startedAt) : null;
}
