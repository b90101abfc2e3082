// Drills: messages that are regularly sent to where a monitor's alerts go, to prove that alerts would arrive. This file
// sends the drills that are due, and tells other destinations when a drill failed. domain/message/test-message.ts says
// when a drill is due and when it has failed.

import { drillMessage } from "../../domain/message/test-message.ts";
import { isPaused } from "../../domain/monitor/monitor.ts";
import { reachOf, routesOf } from "../../domain/settings/alert-routes.ts";
import { drillEveryOf, type Policy, presentationOf } from "../../domain/settings/policy.ts";
import { drillVerdict, isDrillDue, lastToEach } from "../../domain/telling/drill-rules.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import { enqueueTests } from "../../store/deliveries.ts";
import type { OutgoingRow } from "../../store/delivery-lists.ts";
import type { DrillRow } from "../../store/incidents.ts";
import type { MonitorRecord } from "../../views/completed-monitors.ts";
import { type EngineContext, type RaisedNotice, thisInstance } from "../engine-context.ts";
import { listedMonitorOf, raiseNotice, readableMonitor } from "../notices.ts";
import type { RaisedDrill } from "./announce.ts";
import { everyMinute, type NoticeTools, type Review } from "./review.ts";
import { otherRoutesForUnsent } from "./unsent.ts";

export function createDrills({ context, committer, log, announcer }: NoticeTools): Review {
  const drilled = [...monitorsToDrill(context.policy)];
  let isFirst = true;

  function look(now: Instant): void {
    if (isFirst) for (const each of drilled) warnOfMissing(each);
    isFirst = false;
    const open = context.store.drills.undecided();
    const due = drilled.flatMap((each) => dueAt(context, each, now) ?? []);
    const judged = open.flatMap((row) => judgedDrill(context, row) ?? []);
    if (due.length === 0 && judged.length === 0) return;
    const { notices, raised } = committer.one((at) => ({
      notices: judged.flatMap((each) => drillNotices(context, each, at)),
      raised: due.map((each) => drill(context, each, at)),
    }));
    announcer.notices(notices);
    announcer.drills(raised);
  }

  /**
   * Warns in the log when the monitor of a configured drill does not exist. This is allowed, because the monitor's
   * first report may create it.
   */
  function warnOfMissing({ application, key }: Drilled): void {
    const owner = context.store.applications.find(application);
    if (owner !== null && context.store.monitors.find(owner.id, key) !== null) return;
    log("warn", "drill_without_monitor", { application, monitor: key });
  }

  return everyMinute(look);
}

type Drilled = Readonly<{ application: string; key: string }>;

function* monitorsToDrill(policy: Policy): Generator<Drilled> {
  for (const [application, { monitors }] of policy.applications)
    for (const [key, { drillEverySeconds }] of monitors)
      if (drillEverySeconds !== undefined) yield { application, key };
}

type DueDrill = Readonly<{ record: MonitorRecord; everySeconds: number }>;

/**
 * Returns the monitor if a drill of it is due, otherwise `null`. None is due while the last drill has no result, or
 * while the monitor is missing, unreadable or paused.
 */
function dueAt(context: EngineContext, { application, key }: Drilled, now: Instant): DueDrill | null {
  const { store } = context;
  const owner = store.applications.find(application);
  const id = owner === null ? null : store.monitors.find(owner.id, key);
  const record = id === null ? null : readableMonitor(context, id);
  if (record === null || isPaused(record.monitor)) return null;
  const everySeconds = drillEveryOf(record.policy)!;
  const last = store.drills.last(record.id);
  if (last !== null && last.outcome === null) return null;
  return isDrillDue(everySeconds, record.monitor.createdAt, last?.at ?? null, now) ? { record, everySeconds } : null;
}

function drill(context: EngineContext, { record, everySeconds }: DueDrill, now: Instant): RaisedDrill {
  const { store, deliveries } = context;
  const { id, policy } = record;
  const routes = routesOf(policy, "InitialFailure", now);
  const subject = {
    ...listedMonitorOf(record),
    schedule: record.monitor.watch.schedule,
    presentation: presentationOf(policy, store.applications.byId(record.applicationId)?.name ?? null),
    everySeconds,
    destinations: [...reachOf(policy, now).names],
  };
  const message = drillMessage(subject, now, thisInstance(context));
  const alertId = store.alerts.insert(null, message);
  enqueueTests(deliveries, { alertId, routes, at: now });
  store.drills.begin(id, now, alertId);
  return { message, deliveries: routes.length };
}

type JudgedDrill = Readonly<{ row: DrillRow; verdict: "delivered" | "failed"; deliveries: readonly OutgoingRow[] }>;

/** Returns the result of a drill; `null` while some of its messages are still on their way. */
function judgedDrill({ store }: EngineContext, row: DrillRow): JudgedDrill | null {
  const deliveries = lastToEach(store.outgoing.ofAlert(row.alertId));
  const verdict = drillVerdict(deliveries);
  return verdict === null ? null : { row, verdict, deliveries };
}

function drillNotices(context: EngineContext, { row, verdict, deliveries }: JudgedDrill, now: Instant): RaisedNotice[] {
  context.store.drills.decide(row.monitorId, verdict);
  const record = verdict === "failed" ? readableMonitor(context, row.monitorId) : null;
  if (record === null) return [];
  const lost = deliveries.filter((delivery) => delivery.outcome !== "sent");
  const monitor = listedMonitorOf(record);
  const routes = otherRoutesForUnsent(context, lost, [monitor], now);
  const addresses = deliveries.map(({ destination, recipient, outcome: ended, answer }) => ({
    destination,
    recipient,
    delivered: ended === "sent",
    answer,
  }));
  return [raiseNotice(context, { kind: "drill", monitor, drilledAt: toIso(row.at), addresses }, routes, now)];
}
