// Finds which deliveries are due, and which are sent as one digest (R39). Deliveries that a digest only counts are read
// in pieces and not claimed; only their ending is written. The outbox does the claiming.

import type { AlertMessage } from "../../domain/message/alert.ts";
import type { DigestKind, DigestMessage } from "../../domain/message/digest.ts";
import {
  countingToo,
  digestKindOf,
  digestOf,
  jobsOf,
  machineOf,
  NAMED_MAX,
  SINGLES_MAX,
} from "../../domain/message/digest.ts";
import type { Instant } from "../../domain/time.ts";
import type { ClaimStatements, WaitingRow } from "../../store/claims.ts";
import type { Claim, ClaimedDelivery, GatheredClaim, WaitingFor } from "../api.ts";
import type { ReadClaimed } from "./claimed.ts";

/** Openings, reminders or recoveries that are sent as one message. */
export interface Digest {
  readonly kind: DigestKind;
  readonly rows: readonly Head[];
  /** The place after which more deliveries wait that the digest does not name; `null` when it names all. */
  readonly more: WaitingFor | null;
  /** True when no more deliveries wait for the digest. */
  readonly isWhole: boolean;
}

const START: WaitingFor = { id: 0, nextAttemptAt: -1 };

/** How many more deliveries are read for a digest in one turn of the event loop, because pings wait for it. */
const GATHERED_AT_ONCE = 250;

/**
 * The digest in which the first delivery at its destination is sent (R39); `null` when it is sent by itself. All
 * deliveries in it are heads of their lanes, so that each monitor keeps its order, and none is `alone`.
 */
export function digestFrom(
  statements: ClaimStatements,
  readClaimed: ReadClaimed,
  first: Head,
  now: Instant,
  most: number,
  alone: ReadonlySet<number>,
): Digest | null {
  const { destination } = first;
  const delivery = readClaimed(first.id);
  const kind = delivery === null ? null : digestKindOf(delivery.message.type);
  if (delivery === null || kind === null) return null;
  const due = (limit: number) => dueBehind(statements, kind, delivery, START, now, limit);
  const together = due(most);
  const found = together.filter(({ id }) => !alone.has(id));
  // Two messages that waited for the end of quiet hours are already enough for a digest (R38).
  if (found.length <= (delivery.heldUntil !== undefined ? 1 : SINGLES_MAX)) return null;
  const waiting = together.length === most ? due(NAMED_MAX + 1).length : together.length;
  const more = waiting > NAMED_MAX ? together.at(-1)! : null;
  return { kind, rows: found.map((one) => ({ destination, ...one })), more, isWhole: waiting === together.length };
}

function dueBehind(
  statements: ClaimStatements,
  kind: DigestKind,
  { destination, recipient }: Pick<Claim, "destination" | "recipient">,
  { id: afterId, nextAttemptAt: afterAt }: WaitingFor,
  now: Instant,
  limit: number,
) {
  const { since, later } = statements.digestible[kind];
  const of = { destination, recipient, now, afterAt, afterId };
  const first = since.all({ ...of, limit });
  return first.length === limit ? first : [...first, ...later.all({ ...of, limit: limit - first.length })];
}

/** The claim of a digest. `first` is the first of its members, all of which are alerts. */
export function digestClaim(
  statements: ClaimStatements,
  { kind, more, isWhole }: Digest,
  first: ClaimedDelivery,
  members: readonly ClaimedDelivery[],
): Claim {
  const { data, ...digest } = digestOf(kind, members.map(alertIn));
  const message = { ...digest, data: { ...data, ofMachine: isWhole ? jobsOfMachine(statements, data.alerts) : null } };
  return withNames({ ...first, ...ageOf(members), message, members, more }, setNameOf(members));
}

/** How many jobs are looked through for the count of `jobsOfMachine`; more would delay pings. */
const DECLARED_MAX = 2_000;

