// Says in words how an incident has gone so far, or how it ended: its troubles, and how many runs were missed.

import { EARLY_MAX } from "../limits.ts";
import type { AlertData } from "../message/alert.ts";
import {
  beganAt,
  isFirstReport,
  isHeardLate,
  isReported,
  ranAfterAll,
  runMilliseconds,
} from "../message/alert-state.ts";
import { countRhythmSlots } from "../schedule/rhythm.ts";
import { type Instant, SECOND } from "../time.ts";
import { CAUSES, causesInWords } from "./causes.ts";
import { nameNowAndThen, shownName } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { counted, durationInWords, slotNoun } from "./spoken-time.ts";

/** The first sentence of a reminder. It says no more than is known: a job that is silent need not be failing. */
export function goingOn(data: AlertData, times: Times): string {
  const [only, ...more] = data.causes;
  if (data.flapping != null)
    return `${shownName(data)} has ${onAndOff(data.flapping, times.say(data.flapping.since, data.timezone))}.`;
  return more.length > 0
    ? `${shownName(data)} has been in trouble for ${lastedOf(data)}.`
    : CAUSES[only!].goesOn(data, times);
}

const lastedOf = (data: AlertData): string => durationInWords(runMilliseconds(data));

/** The first two sentences of a recovery: how the trouble ended, and when. */
export function recoverySentences(data: AlertData, at: Instant, times: Times): [string, string] {
  const name = nameNowAndThen(data);
  if (data.reason === "success" && isHeardLate(data))
    return [`${name} ${workedThen(data)}.`, `It succeeded at ${heardLate(data, at, times)}.`];
  const moment = times.say(at, data.timezone);
  switch (data.reason) {
    case "resolved":
      return [`Somebody closed the incident of ${name}.`, `That was at ${moment}; the job itself reported no success.`];
    case "withdrawn":
      return [`${name} was withdrawn.`, `At ${moment} the source that had declared it no longer listed it.`];
    case "restored":
      return [
        `The incident of ${name} is closed, because a backup of rollcall was restored.`,
        `At ${moment} rollcall's data were put back to a time before it began. If the job is still in trouble, a new incident tells of it.`,
      ];
    case "deleted":
      return [`${name} was deleted.`, `That was at ${moment}, and its incident closed with it.`];
    default:
      return [`${name} ${worksNow(data)}.`, `It reported a success at ${moment}.`];
  }
}

/** What a recovery says of a job whose success was heard late (R43), such as `ran in time; its report came late`. */
const workedThen = (data: AlertData): string =>
  ranAfterAll(data) ? (spanOfRun(data) === null ? "ran in time; its report came late" : "ran") : worksNow(data);

/** When the run happened and was heard of, such as `2026-03-01 02:00:10 UTC; rollcall heard of it at 07:13:05`. */
const heardLate = ({ happenedAt, timezone }: AlertData, at: Instant, times: Times): string =>
  `${times.say(happenedAt!, timezone)}; rollcall heard of it at ${times.say(at, timezone)}`;

/** What a recovery says of a job that is well now: `works again` only if it worked before the incident. */
function worksNow(data: AlertData): string {
  if (isFirstReport(data)) return "reported for the first time";
  return data.opening === "NeverExecuted" ? "reported its first success" : "works again";
}

/**
 * How often a job came into trouble, such as `began to fail 5 times between 02:10 and 02:55`. It may have reported
 * several fails each time.
 */
export const troubledInWords = (
  { times, since, until, failed }: NonNullable<AlertData["flapping"]>,
  moment: (iso: string) => string,
): string =>
  `${failed ? "began to fail" : "was in trouble"} ${times} times between ${moment(since)} and ${moment(until)}`;

/** The words for repeated trouble, such as `failed on and off since 12:01, 4 times`. */
export const onAndOff = ({ times, failed }: NonNullable<AlertData["flapping"]>, since: string): string =>
  `${failed ? "failed" : "been in trouble"} on and off since ${since}, ${times} times`;

export function flapping({ flapping, timezone }: AlertData, times: Times): string[] {
  return flapping == null ? [] : [`It ${troubledInWords(flapping, (iso) => times.say(iso, timezone))}.`];
}

export function incidentHistory(data: AlertData, times: Times): string {
  const began = times.say(beganAt(data), data.timezone);
  const causes = causesInWords(data.causes);
  const end = data.kind === "Recovered" ? ` It lasted ${lastedOf(data)}.` : missedSoFar(data);
  return `Incident ${data.incidentId} began at ${began}: ${causes}${howOften(data)}.${failedBefore(data, times)}${end}${underWay(data, times)}`;
}

/**
 * The sentence about a fail that happened before the incident began, such as ` It had failed at 11:00:05; rollcall
 * heard of that at 12:30.` Empty when there was none, or when the message tells of it elsewhere.
 */
