// Makes a sample alert, which shows people how messages look. It goes through the decision that raises real alerts.

import { newMonitor } from "../monitor/monitor.ts";
import { CHECKS_PASSED } from "../monitor/reported-outcomes.ts";
import { transitions } from "../monitor/transition.ts";
import { type MonitorPolicy, presentationOf, watchOf } from "../settings/policy.ts";
import { type Instant, SECOND } from "../time.ts";
import { type AlertMessage, alertMessage } from "./alert.ts";
import type { Instance } from "./presentation.ts";

const RUN = { runId: null, attempt: null };
const SUCCESS = { kind: "heartbeat", checks: CHECKS_PASSED, ...RUN } as const;
const FAILURE = { kind: "fail", message: "disk full", ...RUN } as const;
/** How long the sample's incident lasts, in milliseconds. It is so short that no slot is missed meanwhile. */
const LASTED = 20 * SECOND;

export function sampleAlert(policy: MonitorPolicy, isOver: boolean, at: Instant, instance: Instance): AlertMessage {
  // The sample must be told at its first failure, even if the settings tolerate some (R41), and during maintenance.
  const watch = { ...watchOf(policy), schedule: "0 2 * * *", alertAfterFailures: 1, maintenance: [] };
  const failedAt = isOver ? at - LASTED : at;
  const failed = transitions(newMonitor(watch, failedAt), [SUCCESS, FAILURE], failedAt, []);
  const { alerts, monitor } = isOver ? transitions(failed.monitor, [SUCCESS], at, []) : failed;
  return alertMessage(alerts.at(-1)!, monitor, {
    incidentId: 12,
    application: "prod",
    key: policy.key,
    name: "Nightly backup",
    url: null,
    notifiedAs: null,
    zones: [],
    refusedReport: null,
    startHeardAt: null,
    gaps: [],
    usualMs: null,
    runsOn: null,
    presentation: presentationOf(policy),
    instance,
  });
}
