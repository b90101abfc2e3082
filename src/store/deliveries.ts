// Writes deliveries: alerts on their way to destinations. The deliveries of one monitor to one destination and
// recipient form a lane. So do all notices to one destination and recipient. In a lane only the oldest unfinished
// delivery has a `next_attempt_at`, so that messages keep their order (R36); one that was perhaps taken does not count.
// The caller opens the transaction, and says all instants. claims.ts has the queries by which deliveries are sent.

import type { Database } from "bun:sqlite";
import type { KeptText } from "../domain/settings/kept.ts";
import type { Route } from "../domain/settings/policy.ts";
import { NOT_CONFIGURED, TAKEN_BACK } from "../domain/telling/owed.ts";
import type { WhyDue } from "../domain/telling/plan.ts";
import type { DestinationFailure } from "../domain/telling/reach.ts";
import type { Instant } from "../domain/time.ts";
import type { EndedDelivery } from "./file/restored.ts";
import { type LanePlace, type NotSent, prepareLanes, UNFINISHED_IN_LANE } from "./lanes.ts";
import { NOT_SENT_AGAIN, prepareOwed } from "./owed-rows.ts";
import { alertFieldSql, TROUBLE_TYPES } from "./sql.ts";

/** An alert and its receivers. */
export interface NewDeliveries {
  readonly alertId: number;
  /** The ids of the incident's and the monitor's rows; both are `null` for a notice. */
  readonly incidentId: number | null;
  readonly monitorId: number | null;
  readonly routes: readonly Route[];
  readonly at: Instant;
}

export type NewTests = Omit<NewDeliveries, "incidentId" | "monitorId">;

/** A delivery that was given up. `application` is the slug of the monitor's application; empty for a notice. */
type GivenUpRow = Omit<LanePlace, "destination"> &
  Readonly<{ alertId: number; incidentId: number | null; application: string }>;

type Inserted = LanePlace &
  Readonly<{ alertId: number; incidentId: number | null; at: Instant; due: Instant | null; why: WhyDue | null }> &
  Readonly<{ via: string | null; from: Instant | null }>;

/**
 * SQL: whether a delivery waits for an attempt and none is in progress. SQLite uses the index deliveries_waiting only
 * when a query has exactly these words.
 */
export const WAITING = "next_attempt_at is not null and claimed_at is null";

/** The value of `next_attempt_at` by which a delivery is attempted before all others. */
const FIRST = 0;

/**
 * SQL: an assignment that lets a delivery be attempted from the instant `$at` on, but not before it is due. While a
 * manual pause or a suspension holds the delivery, `due_at` is null. Then `next_attempt_at` stays null and no attempt
 * is made.
 */
export const FROM_NOW_ON = "next_attempt_at = max(due_at, $at)";

/**
 * SQL for the column `stands` of a delivery that ends: true when its receiver knows of trouble by this delivery from
 * now on. The delivery must tell of trouble, and must have been sent or given up. If its incident is open, nothing more
 * is needed. If its incident is closed, it must be the first delivery of its alert to this receiver, and one of these
 * must be true:
 * - The newest incident of the monitor is open.
 * - A later message of the lane waits.
 * - The receiver has no delivery of the incident's recovery, so it is owed one.
 * `ending` is SQL of the delivery's outcome. `alike` is SQL of the id of an alert that has the type of the delivery's
 * alert.
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
 * SQL: whether the receiver may have got the message. It surely did not get one that was given up at its first attempt,
 * because its destination was not configured any more. `ending` is SQL of the delivery's outcome, and `attempts` of the
 * number of its attempts.
 */
export const mayBeKnown = (ending: string, attempts: string): string =>
  `(${ending} = 'sent' or ${attempts} > 1 or $answer is not '${NOT_CONFIGURED}')`;

/**
 * SQL: whether the delivery `older` loses the mark `stands`, now that the newer delivery `ended` of its lane has ended.
 * `stands` marks the delivery by which a receiver knows of trouble. `a` is the alert of `ended`. If `ended` is a
 * message of trouble, `older` always loses the mark. If it is a recovery, `older` loses the mark only if the recovery
 * was sent and `older` is not about a later incident.
 */
export const replacesKnown = (older: string): string => `(a.type in (${TROUBLE_TYPES})
  or a.type = 'monitor.recovered' and ended.outcome = 'sent' and not coalesce(${older}.incident_id > ended.incident_id, 0))`;

/**
 * SQL: whether a delivery is in the lane of the delivery `$id`, is older, and is the one by which the receiver knows of
 * trouble (`stands`). The words `finished_at is null or stands` are needed so that SQLite uses the index
 * deliveries_lanes.
 */
export const OLDER_THAT_STANDS = `monitor_id is (select $monitorId) and destination = (select $destination)
  and recipient is (select $recipient) and (finished_at is null or stands) and stands and id < $id`;

