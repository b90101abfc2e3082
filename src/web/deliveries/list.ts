// Decides which deliveries the page shows: those that wait, those that were given up, those that were sent, newest
// first.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Engine } from "../../engine/engine.ts";
import type { DeliverySummary } from "../../views/answers/deliveries.ts";
import type { DestinationHealth } from "../../views/deliveries.ts";
import { type ListQuery, narrowedList, narrowedTo } from "../list-query.ts";
import type { Clocked } from "../parts/moment.tsx";
import { DELIVERIES_PATH } from "../paths.ts";
import type { Viewer } from "../viewer.ts";

const STATES = ["waiting", "given_up", "sent"] as const;

export type DeliveriesQuery = ListQuery<"all" | (typeof STATES)[number]>;

export const DELIVERIES_LIST = narrowedList<DeliveriesQuery["show"]>(DELIVERIES_PATH, "Which deliveries", {
  all: "All",
  waiting: "Waiting",
  given_up: "Given up",
  sent: "Sent",
});

export interface DeliverySection {
  readonly state: (typeof STATES)[number];
  readonly deliveries: readonly DeliverySummary[];
  /** Where older ones begin; null: there are none. */
  readonly older: number | null;
}

export interface DeliveryLists extends Clocked {
  readonly query: DeliveriesQuery;
  readonly sections: readonly DeliverySection[];
  /** Null: they are not this viewer's. */
  readonly destinations: readonly DestinationHealth[] | null;
}

/** Of each state, where all are shown; of one that is shown alone. */
const SHOWN_OF_EACH = 20;
const SHOWN_OF_ONE = 50;

/** A piece throws what SQLite throws. */
export function* deliveryListsOf(engine: Engine, viewer: Viewer, query: DeliveriesQuery): InPieces<DeliveryLists> {
  const { show, app, before } = query;
  const states = show === "all" ? STATES : [show];
  const limit = show === "all" ? SHOWN_OF_EACH : SHOWN_OF_ONE;
  const applications = narrowedTo(viewer, app);
  const sections: DeliverySection[] = [];
  for (const state of states) {
    const asked = { state, applications, before: before ?? Number.MAX_SAFE_INTEGER, limit };
    sections.push({ state, ...engine.views.deliveries(asked) });
    yield;
  }
  const destinations = viewer.applications === null ? engine.views.destinations() : null;
  const { now, timezone } = engine.views.viewContext();
  return { query, sections, destinations, now, timezone };
}
