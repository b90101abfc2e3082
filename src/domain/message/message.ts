// What a delivery can carry: R37's `{type, timestamp, data}` with the instant still a number. The `type` says which.
// Also the text of its `data` as it is stored.

import type { Instant } from "../time.ts";
import { orElse } from "../unless-missing.ts";
import type { AlertData, AlertMessage } from "./alert.ts";
import type { DigestMessage } from "./digest.ts";
import type { NoticeMessage } from "./notice.ts";
import type { TestMessage } from "./test-message.ts";

export type Message = AlertMessage | DigestMessage | NoticeMessage | TestMessage;

export const isAlert = (message: Message): message is AlertMessage =>
  message.type !== "monitor.digest" && message.type !== "service.notice" && message.type !== "destination.test";

type MayBeNull = { [Field in keyof AlertData]-?: null extends AlertData[Field] ? Field : never }[keyof AlertData];

/**
 * What does not apply to most alerts. The stored text leaves it out: it would be half of the text, and a row would not
 * fit in one page. So an alert of an earlier version, which lacks some of these, is read alike.
 */
const NOT_SAID: Readonly<Record<MayBeNull, null>> = {
  applicationName: null,
  commandUser: null,
  commandLine: null,
  teamName: null,
  formerly: null,
  environment: null,
  owner: null,
  note: null,
  schedule: null,
  everySeconds: null,
  maxRuntimeSeconds: null,
  expectedAt: null,
  failedAt: null,
  heardAt: null,
  happenedAt: null,
  recoveredAt: null,
  durationSeconds: null,
  missedSlots: null,
  unheardSlots: null,
  lateSlots: null,
  flapping: null,
  nextReminderAt: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  failureMessage: null,
  output: null,
  outputAt: null,
  outcomes: null,
  runId: null,
  runStartedAt: null,
  runDeadline: null,
  startHeardAt: null,
  usualSeconds: null,
  runningSince: null,
  gap: null,
  nextExpectedAt: null,
  pausedUntil: null,
  lastPingAt: null,
  zoneHint: null,
  refusedReport: null,
  runsOn: null,
  since: null,
  url: null,
};

/** The text of a message's data to be stored. */
export function storedText(message: Message): string {
  if (!isAlert(message)) return JSON.stringify(message.data);
  const { data } = message;
  const said: Record<string, unknown> = {};
  for (const name of Object.keys(data) as (keyof AlertData)[]) if (data[name] !== null) said[name] = data[name];
  return JSON.stringify(said);
}

/** The message whose data was stored as this text; null: it is no object, because the file was damaged since. */
export function messageFrom(type: string, at: Instant, text: string): Message | null {
  const data = objectFrom(text);
  if (data === null) return null;
  const message = { type, at, data } as Message;
  return isAlert(message) ? { ...message, data: withNotSaid(message.data) } : message;
}

/** An alert's data that was stored as this text; null: it is no object, because the file was damaged since. */
export function alertDataFrom(text: string): AlertData | null {
  const data = objectFrom(text);
  return data === null ? null : withNotSaid(data as AlertData);
}

// Twice, so that what is said comes first where programs get it.
const withNotSaid = (data: AlertData): AlertData => ({ ...data, ...NOT_SAID, ...data });

function objectFrom(text: string): object | null {
  const parsed: unknown = orElse(null, () => JSON.parse(text));
  return typeof parsed === "object" ? parsed : null;
}
