// All messages that a delivery can carry, told apart by `type`. Also turns their data into stored text and back.

import type { Instant } from "../time.ts";
import { orElse } from "../unless-missing.ts";
import { type AlertData, type AlertMessage, tellsOfTrouble } from "./alert.ts";
import type { DigestMessage } from "./digest.ts";
import type { NoticeMessage } from "./notice.ts";
import type { TestMessage } from "./test-message.ts";

export type Message = AlertMessage | DigestMessage | NoticeMessage | TestMessage;

export const isAlert = (message: Message): message is AlertMessage =>
  message.type !== "monitor.digest" && message.type !== "service.notice" && message.type !== "destination.test";

type MayBeNull = { [Field in keyof AlertData]-?: null extends AlertData[Field] ? Field : never }[keyof AlertData];

/**
 * Fields that are `null` in most alerts. The stored text leaves out `null`: otherwise it would be twice as long and not
 * fit on one page of the database. Reading sets these fields to `null` again, also in older alerts.
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

export function storedMessageText(message: Message): string {
  if (!isAlert(message)) return JSON.stringify(message.data);
  const { data } = message;
  const said: Record<string, unknown> = {};
  for (const name of Object.keys(data) as (keyof AlertData)[]) if (data[name] !== null) said[name] = data[name];
  return JSON.stringify(said);
}

/** Reads a stored message; `null` when the text is no object, because the database was damaged. */
export function messageFrom(type: string, at: Instant, text: string): Message | null {
  const data = objectFrom(text);
  if (data === null) return null;
  const message = { type, at, data } as Message;
  return isAlert(message) ? { ...message, data: withNotSaid(message.data) } : message;
}

/** Reads an alert's stored data; `null` when the text is no object, because the database was damaged. */
export function alertDataFrom(text: string): AlertData | null {
  const data = objectFrom(text);
  return data === null ? null : withNotSaid(data as AlertData);
}

// The first `...data` only puts the fields that have a value before the `null` ones, in the JSON that programs get.
const withNotSaid = (data: AlertData): AlertData => ({ ...data, ...NOT_SAID, ...data });

function objectFrom(text: string): object | null {
  const parsed: unknown = orElse(null, () => JSON.parse(text));
  return typeof parsed === "object" ? parsed : null;
}

export const tellsTrouble = (message: Message): message is AlertMessage =>
  isAlert(message) && tellsOfTrouble(message.data.kind);
