// An alert is a message about one incident: its data, as the channels show them and the webhook sends them (R37). They
// are stored when the monitor's state changes, so a message that is sent late still says what was true then.

import type { FoundGap, GapReason } from "../monitor/gap.ts";
import type { Cause, ClosedBy, Incident } from "../monitor/incident.ts";
import {
  type Drift,
  type Gap,
  isPaused,
  type Monitor,
  PAUSE_KINDS,
  type PauseKind,
  type Pauses,
  type Status,
  statusOf,
  type Watch,
} from "../monitor/monitor.ts";
import type { CheckedOutcome } from "../monitor/reported-outcomes.ts";
import type { Run } from "../monitor/run.ts";
import { nextExpected } from "../monitor/window.ts";
import { zoneHintAtMiss } from "../monitor/zone-hint.ts";
import { type ValuesInForce, type WatchedField, watchedOf } from "../settings/settings.ts";
import type { Flapping } from "../telling/flapping.ts";
import { type Instant, SECOND, toIso, toIsoOrNull, wholeSeconds } from "../time.ts";
import { zoneHintInWords } from "../wording/zone-words.ts";
import type { Instance, Presentation, RunsOn, Severity } from "./presentation.ts";
import type { Since } from "./since.ts";

/**
 * What an alert says of its incident, in this order: it opens; it opens for a job that has never reported; it goes on;
 * a person has acknowledged it (only pagers are told, R23); it is over.
 */
export type AlertKind = "InitialFailure" | "NeverExecuted" | "ContinuedFailure" | "Acknowledged" | "Recovered";

export const isOpening = (kind: AlertKind | null): boolean => kind === "InitialFailure" || kind === "NeverExecuted";

export const tellsOfTrouble = (kind: AlertKind | null): boolean => isOpening(kind) || kind === "ContinuedFailure";

export type Reason = "opened" | "new_cause" | "reminder" | "last_reminder" | "acknowledged" | "restored" | ClosedBy;

export interface Alert {
  readonly kind: AlertKind;
  readonly reason: Reason;
  readonly at: Instant;
  readonly cause: Cause;
  readonly incident: Incident;
  /** The run that failed, did not end, or closed the incident by its end; `null` when the alert is about no run. */
  readonly run: Run | null;
  /** In an alert about wrong outcomes: every expected outcome of the end (R27). `null` in other alerts. */
  readonly outcomes: readonly CheckedOutcome[] | null;
  /**
   * In an alert about a missing report: a gap that may have swallowed the report, but does not excuse the miss (R26).
   * `null` without such a gap.
   */
  readonly gap: Gap | null;
  /** The settings and the next four fields are as of the alert's instant; the monitor may have changed since. */
  readonly watch: Watch;
  readonly expectedAt: Instant | null;
  readonly receivedAt: Instant | null;
  readonly drift: Drift;
  readonly pauses: Pauses;
  /** How many slots of the incident had closed without a report at the instant of the alert (R23). */
  readonly missedSlots: number;
  /** How many slots of the incident are unknown, because a gap may have swallowed their report (R26). */
  readonly unheardSlots: number;
  /** When the newest run began that was open at the instant of the alert; `null` when none was. */
  readonly runningSince: Instant | null;
  /** In an alert that a late report caused: when the event of that report happened. `null` in other alerts. */
  readonly lateFrom: Instant | null;
}

/** The name of each kind of alert in the webhook's `type` (R37). */
export const MESSAGE_TYPES = {
  InitialFailure: "monitor.initial_failure",
  NeverExecuted: "monitor.never_executed",
  ContinuedFailure: "monitor.continued_failure",
  Acknowledged: "monitor.acknowledged",
  Recovered: "monitor.recovered",
} as const satisfies Record<AlertKind, string>;

/**
 * The `data` of an alert (R37), and what the texts of messages need besides. Instants are ISO 8601 strings. A field
 * that does not apply is `null`. No field is ever removed.
 */
