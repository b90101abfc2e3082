// Decides which incidents a list shows: the open ones first, then the past ones, page by page.

import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import type { Engine } from "../../engine/parts.ts";
import { narrowedTo } from "../applications.ts";
import type { ListQuery } from "../list-query.ts";
import type { Viewer } from "../viewer.ts";

export const PARTS = ["all", "open", "past"] as const;

export type IncidentsQuery = ListQuery<(typeof PARTS)[number]>;

export interface IncidentSection {
  readonly state: "open" | "closed";
  readonly incidents: readonly IncidentSummary[];
  /** There are older ones. */
  readonly more: boolean;
}

const ON_A_PAGE = 50;

/** `all` shows the newest of both; a page further back is of one of them. Throws what SQLite throws. */
export function sectionsOf(engine: Engine, viewer: Viewer, { show, app, before }: IncidentsQuery): IncidentSection[] {
  const applications = narrowedTo(viewer, app);
  const states = show === "all" ? (["open", "closed"] as const) : ([show === "open" ? "open" : "closed"] as const);
  return states.map((state) => ({
    state,
    ...engine.incidents({ applications, state, before: before ?? Number.MAX_SAFE_INTEGER, limit: ON_A_PAGE }),
  }));
}
