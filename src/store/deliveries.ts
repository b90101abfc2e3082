// The deliveries table: alerts on their way out, in lanes. A lane is one monitor at one destination and recipient; all
// notices to one of these are a lane too. Only the oldest unfinished delivery of a lane has a `next_attempt_at` (R36:
// order). This file opens no transaction and decides no time. claims.ts serves the notifier.

import type { Database } from "bun:sqlite";
import type { KeptText } from "../domain/settings/kept.ts";
import type { Route } from "../domain/settings/policy.ts";
import type { DestinationFailure } from "../domain/settings/reach.ts";
import { NOT_CONFIGURED, TAKEN_BACK } from "../domain/telling/owed.ts";
import type { WhyDue } from "../domain/telling/plan.ts";
import type { Instant } from "../domain/time.ts";
import type { EndedDelivery } from "./file/restored.ts";
import { type LanePlace, type NotSent, prepareLanes, UNFINISHED_IN_LANE } from "./lanes.ts";
import { NOT_SENT_AGAIN, prepareOwed } from "./owed-rows.ts";
import { inAlert, TROUBLE_TYPES } from "./sql.ts";

/** Where one alert goes. `incidentId` and `alertId` are row ids. */
export interface NewDeliveries {
  readonly alertId: number;
  /** `incidentId` and `monitorId` are `null` for a notice. */
  readonly incidentId: number | null;
  readonly monitorId: number | null;
  readonly routes: readonly Route[];
  readonly at: Instant;
}

export type NewTests = Omit<NewDeliveries, "incidentId" | "monitorId">;

/** A delivery that was given up. `application` is empty for a notice. */
type GivenUpRow = Omit<LanePlace, "destination"> &
  Readonly<{ alertId: number; incidentId: number | null; application: string }>;

type Inserted = LanePlace &
  Readonly<{ alertId: number; incidentId: number | null; at: Instant; due: Instant | null; why: WhyDue | null }> &
  Readonly<{ via: string | null; from: Instant | null }>;

/** SQL: whether a delivery can be claimed. The planner uses the index deliveries_waiting only for these exact words. */
export const WAITING = "next_attempt_at is not null and claimed_at is null";

/** A value of `next_attempt_at` that makes a delivery come before all others. */
const FIRST = 0;

/**
 * SQL: the assignment that lets the first delivery of a lane be attempted when it is due. While a pause holds it,
 * `due_at` is null, and so it is never attempted.
 */
export const FROM_NOW_ON = "next_attempt_at = max(due_at, $at)";

/**
 * SQL for the column `stands`: whether a delivery with this ending becomes the one by which its receiver knows of
 * trouble. It must be a message of trouble that was sent or given up. Then either its incident is open; or it is no
 * copy of an earlier delivery and the receiver still has something to hear: the newest incident of the monitor is open,
 * a later message of the lane waits, or no end was written for this receiver (it was removed meanwhile, so the end is
 * owed). `alike` is the id of an alert of the same type.
 */
export const becomesKnownTrouble = (ending: string, alike = "alert_id"): string => `${ending} in ('sent', 'given_up')
  and exists (select 1 from alerts where alerts.id = ${alike} and type in (${TROUBLE_TYPES}))
  and (exists (select 1 from incidents where incidents.id = incident_id and closed_at is null)
    or not exists (select 1 from deliveries original where original.alert_id = deliveries.alert_id
        and original.destination = deliveries.destination and original.recipient is deliveries.recipient
        and original.id < deliveries.id)
      and (coalesce((select closed_at is null from incidents where incidents.monitor_id = deliveries.monitor_id
          order by number desc limit 1), 0)
        or exists (select 1 from deliveries later where later.monitor_id is deliveries.monitor_id
          and later.destination = deliveries.destination and later.recipient is deliveries.recipient
          and later.id > deliveries.id and later.finished_at is null)
        or not exists (select 1 from alerts over cross join deliveries own on own.alert_id = over.id
          where over.incident_id = deliveries.incident_id and over.type = 'monitor.recovered'
            and own.destination = deliveries.destination and own.recipient is deliveries.recipient)))`;

/**
 * SQL: whether the receiver may have got the message. It surely got nothing only when the message was given up at its
 * first attempt because the destination was not configured any more.
 */
export const mayBeKnown = (ending: string, attempts: string): string =>
  `(${ending} = 'sent' or ${attempts} > 1 or $answer is not '${NOT_CONFIGURED}')`;