export interface AlertData extends ValuesInForce<WatchedField> {
  readonly incidentId: string;
  readonly applicationId: string;
  readonly applicationName: string | null;
  /** True when rollcall has only one application, so that messages need not name it. */
  readonly onlyApplication: boolean;
  /** The user that must type the commands on rollcall's own host; `null` when it is not known. */
  readonly commandUser: string | null;
  /** How commands begin on rollcall's own host; `null` when they begin with `rollcall`. */
  readonly commandLine: string | null;
  readonly teamName: string | null;
  readonly monitorKey: string;
  readonly name: string;
  /** Key and name that the monitor had in the first alert of this incident; `null` when it still has both. */
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
  /** A person's note on what to do when the job fails; `null` without a note. */
  readonly note: string | null;
  /** The monitor's labels. Alerts of earlier versions lack them. */
  readonly labels?: readonly string[];
  readonly expectedAt: string | null;
  readonly openedAt: string;
  /** When the fail happened, if a pause by hand held it back (R24) or it came late (R43); otherwise `null`. */
  readonly failedAt: string | null;
  /**
   * When rollcall received the fail of `failedAt`; `null` without such a fail, or when an earlier version stored the
   * alert.
   */
  readonly heardAt: string | null;
  /** When the event happened whose report caused the alert, if that report came late (R43); otherwise `null`. */
  readonly happenedAt: string | null;
  readonly recoveredAt: string | null;
  /** How long the incident has lasted, or lasted in all once it is over; `null` at the opening. */
  readonly durationSeconds: number | null;
  /** How many slots of the incident have closed without a report; `null` at the opening. */
  readonly missedSlots: number | null;
  /** How many slots of the incident are unknown, because rollcall could not hear; `null` at the opening. */
  readonly unheardSlots: number | null;
  /** How many slots were counted as missed and then filled by late reports (R43); `null` at the opening. */
  readonly lateSlots: number | null;
  readonly troubles: number;
  /** In a recovery or reminder of a job that failed several times in a short time: how often. Otherwise `null`. */
  readonly flapping: Flapping | null;
  /**
   * How many reminders of this incident and its series were sent. This alert is counted too if it is a reminder (R23).
   */
  readonly remindersSent: number;
  readonly remindersMax: number;
  /** When the next reminder comes; `null` when none will, and under a pause (R24). */
  readonly nextReminderAt: string | null;
  readonly acknowledgedAt: string | null;
  /** The person who acknowledged the incident; `null` when no person did, or a command on the host did it. */
  readonly acknowledgedBy: string | null;
  readonly failureMessage: string | null;
  /**
   * What the failing job wrote last (R46); `null` when no output is kept. It is read when the alert is sent, so it is
   * `null` in the stored data.
   */
  readonly output: string | null;
  readonly outputAt: string | null;
  /** In an alert about wrong outcomes: each expected one and what the end reported for it (R27). Otherwise `null`. */
  readonly outcomes: readonly CheckedOutcome[] | null;
  readonly runId: string | null;
  readonly runStartedAt: string | null;
  readonly runDeadline: string | null;
  /** When rollcall received the run's late start, if that gave the run more time (R43); otherwise `null`. */
  readonly startHeardAt: string | null;
  /** In an alert about a run: how long runs of this job usually take. `null` when that is not known. */
  readonly usualSeconds: number | null;
  /** When the newest run began that was open at the instant of the alert; `null` when none was. */
  readonly runningSince: string | null;
  /**
   * The last gap in which the missing report could have been lost, although the gap does not excuse the miss (R26).
   * `null` without such a gap.
   */
  readonly gap: { readonly from: string; readonly to: string } | null;
  /** The gaps that may have swallowed the missing report, ascending, at most the newest 20. Older alerts lack them. */
  readonly gaps: readonly AlertGap[];
  readonly gapsTotal: number;
  /**
   * The slot that the next report is to fill, as of the alert's instant. Under a pause it is the first slot after the
   * pause. `null` without a schedule or an interval, when the pause has no end, and when the monitor was deleted.
   */
  readonly nextExpectedAt: string | null;
  /** The kinds of pause in force (R24); empty when the monitor is watched. */
  readonly pausedBy: readonly PauseKind[];
  /** When the manual pause ends; `null` when the pause has no end, or there is no manual pause. */
  readonly pausedUntil: string | null;
  readonly lastPingAt: string | null;
  /** In an alert about a miss: a sentence that the time zone may be wrong (R13); `null` when nothing suggests it. */
  readonly zoneHint: string | null;
  /**
   * In an alert about a missing report: the newest report that rollcall refused since the last accepted one (R33),
   * which may be the missing one. `null` without such a report.
   */
  readonly refusedReport: RefusedReport | null;
  /** The machine, user and file of the job; `null` when neither the client nor a registry has said them. */
  readonly runsOn: RunsOn | null;
  readonly links: Record<string, string>;
  /**
   * What has happened since the alert (R36); `null` when nothing has. It is read when the alert is sent, so it is
   * `null` in the stored data.
   */
  readonly since: Since | null;
  /** The address of the incident's page; `null` when rollcall has no address that every reader can reach. */
  readonly url: string | null;
  /** Where this receiver can reply to the alert, added when the message is sent; absent when it may not reply. */
  readonly answerUrl?: string;
}

