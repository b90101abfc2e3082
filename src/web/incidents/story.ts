// An incident's story as one list in time order: what the job reported, what was told of it, and what people did.

import type { Instant } from "../../domain/time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import type { Chapter, IncidentStory } from "../../engine/operations/answers/incidents.ts";
import { shownLines } from "../shown.ts";
import { endedInWords } from "./ended.ts";

export type StoryReport = IncidentStory["reports"][number];

export type StoryEvent =
  | { readonly kind: "report"; readonly at: Instant; readonly report: StoryReport }
  | { readonly kind: "told"; readonly at: Instant; readonly chapter: Chapter; readonly quote: string | null }
  /** Nobody was told of it. */
  | { readonly kind: "deed"; readonly at: Instant; readonly words: string };

/** Oldest first; of one instant, what caused comes before what followed. */
export function eventsOf({ incident, chapters, reports }: IncidentStory): StoryEvent[] {
  const said = new Set(reports.map(({ message }) => shownLines(message ?? "")));
  const has = (kind: Chapter["kind"]): boolean => chapters.some((chapter) => chapter.kind === kind);
  const { acknowledgedAt, acknowledgedBy, closedAt } = incident;
  const deeds: StoryEvent[] = [
    ...(acknowledgedAt === null || has("Acknowledged")
      ? []
      : [{ kind: "deed" as const, at: acknowledgedAt, words: `Acknowledged${byPerson(acknowledgedBy)}.` }]),
    ...(closedAt === null || has("Recovered")
      ? []
      : [{ kind: "deed" as const, at: closedAt, words: `The incident ended: ${endedInWords(incident)}.` }]),
  ];
  return [
    ...reports.map((report) => ({ kind: "report" as const, at: report.at, report })),
    ...chapters.map((chapter) => ({
      kind: "told" as const,
      at: chapter.at,
      chapter,
      quote: said.has(chapter.quote ?? "") ? null : chapter.quote,
    })),
    ...deeds,
  ].sort((a, b) => a.at - b.at);
}