/**
 * Must be run when the delivery `$id` has ended. `stands` marks the delivery by which a receiver knows of trouble. If
 * `$id` takes the place of an older delivery that has this mark, the older one loses the mark.
 */
export const prepareClearStands = (database: Database) =>
  database.prepare<never, LanePlace & { id: number }>(
    `update deliveries set stands = 0 where ${OLDER_THAT_STANDS}
       and exists (select 1 from deliveries ended cross join alerts a on a.id = ended.alert_id where ended.id = $id and ${replacesKnown("deliveries")})`,
  );

/**
 * Lets the oldest unfinished delivery of a lane be attempted once it is due. One that was perhaps taken is passed over.
 */
export const preparePromote = (database: Database) =>
  database.prepare<never, LanePlace & { at: Instant }>(
    `update deliveries set ${FROM_NOW_ON}
     where id = (select id from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken order by id limit 1)
       and next_attempt_at is null`,
  );

/**
 * Finds deliveries that were given up at a destination since an instant. It leaves out tests, and alerts that were
 * written again for the same receiver later, because its destination worked again.
 */
const prepareGivenUp = (database: Database) =>
  database.prepare<GivenUpRow, { destination: string; since: Instant }>(
    `select alert_id as alertId, d.incident_id as incidentId, monitor_id as monitorId, recipient,
       coalesce(${alertFieldSql("applicationId")}, '') as application
     from deliveries d cross join alerts a on a.id = alert_id
     where destination = (select $destination) and outcome is not 'sent' and outcome = 'given_up'
       and finished_at >= (select $since) and type is not 'destination.test'
       and ${NOT_SENT_AGAIN}
     order by d.id`,
  );

export type DeliveryStatements = ReturnType<typeof prepareDeliveries>;

export const prepareDeliveries = (database: Database) => ({
  ...prepareLanes(database),
  ...prepareOwed(database),
  givenUpAt: prepareGivenUp(database),
  anyGivenUp: database.prepare<{ found: 1 }, { destination: string; since: Instant }>(
    `select 1 as found from deliveries where destination = (select $destination) and outcome is not 'sent'
       and outcome = 'given_up' and finished_at >= (select $since) limit 1`,
  ),
  /**
   * Inserts a delivery. `isFirst` says that the lane holds no delivery that must go before this one. Then this one may
   * be attempted once it is due.
   */
  insert: database.prepare<never, Inserted & { isFirst: boolean }>(
    `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, next_attempt_at,
       due_at, why, via, from_at)
     values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0, iif($isFirst, $due, null), $due, $why, $via, $from)`,
  ),
  /**
   * Used after a restore: stores how a delivery ended that waits in the backup but had ended in the replaced database.
   * Returns its lane, so that the caller can let the lane's next delivery go.
   */
  endedBefore: database.prepare<LanePlace & { id: number }, EndedDelivery>(
    `update deliveries set finished_at = $finishedAt, outcome = $outcome, answer = $answer, attempts = $attempts,
       sent_as = $sentAs, why = coalesce($why, why), claimed_at = null, next_attempt_at = null, stands = ${becomesKnownTrouble("$outcome")} and ${mayBeKnown("$outcome", "$attempts")}
     where id = $id and finished_at is null returning id, monitor_id as monitorId, destination, recipient`,
  ),
  /**
   * Used after a restore, for an alert that one receiver got according to the replaced database. Its unfinished
   * delivery to this receiver ends as sent. The alert is found by its incident and its type.
   */
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
   * Used when the clock was set forward by `movedMs`: deliveries that wait because of `after` become due later by as
   * much. `before` is what the clock said just before it was moved.
   */
  putOff: database.prepare<never, { before: Instant; movedMs: number }>(
    `update deliveries set from_at = coalesce(from_at, created_at) + $movedMs, due_at = due_at + $movedMs,
       next_attempt_at = next_attempt_at + $movedMs
     where finished_at is null and attempts = 0 and why = 'after' and due_at > $before`,
  ),
  clearStands: prepareClearStands(database),
  /**
   * Inserts a delivery that is never to be sent. `knownBy` is the delivery by which the receiver already knows of the
   * same trouble, or `null`.
   */
  insertNotSent: database.prepare<never, LanePlace & NotSent & { incidentId: number; alertId: number }>(
    `insert into deliveries (alert_id, incident_id, monitor_id, destination, recipient, created_at, attempts, finished_at,
       outcome, answer, why, digest_id)
     values ($alertId, $incidentId, $monitorId, $destination, $recipient, $at, 0, $at, 'not_sent', $answer, $why, $knownBy)`,
  ),
  promote: preparePromote(database),
  /** Inserts a test. It is attempted before all other deliveries, whatever waits in its lane. */
  insertFirst: database.prepare<never, Omit<LanePlace, "monitorId"> & { alertId: number; at: Instant }>(
    `insert into deliveries (alert_id, destination, recipient, created_at, attempts, next_attempt_at, due_at)
     values ($alertId, $destination, $recipient, $at, 0, ${FIRST}, $at)`,
  ),
  /**
   * The delivery for which the others of a lane wait: the oldest unfinished one. A delivery that its receiver may have
   * got already (`perhaps_taken`) is chosen only if the lane has no other.
   */
  firstOfLane: database.prepare<{ id: number }, LanePlace>(
    `select id from deliveries where id = coalesce(
       (select id from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken order by id limit 1),
       (select id from deliveries where ${UNFINISHED_IN_LANE} order by id limit 1))`,
  ),
  /**
   * Lets a waiting delivery be attempted before all others. Returns nothing when the delivery is finished or is being
   * attempted.
   */
  bringForward: database.prepare<{ id: number }, { id: number; now: Instant }>(
    `update deliveries set next_attempt_at = ${FIRST}, due_at = min(coalesce(due_at, $now), $now)
     where id = $id and finished_at is null and claimed_at is null returning id`,
  ),
});

