// What operators see of incidents (R23): the newest, newest first, searched in stretches. Changes nothing.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { monitorPolicy, nameOf } from "../../domain/settings/policy.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import type { Store } from "../../store/store.ts";
import type { EngineContext } from "../context.ts";
import type { IncidentList, IncidentSummary } from "../operations/answers/incidents.ts";
import { findListed } from "./find-named.ts";
import type { InStretches } from "./in-stretches.ts";

interface IncidentFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  /** Only those that are. */
  readonly open: boolean;
  /** Only those with a smaller number. */
  readonly before: number;
  readonly limit: number;
}

/** An application's incidents are found among all: the rows that one stretch looks at, some milliseconds of work. */
const ROWS_AT_ONCE = 5_000;

export function listIncidents(context: EngineContext, filter: IncidentFilter): InStretches<IncidentList> | Refusal {
  const owner = findListed(context, filter.application);
  return isRefusal(owner) ? owner : searched(context, filter, owner?.id ?? null);
}

function* searched(
  context: EngineContext,
  filter: IncidentFilter,
  applicationId: number | null,
): InStretches<IncidentList> {
  const { incidents } = context.store;
  const found = yield* newestIds(incidents, { ...filter, limit: filter.limit + 1 }, applicationId);
  const shown = incidents.list(found.slice(0, filter.limit)).map((each) => incidentSummaryOf(context, each));
  return { incidents: shown, more: found.length > filter.limit };
}

function* newestIds(
  incidents: Store["incidents"],
  { open, before, limit }: IncidentFilter,
  applicationId: number | null,
): InStretches<number[]> {
  if (applicationId === null) return incidents.newest(open, { before, limit });
  const found: number[] = [];
  for (let upTo = Math.min(incidents.lastId(), before - 1); upTo > 0 && found.length < limit; upTo -= ROWS_AT_ONCE) {
    const bounds = { before, limit: limit - found.length };
    found.push(...incidents.newestOf(applicationId, open, bounds, { after: upTo - ROWS_AT_ONCE, upTo }));
    yield;
  }
  return found;
}

export function incidentSummaryOf({ policy }: EngineContext, record: IncidentRecord): IncidentSummary {
  const { id, application, key, declaredName, incident } = record;
  const name = nameOf(monitorPolicy(policy, application, key), { name: declaredName });
  return { ...incident, id, application, key, name };
}
