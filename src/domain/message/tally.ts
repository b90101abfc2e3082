// What a digest says of alerts that it does not name (R39): how many they are, of which kinds, and what they share.
// Keeps none of them, so that it stays small however many they are.

import type { Cause } from "../monitor/incident.ts";
import type { AlertMessage, Reason } from "./alert.ts";
import type { Severity } from "./presentation.ts";
import { isOver, standsAgain } from "./since.ts";

type WordCounts<Word extends string> = Readonly<Partial<Record<Word, number>>>;

/** Each alert is of another job. */
export interface Tally {
  readonly count: number;
  readonly causes: WordCounts<Cause>;
  readonly reasons: WordCounts<Reason>;
  /** How many are over since, in trouble again since, and over without that. */
  readonly over: number;
  readonly again: number;
  readonly overForGood: number;
  /** Of how many several runs were missed. */
  readonly missedSeveral: number;
  readonly severities: readonly Severity[];
  readonly onlyApplication: boolean;
  readonly applications: readonly string[];
  readonly environments: readonly string[];
  readonly owners: readonly string[];
  /** The addresses of links that all of them have. */
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

/** The same with these alerts counted too. `tally` null: nothing was counted before. */
export function tallyWith(tally: Tally | null, alerts: readonly AlertMessage[]): Tally {
  const before = tally ?? NOTHING;
  const data = alerts.map((alert) => alert.data);
  const together = data.map(({ links }) => Object.values(links));
  const shared = before.count === 0 ? (together[0] ?? []) : before.links;
  return {
    count: before.count + data.length,
    causes: countedWith(
      before.causes,
      data.map(({ cause }) => cause),
    ),
    reasons: countedWith(
      before.reasons,
      data.map(({ reason }) => reason),
    ),
    over: before.over + data.filter(isOver).length,
    again: before.again + data.filter(standsAgain).length,
    overForGood: before.overForGood + data.filter((one) => isOver(one) && !standsAgain(one)).length,
    missedSeveral: before.missedSeveral + data.filter(({ missedSlots }) => (missedSlots ?? 0) > 1).length,
    severities: distinct([...before.severities, ...data.map(({ severity }) => severity)]),
    onlyApplication: before.onlyApplication && data.every(({ onlyApplication }) => onlyApplication),
    applications: distinct([...before.applications, ...data.map(({ applicationId }) => applicationId)]),
    environments: distinct([...before.environments, ...data.flatMap(({ environment }) => environment ?? [])]),
    owners: distinct([...before.owners, ...data.flatMap(({ owner }) => owner ?? [])]),
    links: shared.filter((url) => together.every((urls) => urls.includes(url))),
  };
}

function countedWith<Word extends string>(before: WordCounts<Word>, words: readonly Word[]): WordCounts<Word> {
  const counts: Partial<Record<Word, number>> = { ...before };
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

const distinct = <Word extends string>(words: readonly Word[]): Word[] => [...new Set(words)];
