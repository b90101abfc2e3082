// All that the edges look at: pages, metrics, status pages and the contract's sync status draw what they find here.
// What commands and programs look at are operations, which read by the same functions. Changes nothing; each throws
// what SQLite throws, and what is made in pieces does so in any of them.

import type { Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import type { Span } from "../domain/monitor/window.ts";
import type { Instant } from "../domain/time.ts";
import type { SaidPart } from "../domain/wording/now.ts";
import type { IncidentFilter } from "../store/monitor-pages.ts";
import type { OutgoingRow } from "../store/outgoing.ts";
import type { DeliverySummary } from "./answers/deliveries.ts";
import type { IncidentSummary, Notified } from "./answers/incidents.ts";
import { type Board, createBoard } from "./board.ts";
import type { Changes } from "./changes.ts";
import type { ViewSource } from "./context.ts";
import { type DestinationHealth, deliverySummaryOf, destinationsOf } from "./deliveries.ts";
import { monitorIdOf } from "./find-named.ts";
import { incidentSummaryOf } from "./incidents.ts";
import { type JobPast, jobPast } from "./job.ts";
import type { StoryAsked } from "./job-story.ts";
import { sentencesNow } from "./jobs-now.ts";
import { type LookBack, type LookBackAsked, lookBack } from "./look-back.ts";
import { type MeasuresRead, type OwnHealth, ownHealth, readAll } from "./measures.ts";
import { type SyncStatus, syncStatus } from "./monitor-pages.ts";
import { type ViewContext, viewContextAt } from "./shown-monitor.ts";
import { notifiedOf } from "./stories.ts";
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

// The dashboard's lists of incidents and deliveries, for people who may see several applications. Changes nothing.

interface IncidentPage {
  readonly incidents: readonly IncidentSummary[];
  /** Where older ones begin (`before`); null: there are none. */
  readonly older: number | null;
}

/** Newest first; two queries. Throws what SQLite throws. */
function incidentsOf(context: ViewSource, filter: IncidentFilter): IncidentPage {
  const { store } = context;
  const { ids, lookedTo } = store.pageLists.incidentIds({ ...filter, limit: filter.limit + 1 });
  const incidents = store.incidents.list(ids.slice(0, filter.limit)).map((each) => incidentSummaryOf(context, each));
  return { incidents, older: ids.length > filter.limit ? incidents.at(-1)!.id : lookedTo };
}

/** What is asked of deliveries of one state. */
interface DeliveriesAsked {
  readonly state: "waiting" | "given_up" | "sent";
  /** Slugs; null: all, and what belongs to none. */
  readonly applications: readonly string[] | null;
  readonly before: number;
  readonly limit: number;
}

interface DeliveryPage {
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
function deliveriesOf({ store }: ViewSource, asked: DeliveriesAsked): DeliveryPage {
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
