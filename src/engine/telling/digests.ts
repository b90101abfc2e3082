// Which deliveries go out as one digest (R39), and what is claimed for them. Claims nothing itself: that is the outbox's.

import { createHash } from "node:crypto";
import type { AlertMessage } from "../../domain/message/alert.ts";
import { type DigestKind, digestKindOf, digestOf, SINGLES_MAX } from "../../domain/message/digest.ts";
import type { Instant } from "../../domain/time.ts";
import type { ClaimStatements } from "../../store/claims.ts";
import type { Claim, ClaimedDelivery } from "../api.ts";
import type { Head } from "./waiting.ts";

/** Openings, reminders or recoveries that go out as one message. */
export interface Digest {
  readonly kind: DigestKind;
  readonly rows: readonly Head[];
}

/**
 * The digest that the first at its destination goes out with (R39); null: it goes by itself. All are heads of their lanes,
 * so that each monitor keeps its order; none is `alone`.
 */
export function digestFrom(
  statements: ClaimStatements,
  first: Head,
  now: Instant,
  most: number,
  alone: ReadonlySet<number>,
): Digest | null {
  const { destination } = first;
  const row = statements.read.get({ id: first.id });
  const kind = row === null ? null : digestKindOf(row.type);
  if (row === null || kind === null) return null;
  const together = statements.digestible[kind].all({ destination, recipient: row.recipient, now, limit: most });
  const found = together.filter(({ id }) => !alone.has(id));
  return found.length > SINGLES_MAX ? { kind, rows: found.map((one) => ({ destination, ...one })) } : null;
}

/** The claim of such a digest. `first`: of the members, which all are alerts. */
export function digestClaim(kind: DigestKind, first: ClaimedDelivery, members: readonly ClaimedDelivery[]): Claim {
  const reference = digestReferenceOf(members);
  return {
    ...first,
    reference,
    thread: `thread-${reference}`,
    createdAt: Math.max(...members.map(({ createdAt }) => createdAt)),
    attempts: Math.min(...members.map(({ attempts }) => attempts)),
    message: digestOf(
      kind,
      members.map(({ message }) => message as AlertMessage),
    ),
    members,
  };
}

/**
 * The same set has the same one, however often it is tried. Another set has another: a mail that bears the name of an
 * earlier one would be dropped as its copy, and with it what is new.
 */
function digestReferenceOf(members: readonly ClaimedDelivery[]): string {
  const names = members.map(({ reference }) => reference).sort();
  return `digest-${createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 32)}`;
}
