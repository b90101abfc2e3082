// Puts an alert into words, which are the same for every channel. Texts of callers are cleaned but not escaped.

import { MESSAGE_LENGTH } from "../limits.ts";
import type { AlertData, AlertKind, AlertMessage } from "../message/alert.ts";
import { cleanLine, cleanLines } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { adviceOf, alertCommands, toDoOf } from "./advice-words.ts";
import { CAUSES } from "./causes.ts";
import { alertFacts, linksOf, signatureOf } from "./details.ts";
import { gapAdvice } from "./gap-words.ts";
import { flapping, goingOn, incidentHistory, missedRuns, recoverySentences } from "./history.ts";
import { shownName } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { alertOutput } from "./output.ts";
import { ownWordsOf } from "./own-words.ts";
import { shownPerson } from "./since-words.ts";
import { durationInWords } from "./spoken-time.ts";
import { subjectOf } from "./subject.ts";
import type { Fact, Sending, Wording } from "./types.ts";

export function alertWording({ data, at }: AlertMessage, sending: Sending): Wording {
  const { times } = sending;
  // The parts must be made in reading order: only the first clock time in a message names the zone.
  const story = alertStory(data, at, times);
  const output = alertOutput(data, times);
  const advice = adviceOf(data, sending);
  const facts = alertFacts(data, at, times);
  return {
    subject: subjectOf(data, at, sending.late),
    story,
    toDo: toDoOf(data),
    ownWords: ownWordsOf(data),
    quote: quoteOf(data),
    output,
    items: [],
    advice,
    commands: alertCommands(data),
    facts,
    links: linksOf(data),
    signature: signatureOf(data, "this job"),
    tone: TONES[data.kind],
  };
}

const TONES: Record<AlertKind, Wording["tone"]> = {
  InitialFailure: "bad",
  NeverExecuted: "bad",
  ContinuedFailure: "bad",
  Acknowledged: "neutral",
  Recovered: "good",
};

function alertStory(data: AlertData, at: Instant, times: Times): string[] {
  switch (data.kind) {
    case "InitialFailure":
    case "NeverExecuted":
      return [
        ...trouble(data, at, times),
        ...inARow(data),
        ...gapAdvice(data, CAUSES[data.cause].awaited),
        ...whereItRuns(data),
      ];
    case "ContinuedFailure":
      return data.reason === "new_cause"
        ? [
            ...trouble(data, at, times),
            incidentHistory(data, times),
            ...gapAdvice(data, CAUSES[data.cause].awaited),
            ...whereItRuns(data),
          ]
        : [goingOn(data, times), incidentHistory(data, times), ...refusedReport(data, times), ...whereItRuns(data)];
    case "Acknowledged":
      return [
        `${shownPerson(data.acknowledgedBy) ?? "Somebody"} acknowledged the incident of ${shownName(data)}; it is still open.`,
        incidentHistory(data, times),
      ];
    case "Recovered":
      return [
        ...recoverySentences(data, at, times),
        ...flapping(data, times),
        incidentHistory(data, times),
        ...missedRuns(data, times),
      ];
  }
}

function trouble(data: AlertData, at: Instant, times: Times): string[] {
  return [
    CAUSES[data.cause].opening(data),
    ...refusedReport(data, times),
    ...CAUSES[data.cause].circumstances(data, at, times),
    ...(data.usualSeconds == null ? [] : [`Its runs usually take ${durationInWords(data.usualSeconds * SECOND)}.`]),
  ];
}

/** The sentence that says where the job runs, such as `It runs on web1 as user backup (backup.timer).` */
function whereItRuns({ runsOn }: AlertData): string[] {
  if (runsOn == null) return [];
  const { host, user, where } = runsOn;
  const parts = [
    host === null ? "" : ` on ${host}`,
    user === null ? "" : ` as user ${user}`,
    where === null ? "" : ` (${where})`,
  ];
  return [cleanLine(`It runs${parts.join("")}.`, MESSAGE_LENGTH)];
}

/** The sentence about the refused report that would have prevented this alert, and why it was refused (R33). */
function refusedReport({ refusedReport: refused, timezone }: AlertData, times: Times): string[] {
  if ((refused ?? null) === null) return [];
  const moment = times.say(refused!.at, timezone);
  return [`Its report of ${moment} was refused: ${cleanLine(refused!.reason, MESSAGE_LENGTH)}.`];
}

/** The sentence about earlier troubles that were tolerated and not told (R41), such as `That makes 3 in a row; …`. */
function inARow({ troubles, cause }: AlertData): string[] {
  const setting = cause === "missed" ? "alert_after_misses" : "alert_after_failures";
  return troubles > 1 ? [`That makes ${troubles} in a row; ${setting} tolerated those before.`] : [];
}

function quoteOf(data: AlertData): Fact | null {
  const value = cleanLines(data.failureMessage ?? "", MESSAGE_LENGTH);
  return value === "" ? null : { label: quoteLabel(data), value };
}

function quoteLabel({ kind, reason, outcomes }: AlertData): string {
  if (kind === "Recovered") return "Last message while it failed";
  if (outcomes !== null) return "Found";
  return reason === "opened" ? "Message" : "Last message";
}
