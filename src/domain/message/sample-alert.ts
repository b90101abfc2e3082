// An alert to look at, as the core raises it of a job that fails, or that works again.

import { newMonitor } from "../monitor/monitor.ts";
import { CHECKS_PASSED } from "../monitor/outcomes.ts";
import { transitions } from "../monitor/transition.ts";
import { type MonitorPolicy, presentationOf, watchOf } from "../settings/policy.ts";
import { type Instant, SECOND } from "../time.ts";
import { type AlertMessage, alertMessage } from "./alert.ts";
import type { Instance } from "./presentation.ts";

const RUN = { runId: null, attempt: null };
const SUCCESS = { kind: "heartbeat", checks: CHECKS_PASSED, ...RUN } as const;
const FAILURE = { kind: "fail", message: "disk full", ...RUN } as const;
/** So short that no slot can be missed meanwhile, whatever the time is. */
const LASTED = 20 * SECOND;

export function sampleAlert(policy: MonitorPolicy, isOver: boolean, at: Instant, instance: Instance): AlertMessage {
  // Its first failure is told, whatever is tolerated (R41) and whatever maintenance goes on now.
  const watch = { ...watchOf(policy), schedule: "0 2 * * *", alertAfterFailures: 1, maintenance: [] };
  const failedAt = isOver ? at - LASTED : at;
  const failed = transitions(newMonitor(watch, failedAt), [SUCCESS, FAILURE], failedAt, []);
  const { alerts, monitor } = isOver ? transitions(failed.monitor, [SUCCESS], at, []) : failed;
  return alertMessage(alerts.at(-1)!, monitor, {
    ...{ incidentId: 12, application: "prod", key: policy.key, name: "Nightly backup", url: null },
    ...{ notifiedAs: null, zones: [], refusedReport: null, startHeardAt: null, gaps: [] },
    ...{ usualMs: null, runsOn: null },
    presentation: presentationOf(policy),
    instance,
  });
}
