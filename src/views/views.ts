// All that the edges look at: pages, metrics, status pages and the contract's sync status draw what they find here.
// What commands and programs look at are operations, which read by the same functions. Changes nothing; each throws
// what SQLite throws, and what is made in pieces does so in any of them.

import type { Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import type { Span } from "../domain/monitor/window.ts";
import type { Instant } from "../domain/time.ts";
import type { SaidPart } from "../domain/wording/now.ts";
import type { IncidentFilter } from "../store/monitor-pages.ts";
import type { Notified } from "./answers/incidents.ts";
import { type Board, createBoard } from "./board.ts";
import type { Changes } from "./changes.ts";
import type { ViewSource } from "./context.ts";
import { type DestinationHealth, destinationsOf } from "./deliveries.ts";
import { monitorIdOf } from "./find-named.ts";
import { type JobPast, jobPast } from "./job.ts";
import type { StoryAsked } from "./job-story.ts";
import { sentencesNow } from "./jobs-now.ts";
import { type LookBack, type LookBackAsked, lookBack } from "./look-back.ts";
import { type MeasuresRead, readAll } from "./measures.ts";
import { type OwnHealth, ownHealth } from "./own-health.ts";
import { type DeliveriesAsked, type DeliveryPage, deliveriesOf, type IncidentPage, incidentsOf } from "./page-lists.ts";
import { type ViewContext, viewContextAt } from "./shown-monitor.ts";
import { notifiedOf } from "./stories.ts";
import { type SyncStatus, syncStatus } from "./sync-status.ts";
import { type Timelines, timelinesOf } from "./timelines.ts";

export interface Views {
  /** What every screen's words depend on. */
  viewContext(): ViewContext;
  /** How rollcall itself is. */
  health(): OwnHealth;
  /** All monitors at a glance. */
  readonly board: Board;
  /** What changes of it are named by; null: there is no such monitor. */
  monitorId(application: string, key: string): number | null;
  /** What a monitor's page shows of its past. */
  job(application: string, key: string, asked: StoryAsked): InPieces<JobPast | Refusal>;
  /** What each of these monitors is doing now, to be read after its name. */
  now(ids: readonly number[]): ReadonlyMap<number, readonly SaidPart[]>;
  /** What these monitors did in this span, and what was due in it. */
  timelines(ids: readonly number[], span: Span): InPieces<Timelines>;
  /** The monitors that had an incident open in this span. */
  troubledIn(span: Span): ReadonlySet<number>;
  /** Monitors of one application with their last days. */
  lookBack(asked: LookBackAsked): InPieces<LookBack>;
  /** Newest first, for viewers of some applications too. */
  incidents(filter: IncidentFilter): IncidentPage;
  /** The same of deliveries. */
  deliveries(asked: DeliveriesAsked): DeliveryPage;
  /** How each destination fares. */
  destinations(): readonly DestinationHealth[];
  /** What was told of these incidents, oldest first, by incident. */
  notified(incidentIds: readonly number[]): ReadonlyMap<number, readonly Notified[]>;
  /** All monitors counted, with at most `most` of them by themselves, and what waits for each destination. */
  measures(most: number): InPieces<MeasuresRead>;
  /** The monitors of an application, for its registries. */
  syncStatus(application: string): InPieces<SyncStatus>;
}

interface ViewsParts {
  readonly source: ViewSource;
  readonly clock: { now(): Instant };
  readonly changes: Changes;
}

export const createViews = ({ source, clock, changes }: ViewsParts): Views => ({
  viewContext: () => viewContextAt(source, clock.now()),
  health: () => ownHealth(source, clock.now()),
  board: createBoard(source, changes),
  monitorId: (application, key) => monitorIdOf(source, application, key),
  job: (application, key, asked) => jobPast(source, { application, key }, asked, clock.now()),
  now: (ids) => sentencesNow(source, ids, clock.now()),
  timelines: (ids, span) => timelinesOf(source, ids, span, clock.now()),
  troubledIn: ({ from, to }) => new Set(source.store.spans.troubled(from, to)),
  lookBack: (asked) => lookBack(source, asked, clock.now()),
  incidents: (filter) => incidentsOf(source, filter),
  deliveries: (asked) => deliveriesOf(source, asked),
  destinations: () => destinationsOf(source),
  notified: (incidentIds) => notifiedOf(source, incidentIds),
  measures: (most) => readAll(source, most, clock.now()),
  syncStatus: (application) => syncStatus(source, application, clock.now()),
});
