// The dashboard's lists of incidents and deliveries, for people who may see several applications. Changes nothing.

import type { OutgoingRow } from "../../store/outgoing.ts";
import type { IncidentFilter } from "../../store/page-lists.ts";
import type { EngineContext } from "../context.ts";
import type { DeliverySummary } from "../operations/answers/deliveries.ts";
import type { IncidentList } from "../operations/answers/incidents.ts";
import { deliverySummaryOf } from "./look-deliveries.ts";
import { incidentSummaryOf } from "./look-incidents.ts";

/** Newest first; two queries. Throws what SQLite throws. */
export function incidentsOf(context: EngineContext, filter: IncidentFilter): IncidentList {
  const { store } = context;
  const found = store.pageLists.incidentIds({ ...filter, limit: filter.limit + 1 });
  const incidents = store.incidents.list(found.slice(0, filter.limit)).map((each) => incidentSummaryOf(context, each));
  return { incidents, more: found.length > filter.limit };
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
  /** There are older ones. */
  readonly more: boolean;
}

/** No index knows what was sent, or of which application: such a list ends after so many rows. */
const SEARCHED_MAX = 5_000;

/** Newest first; a query, or one for each application. Throws what SQLite throws. */
export function deliveriesOf(context: EngineContext, asked: DeliveriesAsked): DeliveryPage {
  const found = rowsOf(context, { ...asked, limit: asked.limit + 1 });
  return { deliveries: found.slice(0, asked.limit).map(deliverySummaryOf), more: found.length > asked.limit };
}

function rowsOf({ store }: EngineContext, { state, applications, before, limit }: DeliveriesAsked): OutgoingRow[] {
  if (applications === null && state !== "sent") return store.outgoing.unsent(state, before, limit);
  const upTo = Math.min(before - 1, store.outgoing.lastId());
  const part = { after: upTo - SEARCHED_MAX, upTo };
  return (applications ?? [null])
    .flatMap((application) => store.outgoing.among(state, application, part, limit))
    .sort((a, b) => b.id - a.id)
    .slice(0, limit);
}
