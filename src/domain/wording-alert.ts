// What an alert tells, the same for every channel: what happened, since when and what was expected. What to do and the
// facts as a list are wording-details.ts. Names and messages in it are cleaned but not escaped.

import type { AlertData, AlertMessage, ToldKind } from "./alert.ts";
import { cleanLine, cleanLines } from "./clean-text.ts";
import type { Cause } from "./incident.ts";
import { MESSAGE_LENGTH } from "./limits.ts";
import { counted, durationInWords, momentInWords } from "./spoken-time.ts";
import { type Instant, SECOND } from "./time.ts";
import type { Fact, Wording } from "./wording.ts";
import { adviceOf, commandsOf } from "./wording-advice.ts";
import { factsOf, linksOf, signatureOf } from "./wording-details.ts";
import { gapOf } from "./wording-gap.ts";
import { beganAt, failedAtOf, heldBack, lasted } from "./wording-pause.ts";
import { shownName, subjectOf } from "./wording-subject.ts";

/** The words of an alert sent at `sentAt`; `late`: how late that is, in milliseconds, when it is late. */
export const alertWording = ({ data, at }: AlertMessage, late: number | null, sentAt: Instant): Wording => ({
  subject: subjectOf(data, late),
  story: storyOf(data, at),
  quote: quoteOf(data),
  items: [],
  advice: adviceOf(data, sentAt),
  commands: commandsOf(data),
  facts: factsOf(data, at),
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

const storyOf = (data: AlertData, at: Instant): string[] => [...eventsOf(data, at), ...refusedReport(data)];

const neverReported = (data: AlertData): string =>
  data.refusedReport === null
    ? `${shownName(data)} has not reported once since it was set up.`
    : `No report of ${shownName(data)} has been accepted since it was set up.`;

/** R33: the report that would have prevented the alarm, and why it was refused. */
function refusedReport({ refusedReport: refused, timezone }: AlertData): string[] {
  if (refused === null) return [];
  const moment = momentInWords(Date.parse(refused.at), timezone);
  return [`Its report of ${moment} was refused: ${cleanLine(refused.reason, MESSAGE_LENGTH)}.`];
}

function eventsOf(data: AlertData, at: Instant): string[] {
  switch (data.kind) {
    case "InitialFailure":
      return [...happened(data, at), ...inARow(data), ...gapOf(data)];
    case "NeverExecuted":
      return [neverReported(data), expectation(data), ...inARow(data), ...gapOf(data)];
    case "ContinuedFailure":
      return data.reason === "new_cause"
        ? [...happened(data, at), historyOf(data), ...gapOf(data)]
        : [goingOn(data), historyOf(data)];
    case "Acknowledged":
      return [`Somebody acknowledged the incident of ${shownName(data)}; it is still open.`, historyOf(data)];
    case "Recovered":
      return [ended(data, at), historyOf(data), ...missedRuns(data)];
  }
}

/** The first is short: it is what a phone shows. */
function happened(data: AlertData, at: Instant): string[] {
  const name = shownName(data);
  switch (data.cause) {
    case "missed":
      return [
        data.refusedReport === null ? `${name} did not report.` : `No report of ${name} was accepted.`,
        expectation(data),
      ];
    case "failed":
      return [
        `${name} reported a failure at ${momentOfEnd(data, failedAtOf(data, at))}${data.failureMessage === null ? ", without a message" : ""}.`,
        ...heldBack(data, at),
      ];
    case "unfinished":
      return [`${name} has not reported its end.`, `${startedAs(data)}${allowance(data)}`];
    case "outcome":
      return [`${name} reported its end at ${momentOfEnd(data, at)}, but the result is not what was expected.`];
  }
}

function expectation({ expectedAt, timezone, graceSeconds, refusedReport }: AlertData): string {
  const outcome = refusedReport === null ? "nothing came" : "none was accepted";
  if (expectedAt === null) return `In its time ${outcome}.`;
  const moment = momentInWords(Date.parse(expectedAt), timezone);
  return `A report was expected at ${moment} and could be up to ${durationInWords(graceSeconds * SECOND)} late; ${outcome}.`;
}

/** R41: where several are let pass, the first that is told is not the first. */
const inARow = ({ troubles }: AlertData): string[] =>
  troubles > 1 ? [`That makes ${troubles} in a row; those before were let pass, as configured.`] : [];

/** When a run ended, and after how long when its start is known. */
function momentOfEnd({ runStartedAt, timezone }: AlertData, at: Instant): string {
  const moment = momentInWords(at, timezone);
  return runStartedAt === null
    ? moment
    : `${moment}, ${durationInWords(at - Date.parse(runStartedAt))} after its start`;
}

const startedAs = ({ runStartedAt, timezone }: AlertData): string =>
  runStartedAt === null ? "" : `It started at ${momentInWords(Date.parse(runStartedAt), timezone)}. `;

/** R21: the text names `max_runtime`, because that is what to change when the job was right and we were wrong. */
function allowance({ maxRuntimeSeconds, runStartedAt, runDeadline }: AlertData): string {
  if (maxRuntimeSeconds !== null) {
    return `It may run for ${durationInWords(maxRuntimeSeconds * SECOND)} (max_runtime).`;
  }
  if (runStartedAt === null || runDeadline === null) return "It has no max_runtime; its schedule set the limit.";
  const allowed = durationInWords(Date.parse(runDeadline) - Date.parse(runStartedAt));
  return `It has no max_runtime; going by its schedule and its last run it was allowed ${allowed}.`;
}

function goingOn(data: AlertData): string {
  const state = data.causes.every((cause) => cause === "missed") ? "missing" : "failing";
  return `${shownName(data)} has been ${state} for ${durationInWords(lasted(data))}.`;
}

function ended(data: AlertData, at: Instant): string {
  const name = shownName(data);
  const moment = momentInWords(at, data.timezone);
  if (data.reason === "resolved") return `The incident of ${name} was closed by hand at ${moment}, not by a success.`;
  if (data.reason === "withdrawn") {
    return `${name} was withdrawn at ${moment}: the source that declared it lists it no longer.`;
  }
  if (data.reason === "deleted") return `${name} was deleted at ${moment}, and its incident closed with it.`;
  return `${name} works again: it reported a success at ${moment}.`;
}

/** What an incident is made of. */
export const HAPPENED: Record<Cause, string> = {
  missed: "no report came when one was expected",
  failed: "it reported a failure",
  unfinished: "a run did not end in its time",
  outcome: "a result was not what was expected",
};

function historyOf(data: AlertData): string {
  const began = momentInWords(beganAt(data), data.timezone);
  const causes = data.causes.map((cause) => HAPPENED[cause]).join(", then ");
  const until = data.kind === "Recovered" ? ` It lasted ${durationInWords(lasted(data))}.` : "";
  return `The trouble began at ${began}: ${causes}${howOften(data)}.${until}`;
}

/** Scheduled times that pass after the first missed one are counted only at the end, and apart (R23). */
function howOften({ kind, causes, troubles }: AlertData): string {
  const missed = causes.includes("missed");
  if (troubles <= causes.length || (missed && causes.length === 1 && kind === "Recovered")) return "";
  if (!missed && causes.length === 1) return ` (${troubles} times)`;
  return ` (${missed ? "at least " : ""}${counted(troubles, "problem")})`;
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
  return value === "" ? null : { label: quoteLabel(data), value };
}

function quoteLabel({ kind, reason, outcomes }: AlertData): string {
  if (kind === "Recovered") return "Last message while it failed";
  if (outcomes !== null) return "Found";
  return reason === "opened" ? "Message" : "Last message";
}