/**
 * Writes one delivery for each route, due at once, such as for a notice or for a message that is sent again. Earlier
 * messages of the same lanes become due at once too, because they must go first. New alerts get their deliveries by a
 * plan instead (engine/telling.ts). Must be called in a transaction. A new notice must be stored in the same
 * transaction (R36).
 */
export function insertDueDeliveries(statements: DeliveryStatements, deliveries: NewDeliveries): void {
  const { alertId, incidentId, monitorId, routes, at } = deliveries;
  for (const { destination, recipient } of routes) {
    const place = { monitorId, destination, recipient };
    statements.letLaneGo.run({ ...place, at });
    const isFirst = statements.anyInLane.get(place) === null;
    statements.insert.run({ ...place, alertId, incidentId, at, due: at, why: "now", via: null, from: null, isFirst });
  }
}

/**
 * Writes the deliveries of a test, which wait for no other delivery. A notice that is written before the test has ended
 * waits for the test.
 */
export function enqueueTests(statements: DeliveryStatements, { alertId, routes, at }: NewTests): void {
  for (const { destination, recipient } of routes) {
    statements.insertFirst.run({ alertId, destination, recipient, at });
  }
}

/** Writes the deliveries of a test that other code has sent and that has arrived. Must be called in a transaction. */
export function insertArrivedTests(database: Database, { alertId, routes, at }: NewTests, answer: string): void {
  const insert = database.prepare<
    null,
    [Omit<LanePlace, "monitorId"> & { alertId: number; at: Instant; answer: string }]
  >(
    `INSERT INTO deliveries (alert_id, destination, recipient, created_at, attempts, finished_at, outcome, answer)
     VALUES ($alertId, $destination, $recipient, $at, 1, $at, 'sent', $answer)`,
  );
  for (const { destination, recipient } of routes) insert.run({ alertId, destination, recipient, at, answer });
}

// Reads and writes the table `destinations`. The engine decides what follows from its rows.

export interface Outage {
  readonly name: string;
  readonly failingSince: Instant | null;
  /** The id of the notice that told other destinations of this outage; `null` when none has. */
  readonly toldAlertId: number | null;
  /** When the outage began, in ISO 8601, as the notice `toldAlertId` says it; `null` without such a notice. */
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
    /** All kept sections, the oldest first. */
    all: (): KeptText[] => all.all(),
    find: (name: string): KeptText | null => find.get(name),
    save: ({ name, toml }: KeptText, at: Instant): void => void save.run({ name, toml, at }),
    /** Gives a kept section another name. The caller must also save its TOML text, which still has the former name. */
    rename: (from: string, to: string): void => void rename.run(to, from),
    remove: (name: string): void => void remove.run(name),
  };
}

/** How many of the newest deliveries are searched for those that were sent, to learn which receivers take messages. */
const NEWEST_SEARCHED = 2_000;

