// The notifier's queries on deliveries: they find what may be attempted, claim it, and store how attempts ended. To
// claim a delivery is to mark that its attempt is in progress. The caller opens the transaction and says all instants.
// deliveries.ts writes new deliveries.

import type { Database } from "bun:sqlite";
import { DIGESTED, type DigestKind } from "../domain/message/digest.ts";
import type { LaterIncident } from "../domain/message/since.ts";
import type { ClosedBy } from "../domain/monitor/incident.ts";
import { TAKEN_BACK } from "../domain/telling/owed.ts";
import type { Instant } from "../domain/time.ts";
import {
  becomesKnownTrouble,
  FROM_NOW_ON,
  mayBeKnown,
  OLDER_THAT_STANDS,
  prepareClearStands,
  preparePromote,
  replacesKnown,
  WAITING,
} from "./deliveries.ts";
import { NEXT_UNTOLD } from "./delivery-lists.ts";
import type { LanePlace } from "./lanes.ts";
import type { StoredOutput } from "./pings.ts";
import { alertFieldSql } from "./sql.ts";

/** A delivery, with its incident as it is now. */
export interface DeliveryRow {
  readonly id: number;
  readonly alertId: number;
  readonly incidentId: number | null;
  readonly destination: string;
  readonly recipient: string | null;
  /**
   * The instant from which the delivery's age counts: when it was due by its plan, so without the time in which it was
   * held.
   */
  readonly createdAt: Instant;
  readonly heldUntil: Instant | null;
  readonly attempts: number;
  /** These fields are of the incident; `null` when the delivery is about none. */
  readonly monitorId: number | null;
  readonly incidentNumber: number | null;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
}

/** An alert as it is stored; `data` is JSON. */
export type AlertRow = Readonly<{ type: string; at: Instant; data: string }>;

export type WaitingRow = Readonly<{ id: number; nextAttemptAt: Instant }>;

type Digestible = {
  readonly destination: string;
  readonly recipient: string | null;
  readonly now: Instant;
  readonly afterAt: Instant;
  readonly afterId: number;
  readonly limit: number;
};

export type ClaimStatements = ReturnType<typeof prepareClaims>;

export const prepareClaims = (database: Database) => ({
  ...prepareSearches(database),
  ...prepareMarks(database),
  ...prepareEndings(database),
  ...prepareReads(database),
});

/** Each of these queries goes straight to its rows by an index, so it is quick however many deliveries wait. */
function prepareSearches(database: Database) {
  // Thousands of deliveries may be due at one instant. The query `since` reads them in parts: by the index it skips the
  // ids that were read before.
  const digestible = (kind: DigestKind) => {
    const query = (place: string) =>
      database.prepare<WaitingRow, Digestible>(
        `select deliveries.id, next_attempt_at as nextAttemptAt from deliveries cross join alerts on alerts.id = alert_id
         where destination = (select $destination) and ${WAITING} and next_attempt_at <= (select $now) and ${place}
           and recipient is (select $recipient) and type in (${DIGESTED[kind].map((type) => `'${type}'`).join(", ")})
         order by next_attempt_at, deliveries.id limit $limit`,
      );
    return {
      since: query("next_attempt_at = (select $afterAt) and deliveries.id > (select $afterId)"),
      later: query("next_attempt_at > (select $afterAt) and $afterId is not null"),
    };
  };
  return {
    destinationAfter: database.prepare<{ destination: string | null }, { destination: string }>(
      `select min(destination) as destination from deliveries where destination > $destination and ${WAITING}`,
    ),
    firstWaiting: database.prepare<WaitingRow, { destination: string }>(
      `select id, next_attempt_at as nextAttemptAt from deliveries where destination = (select $destination) and ${WAITING}
       order by next_attempt_at limit 1`,
    ),
    /**
     * The deliveries that may be attempted at one destination, those that are due longest first. Two of them are of the
     * same lane only if the older one was perhaps taken.
     */
    due: database.prepare<WaitingRow, { destination: string; now: Instant; limit: number }>(
      `select id, next_attempt_at as nextAttemptAt from deliveries
       where destination = (select $destination) and ${WAITING} and next_attempt_at <= (select $now)
       order by next_attempt_at, id limit $limit`,
    ),
    /**
     * The due deliveries to one recipient that may be told in one digest of this kind. `since` gives those that became
     * due at `$afterAt` and have a higher id than `$afterId`; `later` gives those that became due after `$afterAt`.
     */
    digestible: {
      opened: digestible("opened"),
      continued: digestible("continued"),
      recovered: digestible("recovered"),
    } satisfies Record<DigestKind, unknown>,
  };
}

