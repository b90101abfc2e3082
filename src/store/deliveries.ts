// The deliveries table: alerts on their way out, in lanes. A lane is one monitor at one destination and recipient (for
// notices: all of them); only its oldest unfinished delivery has a `next_attempt_at` (R36: order). Opens no
// transaction; decides no time. claims.ts serves the notifier.

import type { Database } from "bun:sqlite";
import type { AlertKind } from "../domain/message/alert.ts";
import type { Severity } from "../domain/message/presentation.ts";
import type { KeptTable, Route } from "../domain/settings/policy.ts";
import type { DestinationFailure } from "../domain/settings/reach.ts";
import type { AlertRoute } from "../domain/settings/routes.ts";
import type { Instant } from "../domain/time.ts";
import type { EndedDelivery } from "./file/restored.ts";
import { inAlert } from "./sql.ts";

/** Where one alert goes. `incidentId` and `alertId` are row ids. */
export interface NewDeliveries {
  readonly alertId: number;
  /** Both are null for a notice. */
  readonly incidentId: number | null;
  readonly monitorId: number | null;
  readonly routes: readonly AlertRoute[];
  readonly at: Instant;
}

export type NewTests = Omit<NewDeliveries, "incidentId" | "monitorId">;

/** A type and not an interface, because SQLite's bindings take only types. */
export type Lane = Readonly<{ monitorId: number | null; destination: string; recipient: string | null }>;

/** What waits until its destination is to hear of it; `kind` and `severity` are null where it is no alert. */
export type HeldRow = Readonly<{
  id: number;
  destination: string;
  createdAt: Instant;
  kind: AlertKind | null;
  severity: Severity | null;
  flaps: 0 | 1;
}>;

type OwedRow = Readonly<{
  id: number;
  alertId: number;
  incidentId: number | null;
  monitorId: number | null;
  recipient: string | null;
  application: string | null;
  openSince: number | null;
}>;

/** `application`: empty for a notice. */
type GivenUpRow = Omit<Lane, "destination"> &
  Readonly<{ alertId: number; incidentId: number | null; application: string }>;

/** Held, or behind what is held, and not due yet: what has come due is as late as it is. */
const IS_HELD = "not_before > $now and next_attempt_at is null";

const HELD_ROW = `select d.id, destination, created_at as createdAt, ${inAlert("kind")} as kind, ${inAlert("severity")} as severity,
  ${inAlert("flapping")} is not null as flaps from deliveries d cross join alerts a on a.id = alert_id`;

type Inserted = Lane & { alertId: number; incidentId: number | null; at: Instant; notBefore: Instant | null };

/** What can be claimed; only in these very words does the planner use the index deliveries_waiting. */
export const WAITING = "next_attempt_at is not null and claimed_at is null";

/** When a delivery `d` may be attempted next. */
export const NEXT_ATTEMPT = "iif(d.held, d.not_before, d.next_attempt_at) AS nextAttemptAt";

/** The instant of an attempt that comes before all others. */
const FIRST = 0;

/** Behind a subquery, a parameter does not make SQLite plan again on every run (sql.ts): 0.6 µs instead of 6. */
const UNFINISHED_IN_LANE = `monitor_id is (select $monitorId) and destination = (select $destination)
  and recipient is (select $recipient) and finished_at is null`;

/** Of the first of its lane: it is due, or held if its destination hears it only later. */
export const FROM_NOW_ON = `held = coalesce(not_before > $at, 0), next_attempt_at = iif(coalesce(not_before > $at, 0), null, $at)`;

/** It has come due or was attempted; else its destination hears of it only later, or never. */
const IS_TOLD = `(not_before is null or attempts > 0 or next_attempt_at is not null
  or finished_at is null and not_before <= $at)`;

/** An incident at one place. */
type Joining = Lane & Readonly<{ incidentId: number }>;

type NotSent = { at: Instant; answer: string };

type Recovery = Joining & { at: Instant; since: Instant };

