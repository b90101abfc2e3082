// An alert: one fact worth reporting, as the flat record that channels render and the generic webhook sends (R37). The
// transaction that changes the state makes the record once, so a late message still says what was true then.

import type { FoundGap, GapReason } from "../monitor/gap.ts";
import type { Cause, ClosedBy, Incident } from "../monitor/incident.ts";
import type { Drift, Gap, Monitor, PauseKind, Pauses, Status, Watch } from "../monitor/monitor.ts";
import { isPaused, PAUSE_KINDS, statusOf } from "../monitor/monitor.ts";
import type { CheckedOutcome } from "../monitor/outcomes.ts";
import type { Run } from "../monitor/run.ts";
import { nextExpected } from "../monitor/window.ts";
import { zoneHintAtMiss, zoneHintInWords } from "../monitor/zone-hint.ts";
import type { Flapping } from "../settings/flapping.ts";
import { type ValuesInForce, type WatchedField, watchedOf } from "../settings/settings.ts";
import { type Instant, SECOND, toIso, toIsoOrNull, wholeSeconds } from "../time.ts";
import type { Instance, Presentation, RunsOn, Severity } from "./presentation.ts";
import type { Since } from "./since.ts";

/** `Acknowledged`: a person looks after the incident, and we tell its pagers (R23). */
export type AlertKind = "InitialFailure" | "NeverExecuted" | "ContinuedFailure" | "Acknowledged" | "Recovered";

/** The kinds of alert that open an incident. */
export const isOpening = (kind: AlertKind | null): boolean => kind === "InitialFailure" || kind === "NeverExecuted";

/** The kinds of alert that tell of trouble: those that open an incident, and those that say that it goes on. */
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
  /** Every outcome expected of the end that this alert is about (R27); null if it is about something else. */
  readonly outcomes: readonly CheckedOutcome[] | null;
  /** For a miss or a run without an end: a time in which we could not hear touches it but does not excuse it (R26). */
  readonly gap: Gap | null;
  /** The values in force and the last report when it became true: a late report may have changed both since. */
  readonly watch: Watch;
  readonly expectedAt: Instant | null;
  readonly receivedAt: Instant | null;
  readonly drift: Drift;
  /** What paused the monitor then (R24). */
  readonly pauses: Pauses;
  /** How many slots of the incident had closed unfilled by then (R23). */
  readonly missedSlots: number;
  /** How many slots of the incident fell into a gap of ours (R26). */
  readonly unheardSlots: number;
  /** When the newest run under way began; null: no run was under way. */
  readonly runningSince: Instant | null;
  /** When the report behind it happened, if it was late; null: no late report is behind it. */
  readonly lateFrom: Instant | null;
}

/** The webhook's `type` (R37). */
export const MESSAGE_TYPES = {
  InitialFailure: "monitor.initial_failure",
  NeverExecuted: "monitor.never_executed",
  ContinuedFailure: "monitor.continued_failure",
  Acknowledged: "monitor.acknowledged",
  Recovered: "monitor.recovered",
} as const satisfies Record<AlertKind, string>;

