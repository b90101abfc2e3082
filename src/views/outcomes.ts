// What became of a slot, a run or a day: one vocabulary for everything that shows a job's past. Pure.

interface OutcomeEntry {
  /** What people read, also behind a number: `2 not finished`. */
  readonly word: string;
  /** The field of a day in which it is counted; null: it is no trouble. */
  readonly counted: "failed" | "missed" | "unknown" | null;
}

/** The worst comes first: it is what a day is shown as, and what a summary begins with. */
export const OUTCOMES = {
  failed: { word: "failed", counted: "failed" },
  /** The run began, and its deadline passed without an end. */
  unfinished: { word: "not finished", counted: "failed" },
  /** None came before the slot closed. One that came after that, and before the next slot, stands beside it. */
  missed: { word: "missed", counted: "missed" },
  /** We could not hear (R26): whether a report came for the slot, or how the run ended. */
  unknown: { word: "unknown", counted: "unknown" },
  /** The slot has passed, and can still be filled: nothing is decided. */
  late: { word: "late", counted: null },
  /** The run began, no end came, and a later run succeeded (R21): nothing was alarmed, so it is not `unfinished`. */
  incomplete: { word: "without an end", counted: null },
  running: { word: "running", counted: null },
  expected: { word: "expected", counted: null },
  /** It lies in a pause by hand, of a plan or of discovery: nothing is missed (R24). */
  paused: { word: "paused", counted: null },
  /** It lies in a maintenance window, which is known long before and long after it. */
  maintenance: { word: "in maintenance", counted: null },
  /**
   * Nothing came, and it counted as no miss: misses were tolerated (R41), or a pause is over. Which of them is not
   * kept, so neither `paused` nor `missed` would be true of it.
   */
  silent: { word: "silent", counted: null },
  /** The run before was still under way as it closed (R21): it has not succeeded, and was not missed either. */
  covered: { word: "under a run from before", counted: null },
  succeeded: { word: "well", counted: null },
  /** Of a day: nothing was expected. `succeeded` would claim that something came. */
  quiet: { word: "nothing expected", counted: null },
  /** Of a day: the job was not known yet, which is no word about how it did. */
  unwatched: { word: "not watched yet", counted: null },
  /** Its reports are too long ago to be looked up. `unknown` would say that rollcall could not hear. */
  unread: { word: "not looked up", counted: null },
} as const satisfies Readonly<Record<string, OutcomeEntry>>;

export type Outcome = keyof typeof OUTCOMES;

const IN_ORDER = Object.keys(OUTCOMES) as Outcome[];

/** How many of each there are, the worst first. */
export function tallyOf<Found extends Outcome>(found: Iterable<Found>): [outcome: Found, count: number][] {
  const counts = new Map<Outcome, number>();
  for (const outcome of found) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return IN_ORDER.flatMap((outcome): [Found, number][] => {
    const count = counts.get(outcome) ?? 0;
    return count === 0 ? [] : [[outcome as Found, count]];
  });
}

/** `2 failed, 28 well`. */
export const inWords = (tally: readonly (readonly [Outcome, number])[]): string =>
  tally.map(([outcome, count]) => `${count} ${OUTCOMES[outcome].word}`).join(", ");