const RECOVERY_WAITS = `${UNFINISHED_IN_LANE} and incident_id = (select $incidentId) and claimed_at is null
  and attempts = 0 and not_before > $at and created_at > $since
  and exists (select 1 from alerts a where a.id = alert_id and ${inAlert("flapping")} is not null)`;

/** It ends without an attempt. `$answer`: why. */
const NOT_SENT = "finished_at = $at, outcome = 'not_sent', answer = $answer, held = 0, next_attempt_at = null";

/** Makes the oldest unfinished delivery of a lane due. */
export const preparePromote = (database: Database) =>
  database.prepare<never, Lane & { at: Instant }>(
    `update deliveries set ${FROM_NOW_ON}
     where id = (select id from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken order by id limit 1)
       and next_attempt_at is null`,
  );

/** What was given up at a destination since then and has no other delivery there; not tests. */
const prepareGivenUp = (database: Database) =>
  database.prepare<GivenUpRow, { destination: string; since: Instant }>(
    `select alert_id as alertId, d.incident_id as incidentId, monitor_id as monitorId, recipient,
       coalesce(${inAlert("applicationId")}, '') as application
     from deliveries d cross join alerts a on a.id = alert_id
     where destination = (select $destination) and outcome is not 'sent' and outcome = 'given_up'
       and finished_at >= (select $since) and type is not 'destination.test'
       and not exists (select 1 from deliveries later where later.alert_id = d.alert_id and later.id > d.id
         and later.destination = d.destination and later.recipient is d.recipient)
     order by d.id`,
  );

/** What waits until its destination is to hear of it. */
const prepareHeld = (database: Database) => ({
  /** Ends that were not sent to a destination, or given up, for these reasons; and the incident that is open since. */
  owedAt: database.prepare<OwedRow, { destination: string; notSent: string; givenUp: string }>(
    `select d.id, alert_id as alertId, d.incident_id as incidentId, monitor_id as monitorId, recipient,
       ${inAlert("applicationId")} as application, (select i.id from incidents i where i.monitor_id = d.monitor_id
         and i.id > d.incident_id and i.closed_at is null) as openSince
     from deliveries d cross join alerts a on a.id = alert_id where destination = (select $destination)
       and outcome is not 'sent' and type = 'monitor.recovered'
       and (outcome = 'not_sent' and answer = (select $notSent) or outcome = 'given_up' and answer = (select $givenUp))`,
  ),
  setAnswer: database.prepare<never, { id: number; answer: string }>(
    "update deliveries set answer = $answer where id = $id",
  ),
  /** Where an incident waits to be heard later, and since when. */
  heldOf: database.prepare<
    Route & Readonly<{ writtenAt: Instant }>,
    { monitorId: number; incidentId: number; at: Instant }
  >(
    `select destination, recipient, created_at as writtenAt from deliveries where monitor_id is (select $monitorId)
       and finished_at is null and incident_id = (select $incidentId) and not ${IS_TOLD}`,
  ),
  /** Ends what an incident has not told there because it was to be heard later. */
  takeBack: database.prepare<Lane, { monitorId: number; destination: string; incidentId: number } & NotSent>(
    `update deliveries set ${NOT_SENT} where monitor_id is (select $monitorId) and destination = (select $destination)
       and finished_at is null and incident_id = (select $incidentId) and not ${IS_TOLD}
     returning monitor_id as monitorId, destination, recipient`,
  ),
  /** Where an alert was not sent for this reason. */
  takenBackOf: database.prepare<Route, { alertId: number; answer: string }>(
    `select destination, recipient from deliveries
     where alert_id = (select $alertId) and outcome = 'not_sent' and answer = (select $answer)`,
  ),
  /** What is held at a destination. */
  heldAt: database.prepare<HeldRow, { destination: string; now: Instant }>(
    `${HELD_ROW} where destination = (select $destination) and outcome is null and outcome is not 'sent' and ${IS_HELD}`,
  ),
  /** What is held of a monitor, or of notices. */
  heldIn: database.prepare<HeldRow, { monitorId: number | null; now: Instant }>(
    `${HELD_ROW} where monitor_id is (select $monitorId) and finished_at is null and ${IS_HELD}`,
  ),
  /** The next monitors of which something waits. */
  monitorsAfter: database.prepare<{ id: number }, { after: number; limit: number }>(
    `select distinct monitor_id as id from deliveries where finished_at is null and monitor_id > (select $after)
     order by monitor_id limit $limit`,
  ),
  hold: database.prepare<never, { id: number; until: Instant }>(
    "update deliveries set not_before = $until where id = $id",
  ),
  /** What the lanes of a monitor, or of notices, have after `now` comes back by so much. */
  pullBack: database.prepare<never, { monitorId: number | null; now: Instant; backMs: number }>(
    `update deliveries set
       created_at = created_at - iif(created_at > $now, $backMs, 0),
       not_before = not_before - iif(created_at > $now, $backMs, 0),
       next_attempt_at = iif(next_attempt_at > $now, max($now, next_attempt_at - $backMs), next_attempt_at)
     where monitor_id is (select $monitorId) and finished_at is null and (created_at > $now or next_attempt_at > $now)`,
  ),
});

