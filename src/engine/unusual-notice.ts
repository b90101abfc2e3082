// The notice that a run takes or took much longer or shorter than usual, where people want to hear of it (`unusual`).

import { isOpen } from "../domain/monitor/run.ts";
import type { Transition } from "../domain/monitor/transition.ts";
import { type PastRun, RUNS_LOOKED_AT, type UsualRun, unusualBeside, usualBefore } from "../domain/monitor/unusual.ts";
import { nearestOf } from "../domain/settings/policy.ts";
import { warningRoutesOf } from "../domain/settings/routes.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";
import { type EngineContext, NONE, type RaisedNotice } from "./context.ts";
import { namedBy, raiseWarning } from "./notices.ts";

/** Reports that are looked through for the lengths of earlier runs: starts stand among them. */
const REPORTS_LOOKED_AT = 2 * RUNS_LOOKED_AT;

const isAsked = ({ policy }: MonitorRecord): boolean => nearestOf(policy, "unusual") === "tell";

/** For a run that starts at `at`; null: nothing is to be told of it, or too little is known. In a transaction. */
export const usualFor = (context: EngineContext, monitor: MonitorRecord, at: Instant): UsualRun | null =>
  isAsked(monitor) ? usualBefore(at, runsOf(context, monitor)) : null;

function runsOf({ store }: EngineContext, { id, heads }: MonitorRecord): readonly PastRun[] {
  const reports = store.pings.last(id, heads.lastPingId, REPORTS_LOOKED_AT);
  const runs = reports.flatMap(({ at: endedAt, kind, durationSeconds }) =>
    (kind === "complete" || kind === "heartbeat") && durationSeconds !== null
      ? [{ endedAt, ms: durationSeconds * SECOND }]
      : [],
  );
  return runs.slice(0, RUNS_LOOKED_AT);
}

/**
 * `ended`: the run that a report has ended, unless an alert tells of that. `isGood`: nothing is wrong with the job.
 * Runs inside the transaction that stores it.
 */
export function tellUnusual(
  context: EngineContext,
  before: MonitorRecord,
  { monitor, run }: Pick<Transition, "monitor" | "run">,
  ended: (PastRun & Readonly<{ isGood: boolean }>) | null,
  now: Instant,
): readonly RaisedNotice[] {
  if (monitor.runs.length === 0 && ended === null) return NONE;
  const toldOf = (number: number): UsualRun | null => {
    const usual = before.storedRuns.get(number)?.run.usual ?? null;
    return usual?.isTold ? usual : null;
  };
  const slow = monitor.runs.filter((one) => isOpen(one) && one.usual?.isTold && toldOf(one.number) === null);
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
  const told = run === null ? null : toldOf(run.number);
  if (told !== null) return [...notices, raise(told, run!.startedAt, ended.endedAt, ended.ms)];
  const usual = ended.isGood ? unusualBeside(ended, runsOf(context, before)) : null;
  return usual === null ? notices : [...notices, raise(usual, null, ended.endedAt, ended.ms)];
}