export interface AlertGap {
  readonly from: string;
  readonly to: string;
  readonly reason: GapReason;
  /** How many outages the gap joins. Between two of them rollcall may have heard for a short time. */
  readonly times: number;
}

/** How many gaps an alert lists at most, the newest. Most alerts have at most one. */
const LISTED = 20;

const listedGaps = (gaps: readonly FoundGap[]): AlertGap[] =>
  gaps.slice(-LISTED).map(({ from, silentTo, reason, outages }) => ({
    from: toIso(from),
    to: toIso(silentTo),
    reason,
    times: outages,
  }));

/** An alert as a delivery stores it: the `type`, `timestamp` and `data` of R37, with `at` for the timestamp. */
export type AlertMessage = Readonly<{ type: (typeof MESSAGE_TYPES)[AlertKind]; at: Instant; data: AlertData }>;

export type MonitorNames = Pick<AlertData, "monitorKey" | "name">;

export interface Subject {
  readonly incidentId: number;
  readonly application: string;
  readonly key: string;
  readonly name: string;
  /** Key and name of the monitor in the first alert of this incident; `null` when this alert is the first. */
  readonly notifiedAs: MonitorNames | null;
  readonly presentation: Presentation;
  readonly instance: Pick<Instance, "onlyApplication" | "commandUser" | "commandLine">;
  /** Time zones that may explain why reports come at the wrong hour, the likeliest first (R13). */
  readonly zones: readonly string[];
  readonly refusedReport: RefusedReport | null;
  readonly startHeardAt: Instant | null;
  readonly usualMs: number | null;
  readonly flapping?: Flapping | null;
  readonly runsOn: RunsOn | null;
  readonly gaps: readonly FoundGap[];
  readonly url: string | null;
}

export interface RefusedReport {
  readonly at: string;
  /** What kind of report it was, such as `fail`; `null` when the request named no kind that is known. */
  readonly report: string | null;
  readonly error: string;
  readonly reason: string;
}

const isCalled = ({ key, name }: Subject, told: MonitorNames | null): boolean =>
  told !== null && told.monitorKey === key && told.name === name;

/** Makes the message of an alert. `monitor` is the monitor after the transition that raised the alert. */
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
    // If one transition opens and closes an incident, the opening still says `critical`, as the monitor was at that
    // instant.
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

/** The run_id of the alert's run, otherwise that of the last run that failed with one. A miss is about no run. */
function runIdOf({ run, cause, reason, incident }: Alert): string | null {
  if (cause === "missed" && (reason === "opened" || reason === "new_cause")) return null;
  return run?.runId ?? incident.runId;
}

/** The zone hint for a miss, also for a reminder of it. A wrong time zone explains no other trouble (R13). */
function zoneHintOf(alert: Alert, zones: readonly string[]): string | null {
  const hint = alert.cause === "missed" && alert.kind !== "Recovered" ? zoneHintAtMiss(alert, zones) : null;
  return hint === null ? null : zoneHintInWords(hint, alert.watch.timezone);
}