const prepareMarks = (database: Database) => ({
  /**
   * Lets the deliveries of a destination that wait for another attempt be attempted now. Those that are not due by
   * their plan, or were perhaps taken, go on waiting. With `$recipient` null it does so for all recipients.
   */
  forward: database.prepare<never, { destination: string; recipient: string | null; now: Instant; limit: number }>(
    `update deliveries set next_attempt_at = min($now, created_at) where id in
       (select id from deliveries where destination = (select $destination) and ${WAITING} and next_attempt_at > (select $now)
          and due_at <= (select $now) and not perhaps_taken and ($recipient is null or recipient = $recipient)
        order by next_attempt_at limit $limit)`,
  ),
  /**
   * Lets the deliveries whose next attempt a wrong clock has put after `$farOff` be attempted now. Those that are not
   * due by their plan go on waiting.
   */
  forwardPutOff: database.prepare<never, { now: Instant; farOff: Instant; limit: number }>(
    `update deliveries set next_attempt_at = $now where id in
       (select id from deliveries where ${WAITING} and next_attempt_at > (select $farOff)
          and (due_at <= (select $now) or due_at <= created_at) limit $limit)`,
  ),
  claim: database.prepare<never, { id: number; at: Instant; digestId: number | null }>(
    "update deliveries set claimed_at = $at, attempts = attempts + 1, digest_id = $digestId where id = $id",
  ),
  unclaim: database.prepare<never, { id: number }>(
    `update deliveries set claimed_at = null, attempts = attempts - 1, digest_id = null
     where id = $id and finished_at is null and claimed_at is not null`,
  ),
  /**
   * Ends the claims that an earlier process left, so that the deliveries are attempted again. A delivery is
   * `perhaps_taken` when its whole message was sent but no response came. Such a delivery waits until `afterMs`
   * milliseconds after its claim. Returns the lane of each delivery, and whether it is `perhaps_taken`.
   */
  releaseClaims: database.prepare<
    LanePlace & Readonly<{ perhapsTaken: 0 | 1; nextAttemptAt: Instant }>,
    { afterMs: number }
  >(
    `update deliveries set claimed_at = null, next_attempt_at = iif(perhaps_taken, claimed_at + $afterMs, next_attempt_at)
     where finished_at is null and claimed_at is not null
     returning monitor_id as monitorId, destination, recipient, perhaps_taken as perhapsTaken,
       next_attempt_at as nextAttemptAt`,
  ),
  markPerhapsTaken: database.prepare<never, { id: number; answer: string }>(
    `update deliveries set perhaps_taken = 1, answer = $answer where id = $id and finished_at is null
       and claimed_at is not null`,
  ),
});

/**
 * How the attempt to send a delivery ended. A large digest only counts some deliveries, without claiming them;
 * `digestId` of such a delivery is the id of the digest's first delivery. For a claimed delivery `digestId` is `null`.
 */
type Ended = Readonly<{ id: number; at: Instant; answer: string; digestId: number | null }>;

/** A message that was sent. `sentAs` is the id that the receiving service gave to it. */
export type SentRow = Readonly<{
  id: number;
  destination: string;
  recipient: string | null;
  sentAs: string;
  sentAt: Instant;
}>;

type CountedEnded = Readonly<{ ids: string; at: Instant }>;

/**
 * SQL: assignments of an update that stores an attempt to send. Usually the claim has already added 1 to `attempts`. A
 * delivery that a large digest only counts was not claimed. It has a `$digestId`, and gets its 1 here.
 */
const END_OF_ATTEMPT = `claimed_at = null, attempts = attempts + ($digestId is not null),
  digest_id = coalesce($digestId, digest_id)`;

