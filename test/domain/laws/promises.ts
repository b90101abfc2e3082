// The law of what alerts announce: the reminder that one names comes at that time, and none comes where it names none;
// the report that it names is the oldest that is awaited. Takes a timeline and throws where the law does not hold.

import { type Alert, alertMessage } from "../../../src/domain/message/alert.ts";
import { isPaused, type Monitor } from "../../../src/domain/monitor/monitor.ts";
import { wakeAt } from "../../../src/domain/monitor/settle.ts";
import { type Signal, transition } from "../../../src/domain/monitor/transition.ts";
import { DAY, type Instant, toIsoOrNull } from "../../../src/domain/time.ts";
import { closeOf, must, slotAfter } from "../timelines/facts.ts";
import type { Moment, Timeline } from "../timelines/timeline.ts";

const PRESENTATION = {
  applicationName: null,
  teamName: null,
  owner: null,
  environment: null,
  links: {},
  note: null,
  labels: [],
};

const dataOf = (alert: Alert, monitor: Monitor) =>
  alertMessage(alert, monitor, {
    ...{
      incidentId: 1,
      application: "prod",
      key: "job",
      name: "Job",
      notifiedAs: null,
      startHeardAt: null,
      usualMs: null,
      runsOn: null,
      zones: [],
      refusedReport: null,
      gaps: [],
      url: null,
    },
    presentation: { ...PRESENTATION, severity: "error" },
    instance: { onlyApplication: true, commandUser: null, commandLine: null },
  }).data;

/** What is due at their instant is told before them, and they change what was announced. */
const CHANGES_AFTERWARDS: readonly Signal["kind"][] = ["pause", "declare", "acknowledge", "rebase"];

/** R23, R24: while nothing else happens. A pause that no time ends keeps reports and reminders from ever coming. */
export function promises({ moments }: Timeline): void {
  for (const moment of moments) {
    const { monitor, alerts } = moment.after;
    const alert = alerts.at(-1);
    if (alert === undefined || alert.at < moment.at || CHANGES_AFTERWARDS.includes(moment.signal.kind)) continue;
    if (moment.signal.kind === "resume" && !Bun.deepEquals(alert.pauses, monitor.pauses)) continue;
    if (alert.kind !== "Recovered" && alert.incident.number !== monitor.incident?.number) continue;
    const { nextReminderAt, nextExpectedAt, status, pausedBy } = dataOf(alert, monitor);
    const { manual, discovery, plan } = monitor.pauses;
    const endless = discovery || plan || (manual !== null && manual.until === null);
    if (endless) must(nextReminderAt === null && nextExpectedAt === null, "it promises what never comes", moment);
    must(isPaused(monitor) === (status === "paused") && isPaused(monitor) === pausedBy.length > 0, "pauses", moment);
    if (monitor.watch.maintenance.length > 0 || monitor.watch.schedule === null) continue;
    const until = Math.max(moment.at, manual?.until ?? moment.at);
    if (!endless && moment.signal.kind !== "delete")
      must(
        nextExpectedAt === null || Date.parse(nextExpectedAt) > until || !isPaused(monitor),
        "it expects a report in a pause",
        moment,
      );
    if (!isPaused(monitor) && isByIt(moment.signal, alert) && monitor.carried.length === 0)
      must(
        nextExpectedAt === toIsoOrNull(awaitedAt(monitor, moment.at)),
        "it passes over a slot that is awaited",
        moment,
      );
    must(
      nextReminderAt === toIsoOrNull(firstReminder(moment, alert.incident.number)),
      "another reminder comes than it says",
      moment,
    );
  }
}

/** Time alone raised it, or this report: what is due at its instant comes before a report, which then fills slots. */
const isByIt = ({ kind }: Signal, { reason, cause }: Alert): boolean =>
  kind === "wake" || (kind === "fail" && cause === "failed" && reason !== "reminder") || reason === "success";

/** The oldest slot that a report still fills. */
function awaitedAt({ watch, expectedAt }: Monitor, at: Instant): Instant | null {
  let slot = expectedAt;
  while (slot !== null && closeOf(watch, slot) <= at) slot = slotAfter(watch, slot, slot);
  return slot;
}

/** When the first reminder of that incident comes if nothing happens meanwhile; a new cause is news, no reminder. */
function firstReminder(moment: Moment, incidentNumber: number): Instant | null {
  const { after, at } = moment;
  let { monitor } = after;
  // Once a clock was pulled back, the gaps that it had shown lie ahead; nobody has been deaf there yet.
  const gaps = moment.gaps.filter(({ to }) => to <= at);
  for (let due = wakeAt(monitor, gaps); due !== null && due < at + 40 * DAY; due = wakeAt(monitor, gaps)) {
    const decision = transition(monitor, { kind: "wake" }, due, gaps);
    monitor = decision.monitor;
    const reminder = decision.alerts.find(
      ({ reason, incident }) => reason.endsWith("reminder") && incident.number === incidentNumber,
    );
    if (reminder !== undefined) return reminder.at;
  }
  return null;
}