export type DeliveryStatements = ReturnType<typeof prepareDeliveries>;

/** Prepares the statements that write deliveries, once per connection. Parameter names come without the `$`. */
export const prepareDeliveries = (database: Database) => ({
  ...prepareHeld(database),
  givenUpAt: prepareGivenUp(database),
  /** With `notBefore` it is held until then, and no shorter than what is before it in its lane. */
  insert: database.prepare<never, Inserted>(
    `with lane (waits, until) as
       (select count(*) > 0, max(not_before) from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken)
     insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, next_attempt_at,
       not_before, held)
     select $alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0,
       iif(waits or $notBefore is not null, null, $at), max($notBefore, coalesce(until, $notBefore)),
       not waits and $notBefore is not null from lane`,
  ),
  /** The same where none of the monitor's lanes holds anything, as for most troubles: a third of the time. */
  insertAlone: database.prepare<never, Inserted>(
    `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, next_attempt_at,
       not_before, held)
     values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0,
       iif($notBefore is null, $at, null), $notBefore, $notBefore is not null)`,
  ),
  anyOfMonitor: database.prepare<{ found: 1 }, { monitorId: number | null }>(
    "select 1 as found from deliveries where monitor_id is (select $monitorId) and finished_at is null limit 1",
  ),
  /** What the lane holds for later is due before what must not wait. */
  letLaneGo: database.prepare<never, Lane & { at: Instant }>(
    `update deliveries set next_attempt_at = iif(held, $at, next_attempt_at), held = 0, not_before = $at
     where ${UNFINISHED_IN_LANE} and not_before > $at`,
  ),
  /** How one ended in the database that a restore has replaced; its lane goes on. */
  endedBefore: database.prepare<Lane, EndedDelivery>(
    `update deliveries set finished_at = $finishedAt, outcome = $outcome, answer = $answer, attempts = $attempts,
       sent_as = $sentAs, claimed_at = null, held = 0, next_attempt_at = null
     where id = $id and finished_at is null returning monitor_id as monitorId, destination, recipient`,
  ),
  /** An incident's alert of this type arrived there, as only the replaced database knew. */
  arrivedBefore: database.prepare<
    Lane,
    Lane & { incidentId: number; type: string; finishedAt: Instant; answer: string }
  >(
    `update deliveries set finished_at = $finishedAt, outcome = 'sent', answer = $answer, attempts = 1, held = 0,
       next_attempt_at = null
     where ${UNFINISHED_IN_LANE} and incident_id = (select $incidentId)
       and exists (select 1 from alerts where alerts.id = alert_id and alerts.type = $type)
     returning monitor_id as monitorId, destination, recipient`,
  ),
  /** Ends a recovery that waits because its job flaps, and that is younger than `$since`. */
  dropRecovery: database.prepare<{ id: number }, Recovery & NotSent>(
    `update deliveries set ${NOT_SENT} where ${RECOVERY_WAITS} returning id`,
  ),
  /** Lets such a one wait no longer than what is behind it. */
  hastenRecovery: database.prepare<never, Recovery & { until: Instant }>(
    `update deliveries set not_before = min(not_before, $until) where ${RECOVERY_WAITS}`,
  ),
  /** The delivery by which a destination knows of an incident, as another incident's may be; none: it does not. */
  toldBy: database.prepare<{ id: number; severity: Severity | null }, Omit<Joining, "monitorId">>(
    `select told.id, ${inAlert("severity")} as severity
     from alerts a cross join deliveries d on d.alert_id = a.id
       cross join deliveries told on told.id = iif(d.outcome = 'not_sent', d.digest_id, d.id)
     where a.incident_id = (select $incidentId) and d.destination = (select $destination) and d.recipient is (select $recipient)
       and told.outcome is not 'given_up' and a.type not in ('monitor.recovered', 'monitor.acknowledged') order by a.id limit 1`,
  ),
  /** One that is not sent: the destination knows by that other one, or (null) is no destination now. */
  insertNotSent: database.prepare<never, Joining & NotSent & { alertId: number; toldBy: number | null }>(
    `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, finished_at,
       outcome, answer, digest_id)
     values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0, $at, 'not_sent', $answer, $toldBy)`,
  ),
  promote: preparePromote(database),
  /** Due before all that waits, whatever its lane still holds: for tests, which depend on nothing in the lane. */
  insertFirst: database.prepare<never, Omit<Lane, "monitorId"> & { alertId: number; at: Instant }>(
    `insert into deliveries (alert_id, destination, recipient, created_at, attempts, next_attempt_at)
     values ($alertId, $destination, $recipient, $at, 0, ${FIRST})`,
  ),
  /** The oldest unfinished delivery of a lane; the others in it wait for it. */
  firstOfLane: database.prepare<{ id: number }, Lane>(
    `select id from deliveries where id = coalesce(
       (select id from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken order by id limit 1),
       (select id from deliveries where ${UNFINISHED_IN_LANE} order by id limit 1))`,
  ),
  /** Makes a delivery that waits for its next attempt due before all others; returns nothing for any other delivery. */
  bringForward: database.prepare<{ id: number }, { id: number; now: Instant }>(
    `update deliveries set next_attempt_at = ${FIRST}, not_before = iif(held, $now, not_before), held = 0
     where id = $id and (${WAITING} or held) returning id`,
  ),
  /** The routes on which an incident was reported, each once; not those where that is to be heard later. */
  routesOf: database.prepare<Route, { incidentId: number; at: Instant }>(
    `select distinct destination, recipient from alerts join deliveries on alert_id = alerts.id
     where alerts.incident_id = (select $incidentId) and ${IS_TOLD} order by destination, recipient`,
  ),
});

