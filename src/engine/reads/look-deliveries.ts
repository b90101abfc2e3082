// What operators see of deliveries: those that wait, those that were given up, those that were sent, and which
// destinations fail. Changes nothing.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { DeliveryState, OutgoingRow } from "../../store/outgoing.ts";
import type { EngineContext } from "../context.ts";
import type { DeliveryList, DeliverySummary } from "../operations/answers/deliveries.ts";
import { findListed } from "./find-named.ts";

interface DeliveryFilter {
  readonly states: readonly DeliveryState[];
  /** Only deliveries about this application's monitors; null: all. */
  readonly application: string | null;
  /** Only those with a smaller number. */
  readonly before: number;
  /** The largest number of each state. */
  readonly limit: number;
}

export function listDeliveries(
  context: EngineContext,
  { states, application, before, limit }: DeliveryFilter,
  now: Instant,
): DeliveryList | Refusal {
  const { store, failing } = context;
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const lists = states.map((state) => ({ state, found: store.outgoing.list(state, application, before, limit + 1) }));
  const deliveries = lists
    .flatMap(({ found }) => found.slice(0, limit))
    .sort((a, b) => b.id - a.id)
    .map(deliverySummaryOf);
  return {
    at: now,
    deliveries,
    more: lists.filter(({ found }) => found.length > limit).map(({ state }) => state),
    failing: [...failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
  };
}

export function showDelivery({ store }: EngineContext, id: number): DeliverySummary | Refusal {
  const found = store.outgoing.find(id);
  return found === null ? deliveryNotFound(id) : deliverySummaryOf(found);
}

export const deliverySummaryOf = ({ key, outcome, claimedAt, ...row }: OutgoingRow): DeliverySummary => ({
  ...row,
  monitorKey: key,
  state: outcome ?? (claimedAt === null ? "waiting" : "under_way"),
  // The instant of a delivery that goes before all others serves only for sorting.
  nextAttemptAt: claimedAt !== null || row.nextAttemptAt === null ? null : Math.max(row.nextAttemptAt, row.createdAt),
});

export const deliveryNotFound = (id: number): Refusal =>
  refuse("NOT_FOUND", `id: there is no delivery ${id}; \`rollcall notify list\` shows them`);
