// The story of an incident as one list in time order, and its words: for the page of an incident and its screen.
// Messages have their own words.

import { MESSAGE_LENGTH } from "../limits.ts";
import type { ClosedBy } from "../monitor/incident.ts";
import { cleanLines } from "../text.ts";
import type { Instant } from "../time.ts";
import { span } from "./short-time.ts";
import { byPerson } from "./since.ts";
import { counted } from "./spoken-time.ts";

interface EndedIncident {
  readonly openedAt: Instant;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
}

interface NotifiedIncident extends EndedIncident {
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
}

interface ReportedEntry {
  readonly at: Instant;
  readonly kind: "heartbeat" | "start" | "complete" | "fail" | "log";
  readonly message: string | null;
  readonly durationSeconds: number | null;
}

interface NotifiedEntry {
  readonly at: Instant;
  readonly kind: string;
  readonly quote: string | null;
}

interface DeliveredEntry {
  readonly state: "waiting" | "under_way" | "sent" | "given_up";
  readonly attempts: number;
  readonly answer: string | null;
}

export type IncidentEntry<Report extends ReportedEntry, Notified extends NotifiedEntry> =
  | { readonly kind: "report"; readonly at: Instant; readonly report: Report }
  | { readonly kind: "notified"; readonly at: Instant; readonly message: Notified; readonly quote: string | null }
  /** No message told of it. */
  | { readonly kind: "acted"; readonly at: Instant; readonly words: string };

interface Story<Report, Notified> {
  readonly incident: NotifiedIncident;
  readonly notified: readonly Notified[];
  readonly reports: readonly Report[];
}

/** Oldest first; of one instant, what caused comes before what followed. A message repeats no report that is here. */
export function incidentEntries<Report extends ReportedEntry, Notified extends NotifiedEntry>({
  incident,
  notified,
  reports,
}: Story<Report, Notified>): IncidentEntry<Report, Notified>[] {
  const said = new Set(reports.map(({ message }) => cleanLines(message ?? "", MESSAGE_LENGTH)));
  const has = (kind: string): boolean => notified.some((message) => message.kind === kind);
  const { acknowledgedAt, acknowledgedBy, closedAt } = incident;
  const acts = [
    ...(acknowledgedAt === null || has("Acknowledged")
      ? []
      : [{ kind: "acted" as const, at: acknowledgedAt, words: `Acknowledged${byPerson(acknowledgedBy)}.` }]),
    ...(closedAt === null || has("Recovered")
      ? []
      : [{ kind: "acted" as const, at: closedAt, words: `The incident ended: ${endedInWords(incident)}.` }]),
  ];
  return [
    ...reports.map((report) => ({ kind: "report" as const, at: report.at, report })),
    ...notified.map((message) => ({
      kind: "notified" as const,
      at: message.at,
      message,
      quote: said.has(message.quote ?? "") ? null : message.quote,
    })),
    ...acts,
  ].sort((a, b) => a.at - b.at);
}

const ENDED: Readonly<Record<ClosedBy, string>> = {
  success: "recovered",
  resolved: "closed by hand",
  withdrawn: "its job was withdrawn",
  deleted: "its job was deleted",
};

/** `recovered after 3 h 2 min`; of one that is over. */
export const endedInWords = ({ openedAt, closedAt, closedBy }: EndedIncident): string =>
  `${ENDED[closedBy ?? "success"]} after ${span((closedAt ?? openedAt) - openedAt)}`;

const REPORTED: Readonly<Record<ReportedEntry["kind"], string>> = {
  heartbeat: "The job reported",
  start: "The job reported its start",
  complete: "The job reported a success",
  fail: "The job reported a failure",
  log: "The job reported a message",
};

/** `The job reported a success, after 35 s.` */
export const reportedInWords = ({ kind, durationSeconds }: ReportedEntry): string =>
  `${REPORTED[kind]}${durationSeconds === null ? "" : `, after ${durationSeconds === 0 ? "less than 1 s" : span(durationSeconds * 1_000)}`}.`;

export const NOT_NOTIFIED = "Nobody was told: no destination is configured for it.";

export const STORY_SHORTENED = "Some of its reports are left out here: they are too many, too long ago, or not kept.";

/** What became of a message to one address: `arrived`, the time, ` after 2 attempts`. */
export function arrivalInWords({ state, attempts, answer }: DeliveredEntry): readonly [before: string, after: string] {
  const tries = attempts < 2 ? "" : ` after ${counted(attempts, "attempt")}`;
  const because = answer === null ? "" : `: ${answer}`;
  switch (state) {
    case "sent":
      return ["arrived", tries];
    case "given_up":
      return ["given up", `${tries}${because}`];
    case "waiting":
      return [attempts === 0 ? "waits" : `waits${tries}${because}`, ""];
    case "under_way":
      return ["is being sent", ""];
    default:
      return state satisfies never;
  }
}
