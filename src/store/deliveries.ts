// The deliveries table: alerts on their way out, in lanes. A lane is one monitor at one destination and recipient (of
// notices: all of them); only its oldest unfinished delivery has a `next_attempt_at` (R36: order). Opens no transaction; decides no time.

import type { Database } from "bun:sqlite";
import { DIGESTED, type DigestKind } from "../domain/message/digest.ts";
import type { LaterIncident } from "../domain/message/since.ts";
import type { ClosedBy } from "../domain/monitor/incident.ts";
import type { Route } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";

/** Where one alert goes. `incidentId` and `alertId` are row ids. */
export interface NewDeliveries {
  readonly alertId: number;
  /** Null, both: a notice. */
  readonly incidentId: number | null;
  readonly monitorId: number | null;
  readonly routes: readonly Route[];
  readonly at: Instant;
}

export type NewTests = Omit<NewDeliveries, "incidentId" | "monitorId">;

/** A delivery with what it delivers; `data` is JSON. */
export interface DeliveryRow {
  readonly id: number;
  readonly alertId: number;
  readonly incidentId: number | null;
  readonly destination: string;
  readonly recipient: string | null;
  readonly createdAt: Instant;
  readonly attempts: number;
  /** All of these are null where it is of no incident. */
  readonly incidentOpenedAt: Instant | null;
  readonly monitorId: number | null;
  readonly incidentNumber: number | null;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  readonly acknowledgedAt: Instant | null;
  readonly type: string;
  readonly at: Instant;
  readonly data: string;
}

export interface WaitingRow {
  readonly id: number;
  readonly nextAttemptAt: Instant;
}

/** A type and not an interface, since SQLite's bindings take only the former. */
type Lane = {
  readonly monitorId: number | null;
  readonly destination: string;
  readonly recipient: string | null;
};

/** What can be claimed: in these very words the planner knows the index deliveries_waiting. */
const WAITING = "next_attempt_at is not null and claimed_at is null";

/** The instant of an attempt that comes before all others. */
const FIRST = 0;

/** Behind a subquery a parameter does not make SQLite plan anew on every run (sql.ts): 0.6 µs instead of 6. */
const UNFINISHED_IN_LANE = `monitor_id is (select $monitorId) and destination = (select $destination)
  and recipient is (select $recipient) and finished_at is null`;

export type DeliveryStatements = ReturnType<typeof prepareDeliveries>;

