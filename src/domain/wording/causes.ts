// The words for each cause of trouble. Messages, digests, lists and screens take their words from this table.

import { NAME_LENGTH } from "../limits.ts";
import type { AlertData } from "../message/alert.ts";
import {
  failedAgo,
  failedAtOf,
  heardAtOf,
  isHeardLate,
  isReminderOf,
  isReporting,
  isRunning,
  isStillUnheard,
  runMilliseconds,
  tellsSince,
  wasReportRefused,
} from "../message/alert-state.ts";
import type { Cause } from "../monitor/incident.ts";
import { usualSpan } from "../monitor/run-start.ts";
import { cleanLine } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { exitOf } from "./exit-status-words.ts";
import { gapsInWords } from "./gap-words.ts";
import { NAME_SHOWN_LENGTH, shownName } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { shortMoment } from "./moments.ts";
import { durationInWords, exactDuration, intervalInWords } from "./spoken-time.ts";
import type { JobNow, UnwordedPart } from "./types.ts";

interface CauseWords {
  readonly title: string;
  /** What the job did, such as `did not report`, for a sentence that begins with its name or with `7 jobs`. */
  readonly did: string;
  readonly happened: string;
  /** What the job may have sent in a gap, where rollcall could not hear it: `the report` or `the end`. */
  readonly awaited: string;
  /** The labels of facts that the story of this cause tells. The list of facts leaves them out. */
  readonly tells: readonly string[];
  /** What the message advises first. */
  check(data: AlertData): string;
  checkNext(data: AlertData): string[];
  /** The first sentence of the message. It is short, because a phone may show only this sentence. */
  opening(data: AlertData): string;
  circumstances(data: AlertData, at: Instant, times: Times): string[];
  /** What a subject says while the incident goes on and no other cause has joined. */
  still(data: AlertData): string;
  goesOn(data: AlertData, times: Times): string;
  inDigest(data: AlertData, at: Instant, times: Times): string;
  /** What lists and screens say of an open incident. `more` says how often the job failed, and with what message. */
  now(job: JobNow, incident: NonNullable<JobNow["incident"]>, more: readonly UnwordedPart[]): UnwordedPart[];
}

