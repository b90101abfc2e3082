// What a message says about a pause (R24): which messages will not come, and since when a trouble has been there.

import type { AlertData } from "../message/alert.ts";
import type { PauseKind } from "../monitor/monitor.ts";
import type { Instant } from "../time.ts";
import type { Times } from "./told-times.ts";

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

/** Says so when a pause held it back, or when it came late (R43). */
export function heldBack(data: AlertData, at: Instant, times: Times): string[] {
  if (failedAtOf(data, at) === at) return [];
  const moment = times.say(at, data.timezone);
  return isHeardLate(data)
    ? [`Its report came late: rollcall heard it at ${moment}.`]
    : [`It was paused then; the pause ended at ${moment}.`];
}

/** The report behind it came late (R43). Alerts stored by an earlier version do not say. */
export const isHeardLate = ({ happenedAt }: AlertData): boolean => (happenedAt ?? null) !== null;

/** When the trouble began; a pause may have kept us from reporting it. */
export const beganAt = ({ openedAt, failedAt }: AlertData): Instant =>
  Math.min(Date.parse(openedAt), Date.parse(failedAt ?? openedAt));

/** How long the trouble has lasted, or lasted, in milliseconds, from its beginning. */
export const lasted = (data: AlertData): number =>
  (data.durationSeconds ?? 0) * 1000 + Date.parse(data.openedAt) - beganAt(data);
