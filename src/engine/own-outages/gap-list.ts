// Keeps in memory the gaps with monitors still to be judged. Each has its number, and what was done for it: whether it
// was stored and logged, and how far the search for its monitors is. This file reads no clock and no database.

import { UNKNOWN_NOTIFIED_WITHIN } from "../../domain/limits.ts";
import { extendedUntil, type FoundGap, joinedGaps, uncoveredParts } from "../../domain/monitor/gap.ts";
import type { Instant } from "../../domain/time.ts";

/**
 * One gap in which rollcall could not hear, and what was done for it. If its end changes later, it keeps its number. It
 * is then stored and logged again, and `clock/doubts.ts` searches again for the monitors that it leaves in doubt.
 */
export interface TrackedGap {
  readonly id: number;
  readonly gap: FoundGap;
  readonly isSaved: boolean;
  readonly isLogged: boolean;
  readonly search: "wanted" | "under way" | "done";
  /**
   * The notice about the slots and runs that the gap left unknown waits until no monitor is in doubt any more, but not
   * longer than until this instant.
   */
  readonly tellAt: Instant;
}

export type GapList = ReturnType<typeof createGapList>;

export function createGapList() {
  let all: readonly TrackedGap[] = [];
  // The gaps of `all` without their ids and notices. They are computed when `all` changes, because every report asks
  // for them.
  let gaps: readonly FoundGap[] = [];
  let lastId = 0;

  function keep(next: readonly TrackedGap[]): void {
    all = next;
    gaps = next.map(({ gap }) => gap);
  }

  /**
   * Puts the gaps of `by` in place of `old`; only adds them when `old` is undefined. A gap that did not change keeps
   * its entry, so it is not stored, logged or searched for again.
   */
  function replace(old: TrackedGap | undefined, by: readonly FoundGap[]): void {
    const next = by.map((gap): TrackedGap => {
      if (gap === old?.gap) return old;
      const id = gap.from === old?.gap.from ? old.id : ++lastId;
      return { id, gap, isSaved: false, isLogged: false, search: "wanted", tellAt: firstNoticeAt(gap) };
    });
    keep([...all.filter((one) => one !== old), ...next].sort((a, b) => a.gap.from - b.gap.from));
  }

  return {
    load: (stored: readonly Pick<TrackedGap, "id" | "gap">[], last: number): void => {
      lastId = last;
      keep(
        stored.map((row) => ({
          ...row,
          isSaved: true,
          isLogged: true,
          search: "wanted",
          tellAt: firstNoticeAt(row.gap),
        })),
      );
    },
    tracked: () => all,
    /** The gaps, from the earliest to the latest; no two overlap. */
    gaps: () => gaps,
    /** Adds the parts of a gap that no other gap covers. A part close behind an earlier gap extends that gap. */
    add: (found: FoundGap): void => {
      for (const piece of uncoveredParts(gaps, found)) {
        const before = all.findLast(({ gap }) => gap.to < piece.from);
        replace(before, joinedGaps(before?.gap, piece));
      }
    },
    /** Extends the gap that ended at `end` until `to`. Does nothing when another gap lies between the two. */
    prolong: (end: Instant, to: Instant): void => {
      const ended = all.find(({ gap }) => gap.to === end);
      const isFree = gaps.every(({ from }) => from <= end || from > to);
      if (ended !== undefined && isFree) replace(ended, [extendedUntil(ended.gap, to)]);
    },
    mark: (change: (one: TrackedGap) => Partial<Omit<TrackedGap, "id" | "gap">>) =>
      keep(all.map((one) => ({ ...one, ...change(one) }))),
    forget: (ids: readonly number[]) => keep(all.filter(({ id }) => !ids.includes(id))),
    /** Removes all gaps after `at`, and ends a gap at `at` that goes beyond it. */
    cut: (at: Instant) =>
      keep(
        all
          .filter(({ gap }) => gap.from <= at)
          .map((one) => ({ ...one, gap: endedBy(one.gap, at) }))
          .map((one) => ({ ...one, search: "wanted" as const, tellAt: firstNoticeAt(one.gap) })),
      ),
  };
}

/**
 * Returns when the first notice about a gap is due. The wait counts from the end of the gap, because no monitor is
 * judged by the gap before it has ended.
 */
const firstNoticeAt = ({ to }: FoundGap): Instant => to + UNKNOWN_NOTIFIED_WITHIN;

const endedBy = (gap: FoundGap, at: Instant): FoundGap => ({
  ...gap,
  to: Math.min(gap.to, at),
  silentTo: Math.min(gap.silentTo, at),
});
