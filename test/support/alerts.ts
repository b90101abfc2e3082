// Alerts for tests: a message with every field filled, and an outbox over real tables that takes such messages.

import type { Database } from "bun:sqlite";
import { type AlertData, type AlertMessage, MESSAGE_TYPES, type Subject } from "../../src/domain/message/alert.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { Presentation } from "../../src/domain/message/presentation.ts";
import type { Route } from "../../src/domain/settings/policy.ts";
import { watchedOf } from "../../src/domain/settings/settings.ts";
import type { DestinationFailure } from "../../src/domain/telling/reach.ts";
import { type Instant, toIso } from "../../src/domain/time.ts";
import type { ClaimedDelivery, Ending, Outbox } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import type { ShownChannel } from "../../src/notify/channel.ts";
import { insertDueDeliveries, prepareDeliveries } from "../../src/store/deliveries.ts";
import { openTestStore } from "./database.ts";
import { PLAIN_WATCH } from "./watch.ts";

/**
 * The instant at which these alerts became true, unless a test says otherwise: a second after a missed slot's close.
 */
export const ALERT_AT: Instant = Date.parse("2026-03-01T02:01:05.000Z");

/** The presentation of every alert when the configuration says nothing about it. */
export const PLAIN_PRESENTATION: Presentation = {
  applicationName: null,
  teamName: null,
  owner: null,
  severity: "error",
  environment: null,
  links: {},
  note: null,
  labels: [],
};

/** The subject of alerts in tests about something else. */
export const ANY_SUBJECT: Subject = {
  incidentId: 1,
  application: "prod",
  key: "job",
  name: "Job",
  notifiedAs: null,
  presentation: PLAIN_PRESENTATION,
  instance: { onlyApplication: false, commandUser: null, commandLine: null },
  zones: [],
  refusedReport: null,
  startHeardAt: null,
  usualMs: null,
  runsOn: null,
  gaps: [],
  url: null,
};

const DATA: AlertData = {
  incidentId: "12",
  applicationId: "prod",
  applicationName: null,
  onlyApplication: false,
  commandUser: null,
  commandLine: null,
  teamName: null,
  monitorKey: "nightly-backup",
  name: "Nightly backup",
  formerly: null,
  kind: "InitialFailure",
  cause: "missed",
  causes: ["missed"],
  reason: "opened",
  opening: "InitialFailure",
  status: "critical",
  severity: "error",
  environment: "production",
  owner: "ops",
  ...watchedOf(PLAIN_WATCH),
  schedule: "0 3 * * *",
  timezone: "Europe/Berlin",
  expectedAt: "2026-03-01T02:00:00.000Z",
  openedAt: "2026-03-01T02:01:05.000Z",
  failedAt: null,
  heardAt: null,
  happenedAt: null,
  recoveredAt: null,
  durationSeconds: null,
  missedSlots: null,
  unheardSlots: null,
  lateSlots: null,
  troubles: 1,
  remindersSent: 0,
  remindersMax: 30,
  nextReminderAt: "2026-03-01T03:01:05.000Z",
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
  gaps: [],
  gapsTotal: 0,
  nextExpectedAt: "2026-03-02T02:00:00.000Z",
  pausedBy: [],
  pausedUntil: null,
  lastPingAt: "2026-02-28T02:00:41.000Z",
  zoneHint: null,
  links: { runbook: "https://wiki.example.org/backup?a=1&b=2" },
  note: null,
  labels: [],
  refusedReport: null,
  flapping: null,
  runsOn: null,
  since: null,
  url: null,
};

/** An alert about a missed slot of `nightly-backup`, with the test's changes. */
export function alertOf(changes: Partial<AlertData> = {}, at: Instant = ALERT_AT): AlertMessage {
  const data = { ...DATA, ...changes };
  return { type: MESSAGE_TYPES[data.kind], at, data };
}

/** The body that this channel posts for a message. */
export function bodyThrough(
  channel: ShownChannel,
  message: Message,
  { sentAt = message.at, plain = false, thread = "incident-12-mm5w" } = {},
): string {
  const reference = "delivery-7-mm5x";
  const delivery = {
    id: 7,
    destination: "chat",
    recipient: null,
    reference,
    thread,
    createdAt: message.at,
    attempts: 0,
  };
  const preview = channel.preview({ ...delivery, message }, { sentAt, plain });
  return preview.slice(preview.indexOf("\n\n") + 2);
}

export interface TestOutbox {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly hand: OutboxByHand;
  /**
   * Raises one alert of a monitor's first incident for these routes. `monitor` is the monitor's id; `null` raises a
   * notice.
   */
  enqueue(monitor: number | null, routes: readonly Route[], at?: Instant, message?: Message): void;
}

export const toHook = (destination: string): Route => ({ destination, recipient: null });

/** An outbox that a test asks for one step at a time. */
export interface OutboxByHand {
  claim(now: Instant, busy?: ReadonlySet<string>, limit?: number): readonly ClaimedDelivery[];
  nextAttemptAt(busy?: ReadonlySet<string>): Instant | null;
  sent(id: number, at: Instant, answer: string): void;
  giveUp(id: number, at: Instant, answer: string): void;
  retry(id: number, nextAttemptAt: Instant, answer: string): void;
}

export const NO_DIGESTS: ReadonlyMap<string, number> = new Map();

/** The notifier's request when nothing has happened. */
export const NOTHING_NEW = {
  alone: new Set<number>(),
  written: [],
  news: new Map<string, DestinationFailure | null>(),
  sooner: [],
};

export function byHand(outbox: Outbox): OutboxByHand {
  const nothing = { busy: new Set<string>(), limit: 0, each: 1, digests: NO_DIGESTS, ...NOTHING_NEW };
  let now = ALERT_AT;
  const store = (ending: Ending) => void outbox.exchange([ending], { ...nothing, now });
  return {
    claim: (at, busy = new Set(), limit = 16) => {
      now = at;
      return outbox.exchange([], { ...nothing, now, busy, limit }).claimed;
    },
    nextAttemptAt: (busy = new Set()) => outbox.exchange([], { ...nothing, now, busy }).nextAttemptAt,
    sent: (id, at, answer) => store({ id, ending: "sent", at, answer }),
    giveUp: (id, at, answer) => store({ id, ending: "given_up", at, answer }),
    retry: (id, nextAttemptAt, answer) => store({ id, ending: "retry", nextAttemptAt, answer }),
  };
}

export function openTestOutbox(): TestOutbox {
  const { database, incidents, alerts } = openTestStore();
  const statements = prepareDeliveries(database);
  const outbox = createOutbox(database, () => {});
  return {
    database,
    outbox,
    hand: byHand(outbox),
    enqueue: (monitorId, routes, at = ALERT_AT, message = alertOf({ openedAt: toIso(at) }, at)) => {
      const incidentId = monitorId === null ? null : incidents.save(monitorId, INCIDENT);
      const alertId = alerts.insert(incidentId, message);
      insertDueDeliveries(statements, { alertId, incidentId, monitorId, routes, at });
    },
  };
}

const INCIDENT = {
  number: 1,
  opening: "InitialFailure",
  openedAt: ALERT_AT,
  causes: ["missed"],
  troubles: 1,
  message: null,
  runId: null,
  expectedAt: null,
  failedAt: null,
  heardAt: null,
  failedRunBeganAt: null,
  awaitsRun: false,
  missedSlots: 0,
  unheardSlots: 0,
  lateSlots: 0,
  lateTo: null,
  missedTo: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  remindAt: null,
  remindersSent: 0,
  closedAt: null,
  closedBy: null,
  seriesSince: null,
} as const;