/**
 * Writes one delivery per route, to be sent from `at`, each after what its lane still holds. Runs inside the
 * transaction that stores the alert (R36).
 */
export function enqueueDeliveries(statements: DeliveryStatements, deliveries: NewDeliveries): void {
  const { alertId, incidentId, monitorId, routes, at } = deliveries;
  const isAlone = statements.anyOfMonitor.get({ monitorId }) === null;
  for (const { destination, recipient, notBefore = null } of routes) {
    const delivery = { alertId, incidentId, monitorId, destination, recipient, at, notBefore };
    if (!isAlone && notBefore === null) statements.letLaneGo.run({ monitorId, destination, recipient, at });
    statements[isAlone ? "insertAlone" : "insert"].run(delivery);
  }
}

/**
 * Ends what an incident has not told yet where `isLater`, and says why. Returns whether there was anything, so that the
 * notifier looks at what stood behind it. In the transaction that decides it.
 */
export function takeBack(
  { heldOf, takeBack, promote }: DeliveryStatements,
  { monitorId, ...unheard }: Readonly<{ monitorId: number; incidentId: number } & NotSent>,
  isLater: (destination: string, since: Instant) => boolean,
): boolean {
  const { incidentId, at } = unheard;
  const held = heldOf.all({ monitorId, incidentId, at }).filter((one) => isLater(one.destination, one.writtenAt));
  for (const { destination } of held)
    for (const lane of takeBack.all({ monitorId, destination, ...unheard })) promote.run({ ...lane, at });
  return held.length > 0;
}

