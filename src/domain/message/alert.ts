// An alert: one fact worth telling, as the flat record that channels render and the generic webhook sends (R37). The
// transaction that changes the state creates the record once, so a late message still says what was true then.

import type { FoundGap, GapReason } from "../monitor/gap.ts";
import type { Cause, ClosedBy, Incident } from "../monitor/incident.ts";
import type { Drift, Gap, Monitor, PauseKind, Pauses, Status, Watch } from "../monitor/monitor.ts";
import { isPaused, PAUSE_KINDS, statusOf } from "../monitor/monitor.ts";
import type { CheckedOutcome } from "../monitor/reported-outcomes.ts";
import type { Run } from "../monitor/run.ts";
import { nextExpected } from "../monitor/window.ts";
import { zoneHintAtMiss, zoneHintInWords } from "../monitor/zone-hint.ts";
import type { Flapping } from "../settings/flapping.ts";
import { type ValuesInForce, type WatchedField, watchedOf } from "../settings/settings.ts";
import { type Instant, SECOND, toIso, toIsoOrNull, wholeSeconds } from "../time.ts";
import type { Instance, Presentation, RunsOn, Severity } from "./presentation.ts";
import type { Since } from "./since.ts";

/** `Acknowledged` means that a person looks after the incident; only pagers are told (R23). */
export type AlertKind = "InitialFailure" | "NeverExecuted" | "ContinuedFailure" | "Acknowledged" | "Recovered";

/** Whether this kind of alert opens an incident. */
export const isOpening = (kind: AlertKind | null): boolean => kind === "InitialFailure" || kind === "NeverExecuted";

/** Whether this kind of alert tells of trouble: it opens an incident or says that one goes on. */
export const isTrouble = (kind: AlertKind | null): boolean => isOpening(kind) || kind === "ContinuedFailure";

export type Reason = "opened" | "new_cause" | "reminder" | "last_reminder" | "acknowledged" | "restored" | ClosedBy;

export interface Alert {
  readonly kind: AlertKind;
  readonly reason: Reason;
  readonly at: Instant;
  readonly cause: Cause;
  readonly incident: Incident;
  /** The run that failed or did not end, or whose end closed the incident. */
  readonly run: Run | null;
  /** Every outcome expected of the end that this alert is about (R27); `null` when it is about something else. */
  readonly outcomes: readonly CheckedOutcome[] | null;
  /** For a miss or a run without an end, a gap that touches it without excusing it (R26). */
  readonly gap: Gap | null;
  /** The values in force and the last report when the alert became true. A late report may have changed both since. */
  readonly watch: Watch;
  readonly expectedAt: Instant | null;
  readonly receivedAt: Instant | null;
  readonly drift: Drift;
  /** What paused the monitor when the alert became true (R24). */
  readonly pauses: Pauses;
  /** How many slots of the incident had closed unfilled when the alert became true (R23). */
  readonly missedSlots: number;
  /** How many slots of the incident fell into a gap (R26). */
  readonly unheardSlots: number;
  /** When the newest open run began; `null` when no run was open. */
  readonly runningSince: Instant | null;
  /**
   * When the event happened that a late report tells, such as the end of a run; `null` when no late report caused the
   * alert.
   */
  readonly lateFrom: Instant | null;
}

/** The `type` of each alert in the webhook (R37). */
export const MESSAGE_TYPES = {
  InitialFailure: "monitor.initial_failure",
  NeverExecuted: "monitor.never_executed",
  ContinuedFailure: "monitor.continued_failure",
  Acknowledged: "monitor.acknowledged",
  Recovered: "monitor.recovered",
} as const satisfies Record<AlertKind, string>;

/**
 * The `data` of an alert (R37), and what its words need in addition. Instants are ISO 8601 strings, and a field that
 * does not apply is `null`. Fields are only ever added.
 */
