// Claims what may be attempted now: for each destination a bundle, or a digest (R39). Runs inside the caller's transaction.

import type { Log } from "../../domain/log.ts";
import type { Instant } from "../../domain/time.ts";
import type { ClaimStatements } from "../../store/claims.ts";
import type { DestinationRows } from "../../store/destinations.ts";
import type { Claim, ClaimedDelivery, Claims, Wanted } from "../api.ts";
import { readClaimed, withOutput } from "./claimed.ts";
import { type Digest, digestClaim, digestFrom } from "./digests.ts";
import { finish } from "./endings.ts";
import { dueAt, firstWaiting, followedBy, type Head } from "./waiting.ts";

export interface OutboxParts {
  readonly statements: ClaimStatements;
  readonly destinations: DestinationRows;
  readonly log: Log;
}

/** In place of an answer. */
const UNREADABLE = "unreadable";

/** When this number has been claimed in one transaction, the other destinations get theirs in the next: pings wait for it. */
const CLAIMED_AT_ONCE = 400;

/** What waits longest comes first; of destinations at which nothing is claimed, when the next is due. */
export function claimDue(parts: OutboxParts, wanted: Wanted): Omit<Claims, "unforwarded"> {
  const { statements } = parts;
  const { now, busy, limit } = wanted;
  const waiting = firstWaiting(statements, busy);
  const due = waiting
    .flatMap((first) => dueAt(statements, first, now) ?? [])
    .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.id - b.id)
    .slice(0, limit);
  const claimed: Claim[] = [];
  let deliveries = 0;
  for (const first of due) {
    if (deliveries >= CLAIMED_AT_ONCE) break;
    const bundle = claimAt(parts, first, wanted);
    claimed.push(...bundle);
    deliveries += bundle.reduce((sum, { members }) => sum + members.length, 0);
  }
  const taken = new Set(claimed.map(({ destination }) => destination));
  return { claimed, nextAttemptAt: earliest(waiting.filter(({ destination }) => !taken.has(destination))) };
}

const earliest = (waiting: readonly Head[]): Instant | null =>
  waiting.length === 0 ? null : Math.min(...waiting.map(({ nextAttemptAt }) => nextAttemptAt));

/** What is claimed at the destination of `first`: its digest, itself alone where digests are taken, else a bundle. */
function claimAt(parts: OutboxParts, first: Head, { now, each, digests, alone }: Wanted): Claim[] {
  const { statements } = parts;
  const most = alone.has(first.id) ? 1 : digests.get(first.destination);
  const digest = most === undefined ? null : digestFrom(statements, first, now, most, alone);
  if (digest !== null) return claimTogether(parts, digest, now);
  const rows = most === undefined ? followedBy(statements, first, now, each) : [first];
  return rows.flatMap((row) => readable(parts, row, now) ?? []).map((delivery) => claimAlone(parts, delivery, now));
}

function claimAlone({ statements }: OutboxParts, delivery: ClaimedDelivery, at: Instant): Claim {
  statements.claim.run({ id: delivery.id, at, digestId: null });
  const message = withOutput(statements, delivery.message);
  return { ...delivery, message, members: [delivery], more: null };
}

function claimTogether(parts: OutboxParts, digest: Digest, at: Instant): Claim[] {
  const members = digest.rows.flatMap((row) => readable(parts, row, at) ?? []);
  const [first, ...others] = members;
  if (first === undefined) return [];
  if (others.length === 0) return [claimAlone(parts, first, at)];
  for (const { id } of members) parts.statements.claim.run({ id, at, digestId: first.id });
  return [digestClaim(digest, first, members)];
}

/** A delivery that cannot be read is given up here: it must not hold up others behind it, or elsewhere. */
function readable({ statements, log }: OutboxParts, { id, destination }: Head, now: Instant): ClaimedDelivery | null {
  const delivery = readClaimed(statements, id);
  if (delivery !== null) return delivery;
  finish(statements, id, now, "given_up", UNREADABLE);
  log("error", "delivery_given_up", { delivery: id, destination, answer: UNREADABLE });
  return null;
}