/** Like `enqueueDeliveries` for a test, which waits for nothing; a notice written while we try it comes after it. */
export function enqueueTests(statements: DeliveryStatements, { alertId, routes, at }: NewTests): void {
  for (const { destination, recipient } of routes) {
    statements.insertFirst.run({ alertId, destination, recipient, at });
  }
}

// The rows of destinations: what we remember about each over a restart (R36). The engine gives it meaning.

export interface Outage {
  readonly name: string;
  readonly failingSince: Instant | null;
  /** Null: no notice has reported it. */
  readonly toldAlertId: number | null;
  /** Since when it fails, as that notice says; ISO 8601. */
  readonly notifiedSince: string | null;
}

export function keptTableRows(database: Database) {
  const all = database.prepare<{ path: string; settings: string }, []>(
    "SELECT path, settings FROM kept_tables ORDER BY added_at, path",
  );
  const save = database.prepare<null, [{ path: string; settings: string; at: Instant }]>(
    `INSERT INTO kept_tables (path, settings, added_at) VALUES ($path, $settings, $at)
     ON CONFLICT (path) DO UPDATE SET settings = $settings`,
  );
  const rename = database.prepare<null, [string, string]>("UPDATE kept_tables SET path = ? WHERE path = ?");
  const remove = database.prepare<null, [string]>("DELETE FROM kept_tables WHERE path = ?");
  return {
    /** In the order in which they were added. */
    all: (): KeptTable[] => all.all().map(({ path, settings }) => ({ path, settings: JSON.parse(settings) })),
    save: ({ path, settings }: KeptTable, at: Instant): void =>
      void save.run({ path, settings: JSON.stringify(settings), at }),
    rename: (from: string, to: string): void => void rename.run(to, from),
    /** Whether there was one. */
    remove: (path: string): boolean => remove.run(path).changes > 0,
  };
}

/** What of the past tells whether a mail server takes messages for a recipient. */
const LATEST = 2_000;

/** A type and not an interface, because SQLite's bindings take only types. */
type StoredFailure = { name: string; since: Instant | null; answer: string | null; blocked: boolean | null };

export type DestinationRows = ReturnType<typeof destinationRows>;

