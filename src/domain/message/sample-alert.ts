// An alert to look at, as the core raises it of a job that fails, or that works again.

import { newMonitor } from "../monitor/monitor.ts";
import { CHECKS_PASSED } from "../monitor/outcomes.ts";
import { type Signal, transitions } from "../monitor/transition.ts";
import { DEFAULTS } from "../settings/settings.ts";
import { DAY, HOUR, type Instant, SECOND } from "../time.ts";
import { type Alert, type AlertMessage, alertMessage } from "./alert.ts";
import type { Instance } from "./presentation.ts";

const RUN = { runId: null, attempt: null };

export function sampleAlert(isOver: boolean, at: Instant, instance: Instance): AlertMessage {
  const reminders = { after: [HOUR], every: DAY, max: 30 };
  const watch = { ...DEFAULTS, schedule: "0 2 * * *", timezone: instance.timezone, reminders };
  const reports: Signal[] = [
    { kind: "heartbeat", checks: CHECKS_PASSED, ...RUN },
    { kind: "fail", message: "disk full", ...RUN },
    ...(isOver ? [{ kind: "heartbeat", checks: CHECKS_PASSED, ...RUN } as const] : []),
  ];
  // Within the grace, so that no slot can be missed meanwhile, whatever the time is.
  const times = reports.map((_, place) => at - (reports.length - 1 - place) * 20 * SECOND);
  let monitor = newMonitor(watch, times[0]!);
  let alert: Alert | undefined;
  for (const [place, report] of reports.entries()) {
    const { alerts, ...next } = transitions(monitor, [report], times[place]!, []);
    monitor = next.monitor;
    alert = alerts.at(-1) ?? alert;
  }
  return alertMessage(alert!, monitor, {
    incidentId: 12,
    application: "prod",
    key: "nightly-backup",
    name: "Nightly backup",
    notifiedAs: null,
    presentation: {
      applicationName: null,
      teamName: instance.teamName,
      owner: "ops",
      severity: "error",
      environment: null,
      links: { runbook: "https://wiki.example.org/backup" },
    },
    instance,
    zones: [],
    refusedReport: null,
    startHeardAt: null,
    gaps: [],
    url: null,
  });
}
