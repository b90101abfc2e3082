// Answers questions about an alert's data. Alerts stored by earlier versions lack some of the fields.

import { isReportedCause } from "../monitor/incident.ts";
import { type Instant, SECOND } from "../time.ts";
import type { AlertData } from "./alert.ts";

export const isPausedThen = ({ pausedBy }: AlertData): boolean => (pausedBy ?? []).length > 0;

/** Whether a report of the job was refused after the incident opened, for any reason. Such a job is not silent. */
export const isReporting = ({ refusedReport, openedAt }: AlertData): boolean =>
  refusedReport != null && Date.parse(refusedReport.at) > Date.parse(openedAt);

/**
 * Whether rollcall refused the job's report for a fault of the request, so that the job itself may be well (R33). A
 * refusal by the rate limit does not count: the job may still be down.
 */
export const wasReportRefused = ({ refusedReport }: AlertData): boolean =>
  refusedReport != null && refusedReport.error !== "RATE_LIMIT_EXCEEDED";

/** Whether the job had never reported, missing reports were the only trouble, and a success ended the incident. */
export const isFirstReport = ({ opening, reason, causes }: AlertData): boolean =>
  opening === "NeverExecuted" && reason === "success" && causes.every((cause) => cause === "missed");

/** Whether no run was really missed: late reports filled all slots called missed, and a success came (R43). */
export const ranAfterAll = ({ reason, causes, missedSlots, lateSlots, unheardSlots }: AlertData): boolean =>
  reason === "success" &&
  causes.every((cause) => cause === "missed") &&
  (missedSlots ?? 0) + (unheardSlots ?? 0) === 0 &&
  (lateSlots ?? 0) > 0;

export const isStillUnheard = ({ opening, lastPingAt, kind }: AlertData): boolean =>
  kind === "NeverExecuted" || (kind === "ContinuedFailure" && opening === "NeverExecuted" && lastPingAt === null);

export const isReminderOf = ({ kind, reason, causes }: AlertData, only: AlertData["cause"]): boolean =>
  kind === "ContinuedFailure" && reason !== "new_cause" && causes.every((cause) => cause === only);

export const isRunning = (data: AlertData): boolean => isReminderOf(data, "missed") && data.runningSince != null;

/**
 * Whether the message tells since when the trouble is, and not how long it lasts (R23). A single failure an hour ago
 * does not mean that the job has been failing for an hour.
 */
export const tellsSince = ({ causes, troubles }: AlertData): boolean =>
  causes.length === 1 && (causes[0] === "outcome" || (causes[0] === "failed" && troubles === 1));

/** Whether a report brought the trouble: a fail or a wrong outcome. Other trouble is that a report is missing. */
export const isReported = ({ cause }: AlertData): boolean => isReportedCause(cause);

/**
 * When the fail happened that a message tells of. `at` is when the message was made. The fail is earlier when a pause
 * held the message back, or when the report came late.
 */
export const failedAtOf = ({ failedAt, reason }: AlertData, at: Instant): Instant =>
  failedAt == null || (reason !== "opened" && reason !== "new_cause") ? at : Date.parse(failedAt);

export function heardAtOf(data: AlertData, at: Instant): Instant {
  if (data.heardAt != null && failedAtOf(data, at) !== at) return Date.parse(data.heardAt);
  return isHeardLate(data) ? at : failedAtOf(data, at);
}

export const isHeardLate = ({ happenedAt }: AlertData): boolean => happenedAt != null;

/** When the incident began, as its page and the commands show it. The fail or slot that opened it may be earlier. */
export const beganAt = ({ openedAt }: AlertData): Instant => Date.parse(openedAt);

/** How long the incident has lasted when the alert is made, in milliseconds. */
export const runMilliseconds = ({ durationSeconds }: AlertData): number => (durationSeconds ?? 0) * SECOND;

/** How long before this alert the job failed or had a wrong outcome, in milliseconds. */
export const failedAgo = (data: AlertData): number =>
  runMilliseconds(data) + beganAt(data) - Date.parse(data.failedAt ?? data.openedAt);