/** R37's `data`, plus what words need. Instants are ISO 8601 strings; what does not apply is null. Additive only. */
export interface AlertData extends ValuesInForce<WatchedField> {
  readonly incidentId: string;
  readonly applicationId: string;
  readonly applicationName: string | null;
  /** It is the only application, so its name says nothing. */
  readonly onlyApplication: boolean;
  /** The user to type commands as, on the computer that sent this; null: not known. */
  readonly commandUser: string | null;
  /** How commands begin there; null: by the name `rollcall`. */
  readonly commandLine: string | null;
  readonly teamName: string | null;
  readonly monitorKey: string;
  readonly name: string;
  /** As what the incident was told first, if the monitor was renamed since; null: as now. */
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
  /** What to do when it fails; null: nothing is said. */
  readonly note: string | null;
  /** In their order. Earlier versions lack it. */
  readonly labels?: readonly string[];
  readonly expectedAt: string | null;
  readonly openedAt: string;
  /** When the fail happened that a pause by hand held back (R24) or that came late (R43); null: there was none. */
  readonly failedAt: string | null;
  /** When rollcall heard of that fail, later if it came late; null: there was none. */
  readonly heardAt: string | null;
  /** When the report behind the alert happened, if it came late (R43); null: it did not. */
  readonly happenedAt: string | null;
  readonly recoveredAt: string | null;
  /** How long the incident lasted (recovery) or has lasted so far (reminder); null at the opening. */
  readonly durationSeconds: number | null;
  /** How many slots closed unfilled, so far or in all; null at the opening. */
  readonly missedSlots: number | null;
  /** How many more fell into a time in which rollcall could not hear; null at the opening. */
  readonly unheardSlots: number | null;
  /** How many more ran and were heard late (R43); null at the opening. */
  readonly lateSlots: number | null;
  readonly troubles: number;
  /** Of a recovery or a reminder: how often it was in trouble in short time; null: once. */
  readonly flapping: Flapping | null;
  /** How many reminders it has had, this alert included, and how many it can have (R23). */
  readonly remindersSent: number;
  readonly remindersMax: number;
  /** Null: no reminder will come, or its time is unknown because the pause has no end time (R24). */
  readonly nextReminderAt: string | null;
  readonly acknowledgedAt: string | null;
  /** The person who did so; null: it is not acknowledged, or was by command. */
  readonly acknowledgedBy: string | null;
  readonly failureMessage: string | null;
  /** What the job wrote last (R46); null: nothing is kept, and in stored data: it is read when the alert is sent. */
  readonly output: string | null;
  readonly outputAt: string | null;
  /** What the end reported for each expected outcome, in an alert about a wrong result (R27). */
  readonly outcomes: readonly CheckedOutcome[] | null;
  readonly runId: string | null;
  readonly runStartedAt: string | null;
  readonly runDeadline: string | null;
  /** When we heard the start of a run whose end had time from then on (R43); else null. */
  readonly startHeardAt: string | null;
  /** How long its runs usually take, in an alert about a run; null: not known. */
  readonly usualSeconds: number | null;
  /** When the newest run under way then began; null: no run was under way. */
  readonly runningSince: string | null;
  /** The last time when we could not hear, though no report was likely then (R26); null: we always could. */
  readonly gap: { readonly from: string; readonly to: string } | null;
  /** The newest of all such times, ascending. Alerts of earlier versions lack it. */
  readonly gaps: readonly AlertGap[];
  readonly gapsTotal: number;
  /**
   * The oldest slot that a report filled when this became true, or under a pause the next after it; null: no schedule,
   * or the pause has no end time.
   */
  readonly nextExpectedAt: string | null;
  /** What pauses it; empty: it is watched (R24). */
  readonly pausedBy: readonly PauseKind[];
  /** When the pause by hand ends; null: not paused by hand, or without an end. */
  readonly pausedUntil: string | null;
  readonly lastPingAt: string | null;
  /** One sentence about a miss: the reports before it were all off by the same time (R13). */
  readonly zoneHint: string | null;
  /** For a miss or a run without its end: the newest refused report since the last one that counted (R33). */
  readonly refusedReport: RefusedReport | null;
  /** Null: no registry has said it. */
  readonly runsOn: RunsOn | null;
  readonly links: Record<string, string>;
  /** What happened between this and its sending (R36); null: nothing, and always null in stored data. */
  readonly since: Since | null;
  /** Our page about this incident; null: its address is not known. */
  readonly url: string | null;
  /** Where its readers answer, added as it is sent; left out: answers from there are not taken. */
  readonly answerUrl?: string;
}

export interface AlertGap {
  readonly from: string;
  readonly to: string;
  readonly reason: GapReason;
  /** How many outages; each may have ended before the next began. */
  readonly times: number;
}

/** The newest; most alerts have one, if any. */
const LISTED = 20;

const listedGaps = (gaps: readonly FoundGap[]): AlertGap[] =>
  gaps.slice(-LISTED).map(({ from, silentTo, reason, outages }) => ({
    from: toIso(from),
    to: toIso(silentTo),
    reason,
    times: outages,
  }));

/** What a delivery carries: R37's `{type, timestamp, data}`, with the instant still a number. */
export type AlertMessage = Readonly<{ type: (typeof MESSAGE_TYPES)[AlertKind]; at: Instant; data: AlertData }>;

export type MonitorNames = Pick<AlertData, "monitorKey" | "name">;

export interface Subject {
  readonly incidentId: number;
  readonly application: string;
  readonly key: string;
  readonly name: string;
  /** As what the incident was told first; null: this is what is told first. */
  readonly notifiedAs: MonitorNames | null;
  readonly presentation: Presentation;
  readonly instance: Pick<Instance, "onlyApplication" | "commandUser" | "commandLine">;
  /** The zones where the job may really run, the likeliest first (R13). */
  readonly zones: readonly string[];
  readonly refusedReport: RefusedReport | null;
  /** When the start of a run was heard, if the run had time from then on (R43). */
  readonly startHeardAt: Instant | null;
  readonly usualMs: number | null;
  readonly flapping?: Flapping | null;
  readonly runsOn: RunsOn | null;
  /** When we could not hear, while the report might have come, ascending (R26). */
  readonly gaps: readonly FoundGap[];
  readonly url: string | null;
}

export interface RefusedReport {
  readonly at: string;
  /** The kind of report; null: the request named nothing known. */
  readonly report: string | null;
  readonly error: string;
  readonly reason: string;
}

const isCalled = ({ key, name }: Subject, told: MonitorNames | null): boolean =>
  told !== null && told.monitorKey === key && told.name === name;

/** The message of an alert. `monitor`: as it stands after the transition that raised the alert. */
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
    // An opening that is sent together with its recovery was still critical when it became true.
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
    // No reminder comes under any pause; a pause by hand is the only one that time ends.
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

/** The id of the alert's run, else of the last run that had one. A miss is about no run. */
function runIdOf({ run, cause, reason, incident }: Alert): string | null {
  if (cause === "missed" && (reason === "opened" || reason === "new_cause")) return null;
  return run?.runId ?? incident.runId;
}

/** R13: the offset may cause a miss, also the first, but no other trouble. A recovery needs no explanation. */
function zoneHintOf(alert: Alert, zones: readonly string[]): string | null {
  const hint = alert.cause === "missed" && alert.kind !== "Recovered" ? zoneHintAtMiss(alert, zones) : null;
  return hint === null ? null : zoneHintInWords(hint, alert.watch.timezone);
}