/** The words for each cause, in the order in which digests say them. */
export const CAUSES: Record<Cause, CauseWords> = {
  missed: {
    title: "Missed",
    did: "did not report",
    happened: "no report came when one was expected",
    awaited: "the report",
    tells: ["Grace", "Missed"],
    check: ({ runsOn }) => {
      const host = cleanLine(runsOn?.host ?? "", NAME_LENGTH);
      return `Check that ${host === "" ? "its machine" : host} and its scheduler are up.`;
    },
    checkNext: ({ zoneHint }) => [
      zoneHint === null
        ? "If they are, check that the job was started and that it can reach rollcall."
        : "If that is right, check that its machine and its scheduler are up, that the job was started and that it can reach rollcall.",
    ],
    opening: (data) => {
      const name = shownName(data);
      if (data.kind === "NeverExecuted")
        return wasReportRefused(data)
          ? `No report of ${name} has been accepted since it was set up.`
          : `${name} has not reported once since it was set up.`;
      return wasReportRefused(data) ? `No report of ${name} was accepted.` : `${name} did not report.`;
    },
    circumstances: (data, at, times) => [expectation(data, times), ...newCauseInWords(data, at, times)],
    still: (data) => {
      if ((data.runningSince ?? null) !== null) return "Still no success";
      return isReporting(data) ? "Still no report accepted" : "Still missing";
    },
    goesOn: (data) => {
      const name = shownName(data);
      const span = durationInWords(runMilliseconds(data));
      if (isReporting(data)) return `No report of ${name} has been accepted for ${span}.`;
      if (isStillUnheard(data)) return `${name} has not reported once; its first report is ${overdueBy(data)} overdue.`;
      return isRunning(data)
        ? `${name} is running, but has reported no success for ${span}.`
        : `A report of ${name} is ${overdueBy(data)} overdue.`;
    },
    inDigest: ({ expectedAt, timezone }, _at, times) =>
      expectedAt === null ? "nothing came" : `expected at ${times.say(expectedAt, timezone)}, nothing came`,
    now: ({ lastPingAt, lateSince }, { opening, expectedAt }) => {
      const never = opening === "NeverExecuted" && lastPingAt === null;
      const silence = never ? "has never reported" : "did not report";
      if (expectedAt === null) return [silence];
      // How late the report is. This is left out once a report has come since the miss.
      const late: UnwordedPart[] = lateSince === expectedAt ? ["; ", { at: expectedAt, as: "for" }, " late"] : [];
      return [silence, ...late, ", due ", { at: expectedAt, as: "when" }];
    },
  },
  failed: {
    title: "Failed",
    did: "reported a failure",
    happened: "it reported a failure",
    awaited: "the report",
    tells: [],
    check: (data) => exitOf(data)?.toDo ?? "Read its log.",
    checkNext: () => [],
    opening: (data) => `${shownName(data)} reported a failure.`,
    circumstances: (data, at, times) => {
      const silent = data.failureMessage === null ? ", without a message" : "";
      const meaning = exitOf(data)?.sentence ?? [];
      return [`${failedAs(data)} ${endInWords(data, at, times, silent)}.`, meaning, heldBack(data, at, times)].flat();
    },
    still: (data) =>
      tellsSince(data) ? `No success since it failed ${durationInWords(failedAgo(data))} ago` : "Still failing",
    goesOn: (data) => goesOnSince(data, "has been failing", "failed"),
    inDigest: (data, at, times) =>
      `${failedAtOf(data, at) === at ? "reported" : "failed"} at ${times.say(failedAtOf(data, at), data.timezone)}${heardLater(data, at, times)}`,
    now: (job, _incident, more) => ["failed", ...failedLast(job), ...more],
  },
  unfinished: {
    title: "Not finished",
    did: "did not finish",
    happened: "a run did not end in its time",
    awaited: "the end",
    tells: ["Max runtime"],
    check: (data) =>
      areOverdue(data) ? "Check whether they hang or were killed." : "Check whether it hangs or was killed.",
    checkNext: ({ maxRuntimeSeconds }) => [
      `If it may take this long, ${maxRuntimeSeconds === null ? "set a max_runtime for it" : "set a larger max_runtime"}.`,
    ],
    opening: (data) =>
      wasReportRefused(data)
        ? `No end of ${runInWords(data)?.replace("Run", "run") ?? "a run"} of ${shownName(data)} was accepted.`
        : `${runInWords(data) ?? "A run"} of ${shownName(data)} has not ended.`,
    circumstances: (data, _at, times) => {
      const limit = heardStart(data, times) ?? `${startedAs(data, times)}${allowance(data)}`;
      const unheard = gapsInWords(data, times);
      return [unheard === null ? limit : `${limit} ${unheard}.`];
    },
    still: () => "Still not finished",
    goesOn: (data, times) => {
      const { troubles, runStartedAt, timezone } = data;
      const [name, span] = [shownName(data), durationInWords(runMilliseconds(data))];
      if (areOverdue(data)) return `${troubles} runs of ${name} are overdue, the first for ${span}.`;
      const started = (runStartedAt ?? null) === null ? "" : `, started ${times.say(runStartedAt!, timezone)},`;
      return `${runInWords(data) ?? "A run"} of ${name}${started} has been overdue for ${span}.`;
    },
    inDigest: ({ runStartedAt, timezone }, _at, times) =>
      runStartedAt === null ? "no end came" : `started at ${times.say(runStartedAt, timezone)}, no end came`,
    now: ({ lastFailureAt: at }) =>
      at === null
        ? ["has not finished"]
        : ["has not finished: it was to end by ", { at, as: "when" }, ", ", { at, as: "ago" }],
  },
  outcome: {
    title: "Wrong result",
    did: "had a wrong result",
    happened: "a result was not what was expected",
    awaited: "the report",
    tells: [],
    check: () => "Check what it produced before anything relies on it.",
    // An outcome that is missing was most often not sent at all, because the job used a kind of report that carries no
    // outcomes. So the advice explains that (R27).
    checkNext: ({ outcomes }) =>
      outcomes?.some(({ observed }) => observed === null)
        ? [
            "What is missing was not sent: only a POST to complete with a JSON body carries outcomes, a heartbeat has none.",
          ]
        : [],
    opening: (data) => `The result of ${shownName(data)} is not what was expected.`,
    circumstances: (data, at, times) => [
      `${runInWords(data) ?? "It"} ended ${endInWords(data, at, times)}.`,
      ...heldBack(data, at, times),
    ],
    still: (data) => {
      if (!tellsSince(data)) return "Still a wrong result";
      const beganAt = Date.parse(data.failedAt ?? data.openedAt);
      return `No good result since ${shortMoment(beganAt, data.timezone, Date.parse(data.openedAt) + runMilliseconds(data))}`;
    },
    goesOn: (data) => goesOnSince(data, "has had wrong results", "had a wrong result"),
    inDigest: (data, at, times) =>
      `reported its end at ${times.say(failedAtOf(data, at), data.timezone)}${heardLater(data, at, times)}`,
    now: (job, _incident, more) => ["had a wrong result", ...failedLast(job), ...more],
  },
};

