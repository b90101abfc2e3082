// Reads the chosen monitors of one application, each with its last days and incidents, as status pages show them.

import type { InPieces } from "../domain/in-pieces.ts";
import { lastMidnights } from "../domain/schedule/midnights.ts";
import type { Reaches } from "../domain/settings/targets.ts";
import type { Instant } from "../domain/time.ts";
import type { PastIncident } from "../store/recent.ts";
import { outlinedLabels } from "./completed-monitors.ts";
import { maintenancesOf } from "./maintenances.ts";
import { eachMonitorPage, monitorSummary } from "./monitor-summaries.ts";
import { INCIDENTS_OF_DAYS, type PastDay, pastDays } from "./past-days.ts";
import { pausedSpansOf } from "./past-pauses.ts";
import type { ShownMaintenance } from "./schemas/maintenance-schemas.ts";
import type { MonitorSummary } from "./schemas/monitor-schemas.ts";
import type { MonitorReads } from "./view-source.ts";

export interface LookBackAsked {
  /** The application's slug. */
  readonly application: string;
  readonly isChosen: Reaches;
  /** How many of the last days are read, today included. */
  readonly days: number;
  readonly limit: number;
}

export interface PastMonitor {
  readonly monitor: MonitorSummary;
  /** True when a slot or a run is unknown and no report has come since (R26). */
  readonly unheard: boolean;
  /** The last days and what became of the monitor on each, the oldest first. */
  readonly days: readonly PastDay[];
  readonly incidents: readonly PastIncident[];
}

export interface LookBack {
  readonly now: Instant;
  /** The application's name for people, or else its slug. */
  readonly name: string;
  /** The zone of the days: the application's, otherwise the server's. */
  readonly timezone: string;
  /** The chosen monitors, sorted by key. */
  readonly monitors: readonly PastMonitor[];
  /** How many chosen monitors are not shown, because of the limit. */
  readonly more: number;
  /** The application's maintenance, without what is over. */
  readonly maintenances: readonly ShownMaintenance[];
}

/** How many monitors are read in one piece, which takes some milliseconds unless they have many incidents. */
const MONITORS_AT_ONCE = 20;

/** The chosen monitors with their past; empty when there is no such application. Throws what SQLite throws. */
export function* lookBack(books: MonitorReads, asked: LookBackAsked, now: Instant): InPieces<LookBack> {
  const { store, policy } = books;
  const rules = policy.applications.get(asked.application);
  const timezone = rules?.timezone ?? policy.timezone;
  const found = store.applications.find(asked.application);
  const name = rules?.name ?? found?.name ?? asked.application;
  const chosen = found === null ? [] : yield* chosenIds(books, asked);
  const shown = chosen.slice(0, asked.limit);
  const midnights = lastMidnights(timezone, now, asked.days);
  const since = midnights[0]!;
  const monitors: PastMonitor[] = [];
  for (let place = 0; place < shown.length; place += MONITORS_AT_ONCE) {
    const ids = shown.slice(place, place + MONITORS_AT_ONCE);
    const incidents = Map.groupBy(store.recent.past(ids, since, INCIDENTS_OF_DAYS), ({ monitorId }) => monitorId);
    const unknowns = Map.groupBy(store.recent.unknown(ids, since), ({ monitorId }) => monitorId);
    for (const outline of store.monitorPages.outlines(ids)) {
      if (!outline.readable) continue;
      yield;
      const past = {
        incidents: incidents.get(outline.id) ?? [],
        unknowns: unknowns.get(outline.id) ?? [],
        paused: pausedSpansOf(outline, store.pausedSpans.of([outline.id], since)),
        timeline: null,
      };
      monitors.push({
        monitor: monitorSummary(policy, outline, now),
        unheard: outline.unheard,
        days: pastDays(outline, past, midnights, now),
        incidents: past.incidents,
      });
    }
    yield;
  }
  const maintenances = maintenancesOf(books, { applications: [asked.application], since: now, limit: 0 }, now);
  return { now, name, timezone, monitors, more: chosen.length - shown.length, maintenances };
}

function* chosenIds({ store, policy }: MonitorReads, { application, isChosen }: LookBackAsked): InPieces<number[]> {
  const ids: number[] = [];
  yield* eachMonitorPage(
    store,
    application,
    (listed) =>
      void ids.push(...listed.filter((one) => isChosen(one.key, outlinedLabels(policy, one))).map(({ id }) => id)),
  );
  return ids;
}
