// Puts a digest into words: one message about the alerts of several jobs (R39). Of each job it says what the job's own
// message would have said first.

import { MESSAGE_LENGTH, SCHEDULE_LENGTH } from "../limits.ts";
import type { AlertData, AlertMessage, Reason } from "../message/alert.ts";
import { beganAt, runMilliseconds } from "../message/alert-state.ts";
import { type DigestKind, type DigestMessage, digestMachine, jobsOf, type Tally } from "../message/digest.ts";
import { HOST_LENGTH } from "../message/presentation.ts";
import { isInTroubleAgain, isOverSince } from "../message/since.ts";
import { cleanLine, cleanLines } from "../text.ts";
import { type Instant, MINUTE } from "../time.ts";
import { commandTo } from "./advice-words.ts";
import { CAUSES, causesInWords } from "./causes.ts";
import { linksOf, signatureOf } from "./details.ts";
import { onAndOff, troubledInWords } from "./history.ts";
import { andMore, jobNameInList, shownName } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { sinceInWords } from "./since-words.ts";
import { counted, durationInWords, grouped, slotNoun } from "./spoken-time.ts";
import { latenessInWords, stateOf } from "./subject.ts";
import { BARE, type Fact, type Item, type Link, type Sending, type Wording } from "./types.ts";

type WordedDigest = DigestMessage["data"];

export function digestWording({ data }: DigestMessage, { late, times }: Sending): Wording {
  const { kind, alerts, others } = data;
  const onlyApplication = alerts.every((alert) => alert.data.onlyApplication) && (others?.onlyApplication ?? true);
  return {
    ...BARE,
    subject: `${urgency(data)}${headline(data)}: ${digestNames(data)}${lateness(late)}${changedSince(data)}`,
    story: [digestStory(data, times)],
    toDo: toDoOf(data),
    items: [...alerts.map((alert) => itemOf(alert, onlyApplication, times)), ...andMore(others?.count ?? 0)],
    advice: ADVICE[kind],
    commands: digestCommands(data),
    facts: digestFacts(data, onlyApplication),
    links: commonLinks(data),
    signature: signatureOf(data, "your jobs"),
    tone: kind === "recovered" ? "good" : "bad",
  };
}

/** How many jobs the subject names. The list below it names more. */
const NAMED_FIRST = 2;

const ADVICE: Record<DigestKind, readonly string[]> = {
  opened: ["Each is an incident of its own: its reminders, new causes and end are told as usual."],
  continued: ["Each is an incident of its own."],
  recovered: [],
};

function digestCommands({ kind, alerts: [{ data: instance }], others }: WordedDigest): Fact[] {
  const list = commandTo("See all that is open", "rollcall incident list --open", instance);
  if (kind === "recovered") return others === null ? [] : [commandTo("See all", "rollcall incident list", instance)];
  if (kind === "opened") return [list];
  return [list, commandTo("Stop the reminders of one, by its number", "rollcall incident ack NUMBER", instance)];
}

/** The first advice. When several jobs fail at once, they often share a cause, so it names what they share. */
function toDoOf({ kind, alerts, others }: Pick<WordedDigest, "kind" | "alerts" | "others">): string {
  if (kind !== "recovered") {
    return changesOf({ kind, alerts, others }).over === alerts.length + (others?.count ?? 0)
      ? "All of them are over since."
      : placeToLook(alerts);
  }
  if (changesOf({ kind, alerts, others }).again > 0) return "Look at those that are in trouble again.";
  if (!allSucceeded(alerts, others)) return "Look at those that no success has ended.";
  return alerts.some(({ data }) => (data.missedSlots ?? 0) > 1) || (others?.missedSeveral ?? 0) > 0
    ? "Check whether missed runs must be made up."
    : "There is nothing to do.";
}

function hostOf(alerts: readonly AlertMessage[]): ReturnType<typeof digestMachine> {
  const found = digestMachine(alerts);
  return found && { ...found, host: cleanLine(found.host, HOST_LENGTH) };
}

