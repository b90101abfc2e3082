// Which deliveries are due: the first at each destination, and those behind it. Looks only; claims nothing.

import { HOUR, type Instant } from "../../domain/time.ts";
import type { ClaimStatements, WaitingRow } from "../../store/claims.ts";

/**
 * We never put an attempt off further than this. One that lies further ahead comes from a wrong clock, and would wait
 * until the right clock gets there.
 */
const POSTPONED_MAX = 2 * HOUR;

/** What may be attempted at a destination: the oldest unfinished of its lane. */
export type Head = WaitingRow & Readonly<{ destination: string }>;

/**
 * For each destination not in `busy`, the delivery that is due first. One index step per destination, so ten thousand
 * waiting cost the same as ten.
 */
export function firstWaiting(statements: ClaimStatements, busy: ReadonlySet<string>): Head[] {
  const found: Head[] = [];
  let destination = statements.destinationAfter.get({ destination: "" })?.destination ?? null;
  while (destination !== null) {
    const first = busy.has(destination) ? null : statements.firstWaiting.get({ destination });
    if (first !== null) found.push({ destination, ...first });
    destination = statements.destinationAfter.get({ destination })?.destination ?? null;
  }
  return found;
}

/** What is due at the destination of `first`, perhaps what a wrong clock put off; null: nothing. */
export function dueAt(statements: ClaimStatements, first: Head, now: Instant): Head | null {
  if (first.nextAttemptAt <= now) return first;
  const last = statements.lastWaiting.get({ destination: first.destination });
  return last !== null && last.nextAttemptAt > now + POSTPONED_MAX ? { ...first, ...last } : null;
}

/** The first at its destination, and what is due behind it; one that a wrong clock put off is alone. */
export const followedBy = (statements: ClaimStatements, first: Head, now: Instant, limit: number): Head[] =>
  first.nextAttemptAt > now
    ? [first]
    : statements.due
        .all({ destination: first.destination, now, limit })
        .map((row) => ({ destination: first.destination, ...row }));
