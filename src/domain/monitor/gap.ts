// A gap is a time in which a report could have been lost, because rollcall could not hear (R26). This file finds gaps
// by comparing two readings of the clocks, and joins outages that follow each other into one gap. Pure.

import { RETRY_AFTER_GAP, SHORT_GAP } from "../limits.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { Gap } from "./monitor.ts";

/**
 * Why reports could be lost. `stopped`: the process did not run. `stalled`: it stood still. `clock`: the clock was
 * moved forward. `storage`: nothing could be stored. `restored`: a backup was restored, which lacks later reports.
 * `several`: the gap joins outages with different reasons.
 */
export type GapReason = "stopped" | "stalled" | "clock" | "storage" | "restored" | "several";

export interface FoundGap extends Gap {
  readonly reason: GapReason;
  /** How many outages the gap joins. Between two of them rollcall may have heard for a short time. */
  readonly outages: number;
  /** How long the outages lasted together, in milliseconds. */
  readonly silentMs: number;
  /** When the last outage ended; `to` may be seconds later, because requests that waited are still arriving then. */
  readonly silentTo: Instant;
  /** An outage that begins by this instant becomes part of this gap. */
  readonly joinsUntil: Instant;
  /** When the newest outage of the gap began; absent when the gap is a single outage, or was read from the database. */
  readonly lastFrom?: Instant;
}

/**
 * How long after the end of its first outage a gap takes in further outages, in milliseconds. The gap must be told
 * within 15 minutes. The other two minutes are for the last outage, and for clients to retry.
 */
const JOINS_FOR = 13 * MINUTE;

export const oneGap = (from: Instant, to: Instant, reason: GapReason): FoundGap => ({
  from,
  to,
  reason,
  outages: 1,
  silentMs: to - from + 1,
  silentTo: to,
  joinsUntil: to + JOINS_FOR,
});

/** Both clocks, read at one moment. `monotonic` counts milliseconds; it is never set, and knows no date. */
export type ClockLook = Readonly<{ at: Instant; monotonic: number }>;

/** If the process stands still, or its clock jumps, for at most this many milliseconds, that is no gap (R26). */
const GAP_MIN = 5 * SECOND;

/**
 * The gap between two readings of the clocks; `null` when rollcall heard all the time. The gap begins just after the
 * earlier reading, because what was due by then has been judged. A clock that was set back makes no gap by itself.
 */
export function gapBetween(last: ClockLook, now: ClockLook): FoundGap | null {
  const passed = now.monotonic - last.monotonic;
  const jumped = now.at - last.at - passed;
  if (passed <= GAP_MIN && jumped <= GAP_MIN) return null;
  const reason = passed > GAP_MIN ? "stalled" : "clock";
  if (jumped >= -GAP_MIN) return oneGap(last.at + 1, now.at, reason);
  // The process stood still for `passed` milliseconds, and meanwhile the clock was set back. The gap begins `passed`
  // milliseconds ago by the new clock. It ends at `last.at` or `now.at`, whichever is later.
  return oneGap(Math.min(last.at + 1, Math.floor(now.at - passed) + 1), Math.max(now.at, last.at), reason);
}

/** The gap from `lastAliveAt`, when the earlier process surely ran, until now; `null` when no time has passed. */
export function gapSince(lastAliveAt: Instant, now: Instant, reason: "stopped" | "restored"): FoundGap | null {
  if (now === lastAliveAt) return null;
  return oneGap(Math.min(lastAliveAt + 1, now), Math.max(lastAliveAt, now), reason);
}

/**
 * Makes the outage `piece` a part of the last gap, or keeps both apart. An outage that begins within a minute after the
 * gap belongs to the gap, because clients had no time to retry. But a process that stops and starts again and again
 * must not excuse silence for ever. So a gap takes in outages for about a quarter of an hour only. Then its `excuses`
 * becomes `closed`, and short outages that follow are a gap that excuses `nothing` (R26).
 */
export function joinedGaps(before: FoundGap | undefined, piece: FoundGap): readonly FoundGap[] {
  if (before === undefined) return [piece];
  if (piece.from === before.to + 1 && !isOfAnEarlierProcess(piece)) return [prolonged(before, piece)];
  const follows = piece.from > before.to && piece.from - before.to < RETRY_AFTER_GAP;
  const isShort = piece.to - piece.from <= SHORT_GAP;
  if (!follows) return [before, piece];
  if (before.excuses === "nothing") return isShort ? [mergedGap(before, piece)] : [before, piece];
  if (piece.from <= before.joinsUntil) return [mergedGap(before, piece)];
  // This outage is long, or the gap before it is a single outage. So this outage begins a new gap, which excuses
  // silence as well: a job that reported in this outage must raise no alarm.
  if (before.outages === 1 || !isShort) return [before, piece];
  return [
    { ...before, excuses: "closed" },
    { ...piece, excuses: "nothing" },
  ];
}

/** Whether the outage was before this process began. It then counts as another outage, even right after the gap. */
const isOfAnEarlierProcess = ({ reason }: FoundGap): boolean => reason === "stopped" || reason === "restored";

function prolonged(gap: FoundGap, { from, to, silentMs }: FoundGap): FoundGap {
  const longer = { ...gap, to, silentTo: to, silentMs: gap.silentMs + silentMs };
  if (gap.outages === 1) return { ...longer, joinsUntil: to + JOINS_FOR };
  const lastFrom = gap.lastFrom ?? from;
  return { ...longer, lastFrom, joinsUntil: joinsUntil(gap, lastFrom, to) };
}

const mergedGap = (gap: FoundGap, { from, to, reason, silentMs }: FoundGap): FoundGap => ({
  ...gap,
  to,
  reason: [gap.reason, reason].includes("restored") ? "restored" : gap.reason === reason ? reason : "several",
  outages: gap.outages + 1,
  silentTo: to,
  silentMs: gap.silentMs + silentMs,
  joinsUntil: joinsUntil(gap, from, to),
  lastFrom: from,
});

/**
 * Until when further outages join the gap, now that an outage from `from` to `to` was added. After a long outage,
 * outages join for another 13 minutes from its end. An outage is long when it lasts over a minute and longer than the
 * whole gap before it. Without the second condition, outage after outage would excuse silence for ever.
 */
const joinsUntil = (gap: FoundGap, from: Instant, to: Instant): Instant =>
  to - from > Math.max(SHORT_GAP, from - gap.from) ? to + JOINS_FOR : gap.joinsUntil;

/** Makes the gap end at `to`, because requests that waited are still arriving. `silentTo` stays as it is. */
export const extendedUntil = (gap: FoundGap, to: Instant): FoundGap => ({ ...gap, to });

/** The parts of `gap` that none of `gaps` covers, because stored gaps must not overlap. `gaps` is ascending. */
export function uncoveredParts(gaps: readonly Gap[], gap: FoundGap): FoundGap[] {
  const pieces: FoundGap[] = [];
  let from = gap.from;
  for (const known of gaps) {
    if (known.to < from) continue;
    if (known.from > gap.to) break;
    if (known.from > from) pieces.push(oneGap(from, known.from - 1, gap.reason));
    from = known.to + 1;
  }
  if (from <= gap.to) pieces.push(oneGap(from, gap.to, gap.reason));
  return pieces;
}