function prepareRename(database: Database) {
  const at = "destination = (select $from)";
  // With the words of this condition SQLite uses the index deliveries_unsent_at, and need not read every delivery that
  // was ever sent.
  const waits = "outcome IS NOT 'sent' AND finished_at IS NULL";
  const told = `SELECT d.id FROM incidents i CROSS JOIN alerts a ON a.incident_id = i.id
    CROSS JOIN deliveries d ON d.alert_id = a.id WHERE i.closed_at IS NULL AND d.destination = (SELECT $from)`;
  // This runs after the waiting deliveries have got the name `to`. It finds deliveries that still have the name `from`:
  // in each lane of a waiting delivery, the one by which the receiver knows of trouble.
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
    // Later acknowledgements are told to the destinations that have deliveries about open incidents. So these
    // deliveries get the new name too.
    `UPDATE deliveries SET destination = $to WHERE id IN (${told})`,
    `UPDATE deliveries SET destination = $to WHERE id IN (${known})`,
    `UPDATE deliveries SET destination = $to WHERE ${at} AND untold IS NOT NULL`,
    // The newest sent delivery shows that the destination takes messages, so it gets the new name too.
    `UPDATE deliveries SET destination = $to WHERE id = (SELECT max(id) FROM deliveries
       WHERE id > (SELECT max(id) FROM deliveries) - ${NEWEST_SEARCHED} AND ${at} AND outcome = 'sent')`,
    `UPDATE OR REPLACE undelivered_told SET destination = $to WHERE ${at}`,
    "UPDATE OR REPLACE destinations SET name = $to WHERE name = (select $from)",
  ].map((sql) => database.prepare<null, [Readonly<{ from: string; to: string }>]>(sql));
  return { busy, moving };
}

type StoredFailure = {
  name: string;
  since: Instant | null;
  answer: string | null;
  blocked: boolean | null;
  at: Instant;
};

/**
 * Returns a function that finds the ids of the open incidents about which a destination got a message that can be
 * edited.
 */
export function openIncidentsToldAt(database: Database): (destination: string) => readonly number[] {
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
     WHERE id > (SELECT max(id) FROM deliveries) - ${NEWEST_SEARCHED} AND outcome = 'sent' AND recipient IS NOT NULL`,
  );
  const outages = database.prepare<Outage, []>(
    `SELECT name, failing_since AS failingSince, told_alert_id AS toldAlertId,
       (SELECT ${alertFieldSql("notice.since")} FROM alerts a WHERE a.id = told_alert_id) AS notifiedSince
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
  const forgetOthers = database.prepare<{ name: string }, [string]>(
    "DELETE FROM destinations WHERE name NOT IN (SELECT value FROM json_each(?)) RETURNING name",
  );
  const { busy, moving } = prepareRename(database);
  return {
    /**
     * Whether a destination must not be renamed yet: a message to `from` is being sent, or messages wait for an earlier
     * destination with the name `to`.
     */
    isBusy: (from: string, to: string): boolean => busy.get({ from, to })?.busy === 1,
    /**
     * Renames a destination in all rows that are still needed, such as those of waiting deliveries. Returns how many
     * messages wait for it.
     */
    rename: (from: string, to: string): number => moving.map((update) => update.run({ from, to }).changes)[0]!,
    /**
     * The destinations whose last attempt failed, by name: since when attempts fail, and what the destination said to
     * the last one (`answer`). `answer` is `null` when the last attempt failed for a reason that is not the
     * destination's, such as a refused message, or when the destination's settings have changed since.
     */
    failing: (): ReadonlyMap<string, DestinationFailure> =>
      new Map(
        failing.all().map(({ name, since, answer, blocked }) => [name, { since, answer, blocked: blocked === 1 }]),
      ),
    /**
     * Stores that a destination fails or, with a `failure` of `null`, that it takes messages. If it failed until now,
     * it counts as working from `at` on.
     */
    setFailing: (name: string, failure: DestinationFailure | null, at: Instant) => {
      const { since, answer, blocked } = failure ?? { since: null, answer: null, blocked: null };
      setFailing.run({ name, since, answer, blocked: answer === null ? null : blocked, at });
    },
    /** The recipients of e-mail, each with its destination, to whom one of the newest deliveries was sent. */
    recentRecipients: () => recentRecipients.all(),
    /**
     * The destinations that fail, and those that work again while a notice still calls them failing. Sorted by name.
     */
    outages: () => outages.all(),
    /**
     * Stores the id of the notice that tells of a destination's failure; `null` once a notice has told that it works
     * again.
     */
    setNotified: (name: string, alertId: number | null) => void setNotified.run(alertId, name),
    fingerprints: (): ReadonlyMap<string, string> =>
      new Map(fingerprints.all().map((row) => [row.name, row.fingerprint])),
    fingerprint: (name: string) => fingerprint.get(name)?.fingerprint ?? null,
    /**
     * Stores a hash of a destination's settings, and forgets what the destination said to the last attempt, because
     * that is about the former settings. A new destination counts as working from `at` on.
     */
    setFingerprint: (name: string, value: string, at: Instant) =>
      void setFingerprint.run({ name, fingerprint: value, at }),
    /** Deletes what is remembered of destinations that are not in `names`, and returns their names. */
    forgetOthers: (names: readonly string[]) => forgetOthers.all(JSON.stringify(names)).map(({ name }) => name),
  };
}
