// What was told of incidents, to whom, and whether it arrived, in the words of the messages themselves.

import type { AlertMessage } from "../domain/message/alert.ts";
import { isAlert, messageFrom } from "../domain/message/message.ts";
import { stateOf } from "../domain/wording/subject.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { RecentAlert, RecentDelivery } from "../store/recent.ts";
import type { Notified } from "./answers/incidents.ts";
import type { ViewSource } from "./view-source.ts";

type NotifiedContext = Pick<ViewSource, "store" | "policy" | "failing">;

/**
 * What was told of each incident, oldest first; three queries for any number of them. `timezone`: in which it tells
 * times to who reads it here; null: as the messages did, in that of the job.
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

/** Null when it is no alert, or the file was damaged since. */
function alertMessage({ type, at, data }: RecentAlert): AlertMessage | null {
  const message = messageFrom(type, at, data);
  return message !== null && isAlert(message) ? message : null;
}

function messageInWords(
  { policy: { team }, failing }: NotifiedContext,
  message: AlertMessage,
  deliveries: readonly RecentDelivery[],
): Notified {
  // As it was told then: what has happened since is in the later messages.
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
      person: team.members.find(({ email }) => email === delivery.recipient)?.name ?? null,
      state: outcome ?? (claimedAt === null ? "waiting" : "under_way"),
      nextAttemptAt: claimedAt === null ? nextAttemptAt : null,
      failing:
        outcome === null && delivery.attempts === 0 ? (failing().get(delivery.destination)?.answer ?? null) : null,
    })),
  };
}