export function destinationRows(database: Database) {
  const failing = database.prepare<{ name: string; since: Instant; answer: string | null; blocked: 0 | 1 | null }, []>(
    `SELECT name, failing_since AS since, failing_answer AS answer, failing_blocked AS blocked FROM destinations
     WHERE failing_since IS NOT NULL`,
  );
  const setFailing = database.prepare<null, [StoredFailure]>(
    `INSERT INTO destinations (name, failing_since, failing_answer, failing_blocked)
     VALUES ($name, $since, $answer, $blocked)
     ON CONFLICT (name) DO UPDATE SET failing_since = $since, failing_answer = $answer, failing_blocked = $blocked`,
  );
  const takes = database.prepare<Readonly<{ destination: string; recipient: string }>, []>(
    `SELECT DISTINCT destination, recipient FROM deliveries
     WHERE id > (SELECT max(id) FROM deliveries) - ${LATEST} AND outcome = 'sent' AND recipient IS NOT NULL`,
  );
  const outages = database.prepare<Outage, []>(
    `SELECT name, failing_since AS failingSince, told_alert_id AS toldAlertId,
       (SELECT ${inAlert("notice.since")} FROM alerts a WHERE a.id = told_alert_id) AS notifiedSince
     FROM destinations
     WHERE failing_since IS NOT NULL OR told_alert_id IS NOT NULL ORDER BY name`,
  );
  const setNotified = database.prepare<null, [number | null, string]>(
    "UPDATE destinations SET told_alert_id = ? WHERE name = ?",
  );
  const fingerprint = database.prepare<{ fingerprint: string | null }, [string]>(
    "SELECT fingerprint FROM destinations WHERE name = ?",
  );
  const setFingerprint = database.prepare<null, [{ name: string; fingerprint: string }]>(
    `INSERT INTO destinations (name, fingerprint) VALUES ($name, $fingerprint)
     ON CONFLICT (name) DO UPDATE SET fingerprint = $fingerprint, failing_answer = NULL, failing_blocked = NULL`,
  );
  const keep = database.prepare<{ name: string }, [string]>(
    "DELETE FROM destinations WHERE name NOT IN (SELECT value FROM json_each(?)) RETURNING name",
  );
  const at = "destination = (select $from)";
  // In these words the planner uses deliveries_unsent_at, and reads open incidents and what they were told alone.
  const waits = "outcome IS NOT 'sent' AND finished_at IS NULL";
  const told = `SELECT d.id FROM incidents i CROSS JOIN alerts a ON a.incident_id = i.id
    CROSS JOIN deliveries d ON d.alert_id = a.id WHERE i.closed_at IS NULL AND d.destination = (SELECT $from)`;
  const busy = database.prepare<{ busy: number }, [Readonly<{ from: string; to: string }>]>(
    `SELECT EXISTS (SELECT 1 FROM deliveries WHERE ${at} AND ${waits} AND claimed_at IS NOT NULL)
       OR EXISTS (SELECT 1 FROM deliveries WHERE destination = (SELECT $to) AND ${waits}) AS busy`,
  );
  const moving = [
    `UPDATE deliveries SET destination = $to WHERE ${at} AND ${waits}`,
    // Whom an open incident was told, as its acknowledgement goes there.
    `UPDATE deliveries SET destination = $to WHERE id IN (${told})`,
    `UPDATE deliveries SET destination = $to WHERE ${at} AND untold IS NOT NULL`,
    `UPDATE OR REPLACE undelivered_told SET destination = $to WHERE ${at}`,
    "UPDATE OR REPLACE destinations SET name = $to WHERE name = (select $from)",
  ].map((sql) => database.prepare<null, [Readonly<{ from: string; to: string }>]>(sql));
  return {
    /** Something is being sent to `from`, or waits for another destination that was called `to`. */
    isBusy: (from: string, to: string): boolean => busy.get({ from, to })?.busy === 1,
    /** What is yet to be sent or told of a destination, under another name; how much of it waits. */
    rename: (from: string, to: string): number => moving.map((update) => update.run({ from, to }).changes)[0]!,
    /** Destinations that fail, since when, and what the last attempt was answered (null: nothing against it). */
    failing: (): ReadonlyMap<string, DestinationFailure> =>
      new Map(
        failing.all().map(({ name, since, answer, blocked }) => [name, { since, answer, blocked: blocked === 1 }]),
      ),
    /** Null: it takes messages. */
    setFailing: (name: string, failure: DestinationFailure | null) => {
      const { since, answer, blocked } = failure ?? { since: null, answer: null, blocked: null };
      setFailing.run({ name, since, answer, blocked: answer === null ? null : blocked });
    },
    /** Who got one of the newest messages by name. */
    takes: () => takes.all(),
    /** Destinations that fail, and those that a notice has called failing. */
    outages: () => outages.all(),
    /** `alertId`: the notice that it fails; null: a later notice has said that it works again. */
    setNotified: (name: string, alertId: number | null) => void setNotified.run(alertId, name),
    fingerprint: (name: string) => fingerprint.get(name)?.fingerprint ?? null,
    setFingerprint: (name: string, value: string) => void setFingerprint.run({ name, fingerprint: value }),
    /** Forgets all others, and answers which these were. */
    keep: (names: readonly string[]) => keep.all(JSON.stringify(names)).map(({ name }) => name),
  };
}
