// Stored reports as people see them, each with what is known of its run and what the job wrote last: two queries for
// any number of reports. Changes nothing.

import type { Run } from "../domain/monitor/run.ts";
import { type Instant, wholeSeconds } from "../domain/time.ts";
import type { StoredPing } from "../store/pings.ts";
import type { Store } from "../store/store.ts";
import type { ShownMonitor } from "./answers/shown-monitor.ts";
import { outcomeOf } from "./timeline.ts";

export interface ReadReport {
  readonly shown: ShownMonitor["pings"][number];
  /** Null: it belongs to none, or that is gone. */
  readonly run: Run | null;
  /** What a fail wrote (R46); null: nothing is kept, or only newer reports have it here. */
  readonly output: string | null;
}

/** Of a monitor. `outputs`: of so many failures the output is read, the newest that it is given. */
export function createReportReader(
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
      return { shown: shownPing(ping, run), run, output: texts.get(ping.id) ?? null };
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
  outcome: outcomeOf({ kind, verdict, state: run?.state ?? null }),
  runNumber: run?.number ?? null,
  runId: run?.runId ?? null,
  attempt,
  durationSeconds,
  durationMilliseconds: millisecondsOf(durationSeconds, run, happenedAt ?? heardAt),
  message,
  outcomes: outcomes === null ? null : JSON.parse(outcomes),
});

/** The contract's whole seconds to the millisecond, while the start they were counted from is still the run's. */
function millisecondsOf(seconds: number | null, run: Run | null, endedAt: Instant): number | null {
  if (seconds === null || run === null || run.startedAt === null) return null;
  return wholeSeconds(run.startedAt, endedAt) === seconds ? Math.max(0, endedAt - run.startedAt) : null;
}
