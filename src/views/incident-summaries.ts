// The answer of `incident list`: incidents (R23), the newest first. They are found in pieces, so that other work can go
// on.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import { type InPieces, piecesOf } from "../domain/in-pieces.ts";
import { monitorName } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { IncidentRecord } from "../store/incidents.ts";
import { policyOfOutline } from "./completed-monitors.ts";
import { findListed, findMonitor } from "./find-named.ts";
import { listedSince, type ReceivedFilter } from "./received.ts";
import type { IncidentList, IncidentSummary } from "./schemas/incident-schemas.ts";
import type { ViewSource } from "./view-source.ts";

interface IncidentsAsked extends ReceivedFilter {
  /** True when only open incidents are asked for. */
  readonly open: boolean;
  /** Only incidents with a lower id than this are listed. */
  readonly before: number;
}

const READ_AT_ONCE = 100;
/** The bounds for the list of a single monitor's incidents: its newest ones, which are read in one piece. */
const OF_ONE_MONITOR = { before: Number.MAX_SAFE_INTEGER, limit: 2_000 };

export function listIncidents(
  context: ViewSource,
  { application, monitor, limit, before, open, sinceSeconds }: IncidentsAsked,
  now: Instant,
): InPieces<IncidentList> | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const found = monitor === null ? null : findMonitor(context, { application, key: monitor });
  if (isRefusal(found)) return found;
  const monitorId = found?.id ?? null;
  const { incidents, pageLists } = context.store;
  const applications = owner === null ? null : [owner.slug];

  function* newestIds(): InPieces<number[]> {
    if (monitorId !== null) return incidents.ofMonitor(monitorId, OF_ONE_MONITOR).filter((id) => id < before);
    const state = open ? "open" : "any";
    const ids: number[] = [];
    for (let place: number | null = before; place !== null && ids.length <= limit; ) {
      const part = pageLists.incidentIds({ applications, state, before: place, limit: limit + 1 - ids.length });
      ids.push(...part.ids);
      place = part.lookedTo;
      yield;
    }
    return ids;
  }

  function* searched(): InPieces<IncidentList> {
    const from = listedSince(sinceSeconds, now);
    const shown: IncidentSummary[] = [];
    for (const piece of piecesOf(yield* newestIds(), READ_AT_ONCE)) {
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

export function incidentSummaryOf({ policy }: ViewSource, record: IncidentRecord): IncidentSummary {
  const { id, application, key, declaredName, incident } = record;
  const name = monitorName(policyOfOutline(policy, record), { name: declaredName });
  return { ...incident, id, application, key, name };
}
