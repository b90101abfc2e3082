// What needs somebody: an open incident with what happened in the words of its message, and who was told of it.

import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import type { Engine } from "../../engine/parts.ts";
import type { BoardMonitor } from "../../engine/reads/board.ts";
import { shownName } from "../shown.ts";
import { addressesOf } from "../told.ts";
import type { Need } from "./model.ts";

export function needsOf(
  engine: Engine,
  open: readonly IncidentSummary[],
  jobs: readonly BoardMonitor[],
  namesakes: ReadonlySet<string>,
): Need[] {
  const keys = new Set(open.map(({ key }) => key));
  const theirs = jobs.filter(({ key }) => keys.has(key));
  const zones = new Map(theirs.map(({ application, key, timezone }) => [`${application}/${key}`, timezone]));
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