function failedBefore(data: AlertData, times: Times): string {
  const { failedAt, heardAt, openedAt, timezone, reason, causes } = data;
  const saysSo = reason === "opened" || (reason === "new_cause" && isReported(data));
  if (failedAt === null || saysSo || Date.parse(failedAt) >= Date.parse(openedAt)) return "";
  const failed = ` ${causes.includes("failed") ? "It had failed" : "That had happened"} at ${times.say(failedAt, timezone)}`;
  const isLate = heardAt != null && heardAt !== failedAt && heardAt !== openedAt;
  return isLate ? `${failed}; rollcall heard of that at ${times.say(heardAt, timezone)}.` : `${failed}.`;
}

/** How often the job got into trouble: ` (3 times)`. Empty for misses: `missedRuns` and `missedSoFar` count them. */
function howOften({ causes, troubles }: AlertData): string {
  if (causes.includes("missed") || troubles <= causes.length) return "";
  return causes.length === 1 ? ` (${troubles} times)` : ` (${troubles} times in all)`;
}

function missedSoFar(data: AlertData): string {
  const missed = data.missedSlots ?? 0;
  return missed < 2 ? "" : ` That makes ${counted(missed, slotNoun(data))} missed so far.`;
}

/** The sentence that a run is in progress, so that people do not take the job for a silent one (R23). */
function underWay({ runningSince, timezone, kind }: AlertData, times: Times): string {
  if (kind === "Recovered" || (runningSince ?? null) === null) return "";
  return ` A run has been under way since ${times.say(runningSince!, timezone)}.`;
}

/** How many slots were missed. For a single one, also how late its report came (R20, R23). */
export function missedRuns(data: AlertData, times: Times): string[] {
  const unheard = [...lateRuns(data, times), ...unheardRuns(data)];
  const missed = data.missedSlots ?? 0;
  if (missed === 0) return unheard;
  const isOne = missed === 1 && (data.lateSlots ?? 0) === 0;
  if (!isOne || data.reason !== "success" || data.expectedAt === null || data.recoveredAt === null) {
    return [`${counted(missed, slotNoun(data))} ${missed === 1 ? "was" : "were"} missed.`, ...unheard];
  }
  const late = durationInWords(Date.parse(data.happenedAt ?? data.recoveredAt) - Date.parse(data.expectedAt));
  const what = isHeardLate(data) ? "it ran" : "this report came";
  return [`1 ${slotNoun(data)} was missed; ${what} ${late} after it was due.`, ...unheard];
}

/**
 * The sentence about slots that were called missed only because a report came late. The job had run then, or a longer
 * run covered the slots (R43).
 */
function lateRuns(data: AlertData, times: Times): string[] {
  const late = data.lateSlots ?? 0;
  if (late === 0) return [];
  const run = spanOfRun(data);
  if (late === 1 && run === null && ranAfterAll(data)) return [];
  if (run !== null) {
    const [from, to] = run.map((at) => times.say(at, data.timezone));
    return [`It ran from ${from} to ${to}; its reports came late.`];
  }
  const { failedAt, heardAt } = data;
  if (late === 1 && failedAt !== null && (heardAt ?? failedAt) !== failedAt)
    return ["1 run failed, and was heard late."];
  return [
    `${counted(late, slotNoun(data))} ${late === 1 ? "was" : "were"} not missed: rollcall heard late that the job had run.`,
  ];
}

/**
 * The start and end of the run whose late end closed the incident. Late reports may have filled slots that were called
 * missed before. Returns `null` when there are none, or this one run cannot account for all of them.
 */
function spanOfRun(data: AlertData): [string, string] | null {
  const { runStartedAt, happenedAt, lateSlots, everySeconds } = data;
  if (runStartedAt === null || happenedAt == null || (lateSlots ?? 0) === 0) return null;
  if (lateSlots === 1 && !(ranAfterAll(data) && hadBegunBefore(data))) return null;
  const [from, to] = [Date.parse(runStartedAt), Date.parse(happenedAt)];
  const slots =
    everySeconds == null ? countRhythmSlots(data, from, to, null) : Math.floor((to - from) / (everySeconds * SECOND));
  return lateSlots! <= slots + 1 ? [runStartedAt, happenedAt] : null;
}

/** Whether the run began too early to fill its single slot, so that it was under way when the slot came. */
function hadBegunBefore({ runStartedAt, expectedAt, everySeconds }: AlertData): boolean {
  return everySeconds == null && expectedAt !== null && Date.parse(expectedAt) - Date.parse(runStartedAt!) > EARLY_MAX;
}

/** The sentence about slots in a gap. Whether the job ran then is unknown, so they are not called missed (R23). */
function unheardRuns(data: AlertData): string[] {
  const unheard = data.unheardSlots ?? 0;
  if (unheard === 0) return [];
  const more = (data.missedSlots ?? 0) > 0 ? `${unheard} more` : counted(unheard, slotNoun(data));
  return [
    `${more} fell into a time in which rollcall could not hear: whether ${unheard === 1 ? "it" : "they"} ran is unknown.`,
  ];
}
