// Writes the notice that a run takes or took much longer or shorter than usual. It is written only for jobs whose
// people want it (the setting `unusual`).

import { isOpen } from "../domain/monitor/run.ts";
import type { Transition } from "../domain/monitor/transition.ts";
import {
  isUsualRunLength,
  type PastRun,
  RUNS_LOOKED_AT,
  type UsualRun,
  usualBefore,
} from "../domain/monitor/unusual.ts";
import { warningRoutesOf } from "../domain/settings/alert-routes.ts";
import { nearestTierValue } from "../domain/settings/policy.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import { type EngineContext, NONE, type RaisedNotice } from "./engine-context.ts";
import { listedMonitorOf, raiseWarning } from "./notices.ts";

/** How many reports are read for the lengths of earlier runs: twice as many as runs, because half are starts. */
const REPORTS_LOOKED_AT = 2 * RUNS_LOOKED_AT;

const isAsked = ({ policy }: MonitorRecord): boolean => nearestTierValue(policy, "unusual") === "tell";

/**
 * Returns how long the job's runs usually take; `null` when people do not want such notices, or too few runs are known.
 * Must be called in a transaction.
 */
export const usualRunFor = (context: EngineContext, monitor: MonitorRecord, at: Instant): UsualRun | null =>
  isAsked(monitor) ? usualBefore(at, runsOf(context, monitor)) : null;

const runsOf = ({ store }: EngineContext, { id, heads }: MonitorRecord): readonly PastRun[] =>
  store.pings
    .lengths(id, heads.lastPingId, REPORTS_LOOKED_AT, RUNS_LOOKED_AT)
    .map(({ endedAt, seconds }) => ({ endedAt, ms: seconds * SECOND }));

/**
 * Writes a notice for each run of unusual length. `ended` is the run that this report has ended; `null` when there is
 * none or an alert tells of its end. `isGood` means that the job has no trouble. Must be called in the transaction that
 * stores the report.
 */
export function tellUnusual(
  context: EngineContext,
  before: MonitorRecord,
  { monitor, run }: Pick<Transition, "monitor" | "run">,
  ended: (PastRun & Readonly<{ isGood: boolean }>) | null,
  now: Instant,
): readonly RaisedNotice[] {
  if (monitor.runs.length === 0 && ended === null) return NONE;
  const usualOf = (number: number): UsualRun | null => before.storedRuns.get(number)?.run.usual ?? null;
  const slow = monitor.runs.filter((one) => isOpen(one) && one.usual?.isTold && !usualOf(one.number)?.isTold);
  if ((slow.length === 0 && ended === null) || !isAsked(before)) return NONE;
  const raise = (usual: UsualRun, startedAt: Instant | null, endedAt: Instant | null, ms: number) =>
    raiseWarning(
      context,
      {
        kind: "unusual",
        monitor: listedMonitorOf(before),
        startedAt: startedAt === null ? null : toIso(startedAt),
        endedAt: endedAt === null ? null : toIso(endedAt),
        tookSeconds: Math.round(ms / SECOND),
        usualFromSeconds: Math.round(usual.fromMs / SECOND),
        usualToSeconds: Math.round(usual.toMs / SECOND),
      },
      warningRoutesOf(before.policy, now),
      now,
    );
  const notices = slow.map(({ usual, startedAt }) => raise(usual!, startedAt, null, monitor.changedAt - startedAt!));
  if (ended === null) return notices;
  const atStart = run === null ? null : usualOf(run.number);
  if (atStart?.isTold) return [...notices, raise(atStart, run!.startedAt, ended.endedAt, ended.ms)];
  if (!ended.isGood) return notices;
  // Reading the lengths of earlier runs is slow, so they are read only if they were not read at the run's start.
  const usual = atStart ?? usualBefore(ended.endedAt - ended.ms, runsOf(context, before));
  return usual === null || isUsualRunLength(usual, ended.ms)
    ? notices
    : [...notices, raise(usual, null, ended.endedAt, ended.ms)];
}
