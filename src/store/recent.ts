// Reads what has happened to many monitors lately, for lists and the first page. The number of queries does not grow
// with the number of monitors.

import type { Database } from "bun:sqlite";
import type { Incident } from "../domain/monitor/incident.ts";
import type { Instant } from "../domain/time.ts";
import { type alerts, deliveries as deliveriesTable, incidents, pings, runs, unknowns } from "./schema.ts";
import { ACKNOWLEDGED_AT, columnsOf, type Stored } from "./sql.ts";

export type ChainHead = Readonly<{ id: number; lastPingId: number }>;

/** A report with facts of its run. The fields from `runs` are `null` when the report belongs to no run. */
export type ChainedPing = Pick<Stored<typeof pings>, "monitorId" | "at" | "kind" | "durationSeconds" | "verdict"> &
  Pick<Stored<typeof runs>, "startedAt" | "endedAt"> & { readonly state: Stored<typeof runs>["state"] | null };

export type MissedSlots = Pick<Stored<typeof incidents>, "monitorId" | "expectedAt" | "lateTo">;

export type UnknownSlot = Pick<Stored<typeof unknowns>, "monitorId" | "at" | "slot" | "slots" | "runStartedAt">;

export type PastIncident = Pick<Stored<typeof incidents>, (typeof OF_PAST)[number]> &
  Pick<Incident, "opening" | "causes">;

const OF_PAST = ["monitorId", "openedAt", "closedAt", "troubles", "missedSlots", "expectedAt", "message"] as const;

type PastRow = Omit<PastIncident, "causes"> & { readonly causes: string };

export type RecentAlert = Pick<Stored<typeof alerts>, "id" | "type" | "at" | "data"> & { readonly incidentId: number };

export interface RecentDelivery {
  readonly alertId: number;
  readonly destination: string;
  readonly recipient: string | null;
  readonly attempts: number;
  readonly claimedAt: Instant | null;
  readonly nextAttemptAt: Instant | null;
  readonly heldUntil: Instant | null;
  readonly why: Stored<typeof deliveriesTable>["why"];
  readonly finishedAt: Instant | null;
  readonly outcome: Stored<typeof deliveriesTable>["outcome"];
  readonly answer: string | null;
  /**
   * For a delivery that was not sent, because the receiver already knew of the trouble by an earlier message: when that
   * message was sent. Otherwise `null`.
   */
  readonly knownAt: Instant | null;
  /** When a person acknowledged the incident, if that is why the delivery was not sent; otherwise `null`. */
  readonly acknowledgedAt: Instant | null;
}

/**
 * A delivery of an incident about which no message has arrived. An alert that goes to no destination has one such row,
 * in which the fields of the delivery are `null`.
 */
type UnarrivedDelivery = { readonly incidentId: number } & {
  readonly [Field in (typeof OF_UNARRIVED)[number]]: Stored<typeof deliveriesTable>[Field] | null;
} & {
  readonly nextAttemptAt: Instant | null;
  readonly acknowledgedAt: Instant | null;
  readonly outcome: "given_up" | "not_sent" | null;
};

const OF_UNARRIVED = [
  "destination",
  "recipient",
  "createdAt",
  "attempts",
  "outcome",
  "answer",
  "perhapsTaken",
] as const;

/**
 * SQL: until when the plan for its lane holds back the delivery `d`; null when the plan does not, or when the delivery
 * waits for an earlier one.
 */
const HELD_UNTIL =
  "iif(d.finished_at is null and d.next_attempt_at = d.due_at and d.due_at > d.created_at, d.due_at, null)";

