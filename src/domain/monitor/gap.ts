// Gaps, in which a report could have been lost (R26): how a look at the clocks finds one, and when two are one.

import { RETRY_AFTER_GAP, SHORT_GAP } from "../limits.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { Gap } from "./monitor.ts";

/**
 * Why we could not hear: the process was gone or stood still, its clock was moved on, nothing could be stored, or what
 * was heard is gone because a backup was restored.
 */
export type GapReason = "stopped" | "stalled" | "clock" | "storage" | "restored" | "several";

export interface FoundGap extends Gap {
  readonly reason: GapReason;
  /** How often we could not hear in it. Each outage may have ended before the next began. */
  readonly outages: number;
  /** For how many milliseconds in all, and until when: `to` may be seconds later. */
  readonly silentMs: number;
  readonly silentTo: Instant;
  /** An outage that begins by then continues this one. */
  readonly joinsUntil: Instant;
  /** When the last outage of several began, as far as this process knows. */
  readonly lastFrom?: Instant;
}

/** Two minutes of the quarter of an hour in which we report it: the last outage may last one, then clients retry. */
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

/** Both clocks at one moment. `monotonic` is in milliseconds, never steps back and knows no date. */
export type ClockLook = Readonly<{ at: Instant; monotonic: number }>;

/** R26: a stall, a suspension or a jump of the clock up to this long makes no gap. */
const GAP_MIN = 5 * SECOND;

/**
 * The gap between two looks, the later one now; null when we heard all the time. It begins after the earlier look,
 * because we have already judged what was due by then. A clock that was set back makes no gap by itself.
 */
export function gapBetween(last: ClockLook, now: ClockLook): FoundGap | null {
  const passed = now.monotonic - last.monotonic;
  const jumped = now.at - last.at - passed;
  if (passed <= GAP_MIN && jumped <= GAP_MIN) return null;
  const reason = passed > GAP_MIN ? "stalled" : "clock";
  if (jumped >= -GAP_MIN) return oneGap(last.at + 1, now.at, reason);
  // The clock was set back meanwhile, so both of its readings for the span are in doubt.
  return oneGap(Math.min(last.at + 1, Math.floor(now.at - passed) + 1), Math.max(now.at, last.at), reason);
}

/** The gap from the last instant at which the earlier process surely heard, until now; null: no time passed. */
export function gapSince(lastAliveAt: Instant, now: Instant, reason: "stopped" | "restored"): FoundGap | null {
  if (now === lastAliveAt) return null;
  return oneGap(Math.min(lastAliveAt + 1, now), Math.max(lastAliveAt, now), reason);
}

/**
 * What happens to the last gap before `piece`, and to the piece. A piece that begins before clients had time to retry
 * continues the gap: to clients, and to the excuse of a slot, they are one. But we must not excuse silence for as long
 * as we come and go. So after a quarter of an hour we report the joined gap, and neither it nor what follows excuses
 * anything that closes later.
 */
export function joinedGaps(before: FoundGap | undefined, piece: FoundGap): readonly FoundGap[] {
  if (before === undefined) return [piece];
  if (piece.from === before.to + 1 && !isOfAnEarlierProcess(piece)) return [prolonged(before, piece)];
  const follows = piece.from > before.to && piece.from - before.to < RETRY_AFTER_GAP;
  const isShort = piece.to - piece.from <= SHORT_GAP;
  if (!follows) return [before, piece];
  if (before.excuses === "nothing") return isShort ? [mergedGap(before, piece)] : [before, piece];
  if (piece.from <= before.joinsUntil) return [mergedGap(before, piece)];
  // A long gap stands alone: if we are away for hours, jobs that ran must not raise alarms.
  if (before.outages === 1 || !isShort) return [before, piece];
  return [
    { ...before, excuses: "closed" },
    { ...piece, excuses: "nothing" },
  ];
}

/** It is an outage by itself, and a restore keeps its name. */
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
 * After a long outage we count from our return: clients have had no time to retry, and what came before it is little
 * beside it. It must be longer than all that; otherwise one outage after another would excuse silence for ever.
 */
const joinsUntil = (gap: FoundGap, from: Instant, to: Instant): Instant =>
  to - from > Math.max(SHORT_GAP, from - gap.from) ? to + JOINS_FOR : gap.joinsUntil;

/** The gap, extended by the time in which delayed requests arrive; that time is not part of the outage. */
export const extendedUntil = (gap: FoundGap, to: Instant): FoundGap => ({ ...gap, to });

/** The parts of `gap` that no earlier gap covers, since the core wants no overlaps. `gaps`: disjoint, ascending. */
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
