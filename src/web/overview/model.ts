// The overview as data: what overview.ts decides and the templates show. Types only.

import type { Instant } from "../../domain/time.ts";
import type { SaidPart } from "../../domain/wording/now.ts";
import type { IncidentSummary } from "../../views/answers/incidents.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { RecentRun } from "../../views/recent-runs.ts";
import type { Tone } from "../assets/assets.ts";
import type { Health } from "../parts/shapes.tsx";
import type { NotifiedDestination } from "../parts/told-line.tsx";
import type { OverviewQuery } from "./query.ts";

export interface ShownJob extends BoardMonitor {
  readonly health: Health;
  readonly runs: readonly RecentRun[];
  /** What it is doing now; empty where the row says it already. */
  readonly sentence: readonly SaidPart[];
  /** Another job has its name: only its key tells them apart. */
  readonly hasNamesake: boolean;
}

export interface JobGroup {
  /** An application's slug, a source, an environment or an owner; empty: of none. */
  readonly name: string;
  /** All that the query finds in it, also on other pages. */
  readonly total: number;
  readonly jobs: readonly ShownJob[];
}

export interface Overview {
  readonly now: Instant;
  readonly query: OverviewQuery;
  readonly headline: Headline;
  readonly needs: readonly Need[];
  /** Open incidents that are left out of `needs`. */
  readonly moreNeeds: number;
  /** What is wrong with rollcall itself. */
  readonly troubles: readonly string[];
  readonly counts: Readonly<Record<OverviewQuery["show"], number>>;
  readonly groups: readonly JobGroup[];
  /** How many jobs the query finds. */
  readonly found: number;
  readonly pages: number;
  readonly onlyApplication: boolean;
}

export interface Headline {
  readonly sentence: string;
  /** For the browser's tab. */
  readonly title: string;
  readonly tone: Tone;
  /** The job that is expected next; null: none is. */
  readonly next: (Pick<BoardMonitor, "application" | "key" | "name" | "timezone"> & { readonly at: Instant }) | null;
}

export interface Need {
  readonly incident: IncidentSummary;
  /** See `ShownJob`. */
  readonly hasNamesake: boolean;
  /** The zone of its job's schedule. */
  readonly timezone: string;
  /** What its job is doing now. */
  readonly sentence: readonly SaidPart[];
  readonly told: readonly NotifiedDestination[];
}
