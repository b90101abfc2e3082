// The words of an alert, the same for every channel: what happened, since when and what was expected. advice.ts says
// what to do, details.ts lists the facts. Names and messages are cleaned but not escaped.

import { MESSAGE_LENGTH } from "../limits.ts";
import type { AlertData, AlertKind, AlertMessage } from "../message/alert.ts";
import { usualSpan } from "../monitor/run-start.ts";
import { cleanLine, cleanLines } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { adviceOf, commandsOf } from "./advice.ts";
import { CAUSES } from "./causes.ts";
import { factsOf, linksOf, signatureOf } from "./details.ts";
import { gapAdvice, gapsInWords } from "./gap.ts";
import { ended, goingOn, historyOf, missedRuns } from "./history.ts";
import type { Times } from "./message-times.ts";
import { outputOf } from "./output.ts";
import { failedAtOf, heardLater, heldBack, isHeardLate } from "./pause.ts";
import { shownPerson } from "./since.ts";
import { durationInWords, exactDuration, intervalInWords } from "./spoken-time.ts";
import { NAME_SHOWN_LENGTH, shownName, subjectOf } from "./subject.ts";
import { isRefusal, toDoOf } from "./to-do.ts";
import type { Fact, Sending, Wording } from "./types.ts";

export function alertWording({ data, at }: AlertMessage, sending: Sending): Wording {
  const { times } = sending;
  // In reading order, because the first time in a message names the zone.
  const story = storyOf(data, at, times);
  const output = outputOf(data, times);
  const advice = adviceOf(data, sending);
  const facts = factsOf(data, at, times);
  return {
    subject: subjectOf(data, at, sending.late),
    story,
    toDo: toDoOf(data),
    quote: quoteOf(data),
    output,
    items: [],
    advice,
    commands: commandsOf(data),
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

function storyOf(data: AlertData, at: Instant, times: Times): string[] {
  switch (data.kind) {
    case "InitialFailure":
    case "NeverExecuted":
      return [...trouble(data, at, times), ...inARow(data), ...gapAdvice(data)];
    case "ContinuedFailure":
      return data.reason === "new_cause"
        ? [...trouble(data, at, times), historyOf(data, times), ...gapAdvice(data)]
        : [goingOn(data, times), historyOf(data, times), ...refusedReport(data, times)];
    case "Acknowledged":
      return [
        `${shownPerson(data.acknowledgedBy) ?? "Somebody"} acknowledged the incident of ${shownName(data)}; it is still open.`,
        historyOf(data, times),
      ];
    case "Recovered":
      return [...ended(data, at, times), historyOf(data, times), ...missedRuns(data, times)];
  }
}

function trouble(data: AlertData, at: Instant, times: Times): string[] {
  return [
    happened(data),
    ...refusedReport(data, times),
    circumstances(data, at, times),
    ...(data.cause === "failed" || data.cause === "outcome" ? heldBack(data, at, times) : []),
    ...(data.cause === "missed" ? hasEnded(data, at, times) : []),
  ];
}

/** A late end that has ended a run which was told not to have is the only report that brings a miss (R23, R43). */
function hasEnded(data: AlertData, at: Instant, times: Times): string[] {
  if (data.reason !== "new_cause" || data.happenedAt == null) return [];
  const { happenedAt, timezone } = data;
  const moments = `at ${times.say(happenedAt, timezone)}; rollcall heard of that at ${times.say(at, timezone)}`;
  return [`The run that had been told as not finished ended ${moments}.`];
}

/** One short sentence, because a phone shows only that. */
function happened(data: AlertData): string {
  const name = shownName(data);
  const isRefused = isRefusal(data);
  if (data.kind === "NeverExecuted") {
    return isRefused
      ? `No report of ${name} has been accepted since it was set up.`
      : `${name} has not reported once since it was set up.`;
  }
  switch (data.cause) {
    case "missed":
      return isRefused ? `No report of ${name} was accepted.` : `${name} ${CAUSES.missed.did}.`;
    case "failed":
      return `${name} ${CAUSES.failed.did}.`;
    case "unfinished":
      return isRefused
        ? `No end of ${runOf(data)?.replace("Run", "run") ?? "a run"} of ${name} was accepted.`
        : `${runOf(data) ?? "A run"} of ${name} has not ended.`;
    case "outcome":
      return `The result of ${name} is not what was expected.`;
  }
}

function circumstances(data: AlertData, at: Instant, times: Times): string {
  switch (data.cause) {
    case "missed":
      return expectation(data, times);
    case "failed":
      return `${failedAs(data)} at ${endOf(data, failedAtOf(data, at), times)}${data.failureMessage === null ? ", without a message" : ""}${heardLater(data, at, times)}.`;
    case "unfinished":
      return [heardStart(data, times) ?? `${startedAs(data, times)}${allowance(data)}`, ...unheard(data, times)].join(
        " ",
      );
    case "outcome":
      return `${runOf(data) ?? "It"} ended at ${endOf(data, failedAtOf(data, at), times)}${heardLater(data, at, times)}.`;
  }
}

/** Without an id and a start there may have been no run. */
function failedAs(data: AlertData): string {
  const run = runOf(data) ?? (data.runStartedAt === null ? null : "The run");
  if (run !== null) return `${run} failed`;
  return isHeardLate(data) || (data.heardAt ?? data.failedAt) !== data.failedAt ? "It failed" : "The report came";
}

/** `Run r3`; null without an id. */
function runOf({ runId }: AlertData): string | null {
  const id = cleanLine(runId ?? "", NAME_SHOWN_LENGTH);
  return id === "" ? null : `Run ${id}`;
}

/** R33: the refused report that would have prevented the alarm, and why it was refused. */
function refusedReport({ refusedReport: refused, timezone }: AlertData, times: Times): string[] {
  if ((refused ?? null) === null) return [];
  const moment = times.say(refused!.at, timezone);
  return [`Its report of ${moment} was refused: ${cleanLine(refused!.reason, MESSAGE_LENGTH)}.`];
}

function expectation(data: AlertData, times: Times): string {
  const { expectedAt, timezone, graceSeconds, everySeconds } = data;
  const outcome = isRefusal(data) ? "none was accepted" : "nothing came";
  if (expectedAt === null) return `In its time ${[outcome, ...unheard(data, times)].join("; ")}.`;
  const moment = times.say(expectedAt, timezone);
  const late = `could be up to ${exactDuration(graceSeconds * SECOND)} late`;
  const due =
    everySeconds == null
      ? `A report was expected at ${moment} and ${late}`
      : `A report was due at least ${intervalInWords(everySeconds)}, so by ${moment}, and ${late}`;
  return `${[due, outcome, ...unheard(data, times)].join("; ")}.`;
}

/** R26: when we could not hear meanwhile. */
function unheard(data: AlertData, times: Times): string[] {
  const words = gapsInWords(data, times);
  if (words === null) return [];
  return data.cause === "unfinished" ? [`${words}.`] : [words];
}

/** R41: if the monitor tolerates several, the first one we report is not the first one. */
function inARow({ troubles, cause }: AlertData): string[] {
  const setting = cause === "missed" ? "alert_after_misses" : "alert_after_failures";
  return troubles > 1 ? [`That makes ${troubles} in a row; ${setting} tolerated those before.`] : [];
}

/** When a run ended, and how long it took when its start is known. */
function endOf({ runStartedAt, timezone }: AlertData, at: Instant, times: Times): string {
  const moment = times.say(at, timezone);
  return runStartedAt === null
    ? moment
    : `${moment}, ${durationInWords(at - Date.parse(runStartedAt))} after its start`;
}

const startedAs = ({ runStartedAt, timezone }: AlertData, times: Times): string =>
  runStartedAt === null ? "" : `It started at ${times.say(runStartedAt, timezone)}. `;

/** R43: null: its time was counted from its start. */
function heardStart({ runStartedAt, startHeardAt, runDeadline, timezone }: AlertData, times: Times): string | null {
  if (runStartedAt === null || runDeadline === null || startHeardAt == null) return null;
  const given = exactDuration(Date.parse(runDeadline) - Date.parse(startHeardAt));
  const heard = `Its start of ${times.say(runStartedAt, timezone)} was heard at ${times.say(startHeardAt, timezone)}`;
  return `${heard}, and no end came within ${given} after that.`;
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

// How long a run was allowed to take, and why (R21). People change the limit when the job was right and we were wrong.

/** One sentence or two; names `max_runtime`. */
function allowance(data: AlertData): string {
  const { maxRuntimeSeconds, runStartedAt, runDeadline } = data;
  if (maxRuntimeSeconds !== null) return `It may run for ${exactDuration(maxRuntimeSeconds * SECOND)} (max_runtime).`;
  if (runStartedAt === null || runDeadline === null) return "It has no max_runtime, so rollcall set the limit.";
  const startedAt = Date.parse(runStartedAt);
  const allowed = Date.parse(runDeadline) - startedAt;
  return `It has no max_runtime, so rollcall allowed it ${exactDuration(allowed)}: ${reasonFor(data, startedAt, allowed)}.`;
}

/** The limit in force at the start may have changed since; then this claims nothing that may be untrue. */
function reasonFor(
  { schedule, timezone, everySeconds, graceSeconds }: AlertData,
  startedAt: number,
  allowed: number,
): string {
  const usual = usualSpan({ schedule, timezone, everySeconds, graceSeconds }, startedAt);
  if (everySeconds != null) {
    return allowed === usual
      ? "as long as it may be silent, and the grace"
      : "as long as its interval and the run before it suggest";
  }
  if (schedule === null) {
    return allowed === usual ? "the limit of a job without a schedule" : "twice as long as the run before it took";
  }
  return allowed === usual
    ? "the time from one scheduled run to the next, and the grace"
    : "as long as its schedule and the run before it suggest";
}
