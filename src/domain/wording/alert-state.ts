// Questions about an alert's data that several parts of its words ask. Alerts of earlier versions lack some fields.

import type { AlertData } from "../message/alert.ts";
import { isReportedCause } from "../monitor/incident.ts";
import { cleanLine } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { NAME_SHOWN_LENGTH } from "./job-names.ts";
import type { Times } from "./message-times.ts";

export const isPausedThen = ({ pausedBy }: AlertData): boolean => (pausedBy ?? []).length > 0;

/**
 * Whether a report was refused since the incident opened, even by the rate limit. A job that sends reports is not
 * silent.
 */
export const isReporting = ({ refusedReport, openedAt }: AlertData): boolean =>
  refusedReport != null && Date.parse(refusedReport.at) > Date.parse(openedAt);

/**
 * Whether rollcall refused the job's report, so that the job may be well (R33). After a rate limit the job may still be
 * down.
 */
export const isRefusal = ({ refusedReport }: AlertData): boolean =>
  refusedReport != null && refusedReport.error !== "RATE_LIMIT_EXCEEDED";

/** Whether the job had never reported before its incident, and silence was its only trouble. */
export const isFirstReport = ({ opening, reason, causes }: AlertData): boolean =>
  opening === "NeverExecuted" && reason === "success" && causes.every((cause) => cause === "missed");

/** Whether the only trouble was that reports came late (R43). */
export const ranAfterAll = ({ reason, causes, missedSlots, lateSlots, unheardSlots }: AlertData): boolean =>
  reason === "success" &&
  causes.every((cause) => cause === "missed") &&
  (missedSlots ?? 0) + (unheardSlots ?? 0) === 0 &&
  (lateSlots ?? 0) > 0;

export const isStillUnheard = ({ opening, lastPingAt, kind }: AlertData): boolean =>
  kind === "NeverExecuted" || (kind === "ContinuedFailure" && opening === "NeverExecuted" && lastPingAt === null);

/** Whether the alert is a reminder of an incident with this cause only. */
export const isReminderOf = ({ kind, reason, causes }: AlertData, only: AlertData["cause"]): boolean =>
  kind === "ContinuedFailure" && reason !== "new_cause" && causes.every((cause) => cause === only);

export const isRunning = (data: AlertData): boolean => isReminderOf(data, "missed") && data.runningSince != null;

/** Whether the alert says "since" instead of a length: one failure an hour ago is not an hour of failing (R23). */
export const tellsSince = ({ causes, troubles }: AlertData): boolean =>
  causes.length === 1 && (causes[0] === "outcome" || (causes[0] === "failed" && troubles === 1));

/** Whether the alert is about a fail or a wrong outcome, which a report brought. */
export const isReported = ({ cause }: AlertData): boolean => isReportedCause(cause);

/** How a message calls the run, such as `Run r3`; `null` without an id. */
export function runOf({ runId }: AlertData): string | null {
  const id = cleanLine(runId ?? "", NAME_SHOWN_LENGTH);
  return id === "" ? null : `Run ${id}`;
}

/** When the fail happened that a message tells at `at`. A pause may have held it back until then. */
export const failedAtOf = ({ failedAt, reason }: AlertData, at: Instant): Instant =>
  failedAt == null || (reason !== "opened" && reason !== "new_cause") ? at : Date.parse(failedAt);

export function heardAtOf(data: AlertData, at: Instant): Instant {
  if (data.heardAt != null && failedAtOf(data, at) !== at) return Date.parse(data.heardAt);
  return isHeardLate(data) ? at : failedAtOf(data, at);
}

/** The end of a sentence about a fail, `; rollcall heard of it at 11:40`; empty if its report came in time. */
export function heardLater(data: AlertData, at: Instant, times: Times): string {
  const heardAt = heardAtOf(data, at);
  return heardAt === failedAtOf(data, at) ? "" : `; rollcall heard of it at ${times.say(heardAt, data.timezone)}`;
}

export const isHeardLate = ({ happenedAt }: AlertData): boolean => happenedAt != null;

/** When the incident began, as its page and the commands say it too. The message also tells what happened before. */
export const beganAt = ({ openedAt }: AlertData): Instant => Date.parse(openedAt);

/** The length of the incident so far or in all, in milliseconds. */
export const lasted = ({ durationSeconds }: AlertData): number => (durationSeconds ?? 0) * SECOND;

/** How long before a reminder at `at` the job failed or had a wrong result. */
export const failedAgo = (data: AlertData): number =>
  lasted(data) + beganAt(data) - Date.parse(data.failedAt ?? data.openedAt);
