// Which deliveries may be attempted: the first at each destination, and what is due behind it. Looks only; claims nothing.

import { HOUR, type Instant } from "../../domain/time.ts";
import type { ClaimStatements, WaitingRow } from "../../store/claims.ts";

/**
 * No attempt is ever put off further than this. One that stands further ahead was written by a clock that was wrong
 * then, and would wait until the right one gets there.
 */
const POSTPONED_MAX = 2 * HOUR;

/** What may be attempted at a destination: the oldest unfinished of its lane. */
export interface Head extends WaitingRow {
  readonly destination: string;
}

/**
 * For each destination not in `busy` the delivery that may be attempted first. One step in the index per destination,
 * so it costs the same whether ten or ten thousand wait.
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

/** What is due at the destination of `first`, perhaps the one that a wrong clock put off; null: nothing is. */
export function dueAt(statements: ClaimStatements, first: Head, now: Instant): Head | null {
  if (first.nextAttemptAt <= now) return first;
  const last = statements.lastWaiting.get({ destination: first.destination });
  return last !== null && last.nextAttemptAt > now + POSTPONED_MAX ? { ...first, ...last } : null;
}

/** The first at its destination, and what is due behind it; one that a wrong clock put off stands alone. */
export const followedBy = (statements: ClaimStatements, first: Head, now: Instant, limit: number): Head[] =>
  first.nextAttemptAt > now
    ? [first]
    : statements.due
        .all({ destination: first.destination, now, limit })
        .map((row) => ({ destination: first.destination, ...row }));