/**
 * SQL: whether the receiver now knows the delivery `ended` (of the alert `a`) instead of the delivery `older`. A
 * message of trouble always replaces what was known. An end does so only if it arrived, and not when `older` tells of a
 * later incident.
 */
export const replacesKnown = (older: string): string => `(a.type in (${TROUBLE_TYPES})
  or a.type = 'monitor.recovered' and ended.outcome = 'sent' and not coalesce(${older}.incident_id > ended.incident_id, 0))`;

/**
 * SQL: the earlier delivery of the lane of `$id` by which the receiver knows of trouble (`stands`). The condition
 * repeats the words of the index deliveries_lanes, so that the planner uses it.
 */
export const OLDER_THAT_STANDS = `monitor_id is (select $monitorId) and destination = (select $destination)
  and recipient is (select $recipient) and (finished_at is null or stands) and stands and id < $id`;

/**
 * Sets `stands` to 0 in the delivery by which the receiver knew of trouble until now, when the delivery `$id` replaces
 * it.
 */
export const prepareClearStands = (database: Database) =>
  database.prepare<never, LanePlace & { id: number }>(
    `update deliveries set stands = 0 where ${OLDER_THAT_STANDS}
       and exists (select 1 from deliveries ended cross join alerts a on a.id = ended.alert_id where ended.id = $id and ${replacesKnown("deliveries")})`,
  );

/** Makes the oldest unfinished delivery of a lane due. */
export const preparePromote = (database: Database) =>
  database.prepare<never, LanePlace & { at: Instant }>(
    `update deliveries set ${FROM_NOW_ON}
     where id = (select id from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken order by id limit 1)
       and next_attempt_at is null`,
  );

/**
 * The deliveries that were given up at a destination since then and whose alert was not sent there again. Tests are
 * left out.
 */
const prepareGivenUp = (database: Database) =>
  database.prepare<GivenUpRow, { destination: string; since: Instant }>(
    `select alert_id as alertId, d.incident_id as incidentId, monitor_id as monitorId, recipient,
       coalesce(${inAlert("applicationId")}, '') as application
     from deliveries d cross join alerts a on a.id = alert_id
     where destination = (select $destination) and outcome is not 'sent' and outcome = 'given_up'
       and finished_at >= (select $since) and type is not 'destination.test'
       and ${NOT_SENT_AGAIN}
     order by d.id`,
  );

export type DeliveryStatements = ReturnType<typeof prepareDeliveries>;

