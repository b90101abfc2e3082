// What needs somebody: an open incident with what happened in the words of its message, and who was told of it.

import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import type { Engine } from "../../engine/parts.ts";
import { shownName } from "../shown.ts";
import { addressesOf } from "../told.ts";
import type { Job, Need } from "./model.ts";

export function needsOf(
  engine: Engine,
  open: readonly IncidentSummary[],
  jobs: readonly Job[],
  namesakes: ReadonlySet<string>,
): Need[] {
  const zones = new Map(jobs.map(({ application, key, timezone }) => [`${application}/${key}`, timezone]));
  const chapters = engine.chapters(open.map(({ id }) => id));
  return open.map((incident) => {
    const told = chapters.get(incident.id) ?? [];
    const last = told.findLast(({ kind }) => kind === "InitialFailure" || kind === "NeverExecuted");
    return {
      incident,
      hasNamesake: namesakes.has(incident.name),
      timezone: zones.get(`${incident.application}/${incident.key}`) ?? "UTC",
      happened: last?.story[0] ?? `${shownName(incident)} is in trouble.`,
      toDo: last?.toDo ?? "Look at its log.",
      quote: incident.message,
      told: addressesOf(told),
    };
  });
}
