// The notice that a run takes or took much longer or shorter than usual, for jobs whose people want it (`unusual`).

import { isOpen } from "../domain/monitor/run.ts";
import type { Transition } from "../domain/monitor/transition.ts";
import { isWithin, type PastRun, RUNS_LOOKED_AT, type UsualRun, usualBefore } from "../domain/monitor/unusual.ts";
import { warningRoutesOf } from "../domain/settings/alert-routes.ts";
import { nearestOf } from "../domain/settings/policy.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import { type EngineContext, NONE, type RaisedNotice } from "./engine-context.ts";
import { namedBy, raiseWarning } from "./notices.ts";

/**
 * How many reports are searched for the lengths of earlier runs: twice as many as runs, because their starts are among
 * them.
 */
const REPORTS_LOOKED_AT = 2 * RUNS_LOOKED_AT;

const isAsked = ({ policy }: MonitorRecord): boolean => nearestOf(policy, "unusual") === "tell";

/**
 * What is usual for a run that starts at `at`; `null` when people do not want it told, or too little is known. Must be
 * called in a transaction.
 */
export const usualFor = (context: EngineContext, monitor: MonitorRecord, at: Instant): UsualRun | null =>
  isAsked(monitor) ? usualBefore(at, runsOf(context, monitor)) : null;

const runsOf = ({ store }: EngineContext, { id, heads }: MonitorRecord): readonly PastRun[] =>
  store.pings
    .lengths(id, heads.lastPingId, REPORTS_LOOKED_AT, RUNS_LOOKED_AT)
    .map(({ endedAt, seconds }) => ({ endedAt, ms: seconds * SECOND }));

/**
 * Tells of an unusual length. `ended` is the run that a report has ended, unless an alert tells of that. `isGood` says
 * that nothing is wrong with the job. Runs inside the transaction that stores the report.
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
        monitor: namedBy(before),
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
  // Reading the earlier runs is the most expensive part of such a report, so it is done once for each run.
  const usual = atStart ?? usualBefore(ended.endedAt - ended.ms, runsOf(context, before));
  return usual === null || isWithin(usual, ended.ms)
    ? notices
    : [...notices, raise(usual, null, ended.endedAt, ended.ms)];
}