/** Prepares the statements that write deliveries, once for each connection. Parameter names come without the `$`. */
export const prepareDeliveries = (database: Database) => ({
  ...prepareLanes(database),
  ...prepareOwed(database),
  givenUpAt: prepareGivenUp(database),
  /** Whether anything was given up at a destination since then. */
  anyGivenUp: database.prepare<{ found: 1 }, { destination: string; since: Instant }>(
    `select 1 as found from deliveries where destination = (select $destination) and outcome is not 'sent'
       and outcome = 'given_up' and finished_at >= (select $since) limit 1`,
  ),
  /**
   * Inserts a delivery. `isFirst` says that nothing waits before it in its lane, so that it may be attempted once it is
   * due.
   */
  insert: database.prepare<never, Inserted & { isFirst: boolean }>(
    `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, next_attempt_at,
       due_at, why, via, from_at)
     values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0, iif($isFirst, $due, null), $due, $why, $via, $from)`,
  ),
  /** Stores how this delivery ended, as the database says that a restore has replaced. The rest of the lane goes on. */
  endedBefore: database.prepare<LanePlace & { id: number }, EndedDelivery>(
    `update deliveries set finished_at = $finishedAt, outcome = $outcome, answer = $answer, attempts = $attempts,
       sent_as = $sentAs, why = coalesce($why, why), claimed_at = null, next_attempt_at = null, stands = ${becomesKnownTrouble("$outcome")} and ${mayBeKnown("$outcome", "$attempts")}
     where id = $id and finished_at is null returning id, monitor_id as monitorId, destination, recipient`,
  ),
  /** Stores that an incident's alert of this type arrived at this receiver, which only the replaced database knew. */
  arrivedBefore: database.prepare<
    LanePlace & { id: number },
    LanePlace & { incidentId: number; type: string; finishedAt: Instant; answer: string }
  >(
    `update deliveries set finished_at = $finishedAt, outcome = 'sent', answer = $answer, attempts = 1,
       next_attempt_at = null
     where ${UNFINISHED_IN_LANE} and incident_id = (select $incidentId)
       and exists (select 1 from alerts where alerts.id = alert_id and alerts.type = $type)
     returning id, monitor_id as monitorId, destination, recipient`,
  ),
  /**
   * Prolongs the waits of deliveries by `movedMs`, by which the clock was set forward, so that each keeps its length.
   * `before` is what the clock said until then.
   */
  putOff: database.prepare<never, { before: Instant; movedMs: number }>(
    `update deliveries set from_at = coalesce(from_at, created_at) + $movedMs, due_at = due_at + $movedMs,
       next_attempt_at = next_attempt_at + $movedMs
     where finished_at is null and attempts = 0 and why = 'after' and due_at > $before`,
  ),
  clearStands: prepareClearStands(database),
  /**
   * Inserts a delivery that is not sent. `knownBy` is the delivery by which the destination knows already, or `null`.
   */
  insertNotSent: database.prepare<never, LanePlace & NotSent & { incidentId: number; alertId: number }>(
    `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, finished_at,
       outcome, answer, why, digest_id)
     values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0, $at, 'not_sent', $answer, $why, $knownBy)`,
  ),
  promote: preparePromote(database),
  /**
   * Inserts a delivery that is due before all that waits, whatever its lane holds. It is for tests, which depend on
   * nothing in the lane.
   */
  insertFirst: database.prepare<never, Omit<LanePlace, "monitorId"> & { alertId: number; at: Instant }>(
    `insert into deliveries (alert_id, destination, recipient, created_at, attempts, next_attempt_at, due_at)
     values ($alertId, $destination, $recipient, $at, 0, ${FIRST}, $at)`,
  ),
  /** The oldest unfinished delivery of a lane; all other deliveries in the lane wait for it. */
  firstOfLane: database.prepare<{ id: number }, LanePlace>(
    `select id from deliveries where id = coalesce(
       (select id from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken order by id limit 1),
       (select id from deliveries where ${UNFINISHED_IN_LANE} order by id limit 1))`,
  ),
  /** Makes a waiting delivery due before all others. Returns nothing when the delivery was not waiting. */
  bringForward: database.prepare<{ id: number }, { id: number; now: Instant }>(
    `update deliveries set next_attempt_at = ${FIRST}, due_at = min(coalesce(due_at, $now), $now)
     where id = $id and finished_at is null and claimed_at is null returning id`,
  ),
});

/**
 * Writes one delivery for each route, due at once. Everything that its lane holds for later becomes due before it. It
 * is for notices and copies; alerts are planned (engine/telling.ts). Runs inside the transaction that stores the alert
 * (R36).
 */
export function enqueueDeliveries(statements: DeliveryStatements, deliveries: NewDeliveries): void {
  const { alertId, incidentId, monitorId, routes, at } = deliveries;
  for (const { destination, recipient } of routes) {
    const place = { monitorId, destination, recipient };
    statements.letLaneGo.run({ ...place, at });
    const isFirst = statements.anyInLane.get(place) === null;
    statements.insert.run({ ...place, alertId, incidentId, at, due: at, why: "now", via: null, from: null, isFirst });
  }
}

/**
 * Like `enqueueDeliveries` for a test, which waits for nothing. A notice that is written during the test comes after
 * it.
 */
export function enqueueTests(statements: DeliveryStatements, { alertId, routes, at }: NewTests): void {
  for (const { destination, recipient } of routes) {
    statements.insertFirst.run({ alertId, destination, recipient, at });
  }
}

/** Writes a test that has arrived already, without the outbox. Must be called in a transaction. */
export function keepArrived(database: Database, { alertId, routes, at }: NewTests, answer: string): void {
  const insert = database.prepare<
    null,
    [Omit<LanePlace, "monitorId"> & { alertId: number; at: Instant; answer: string }]
  >(
    `INSERT INTO deliveries (alert_id, destination, recipient, created_at, attempts, finished_at, outcome, answer)
     VALUES ($alertId, $destination, $recipient, $at, 1, $at, 'sent', $answer)`,
  );
  for (const { destination, recipient } of routes) insert.run({ alertId, destination, recipient, at, answer });
}

// The rows of destinations: what is remembered about each over a restart (R36). The engine gives them meaning.

export interface Outage {
  readonly name: string;
  readonly failingSince: Instant | null;
  /** The notice that told of this outage; `null` when none has. */
  readonly toldAlertId: number | null;
  /** The beginning of the outage as that notice says it, in ISO 8601. */
  readonly notifiedSince: string | null;
}

