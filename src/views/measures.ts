// Reads in pieces what `/metrics` tells about all monitors and destinations.

import type { InPieces, Made } from "../domain/in-pieces.ts";
import { STATUSES, type Status, statusOf } from "../domain/monitor/monitor.ts";
import { dueTimesOf } from "../domain/monitor/window.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import { databaseSize } from "../store/file/pragmas.ts";
import type { CountedPiece, MonitorOutline } from "../store/monitor-pages.ts";
import { besideJobs } from "./attention.ts";
import { outlinedLabels } from "./completed-monitors.ts";
import { eachMonitorPage } from "./monitor-summaries.ts";
import { stuckDestinations } from "./shown-deliveries.ts";
import type { ViewSource } from "./view-source.ts";

/** What `/metrics` tells of one monitor by its name, besides the counts of all monitors. */
export interface MeasuredMonitor
  extends Pick<MonitorOutline, "application" | "key" | "receivedAt" | "succeededAt" | "lastRunMs"> {
  readonly status: Status;
  /**
   * When the report that is late was due. When no report is late, this is when the next one is due, or `null` when none
   * is expected.
   */
  readonly dueAt: Instant | null;
  /** The monitor's labels, sorted and with a space between two; `null` when it has none. */
  readonly labels: string | null;
}

export type MeasuresRead = Made<typeof readMeasures>;

/**
 * The statuses in the order in which monitors are listed. When there are too many monitors, those of the last status
 * are left out first.
 */
const STATUS_ORDER: readonly Status[] = ["critical", "warning", "healthy", "pending", "paused"];

/**
 * Counts all monitors by application and status, and lists at most `most` of them. Counts for each destination the
 * deliveries that wait or were given up. Throws what SQLite throws.
 */
export function* readMeasures(context: ViewSource, most: number, now: Instant) {
  const monitors = yield* readMonitors(context, most, now);
  yield;
  const stuck = stuckDestinations(context, now);
  const destinations: Readonly<{
    name: string;
    waiting: number;
    givenUp: number;
    isFailing: boolean;
    isStuck: boolean;
  }>[] = [];
  for (const name of context.policy.destinations.keys()) {
    const waiting = yield* countUnsent(context, name, 0);
    const givenUp = yield* countUnsent(context, name, 1);
    const isFailing = context.failing().has(name);
    destinations.push({ name, waiting, givenUp, isFailing, isStuck: stuck.includes(name) });
  }
  return { at: now, ...monitors, destinations };
}

function* readMonitors({ store, policy }: ViewSource, most: number, now: Instant) {
  const counts = new Map(store.applications.list().map(({ slug }) => [slug, newCount()]));
  const shown = new Map<Status, MeasuredMonitor[]>(STATUSES.map((status) => [status, []]));
  let readable = 0;
  yield* eachMonitorPage(store, null, (listed) => {
    for (const { application } of listed) countOf(counts, application).unreadable++;
    for (const outline of store.monitorPages.outlines(listed.map(({ id }) => id))) {
      if (!outline.readable) continue;
      readable++;
      const count = countOf(counts, outline.application);
      const measured = measuredOf(policy, outline, now);
      count.unreadable--;
      count.statuses[measured.status]++;
      if (outline.incident !== null) count.openIncidents++;
      const alike = shown.get(measured.status)!;
      if (alike.length < most) alike.push(measured);
    }
  });
  const monitors = STATUS_ORDER.flatMap((status) => shown.get(status)!).slice(0, most);
  const applications = [...counts].map(([application, count]) => ({ application, ...count }));
  return {
    /**
     * The counts of each application, sorted by slug; applications without monitors are included. Monitors that cannot
     * be read are counted in no status.
     */
    applications,
    /** The first `most` monitors: those in trouble before the others, each group sorted by application and key. */
    monitors,
    leftOut: readable - monitors.length,
  };
}

/** How many deliveries are counted in one piece, which takes a millisecond or two. */
const COUNTED = 5_000;

function* countUnsent({ store }: ViewSource, destination: string, isGivenUp: 0 | 1): InPieces<number> {
  let count = 0;
  for (let after: number | null = 0; after !== null; ) {
    yield;
    const piece: CountedPiece = store.pageLists.countUnsent({ destination, isGivenUp }, { after, limit: COUNTED });
    count += piece.count;
    after = piece.last;
  }
  return count;
}

type Count = ReturnType<typeof newCount>;

const newCount = () => ({
  statuses: Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>,
  openIncidents: 0,
  unreadable: 0,
});

/**
 * Returns the counts of an application. For an application that was created during the reading, it first adds counts of
 * 0.
 */
function countOf(counts: Map<string, Count>, application: string): Count {
  const count = counts.get(application) ?? newCount();
  counts.set(application, count);
  return count;
}

function measuredOf(policy: Policy, outline: MonitorOutline, now: Instant): MeasuredMonitor {
  const { application, key, receivedAt, succeededAt, lastRunMs } = outline;
  const labels = outlinedLabels(policy, outline);
  const { lateSince, nextAt } = dueTimesOf(outline, now);
  return {
    application,
    key,
    dueAt: lateSince ?? nextAt,
    receivedAt,
    succeededAt,
    lastRunMs,
    labels,
    status: statusOf(outline, now),
  };
}

// The following reads how rollcall itself is doing: its gaps, the size of its database, and who is signed in.

const GAPS_SHOWN = 50;

export type OwnHealth = Readonly<ReturnType<typeof ownHealth>>;

export function ownHealth(context: Pick<ViewSource, "store" | "plainRefusals">, now: Instant) {
  const { store } = context;
  const gaps = store.gaps.last(GAPS_SHOWN + 1);
  return {
    ...besideJobs(context, store.applications.list(), now),
    /** The last gaps, the newest first. */
    gaps: gaps.slice(0, GAPS_SHOWN),
    moreGaps: gaps.length > GAPS_SHOWN,
    /**
     * The bytes of the database file, without SQLite's write-ahead log. `free` is the part that new rows will fill
     * first; `sqlite` is the version of SQLite.
     */
    database: databaseSize(store.database),
    /**
     * Who is signed in, sorted by name. `usedAt`, when a session was last used, may be an hour old, because the uses of
     * a session are stored once an hour.
     */
    signedIn: store.sessions.signedIn(now),
  };
}
