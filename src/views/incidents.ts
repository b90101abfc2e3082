// What operators see of incidents (R23): the newest, newest first, searched in pieces. Changes nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import { type InPieces, piecesOf } from "../domain/in-pieces.ts";
import { monitorPolicy, nameOf } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { IncidentRecord } from "../store/incidents.ts";
import type { Store } from "../store/store.ts";
import type { IncidentList, IncidentSummary } from "./answers/incidents.ts";
import type { ViewSource } from "./context.ts";
import { findListed, findMonitor } from "./find-named.ts";
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
