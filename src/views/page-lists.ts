// The dashboard's lists of incidents and deliveries, for people who may see several applications. Changes nothing.

import type { IncidentFilter } from "../store/monitor-pages.ts";
import type { OutgoingRow } from "../store/outgoing.ts";
import type { DeliverySummary } from "./answers/deliveries.ts";
import type { IncidentSummary } from "./answers/incidents.ts";
import type { ViewSource } from "./context.ts";
import { deliverySummaryOf } from "./deliveries.ts";
import { incidentSummaryOf } from "./incidents.ts";

export interface IncidentPage {
  readonly incidents: readonly IncidentSummary[];
  /** Where older ones begin (`before`); null: there are none. */
  readonly older: number | null;
}

/** Newest first; two queries. Throws what SQLite throws. */
export function incidentsOf(context: ViewSource, filter: IncidentFilter): IncidentPage {
  const { store } = context;
  const { ids, lookedTo } = store.pageLists.incidentIds({ ...filter, limit: filter.limit + 1 });
  const incidents = store.incidents.list(ids.slice(0, filter.limit)).map((each) => incidentSummaryOf(context, each));
  return { incidents, older: ids.length > filter.limit ? incidents.at(-1)!.id : lookedTo };
}

/** What is asked of deliveries of one state. */
export interface DeliveriesAsked {
  readonly state: "waiting" | "given_up" | "sent";
  /** Slugs; null: all, and what belongs to none. */
  readonly applications: readonly string[] | null;
  readonly before: number;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliverySummary[];
  /** Where older ones begin (`before`); null: there are none. */
  readonly older: number | null;
}

/**
 * No index knows what was sent, or of which application: a page looks at so many rows, and the next goes on behind
 * them.
 */
const LOOKED_AT = 5_000;

/** Newest first; one query, or two. Throws what SQLite throws. */
export function deliveriesOf({ store }: ViewSource, asked: DeliveriesAsked): DeliveryPage {
  const { state, applications, before, limit } = asked;
  if (applications === null && state !== "sent")
    return pageOf(store.outgoing.unsent(state, before, limit + 1), limit, null);
  const upTo = Math.min(before - 1, store.outgoing.lastId());
  const after = Math.max(0, upTo - LOOKED_AT);
  const found = store.outgoing.among(state, applications, { after, upTo }, limit + 1);
  return pageOf(found, limit, after === 0 ? null : after + 1);
}

function pageOf(found: readonly OutgoingRow[], limit: number, lookedTo: number | null): DeliveryPage {
  const deliveries = found.slice(0, limit).map(deliverySummaryOf);
  return { deliveries, older: found.length > limit ? deliveries.at(-1)!.id : lookedTo };
}
