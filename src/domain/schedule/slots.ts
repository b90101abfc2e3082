// The slots of a schedule in a zone, as instants: those around a time, the next one, and how many there are. A wall
// time that the zone skips is not a slot, but a maintenance window begins there; a wall time that occurs twice counts
// only the first time (R17). Reads no clock.

import { type BoundedMap, boundedMap } from "../maps.ts";
import type { Instant } from "../time.ts";
import { countWallSlots, haveSameWallSlots, wallSlotAfter, wallSlotAtOrBefore } from "./wall-slots.ts";
import { offsetPeriodAt, zoneGeneration } from "./zone.ts";

/** The two slots around a time: the last one at or before it, and the first one strictly after it. */
export type SlotsAround = Readonly<{ before: Instant | null; after: Instant | null }>;

/** The earliest and the latest instant between which slots are searched. */
const EARLIEST: Instant = Date.UTC(1800, 0, 1);
const LATEST: Instant = Date.UTC(2999, 0, 1);
const NOTHING: SlotsAround = { before: null, after: null };

/**
 * How a wall time that the zone skips is treated: it is left out, or moved to the first instant after the change (R17).
 */
type Skipped = "left out" | "moved";

/**
 * The last result for each schedule and zone. The results in `next` are those of `nextSlot`: there `before` is the
 * instant that was asked for, and mostly no slot. A result that the limit removes is searched again.
 */
type Memo = BoundedMap<BoundedMap<SlotsAround>>;
const emptyMemos = (): Record<Skipped | "next", Memo> => ({
  "left out": boundedMap(10_000),
  moved: boundedMap(1_000),
  next: boundedMap(10_000),
});
let memos = emptyMemos();
/** The generation of zone rules by which the results were computed. */
let memosFor = zoneGeneration;
const ZONES_PER_SCHEDULE = 64;

/**
 * The slots around an instant. The last result for a schedule and zone is reused while the instant lies in it, which
 * takes about 20 ns. `checkSchedule` and `isTimezone` must have accepted both.
 */
export const slotsAround = (schedule: string, timezone: string, at: Instant): SlotsAround =>
  search(schedule, timezone, at, "left out");

/** Like `slotsAround`, but a skipped time begins at the first instant after it, for maintenance windows (R17). */
export const startsAround = (schedule: string, timezone: string, at: Instant): SlotsAround =>
  search(schedule, timezone, at, "moved");

/** The first slot strictly after an instant; `null` when there is none before the year 3000. Never throws. */
export function nextSlot(schedule: string, timezone: string, after: Instant): Instant | null {
  if (!isSearched(after)) return null;
  const known = rememberedAfter(schedule, timezone, after);
  if (known !== undefined) return known;
  const slot = slotAfter(schedule, timezone, after, "left out");
  remember(memoOf("next"), schedule, timezone, { before: after, after: slot });
  return slot;
}

/**
 * How many slots lie in (after, until]; 0 when `until` is not later. The number is computed from the fields for each
 * period of the zone, without visiting each slot: ten years of a slot every second take under a millisecond.
 */
export function countSlots(schedule: string, timezone: string, after: Instant, until: Instant): number {
  const last = Math.min(until, LATEST);
  // Slots are usually counted just after a search nearby, and mostly there is at most one.
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

/** The settings that determine the slots. Without a schedule there are none. */
type Scheduled = Readonly<{ schedule: string | null; timezone: string }>;

/** Whether both are the same schedule: the same fields in the same zone, in any spelling (R12). */
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
    // A clock change skips this wall time.
    if (skipped === "moved") return period.from;
    wall = wallSlotAfter(schedule, period.freshFrom - 1);
  }
  return wall === null ? null : wall - period.offset;
}

function slotAtOrBefore(schedule: string, timezone: string, at: Instant, skipped: Skipped): Instant | null {
  let period = offsetPeriodAt(timezone, at);
  // In a repeated hour, every wall time of the first pass counts, even one that is still to come in the second pass.
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

/** The next slot from an earlier search; undefined when there is no such result. */
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
