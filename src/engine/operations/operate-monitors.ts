// Creates, pauses and resumes monitors for people and programs. Each function runs inside a transaction. When it
// refuses, nothing has changed.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { isPaused, type Pauses } from "../../domain/monitor/monitor.ts";
import type { Signal } from "../../domain/monitor/transition.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import { type Actor, nameOfActor } from "../../domain/people/person.ts";
import { hasSlots } from "../../domain/schedule/rhythm.ts";
import { checkDeclared, operatorName } from "../../domain/settings/declaration.ts";
import type { Declared } from "../../domain/settings/settings.ts";
import { cleanLine } from "../../domain/text.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import type { MonitorRecord } from "../../views/completed-monitors.ts";
import { findApplication, findMonitor, type MonitorName } from "../../views/find-named.ts";
import { summaryById } from "../../views/monitor-summaries.ts";
import type { ChangedMonitor, MonitorSummary } from "../../views/schemas/monitor-schemas.ts";
import { refuseActivating, refuseOneMore } from "../capacity.ts";
import { armOnly, type EngineContext } from "../engine-context.ts";
import { makeMonitor } from "../new-monitors.ts";
import { applySignals } from "../record.ts";
import { type Operated, withoutAfterCommit } from "./operation.ts";

const NEVER_EXPECTED = {
  ...refuseField(
    "schedule",
    "it is missing, and so is every; name one of them, such as --schedule '0 2 * * *' or --every 25h",
  ),
  problem: "it is missing, and so is every; name one of them",
};

export function createMonitor(
  context: EngineContext,
  request: MonitorName & Declared,
  now: Instant,
): Operated<MonitorSummary | Refusal> {
  const { store } = context;
  const declared = checkMonitorKey("key", request.key) ?? checkDeclared(request, "five", operatorName);
  if (isRefusal(declared)) return withoutAfterCommit(declared);
  if (!hasSlots(request)) return withoutAfterCommit(NEVER_EXPECTED);
  const owner = findApplication(context, request.application);
  if (isRefusal(owner)) return withoutAfterCommit(owner);
  const { key } = request;
  if (store.monitors.find(owner.id, key) !== null) return withoutAfterCommit(existsAlready(owner.slug, key));
  const refused = refuseOneMore(context, owner, key);
  if (refused !== null) return withoutAfterCommit(refused);
  const made = makeMonitor(context, owner, key, declared, now);
  return { answer: summaryById(context, made.id, now), afterCommit: armOnly(made, made.wakeAt) };
}

const existsAlready = (application: string, key: string): Refusal =>
  refuseField("key", `monitor ${JSON.stringify(key)} exists already in application "${application}"`);

/** How many code points (characters) the reason for a pause may have. Longer ones are cut. */
const REASON_LENGTH = 200;

/**
 * Pauses a monitor (R24). If it is already paused by hand without an end, and no end is asked for now, nothing changes.
 * Otherwise the new pause replaces an earlier one by hand. After a pause with an end the monitor is active again, so
 * the application's paid plan must have room for it, as for a resume (R34).
 */
export function pauseMonitor(
  context: EngineContext,
  {
    durationSeconds,
    reason,
    ...name
  }: MonitorName & { readonly durationSeconds: number | null; readonly reason: string | null },
  now: Instant,
  by: Actor,
): Operated<ChangedMonitor | Refusal> {
  const before = findMonitor(context, name);
  if (isRefusal(before)) return withoutAfterCommit(before);
  const { pauses, changedAt } = before.monitor;
  if (durationSeconds === null && pauses.manual !== null && pauses.manual.until === null)
    return unchangedMonitor(context, before, now);
  // If the clock is behind the monitor's last change, the end of the pause counts from that change. Otherwise the pause
  // would be too short.
  const until = durationSeconds === null ? null : Math.max(now, changedAt) + durationSeconds * SECOND;
  const refused = refuseActivating(context, before, { ...pauses, manual: { until } });
  if (refused !== null) return withoutAfterCommit(refused);
  const why = reason === null ? null : cleanLine(reason, REASON_LENGTH) || null;
  context.store.pausesByHand.save({ monitorId: before.id, at: now, until, name: nameOfActor(by), reason: why });
  return changeMonitor(context, before, { kind: "pause", pause: "manual", until }, now);
}

/**
 * Ends a pause by hand. Refused when the pause is not by hand (the refusal says what ends it), or when the
 * application's paid plan has no room for one more active monitor (R24, R34).
 */
export function resumeMonitor(
  context: EngineContext,
  name: MonitorName,
  now: Instant,
): Operated<ChangedMonitor | Refusal> {
  const before = findMonitor(context, name);
  if (isRefusal(before)) return withoutAfterCommit(before);
  const { pauses } = before.monitor;
  if (!isPaused(before.monitor)) return unchangedMonitor(context, before, now);
  if (pauses.manual === null) return withoutAfterCommit(notByHand(before.key, pauses));
  const refused = refuseActivating(context, before, { ...pauses, manual: null });
  if (refused !== null) return withoutAfterCommit(refused);
  context.store.pausesByHand.end(before.id);
  return changeMonitor(context, before, { kind: "resume", pause: "manual" }, now);
}

function notByHand(key: string, { discovery, suspension }: Pauses): Refusal {
  const why = suspension
    ? "its application is suspended, and `rollcall app resume` resumes it"
    : discovery
      ? "its source no longer declares it, and resumes it when it declares it again"
      : "its application had no room for it, and its source resumes it when it declares it while there is room";
  return refuseField("key", `monitor ${JSON.stringify(key)} was not paused by hand: ${why}`);
}

function changeMonitor(
  context: EngineContext,
  before: MonitorRecord,
  signal: Signal,
  now: Instant,
): Operated<ChangedMonitor> {
  const { afterCommit } = applySignals(context, before, [signal], now);
  return { answer: { changed: true, monitor: summaryById(context, before.id, now) }, afterCommit };
}

const unchangedMonitor = (context: EngineContext, before: MonitorRecord, now: Instant): Operated<ChangedMonitor> =>
  withoutAfterCommit({ changed: false, monitor: summaryById(context, before.id, now) });
