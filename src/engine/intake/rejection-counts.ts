// Counts refused reports that are alike (R33): of one application, monitor and reason. Each kind may be written once a
// minute. In memory and bounded; anything beyond the bounds is counted together.

import { MINUTE } from "../../domain/time.ts";
import type { NewRejected } from "../../store/rejected-reports.ts";
import type { Clock } from "../api.ts";

/** Reports that are alike. */
export interface CountedRejection {
  readonly application: string;
  /** The newest report; it stands for all since the last write. */
  readonly newest: NewRejected;
  readonly unwritten: number;
}

export interface RejectionCounts {
  /** Counts one. Returns whether it may be written now. */
  count(application: string, row: NewRejected): boolean;
  /** The counts to write now. We try each only once a minute, even if writing fails. */
  takeDue(): readonly CountedRejection[];
  written(counted: readonly CountedRejection[]): void;
  /** Forgets those without a report for a minute: the next report is written at once. */
  forgetQuiet(): void;
  /** How many went beyond the bounds and were not asked for yet; 0 for a minute after some were. */
  takeBeyond(): number;
}

interface Entry extends CountedRejection {
  newest: NewRejected;
  unwritten: number;
  /** When it was last written, on the monotonic clock. */
  triedAt: number;
}

/** How many kinds we count separately at a time, in all and per application. */
const ENTRIES_MAX = 1_000;
const ENTRIES_OF_APPLICATION_MAX = 200;

export function createRejectionCounts(clock: Clock): RejectionCounts {
  const entries = new Map<string, Entry>();
  const ofApplication = new Map<number, number>();
  let beyond = 0;
  let beyondTakenAt = Number.NEGATIVE_INFINITY;

  const isMinuteAgo = (at: number): boolean => clock.monotonic() - at >= MINUTE;

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
    entry.newest = { ...row, kind };
    return isMinuteAgo(entry.triedAt);
  }

  /** Null: there are too many. */
  function admit(id: string, application: string, newest: NewRejected): Entry | null {
    const { applicationId } = newest;
    const ofThis = ofApplication.get(applicationId) ?? 0;
    if (entries.size >= ENTRIES_MAX || ofThis >= ENTRIES_OF_APPLICATION_MAX) return null;
    const entry = { application, newest, unwritten: 0, triedAt: Number.NEGATIVE_INFINITY };
    entries.set(id, entry);
    ofApplication.set(applicationId, ofThis + 1);
    return entry;
  }

  function takeDue(): readonly CountedRejection[] {
    const due = [...entries.values()].filter(({ unwritten, triedAt }) => unwritten > 0 && isMinuteAgo(triedAt));
    for (const entry of due) entry.triedAt = clock.monotonic();
    return due.map((entry) => ({ ...entry }));
  }

  function forgetQuiet(): void {
    for (const [id, { unwritten, triedAt, newest }] of entries) {
      if (unwritten > 0 || !isMinuteAgo(triedAt)) continue;
      entries.delete(id);
      ofApplication.set(newest.applicationId, ofApplication.get(newest.applicationId)! - 1);
    }
  }

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
    written: (counted) => {
      for (const { newest } of counted) entries.get(idOf(newest))!.unwritten = 0;
    },
    forgetQuiet,
    takeBeyond,
  };
}

const idOf = ({ applicationId, monitorKey, code, field }: NewRejected): string =>
  JSON.stringify([applicationId, monitorKey, code, field]);