/** The causes in words, such as `it reported a failure, then no report came when one was expected`. */
export const causesInWords = (causes: readonly Cause[]): string =>
  causes.map((cause) => CAUSES[cause].happened).join(", then ");

export function troublesInWords({ opening, causes }: Pick<AlertData, "opening" | "causes">): string {
  const words = causes.map((cause) => CAUSES[cause].title);
  const [first, ...others] = opening === "NeverExecuted" ? ["Never reported", ...words.slice(1)] : words;
  return [first ?? "In trouble", ...others.map((word) => `also ${word.toLowerCase()}`)].join(", ");
}

function expectation(data: AlertData, times: Times): string {
  const { expectedAt, timezone, graceSeconds, everySeconds } = data;
  const noReport = wasReportRefused(data) ? "none was accepted" : "nothing came";
  if (expectedAt === null) return `In its time ${withGaps(noReport)}.`;
  const moment = times.say(expectedAt, timezone);
  const late = `could be up to ${exactDuration(graceSeconds * SECOND)} late`;
  const due =
    everySeconds == null
      ? `A report was expected at ${moment} and ${late}`
      : `A report was due at least ${intervalInWords(everySeconds)}, so by ${moment}, and ${late}`;
  return `${due}; ${withGaps(noReport)}.`;

  function withGaps(words: string): string {
    const gaps = gapsInWords(data, times);
    return gaps === null ? words : `${words}; ${gaps}`;
  }
}

/**
 * A run that had been told as not finished has ended late, and a slot was missed since then (R23, R43). For such an
 * alert this returns a sentence that says when the run ended; otherwise nothing.
 */
function newCauseInWords({ reason, happenedAt, timezone }: AlertData, at: Instant, times: Times): string[] {
  if (reason !== "new_cause" || happenedAt == null) return [];
  const moments = `at ${times.say(happenedAt, timezone)}; rollcall heard of that at ${times.say(at, timezone)}`;
  return [`The run that had been told as not finished ended ${moments}.`];
}

/** How late the report is, counted from the slot. The incident itself began only after the grace. */
function overdueBy(data: AlertData): string {
  const { expectedAt, openedAt } = data;
  const beforeOpening = expectedAt === null ? 0 : Math.max(0, Date.parse(openedAt) - Date.parse(expectedAt));
  return durationInWords(runMilliseconds(data) + beforeOpening);
}

/** The beginning of a sentence about a failure. It says `run` only when an id or a start shows that there was a run. */
function failedAs(data: AlertData): string {
  const run = runInWords(data) ?? (data.runStartedAt === null ? null : "The run");
  if (run !== null) return `${run} failed`;
  return isHeardLate(data) || (data.heardAt ?? data.failedAt) !== data.failedAt ? "It failed" : "The report came";
}

/**
 * Says when the run of the alert ended, such as `at 02:10, 10 minutes after its start`. The text `then` is put behind
 * this. If the report came late, the sentence also says when rollcall heard of the end.
 */
