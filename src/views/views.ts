// All that pages, metrics, status pages and the contract's sync status read. Commands and programs use operations,
// which read by the same functions. Each function throws what SQLite throws; a generator may do so in any of its
// pieces.

import type { Span } from "../domain/monitor/window.ts";
import { applicationPolicy, mailRuleOf, monitorPolicy, zonesNear } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { IncidentFilter } from "../store/monitor-pages.ts";
import { adviceOnReplies, adviseOn } from "./advice.ts";
import { openIncidents } from "./attention.ts";
import { type BoardMonitor, createBoard } from "./board.ts";
import type { Changes } from "./changes.ts";
import { monitorWithPolicy } from "./completed-monitors.ts";
import { monitorIdOf } from "./find-named.ts";
import { incidentSummaryOf } from "./incident-summaries.ts";
import { jobPast } from "./job-past.ts";
import { jobStates } from "./job-states.ts";
import type { StoryAsked } from "./job-story.ts";
import { sentencesNow, troubledLately } from "./jobs-now.ts";
import { type LookBackAsked, lookBack } from "./look-back.ts";
import { type MaintenancesAsked, maintenancesOf } from "./maintenances.ts";
import { ownHealth, readMeasures } from "./measures.ts";
import { syncStatus } from "./monitor-summaries.ts";
import { notifiedOf } from "./notified.ts";
import { type ReplayAsked, replayOf } from "./replay-history.ts";
import { type DeliveriesAsked, deliveriesOf, destinationsOf } from "./shown-deliveries.ts";
import { viewContextAt } from "./shown-monitor.ts";
import { timelinesOf } from "./timelines.ts";
import type { LastUses, ViewSource } from "./view-source.ts";
import type { WhyContext } from "./why-facts.ts";

export type Views = ReturnType<typeof createViews>;

export const createViews = (
  source: WhyContext,
  clock: { now(): Instant },
  changes: Changes,
  { keyring }: LastUses,
) => ({
  viewContext: () => viewContextAt(source, clock.now()),
  health: () => ownHealth(source, clock.now()),
  /** The zone of those schedules of an application that name no zone (R13). */
  timezone: (application: string): string => zonesNear(applicationPolicy(source.policy, application))[0]!,
  board: createBoard(source, changes),
  /** Makes another board, for a reader that goes on while no page is open. */
  newBoard: () => createBoard(source, changes),
  /** How these jobs stand now, as programs get it in JSON. */
  jobStates: (monitors: readonly BoardMonitor[]) => jobStates(source, monitors),
  /** The monitor's id, by which a feed of changes names the monitor; `null` when there is no such monitor. */
  monitorId: (application: string, key: string) => monitorIdOf(source, application, key),
  /**
   * The rule by which mails to the monitor are read, and when the monitor last succeeded. A `rule` of `null` means that
   * the usual words decide what a mail means. The monitor need not exist yet.
   */
  mailRuleFor: (application: string, key: string): Readonly<{ rule: string | null; succeededAt: Instant | null }> => {
    const id = monitorIdOf(source, application, key);
    const found = id === null ? null : monitorWithPolicy(source, id);
    const rule = mailRuleOf(found?.policy ?? monitorPolicy(source.policy, application, key));
    return { rule, succeededAt: found?.monitor.succeededAt ?? null };
  },
  job: (application: string, key: string, asked: StoryAsked) =>
    jobPast(source, { application, key }, asked, clock.now()),
  /** What each of these monitors is doing now, as a sentence after its name. */
  sentencesNow: (ids: readonly number[]) => sentencesNow(source, ids, clock.now()),
  troubledLately: (ids: readonly number[]) => troubledLately(source, ids, clock.now()),
  timelines: (ids: readonly number[], span: Span) => timelinesOf(source, ids, span, clock.now()),
  advice: () => adviseOn({ ...source, keyring }, { application: null }, clock.now()),
  /**
   * Advice about settings by which replies are refused; empty when it cannot be read, so that a start does not fail for
   * it.
   */
  adviceOnReplies: () => orElse([], () => adviceOnReplies(source)),
  /** The alarms that a job's history would have raised under other settings. */
  replay: (asked: ReplayAsked) => replayOf(source, asked, clock.now()),
  /** The ids of the monitors that had an incident open in this span. */
  troubledIn: ({ from, to }: Span): ReadonlySet<number> => new Set(source.store.spans.troubled(from, to)),
  /** Monitors of one application with what became of them on the last days. */
  lookBack: (asked: LookBackAsked) => lookBack(source, asked, clock.now()),
  incidents: (filter: IncidentFilter) => incidentsOf(source, filter),
  /** How many incidents are open, up to ten thousand. */
  openCount: (applications: readonly string[] | null): number =>
    source.store.pageLists.incidentIds({ applications, state: "open", before: Number.MAX_SAFE_INTEGER, limit: 10_000 })
      .ids.length,
  failing: source.failing,
  openIncidents: (applications: readonly string[] | null, isPaused: Parameters<typeof openIncidents>[2]) =>
    openIncidents(source, applications, isPaused, clock.now()),
  /** The network address of each monitor's last report, by id; monitors without a known address are left out. */
  addresses: (ids: readonly number[]) => source.store.senders.addresses(ids),
  maintenances: (asked: MaintenancesAsked) => maintenancesOf(source, asked, clock.now()),
  deliveries: (asked: DeliveriesAsked) => deliveriesOf(source, asked),
  destinations: () => destinationsOf(source),
  notified: (incidentIds: readonly number[], timezone: string | null = null) =>
    notifiedOf(source, incidentIds, timezone),
  measures: (most: number) => readMeasures(source, most, clock.now()),
  /** The status of all monitors of an application, as its registries get it. */
  syncStatus: (application: string) => syncStatus(source, application, clock.now()),
});

// The dashboard's list of incidents, also for people who may see only some applications.

/**
 * Reads a page of incidents, the newest first. `older` is the value of `before` with which the next page is asked for;
 * `null` when there is no next page.
 */
function incidentsOf(context: ViewSource, filter: IncidentFilter) {
  const { store } = context;
  const { ids, lookedTo } = store.pageLists.incidentIds({ ...filter, limit: filter.limit + 1 });
  const incidents = store.incidents.list(ids.slice(0, filter.limit)).map((each) => incidentSummaryOf(context, each));
  return { incidents, older: ids.length > filter.limit ? incidents.at(-1)!.id : lookedTo };
}
