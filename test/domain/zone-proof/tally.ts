// What a zone proof has seen, counted, so that a proof of nothing cannot pass for one; and what it found, as sentences.

import type { Outcome } from "./drive.ts";
import { PROVEN_JOBS, type ProvenJob, type SchedulerName } from "./plans.ts";
import type { ValueRule } from "./reports.ts";

export interface Tally {
  changes: number;
  /** A job through a clock change under one scheduler. */
  windows: number;
  /** Those through which the core was driven; the others had the very same runs. */
  drives: number;
  reports: number;
  missesFound: number;
  missesBeyond: number;
  readonly falseAlarms: Findings;
  readonly missedAlarms: Findings;
  /** Where the schedulers and R17 do not fit. */
  readonly contradictions: Findings;
  /** Windows in which a scheduler ran at other minutes than the slots. */
  readonly astray: Map<SchedulerName, number>;
  /** The jobs of those windows. */
  readonly disputed: Set<ProvenJob>;
  readonly manners: Set<ValueRule>;
  /** Runs and slots for each job, by its number. */
  readonly runs: number[];
  readonly slots: number[];
}

/** How many there were, and the first of them. */
export interface Findings {
  count: number;
  readonly first: string[];
}

const KEPT = 10;

export const emptyTally = (): Tally => ({
  changes: 0,
  windows: 0,
  drives: 0,
  reports: 0,
  missesFound: 0,
  missesBeyond: 0,
  falseAlarms: { count: 0, first: [] },
  missedAlarms: { count: 0, first: [] },
  contradictions: { count: 0, first: [] },
  astray: new Map(),
  disputed: new Set(),
  manners: new Set(),
  runs: PROVEN_JOBS.map(() => 0),
  slots: PROVEN_JOBS.map(() => 0),
});

export function countOutcome(tally: Tally, outcome: Outcome, where: string): void {
  tally.drives += 1;
  tally.reports += outcome.reports;
  tally.missesFound += outcome.missesFound;
  tally.missesBeyond += outcome.missesBeyond;
  if (outcome.falseAlarm !== null) note(tally.falseAlarms, `${where}: ${outcome.falseAlarm}`);
  for (const missed of outcome.missedAlarms) note(tally.missedAlarms, `${where}: ${missed}`);
}

export function note(findings: Findings, sentence: string): void {
  findings.count += 1;
  if (findings.first.length < KEPT) findings.first.push(sentence);
}
