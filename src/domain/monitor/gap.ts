// A gap is a time in which a report could have been lost (R26). This file finds a gap by comparing two readings of the
// clocks, and joins gaps that belong together. Pure.

import { RETRY_AFTER_GAP, SHORT_GAP } from "../limits.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";
import type { Gap } from "./monitor.ts";

/**
 * Why reports could be lost: the process was stopped or stalled, its clock was moved forward, nothing could be stored,
 * or a restored backup lacks what was received. `several` means that outages with different reasons were joined.
 */
export type GapReason = "stopped" | "stalled" | "clock" | "storage" | "restored" | "several";

export interface FoundGap extends Gap {
  readonly reason: GapReason;
  /** How many outages the gap joins. Each of them may have ended before the next began. */
  readonly outages: number;
  /** How many milliseconds the outages lasted together, and when the last one ended. `to` may be seconds later. */
  readonly silentMs: number;
  readonly silentTo: Instant;
  /** An outage that begins at this instant or before it continues this gap. */
  readonly joinsUntil: Instant;
  /** When the last of several outages began, as far as this process knows. */
  readonly lastFrom?: Instant;
}

/**
 * For how long, in milliseconds, outages join a gap. A joined gap is told after a quarter of an hour at the latest; two
 * minutes of that are kept, one for the last outage and one in which clients retry.
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

/** Both clocks at one moment. `monotonic` is in milliseconds; it never steps back and knows no date. */
export type ClockLook = Readonly<{ at: Instant; monotonic: number }>;

/** A stall, a suspension or a jump of the clock of up to this length, in milliseconds, makes no gap (R26). */
const GAP_MIN = 5 * SECOND;

/**
 * The gap between two readings of the clocks, or `null` when reports were heard all the time. It begins after the
 * earlier reading, because what was due by then has been judged. A clock that was set back makes no gap by itself.
 */
export function gapBetween(last: ClockLook, now: ClockLook): FoundGap | null {
  const passed = now.monotonic - last.monotonic;
  const jumped = now.at - last.at - passed;
  if (passed <= GAP_MIN && jumped <= GAP_MIN) return null;
  const reason = passed > GAP_MIN ? "stalled" : "clock";
  if (jumped >= -GAP_MIN) return oneGap(last.at + 1, now.at, reason);
  // The clock was set back between the readings, so the gap covers both.
  return oneGap(Math.min(last.at + 1, Math.floor(now.at - passed) + 1), Math.max(now.at, last.at), reason);
}

/** The gap from the last instant at which the earlier process surely ran, until now; `null` when no time has passed. */
export function gapSince(lastAliveAt: Instant, now: Instant, reason: "stopped" | "restored"): FoundGap | null {
  if (now === lastAliveAt) return null;
  return oneGap(Math.min(lastAliveAt + 1, now), Math.max(lastAliveAt, now), reason);
}

/**
 * Joins `piece` to the last gap, or leaves both as they are. A piece that begins before clients had time to retry
 * continues the gap. But silence must not be excused for as long as the process stops and starts again, so after a
 * quarter of an hour the joined gap is told, and neither it nor a following one excuses a slot that closes later.
 */
export function joinedGaps(before: FoundGap | undefined, piece: FoundGap): readonly FoundGap[] {
  if (before === undefined) return [piece];
  if (piece.from === before.to + 1 && !isOfAnEarlierProcess(piece)) return [prolonged(before, piece)];
  const follows = piece.from > before.to && piece.from - before.to < RETRY_AFTER_GAP;
  const isShort = piece.to - piece.from <= SHORT_GAP;
  if (!follows) return [before, piece];
  if (before.excuses === "nothing") return isShort ? [mergedGap(before, piece)] : [before, piece];
  if (piece.from <= before.joinsUntil) return [mergedGap(before, piece)];
  // A long gap is never joined: after hours without rollcall, jobs that ran must not raise alarms.
  if (before.outages === 1 || !isShort) return [before, piece];
  return [
    { ...before, excuses: "closed" },
    { ...piece, excuses: "nothing" },
  ];
}

/**
 * Whether the outage was before this process began (`stopped`, `restored`). Then it does not simply prolong the gap
 * that ends just before it.
 */
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
 * After a long outage, the time in which further outages join the gap starts again at its end, because clients have had
 * no time to retry. The outage must be longer than everything before it in the gap; otherwise one outage after another
 * would excuse silence for ever.
 */
const joinsUntil = (gap: FoundGap, from: Instant, to: Instant): Instant =>
  to - from > Math.max(SHORT_GAP, from - gap.from) ? to + JOINS_FOR : gap.joinsUntil;

/** Extends the gap by the time in which delayed requests arrive. That time is not part of the outage. */
export const extendedUntil = (gap: FoundGap, to: Instant): FoundGap => ({ ...gap, to });

/** The parts of `gap` that no earlier gap covers, because gaps must not overlap. `gaps` is disjoint and ascending. */
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
