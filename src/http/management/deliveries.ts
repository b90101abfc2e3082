// The management socket's paths of deliveries: to test a destination, to list what waits, was given up or was sent, and to
// send it again (R36, R37).

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { toIso, toIsoOrNull } from "../../domain/time.ts";
import type { Engine } from "../../engine/api.ts";
import type {
  DeliveryFilter,
  DeliveryList,
  DeliveryState,
  DeliverySummary,
  DrillSummary,
} from "../../engine/operations/operators-contract.ts";
import { type Query, readText } from "../api/query.ts";
import { refusalAnswer } from "../errors.ts";
import type {
  ListedDeliveries,
  ListedDelivery,
  ResentDeliveryAnswer,
  ShownDrill,
  TestedDestinationAnswer,
} from "./contract.ts";
import { answer, idOf, limitOf, type ManagementRoute, queryOf, readFields, textOf } from "./fields.ts";

export const deliveryRoutes = (engine: Engine): readonly ManagementRoute[] => [
  {
    method: "GET",
    path: "/deliveries",
    handle: (request) => list(engine, queryOf(request)),
  },
  {
    method: "POST",
    path: "/deliveries/test",
    handle: async (request) => {
      const destination = textOf(await readFields(request), "destination");
      if (isRefusal(destination)) return refusalAnswer(destination);
      return answer(
        engine.testDestination(destination),
        (deliveries): TestedDestinationAnswer => ({ deliveries: deliveries.map(listedDelivery) }),
      );
    },
  },
  {
    method: "GET",
    path: "/deliveries/:id",
    handle: (_, text) => {
      const id = idOf(text);
      return isRefusal(id) ? refusalAnswer(id) : answer(engine.showDelivery(id), listedDelivery);
    },
  },
  {
    method: "POST",
    path: "/deliveries/:id/resend",
    handle: (_, text) => {
      const id = idOf(text);
      if (isRefusal(id)) return refusalAnswer(id);
      return answer(
        engine.resendDelivery(id),
        ({ done, delivery }): ResentDeliveryAnswer => ({ done, delivery: listedDelivery(delivery) }),
      );
    },
  },
];

function list(engine: Engine, query: Query): Response {
  const filter = filterOf(query);
  return isRefusal(filter) ? refusalAnswer(filter) : answer(engine.listDeliveries(filter), listedDeliveries);
}

const STATES: readonly string[] = ["waiting", "given_up", "sent"] satisfies DeliveryState[];

const isState = (text: string): text is DeliveryState => STATES.includes(text);

function filterOf(query: Query): DeliveryFilter | Refusal {
  const text = readText(query, "states");
  if (isRefusal(text)) return text;
  const states = (text ?? STATES.join(",")).split(",");
  if (!states.every(isState)) return refuse("INVALID_REQUEST", `states: one is not of ${STATES.join(", ")}`);
  const application = readText(query, "application");
  if (isRefusal(application)) return application;
  const limit = limitOf(query);
  return isRefusal(limit) ? limit : { states: [...new Set(states)], application, limit };
}

const listedDeliveries = ({ at, deliveries, more, failing }: DeliveryList): ListedDeliveries => ({
  at: toIso(at),
  deliveries: deliveries.map(listedDelivery),
  more,
  failing: failing.map(({ since, ...each }) => ({ ...each, since: toIso(since) })),
});

const listedDelivery = (delivery: DeliverySummary): ListedDelivery => ({
  id: delivery.id,
  createdAt: toIso(delivery.createdAt),
  destination: delivery.destination,
  recipient: delivery.recipient,
  type: delivery.type,
  kind: delivery.kind,
  application: delivery.application,
  monitorKey: delivery.key,
  incidentId: delivery.incidentId,
  state: stateOf(delivery),
  nextAttemptAt: nextAttemptOf(delivery),
  finishedAt: toIsoOrNull(delivery.finishedAt),
  attempts: delivery.attempts,
  digestId: delivery.digestId,
  answer: delivery.answer,
});

function stateOf({ outcome, claimedAt }: DeliverySummary): ListedDelivery["state"] {
  if (outcome !== null) return outcome;
  return claimedAt === null ? "waiting" : "under_way";
}

/** One that goes before all others has an instant that only sorts. */
const nextAttemptOf = ({ claimedAt, nextAttemptAt, createdAt }: DeliverySummary): string | null =>
  claimedAt !== null || nextAttemptAt === null ? null : toIso(Math.max(nextAttemptAt, createdAt));

export const shownDrill = ({ everySeconds, dueAt, last }: DrillSummary): ShownDrill => ({
  everySeconds,
  dueAt: toIso(dueAt),
  last: last && { at: toIso(last.at), outcome: last.outcome, deliveries: last.deliveries.map(listedDelivery) },
});
