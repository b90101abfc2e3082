// Lists deliveries for people: waiting, given up or sent, each with what it says. Also finds deliveries that did not
// arrive, so that a notice tells of them, and marks them as told.

import type { Database } from "bun:sqlite";
import type { AlertKind } from "../domain/message/alert.ts";
import type { Instant } from "../domain/time.ts";
import { WAITING } from "./deliveries.ts";
import type { Part } from "./incidents.ts";
import type { deliveries } from "./schema.ts";
import { ACKNOWLEDGED_AT, alertFieldSql, noticeCondition, type Stored } from "./sql.ts";

/** A delivery is `waiting` until it is finished, even while an attempt is in progress. */
export type DeliveryState = "waiting" | "given_up" | "sent";

/**
 * A delivery as people see it. The fields `type` and below are from its alert's data; a field is `null` when the alert
 * does not have it.
 */
export interface OutgoingRow
  extends Readonly<Omit<Stored<typeof deliveries>, "untold" | "fromAt" | "via" | "stands" | "sentAs">> {
  /** When a person acknowledged the incident, if that is why the delivery was not sent; otherwise `null`. */
  readonly acknowledgedAt: Instant | null;
  readonly type: string;
  readonly application: string | null;
  readonly key: string | null;
  /** The monitor's name when the alert was written. */
  readonly name: string | null;
  /** The kind of an alert, such as `InitialFailure`, or of a notice, such as `failing`; otherwise `test` or `drill`. */
  readonly kind: string | null;
}

export function deliveryLists(database: Database) {
  // Where the alert's data is damaged, `alertFieldSql` gives null, so the delivery is listed even then.
  const columns = `d.id, d.alert_id AS alertId, d.incident_id AS incidentId, d.monitor_id AS monitorId, d.destination, d.recipient,
    d.created_at AS createdAt, d.attempts, d.next_attempt_at AS nextAttemptAt, d.due_at AS dueAt, d.why, d.claimed_at AS claimedAt,
    d.finished_at AS finishedAt, d.outcome, d.answer, d.digest_id AS digestId,
    d.perhaps_taken AS perhapsTaken, ${ACKNOWLEDGED_AT} AS acknowledgedAt, a.type, ${alertFieldSql("applicationId")} AS application,
    ${alertFieldSql("monitorKey")} AS key, ${alertFieldSql("name")} AS name, coalesce(${alertFieldSql("kind")}, ${alertFieldSql("notice.kind")}, ${alertFieldSql("test.kind")}) AS kind`;
  const select = `SELECT ${columns} FROM deliveries d CROSS JOIN alerts a ON a.id = d.alert_id`;
  // With the words `d.outcome IS NOT 'sent'` SQLite uses the index deliveries_unsent_at. Sent deliveries are not in
  // that index; they are found among the newest rows, because most deliveries were sent.
  const conditions: Record<DeliveryState, string> = {
    waiting: "d.outcome IS NULL AND d.outcome IS NOT 'sent'",
    given_up: "d.outcome = 'given_up' AND d.outcome IS NOT 'sent'",
    sent: "d.outcome = 'sent'",
  };
  type Bounds = { readonly before: number; readonly limit: number };
  // Reads the newest deliveries of each destination by the index and sorts all of them. An index by id alone would save
  // the sorting, but every delivery would have to be written to it and deleted from it.
  const unsentOf = (state: Exclude<DeliveryState, "sent">) =>
    database.prepare<OutgoingRow, [Bounds]>(
      `WITH RECURSIVE places (name) AS (SELECT min(destination) FROM deliveries WHERE outcome IS NOT 'sent' UNION ALL
         SELECT (SELECT min(destination) FROM deliveries WHERE outcome IS NOT 'sent' AND destination > name)
         FROM places WHERE name IS NOT NULL),
       newest (id) AS (SELECT ids.value FROM places CROSS JOIN json_each((SELECT json_group_array(id) FROM
         (SELECT d.id FROM deliveries d WHERE d.destination = name AND ${conditions[state]} AND d.id < $before
          ORDER BY d.id DESC LIMIT $limit))) ids ORDER BY ids.value DESC LIMIT $limit)
       SELECT ${columns} FROM newest CROSS JOIN deliveries d ON d.id = newest.id CROSS JOIN alerts a ON a.id = d.alert_id
       ORDER BY d.id DESC`,
    );
  const unsent = { waiting: unsentOf("waiting"), given_up: unsentOf("given_up") };
  // Only the data of a delivery's alert names its application, and no index has this data, so each query reads many
  // rows. The caller therefore asks for one part of the ids after the other.
  const amongOf = (state: DeliveryState) =>
    database.prepare<OutgoingRow, [Part & { applications: string | null; limit: number }]>(
      `${select} WHERE ${conditions[state]} AND d.id > $after AND d.id <= $upTo
       AND ($applications IS NULL OR ${alertFieldSql("applicationId")} IN (SELECT value FROM json_each($applications)))
       ORDER BY d.id DESC LIMIT $limit`,
    );
  const among = { waiting: amongOf("waiting"), given_up: amongOf("given_up"), sent: amongOf("sent") };
  // These queries name their index and repeat the words of its condition, so each reads only one row.
  const oldestUnsent = database.prepare<{ at: Instant }, [string]>(
    `SELECT created_at AS at FROM deliveries INDEXED BY deliveries_unsent_at
     WHERE destination = ? AND outcome IS NULL AND outcome IS NOT 'sent' ORDER BY id LIMIT 1`,
  );
  const firstDue = database.prepare<{ at: Instant | null }, [string]>(
    `SELECT min(next_attempt_at) AS at FROM deliveries INDEXED BY deliveries_waiting
     WHERE destination = ? AND ${WAITING}`,
  );
  const lastId = database.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM deliveries");
  const find = database.prepare<OutgoingRow, [number]>(`${select} WHERE d.id = ?`);
  const ofAlert = database.prepare<OutgoingRow, [number]>(`${select} WHERE d.alert_id = ? ORDER BY d.id`);
  return {
    /** At most `limit` deliveries in this state with an id below `before`, the newest first. */
    unsent: (state: Exclude<DeliveryState, "sent">, before: number, limit: number) =>
      unsent[state].all({ before, limit }),
    /**
     * Deliveries in this state with ids in `part`, the newest first: those about monitors of these applications or,
     * with `null`, all.
     */
    among: (state: DeliveryState, applications: readonly string[] | null, part: Part, limit: number) =>
      among[state].all({ ...part, applications: applications === null ? null : JSON.stringify(applications), limit }),
    lastId: () => lastId.get()?.id ?? 0,
    /** When the oldest unfinished delivery to a destination was written; `null` when none is unfinished. */
    oldestUnsent: (destination: string) => oldestUnsent.get(destination)?.at ?? null,
    /** When a delivery to this destination may next be attempted; `null` when none waits. */
    firstDue: (destination: string) => firstDue.get(destination)?.at ?? null,
    find: (id: number) => find.get(id),
    ofAlert: (alertId: number) => ofAlert.all(alertId),
  };
}

