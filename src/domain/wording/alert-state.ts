// What several parts of an alert's words ask of its data. Alerts of earlier versions lack some fields.

import type { AlertData } from "../message/alert.ts";
import { isReportedCause } from "../monitor/incident.ts";
import { cleanLine } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { NAME_SHOWN_LENGTH } from "./job-names.ts";
import type { Times } from "./message-times.ts";

export const isPausedThen = ({ pausedBy }: AlertData): boolean => (pausedBy ?? []).length > 0;

/** What it has sent since was refused, also by the rate limit: a job that reports is not missing. */
export const isReporting = ({ refusedReport, openedAt }: AlertData): boolean =>
  refusedReport != null && Date.parse(refusedReport.at) > Date.parse(openedAt);

/** R33: the job may be well; we refused what it sent. A rate limit says nothing against it: the job may be down. */
export const isRefusal = ({ refusedReport }: AlertData): boolean =>
  refusedReport != null && refusedReport.error !== "RATE_LIMIT_EXCEEDED";

/** The job had never reported before its incident, and silence was its only trouble. */
export const isFirstReport = ({ opening, reason, causes }: AlertData): boolean =>
  opening === "NeverExecuted" && reason === "success" && causes.every((cause) => cause === "missed");

/** R43: nothing was wrong but that its reports came late. */
export const ranAfterAll = ({ reason, causes, missedSlots, lateSlots, unheardSlots }: AlertData): boolean =>
  reason === "success" &&
  causes.every((cause) => cause === "missed") &&
  (missedSlots ?? 0) + (unheardSlots ?? 0) === 0 &&
  (lateSlots ?? 0) > 0;

export const isStillUnheard = ({ opening, lastPingAt, kind }: AlertData): boolean =>
  kind === "NeverExecuted" || (kind === "ContinuedFailure" && opening === "NeverExecuted" && lastPingAt === null);

/** A reminder of an incident in which nothing else is wrong. */
export const isReminderOf = ({ kind, reason, causes }: AlertData, only: AlertData["cause"]): boolean =>
  kind === "ContinuedFailure" && reason !== "new_cause" && causes.every((cause) => cause === only);

export const isRunning = (data: AlertData): boolean => isReminderOf(data, "missed") && data.runningSince != null;

/** It failed once, or had a wrong result: an hour later that is not an hour of failing (R23). */
export const tellsSince = ({ causes, troubles }: AlertData): boolean =>
  causes.length === 1 && (causes[0] === "outcome" || (causes[0] === "failed" && troubles === 1));

/** It is about a fail or a wrong outcome, which a report brought. */
export const isReported = ({ cause }: AlertData): boolean => isReportedCause(cause);

/** `Run r3`; null without an id. */
export function runOf({ runId }: AlertData): string | null {
  const id = cleanLine(runId ?? "", NAME_SHOWN_LENGTH);
  return id === "" ? null : `Run ${id}`;
}

/** When a fail came that we report at `at`; a pause may have held it back until then. */
export const failedAtOf = ({ failedAt, reason }: AlertData, at: Instant): Instant =>
  failedAt == null || (reason !== "opened" && reason !== "new_cause") ? at : Date.parse(failedAt);

export function heardAtOf(data: AlertData, at: Instant): Instant {
  if (data.heardAt != null && failedAtOf(data, at) !== at) return Date.parse(data.heardAt);
  return isHeardLate(data) ? at : failedAtOf(data, at);
}

/** `; rollcall heard of it at 11:40`: the end of a sentence about a fail; empty if its report came in time. */
export function heardLater(data: AlertData, at: Instant, times: Times): string {
  const heardAt = heardAtOf(data, at);
  return heardAt === failedAtOf(data, at) ? "" : `; rollcall heard of it at ${times.say(heardAt, data.timezone)}`;
}

export const isHeardLate = ({ happenedAt }: AlertData): boolean => happenedAt != null;

/** When the incident began, as its page and the commands say it too; the message says what had happened before. */
export const beganAt = ({ openedAt }: AlertData): Instant => Date.parse(openedAt);

/** How long the incident has lasted, or lasted, in milliseconds. */
export const lasted = ({ durationSeconds }: AlertData): number => (durationSeconds ?? 0) * SECOND;

/** How long ago it failed, or had a wrong result, as a reminder at `at` says it. */
export const failedAgo = (data: AlertData): number =>
  lasted(data) + beganAt(data) - Date.parse(data.failedAt ?? data.openedAt);
