// Gaps: spans in which a report could have been lost through us (R26). How a look at the clocks finds one, and how they
// are kept apart. Pure; who looks, and when, is the engine's business.

import { RETRY_AFTER_GAP } from "./limits.ts";
import type { Gap } from "./monitor.ts";
import { type Instant, MINUTE, SECOND } from "./time.ts";

/** Why nothing could be heard: the process was not there, stood still, its clock was moved on, or nothing could be stored. */
export type GapReason = "stopped" | "stalled" | "clock" | "storage";

export interface FoundGap extends Gap {
  readonly reason: GapReason;
}

/** What both clocks said at one moment; `monotonic` in milliseconds, it never steps back and says nothing of the date. */
export interface Look {
  readonly at: Instant;
  readonly monotonic: number;
}

/** R26: a stall, a suspension or a jump of the clock up to this long is none. */
const GAP_MIN = 5 * SECOND;

/**
 * The gap between two looks, the later one at the present moment; null when we heard all the time. It begins after the
 * earlier look, since what was due by then has been judged without it. A clock that was set back makes no gap by itself.
 */
export function gapBetween(last: Look, now: Look): FoundGap | null {
  const passed = now.monotonic - last.monotonic;
  const jumped = now.at - last.at - passed;
  if (passed <= GAP_MIN && jumped <= GAP_MIN) return null;
  const reason = passed > GAP_MIN ? "stalled" : "clock";
  if (jumped >= -GAP_MIN) return { from: last.at + 1, to: now.at, reason };
  // The clock was set back meanwhile: both of its dates for the span are in doubt.
  return { from: Math.min(last.at + 1, Math.floor(now.at - passed) + 1), to: Math.max(now.at, last.at), reason };
}

/** The gap from the last instant at which the process before this one was known to hear, until now; null: no time passed. */
export function gapSince(lastAliveAt: Instant, now: Instant): FoundGap | null {
  if (now === lastAliveAt) return null;
  return { from: Math.min(lastAliveAt + 1, now), to: Math.max(lastAliveAt, now), reason: "stopped" };
}

/** Beyond this length gaps are no longer joined: silence must not be excused for as long as we fail now and then. */
const JOINED_MAX = 15 * MINUTE;

/**
 * Whether `later` goes on with `gap`: it begins before clients had time to retry, so for them it is the same one. A disk that
 * is nearly full or a process that crashes over and over would else have used up the one excuse of a slot in seconds.
 */
export const goesOn = (gap: Gap, later: Gap): boolean =>
  later.from > gap.to && later.from - gap.to <= RETRY_AFTER_GAP && later.to - gap.from <= JOINED_MAX;

/** What of `gap` no earlier gap covers, ascending: the core wants gaps that do not overlap. `gaps`: disjoint, ascending. */
export function uncovered(gaps: readonly Gap[], gap: FoundGap): FoundGap[] {
  const pieces: FoundGap[] = [];
  let from = gap.from;
  for (const known of gaps) {
    if (known.to < from) continue;
    if (known.from > gap.to) break;
    if (known.from > from) pieces.push({ ...gap, from, to: known.from - 1 });
    from = known.to + 1;
  }
  if (from <= gap.to) pieces.push({ ...gap, from });
  return pieces;
}