// Deliveries that did not arrive and that no notice to other destinations has told of (R36). They were given up, or
// wait for a destination that takes nothing. They may be very many, so they are read and marked in pieces. The engine
// decides whom to tell, and when.

/** A delivery that did not arrive was given up, or still waits. */
export type Unsent = Exclude<DeliveryState, "sent">;

export interface UnsentRow extends Pick<OutgoingRow, "id" | "monitorId" | "createdAt"> {
  /** By what the rows are sorted: the number `untold` of a delivery that was given up, or the id of one that waits. */
  readonly place: number;
}

export interface UndeliveredRow {
  readonly id: number;
  readonly recipient: string | null;
  /** When the alert's statement became true, such as when a slot was missed. */
  readonly at: Instant;
  /** These fields are `null` when the alert is about no monitor. */
  readonly application: string | null;
  readonly key: string | null;
  readonly name: string | null;
  readonly timezone: string | null;
  readonly kind: AlertKind | null;
}

/** Selects deliveries of a destination whose `UnsentRow.place` is above `after` and at most `upTo`. */
type UndeliveredPlaces = Readonly<{ destination: string; after: number; upTo: number; limit: number }>;

/**
 * SQL: the value of `untold` for a delivery that is given up. It is higher than all numbers that deliveries to this
 * destination have, and than those in `undelivered_told`. Once notices have told of all and no number is left, the
 * numbers begin at 1 again.
 */
export const NEXT_UNTOLD = `1 + max(
  coalesce((SELECT max(u.untold) FROM deliveries u WHERE u.untold IS NOT NULL AND u.destination = deliveries.destination), 0),
  coalesce((SELECT up_to FROM undelivered_told t WHERE t.destination = deliveries.destination), 0))`;

export const undeliveredRows = (database: Database) => ({ ...listing(database), ...marking(database) });

