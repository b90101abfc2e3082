// The window of a slot: from when a report fills it, and until when we wait for one (R20). Pure.

import { EARLY_MAX, LIKELY_WITHIN, TRANSIT } from "../limits.ts";
import { intervalOf } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import type { Monitor, Watch } from "./monitor.ts";

/** Both ends belong to it. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** How long after a slot it closes: the grace, plus the time a request may take to arrive (R20). */
export const closingDelay = (watch: Pick<Watch, "graceSeconds">): number => watch.graceSeconds * SECOND + TRANSIT;

/** How early a report may come and still fill the slot that ends `around` (R20). */
export function earlyTolerance({ before, after }: SlotsAround): number {
  if (before === null || after === null) return EARLY_MAX;
  return Math.min(EARLY_MAX, (after - before) / 10);
}

/**
 * From when the report of a slot may come until it closes. There must be slots. Any report fills the slot of an interval; its
 * own is likely to come as long after the last one as that came after the one before, or any time when we do not know (R44).
 */
export function windowOf({ watch, lastSuccess }: Windowed, slot: Instant): Span {
  const to = slot + closingDelay(watch);
  const interval = intervalOf(watch);
  if (interval === null) {
    return { from: slot - earlyTolerance(slotsAround(watch.schedule!, watch.timezone, slot - 1)), to };
  }
  // What comes at the last end or before it fills nothing.
  const earliest = slot - interval + 1;
  if (lastSuccess === null) return { from: earliest, to };
  const early = Math.max(Math.min(EARLY_MAX, interval / 10), LIKELY_WITHIN - lastSuccess.afterSlotMs);
  return { from: Math.max(earliest, slot - early), to };
}

type Windowed = Pick<Monitor, "watch" | "lastSuccess">;

/** No window of the slot begins earlier: an instant that is cheaper to know than the window. */
export const earliestWindow = (watch: Watch, slot: Instant): Instant => slot - (intervalOf(watch) ?? EARLY_MAX);
