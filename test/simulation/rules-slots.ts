// When reports of a monitor are expected: at the slots of a schedule (R17, R20, R26), or at least once in every so
// often (R44), each restated simply. For the verdict: imports nothing from the product.

import type { SlotList } from "./slot-list.ts";
import { DAY, type Instant, MINUTE } from "./units.ts";

/** What a monitor is told to expect; slots are the same when `name` is. */
export type Rhythm =
  | { readonly name: string; readonly slots: SlotList; readonly everyMs: null }
  | { readonly name: string; readonly slots: null; readonly everyMs: number };

/** What a report is: an end says that the job has run, and one that is not the end of a known run may be early. */
export interface Filling {
  readonly isEnd: boolean;
  readonly mayBeEarly: boolean;
}

export interface Expected {
  /** The first slot strictly after `at`. */
  after(at: Instant): Instant;
  /** From when a report may be for this slot. */
  opensAt(slot: Instant): Instant;
  /** When its report is likely; empty when nothing is known of that. */
  likelyAt(slot: Instant): readonly Instant[];
  /** How far apart the slots are between which this instant lies. */
  apartAt(at: Instant): number;
  /** From when a refused report is as good as one for this slot. */
  showsLifeFrom(slot: Instant): Instant;
  /** A report has come: up to when every slot is filled by it; null: it fills none. */
  filledBy(now: Instant, filling: Filling): Instant | null;
  /** A success has come of a run that began then. `lastEnd`: of the end before it; null: there was none. */
  succeeded(now: Instant, startedAt: Instant | null, lastEnd: Instant | null): void;
  /** An interval counts from here, though nothing was heard; a schedule stands still. */
  goOnFrom(from: Instant): void;
  /** A slot that has come due after the one that a run began for; null: none has. */
  dueSince(startedAt: Instant, at: Instant): Instant | null;
  /** How long a run that starts now may take, when nobody has said. */
  spanAt(at: Instant): number;
  /** See `MonitorRules.keep`. */
  keep(): () => void;
}

const EARLY_MOST = MINUTE;
/** R26: a report is likely within this of when it came the last time. */
export const AROUND = MINUTE;

export function slotsExpected(slots: SlotList): Expected {
  /** How long after their slots the last success came and its run began; empty when nothing is known. */
  let distances: readonly number[] = [];

  const toleranceBefore = (slot: Instant): number => Math.min(EARLY_MOST, (slot - slots.atOrBefore(slot - 1)) / 10);

  function isEarly(at: Instant): boolean {
    const next = slots.after(at);
    return next - at <= Math.min(EARLY_MOST, (next - slots.atOrBefore(at)) / 10);
  }

  /** The newest slot that a report at this time fills when it may be early (R20). */
  const reached = (at: Instant): Instant => (isEarly(at) ? slots.after(at) : slots.atOrBefore(at));

  const distanceOf = (at: Instant, mayBeEarly: boolean): number =>
    at - (mayBeEarly ? reached(at) : slots.atOrBefore(at));

  return {
    after: slots.after,
    opensAt: (slot) => slot - toleranceBefore(slot),
    likelyAt: (slot) => distances.map((distance) => slot + distance),
    apartAt: (at) => slots.after(at) - slots.atOrBefore(at),
    showsLifeFrom: (slot) => slot - toleranceBefore(slot),
    filledBy: (now, { mayBeEarly }) => (mayBeEarly && isEarly(now) ? slots.after(now) : now),
    succeeded: (now, startedAt) => {
      distances = [distanceOf(now, startedAt === null), ...(startedAt === null ? [] : [distanceOf(startedAt, true)])];
    },
    goOnFrom: () => {},
    dueSince: (startedAt, at) => (reached(at) > reached(startedAt) ? reached(at) : null),
    spanAt: (at) => Math.min(slots.after(at) - slots.atOrBefore(at), DAY),
    keep: () => {
      const kept = distances;
      return () => {
        distances = kept;
      };
    },
  };
}

/** The slots lie whole intervals after `from`, where the last end was, or what counts as one. */
export function intervalExpected(everyMs: number, from: Instant): Expected {
  let begunAt = from;
  /** How long after the end before it the last success came; null: nothing is known. */
  let usual: number | null = null;

  const tolerance = Math.min(EARLY_MOST, everyMs / 10);

  /** The report of a slot is likely as long after the slot before it as it came after the last end. */
  const likelyAt = (slot: Instant): Instant[] => (usual === null ? [] : [slot - everyMs + usual]);

  return {
    after: (at) => begunAt + Math.max(1, Math.floor((at - begunAt) / everyMs) + 1) * everyMs,
    // Deaf at any time since the last end where nothing is known; else when the report was likely, or later.
    opensAt: (slot) => {
      const sinceLast = slot - everyMs + 1;
      return Math.max(sinceLast, ...likelyAt(slot).map((likely) => Math.min(slot - tolerance, likely - AROUND)));
    },
    likelyAt,
    apartAt: () => everyMs,
    showsLifeFrom: (slot) => slot,
    filledBy: (now, { isEnd }) => {
      if (!isEnd) return null;
      begunAt = now;
      return now;
    },
    succeeded: (now, _startedAt, lastEnd) => {
      usual = lastEnd === null ? null : Math.max(0, now - lastEnd);
    },
    goOnFrom: (at) => {
      begunAt = at;
    },
    dueSince: (startedAt, at) => (at - startedAt >= everyMs ? at : null),
    spanAt: () => Math.min(everyMs, DAY),
    keep: () => {
      const kept = { begunAt, usual };
      return () => {
        ({ begunAt, usual } = kept);
      };
    },
  };
}
