// What operators see of incidents (R23): the newest, newest first, searched in pieces. Changes nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import { type InPieces, piecesOf } from "../domain/in-pieces.ts";
import { isLaterThanUsual, STATUSES, type Status, statusOf } from "../domain/monitor/monitor.ts";
import { monitorPolicy, nameOf } from "../domain/settings/policy.ts";
import { unheardOf } from "../domain/settings/reach.ts";
import type { Instant } from "../domain/time.ts";
import type { IncidentRecord } from "../store/incidents.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { Store } from "../store/store.ts";
import type { IncidentList, IncidentSummary } from "./answers/incidents.ts";
import type { StatusSummary } from "./answers/status.ts";
import type { ViewSource } from "./context.ts";
import { findListed, findMonitor, monitorIdOf } from "./find-named.ts";
import { sentencesNow } from "./jobs-now.ts";
import { summaryOf, throughPlaced } from "./monitor-pages.ts";
import { type ReceivedFilter, sinceOf } from "./received.ts";

interface IncidentsAsked extends ReceivedFilter {
  /** Only those that are. */
  readonly open: boolean;
  /** Only those with a smaller number. */
  readonly before: number;
}

/** An application's incidents are found among all: the rows that one piece looks at, some milliseconds of work. */
const ROWS_AT_ONCE = 5_000;
/** Incidents that are read in one piece. */
const READ_AT_ONCE = 100;

export function listIncidents(
  context: ViewSource,
  filter: IncidentsAsked,
  now: Instant,
): InPieces<IncidentList> | Refusal {
  const { application, monitor } = filter;
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const found = monitor === null ? null : findMonitor(context, { application, key: monitor });
  if (isRefusal(found)) return found;
  const [applicationId, monitorId] = [owner?.id ?? null, found?.id ?? null];
  const { incidents } = context.store;
  const { limit, before, open, sinceSeconds } = filter;

  function* searched(): InPieces<IncidentList> {
    const bounds = { before: Number.MAX_SAFE_INTEGER, limit: OF_ONE_MONITOR };
    const ids =
      monitorId === null
        ? yield* newestIds(incidents, { ...filter, limit: limit + 1 }, applicationId)
        : incidents.ofMonitor(monitorId, bounds).filter((id) => id < before);
    const from = sinceOf(sinceSeconds, now);
    const shown: IncidentSummary[] = [];
    for (const piece of piecesOf(ids, READ_AT_ONCE)) {
      for (const record of incidents.list(piece)) {
        const { openedAt, closedAt } = record.incident;
        if (openedAt < from || (open && closedAt !== null)) continue;
        if (shown.length === limit) return { incidents: shown, more: true };
        shown.push(incidentSummaryOf(context, record));
      }
      yield;
    }
    return { incidents: shown, more: false };
  }
  return searched();
}

/** A monitor's incidents are looked through at once. */
const OF_ONE_MONITOR = 2_000;

function* newestIds(
  incidents: Store["incidents"],
  { open, before, limit }: IncidentsAsked,
  applicationId: number | null,
): InPieces<number[]> {
  if (applicationId === null) return incidents.newest(open, { before, limit });
  const found: number[] = [];
  for (let upTo = Math.min(incidents.lastId(), before - 1); upTo > 0 && found.length < limit; upTo -= ROWS_AT_ONCE) {
    const bounds = { before, limit: limit - found.length };
    found.push(...incidents.newestOf(applicationId, open, bounds, { after: upTo - ROWS_AT_ONCE, upTo }));
    yield;
  }
  return found;
}

export function incidentSummaryOf({ policy }: ViewSource, record: IncidentRecord): IncidentSummary {
  const { id, application, key, declaredName, incident } = record;
  const name = nameOf(monitorPolicy(policy, application, key), { name: declaredName });
  return { ...incident, id, application, key, name };
}

// What needs attention now, over all applications or one: a screen for people, and an exit code for scripts. Changes
// nothing.

/** More would not fit on a screen. */
const NAMED = 20;

type StatusContext = ViewSource & { readonly ownTroubles: () => string[] };

export function statusOfAll(
  context: StatusContext,
  { application }: { readonly application: string | null },
  now: Instant,
): InPieces<StatusSummary> | Refusal {
  const owner = findListed(context, application);
  const newest = { monitor: null, sinceSeconds: null, before: Number.MAX_SAFE_INTEGER, limit: NAMED };
  const open = listIncidents(context, { application, open: true, ...newest }, now);
  if (isRefusal(owner)) return owner;
  if (isRefusal(open)) return open;

  function* read(incidentsOf: InPieces<IncidentList>): InPieces<StatusSummary> {
    const { store, policy, failing, ownTroubles } = context;
    const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
    const warnings: MonitorOutline[] = [];
    let unreadable = 0;
    yield* throughPlaced(store, application, (listed) => {
      const outlines = store.monitorPages.outlines(listed.map(({ id }) => id)).filter(({ readable }) => readable);
      unreadable += listed.length - outlines.length;
      for (const outline of outlines) {
        const status = statusOf(outline, now);
        counts[status]++;
        if (status === "warning" && warnings.length < NAMED && isLaterThanUsual(outline, now)) warnings.push(outline);
      }
    });
    const { incidents, more } = yield* incidentsOf;
    yield;
    const placed = incidents.map((one) => ({ one, id: monitorIdOf(context, one.application, one.key) }));
    const ids = [...placed.map(({ id }) => id), ...warnings.map(({ id }) => id)].filter((id) => id !== null);
    const sentences = sentencesNow(context, ids, now);
    const sentenceOf = (id: number | null) => [...((id === null ? undefined : sentences.get(id)) ?? [])];
    const applications = store.applications.list().filter(({ slug }) => (application ?? slug) === slug);
    return {
      troubles: ownTroubles(),
      counts,
      incidents: placed.map(({ one, id }) => ({ ...one, now: sentenceOf(id) })),
      moreIncidents: more,
      warnings: warnings.map((outline) => ({ ...summaryOf(policy, outline, now), now: sentenceOf(outline.id) })),
      unreadable,
      failing: [...failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
      // Destinations that take nothing are named above.
      unheard: unheardOf(policy, new Map(), applications.filter(isActive), "operator"),
      suspended: applications.filter((one) => !isActive(one)).map(({ slug }) => slug),
    };
  }
  return read(open);
}

const isActive = ({ suspendedAt }: { readonly suspendedAt: Instant | null }): boolean => suspendedAt === null;