export function recentRows(database: Database) {
  const ofPing = `coalesce(p.happened_at, p.at) AS at, ${columnsOf(pings, "p", ["monitorId", "kind", "durationSeconds", "verdict"])}`;
  const ofRun = columnsOf(runs, "r", ["startedAt", "endedAt", "state"]);
  // `monitor_id` is compared, because a monitor's chain may lead to the id of a deleted ping, and another monitor's
  // ping may have this id now.
  const chains = database.prepare<ChainedPing, [{ heads: string; each: number }]>(
    `WITH RECURSIVE chain (monitor_id, id, length) AS (
       SELECT value ->> 0, value ->> 1, 1 FROM json_each($heads)
       UNION ALL
       SELECT chain.monitor_id, p.previous_id, chain.length + 1 FROM chain JOIN pings p ON p.id = chain.id
       WHERE chain.length < $each AND p.previous_id > 0
     )
     SELECT ${ofPing}, ${ofRun} FROM chain CROSS JOIN pings p ON p.id = chain.id LEFT JOIN runs r ON r.id = p.run_row
     WHERE p.monitor_id = chain.monitor_id AND p.kind <> 'log' AND (p.kind <> 'start' OR r.state <> 'ended')`,
  );
  const missed = database.prepare<MissedSlots, [{ ids: string; each: number }]>(
    `SELECT ${columnsOf(incidents, "i", ["monitorId", "expectedAt", "lateTo"])}
     FROM json_each($ids) wanted CROSS JOIN incidents i ON i.monitor_id = wanted.value
       AND i.number > (SELECT max(number) FROM incidents WHERE monitor_id = wanted.value) - $each
     WHERE i.missed_slots > 0 OR (i.closed_at IS NULL AND instr(i.causes, '"missed"') > 0)`,
  );
  const unknown = database.prepare<UnknownSlot, [{ ids: string; since: Instant }]>(
    `SELECT ${columnsOf(unknowns, "u", ["monitorId", "at", "slot", "slots", "runStartedAt"])}
     FROM json_each($ids) wanted CROSS JOIN unknowns u ON u.monitor_id = wanted.value WHERE u.at >= $since`,
  );
  const past = database.prepare<PastRow, [{ ids: string; since: Instant; each: number }]>(
    `SELECT ${columnsOf(incidents, "i", [...OF_PAST, "opening", "causes"])}
     FROM json_each($ids) wanted CROSS JOIN incidents i ON i.monitor_id = wanted.value
       AND i.number > (SELECT max(number) FROM incidents WHERE monitor_id = wanted.value) - $each
     WHERE (i.closed_at IS NULL OR i.closed_at >= $since) AND json_valid(i.causes) ORDER BY i.id`,
  );
  const alerts = database.prepare<RecentAlert, [{ ids: string }]>(
    `SELECT a.id, a.incident_id AS incidentId, a.type, a.at, a.data
     FROM json_each($ids) wanted CROSS JOIN alerts a ON a.incident_id = wanted.value ORDER BY a.id`,
  );
  const deliveries = database.prepare<RecentDelivery, [{ ids: string }]>(
    `SELECT d.alert_id AS alertId, d.destination, d.recipient, d.attempts, d.claimed_at AS claimedAt,
       d.next_attempt_at AS nextAttemptAt, ${HELD_UNTIL} AS heldUntil, d.why, d.finished_at AS finishedAt, d.outcome, d.answer,
       iif(d.outcome = 'not_sent', (SELECT k.finished_at FROM deliveries k WHERE k.id = d.digest_id), NULL) AS knownAt,
       ${ACKNOWLEDGED_AT} AS acknowledgedAt
     FROM json_each($ids) wanted CROSS JOIN deliveries d ON d.alert_id = wanted.value ORDER BY d.id`,
  );
  const unarrived = database.prepare<UnarrivedDelivery, [{ ids: string }]>(
    `SELECT a.incident_id AS incidentId, ${columnsOf(deliveriesTable, "d", OF_UNARRIVED)}, d.next_attempt_at AS nextAttemptAt,
       ${ACKNOWLEDGED_AT} AS acknowledgedAt
     FROM json_each($ids) wanted CROSS JOIN alerts a ON a.incident_id = wanted.value
       LEFT JOIN deliveries d ON d.alert_id = a.id
     WHERE NOT EXISTS (SELECT 1 FROM alerts other CROSS JOIN deliveries d ON d.alert_id = other.id
         CROSS JOIN deliveries sent ON sent.id = iif(d.outcome = 'not_sent', d.digest_id, d.id)
       WHERE other.incident_id = wanted.value AND sent.outcome = 'sent') ORDER BY a.id, d.id`,
  );
  return {
    /**
     * Of these incidents, those of which no message has arrived anywhere: one row for each of their deliveries, and one
     * for an alert that goes to no destination.
     */
    unarrived: (incidentIds: readonly number[]) => unarrived.all({ ids: JSON.stringify(incidentIds) }),
    /**
     * Of the last `each` pings of each monitor: the ends of runs, and the starts of runs that have not ended. Those of
     * one monitor come with the newest first.
     */
    pings: (heads: readonly ChainHead[], each: number) =>
      chains.all({ heads: JSON.stringify(heads.map(({ id, lastPingId }) => [id, lastPingId])), each }),
    /**
     * Of the last `each` incidents of each monitor, those with missed slots. An open incident counts if a miss is among
     * its causes, because the number of its missed slots is complete only when it closes.
     */
    missed: (monitorIds: readonly number[], each: number) => missed.all({ ids: JSON.stringify(monitorIds), each }),
    unknown: (monitorIds: readonly number[], since: Instant) => unknown.all({ ids: JSON.stringify(monitorIds), since }),
    /**
     * Of the last `each` incidents of each monitor, those that are open now or were closed at `since` or later; the
     * oldest first.
     */
    past: (monitorIds: readonly number[], since: Instant, each: number) =>
      past
        .all({ ids: JSON.stringify(monitorIds), since, each })
        .map(({ causes, ...row }) => ({ ...row, causes: JSON.parse(causes) })),
    alerts: (incidentIds: readonly number[]) => alerts.all({ ids: JSON.stringify(incidentIds) }),
    deliveries: (alertIds: readonly number[]) => deliveries.all({ ids: JSON.stringify(alertIds) }),
  };
}
