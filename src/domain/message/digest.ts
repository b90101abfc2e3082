// A digest is one message for many openings, reminders or recoveries that wait for the same people (R39). Pure.

import type { Cause } from "../monitor/incident.ts";
import type { Instant } from "../time.ts";
import { type AlertData, type AlertMessage, MESSAGE_TYPES, type Reason } from "./alert.ts";
import type { Severity } from "./presentation.ts";
import { isInTroubleAgain, isOverSince } from "./since.ts";

export type DigestKind = "opened" | "continued" | "recovered";

/**
 * Up to this many waiting messages go out one by one. More become a digest (R39). After quiet hours two messages
 * already do (R38).
 */
export const SINGLES_MAX = 10;

/** How many alerts a digest names at most (R39). A digest only counts further alerts. */
export const NAMED_MAX = 1_000;

/** Which types of message each kind of digest stands for. Messages of other types go out one by one. */
export const DIGESTED: Readonly<Record<DigestKind, readonly string[]>> = {
  opened: [MESSAGE_TYPES.InitialFailure, MESSAGE_TYPES.NeverExecuted],
  // Reminders and new causes: both say that an incident goes on.
  continued: [MESSAGE_TYPES.ContinuedFailure],
  recovered: [MESSAGE_TYPES.Recovered],
};

const KINDS = Object.keys(DIGESTED) as DigestKind[];

export const digestKindOf = (type: string): DigestKind | null =>
  KINDS.find((kind) => DIGESTED[kind].includes(type)) ?? null;

/**
 * A digest is made when it is sent to people, and is not stored. Its alerts are stored, and programs get each of them
 * instead of the digest.
 */
export type DigestMessage = Readonly<{ type: "monitor.digest"; at: Instant; data: DigestData }>;

export interface DigestData {
  readonly kind: DigestKind;
  readonly teamName: string | null;
  /** The alerts that the digest names, in the order of their instants. */
  readonly alerts: readonly [AlertMessage, ...AlertMessage[]];
  /** Counts of the alerts that the digest does not name; `null` when it names all. */
  readonly others: Tally | null;
  /** If all its jobs run on one machine: how many active jobs registries declare there. Otherwise absent or `null`. */
  readonly ofMachine?: number | null;
}

/** The data of each job once. A job may have several alerts here, of which the last counts. */
export const jobsOf = (alerts: readonly AlertMessage[]): AlertData[] => [
  ...new Map(alerts.map(({ data }) => [JSON.stringify([data.applicationId, data.monitorKey]), data])).values(),
];

/**
 * The machine on which most of these jobs run, and how many do. `null` without such a machine, and when fewer than five
 * jobs run there, because that may be chance.
 */
export function digestMachine(
  alerts: readonly AlertMessage[],
): { readonly host: string; readonly count: number } | null {
  const jobs = jobsOf(alerts);
  const byHost = Map.groupBy(jobs, ({ runsOn }) => runsOn?.host ?? null);
  const [most] = [...byHost].sort(([, some], [, others]) => others.length - some.length);
  const [host, { length: count }] = most!;
  return host === null || count < FEWEST || count * 2 <= jobs.length ? null : { host, count };
}

const FEWEST = 5;

export function digestOf(kind: DigestKind, alerts: readonly AlertMessage[]): DigestMessage {
  const [first, ...others] = alerts.toSorted((a, b) => a.at - b.at);
  return {
    type: "monitor.digest",
    at: first!.at,
    data: { kind, teamName: first!.data.teamName, alerts: [first!, ...others], others: null },
  };
}

/** Returns the digest with these alerts counted, but not named. */
export const withCounted = (digest: DigestMessage, alerts: readonly AlertMessage[]): DigestMessage => ({
  ...digest,
  at: Math.min(digest.at, ...alerts.map(({ at }) => at)),
  data: { ...digest.data, others: tallyWith(digest.data.others, alerts) },
});

// Counts of the alerts that a digest does not name (R39). They take little memory, however many alerts there are.

type WordCounts<Word extends string> = Readonly<Partial<Record<Word, number>>>;

/** Counts of alerts, each about another job. */
export interface Tally {
  readonly count: number;
  readonly causes: WordCounts<Cause>;
  readonly reasons: WordCounts<Reason>;
  /**
   * `over`: how many of the counted alerts' incidents have ended since the alert. `again`: how many jobs are in new
   * trouble since. `overForGood`: how many incidents have ended without new trouble of the job.
   */
  readonly over: number;
  readonly again: number;
  readonly overForGood: number;
  /** How many of the counted jobs missed more than one run. */
  readonly missedSeveral: number;
  readonly severities: readonly Severity[];
  readonly onlyApplication: boolean;
  readonly applications: readonly string[];
  readonly environments: readonly string[];
  readonly owners: readonly string[];
  readonly links: readonly string[];
}

const NOTHING: Tally = {
  count: 0,
  causes: {},
  reasons: {},
  over: 0,
  again: 0,
  overForGood: 0,
  missedSeveral: 0,
  severities: [],
  onlyApplication: true,
  applications: [],
  environments: [],
  owners: [],
  links: [],
};

function tallyWith(tally: Tally | null, alerts: readonly AlertMessage[]): Tally {
  const before = tally ?? NOTHING;
  const data = alerts.map((alert) => alert.data);
  const together = data.map(({ links }) => Object.values(links));
  const shared = before.count === 0 ? (together[0] ?? []) : before.links;
  return {
    count: before.count + data.length,
    causes: countedWith(before.causes, data, ({ cause }) => cause),
    reasons: countedWith(before.reasons, data, ({ reason }) => reason),
    over: before.over + data.filter(isOverSince).length,
    again: before.again + data.filter(isInTroubleAgain).length,
    overForGood: before.overForGood + data.filter((one) => isOverSince(one) && !isInTroubleAgain(one)).length,
    missedSeveral: before.missedSeveral + data.filter(({ missedSlots }) => (missedSlots ?? 0) > 1).length,
    severities: distinctWords([...before.severities, ...data.map(({ severity }) => severity)]),
    onlyApplication: before.onlyApplication && data.every(({ onlyApplication }) => onlyApplication),
    applications: distinctWords([...before.applications, ...data.map(({ applicationId }) => applicationId)]),
    environments: distinctWords([...before.environments, ...data.flatMap(({ environment }) => environment ?? [])]),
    owners: distinctWords([...before.owners, ...data.flatMap(({ owner }) => owner ?? [])]),
    links: shared.filter((url) => together.every((urls) => urls.includes(url))),
  };
}

function countedWith<Word extends string>(
  before: WordCounts<Word>,
  data: readonly AlertData[],
  wordOf: (data: AlertData) => Word,
): WordCounts<Word> {
  const counts: Partial<Record<Word, number>> = { ...before };
  for (const word of data.map(wordOf)) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

const distinctWords = <Word extends string>(words: readonly Word[]): Word[] => [...new Set(words)];