export function keptRows(database: Database) {
  const all = database.prepare<KeptText, []>("SELECT name, toml FROM kept ORDER BY added_at, name");
  const find = database.prepare<KeptText, [string]>("SELECT name, toml FROM kept WHERE name = ?");
  const save = database.prepare<null, [KeptText & { at: Instant }]>(
    `INSERT INTO kept (name, toml, added_at) VALUES ($name, $toml, $at)
     ON CONFLICT (name) DO UPDATE SET toml = $toml`,
  );
  const rename = database.prepare<null, [string, string]>("UPDATE kept SET name = ? WHERE name = ?");
  const remove = database.prepare<null, [string]>("DELETE FROM kept WHERE name = ?");
  return {
    /** Sorted by when they were added. */
    all: (): KeptText[] => all.all(),
    find: (name: string): KeptText | null => find.get(name),
    save: ({ name, toml }: KeptText, at: Instant): void => void save.run({ name, toml, at }),
    /**
     * Renames a stored piece of the configuration. The caller must also save its TOML text, which still contains the
     * former name.
     */
    rename: (from: string, to: string): void => void rename.run(to, from),
    remove: (name: string): void => void remove.run(name),
  };
}

/** How many of the newest deliveries are searched to see whether a mail server takes messages for a recipient. */
const LATEST = 2_000;

/** The updates that move a destination's rows to another name. `busy` says whether that must wait. */
function prepareRename(database: Database) {
  const at = "destination = (select $from)";
  // With these words the planner uses the index deliveries_unsent_at, so only open incidents and the messages about
  // them are read.
  const waits = "outcome IS NOT 'sent' AND finished_at IS NULL";
  const told = `SELECT d.id FROM incidents i CROSS JOIN alerts a ON a.incident_id = i.id
    CROSS JOIN deliveries d ON d.alert_id = a.id WHERE i.closed_at IS NULL AND d.destination = (SELECT $from)`;
  // The deliveries by which receivers at `from` know of trouble, where messages wait for them. Those messages have the
  // name `to` already.
  const known = `SELECT mark.id FROM deliveries moved CROSS JOIN deliveries mark
      ON mark.monitor_id = moved.monitor_id AND mark.destination = (SELECT $from) AND mark.recipient IS moved.recipient
    WHERE moved.destination = (SELECT $to) AND moved.outcome IS NOT 'sent' AND moved.finished_at IS NULL
      AND (mark.finished_at IS NULL OR mark.stands) AND mark.stands`;
  const busy = database.prepare<{ busy: number }, [Readonly<{ from: string; to: string }>]>(
    `SELECT EXISTS (SELECT 1 FROM deliveries WHERE ${at} AND ${waits} AND claimed_at IS NOT NULL)
       OR EXISTS (SELECT 1 FROM deliveries WHERE destination = (SELECT $to) AND ${waits}) AS busy`,
  );
  const moving = [
    `UPDATE deliveries SET destination = $to WHERE ${at} AND ${waits}`,
    // Deliveries about open incidents that were sent to `from` are moved, because an acknowledgement goes where they
    // went.
    `UPDATE deliveries SET destination = $to WHERE id IN (${told})`,
    `UPDATE deliveries SET destination = $to WHERE id IN (${known})`,
    `UPDATE deliveries SET destination = $to WHERE ${at} AND untold IS NOT NULL`,
    // The newest sent delivery is moved, because it shows that messages arrive there.
    `UPDATE deliveries SET destination = $to WHERE id = (SELECT max(id) FROM deliveries
       WHERE id > (SELECT max(id) FROM deliveries) - ${LATEST} AND ${at} AND outcome = 'sent')`,
    `UPDATE OR REPLACE undelivered_told SET destination = $to WHERE ${at}`,
    "UPDATE OR REPLACE destinations SET name = $to WHERE name = (select $from)",
  ].map((sql) => database.prepare<null, [Readonly<{ from: string; to: string }>]>(sql));
  return { busy, moving };
}

/** This is a type and not an interface, because SQLite's bindings accept only types. */
type StoredFailure = {
  name: string;
  since: Instant | null;
  answer: string | null;
  blocked: boolean | null;
  at: Instant;
};

