// The window of a slot: from when a report fills it, and until when we wait for one (R20). Pure.

import { EARLY_MAX, TRANSIT } from "../limits.ts";
import { type Around, slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import type { Watch } from "./monitor.ts";

/** Both ends belong to it. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** How long after a slot it closes: the grace, plus the time a request may take to arrive (R20). */
export const closingDelay = (watch: Pick<Watch, "graceSeconds">): number => watch.graceSeconds * SECOND + TRANSIT;

/** How early a report may come and still fill the slot that ends `around` (R20). */
export function earlyTolerance({ before, after }: Around): number {
  if (before === null || after === null) return EARLY_MAX;
  return Math.min(EARLY_MAX, (after - before) / 10);
}

/** From when a report would fill the slot until it closes. There must be a schedule. */
export const windowOf = (watch: Watch, slot: Instant): Span => ({
  from: slot - earlyTolerance(slotsAround(watch.schedule!, watch.timezone, slot - 1)),
  to: slot + closingDelay(watch),
});
