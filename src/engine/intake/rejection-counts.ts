// Counts refused reports that are alike (R33): of one application, monitor and reason. Each kind may be written once a
// minute. In memory and bounded; anything beyond the bounds is counted together.

import { MINUTE } from "../../domain/time.ts";
import type { CountedRejection, NewRejected } from "../../store/refused-reports.ts";
import type { Clock } from "../api.ts";

export type RejectionCounts = ReturnType<typeof createRejectionCounts>;

interface RejectionCount extends CountedRejection {
  newest: NewRejected;
  unwritten: number;
  /** When it was last written, on the monotonic clock. */
  triedAt: number;
  readonly bounded: readonly string[];
}

/**
 * How many kinds we count separately at a time, in all and per application; so many that began with a failure besides.
 */
const ENTRIES_MAX = 1_000;
const ENTRIES_OF_APPLICATION_MAX = 200;

export function createRejectionCounts(clock: Clock) {
  const entries = new Map<string, RejectionCount>();
  const sizes = new Map<string, number>();
  let beyond = 0;
  let beyondTakenAt = Number.NEGATIVE_INFINITY;

  const isMinuteAgo = (at: number): boolean => clock.monotonic() - at >= MINUTE;

  /** Counts one. Returns whether it may be written now. */
  function count(application: string, row: NewRejected): boolean {
    const id = idOf(row);
    const entry = entries.get(id) ?? admit(id, application, row);
    if (entry === null) {
      beyond++;
      return false;
    }
    entry.unwritten++;
    // A failure says most, even if another report with the same reason follows it.
    const kind = entry.unwritten > 1 && entry.newest.kind === "fail" ? "fail" : row.kind;
    const firstAt = entry.unwritten > 1 ? entry.newest.firstAt : row.firstAt;
    entry.newest = { ...row, kind, firstAt };
    return isMinuteAgo(entry.triedAt);
  }

  function admit(id: string, application: string, newest: NewRejected): RejectionCount | null {
    // Other reports, however many, must leave room for a failure: it is told to no one else.
    const group = newest.kind === "fail" ? "fail" : "other";
    const [all, ofThis] = [group, `${group}/${newest.applicationId}`];
    if (sizeOf(all) >= ENTRIES_MAX || sizeOf(ofThis) >= ENTRIES_OF_APPLICATION_MAX) return null;
    const entry = { application, newest, unwritten: 0, triedAt: Number.NEGATIVE_INFINITY, bounded: [all, ofThis] };
    entries.set(id, entry);
    for (const each of entry.bounded) sizes.set(each, sizeOf(each) + 1);
    return entry;
  }

  const sizeOf = (bound: string): number => sizes.get(bound) ?? 0;

  /** The counts to write now. We try each only once a minute, even if writing fails. */
  function takeDue(): readonly CountedRejection[] {
    const due = [...entries.values()].filter(({ unwritten, triedAt }) => unwritten > 0 && isMinuteAgo(triedAt));
    for (const entry of due) entry.triedAt = clock.monotonic();
    return due.map((entry) => ({ ...entry }));
  }

  /** Forgets those without a report for a minute: the next report is written at once. */
  function forgetQuiet(): void {
    for (const [id, { unwritten, triedAt, bounded }] of entries) {
      if (unwritten > 0 || !isMinuteAgo(triedAt)) continue;
      entries.delete(id);
      for (const each of bounded) sizes.set(each, sizeOf(each) - 1);
    }
  }

  /** How many went beyond the bounds and were not asked for yet; 0 for a minute after some were. */
  function takeBeyond(): number {
    if (beyond === 0 || !isMinuteAgo(beyondTakenAt)) return 0;
    const taken = beyond;
    beyond = 0;
    beyondTakenAt = clock.monotonic();
    return taken;
  }

  return {
    count,
    takeDue,
    written: (counted: readonly CountedRejection[]): void => {
      for (const { newest } of counted) entries.get(idOf(newest))!.unwritten = 0;
    },
    unwritten: () => [...entries.values()].filter(({ unwritten }) => unwritten > 0),
    forgetQuiet,
    takeBeyond,
  };
}

const idOf = ({ applicationId, monitorKey, code, field }: NewRejected): string =>
  JSON.stringify([applicationId, monitorKey, code, field]);
