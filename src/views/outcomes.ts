// What became of a slot, a run or a day: one vocabulary for everything that shows a job's past. Pure.

import { capitalized } from "../domain/text.ts";
import { SECOND } from "../domain/time.ts";
import { span } from "../domain/wording/short-time.ts";

interface OutcomeEntry {
  /** What people read, also behind a number: `2 not finished`. */
  readonly word: string;
  /** Of one run behind its time or its report, or of one slot behind its time: `14:10 missed: nothing came`. */
  readonly says: string;
  /** Of a job at an instant that is over, behind its name: `Backup had not reported`. Absent: as `says` has it. */
  readonly was?: string;
  /** `bad`: it opens an incident, or counts towards one. */
  readonly tone: "bad" | "warn" | "unsure" | "well" | "quiet";
  /** The field of a day in which it is counted; null: it is no trouble. */
  readonly counted: "failed" | "missed" | "unknown" | null;
}

/** The worst comes first: it is what a day is shown as, and what a summary begins with. */
export const OUTCOMES = {
  failed: { word: "failed", says: "failed", tone: "bad", counted: "failed" },
  /** The run ended, and what it reported is not as expected (R27). */
  wrong: {
    word: "wrong",
    says: "had a wrong result",
    tone: "bad",
    counted: "failed",
  },
  /** The run began, and its deadline passed without an end. */
  unfinished: {
    word: "not finished",
    says: "did not end in time",
    tone: "bad",
    counted: "failed",
  },
  /** That had counted as a failure when its end came after all (R21). */
  overran: {
    word: "ended too late",
    says: "ended too late",
    tone: "bad",
    counted: "failed",
  },
  /** None came before the slot closed. One that came after that, and before the next slot, stands beside it. */
  missed: {
    word: "missed",
    says: "missed: nothing came",
    was: "had not reported",
    tone: "bad",
    counted: "missed",
  },
  /** We could not hear (R26): whether a report came for the slot, or how the run ended. */
  unknown: {
    word: "unknown",
    says: "unknown: rollcall could not hear",
    was: "may have run while rollcall could not hear it",
    tone: "unsure",
    counted: "unknown",
  },
  /** The slot has passed, and can still be filled: nothing is decided. */
  late: { word: "late", says: "late: nothing has come yet", was: "was late", tone: "warn", counted: null },
  /** The run began, no end came, and a later run succeeded (R21): nothing was alarmed, so it is not `unfinished`. */
  incomplete: {
    word: "without an end",
    says: "never reported its end",
    tone: "warn",
    counted: null,
  },
  /** The run succeeded, and a value was not as expected that only warns (R27). */
  warned: {
    word: "warned",
    says: "succeeded with a warning",
    tone: "warn",
    counted: null,
  },
  running: { word: "running", says: "is under way", was: "was running", tone: "quiet", counted: null },
  expected: { word: "expected", says: "expected", was: "was expected", tone: "quiet", counted: null },
  /** It lies in a pause by hand, of a plan or of discovery: nothing is missed (R24). */
  paused: { word: "paused", says: "paused", was: "was paused", tone: "quiet", counted: null },
  /** It lies in a maintenance window, which is known long before and long after it. */
  maintenance: {
    word: "in maintenance",
    says: "in maintenance",
    was: "was in maintenance",
    tone: "quiet",
    counted: null,
  },
  /**
   * Nothing came, and it counted as no miss: misses were tolerated (R41), or a pause is over. Which of them is not
   * kept, so neither `paused` nor `missed` would be true of it.
   */
  silent: {
    word: "silent",
    says: "silent: nothing came, which was no miss (paused, or tolerated)",
    was: "had not reported, which counted as no miss",
    tone: "quiet",
    counted: null,
  },
  /** The run before was still under way as it closed (R21): it has not succeeded, and was not missed either. */
  covered: {
    word: "under a run from before",
    says: "no start of its own: the run before was under way",
    was: "was under a run from before",
    tone: "quiet",
    counted: null,
  },
  succeeded: { word: "well", says: "succeeded", was: "was well", tone: "well", counted: null },
  /** Of a day: nothing was expected. `succeeded` would claim that something came. */
  quiet: {
    word: "nothing expected",
    says: "nothing was expected",
    was: "had nothing due",
    tone: "quiet",
    counted: null,
  },
  /** Of a day: the job was not known yet, which is no word about how it did. */
  unwatched: {
    word: "not watched yet",
    says: "was not watched yet",
    was: "was not watched yet",
    tone: "quiet",
    counted: null,
  },
  /** Its reports are too long ago to be looked up. `unknown` would say that rollcall could not hear. */
  unread: {
    word: "not looked up",
    says: "not looked up",
    was: "was not looked up",
    tone: "quiet",
    counted: null,
  },
} as const satisfies Readonly<Record<string, OutcomeEntry>>;

export type Outcome = keyof typeof OUTCOMES;

/** What becomes of a run. */
export const RUN_OUTCOMES = [
  ...(["succeeded", "warned", "failed", "wrong", "overran"] as const),
  ...(["unfinished", "incomplete", "running", "unknown"] as const),
] as const satisfies readonly Outcome[];

export type RunOutcome = (typeof RUN_OUTCOMES)[number];

const IN_ORDER = Object.keys(OUTCOMES) as Outcome[];

/** Whether a run has come to an end that was reported. */
export const isEndOutcome = (outcome: Outcome): boolean => ENDED.includes(outcome);

const ENDED: readonly Outcome[] = ["succeeded", "warned", "failed", "wrong", "overran"];

/** A warning is none that counts as a failure (R27). */
export const isSuccess = (outcome: Outcome | null): boolean => outcome === "succeeded" || outcome === "warned";

interface SaidReport {
  readonly kind: "heartbeat" | "start" | "complete" | "fail" | "log";
  /** Null: it says nothing of a run, or the end of its run does. */
  readonly outcome: Outcome | null;
  readonly durationSeconds: number | null;
  readonly durationMilliseconds: number | null;
}

/** Nothing takes no time. */
export const tookInWords = (milliseconds: number): string =>
  milliseconds === 0 ? "less than 1 s" : span(milliseconds);

/** Behind the name of its job, of an instant that is over. */
export const wasInWords = (outcome: Outcome): string => {
  const { was, says }: OutcomeEntry = OUTCOMES[outcome];
  return was ?? says;
};

/** Of one report: `Had a wrong result after 35 s`. */
export function reportInWords({ kind, outcome, durationSeconds, durationMilliseconds }: SaidReport): string {
  if (outcome === null) return kind === "start" ? "Started" : "Said something";
  const took = durationMilliseconds ?? (durationSeconds === null ? null : durationSeconds * SECOND);
  const says = outcomeInWords(outcome, took);
  return kind === "start" ? `Started; ${says}` : capitalized(says);
}

/** Behind its time: `had a wrong result after 35 s`. `took`: milliseconds; null: it is not known, or was no run. */
export function outcomeInWords(outcome: Outcome, took: number | null): string {
  // Of a success without a start we know no more than that it came.
  if (outcome === "succeeded" && took === null) return "reported";
  return `${OUTCOMES[outcome].says}${took === null || !isEndOutcome(outcome) ? "" : ` after ${tookInWords(took)}`}`;
}

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
export const tallyInWords = (tally: readonly (readonly [Outcome, number])[]): string =>
  tally.map(([outcome, count]) => `${count} ${OUTCOMES[outcome].word}`).join(", ");
