// The messages about incidents, to whom they went and whether they arrived, in the messages' own words.

import type { AlertMessage } from "../domain/message/alert.ts";
import { isAlert, messageFrom } from "../domain/message/message.ts";
import { memberAt } from "../domain/settings/policy.ts";
import { stateOf } from "../domain/wording/subject.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { RecentAlert, RecentDelivery } from "../store/recent.ts";
import type { Notified } from "./schemas/incident-schemas.ts";
import type { ViewSource } from "./view-source.ts";

type NotifiedContext = Pick<ViewSource, "store" | "policy" | "failing">;

/**
 * The messages about each incident, the oldest first. Takes two queries, however many incidents there are. Times are
 * worded in `timezone`, the zone of the page or command that shows the messages; with `null`, in the zone of the job,
 * as in the messages that were sent.
 */
export function notifiedOf(
  context: NotifiedContext,
  incidentIds: readonly number[],
  timezone: string | null = null,
): ReadonlyMap<number, readonly Notified[]> {
  const { recent } = context.store;
  const alerts = recent.alerts(incidentIds);
  const deliveries = Map.groupBy(recent.deliveries(alerts.map(({ id }) => id)), ({ alertId }) => alertId);
  const messages = alerts.flatMap((alert) => {
    const message = alertMessage(alert);
    return message === null
      ? []
      : [
          {
            incidentId: alert.incidentId,
            message: messageInWords(context, inZone(message, timezone), deliveries.get(alert.id) ?? []),
          },
        ];
  });
  const byIncident = Map.groupBy(messages, ({ incidentId }) => incidentId);
  return new Map(incidentIds.map((id) => [id, (byIncident.get(id) ?? []).map(({ message }) => message)]));
}

const inZone = (message: AlertMessage, timezone: string | null): AlertMessage =>
  timezone === null ? message : { ...message, data: { ...message.data, timezone } };

/** The message of a stored alert; `null` when it is no message of an alert, or is damaged. */
function alertMessage({ type, at, data }: RecentAlert): AlertMessage | null {
  const message = messageFrom(type, at, data);
  return message !== null && isAlert(message) ? message : null;
}

function messageInWords(
  { policy: { team }, failing }: NotifiedContext,
  message: AlertMessage,
  deliveries: readonly RecentDelivery[],
): Notified {
  // What has happened since the message was written (`since`) is left out, because later messages tell it.
  const { story, toDo, quote } = wordingOf({ ...message, data: { ...message.data, since: null } }, message.at);
  return {
    at: message.at,
    kind: message.data.kind,
    state: stateOf(message.data),
    story: [...story],
    toDo,
    quote: quote?.value ?? null,
    deliveries: deliveries.map(({ alertId: _, outcome, claimedAt, nextAttemptAt, ...delivery }) => ({
      ...delivery,
      person: memberAt(team, delivery.recipient)?.name ?? null,
      state: outcome ?? (claimedAt === null ? "waiting" : "under_way"),
      nextAttemptAt: claimedAt === null ? nextAttemptAt : null,
      failing:
        outcome === null && delivery.attempts === 0 ? (failing().get(delivery.destination)?.answer ?? null) : null,
    })),
  };
}
