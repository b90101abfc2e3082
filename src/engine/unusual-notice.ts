// The notice that a run took much longer or shorter than usual, where people asked to hear of that (`unusual`).

import { type PastRun, RUNS_LOOKED_AT, unusualBeside } from "../domain/monitor/unusual.ts";
import { nearestOf } from "../domain/settings/policy.ts";
import { warningRoutesOf } from "../domain/settings/routes.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import type { Heads } from "../store/monitor-state.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";
import type { EngineContext, RaisedNotice } from "./context.ts";
import { namedBy, raiseNotice } from "./notices.ts";

const NO_NOTICES: readonly RaisedNotice[] = [];

/** Reports that are looked through for the lengths of earlier runs: starts stand among them. */
const REPORTS_LOOKED_AT = 2 * RUNS_LOOKED_AT + 1;

/** `run` ended well, by the newest report in `heads`. Runs inside the transaction that stores it. */
export function tellUnusual(
  context: EngineContext,
  before: MonitorRecord,
  { lastPingId }: Heads,
  run: PastRun,
  now: Instant,
): readonly RaisedNotice[] {
  if (nearestOf(before.policy, "unusual") !== "tell") return NO_NOTICES;
  const [, ...earlier] = context.store.pings.last(before.id, lastPingId, REPORTS_LOOKED_AT);
  const runs = earlier.flatMap(({ at: endedAt, kind, durationSeconds }) =>
    (kind === "complete" || kind === "heartbeat") && durationSeconds !== null
      ? [{ endedAt, ms: durationSeconds * SECOND }]
      : [],
  );
  const usual = unusualBeside(run, runs.slice(0, RUNS_LOOKED_AT));
  if (usual === null) return NO_NOTICES;
  const seconds = (ms: number): number => Math.round(ms / SECOND);
  const lengths = {
    tookSeconds: seconds(run.ms),
    usualFromSeconds: seconds(usual.fromMs),
    usualToSeconds: seconds(usual.toMs),
  };
  const notice = { kind: "unusual", monitor: namedBy(before), endedAt: toIso(run.endedAt), ...lengths } as const;
  return [raiseNotice(context, notice, warningRoutesOf(before.policy, now), now)];
}
