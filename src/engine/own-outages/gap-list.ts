// The undecided gaps in memory, each with its number and the progress of the work on it. It knows no clock and no
// database.

import { UNKNOWN_NOTIFIED_WITHIN } from "../../domain/limits.ts";
import { extendedUntil, type FoundGap, joinedGaps, uncoveredParts } from "../../domain/monitor/gap.ts";
import type { Instant } from "../../domain/time.ts";

/**
 * One gap as it is now. When one of its ends changes, it is written, logged and searched again under the same number.
 */
export interface TrackedGap {
  readonly id: number;
  readonly gap: FoundGap;
  readonly isSaved: boolean;
  readonly isLogged: boolean;
  readonly search: "wanted" | "under way" | "done";
  /** As long as other monitors are in doubt, what the gap has left unknown is not told before this instant. */
  readonly tellAt: Instant;
}

export type GapList = ReturnType<typeof createGapList>;

export function createGapList() {
  let all: readonly TrackedGap[] = [];
  // The list is kept ready, because every ping asks for it.
  let gaps: readonly FoundGap[] = [];
  let lastId = 0;

  function keep(next: readonly TrackedGap[]): void {
    all = next;
    gaps = next.map(({ gap }) => gap);
  }

  /** Replaces or adds a gap. An unchanged gap keeps the record of the work done on it. */
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
    /** The gaps alone, disjoint and ascending, as the domain needs them. */
    gaps: () => gaps,
    /** Adds what no gap covers yet. It may extend the last gap. */
    add: (found: FoundGap): void => {
      for (const piece of uncoveredParts(gaps, found)) {
        const before = all.findLast(({ gap }) => gap.to < piece.from);
        replace(before, joinedGaps(before?.gap, piece));
      }
    },
    /** Extends the gap that ended at `end` to `to`, unless another gap lies between. */
    prolong: (end: Instant, to: Instant): void => {
      const ended = all.find(({ gap }) => gap.to === end);
      const isFree = gaps.every(({ from }) => from <= end || from > to);
      if (ended !== undefined && isFree) replace(ended, [extendedUntil(ended.gap, to)]);
    },
    mark: (change: (one: TrackedGap) => Partial<Omit<TrackedGap, "id" | "gap">>) =>
      keep(all.map((one) => ({ ...one, ...change(one) }))),
    forget: (ids: readonly number[]) => keep(all.filter(({ id }) => !ids.includes(id))),
    /** Removes everything after `at`, so that no gap lies there. */
    cut: (at: Instant) =>
      keep(
        all
          .filter(({ gap }) => gap.from <= at)
          .map((one) => ({ ...one, gap: endedBy(one.gap, at) }))
          .map((one) => ({ ...one, search: "wanted" as const, tellAt: firstNoticeAt(one.gap) })),
      ),
  };
}

/** When the first notice of a gap is due: nothing can be judged before its end. */
const firstNoticeAt = ({ to }: FoundGap): Instant => to + UNKNOWN_NOTIFIED_WITHIN;

const endedBy = (gap: FoundGap, at: Instant): FoundGap => ({
  ...gap,
  to: Math.min(gap.to, at),
  silentTo: Math.min(gap.silentTo, at),
});