function endInWords(data: AlertData, at: Instant, times: Times, then = ""): string {
  const endedAt = failedAtOf(data, at);
  const moment = `at ${times.say(endedAt, data.timezone)}`;
  const startedAt = data.runStartedAt;
  const span = startedAt === null ? "" : `, ${durationInWords(endedAt - Date.parse(startedAt))} after its start`;
  return `${moment}${span}${then}${heardLater(data, at, times)}`;
}

/**
 * The sentence about a pause that held the alert back, such as `It was paused then; the pause ended at 12:30.` If the
 * report came late, the job may have failed before the pause. Then the sentence speaks of when the report came.
 */
function heldBack(data: AlertData, at: Instant, times: Times): string[] {
  const heardAt = heardAtOf(data, at);
  if (heardAt === at) return [];
  const then = heardAt === failedAtOf(data, at) ? "It was paused then" : "It was paused when that report came";
  return [`${then}; the pause ended at ${times.say(at, data.timezone)}.`];
}

/** Whether several runs have passed their deadline and nothing else is wrong. */
const areOverdue = (data: AlertData): boolean => isReminderOf(data, "unfinished") && data.troubles > 1;

const goesOnSince = (data: AlertData, often: string, once: string): string =>
  data.troubles > 1
    ? `${shownName(data)} ${often} for ${durationInWords(runMilliseconds(data))}.`
    : `${shownName(data)} ${once} ${durationInWords(failedAgo(data))} ago; its incident is still open.`;

export const failedLast = ({ lastFailureAt: at }: JobNow): UnwordedPart[] =>
  at === null ? [] : [" ", { at, as: "ago" }];

/**
 * The sentence for a run whose start came late, because its time was then counted from the arrival of that start (R43).
 * `null` when it was counted from the start itself.
 */
function heardStart({ runStartedAt, startHeardAt, runDeadline, timezone }: AlertData, times: Times): string | null {
  if (runStartedAt === null || runDeadline === null || startHeardAt == null) return null;
  const given = exactDuration(Date.parse(runDeadline) - Date.parse(startHeardAt));
  const heard = `Its start of ${times.say(runStartedAt, timezone)} was heard at ${times.say(startHeardAt, timezone)}`;
  return `${heard}, and no end came within ${given} after that.`;
}

const startedAs = ({ runStartedAt, timezone }: AlertData, times: Times): string =>
  runStartedAt === null ? "" : `It started at ${times.say(runStartedAt, timezone)}. `;

/**
 * How long a run was allowed to take, and why (R21), in one or two sentences, for people who may have to change
 * `max_runtime`. The limit may have changed since the start, so a reason is given only when it is sure.
 */
function allowance(data: AlertData): string {
  const { maxRuntimeSeconds, runStartedAt, runDeadline, schedule, everySeconds } = data;
  if (maxRuntimeSeconds !== null) return `It may run for ${exactDuration(maxRuntimeSeconds * SECOND)} (max_runtime).`;
  if (runStartedAt === null || runDeadline === null) return "It has no max_runtime, so rollcall set the limit.";
  const startedAt = Date.parse(runStartedAt);
  const allowed = Date.parse(runDeadline) - startedAt;
  const [usual, otherwise] =
    everySeconds != null
      ? ["as long as it may be silent, and the grace", "as long as its interval and the run before it suggest"]
      : schedule === null
        ? ["the limit of a job without a schedule", "twice as long as the run before it took"]
        : [
            "the time from one scheduled run to the next, and the grace",
            "as long as its schedule and the run before it suggest",
          ];
  const reason = allowed === usualSpan(data, startedAt) ? usual : otherwise;
  return `It has no max_runtime, so rollcall allowed it ${exactDuration(allowed)}: ${reason}.`;
}

/** How a message calls the run, such as `Run r3`; `null` when the run has no id. */
function runInWords({ runId }: AlertData): string | null {
  const id = cleanLine(runId ?? "", NAME_SHOWN_LENGTH);
  return id === "" ? null : `Run ${id}`;
}

/** The end of a sentence about a fail, such as `; rollcall heard of it at 11:40`. Empty if the report came at once. */
function heardLater(data: AlertData, at: Instant, times: Times): string {
  const heardAt = heardAtOf(data, at);
  return heardAt === failedAtOf(data, at) ? "" : `; rollcall heard of it at ${times.say(heardAt, data.timezone)}`;
}
