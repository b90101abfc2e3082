// How an incident stands, in words for lists, the page of the incident and `monitor show`. Pure.

import { byPerson } from "../../domain/wording/since-words.ts";
import type { IncidentSummary } from "../schemas/incident-schemas.ts";
import { storyEndInWords } from "../story.ts";
import type { RowPart } from "./rows.ts";

type StandingIncident = Pick<
  IncidentSummary,
  "openedAt" | "closedAt" | "closedBy" | "acknowledgedAt" | "acknowledgedBy" | "remindAt"
>;

/** How an incident stands, such as `recovered after 3 h 2 min`, `acknowledged by Ada 5 min ago` or `open`. */
export function incidentState(incident: Omit<StandingIncident, "remindAt">): RowPart[] {
  const { closedAt, acknowledgedAt, acknowledgedBy } = incident;
  if (closedAt !== null) return [storyEndInWords(incident)];
  return acknowledgedAt === null
    ? ["open"]
    : [`acknowledged${byPerson(acknowledgedBy)} `, { at: acknowledgedAt, as: "ago" }];
}

/** Like `incidentState`, and for an open incident what comes next: `open, next reminder in 55 min`. */
export function incidentStanding(incident: StandingIncident): RowPart[] {
  const { closedAt, acknowledgedAt, remindAt } = incident;
  const isOver = closedAt !== null || acknowledgedAt !== null;
  const next: RowPart[] = isOver
    ? []
    : remindAt === null
      ? [", no more reminders"]
      : [", next reminder ", { at: remindAt, as: "ago" }];
  return [...incidentState(incident), ...next];
}

/** The words that say that these pagers go on showing an acknowledgement that was taken back. */
export const keptByPagersInWords = (pagers: readonly string[]): string =>
  `${pagers.join(", ")} ${pagers.length === 1 ? "goes" : "go"} on showing it, as it cannot be taken back there`;
