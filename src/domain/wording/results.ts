// The results of slots, runs and days: one vocabulary for everything that shows a job's past. Pure.

import { capitalized } from "../text.ts";
import { SECOND } from "../time.ts";
import { tookInWords } from "./short-time.ts";

interface ResultWords {
  /** The word that people read, also after a number: `2 not finished`. */
  readonly word: string;
  /** The words for one run or slot after its time: `14:10 missed: nothing came`. */
  readonly says: string;
  /** The words after a job's name about a past instant: `Backup had not reported`. Absent when they equal `says`. */
  readonly was?: string;
  /** How serious the result is. A `bad` one opens an incident, or counts towards one (R41). */
  readonly tone: "bad" | "warn" | "unsure" | "well" | "quiet";
  /** In which count of a day (`PastDay`) the result is included; `null` when the result is no trouble. */
  readonly counted: "failed" | "missed" | "unknown" | null;
}

/** The results, the worst first. A day is shown as its worst result, and a summary begins with the worst result. */
export const RESULTS = {
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
  /** The end of the run came after all, when its passed deadline had already counted as a failure (R21). */
  overran: {
    word: "ended too late",
    says: "ended too late",
    tone: "bad",
    counted: "failed",
  },
  /** No report came before the slot closed. A report after that and before the next slot is shown beside the miss. */
  missed: {
    word: "missed",
    says: "missed: nothing came",
    was: "had not reported",
    tone: "bad",
    counted: "missed",
  },
  /** Rollcall could not hear whether a report came for the slot, or how the run ended (R26). */
  unknown: {
    word: "unknown",
    says: "unknown: rollcall could not hear",
    was: "may have run while rollcall could not hear it",
    tone: "unsure",
    counted: "unknown",
  },
  /** The slot's time has passed, but the slot has not closed: a report may still fill it. */
  late: { word: "late", says: "late: nothing has come yet", was: "was late", tone: "warn", counted: null },
  /**
   * The run did not end, and rollcall no longer waits for it, mostly because a later run succeeded (R21). No alarm was
   * raised, so it is not `unfinished`.
   */
  incomplete: {
    word: "without an end",
    says: "never reported its end",
    tone: "warn",
    counted: null,
  },
  /** The run succeeded, but an outcome broke an expectation that only warns (R27). */
  warned: {
    word: "warned",
    says: "succeeded with a warning",
    tone: "warn",
    counted: null,
  },
  running: { word: "running", says: "is under way", was: "was running", tone: "quiet", counted: null },
  expected: { word: "expected", says: "expected", was: "was expected", tone: "quiet", counted: null },
  /** The slot lies in a pause that is no maintenance, so it cannot be missed (R24). */
  paused: { word: "paused", says: "paused", was: "was paused", tone: "quiet", counted: null },
  /** The slot lies in maintenance, so it cannot be missed. */
  maintenance: {
    word: "in maintenance",
    says: "in maintenance",
    was: "was in maintenance",
    tone: "quiet",
    counted: null,
  },
  /**
   * No report came, but that counted as no miss, because misses were tolerated (R41). This is also said of slots in a
   * pause from before pauses were stored.
   */
  silent: {
    word: "silent",
    says: "silent: nothing came, which counted as no miss",
    was: "had not reported, which counted as no miss",
    tone: "quiet",
    counted: null,
  },
  /** The run before was still in progress when the slot closed (R21). The slot has not succeeded and was not missed. */
  covered: {
    word: "under a run from before",
    says: "no start of its own: the run before was under way",
    was: "was under a run from before",
    tone: "quiet",
    counted: null,
  },
  succeeded: { word: "well", says: "succeeded", was: "was well", tone: "well", counted: null },
  /** A day on which nothing was expected. `succeeded` would claim that a report came. */
  quiet: {
    word: "nothing expected",
    says: "nothing was expected",
    was: "had nothing due",
    tone: "quiet",
    counted: null,
  },
  /** A day on which the job was not watched yet, which says nothing about the job. */
  unwatched: {
    word: "not watched yet",
    says: "was not watched yet",
    was: "was not watched yet",
    tone: "quiet",
    counted: null,
  },
  /** The reports are too far back to be looked up. `unknown` would claim that rollcall could not hear. */
  unread: {
    word: "not looked up",
    says: "not looked up",
    was: "was not looked up",
    tone: "quiet",
    counted: null,
  },
} as const satisfies Readonly<Record<string, ResultWords>>;

export type Result = keyof typeof RESULTS;

export const RUN_RESULTS = [
  ...(["succeeded", "warned", "failed", "wrong", "overran"] as const),
  ...(["unfinished", "incomplete", "running", "unknown"] as const),
] as const satisfies readonly Result[];

export type RunResult = (typeof RUN_RESULTS)[number];

const IN_ORDER = Object.keys(RESULTS) as Result[];

/** Whether the result says that a report ended the run. */
export const isEndResult = (result: Result): boolean => ENDED.includes(result);

const ENDED: readonly Result[] = ["succeeded", "warned", "failed", "wrong", "overran"];

/** Whether the result is a success; a warning does not count as a failure (R27). */
export const isSuccessResult = (result: Result | null): boolean => result === "succeeded" || result === "warned";

interface SaidReport {
  readonly kind: "heartbeat" | "start" | "complete" | "fail" | "log";
  /** What became of the report's run; `null` when the report says nothing of a run, or the end of its run says it. */
  readonly outcome: Result | null;
  readonly durationSeconds: number | null;
  readonly durationMilliseconds: number | null;
}

export const wasInWords = (result: Result): string => {
  const { was, says }: ResultWords = RESULTS[result];
  return was ?? says;
};

/** The words for one report: `Had a wrong result after 35 s`. */
export function reportInWords({ kind, outcome: result, durationSeconds, durationMilliseconds }: SaidReport): string {
  if (result === null) return kind === "start" ? "Started" : "Said something";
  const took = durationMilliseconds ?? (durationSeconds === null ? null : durationSeconds * SECOND);
  const says = resultInWords(result, took);
  return kind === "start" ? `Started; ${says}` : capitalized(says);
}

/**
 * The words for a result, to follow a time: `had a wrong result after 35 s`. `took` is the length of the run in
 * milliseconds; `null` when it is not known, or there was no run.
 */
export function resultInWords(result: Result, took: number | null): string {
  // A success without a known start may be a mere heartbeat, so the words claim only that a report came.
  if (result === "succeeded" && took === null) return "reported";
  return `${RESULTS[result].says}${took === null || !isEndResult(result) ? "" : ` after ${tookInWords(took)}`}`;
}

/** Counts how often each result occurs, the worst first. */
export function tallyOf<Found extends Result>(found: Iterable<Found>): [result: Found, count: number][] {
  const counts = new Map<Result, number>();
  for (const result of found) counts.set(result, (counts.get(result) ?? 0) + 1);
  return IN_ORDER.flatMap((result): [Found, number][] => {
    const count = counts.get(result) ?? 0;
    return count === 0 ? [] : [[result as Found, count]];
  });
}

/** The counts in words, such as `2 failed, 28 well`. */
export const tallyInWords = (tally: readonly (readonly [Result, number])[]): string =>
  tally.map(([result, count]) => `${count} ${RESULTS[result].word}`).join(", ");
