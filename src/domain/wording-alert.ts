// What an alert tells, the same for every channel: what happened, since when and what was expected. What to do and the
// facts as a list are wording-details.ts. Names and messages in it are cleaned but not escaped.

import type { AlertData, AlertMessage, ToldKind } from "./alert.ts";
import { cleanLines } from "./clean-text.ts";
import type { Cause } from "./incident.ts";
import { MESSAGE_LENGTH } from "./limits.ts";
import { counted, durationInWords, momentInWords } from "./spoken-time.ts";
import { type Instant, SECOND } from "./time.ts";
import type { Fact, Wording } from "./wording.ts";
import { adviceOf, factsOf, linksOf, signatureOf } from "./wording-details.ts";
import { shownName, subjectOf } from "./wording-subject.ts";

/** The words of an alert; `late`: how late it is, in milliseconds, when it is late. */
export const alertWording = ({ data, at }: AlertMessage, late: number | null): Wording => ({
  subject: subjectOf(data, late),
  story: storyOf(data, at),
  quote: quoteOf(data),
  items: [],
  advice: adviceOf(data),
  facts: factsOf(data),
  links: linksOf(data),
  signature: signatureOf(data, "this job"),
  tone: TONES[data.kind],
});

const TONES: Record<ToldKind, Wording["tone"]> = {
  InitialFailure: "bad",
  NeverExecuted: "bad",
  ContinuedFailure: "bad",
  Acknowledged: "neutral",
  Recovered: "good",
};

function storyOf(data: AlertData, at: Instant): string[] {
  const moment = momentInWords(at, data.timezone);
  switch (data.kind) {
    case "InitialFailure":
      return [happened(data, moment)];
    case "NeverExecuted":
      return [neverReported(data, moment)];
    case "ContinuedFailure":
      return data.reason === "new_cause"
        ? [happened(data, moment), historyOf(data)]
        : [reminded(data), historyOf(data)];
    case "Acknowledged":
      return [`The incident of ${shownName(data)} was acknowledged at ${moment}. It is still open.`, historyOf(data)];
    case "Recovered":
      return [ended(data, moment), historyOf(data), ...missedRuns(data)];
  }
}

function happened(data: AlertData, moment: string): string {
  const name = shownName(data);
  switch (data.cause) {
    case "missed":
      return `${name} did not report. ${expectation(data)} nothing had come by ${moment}.`;
    case "failed":
      return `${name} reported a failure at ${moment}.`;
    case "unfinished":
      return `${name} ${startedAs(data)} and has not reported its end. ${allowance(data)}`;
    case "outcome":
      return `${name} reported its end at ${moment}, but the result is not what was expected.`;
  }
}

function neverReported(data: AlertData, moment: string): string {
  return `${shownName(data)} has never reported since it was registered. ${expectation(data)} nothing had come by ${moment}.`;
}

function expectation(data: AlertData): string {
  const grace = `a grace of ${durationInWords(data.graceSeconds * SECOND)}`;
  if (data.expectedAt === null) return `It has ${grace};`;
  return `A report was expected at ${momentInWords(Date.parse(data.expectedAt), data.timezone)}, with ${grace};`;
}

const startedAs = (data: AlertData): string =>
  data.runStartedAt === null ? "started" : `started at ${momentInWords(Date.parse(data.runStartedAt), data.timezone)}`;

/** R21: the text names `max_runtime`, because that is what to change when the job was right and we were wrong. */
function allowance(data: AlertData): string {
  if (data.maxRuntimeSeconds !== null)
    return `Its max_runtime allows ${durationInWords(data.maxRuntimeSeconds * SECOND)}.`;
  if (data.runStartedAt === null || data.runDeadline === null)
    return "It has no max_runtime; its schedule set the limit.";
  const allowed = durationInWords(Date.parse(data.runDeadline) - Date.parse(data.runStartedAt));
  return `It has no max_runtime; going by its schedule and its last run it was allowed ${allowed}.`;
}

function reminded(data: AlertData): string {
  const lasted = durationInWords((data.durationSeconds ?? 0) * SECOND);
  const last = data.reason === "last_reminder" ? " This is the last reminder of this incident." : "";
  return `${shownName(data)} has been failing for ${lasted}.${last}`;
}

function ended(data: AlertData, moment: string): string {
  const name = shownName(data);
  if (data.reason === "resolved")
    return `The incident of ${name} was closed by hand at ${moment}. No success was reported.`;
  if (data.reason === "withdrawn") return `${name} was withdrawn at ${moment}: its source no longer declares it.`;
  if (data.reason === "deleted") return `${name} was deleted at ${moment}.`;
  return `${name} works again: it reported a success at ${moment}.`;
}

const HAPPENED: Record<Cause, string> = {
  missed: "no report came when one was expected",
  failed: "it reported a failure",
  unfinished: "a run did not end in its time",
  outcome: "a result was not what was expected",
};

function historyOf(data: AlertData): string {
  const opened = momentInWords(Date.parse(data.openedAt), data.timezone);
  const causes = data.causes.map((cause) => HAPPENED[cause]).join(", then ");
  const times = data.troubles > 1 ? ` (${counted(data.troubles, "problem")} in all)` : "";
  const until = data.kind === "Recovered" ? ` It lasted ${durationInWords((data.durationSeconds ?? 0) * SECOND)}.` : "";
  return `The incident opened at ${opened}: ${causes}${times}.${until}`;
}

/** R20, R23: a recovery says how many slots closed unfilled, and when it was only one, how late its report came. */
function missedRuns(data: AlertData): string[] {
  const missed = data.missedSlots ?? 0;
  if (missed === 0) return [];
  if (missed > 1 || data.reason !== "success" || data.expectedAt === null || data.recoveredAt === null) {
    return [`${counted(missed, "scheduled run")} went unreported.`];
  }
  const late = durationInWords(Date.parse(data.recoveredAt) - Date.parse(data.expectedAt));
  return [`1 scheduled run went unreported in its time; this report came ${late} after it.`];
}

function quoteOf(data: AlertData): Fact | null {
  const value = cleanLines(data.failureMessage ?? "", MESSAGE_LENGTH);
  if (value === "") return null;
  return { label: data.kind === "Recovered" ? "Last message while it failed" : "Message", value };
}
