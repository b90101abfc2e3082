// What is told to the rules of a monitor, and what they tell: plain data. For the verdict: imports nothing of the
// product but types.

import type { AlertKind, Reason } from "../../src/domain/message/alert.ts";
import type { Cause } from "../../src/domain/monitor/incident.ts";
import type { KnownRun, ReportKind } from "./rules-runs.ts";
import type { Rhythm } from "./rules-slots.ts";
import type { Instant } from "./units.ts";

/** What is in force for a monitor. */
export interface RuleTerms {
  readonly rhythm: Rhythm;
  readonly graceMs: number;
  readonly maxRuntimeMs: number | null;
  readonly alertAfterMisses: number;
  readonly alertAfterFailures: number;
}

/** A span in which rollcall could not hear, as far as it is known; there is one object for each. */
export interface KnownGap {
  readonly from: Instant;
  /** A gap that follows soon goes on with it. */
  to: Instant;
  /** What went on for too long excuses only what closes within a minute of it, and what follows it nothing. */
  excuses: "closed" | "nothing" | null;
}

export interface ExpectedAlert {
  /** Receivers that hear each edge do not get it, and people only when they are not told of the failure itself. */
  readonly isForPeople: boolean;
  /** Counts the monitor's incidents from 1. */
  readonly incident: number;
  readonly kind: AlertKind;
  readonly reason: Reason;
  readonly cause: Cause;
  readonly causes: readonly Cause[];
  readonly at: Instant;
  readonly openedAt: Instant;
  readonly recoveredAt: Instant | null;
  /** Of a recovery: how many slots closed unfilled. */
  readonly missedSlots: number | null;
  /** Of a recovery: how many closed in a gap. */
  readonly unheardSlots: number | null;
  readonly troubles: number;
  readonly failureMessage: string | null;
  readonly expectedAt: Instant | null;
  readonly lastPingAt: Instant | null;
  readonly runId: string | null;
}

/** Something that would have been trouble, had we been able to hear. */
export interface ExpectedUnknown {
  readonly gap: KnownGap | null;
  /** Gaps before it that leave it in doubt too. */
  readonly before: readonly KnownGap[];
  readonly slot: Instant | null;
  readonly run: KnownRun | null;
  readonly at: Instant;
}

export interface Report {
  readonly kind: ReportKind;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly message: string | null;
  /** What the report declares; null: nothing. */
  readonly terms: RuleTerms | null;
}

export interface MonitorRules {
  /** Everything that was due by then has been settled, by what was known. */
  look(at: Instant): void;
  report(report: Report, arrivedAt: Instant): void;
  /**
   * `repeats`: one like it was refused in this minute; then it counts for the slot it would fill and else for nothing.
   */
  refused(arrivedAt: Instant, repeats: boolean): void;
  /** The clock had been wrong, stored instants are pulled back. */
  pullBack(now: Instant, backMs: number): void;
  /** Whether a slot or a run that this gap touches is still to be judged, whether or not it is in doubt. */
  isOpenSince(gap: KnownGap): boolean;
  /** The newest instant at which anything changed. */
  newestAt(): Instant;
  /** Remembers how all stands; what it answers puts that back, as often as a backup is restored. */
  keep(): () => void;
}
