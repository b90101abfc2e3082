// Computes the slots of a cron expression in a time zone, as instants. A time that a clock change skips is no slot. But
// a maintenance window that was to begin at that time begins at the change. Of a time that is shown twice only the
// first counts (R17). Pure.

import { type BoundedMap, boundedMap } from "../maps.ts";
import type { Instant } from "../time.ts";
import { countWallSlots, haveSameWallSlots, wallSlotAfter, wallSlotAtOrBefore } from "./wall-slots.ts";
import { offsetPeriodAt, zoneGeneration } from "./zone.ts";

/** The last slot at or before an instant, and the first slot after it; `null` where there is none. */
export type SlotsAround = Readonly<{ before: Instant | null; after: Instant | null }>;

/** Slots are computed from EARLIEST on and before LATEST. A search from any other instant finds none. */
const EARLIEST: Instant = Date.UTC(1800, 0, 1);
const LATEST: Instant = Date.UTC(2999, 0, 1);
const NOTHING: SlotsAround = { before: null, after: null };

/** A time that a clock change skips is `left out` (no slot), or `moved`: it counts at the change (R17). */
type Skipped = "left out" | "moved";

/**
 * Remembers the last result for each schedule and zone, because the same slots are asked for again and again. Results
 * of `nextSlot` are kept apart from the others, because their `before` is the instant that was asked for, which is
 * seldom a slot.
 */
type Memo = BoundedMap<BoundedMap<SlotsAround>>;
const emptyMemos = (): Record<Skipped | "next", Memo> => ({
  "left out": boundedMap(10_000),
  moved: boundedMap(1_000),
  next: boundedMap(10_000),
});
let memos = emptyMemos();
/** The value of `zoneGeneration` when the remembered slots were computed. Under other zone rules they are wrong. */
let memosFor = zoneGeneration;
const ZONES_PER_SCHEDULE = 64;

/** The slots around an instant. `checkSchedule` must have accepted the schedule, and `isTimezone` the zone. */
export const slotsAround = (schedule: string, timezone: string, at: Instant): SlotsAround =>
  search(schedule, timezone, at, "left out");

/** Like `slotsAround`, for maintenance windows: a window whose time a clock change skips begins at the change (R17). */
export const startsAround = (schedule: string, timezone: string, at: Instant): SlotsAround =>
  search(schedule, timezone, at, "moved");

/** The first slot after an instant; `null` when there is none before the year 3000. */
export function nextSlot(schedule: string, timezone: string, after: Instant): Instant | null {
  if (!isSearched(after)) return null;
  const known = rememberedAfter(schedule, timezone, after);
  if (known !== undefined) return known;
  const slot = slotAfter(schedule, timezone, after, "left out");
  remember(memoOf("next"), schedule, timezone, { before: after, after: slot });
  return slot;
}

/**
 * How many slots lie after `after` and up to `until`. It computes the number from the fields and visits no slot, so ten
 * years of a slot each second take under a millisecond.
 */
export function countSlots(schedule: string, timezone: string, after: Instant, until: Instant): number {
  const last = Math.min(until, LATEST);
  // A shortcut for the usual call: at most one slot lies in the span, and a search just before has remembered it.
  const first = rememberedAfter(schedule, timezone, after);
  if (first === null || (first !== undefined && first > last)) return 0;
  const second = first === undefined ? undefined : rememberedAfter(schedule, timezone, first);
  if (second === null || (second !== undefined && second > last)) return 1;
  let from = Math.max(after + 1, EARLIEST);
  let count = 0;
  while (from <= last) {
    const period = offsetPeriodAt(timezone, from);
    const end = Math.min(last + 1, period.until);
    const fresh = Math.max(from + period.offset, period.freshFrom);
    count += countWallSlots(schedule, fresh, end + period.offset);
    from = end;
  }
  return count;
}

type Scheduled = Readonly<{ schedule: string | null; timezone: string }>;

/** Whether both have the same slots: the same zone, and fields that mean the same however they are spelled (R12). */
export function isSameSchedule(one: Scheduled, other: Scheduled): boolean {
  if (one.schedule === null || other.schedule === null) return one.schedule === other.schedule;
  return one.timezone === other.timezone && haveSameWallSlots(one.schedule, other.schedule);
}

function search(schedule: string, timezone: string, at: Instant, skipped: Skipped): SlotsAround {
  if (!isSearched(at)) return NOTHING;
  const memo = memoOf(skipped);
  const known = remembered(memo, schedule, timezone, at);
  if (known !== undefined) return known;

  const around = {
    before: slotAtOrBefore(schedule, timezone, at, skipped),
    after: slotAfter(schedule, timezone, at, skipped),
  };
  remember(memo, schedule, timezone, around);
  return around;
}

function slotAfter(schedule: string, timezone: string, after: Instant, skipped: Skipped): Instant | null {
  let period = offsetPeriodAt(timezone, after);
  let wall = wallSlotAfter(schedule, Math.max(after + period.offset, period.freshFrom - 1));
  while (wall !== null && wall >= period.until + period.offset) {
    period = offsetPeriodAt(timezone, period.until);
    if (wall >= period.freshFrom) continue;
    // A clock change jumps over the wall time of this slot.
    if (skipped === "moved") return period.from;
    wall = wallSlotAfter(schedule, period.freshFrom - 1);
  }
  return wall === null ? null : wall - period.offset;
}

function slotAtOrBefore(schedule: string, timezone: string, at: Instant, skipped: Skipped): Instant | null {
  let period = offsetPeriodAt(timezone, at);
  // When a clock change shows an hour twice, its slots count only the first time. For example, when it is 02:10 for the
  // second time, the slot of 02:30 is over.
  let wall = wallSlotAtOrBefore(schedule, Math.max(at + period.offset, period.freshFrom - 1));
  while (wall !== null && wall < period.freshFrom) {
    const change = period.from;
    period = offsetPeriodAt(timezone, change - 1);
    const shown = change + period.offset;
    if (wall < shown) continue;
    if (skipped === "moved") return change;
    wall = wallSlotAtOrBefore(schedule, shown - 1);
  }
  return wall === null ? null : wall - period.offset;
}

function memoOf(which: Skipped | "next"): Memo {
  if (memosFor !== zoneGeneration) {
    memos = emptyMemos();
    memosFor = zoneGeneration;
  }
  return memos[which];
}

const isSearched = (at: Instant): boolean => at >= EARLIEST && at < LATEST;

/**
 * The first slot after `after`, as an earlier search found it: `null` if there is none; undefined if no search is
 * remembered.
 */
function rememberedAfter(schedule: string, timezone: string, after: Instant): Instant | null | undefined {
  const known =
    remembered(memoOf("left out"), schedule, timezone, after) ?? remembered(memoOf("next"), schedule, timezone, after);
  return known?.after;
}

function remembered(memo: Memo, schedule: string, timezone: string, at: Instant): SlotsAround | undefined {
  const around = memo.get(schedule)?.get(timezone);
  if (around === undefined) return undefined;
  if (around.before !== null && at < around.before) return undefined;
  if (around.after !== null && at >= around.after) return undefined;
  return around;
}

function remember(memo: Memo, schedule: string, timezone: string, around: SlotsAround): void {
  let zones = memo.get(schedule);
  if (zones === undefined) {
    zones = boundedMap<SlotsAround>(ZONES_PER_SCHEDULE);
    memo.set(schedule, zones);
  }
  zones.set(timezone, around);
}
