// Corrects a message before it is sent, so that it does not tell of anything in the future (R26). Pure.

import { type Instant, toIso, wholeSeconds } from "../time.ts";
import type { AlertData, AlertMessage } from "./alert.ts";
import { isAlert, type Message } from "./message.ts";

/** The fields of an alert that say when something has happened. Such an instant must not lie in the future. */
const HAPPENED = [
  "expectedAt",
  "openedAt",
  "failedAt",
  "heardAt",
  "happenedAt",
  "recoveredAt",
  "acknowledgedAt",
  "runStartedAt",
  "startHeardAt",
  "runningSince",
  "lastPingAt",
  "outputAt",
] as const satisfies readonly (keyof AlertData)[];

/** Returns the message with `now` in place of later instants. A clock that was ahead may have written such instants. */
export function notAfter<Some extends Message>(message: Some, now: Instant): Some {
  if (isAlert(message)) return alertNotAfter(message, now) as Some;
  if (message.type !== "monitor.digest" || message.at <= now) return message;
  const [first, ...others] = message.data.alerts.map((alert) => alertNotAfter(alert, now));
  return { ...message, at: now, data: { ...message.data, alerts: [first!, ...others] } };
}

function alertNotAfter(message: AlertMessage, now: Instant): AlertMessage {
  const { data } = message;
  const later = HAPPENED.filter((field) => data[field] !== null && Date.parse(data[field]) > now);
  if (message.at <= now && later.length === 0) return message;
  const at = Math.min(message.at, now);
  const corrected = { ...data, ...Object.fromEntries(later.map((field) => [field, toIso(now)])) };
  const { openedAt, durationSeconds } = corrected;
  const lasted = durationSeconds === null ? null : wholeSeconds(Date.parse(openedAt), at);
  return { ...message, at, data: { ...corrected, durationSeconds: lasted } };
}