export interface AlertData extends ValuesInForce<WatchedField> {
  readonly incidentId: string;
  readonly applicationId: string;
  readonly applicationName: string | null;
  /** True when it is the only application, so that its name need not be shown. */
  readonly onlyApplication: boolean;
  /** The user as whom commands must be typed on the computer that sent this; `null` when it is not known. */
  readonly commandUser: string | null;
  /** How commands begin on that computer; `null` when they begin with `rollcall`. */
  readonly commandLine: string | null;
  readonly teamName: string | null;
  readonly monitorKey: string;
  readonly name: string;
  /**
   * The names under which the incident was told first, if the monitor was renamed since; `null` when they are the same.
   */
  readonly formerly: MonitorNames | null;
  readonly kind: AlertKind;
  readonly cause: Cause;
  readonly causes: readonly Cause[];
  readonly reason: Reason;
  readonly opening: Incident["opening"];
  readonly status: Status;
  readonly severity: Severity;
  readonly environment: string | null;
  readonly owner: string | null;
  /** What to do when the job fails; `null` when no note is set. */
  readonly note: string | null;
  /** The labels in their order. Alerts of earlier versions lack them. */
  readonly labels?: readonly string[];
  readonly expectedAt: string | null;
  readonly openedAt: string;
  /** When the fail happened that a manual pause held back (R24) or that came late (R43); `null` without such a fail. */
  readonly failedAt: string | null;
  /** When rollcall heard of that fail, which is later if it came late; `null` without such a fail. */
  readonly heardAt: string | null;
  /** When the event of the report behind the alert happened, if the report came late (R43); `null` when it did not. */
  readonly happenedAt: string | null;
  readonly recoveredAt: string | null;
  /** How long the incident lasted (recovery) or has lasted so far (reminder); `null` at the opening. */
  readonly durationSeconds: number | null;
  /** How many slots closed unfilled, so far or in all; `null` at the opening. */
  readonly missedSlots: number | null;
  /** How many more slots fell into a time in which rollcall could not hear; `null` at the opening. */
  readonly unheardSlots: number | null;
  /** How many more slots were filled by reports that came late (R43); `null` at the opening. */
  readonly lateSlots: number | null;
  readonly troubles: number;
  /**
   * In a recovery or a reminder, how often the job got into trouble within a short time; `null` when it was only once.
   */
  readonly flapping: Flapping | null;
  /** How many reminders were sent, this one included, and how many can be sent (R23). */
  readonly remindersSent: number;
  readonly remindersMax: number;
  /** `null` when no reminder will come, or when its time is unknown because the pause has no end (R24). */
  readonly nextReminderAt: string | null;
  readonly acknowledgedAt: string | null;
  /** The person who acknowledged the incident; `null` when it is not acknowledged, or was acknowledged by a command. */
  readonly acknowledgedBy: string | null;
  readonly failureMessage: string | null;
  /**
   * The job's last output (R46). It is `null` when no output is kept, and always `null` in stored data, because the
   * output is read when the alert is sent.
   */
  readonly output: string | null;
  readonly outputAt: string | null;
  /** In an alert about a wrong result, what the end reported for each expected outcome (R27). */
  readonly outcomes: readonly CheckedOutcome[] | null;
  readonly runId: string | null;
  readonly runStartedAt: string | null;
  readonly runDeadline: string | null;
  /** When the late start of a run was heard, if the run got extra time for its end (R43); otherwise `null`. */
  readonly startHeardAt: string | null;
  /** In an alert about a run, how long its runs usually take; `null` when that is not known. */
  readonly usualSeconds: number | null;
  /** When the newest run began that was open at that time; `null` when no run was open. */
  readonly runningSince: string | null;
  /** The last gap that touched the span, although no report was likely in it (R26); `null` when there was none. */
  readonly gap: { readonly from: string; readonly to: string } | null;
  /** The newest of all such gaps, in ascending order. Alerts of earlier versions lack them. */
  readonly gaps: readonly AlertGap[];
  readonly gapsTotal: number;
  /**
   * The oldest slot that was not filled when this became true; under a pause, the first one after the pause. `null`
   * without a schedule or when the pause has no end.
   */
  readonly nextExpectedAt: string | null;
  /** What pauses the monitor; empty when it is watched (R24). */
  readonly pausedBy: readonly PauseKind[];
  /** When the manual pause ends; `null` without a manual pause, or when it has no end. */
  readonly pausedUntil: string | null;
  readonly lastPingAt: string | null;
  /** One sentence about a miss, when the reports before it were all displaced by the same time (R13). */
  readonly zoneHint: string | null;
  /** For a miss or a run without its end, the newest refused report since the last one that counted (R33). */
  readonly refusedReport: RefusedReport | null;
  /** Where the job runs; `null` when no registry has said it. */
  readonly runsOn: RunsOn | null;
  readonly links: Record<string, string>;
  /**
   * What happened between the alert and its sending (R36); `null` when nothing did, and always `null` in stored data.
   */
  readonly since: Since | null;
  /** The page about this incident; `null` when rollcall's address is not known. */
  readonly url: string | null;
  /**
   * The address for answers, added when the message is sent; absent when answers from its receiver are not accepted.
   */
  readonly answerUrl?: string;
}

