// Reads lanes: for each receiver the messages of a monitor that wait for it, and the delivery by which it knows of the
// monitor's trouble. Notices have lanes too. Also stores the plans that domain/telling makes for lanes.

import type { Database } from "bun:sqlite";
import type { AlertKind, Reason } from "../domain/message/alert.ts";
import type { Severity } from "../domain/message/presentation.ts";
import type { Cause } from "../domain/monitor/incident.ts";
import type { Route } from "../domain/settings/policy.ts";
import { EMPTY_LANE, type Lane, type LaneMessage } from "../domain/telling/lane.ts";
import type { WhyDue } from "../domain/telling/plan.ts";
import { receiverKey } from "../domain/telling/receiver-rules.ts";
import type { Instant } from "../domain/time.ts";
import { ALERT_DATA } from "./sql.ts";

/**
 * What identifies a lane. `monitorId` is `null` for the lanes of notices, and `recipient` when the destination sends no
 * e-mail. SQLite's bindings accept types but no interfaces.
 */
export type LanePlace = Readonly<{ monitorId: number | null; destination: string; recipient: string | null }>;

/**
 * SQL: whether a delivery is in the lane and unfinished. Each parameter is in a subquery, because SQLite otherwise
 * plans the statement again on every run: 6 µs instead of 0.6 (`PARAMETER_IN_SUBQUERY` of sql.ts).
 */
export const UNFINISHED_IN_LANE = `monitor_id is (select $monitorId) and destination = (select $destination)
  and recipient is (select $recipient) and finished_at is null`;

/** SQL: whether a delivery tells that the incident `$incidentId` was acknowledged. Only pagers get such deliveries. */
const OF_ACKNOWLEDGEMENT = `alert_id in
  (select id from alerts where incident_id = (select $incidentId) and type = 'monitor.acknowledged')`;

export type ReceiverLane = Route & Readonly<{ lane: Lane }>;

type LaneRow = Readonly<{
  id: number;
  incident: number | null;
  destination: string;
  recipient: string | null;
  via: string | null;
  at: Instant;
  written: Instant;
  from: Instant;
  due: Instant | null;
  isTried: 0 | 1;
  isPredecessors: 0 | 1;
  stands: 0 | 1;
  outcome: "sent" | "given_up" | null;
  /** The values at the paths `ASKED` of the alert's data, as a JSON array. */
  said: string;
}>;

/**
 * The end of a delivery whose message need not be sent. `answer` says why, for people. `knownBy` is the id of the
 * delivery by which the receiver already knows of the trouble; `null` when there is none.
 */
export type NotSent = Readonly<{ at: Instant; answer: string; why: "acknowledged" | null; knownBy: number | null }>;

const ASKED = ["kind", "reason", "severity", "causes", "flapping.times", "notice.kind"].map((path) => `'$.${path}'`);

type SaidInAlert = [
  AlertKind | null,
  Reason | null,
  Severity | null,
  readonly Cause[] | null,
  number | null,
  string | null,
];

const ROWS = `select d.id, d.incident_id as incident, d.destination, d.recipient, d.via, a.at, d.created_at as written,
    coalesce(d.from_at, d.created_at) as "from", d.due_at as due, d.attempts > 0 or d.claimed_at is not null as isTried,
    i.monitor_id is not d.monitor_id as isPredecessors, d.stands, d.outcome, json_extract(${ALERT_DATA}, ${ASKED.join(", ")}) as said
  from deliveries d cross join alerts a on a.id = d.alert_id left join incidents i on i.id = d.incident_id`;

