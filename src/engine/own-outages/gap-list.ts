// The undecided gaps in memory, each with its number and the work done about it. Knows no clock and no database.

import { UNKNOWN_NOTIFIED_WITHIN } from "../../domain/limits.ts";
import { extendedUntil, type FoundGap, joinedGaps, uncoveredParts } from "../../domain/monitor/gap.ts";
import type { Instant } from "../../domain/time.ts";

/** One gap as it is now. If either end changes, it is written, logged and searched again under the same number. */
export interface TrackedGap {
  readonly id: number;
  readonly gap: FoundGap;
  readonly isSaved: boolean;
  readonly isLogged: boolean;
  readonly search: "wanted" | "under way" | "done";
  /** Not before that need we tell what it has left unknown so far, while other monitors are in doubt. */
  readonly tellAt: Instant;
}

export type GapList = ReturnType<typeof createGapList>;

export function createGapList() {
  let all: readonly TrackedGap[] = [];
  // Every ping asks for it.
  let gaps: readonly FoundGap[] = [];
  let lastId = 0;

  function keep(next: readonly TrackedGap[]): void {
    all = next;
    gaps = next.map(({ gap }) => gap);
  }

  /** Replaces or adds a gap; an unchanged gap keeps the record of the work done about it. */
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
    /** The gaps alone, disjoint and ascending, as the domain wants them. */
    gaps: () => gaps,
    /** Adds what no gap covers yet; it may extend the last gap. */
    add: (found: FoundGap): void => {
      for (const piece of uncoveredParts(gaps, found)) {
        const before = all.findLast(({ gap }) => gap.to < piece.from);
        replace(before, joinedGaps(before?.gap, piece));
      }
    },
    /** What came until `to` belongs to the gap that ended at `end`, unless another gap lies between. */
    prolong: (end: Instant, to: Instant): void => {
      const ended = all.find(({ gap }) => gap.to === end);
      const isFree = gaps.every(({ from }) => from <= end || from > to);
      if (ended !== undefined && isFree) replace(ended, [extendedUntil(ended.gap, to)]);
    },
    mark: (change: (one: TrackedGap) => Partial<Omit<TrackedGap, "id" | "gap">>) =>
      keep(all.map((one) => ({ ...one, ...change(one) }))),
    forget: (ids: readonly number[]) => keep(all.filter(({ id }) => !ids.includes(id))),
    /** No gap lies after `at`. */
    cut: (at: Instant) =>
      keep(
        all
          .filter(({ gap }) => gap.from <= at)
          .map((one) => ({ ...one, gap: endedBy(one.gap, at) }))
          .map((one) => ({ ...one, search: "wanted" as const, tellAt: firstNoticeAt(one.gap) })),
      ),
  };
}

/** It has judged nothing before it is over. */
const firstNoticeAt = ({ to }: FoundGap): Instant => to + UNKNOWN_NOTIFIED_WITHIN;

const endedBy = (gap: FoundGap, at: Instant): FoundGap => ({
  ...gap,
  to: Math.min(gap.to, at),
  silentTo: Math.min(gap.silentTo, at),
});