/** Prepares every statement about deliveries, once per connection. Parameters are bound by name, without the `$`. */
export function prepareDeliveries(database: Database) {
  const waiting = (order: "asc" | "desc") =>
    database.prepare<WaitingRow, { destination: string }>(
      `select id, next_attempt_at as nextAttemptAt from deliveries where destination = (select $destination) and ${WAITING}
       order by next_attempt_at ${order} limit 1`,
    );
  const digestible = (kind: DigestKind) =>
    database.prepare<WaitingRow, { destination: string; recipient: string | null; now: Instant; limit: number }>(
      `select deliveries.id, next_attempt_at as nextAttemptAt from deliveries cross join alerts on alerts.id = alert_id
       where destination = (select $destination) and ${WAITING} and next_attempt_at <= (select $now)
         and recipient is (select $recipient) and type in (${DIGESTED[kind].map((type) => `'${type}'`).join(", ")})
       order by next_attempt_at, deliveries.id limit $limit`,
    );
  return {
    insert: database.prepare<never, Lane & { alertId: number; incidentId: number | null; at: Instant }>(
      `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, next_attempt_at)
       values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0,
         case when exists (select 1 from deliveries where ${UNFINISHED_IN_LANE}) then null else $at end)`,
    ),
    /** Before all that waits, whatever its lane still holds: for tests, which follow from nothing in it. */
    insertFirst: database.prepare<never, Omit<Lane, "monitorId"> & { alertId: number; at: Instant }>(
      `insert into deliveries (alert_id, destination, recipient, created_at, attempts, next_attempt_at)
       values ($alertId, $destination, $recipient, $at, 0, ${FIRST})`,
    ),
    /** The oldest unfinished delivery of a lane: what the others in it wait for. */
    firstOfLane: database.prepare<{ id: number }, Lane>(
      `select id from deliveries where ${UNFINISHED_IN_LANE} order by id limit 1`,
    ),
    /** Lets one that waits for its next attempt be attempted before all else; answers nothing for any other. */
    bringForward: database.prepare<{ id: number }, { id: number }>(
      `update deliveries set next_attempt_at = ${FIRST} where id = $id and ${WAITING} returning id`,
    ),
    /** Of the destinations at which something waits, the first by name after this one. */
    destinationAfter: database.prepare<{ destination: string | null }, { destination: string }>(
      `select min(destination) as destination from deliveries where destination > $destination and ${WAITING}`,
    ),
    firstWaiting: waiting("asc"),
    lastWaiting: waiting("desc"),
    /** What may be attempted at one destination; of one lane never two. */
    due: database.prepare<WaitingRow, { destination: string; now: Instant; limit: number }>(
      `select id, next_attempt_at as nextAttemptAt from deliveries
       where destination = (select $destination) and ${WAITING} and next_attempt_at <= (select $now)
       order by next_attempt_at, id limit $limit`,
    ),
    /** Of `due`, those to this recipient that may share a digest of this kind. */
    digestible: {
      opened: digestible("opened"),
      continued: digestible("continued"),
      recovered: digestible("recovered"),
    } satisfies Record<DigestKind, unknown>,
    /** Lets what waits at a destination for a later time be attempted now, what is oldest first. */
    forward: database.prepare<never, { destination: string; now: Instant; limit: number }>(
      `update deliveries set next_attempt_at = min($now, created_at) where id in
         (select id from deliveries where destination = (select $destination) and ${WAITING} and next_attempt_at > (select $now)
          order by next_attempt_at limit $limit)`,
    ),
    claim: database.prepare<never, { id: number; at: Instant; digestId: number | null }>(
      "update deliveries set claimed_at = $at, attempts = attempts + 1, digest_id = $digestId where id = $id",
    ),
    read: database.prepare<DeliveryRow, { id: number }>(
      `select deliveries.id, alert_id as alertId, deliveries.incident_id as incidentId, destination, recipient, created_at as createdAt, attempts,
         incidents.opened_at as incidentOpenedAt, incidents.monitor_id as monitorId, number as incidentNumber,
         closed_at as closedAt, closed_by as closedBy, acknowledged_at as acknowledgedAt, alerts.type, alerts.at, alerts.data
       from deliveries join alerts on alerts.id = alert_id left join incidents on incidents.id = deliveries.incident_id
       where deliveries.id = (select $id)`,
    ),
    /** The newest incident of a monitor after the one of this number. */
    laterIncident: database.prepare<LaterIncident, { monitorId: number; number: number }>(
      `select id, number, opened_at as openedAt, closed_at as closedAt from incidents
       where monitor_id = (select $monitorId) and number > (select $number) order by number desc limit 1`,
    ),
    finish: database.prepare<Lane, { id: number; at: Instant; outcome: "sent" | "given_up"; answer: string }>(
      `update deliveries
       set finished_at = $at, outcome = $outcome, answer = $answer, claimed_at = null, next_attempt_at = null,
         untold = iif($outcome = 'given_up', 1, null)
       where id = $id and finished_at is null
       returning monitor_id as monitorId, destination, recipient`,
    ),
    /** Where an incident was told, each once. */
    routesOf: database.prepare<Route, { incidentId: number }>(
      `select distinct destination, recipient from alerts join deliveries on alert_id = alerts.id
       where alerts.incident_id = (select $incidentId) order by destination, recipient`,
    ),
    /** Lets the oldest unfinished delivery of a lane go. */
    promote: database.prepare<never, Lane & { at: Instant }>(
      `update deliveries set next_attempt_at = $at
       where id = (select id from deliveries where ${UNFINISHED_IN_LANE} order by id limit 1) and next_attempt_at is null`,
    ),
    postpone: database.prepare<never, { id: number; at: Instant; answer: string }>(
      "update deliveries set next_attempt_at = $at, answer = $answer, claimed_at = null where id = $id and finished_at is null",
    ),
    unclaim: database.prepare<never, { id: number }>(
      `update deliveries set claimed_at = null, attempts = attempts - 1, digest_id = null
       where id = $id and finished_at is null and claimed_at is not null`,
    ),
    releaseClaims: database.prepare<never, []>(
      "update deliveries set claimed_at = null where finished_at is null and claimed_at is not null",
    ),
  };
}

/**
 * One delivery per route, to be sent from `at` on, each after what its lane still holds. Runs inside the transaction
 * that stores the alert (R36).
 */
export function enqueueDeliveries(statements: DeliveryStatements, deliveries: NewDeliveries): void {
  const { alertId, incidentId, monitorId, routes, at } = deliveries;
  for (const { destination, recipient } of routes) {
    statements.insert.run({ alertId, incidentId, monitorId, destination, recipient, at });
  }
}

/** The same for a test, which waits for nothing; a notice written while it is tried goes after it. */
export function enqueueTests(statements: DeliveryStatements, { alertId, routes, at }: NewTests): void {
  for (const { destination, recipient } of routes) {
    statements.insertFirst.run({ alertId, destination, recipient, at });
  }
}