/** The ids of open incidents about which a destination was sent a message that the service can edit. */
export function openToldAt(database: Database): (destination: string) => readonly number[] {
  const open = database.prepare<{ id: number }, [string]>(
    `SELECT DISTINCT i.id FROM incidents i CROSS JOIN alerts a ON a.incident_id = i.id
     CROSS JOIN deliveries d ON d.alert_id = a.id WHERE i.closed_at IS NULL AND d.destination = ? AND d.sent_as IS NOT NULL AND d.answer IS NOT '${TAKEN_BACK}'`,
  );
  return (destination) => open.all(destination).map(({ id }) => id);
}

export type DestinationRows = ReturnType<typeof destinationRows>;

export function destinationRows(database: Database) {
  const failing = database.prepare<{ name: string; since: Instant; answer: string | null; blocked: 0 | 1 | null }, []>(
    `SELECT name, failing_since AS since, failing_answer AS answer, failing_blocked AS blocked FROM destinations
     WHERE failing_since IS NOT NULL`,
  );
  const setFailing = database.prepare<null, [StoredFailure]>(
    `INSERT INTO destinations (name, failing_since, failing_answer, failing_blocked)
     VALUES ($name, $since, $answer, $blocked)
     ON CONFLICT (name) DO UPDATE SET failing_since = $since, failing_answer = $answer, failing_blocked = $blocked,
       works_since = iif($since IS NULL AND failing_since IS NOT NULL, $at, works_since)`,
  );
  const recentRecipients = database.prepare<Readonly<{ destination: string; recipient: string }>, []>(
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
  const fingerprints = database.prepare<{ name: string; fingerprint: string }, []>(
    "SELECT name, fingerprint FROM destinations WHERE fingerprint IS NOT NULL",
  );
  const fingerprint = database.prepare<{ fingerprint: string | null }, [string]>(
    "SELECT fingerprint FROM destinations WHERE name = ?",
  );
  const setFingerprint = database.prepare<null, [{ name: string; fingerprint: string; at: Instant }]>(
    `INSERT INTO destinations (name, fingerprint, works_since) VALUES ($name, $fingerprint, $at)
     ON CONFLICT (name) DO UPDATE SET fingerprint = $fingerprint, failing_answer = NULL, failing_blocked = NULL`,
  );
  const keep = database.prepare<{ name: string }, [string]>(
    "DELETE FROM destinations WHERE name NOT IN (SELECT value FROM json_each(?)) RETURNING name",
  );
  const { busy, moving } = prepareRename(database);
  return {
    /**
     * Whether the rename must wait: a message is being sent to `from`, or one waits for another destination that was
     * called `to` before.
     */
    isBusy: (from: string, to: string): boolean => busy.get({ from, to })?.busy === 1,
    /**
     * Moves what is still to be sent or told at a destination to another name. Returns how many messages wait there.
     */
    rename: (from: string, to: string): number => moving.map((update) => update.run({ from, to }).changes)[0]!,
    /**
     * The destinations that fail, each with when that began and the last answer; `null` when that answer did not object
     * to the message.
     */
    failing: (): ReadonlyMap<string, DestinationFailure> =>
      new Map(
        failing.all().map(({ name, since, answer, blocked }) => [name, { since, answer, blocked: blocked === 1 }]),
      ),
    /** Stores how a destination fails; `null` when it takes messages. If it failed before, it works from `at` on. */
    setFailing: (name: string, failure: DestinationFailure | null, at: Instant) => {
      const { since, answer, blocked } = failure ?? { since: null, answer: null, blocked: null };
      setFailing.run({ name, since, answer, blocked: answer === null ? null : blocked, at });
    },
    /** For each destination, the recipients to whom one of its newest messages was sent. */
    takes: () => recentRecipients.all(),
    /** Destinations that fail, and those that a notice has called failing. */
    outages: () => outages.all(),
    /**
     * Stores the notice about the failure of a destination; `null` when a later notice has said that it works again.
     */
    setNotified: (name: string, alertId: number | null) => void setNotified.run(alertId, name),
    fingerprints: (): ReadonlyMap<string, string> =>
      new Map(fingerprints.all().map((row) => [row.name, row.fingerprint])),
    fingerprint: (name: string) => fingerprint.get(name)?.fingerprint ?? null,
    /**
     * Stores the fingerprint of a destination's settings. A destination that was not known counts as taking messages
     * from `at` on.
     */
    setFingerprint: (name: string, value: string, at: Instant) =>
      void setFingerprint.run({ name, fingerprint: value, at }),
    /** Forgets all other destinations, and returns which these were. */
    keep: (names: readonly string[]) => keep.all(JSON.stringify(names)).map(({ name }) => name),
  };
}