const prepareEndings = (database: Database) => ({
  /**
   * Does what `finish` does, for the deliveries `$ids` (a JSON array) that a large digest counts without naming them.
   * It must know whether they tell of trouble. The alerts of one digest are alike in this, so it looks only at the
   * first of them.
   */
  finishCounted: database.prepare<never, CountedEnded & { answer: string; digestId: number }>(
    `update deliveries
     set finished_at = $at, outcome = 'sent', answer = $answer, ${END_OF_ATTEMPT}, next_attempt_at = null,
       stands = ${becomesKnownTrouble("'sent'", "(select alert_id from deliveries first where first.id = $digestId)")}
     where id in (select value from json_each($ids)) and finished_at is null`,
  ),
  /**
   * Whether the lanes of these deliveries hold any other delivery that waits, or by which a receiver knows of trouble
   * (`stands`). If not, `clearStandsCounted` and `promoteCounted` need not run, which saves time when very many jobs
   * fail at once.
   */
  anyOtherInLanes: database.prepare<{ found: 1 }, { ids: string }>(
    `select 1 as found from json_each($ids) cross join deliveries ended on ended.id = value
       cross join deliveries other on other.monitor_id is ended.monitor_id and other.destination = ended.destination
         and other.recipient is ended.recipient and (other.finished_at is null or other.stands)
     where other.id is not ended.id limit 1`,
  ),
  clearStandsCounted: database.prepare<never, { ids: string }>(
    `update deliveries set stands = 0 where id in
       (select older.id from json_each($ids) cross join deliveries ended on ended.id = value
          cross join deliveries older on older.monitor_id is ended.monitor_id and older.destination = ended.destination
            and older.recipient is ended.recipient and (older.finished_at is null or older.stands)
          cross join alerts a on a.id = ended.alert_id
        where older.stands and older.id < ended.id and ${replacesKnown("older")})`,
  ),
  promoteCounted: database.prepare<never, CountedEnded>(
    `update deliveries set ${FROM_NOW_ON} where next_attempt_at is null and id in
       (select (select min(first.id) from deliveries first where first.monitor_id is ended.monitor_id
          and first.destination = ended.destination and first.recipient is ended.recipient and first.finished_at is null
            and not first.perhaps_taken)
        from json_each($ids) cross join deliveries ended on ended.id = value)`,
  ),
  clearStands: prepareClearStands(database),
  /**
   * Whether the receiver knows of trouble by an older delivery of the lane (`stands`). This query takes a tenth of the
   * time of `clearStands`, which need not run when the receiver knows of none.
   */
  anyOlderStands: database.prepare<{ found: 1 }, LanePlace & { id: number }>(
    `select 1 as found from deliveries where ${OLDER_THAT_STANDS} limit 1`,
  ),
  /**
   * Stores that the messages about an incident were taken back at the service of a removed destination, such as
   * PagerDuty. The destination's receivers then know nothing of the incident.
   */
  markTakenBack: database.prepare<null, { incidentId: number; destination: string }>(
    `update deliveries set answer = '${TAKEN_BACK}', stands = 0 where destination = (select $destination)
       and outcome = 'sent' and alert_id in (select id from alerts where incident_id = (select $incidentId))`,
  ),
  finish: database.prepare<LanePlace, Ended & { outcome: "sent" | "given_up"; sentAs: string | null }>(
    `update deliveries
     set finished_at = $at, outcome = $outcome, answer = $answer, ${END_OF_ATTEMPT}, next_attempt_at = null, sent_as = $sentAs,
       perhaps_taken = iif($outcome = 'sent', 0, perhaps_taken),
       untold = iif($outcome = 'given_up', ${NEXT_UNTOLD}, null),
       stands = ${becomesKnownTrouble("$outcome")} and ${mayBeKnown("$outcome", "attempts")}
     where id = $id and finished_at is null
     returning monitor_id as monitorId, destination, recipient`,
  ),
  promote: preparePromote(database),
  postpone: database.prepare<LanePlace, Ended & { perhapsTaken: boolean }>(
    `update deliveries set next_attempt_at = $at, answer = $answer, perhaps_taken = $perhapsTaken, ${END_OF_ATTEMPT}
     where id = $id and finished_at is null returning monitor_id as monitorId, destination, recipient`,
  ),
  /**
   * Ends as sent the lane's older deliveries that were perhaps taken. Otherwise an old message could arrive after the
   * newer one.
   */
  endOvertaken: database.prepare<never, LanePlace & { id: number; at: Instant; answer: string }>(
    `update deliveries set finished_at = $at, outcome = 'sent', answer = $answer, perhaps_taken = 0, next_attempt_at = null,
       stands = ${becomesKnownTrouble("'sent'")}
     where monitor_id is (select $monitorId) and destination = (select $destination) and recipient is (select $recipient)
       and finished_at is null and perhaps_taken and claimed_at is null and id < (select $id)`,
  ),
});