export interface AlertGap {
  readonly from: string;
  readonly to: string;
  readonly reason: GapReason;
  /** How many outages the gap joins. Each may have ended before the next began. */
  readonly times: number;
}

/** How many gaps are listed, the newest. Most alerts have one, if any. */
const LISTED = 20;

const listedGaps = (gaps: readonly FoundGap[]): AlertGap[] =>
  gaps.slice(-LISTED).map(({ from, silentTo, reason, outages }) => ({
    from: toIso(from),
    to: toIso(silentTo),
    reason,
    times: outages,
  }));

/** What a delivery carries: the `{type, timestamp, data}` of R37, with the instant still a number. */
export type AlertMessage = Readonly<{ type: (typeof MESSAGE_TYPES)[AlertKind]; at: Instant; data: AlertData }>;

export type MonitorNames = Pick<AlertData, "monitorKey" | "name">;

export interface Subject {
  readonly incidentId: number;
  readonly application: string;
  readonly key: string;
  readonly name: string;
  /** The names under which the incident was told first; `null` when this alert is the first. */
  readonly notifiedAs: MonitorNames | null;
  readonly presentation: Presentation;
  readonly instance: Pick<Instance, "onlyApplication" | "commandUser" | "commandLine">;
  /** The time zones in which the job may really run, the likeliest first (R13). */
  readonly zones: readonly string[];
  readonly refusedReport: RefusedReport | null;
  /** When the late start of a run was heard, if the run got extra time for its end (R43). */
  readonly startHeardAt: Instant | null;
  readonly usualMs: number | null;
  readonly flapping?: Flapping | null;
  readonly runsOn: RunsOn | null;
  /** The gaps in which the missing report might have been lost, in ascending order (R26). */
  readonly gaps: readonly FoundGap[];
  readonly url: string | null;
}

export interface RefusedReport {
  readonly at: string;
  /** The kind of report; `null` when the request named no known kind. */
  readonly report: string | null;
  readonly error: string;
  readonly reason: string;
}

const isCalled = ({ key, name }: Subject, told: MonitorNames | null): boolean =>
  told !== null && told.monitorKey === key && told.name === name;