/**
 * How many active jobs are declared for the machine that all these jobs share; `null` when some run elsewhere or there
 * are too many.
 */
function jobsOfMachine({ declaredFor }: ClaimStatements, alerts: readonly AlertMessage[]): number | null {
  const jobs = jobsOf(alerts);
  const found = machineOf(alerts);
  if (found?.count !== jobs.length) return null;
  const incidents = JSON.stringify(jobs.map(({ incidentId }) => incidentId));
  const rows = declaredFor.all({ host: found.host, incidents, limit: DECLARED_MAX + 1 });
  const [of, all] = [rows.filter(({ isThere }) => isThere === 1), rows.filter(({ isAmong }) => isAmong === 1)];
  return rows.length > DECLARED_MAX || all.length < jobs.length ? null : of.length;
}

const alertIn = ({ message }: ClaimedDelivery): AlertMessage => message as AlertMessage;

const ageOf = (members: readonly ClaimedDelivery[]) => ({
  createdAt: Math.max(...members.map(({ createdAt }) => createdAt)),
  attempts: Math.min(...members.map(({ attempts }) => attempts)),
});

/** Implements `Outbox.gather`. A delivery that cannot be read is left out here, and given up by itself later. */
export function gatherMore(
  statements: ClaimStatements,
  readClaimed: ReadClaimed,
  claim: Claim,
  from: WaitingFor,
  now: Instant,
  alone: ReadonlySet<number>,
): GatheredClaim {
  const { kind } = (claim.message as DigestMessage).data;
  const due = dueBehind(statements, kind, claim, from, now, GATHERED_AT_ONCE);
  const added = due.flatMap(({ id }) => (alone.has(id) ? [] : (readClaimed(id) ?? [])));
  const more = due.length < GATHERED_AT_ONCE ? null : due.at(-1)!;
  if (added.length === 0) return { claim: { ...claim, more }, added };
  const { createdAt, attempts } = ageOf(added);
  const whole = {
    ...claim,
    createdAt: Math.max(claim.createdAt, createdAt),
    attempts: Math.min(claim.attempts, attempts),
    message: countingToo(claim.message as DigestMessage, added.map(alertIn)),
    more,
  };
  const named = withNames(whole, addedTo(setNameIn(claim.reference), setNameOf(added)));
  return { claim: named, added: added.map(({ id, createdAt }) => ({ id, createdAt })) };
}

/**
 * A name for a set of deliveries that does not depend on their order and differs for every other set. A mail with the
 * name of an earlier one would be dropped as its copy, and new deliveries with it. So the name is a sum of hashes.
 */
const setNameOf = (members: readonly ClaimedDelivery[]): bigint =>
  members.map(({ reference }) => referenceHash(reference)).reduce(addedTo, 0n);

const addedTo = (one: bigint, other: bigint): bigint => BigInt.asUintN(128, one + other);

const referenceHash = (reference: string): bigint => BigInt(`0x${Bun.SHA256.hash(reference, "hex").slice(0, 32)}`);

const PREFIX = "digest-";

const setNameIn = (reference: string): bigint => BigInt(`0x${reference.slice(PREFIX.length)}`);

function withNames<Named extends object>(claim: Named, setName: bigint) {
  const reference = `${PREFIX}${setName.toString(16).padStart(32, "0")}`;
  return { ...claim, reference, thread: `thread-${reference}` };
}

// Finds which deliveries are due: the first at each destination, and those behind it. Only reads.

/** A delivery that may be attempted: the oldest unfinished one of its lane. */
export type Head = WaitingRow & Readonly<{ destination: string }>;

/** For each destination outside `busy`, the delivery that is due first, found by one step in the index. */
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

/** The deliveries that are due at the destination of `head`, in the order of their times. */
export const followedBy = (statements: ClaimStatements, { destination }: Head, now: Instant, limit: number): Head[] =>
  statements.due.all({ destination, now, limit }).map((row) => ({ destination, ...row }));