const prepareReads = (database: Database) => ({
  read: database.prepare<DeliveryRow, { id: number }>(
    `select deliveries.id, alert_id as alertId, deliveries.incident_id as incidentId, destination, recipient,
       coalesce(due_at, created_at) as createdAt, iif(due_at > created_at, due_at, null) as heldUntil, attempts,
       incidents.monitor_id as monitorId, number as incidentNumber,
       closed_at as closedAt, closed_by as closedBy, acknowledged_at as acknowledgedAt, acknowledged_by as acknowledgedBy
     from deliveries left join incidents on incidents.id = deliveries.incident_id where deliveries.id = (select $id)`,
  ),
  alert: database.prepare<AlertRow, { id: number }>("select type, at, data from alerts where id = (select $id)"),
  /**
   * The newest output that the incident's job had written by `$until` (R46). Output from before the incident does not
   * count. The incident here begins with its first fail, which may have happened before the incident opened.
   */
  output: database.prepare<Pick<StoredOutput, "text" | "at">, { incidentId: number; until: Instant }>(
    `select outputs.text, outputs.at from incidents join outputs on outputs.monitor_id = incidents.monitor_id
     where incidents.id = (select $incidentId) and outputs.at <= (select $until)
       and outputs.at >= min(opened_at, coalesce(failed_at, opened_at))
     order by outputs.id desc limit 1`,
  ),
  /**
   * Reads two facts about each of at most `limit` monitors that are not deleted; the caller counts them. `isAmong` is
   * 1 when the monitor's registry says that its job is on the machine `$host`, and the monitor has one of `$incidents`.
   * `isThere` is 1 when the job is on that machine, and the monitor is not paused or has one of `$incidents`.
   * `$incidents` is a JSON list of ids.
   */
  declaredFor: database.prepare<{ isThere: 0 | 1; isAmong: 0 | 1 }, { host: string; incidents: string; limit: number }>(
    `with among (id) as materialized
       (select monitor_id from incidents where id in (select value from json_each($incidents))),
     declared (id, host) as (select id, iif(json_valid(metadata), metadata ->> '$.host', null) from
       (select id, metadata from monitors where deleted_at is null limit $limit))
     select d.host is $host and (a.id is not null or not (paused_manually or paused_by_discovery or paused_by_plan or paused_by_suspension))
       as isThere, d.host is $host and a.id is not null as isAmong
     from declared d cross join monitor_states s on s.monitor_id = d.id left join among a on a.id = d.id`,
  ),
  /**
   * The messages that receivers got of an incident, or by which they already knew of its trouble; the oldest first.
   * Messages to which the receiving service gave no id are left out.
   */
  sent: database.prepare<SentRow, { incidentId: number }>(
    `select d.id, d.destination, d.recipient, d.sent_as as sentAs, d.finished_at as sentAt
     from alerts cross join deliveries own on own.alert_id = alerts.id
       cross join deliveries d on d.id = iif(own.outcome = 'not_sent', own.digest_id, own.id)
     where alerts.incident_id = (select $incidentId) and d.sent_as is not null order by alerts.id, own.id`,
  ),
  /**
   * The incident of the earlier message by which this receiver already knew of the trouble. The message about
   * `$incidentId` was not sent, because the receiver had that earlier message (R38).
   */
  coveringIncident: database.prepare<
    Readonly<{ id: number }>,
    { incidentId: number; destination: string; recipient: string | null }
  >(
    `select known.incident_id as id from alerts a cross join deliveries own on own.alert_id = a.id
       cross join deliveries known on known.id = own.digest_id
     where known.incident_id is not null and a.incident_id = (select $incidentId) and own.outcome = 'not_sent'
       and own.destination = (select $destination) and own.recipient is (select $recipient) limit 1`,
  ),
  /**
   * When the incident opened, as its first alert says. Unlike the incident's row, this text stays when times of a wrong
   * clock are pulled back.
   */
  openedAtAsTold: database.prepare<Readonly<{ openedAt: string }>, { incidentId: number }>(
    `select ${alertFieldSql("openedAt")} as openedAt from alerts a where incident_id = (select $incidentId) order by id limit 1`,
  ),
  laterIncident: database.prepare<LaterIncident, { monitorId: number; number: number }>(
    `select id, number, opened_at as openedAt, closed_at as closedAt from incidents
     where monitor_id = (select $monitorId) and number > (select $number) order by number desc limit 1`,
  ),
});