/** The message of an alert. `monitor` is as it stands after the transition that raised the alert. */
export function alertMessage(alert: Alert, monitor: Monitor, subject: Subject): AlertMessage {
  const { incident, at, watch, pauses } = alert;
  const opening = alert.reason === "opened";
  const last = subject.gaps.at(-1) ?? alert.gap;
  const data: AlertData = {
    incidentId: String(subject.incidentId),
    applicationId: subject.application,
    monitorKey: subject.key,
    name: subject.name,
    formerly: isCalled(subject, subject.notifiedAs) ? null : subject.notifiedAs,
    onlyApplication: subject.instance.onlyApplication,
    commandUser: subject.instance.commandUser,
    commandLine: subject.instance.commandLine,
    kind: alert.kind,
    cause: alert.cause,
    causes: incident.causes,
    reason: alert.reason,
    opening: incident.opening,
    // An opening that is sent together with its recovery says `critical`, as it was when the opening became true.
    status: isPaused(alert) ? "paused" : incident.closedAt === null ? "critical" : statusOf(monitor, at),
    ...subject.presentation,
    ...watchedOf(watch),
    expectedAt: toIsoOrNull(incident.expectedAt),
    openedAt: toIso(incident.openedAt),
    failedAt: toIsoOrNull(incident.failedAt),
    heardAt: toIsoOrNull(incident.heardAt),
    happenedAt: toIsoOrNull(alert.lateFrom),
    recoveredAt: toIsoOrNull(incident.closedAt),
    durationSeconds: opening ? null : wholeSeconds(incident.openedAt, at),
    missedSlots: opening ? null : alert.missedSlots,
    unheardSlots: opening ? null : alert.unheardSlots,
    lateSlots: opening ? null : incident.lateSlots,
    troubles: incident.troubles,
    flapping: subject.flapping ?? null,
    remindersSent: incident.remindersSent,
    remindersMax: watch.reminders.max,
    // No reminder comes under any pause. A manual pause is the only kind that time ends.
    nextReminderAt: toIsoOrNull(isPaused(alert) ? null : incident.remindAt),
    acknowledgedAt: toIsoOrNull(incident.acknowledgedAt),
    acknowledgedBy: incident.acknowledgedBy,
    failureMessage: incident.message,
    output: null,
    outputAt: null,
    outcomes: alert.outcomes,
    runId: runIdOf(alert),
    runStartedAt: toIsoOrNull(runStartOf(alert)),
    runDeadline: toIsoOrNull(alert.run?.deadline ?? null),
    startHeardAt: toIsoOrNull(subject.startHeardAt),
    usualSeconds: subject.usualMs === null ? null : subject.usualMs / SECOND,
    runningSince: toIsoOrNull(alert.runningSince),
    gap: last === null ? null : { from: toIso(last.from), to: toIso(last.to) },
    gaps: listedGaps(subject.gaps),
    gapsTotal: subject.gaps.length,
    nextExpectedAt: toIsoOrNull(alert.reason === "deleted" ? null : nextExpected(alert, at)),
    pausedBy: PAUSE_KINDS.filter((kind) => pauses[kind]),
    pausedUntil: toIsoOrNull(pauses.manual?.until ?? null),
    lastPingAt: toIsoOrNull(alert.receivedAt),
    zoneHint: zoneHintOf(alert, subject.zones),
    refusedReport: subject.refusedReport,
    runsOn: subject.runsOn,
    since: null,
    url: subject.url,
  };
  return { type: MESSAGE_TYPES[alert.kind], at, data };
}

function runStartOf({ run, reason, incident }: Alert): Instant | null {
  const isReminder = reason === "reminder" || reason === "last_reminder";
  return isReminder ? incident.failedRunBeganAt : (run?.startedAt ?? null);
}

/** The id of the alert's run, otherwise of the last run that had one. A miss is about no run. */
function runIdOf({ run, cause, reason, incident }: Alert): string | null {
  if (cause === "missed" && (reason === "opened" || reason === "new_cause")) return null;
  return run?.runId ?? incident.runId;
}

/** A wrong zone may explain a miss, even the first one, but no other trouble. A recovery needs no explanation (R13). */
function zoneHintOf(alert: Alert, zones: readonly string[]): string | null {
  const hint = alert.cause === "missed" && alert.kind !== "Recovered" ? zoneHintAtMiss(alert, zones) : null;
  return hint === null ? null : zoneHintInWords(hint, alert.watch.timezone);
}
