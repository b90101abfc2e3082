// Decides which incidents a list shows: the open ones first, then the past ones, page by page.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Engine } from "../../engine/engine.ts";
import type { IncidentSummary } from "../../views/answers/incidents.ts";
import { type ListQuery, narrowedList, narrowedTo } from "../list-query.ts";
import type { Clocked } from "../parts/moment.tsx";
import { INCIDENTS_PATH } from "../paths.ts";
import type { Viewer } from "../viewer.ts";

export type IncidentsQuery = ListQuery<"all" | "open" | "past">;

export const INCIDENTS_LIST = narrowedList<IncidentsQuery["show"]>(INCIDENTS_PATH, "Which incidents", {
  all: "All",
  open: "Open",
  past: "Past",
});

export interface IncidentSection {
  readonly state: "open" | "closed";
  readonly incidents: readonly IncidentSummary[];
  /** Where older ones begin; null: there are none. */
  readonly older: number | null;
}

export interface ShownIncidents extends Clocked {
  readonly query: IncidentsQuery;
  readonly sections: readonly IncidentSection[];
}

const ON_A_PAGE = 50;

/** `all` shows the newest of both; a page further back is of one of them. A piece throws what SQLite throws. */
export function* incidentListOf(engine: Engine, viewer: Viewer, query: IncidentsQuery): InPieces<ShownIncidents> {
  const { show, app, before } = query;
  const applications = narrowedTo(viewer, app);
  const states = show === "all" ? (["open", "closed"] as const) : ([show === "open" ? "open" : "closed"] as const);
  const sections: IncidentSection[] = [];
  for (const state of states) {
    const asked = { applications, state, before: before ?? Number.MAX_SAFE_INTEGER, limit: ON_A_PAGE };
    sections.push({ state, ...engine.views.incidents(asked) });
    yield;
  }
  const { now, timezone } = engine.views.viewContext();
  return { query, sections, now, timezone };
}