function placeToLook(alerts: readonly AlertMessage[]): string {
  const found = hostOf(alerts);
  if (found === null) return "Look first at what they share: a machine, a scheduler, the network.";
  const { host, count } = found;
  const jobs = jobsOf(alerts).length;
  return `Look first at ${host}: ${count === jobs ? `all ${count}` : `${count} of these ${jobs}`} jobs run there.`;
}

/**
 * How many jobs the digest is about, such as `18 jobs`. If all of them run on one machine, it is `18 of 20 jobs of
 * nas`, or `18 jobs of nas` when the machine's number of jobs is not known.
 */
function countedJobs({ alerts, others, ofMachine = null }: WordedDigest): string {
  const jobs = jobsOf(alerts).length;
  const found = others === null ? hostOf(alerts) : null;
  if (found?.count !== jobs) return counted(jobs + (others?.count ?? 0), "job");
  return `${ofMachine === null ? "" : `${jobs} of `}${counted(ofMachine ?? jobs, "job")} of ${found.host}`;
}

const allSucceeded = (alerts: readonly AlertMessage[], others: Tally | null): boolean =>
  alerts.every(({ data }) => data.reason === "success") && (others?.reasons.success ?? 0) === (others?.count ?? 0);

function urgency({ kind, alerts, others }: WordedDigest): string {
  const severities = [...alerts.map(({ data }) => data.severity), ...(others?.severities ?? [])];
  return kind !== "recovered" && severities.includes("critical") ? "[critical] " : "";
}

const lateness = (late: number | null): string => (late === null ? "" : `, sent up to ${latenessInWords(late)} late`);

function digestNames({ alerts, others }: WordedDigest): string {
  const jobs = jobsOf(alerts);
  const first = jobs.slice(0, NAMED_FIRST).map(shownName).join(", ");
  const more = jobs.length - NAMED_FIRST + (others?.count ?? 0);
  return more > 0 ? `${first} and ${grouped(more)} more` : first;
}

type EndReason = Extract<Reason, "success" | "resolved" | "withdrawn" | "deleted" | "restored">;

const ENDED: Record<EndReason, readonly [one: string, more: string]> = {
  success: ["recovered", "recovered"],
  resolved: ["had its incident closed by hand", "had their incidents closed by hand"],
  withdrawn: ["was withdrawn", "were withdrawn"],
  deleted: ["was deleted", "were deleted"],
  restored: ["had its incident closed by a restore", "had their incidents closed by a restore"],
};

function headline(data: WordedDigest): string {
  const { kind, alerts, others } = data;
  const rest = others?.count ?? 0;
  const jobs = countedJobs(data);
  if (kind === "continued") return `${jobs} still in trouble`;
  if (kind === "opened") {
    const { cause } = alerts[0].data;
    const alike = alerts.every(({ data }) => data.cause === cause) && (others?.causes[cause] ?? 0) === rest;
    return alike ? `${jobs} ${CAUSES[cause].did}` : `Trouble with ${jobs}`;
  }
  return allSucceeded(alerts, others) ? `${jobs} recovered` : `${counted(alerts.length + rest, "incident")} ended`;
}

/**
 * The sentence about what happened to the jobs. If some jobs have changed since the alerts, the sentence also says when
 * the alerts were made, where that is known, and how these jobs are now (R36).
 */
function digestStory(data: WordedDigest, times: Times): string {
  const { again, over } = changesOf(data);
  const now = [...(over === 0 ? [] : [`${isOrAre(data, over)} over`]), ...trouble(data, again)];
  if (now.length === 0) return `${whatJobsDid(data)}.`;
  return `${whatJobsDid(data, "then")}${whenWas(data, times)}; ${now.join(", ")}.`;
}