export const prepareLanes = (database: Database) => ({
  /**
   * The deliveries about a monitor that are not finished, and those by which a receiver knows of its trouble
   * (`stands`). The oldest come first.
   */
  lanes: database.prepare<LaneRow, { monitorId: number }>(
    `${ROWS} where d.monitor_id = (select $monitorId) and (d.finished_at is null or d.stands) order by d.id`,
  ),
  /**
   * The notices that are not due yet, the oldest first. Those that are due keep their plan, so they need not be read.
   */
  notices: database.prepare<LaneRow, { now: Instant }>(
    `${ROWS} where d.monitor_id is null and d.finished_at is null and d.due_at > (select $now) order by d.id`,
  ),
  /**
   * Whether a new delivery must wait, because its lane has an unfinished one. A delivery that was perhaps taken does
   * not count.
   */
  anyInLane: database.prepare<{ found: 1 }, LanePlace>(
    `select 1 as found from deliveries where ${UNFINISHED_IN_LANE} and not perhaps_taken limit 1`,
  ),
  setDue: database.prepare<never, { id: number; due: Instant | null; why: WhyDue }>(
    `update deliveries set due_at = $due, why = $why, next_attempt_at = iif(next_attempt_at is null, null, $due)
     where id = $id`,
  ),
  notSent: database.prepare<never, NotSent & { id: number }>(
    `update deliveries set finished_at = $at, outcome = 'not_sent', answer = $answer, why = coalesce($why, why), digest_id = $knownBy,
       next_attempt_at = null
     where id = $id`,
  ),
  /**
   * Ends the unfinished deliveries that tell of an acknowledgement which a person has taken back. Those that are being
   * sent, or were perhaps taken, are left as they are. Returns the receivers.
   */
  dropAcknowledged: database.prepare<Omit<LanePlace, "monitorId">, { incidentId: number; at: Instant }>(
    `update deliveries set finished_at = $at, outcome = 'not_sent', answer = 'the acknowledgement was taken back',
       next_attempt_at = null
     where finished_at is null and claimed_at is null and not perhaps_taken and ${OF_ACKNOWLEDGEMENT}
     returning destination, recipient`,
  ),
  /** The destinations that were told of an acknowledgement or are being told, each once for each such delivery. */
  toldAcknowledged: database.prepare<{ destination: string }, { incidentId: number }>(
    `select destination from deliveries
     where (outcome = 'sent' or outcome is null and (claimed_at is not null or perhaps_taken)) and ${OF_ACKNOWLEDGEMENT}`,
  ),
  /**
   * Called when a manual pause or a suspension is over. For the messages that it held, the time of the setting `after`
   * counts from `$at` on.
   */
  resumeAt: database.prepare<never, { monitorId: number; at: Instant }>(
    `update deliveries set from_at = $at where monitor_id = (select $monitorId) and finished_at is null and due_at is null`,
  ),
  /**
   * Called when the clock was found wrong: makes times after `$now` earlier by `$backMs`, in the unfinished deliveries
   * of a monitor or, with `$monitorId` null, of notices. `due_at` becomes earlier only if the delivery was written
   * after `$now`.
   */
  pullBack: database.prepare<never, { monitorId: number | null; now: Instant; backMs: number }>(
    `update deliveries set
       created_at = created_at - iif(created_at > $now, $backMs, 0),
       due_at = due_at - iif(created_at > $now, $backMs, 0),
       from_at = from_at - iif(from_at > $now, $backMs, 0),
       next_attempt_at = iif(next_attempt_at > $now, max($now, next_attempt_at - $backMs), next_attempt_at)
     where monitor_id is (select $monitorId) and finished_at is null and (created_at > $now or next_attempt_at > $now)`,
  ),
  /**
   * Makes the deliveries of a lane that are due later, or held by a pause, due at `$at`, because a message that must
   * not wait follows them.
   */
  letLaneGo: database.prepare<never, LanePlace & { at: Instant }>(
    `update deliveries set due_at = $at, why = 'now', next_attempt_at = iif(next_attempt_at is null, null, $at)
     where ${UNFINISHED_IN_LANE} and attempts = 0 and (due_at > $at or due_at is null)`,
  ),
});

export type LaneStatements = ReturnType<typeof prepareLanes>;

/** The lanes of a monitor in which a delivery waits or whose receiver knows of trouble, by `receiverKey`. */
export function lanesOf({ lanes }: Pick<LaneStatements, "lanes">, monitorId: number): Map<string, ReceiverLane> {
  return lanesIn(lanes.all({ monitorId }));
}

/** Prepares only the reading of lanes, for callers that write none. */
export function laneRows(database: Database) {
  const statements = prepareLanes(database);
  return { of: (monitorId: number): ReadonlyMap<string, ReceiverLane> => lanesOf(statements, monitorId) };
}

/** The lanes of notices that hold a notice which is not due yet, by `receiverKey`. */
export function noticeLanes({ notices }: Pick<LaneStatements, "notices">, now: Instant): Map<string, ReceiverLane> {
  return lanesIn(notices.all({ now }));
}

function lanesIn(rows: readonly LaneRow[]): Map<string, ReceiverLane> {
  const lanes = new Map<string, ReceiverLane & { lane: { waiting: LaneMessage[] } }>();
  for (const row of rows) {
    const { destination, recipient } = row;
    const key = receiverKey(row);
    const known = lanes.get(key) ?? { destination, recipient, lane: { ...EMPTY_LANE, waiting: [] } };
    const message = messageOf(row);
    if (row.stands === 0) known.lane.waiting.push(message);
    else lanes.set(key, { ...known, lane: { ...known.lane, told: toldIn(row, message) } });
    if (!lanes.has(key)) lanes.set(key, known);
  }
  return lanes;
}

function messageOf(row: LaneRow): LaneMessage {
  const { id, incident, via, at, written, from, due, isTried, isPredecessors, said } = row;
  const [kind, reason, severity, causes, failures, notice] = JSON.parse(said) as SaidInAlert;
  return {
    id,
    incident,
    kind,
    reason,
    at,
    written,
    from,
    via,
    due,
    causes: causes ?? [],
    severity: severity ?? "warning",
    isOfSeries: failures !== null,
    isHeldByPause: due === null,
    isTried: isTried === 1,
    isPredecessors: isPredecessors === 1,
    isAtOnce: notice !== null && notice !== "unusual",
  };
}

const toldIn = ({ id, incident, outcome, at }: LaneRow, { causes, severity }: LaneMessage): Lane["told"] =>
  incident === null
    ? null
    : { by: id, incident, causes, severity, at, state: outcome === "given_up" ? "unsure" : "sent" };
