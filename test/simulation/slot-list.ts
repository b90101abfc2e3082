// The slots of a schedule by the letter of R17: every wall-clock minute the expression names, where the zone shows it,
// the first time it does. Walks day by day; imports nothing of the product.

import type { Crontab } from "./crontab.ts";
import { DAY, type Instant, MINUTE } from "./units.ts";
import type { Zone } from "./zone.ts";

export interface SlotList {
  /** The first slot strictly after `at`; Infinity when there is none within ten years. */
  after(at: Instant): Instant;
  /** The last slot at or before `at`; -Infinity likewise. */
  atOrBefore(at: Instant): Instant;
}

const DAYS_WALKED = 10 * 366;
const DAYS_KEPT = 6;

export function slotList(crontab: Crontab, zone: Zone): SlotList {
  const kept = new Map<number, readonly Instant[]>();

  function slotsOfDay(day: number): readonly Instant[] {
    const known = kept.get(day);
    if (known !== undefined) return known;
    const walls = crontab.minutes.map((minute) => day * DAY + minute * MINUTE);
    const slots = zone.isQuiet(day)
      ? walls.map((wall) => wall - zone.offsetAt(day * DAY))
      : walls.flatMap((wall) => zone.showing(wall).slice(0, 1));
    if (kept.size === DAYS_KEPT) kept.delete(kept.keys().next().value!);
    kept.set(day, slots);
    return slots;
  }

  const localDay = (at: Instant): number => Math.floor((at + zone.offsetAt(at)) / DAY);

  function after(at: Instant): Instant {
    const today = localDay(at);
    for (let day = today - 1; day < today + DAYS_WALKED; day++) {
      if (!crontab.matchesDay(day)) continue;
      const slots = slotsOfDay(day);
      const place = countUpTo(slots, at);
      if (place < slots.length) return slots[place]!;
    }
    return Number.POSITIVE_INFINITY;
  }

  function atOrBefore(at: Instant): Instant {
    const today = localDay(at);
    for (let day = today + 1; day > today - DAYS_WALKED; day--) {
      if (!crontab.matchesDay(day)) continue;
      const slots = slotsOfDay(day);
      const place = countUpTo(slots, at);
      if (place > 0) return slots[place - 1]!;
    }
    return Number.NEGATIVE_INFINITY;
  }

  return { after, atOrBefore };
}

/** How many of these ascending instants are at or before `at`. */
function countUpTo(instants: readonly Instant[], at: Instant): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instants[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
