// Finds the receivers that have a delivery of an alert. A receiver without one is owed the alert (engine/pay-owed.ts):
// for example when its destination took nothing at that time.

import type { Database } from "bun:sqlite";
import type { AlertMessage } from "../domain/message/alert.ts";
import type { Route } from "../domain/settings/policy.ts";
import { NOT_CONFIGURED, TAKEN_BACK } from "../domain/telling/owed.ts";
import { TROUBLE_TYPES } from "./sql.ts";

export type OwedRow = Readonly<{ id: number } & Omit<AlertMessage, "data">> & { readonly data: string };

/**
 * SQL: whether the receiver got nothing by the delivery `d`. There are three cases. The message was taken back at the
 * receiving service (`TAKEN_BACK`). Or the delivery was given up while its destination took nothing, or while the
 * destination or the recipient was not configured. Or it was not sent because a person had acknowledged the incident;
 * the acknowledgement can still be taken back.
 */
const HAS_NOTHING = `((d.outcome = 'not_sent' and d.why = 'acknowledged') or d.answer = '${TAKEN_BACK}' or (d.outcome = 'given_up'
  and (d.answer = '${NOT_CONFIGURED}' or d.finished_at < (select works_since from destinations where name = d.destination))))`;

/** SQL: whether no later delivery of the same alert goes to the receiver of the delivery `d`. */
export const NOT_SENT_AGAIN = `not exists (select 1 from deliveries later where later.alert_id = d.alert_id
  and later.id > d.id and later.destination = d.destination and later.recipient is d.recipient)`;

/**
 * SQL: the receivers that know at least one of the alerts that `which` selects. If a delivery was not sent because the
 * receiver knew of the trouble by an earlier delivery, that earlier one decides whether the receiver knows the alert.
 */
const receiversWith = (which: string) =>
  `select own.destination, own.recipient from alerts a cross join deliveries own on own.alert_id = a.id
     cross join deliveries d on d.id = iif(own.outcome = 'not_sent', coalesce(own.digest_id, own.id), own.id)
   where ${which} and not coalesce(${HAS_NOTHING}, 0)`;

export const prepareOwed = (database: Database) => ({
  /** The receivers that were told of this incident's trouble, or for which a message of that trouble waits. */
  toldOf: database.prepare<Route, { incidentId: number }>(
    receiversWith(`a.incident_id = (select $incidentId) and a.type in (${TROUBLE_TYPES})`),
  ),
  /**
   * The receivers that are not owed this alert of an incident's end: it waits for them, it was sent, or it was given up
   * although the destination took messages.
   */
  endedAt: database.prepare<Route, { alertId: number }>(
    receiversWith("a.id = (select $alertId) and own.outcome is not 'not_sent'"),
  ),
  /** The alert that told of the incident first; `null` when a damaged page has lost it. */
  opening: database.prepare<OwedRow, { incidentId: number }>(
    `select id, type, at, data from alerts where incident_id = (select $incidentId)
       and type in ('monitor.initial_failure', 'monitor.never_executed') order by id desc limit 1`,
  ),
  end: database.prepare<OwedRow, { incidentId: number }>(
    `select id, type, at, data from alerts where incident_id = (select $incidentId) and type = 'monitor.recovered'
     order by id desc limit 1`,
  ),
  /**
   * The deliveries of recoveries that were given up at a destination and are still owed: their receivers were told of
   * the trouble, and got nothing of its end.
   */
  endsLost: database.prepare<
    Readonly<{ alertId: number; incidentId: number; monitorId: number; recipient: string | null }>,
    { destination: string }
  >(
    `select d.alert_id as alertId, d.incident_id as incidentId, d.monitor_id as monitorId, d.recipient
     from deliveries d cross join alerts a on a.id = d.alert_id
     where d.destination = (select $destination) and d.outcome is not 'sent' and d.outcome = 'given_up'
       and a.type = 'monitor.recovered' and d.incident_id is not null and coalesce(${HAS_NOTHING}, 0)
       and ${NOT_SENT_AGAIN}
       and exists (select 1 from alerts t cross join deliveries told on told.alert_id = t.id
         where t.incident_id = d.incident_id and t.type in (${TROUBLE_TYPES}) and told.outcome = 'sent'
           and told.destination = d.destination and told.recipient is d.recipient)
     order by d.id`,
  ),
  newestIncident: database.prepare<{ id: number }, { monitorId: number }>(
    "select id from incidents where monitor_id = (select $monitorId) order by number desc limit 1",
  ),
  /**
   * At most `limit` monitors with ids above `after`: those of whose trouble a receiver knows, and those about which a
   * message waits.
   */
  monitorsAfter: database.prepare<{ id: number; monitorId: number }, { after: number; limit: number }>(
    `select id, id as monitorId from (select distinct monitor_id as id from deliveries
       where (finished_at is null or stands) and monitor_id > (select $after) order by monitor_id limit $limit)`,
  ),
  /**
   * At most `limit` open incidents with ids above `after`. Their monitors are those of whose trouble no receiver knows,
   * and about which no message waits.
   */
  untoldAfter: database.prepare<{ id: number; monitorId: number }, { after: number; limit: number }>(
    `select id, monitor_id as monitorId from incidents i where closed_at is null and id > (select $after)
       and not exists (select 1 from deliveries d where d.monitor_id = i.monitor_id and (d.finished_at is null or d.stands))
     order by id limit $limit`,
  ),
});