function listing(database: Database) {
  // A notice tells neither of tests, whose result a person sees, nor of drills, which tell their result themselves. It
  // tells of no notice of the kinds `undelivered` and `failing` either, because each would cause another one.
  const isNews = `a.type <> 'destination.test' AND (a.type <> 'service.notice'
    OR coalesce(${alertFieldSql("notice.kind")}, '') NOT IN ('undelivered', 'failing'))`;
  const from = "FROM deliveries d CROSS JOIN alerts a ON a.id = d.alert_id";
  // The words of each condition are needed so that SQLite uses the indices deliveries_untold and deliveries_unsent_at.
  const conditions: Record<Unsent, { readonly are: string; readonly place: string }> = {
    given_up: { are: "d.untold IS NOT NULL", place: "d.untold" },
    waiting: { are: "d.outcome IS NULL AND d.outcome IS NOT 'sent'", place: "d.id" },
  };

  const destinationAfter = database.prepare<{ destination: string | null }, [string]>(
    "SELECT min(d.destination) AS destination FROM deliveries d WHERE d.untold IS NOT NULL AND d.destination > ?",
  );
  const firstGivenUp = database.prepare<{ at: Instant }, [string]>(
    `SELECT d.finished_at AS at FROM deliveries d WHERE d.untold IS NOT NULL AND d.destination = ?
     ORDER BY d.untold LIMIT 1`,
  );
  const lastPlaceOf = (unsent: Unsent) => {
    const { are, place } = conditions[unsent];
    return database.prepare<{ place: number | null }, [string]>(
      `SELECT max(${place}) AS place FROM deliveries d WHERE ${are} AND d.destination = ?`,
    );
  };
  const lastPlace = { given_up: lastPlaceOf("given_up"), waiting: lastPlaceOf("waiting") };
  const unsentOf = (unsent: Unsent) => {
    const { are, place } = conditions[unsent];
    return database.prepare<UnsentRow, [UndeliveredPlaces]>(
      `SELECT ${place} AS place, d.id, d.monitor_id AS monitorId, d.created_at AS createdAt ${from}
       WHERE ${are} AND d.destination = $destination AND ${place} > $after AND ${place} <= $upTo AND ${isNews}
       ORDER BY ${place} LIMIT $limit`,
    );
  };
  const unsent = { given_up: unsentOf("given_up"), waiting: unsentOf("waiting") };
  const byIds = database.prepare<UndeliveredRow, [string]>(
    `SELECT d.id, d.recipient, a.at, ${alertFieldSql("applicationId")} AS application, ${alertFieldSql("monitorKey")} AS key,
       ${alertFieldSql("name")} AS name, ${alertFieldSql("timezone")} AS timezone, ${alertFieldSql("kind")} AS kind
     ${from} WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY d.id`,
  );
  const answer = database.prepare<{ answer: string | null }, [number]>("SELECT answer FROM deliveries WHERE id = ?");
  const lastNoticeAt = database.prepare<{ at: Instant | null }, [string]>(
    `SELECT max(at) AS at FROM alerts a WHERE ${noticeCondition("undelivered")} AND ${alertFieldSql("notice.destination")} = ?`,
  );
  return {
    /**
     * The destinations with given-up deliveries of which no notice has told, and when the first of these was given up.
     * It must not be called while `forgetNotified` has rows left, because those still count here.
     */
    destinations: () => {
      const found: { destination: string; givenUpAt: Instant }[] = [];
      for (let after = ""; ; ) {
        const destination = destinationAfter.get(after)?.destination ?? null;
        if (destination === null) return found;
        found.push({ destination, givenUpAt: firstGivenUp.get(destination)!.at });
        after = destination;
      }
    },
    /**
     * The highest `UnsentRow.place` of a delivery in this state at the destination; 0 without one. A delivery that
     * comes into this state later has a higher one.
     */
    lastPlace: (which: Unsent, destination: string) => lastPlace[which].get(destination)?.place ?? 0,
    /**
     * The deliveries in this state that `places` selects, sorted by `UnsentRow.place`. Those of which no notice tells,
     * such as tests, are left out. The query may read many rows that it does not return.
     */
    unsent: (which: Unsent, places: UndeliveredPlaces) => unsent[which].all(places),
    byIds: (ids: readonly number[]) => byIds.all(JSON.stringify(ids)),
    answer: (id: number) => answer.get(id)?.answer ?? null,
    /** When a notice about undelivered messages of this destination was last written; `null` when there is none. */
    lastNoticeAt: (destination: string) => lastNoticeAt.get(destination)!.at,
  };
}

/**
 * Makes the functions that mark given-up deliveries as told. A notice writes only one row for this, however many
 * deliveries it tells of. Later the numbers `untold` of these deliveries are removed in pieces.
 */
function marking(database: Database) {
  const markNotified = database.prepare<null, [string, number]>(
    "INSERT INTO undelivered_told (destination, up_to) VALUES (?, ?) ON CONFLICT (destination) DO UPDATE SET up_to = excluded.up_to",
  );
  const told = database.prepare<{ destination: string; upTo: number }, []>(
    "SELECT destination, up_to AS upTo FROM undelivered_told LIMIT 1",
  );
  const clearUntold = database.prepare<null, [{ destination: string; upTo: number; limit: number }]>(
    `UPDATE deliveries SET untold = NULL WHERE id IN
       (SELECT id FROM deliveries WHERE untold IS NOT NULL AND destination = $destination AND untold <= $upTo
        ORDER BY untold LIMIT $limit)`,
  );
  const forget = database.prepare<null, [string]>("DELETE FROM undelivered_told WHERE destination = ?");
  return {
    /**
     * Stores that a notice tells of the given-up deliveries of this destination up to `upTo`. That is a number in the
     * column `untold`, which counts given-up deliveries that no notice has told of. Must be called in the transaction
     * that writes the notice.
     */
    markNotified: (destination: string, upTo: number) => void markNotified.run(destination, upTo),
    /**
     * Empties the column `untold` of at most `limit` given-up deliveries of which a notice has told. Returns whether
     * more of them are left. Must be called in a transaction.
     */
    forgetNotified: (limit: number) => {
      const one = told.get();
      if (one === null) return false;
      const { changes } = clearUntold.run({ ...one, limit });
      if (changes < limit) forget.run(one.destination);
      return changes === limit || told.get() !== null;
    },
  };
}