const trouble = (data: WordedDigest, again: number): string[] =>
  again === 0 ? [] : [`${isOrAre(data, again)} in trouble again`];

const isOrAre = (data: WordedDigest, count: number): string => `${allOr(data, count)} ${count === 1 ? "is" : "are"}`;

/**
 * When the alerts were made, such as ` at 2026-03-01 12:00 UTC`. If they are not all of one minute, it is the time of
 * the last: ` by 2026-03-01 12:04 UTC`. Empty when some alerts are only counted, because their times are not known.
 */
function whenWas({ alerts, others }: WordedDigest, times: Times): string {
  if (others !== null) return "";
  const [{ at, data }] = alerts;
  const last = alerts.at(-1)!;
  return wholeMinute(last.at) === wholeMinute(at)
    ? ` at ${times.sayMinute(at, data.timezone)}`
    : ` by ${times.say(last.at, last.data.timezone)}`;
}

const wholeMinute = (at: Instant): number => Math.floor(at / MINUTE);

/**
 * What the jobs did, such as `7 jobs did not report, 5 reported a failure`. With `then` it is told of a time that is
 * over: `2 jobs were still in trouble` where it otherwise says `are`.
 */
function whatJobsDid({ kind, alerts, others }: WordedDigest, when: "now" | "then" = "now"): string {
  const of = (matches: (data: AlertData) => boolean): number =>
    jobsOf(alerts.filter(({ data }) => matches(data))).length;
  if (kind === "continued") return goesOn(alerts, others, when);
  const counts =
    kind === "opened"
      ? tableEntries(CAUSES).map(
          ([cause, { did }]) => [of((data) => data.cause === cause) + (others?.causes[cause] ?? 0), did] as const,
        )
      : tableEntries(ENDED).map(([reason, [one, more]]) => {
          const count = of((data) => data.reason === reason) + (others?.reasons[reason] ?? 0);
          const words = count === 1 ? one : more;
          return [count, reason === "success" && when === "then" ? `had ${words}` : words] as const;
        });
  return counts
    .filter(([count]) => count > 0)
    .map(([count, words], place) => `${place === 0 ? counted(count, "job") : count} ${words}`)
    .join(", ");
}

const tableEntries = <Word extends string, Words>(table: Readonly<Record<Word, Words>>) =>
  Object.entries(table) as [Word, Words][];

/** How open incidents go on, such as `48 jobs are still in trouble, 2 failed in a new way`. */
function goesOn(alerts: readonly AlertMessage[], others: Tally | null, when: "now" | "then"): string {
  const newElsewhere = others?.reasons.new_cause ?? 0;
  const newCauses = jobsOf(alerts.filter(({ data }) => data.reason === "new_cause")).length + newElsewhere;
  const goOn =
    jobsOf(alerts.filter(({ data }) => data.reason !== "new_cause")).length + (others?.count ?? 0) - newElsewhere;
  if (goOn === 0) return `${counted(newCauses, "job")} failed in a new way`;
  const [one, more] = when === "now" ? ["is", "are"] : ["was", "were"];
  const going = `${counted(goOn, "job")} ${goOn === 1 ? one : more} still in trouble`;
  return newCauses === 0 ? going : `${going}, ${newCauses} failed in a new way`;
}

const itemOf = ({ data, at }: AlertMessage, onlyApplication: boolean, times: Times): Item => ({
  name: `${stateOf(data)}: ${jobNameInList(data, { onlyApplication })}`,
  details: [...detailsOf(data, at, times), ...since(data, times)],
  quote: cleanLines(data.failureMessage ?? "", MESSAGE_LENGTH) || null,
});

function detailsOf(data: AlertData, at: Instant, times: Times): string[] {
  if (data.kind === "Recovered") return jobHistory(data, at, times);
  if (data.kind === "ContinuedFailure" && data.reason !== "new_cause") return reminderOf(data, times);
  return [`${CAUSES[data.cause].inDigest(data, at, times)}; incident ${data.incidentId}`];
}

