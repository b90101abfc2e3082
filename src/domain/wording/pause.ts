// What a message says about a pause (R24): which messages will not come, and since when a trouble has been there.

import type { AlertData } from "../message/alert.ts";
import type { PauseKind } from "../monitor/monitor.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { Times } from "./message-times.ts";
import { shortMoment } from "./spoken-time.ts";

/** Whether the monitor was paused when this became true; alerts stored by an earlier version do not say. */
export const isPausedThen = ({ pausedBy }: AlertData): boolean => (pausedBy ?? []).length > 0;

/** Why nothing is expected, and until when; empty while the monitor is watched. */
export function pauseOf(data: AlertData, times: Times): string[] {
  const { pausedBy, kind } = data;
  if (!isPausedThen(data)) return [];
  const until = `It is paused until ${pausedBy.map((pause) => endOf(pause, data, times)).join(" and ")}`;
  return kind === "Recovered"
    ? [`${until}; before that no report is expected.`]
    : [`${until}; before that no report is expected and no reminder comes. A success closes the incident.`];
}

function endOf(pause: PauseKind, { pausedUntil, timezone }: AlertData, times: Times): string {
  switch (pause) {
    case "manual":
      return pausedUntil === null ? "somebody resumes it" : times.say(pausedUntil, timezone);
    case "discovery":
      return "its source lists it again";
    case "plan":
      return "max_active_monitors leaves room for it";
    case "suspension":
      return "its application is resumed";
  }
}

/** When a fail came that we report at `at`; a pause may have held it back until then. */
export const failedAtOf = ({ failedAt, reason }: AlertData, at: Instant): Instant =>
  failedAt == null || (reason !== "opened" && reason !== "new_cause") ? at : Date.parse(failedAt);

/** When rollcall heard of the fail that we report at `at`. Alerts stored by an earlier version do not say. */
function heardAtOf(data: AlertData, at: Instant): Instant {
  if (data.heardAt != null && failedAtOf(data, at) !== at) return Date.parse(data.heardAt);
  return isHeardLate(data) ? at : failedAtOf(data, at);
}

/** `; rollcall heard of it at 11:40`: the end of a sentence about a fail; empty if its report came in time. */
export function heardLater(data: AlertData, at: Instant, times: Times): string {
  const heardAt = heardAtOf(data, at);
  return heardAt === failedAtOf(data, at) ? "" : `; rollcall heard of it at ${times.say(heardAt, data.timezone)}`;
}

/** Says so when a pause held it back. Whether the job was paused when it failed, a late report does not tell us. */
export function heldBack(data: AlertData, at: Instant, times: Times): string[] {
  const heardAt = heardAtOf(data, at);
  if (heardAt === at) return [];
  const then = heardAt === failedAtOf(data, at) ? "It was paused then" : "It was paused when that report came";
  return [`${then}; the pause ended at ${times.say(at, data.timezone)}.`];
}

/**
 * A fail that is told this long after it happened is old news, and its subject says so, as that of a late message does.
 */
const OLD = 15 * MINUTE;

/** ` at 08:30, heard now`: what a subject says of old news. `late`: as in `Sending`. */
export function oldNews(data: AlertData, at: Instant, late: number | null): string {
  const failedAt = failedAtOf(data, at);
  if ((data.cause !== "failed" && data.cause !== "outcome") || at - failedAt <= OLD) return "";
  const heardAt = heardAtOf(data, at);
  const told = heardAt === at ? "heard" : "told";
  const when = late === null ? "now" : `at ${shortMoment(at, data.timezone, failedAt)}`;
  return ` at ${shortMoment(failedAt, data.timezone, at)}, ${told} ${when}`;
}

/** The report behind it came late (R43). Alerts stored by an earlier version do not say. */
export const isHeardLate = ({ happenedAt }: AlertData): boolean => (happenedAt ?? null) !== null;

/**
 * When the incident began, as its page and the commands say it too; what had happened before, the message says besides.
 */
export const beganAt = ({ openedAt }: AlertData): Instant => Date.parse(openedAt);

/** How long the incident has lasted, or lasted, in milliseconds. */
export const lasted = ({ durationSeconds }: AlertData): number => (durationSeconds ?? 0) * SECOND;

/** How long ago it failed, or had a wrong result, as a reminder at `at` says it. */
export const failedAgo = (data: AlertData): number =>
  lasted(data) + beganAt(data) - Date.parse(data.failedAt ?? data.openedAt);

/**
 * ` It had failed at 11:00:05; rollcall heard of that at 12:30.`: what had happened before the incident began; else
 * empty.
 */
export function failedBefore(data: AlertData, times: Times): string {
  const { failedAt, heardAt, openedAt, timezone, reason, cause, causes } = data;
  const saysSo = reason === "opened" || (reason === "new_cause" && (cause === "failed" || cause === "outcome"));
  if (failedAt === null || saysSo || Date.parse(failedAt) >= Date.parse(openedAt)) return "";
  const failed = ` ${causes.includes("failed") ? "It had failed" : "That had happened"} at ${times.say(failedAt, timezone)}`;
  const isLate = heardAt != null && heardAt !== failedAt && heardAt !== openedAt;
  return isLate ? `${failed}; rollcall heard of that at ${times.say(heardAt, timezone)}.` : `${failed}.`;
}
