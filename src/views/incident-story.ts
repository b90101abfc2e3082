// The story of an incident in time order, and its words, for its page and screen. Messages have their own words.

import { MESSAGE_LENGTH } from "../domain/limits.ts";
import { cleanLines } from "../domain/text.ts";
import type { Instant } from "../domain/time.ts";
import { byPerson } from "../domain/wording/since.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import { whyItWaits } from "../domain/wording/waits.ts";
import type { IncidentStory, IncidentSummary, Notified } from "./answers/incidents.ts";
import { tookInWords } from "./outcomes.ts";

export type StoryReport = IncidentStory["reports"][number];

export type IncidentEntry =
  | { readonly kind: "report"; readonly at: Instant; readonly report: StoryReport }
  | { readonly kind: "notified"; readonly at: Instant; readonly message: Notified; readonly quote: string | null }
  /** No message told of it. */
  | { readonly kind: "acted"; readonly at: Instant; readonly words: string };

/** Oldest first; of one instant, what caused comes before what followed. A message repeats no report that is here. */
export function incidentEntries({ incident, notified, reports }: IncidentStory): IncidentEntry[] {
  const said = new Set(reports.map(({ message }) => cleanLines(message ?? "", MESSAGE_LENGTH)));
  const { acknowledgedAt, acknowledgedBy, closedAt } = incident;
  const acted = (at: Instant | null, notifiedAs: Notified["kind"], words: string): IncidentEntry[] =>
    at === null || notified.some(({ kind }) => kind === notifiedAs) ? [] : [{ kind: "acted", at, words }];
  return [
    ...reports.map((report): IncidentEntry => ({ kind: "report", at: report.at, report })),
    ...notified.map((message): IncidentEntry => {
      const quote = said.has(message.quote ?? "") ? null : message.quote;
      return { kind: "notified", at: message.at, message, quote };
    }),
    ...acted(acknowledgedAt, "Acknowledged", `Acknowledged${byPerson(acknowledgedBy)}.`),
    ...acted(closedAt, "Recovered", `The incident ended: ${endedInWords(incident)}.`),
  ].sort((a, b) => a.at - b.at);
}

const ENDED: Readonly<Record<NonNullable<IncidentSummary["closedBy"]>, string>> = {
  success: "recovered",
  resolved: "closed by hand",
  withdrawn: "its job was withdrawn",
  deleted: "its job was deleted",
};

/** `recovered after 3 h 2 min`; of one that is over. */
export const endedInWords = ({
  openedAt,
  closedAt,
  closedBy,
}: Pick<IncidentSummary, "openedAt" | "closedAt" | "closedBy">): string =>
  `${ENDED[closedBy ?? "success"]} after ${tookInWords((closedAt ?? openedAt) - openedAt)}`;

export const NOT_NOTIFIED = "Nobody was told: no destination is configured to hear of it.";

export const STORY_SHORTENED = "Some of its reports are left out here: they are too many, too long ago, or not kept.";

/** What became of a message to one address: `arrived`, the time, ` after 2 attempts`. */
export function arrivalInWords({
  state,
  attempts,
  answer,
  finishedAt,
  nextAttemptAt,
  heldUntil,
  why,
}: Omit<Notified["deliveries"][number], "destination" | "recipient">): [
  before: string,
  at: Instant | null,
  after: string,
] {
  const tries = attempts < 2 ? "" : ` after ${counted(attempts, "attempt")}`;
  const because = answer === null ? "" : `: ${answer}`;
  switch (state) {
    case "sent":
      return ["arrived", finishedAt, tries];
    case "not_sent":
      return ["not told", null, because];
    case "given_up":
      return ["given up", finishedAt, `${tries}${because}`];
    case "waiting": {
      if (heldUntil !== null) return ["is to be told", heldUntil, whyItWaits(why)];
      if (why === "paused") return [`waits${whyItWaits(why)}`, null, ""];
      const next = nextAttemptAt === null ? "; an earlier message goes first" : "; next try";
      return [
        attempts === 0 ? `waits${nextAttemptAt === null ? next : ""}` : `waits${tries}${because}${next}`,
        attempts === 0 ? null : nextAttemptAt,
        "",
      ];
    }
    case "under_way":
      return ["is being sent", null, ""];
    default:
      return state satisfies never;
  }
}