function reminderOf(data: AlertData, times: Times): string[] {
  const { timezone, causes, missedSlots, reason, incidentId, flapping } = data;
  const missed = missedSlots ?? 0;
  const span =
    flapping == null
      ? `for ${durationInWords(runMilliseconds(data))}, since ${times.say(beganAt(data), timezone)}`
      : onAndOff(flapping, times.say(flapping.since, timezone));
  return [
    `${span}; incident ${incidentId}`,
    [
      causesInWords(causes),
      ...(missed > 1 ? [`${counted(missed, slotNoun(data))} missed so far`] : []),
      ...(reason === "last_reminder" ? ["no further reminder follows"] : []),
    ].join("; "),
  ];
}

/** What a digest of recoveries says of one job: when it recovered, how long it was in trouble, and why (R36). */
function jobHistory(data: AlertData, at: Instant, times: Times): string[] {
  const { timezone, causes, missedSlots, flapping } = data;
  const missed = missedSlots ?? 0;
  return [
    `at ${times.say(at, timezone)}, after ${durationInWords(runMilliseconds(data))}`,
    `${causesInWords(causes)}${missed === 0 ? "" : `; ${counted(missed, slotNoun(data))} missed`}`,
    ...(flapping == null ? [] : [`it ${troubledInWords(flapping, (iso) => times.say(iso, timezone))}`]),
  ];
}

function since(data: AlertData, times: Times): string[] {
  const words = sinceInWords(data, times);
  return words === null ? [] : [`since then ${words}`];
}

/**
 * Counts the alerts whose jobs have changed since the alert was made (R36). `again`: the job is in trouble again.
 * `over`: the incident has ended and the job is not in trouble again; 0 for a digest of recoveries.
 */
function changesOf({ kind, alerts, others }: Pick<WordedDigest, "kind" | "alerts" | "others">) {
  const again = alerts.filter(({ data }) => isInTroubleAgain(data)).length + (others?.again ?? 0);
  const over =
    alerts.filter(({ data }) => isOverSince(data) && !isInTroubleAgain(data)).length + (others?.overForGood ?? 0);
  return { again, over: kind === "recovered" ? 0 : over };
}

const allOr = ({ alerts, others }: WordedDigest, count: number): string =>
  count === alerts.length + (others?.count ?? 0) ? "all" : String(count);

function changedSince(data: WordedDigest): string {
  const { again, over } = changesOf(data);
  return [
    ...(over === 0 ? [] : [`, ${allOr(data, over)} over since`]),
    ...(again === 0 ? [] : [`, ${allOr(data, again)} in trouble again since`]),
  ].join("");
}

function digestFacts({ alerts, others }: WordedDigest, onlyApplication: boolean): Fact[] {
  const rows: [string, (data: AlertData) => string | null, readonly string[] | undefined][] = [
    [
      "Application",
      ({ applicationId }) => (onlyApplication ? null : applicationId),
      onlyApplication ? [] : others?.applications,
    ],
    ["Environment", ({ environment }) => environment, others?.environments],
    ["Owner", ({ owner }) => owner, others?.owners],
  ];
  return rows.flatMap(([label, read, elsewhere = []]) => {
    const values = new Set([...alerts.flatMap(({ data }) => read(data) ?? []), ...elsewhere]);
    const value = cleanLine([...values].join(", "), SCHEDULE_LENGTH);
    return value === "" ? [] : [{ label, value }];
  });
}

/** The links that are the same in all alerts, such as a team's runbook. */
function commonLinks({ alerts: [first, ...more], others }: WordedDigest): Link[] {
  const elsewhere = more.map(({ data }) => new Set(linksOf(data).map(({ url }) => url)));
  if (others !== null) elsewhere.push(new Set(others.links));
  return linksOf(first.data).filter(({ url }) => elsewhere.every((urls) => urls.has(url)));
}
