// What operators see of deliveries: those that wait, those that were given up, those that were sent, and which
// destinations fail. Changes nothing.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { DeliveryFilter, DeliveryList, DeliverySummary } from "../operations/operators-contract.ts";
import type { EngineContext } from "../record.ts";
import { findApplication } from "./operator-views.ts";

export function listDeliveries(
  context: EngineContext,
  { states, application = null, limit }: DeliveryFilter,
  now: Instant,
): DeliveryList | Refusal {
  const { store, failing } = context;
  const owner = application === null ? null : findApplication(context, application);
  if (isRefusal(owner)) return owner;
  const lists = states.map((state) => ({ state, found: store.outgoing.list(state, application, limit + 1) }));
  const deliveries = lists.flatMap(({ found }) => found.slice(0, limit)).sort((a, b) => b.id - a.id);
  return {
    at: now,
    deliveries,
    more: lists.filter(({ found }) => found.length > limit).map(({ state }) => state),
    failing: [...failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
  };
}

export const showDelivery = ({ store }: EngineContext, id: number): DeliverySummary | Refusal =>
  store.outgoing.find(id) ?? deliveryNotFound(id);

export const deliveryNotFound = (id: number): Refusal =>
  refuse("NOT_FOUND", `id: there is no delivery ${id}; \`rollcall notify list\` shows them`);
