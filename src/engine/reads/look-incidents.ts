// What operators see of incidents (R23): the newest, newest first. Changes nothing.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { monitorPolicy, nameOf } from "../../domain/settings/policy.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import type { EngineContext } from "../context.ts";
import type { IncidentList, IncidentSummary } from "../operations/answers/incidents.ts";
import { findListed } from "./find-named.ts";

interface IncidentFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  /** Only those that are. */
  readonly open: boolean;
  /** Only those with a smaller number. */
  readonly before: number;
  readonly limit: number;
}

export function listIncidents(
  context: EngineContext,
  { application, open, before, limit }: IncidentFilter,
): IncidentList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const found = context.store.incidents.list({
    applicationId: owner?.id ?? null,
    openOnly: open,
    before,
    limit: limit + 1,
  });
  const incidents = found.slice(0, limit).map((each) => incidentSummaryOf(context, each));
  return { incidents, more: found.length > limit };
}

export function incidentSummaryOf({ policy }: EngineContext, record: IncidentRecord): IncidentSummary {
  const { id, application, key, declaredName, incident } = record;
  const name = nameOf(monitorPolicy(policy, application, key), { name: declaredName });
  return { ...incident, id, application, key, name };
}
