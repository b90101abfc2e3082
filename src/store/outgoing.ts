// Deliveries as people ask for them: waiting, given up, sent, newest first, each with its content. Reads only;
// deliveries.ts sends them again.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { WAITING } from "./deliveries.ts";
import type { Part } from "./incidents.ts";
import { toldAt } from "./told.ts";

/** Unfinished deliveries wait, or an attempt is under way. */
export type DeliveryState = "waiting" | "given_up" | "sent";

/** `type` and the fields after it describe the content; they are null if they do not apply. */
export interface OutgoingRow {
  readonly id: number;
  readonly alertId: number;
  readonly incidentId: number | null;
  readonly monitorId: number | null;
  readonly destination: string;
  readonly recipient: string | null;
  readonly createdAt: Instant;
  readonly attempts: number;
  readonly nextAttemptAt: Instant | null;
  readonly claimedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly outcome: "sent" | "given_up" | null;
  readonly answer: string | null;
  /** The first of the deliveries that were sent with it as one message (R39); null: it was sent alone. */
  readonly digestId: number | null;
  readonly type: string;
  readonly application: string | null;
  readonly key: string | null;
  /** For an alert its kind, such as `InitialFailure`; for a notice its subject; `test` or `drill`. */
  readonly kind: string | null;
}

export interface OutgoingRows {
  /** Deliveries of this state with an id below `before`, newest first, `limit` at most. Reads none of another state. */
  unsent(state: Exclude<DeliveryState, "sent">, before: number, limit: number): OutgoingRow[];
  /** The same of any state in this part; only those about these applications' monitors or, with null, all. */
  among(state: DeliveryState, applications: readonly string[] | null, part: Part, limit: number): OutgoingRow[];
  /** The highest id; 0: there is none. */
  lastId(): number;
  /** When the oldest of a destination's unfinished deliveries was written; null: it has none. */
  oldestUnsent(destination: string): Instant | null;
  /** When the first of those that can be claimed there is due; null: there is none. */
  firstDue(destination: string): Instant | null;
  find(id: number): OutgoingRow | null;
  /** Oldest first. */
  ofAlert(alertId: number): OutgoingRow[];
}

export function outgoingRows(database: Database): OutgoingRows {
  // Rows that we can no longer read are still listed.
  const columns = `d.id, d.alert_id AS alertId, d.incident_id AS incidentId, d.monitor_id AS monitorId, d.destination, d.recipient,
    d.created_at AS createdAt, d.attempts, d.next_attempt_at AS nextAttemptAt, d.claimed_at AS claimedAt,
    d.finished_at AS finishedAt, d.outcome, d.answer, d.digest_id AS digestId, a.type, ${toldAt("applicationId")} AS application,
    ${toldAt("monitorKey")} AS key, coalesce(${toldAt("kind")}, ${toldAt("notice.kind")}, ${toldAt("test.kind")}) AS kind`;
  const select = `SELECT ${columns} FROM deliveries d CROSS JOIN alerts a ON a.id = d.alert_id`;
  // The words of the index deliveries_unsent. Most deliveries were sent, so sent ones are found among the newest rows.
  const conditions: Record<DeliveryState, string> = {
    waiting: "d.outcome IS NULL AND d.outcome IS NOT 'sent'",
    given_up: "d.outcome = 'given_up' AND d.outcome IS NOT 'sent'",
    sent: "d.outcome = 'sent'",
  };
  type Bounds = { readonly before: number; readonly limit: number };
  const unsentOf = (state: Exclude<DeliveryState, "sent">) =>
    database.prepare<OutgoingRow, [Bounds]>(
      `${select} WHERE ${conditions[state]} AND d.id < $before ORDER BY d.id DESC LIMIT $limit`,
    );
  const unsent = { waiting: unsentOf("waiting"), given_up: unsentOf("given_up") };
  // A delivery names its application only in its data, which has no index.
  const amongOf = (state: DeliveryState) =>
    database.prepare<OutgoingRow, [Part & { applications: string | null; limit: number }]>(
      `${select} WHERE ${conditions[state]} AND d.id > $after AND d.id <= $upTo
       AND ($applications IS NULL OR ${toldAt("applicationId")} IN (SELECT value FROM json_each($applications)))
       ORDER BY d.id DESC LIMIT $limit`,
    );
  const among = { waiting: amongOf("waiting"), given_up: amongOf("given_up"), sent: amongOf("sent") };
  // The words of the indices deliveries_unsent_at and deliveries_waiting: one step in each.
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
    unsent: (state, before, limit) => unsent[state].all({ before, limit }),
    among: (state, applications, part, limit) =>
      among[state].all({ ...part, applications: applications === null ? null : JSON.stringify(applications), limit }),
    lastId: () => lastId.get()?.id ?? 0,
    oldestUnsent: (destination) => oldestUnsent.get(destination)?.at ?? null,
    firstDue: (destination) => firstDue.get(destination)?.at ?? null,
    find: (id) => find.get(id),
    ofAlert: (alertId) => ofAlert.all(alertId),
  };
}
