// Finds which deliveries are due, and which of them are sent together as one digest (R39). A large digest names its
// first deliveries and only counts the others. The counted deliveries are read in pieces and never claimed; only their
// ending is written. outbox.ts does the claiming.

import type { AlertMessage } from "../../domain/message/alert.ts";
import type { DigestKind, DigestMessage } from "../../domain/message/digest.ts";
import {
  digestKindOf,
  digestMachine,
  digestOf,
  jobsOf,
  NAMED_MAX,
  SINGLES_MAX,
  withCounted,
} from "../../domain/message/digest.ts";
import type { Instant } from "../../domain/time.ts";
import type { ClaimStatements, WaitingRow } from "../../store/claims.ts";
import type { Claim, ClaimedDelivery, GatheredClaim, WaitingFor } from "../api.ts";
import type { ReadClaimed } from "./claimed.ts";

/** Deliveries that are sent as one message: all openings, or all recoveries, or all reminders and new causes. */
export interface Digest {
  readonly kind: DigestKind;
  readonly rows: readonly Head[];
  /**
   * Set when the digest names only its first deliveries and counts the others. This is the last delivery that was read
   * for the names: `Outbox.gather` reads on behind it. `null` when the digest names all of its deliveries.
   */
  readonly more: WaitingFor | null;
  /** True when the digest has all deliveries that are due for it. */
  readonly isWhole: boolean;
}

const START: WaitingFor = { id: 0, nextAttemptAt: -1 };

/** How many deliveries one call of `gatherDigestDeliveries` reads. More would hold up reports. */
const GATHERED_AT_ONCE = 250;

/**
 * Returns the digest with which `first` is sent (R39), or `null` when `first` is sent by itself. Each delivery in it is
 * the oldest unfinished one of its monitor to its receiver, so that their order is kept. Deliveries in `alone`, which
 * must be sent by themselves, are left out.
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
  // After quiet hours, two waiting messages already make a digest (R38); at other times it takes more than
  // `SINGLES_MAX`.
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

/**
 * Makes the message of a digest. `members` are its deliveries, whose messages are all alerts; `first` is the first of
 * them.
 */
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

/** How many jobs are examined to count those of a machine. More would hold up reports. */
const DECLARED_MAX = 2_000;

/**
 * Returns how many active jobs are declared for the machine on which all of the digest's jobs run. `null` when they run
 * on different machines, or there are too many to count.
 */
function jobsOfMachine({ declaredFor }: ClaimStatements, alerts: readonly AlertMessage[]): number | null {
  const jobs = jobsOf(alerts);
  const found = digestMachine(alerts);
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

/** Implements `Outbox.gather`. A delivery that cannot be read is left out; a later claim gives it up. */
export function gatherDigestDeliveries(
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
    message: withCounted(claim.message as DigestMessage, added.map(alertIn)),
    more,
  };
  const named = withNames(whole, addedTo(setNameIn(claim.reference), setNameOf(added)));
  return { claim: named, added: added.map(({ id, createdAt }) => ({ id, createdAt })) };
}

/**
 * Makes a name for a set of deliveries: the same for every order, and different for every other set. It is a sum of
 * hashes. Two different sets must not share a name: a receiver drops a mail with the name of an earlier mail as a copy,
 * and would miss the new deliveries in it.
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

// Below: finds the deliveries that are due. Nothing is changed.

/** A waiting delivery that no earlier delivery of its monitor to its receiver holds up. It may be due later. */
export type Head = WaitingRow & Readonly<{ destination: string }>;

/**
 * Returns, for each destination at which something waits, the delivery that is due first. Destinations in `busy`, to
 * which messages are being sent now, are left out. Finding each delivery takes one step in the database's index,
 * however many deliveries wait.
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

/** Returns the deliveries that are due at the destination of `head`, including `head`, in the order of due times. */
export const dueDeliveriesFrom = (
  statements: ClaimStatements,
  { destination }: Head,
  now: Instant,
  limit: number,
): Head[] => statements.due.all({ destination, now, limit }).map((row) => ({ destination, ...row }));
