// Implements what the notifier asks of the engine: which deliveries to send now, alone or as a digest, and how attempts
// ended. Every call is one short transaction. Nothing is sent here; the notifier decides how long to wait and when to
// give up.

import type { Database } from "bun:sqlite";
import type { Log } from "../../domain/log.ts";
import { tellsTrouble } from "../../domain/message/message.ts";
import { receiverKey } from "../../domain/telling/receiver-rules.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import { type ClaimStatements, prepareClaims } from "../../store/claims.ts";
import {
  type DeliveryStatements,
  type DestinationRows,
  destinationRows,
  insertDueDeliveries,
  prepareDeliveries,
} from "../../store/deliveries.ts";
import type { Claim, ClaimedDelivery, Claims, Ending, GoesTo, Outbox, SentDelivery, Sooner, Wanted } from "../api.ts";
import { runBatch } from "../transaction.ts";
import { createReadClaimed, type ReadClaimed, withKeptOutput } from "./claimed.ts";
import {
  type Digest,
  digestClaim,
  digestFrom,
  dueDeliveriesFrom,
  firstWaiting,
  gatherDigestDeliveries,
  type Head,
} from "./digests.ts";

/** How many deliveries one transaction makes due before their planned time, at most. More would hold up reports. */
const FORWARDED_AT_ONCE = 1_000;

const ALL = -1;

/**
 * A vast digest names some deliveries and only gives the number of the others. It waits until all due monitors are
 * settled, so that the number is final, but at most this many milliseconds after its newest delivery was created.
 */
const SETTLED_WITHIN = 30 * SECOND;

export interface OutboxEngine {
  readonly deliveriesEnded: () => void;
  /** Called when a destination takes messages again after messages to it were given up. */
  readonly worksAgain: () => void;
  /** Whether some monitors that are due are still to be judged. */
  readonly isSettling: () => boolean;
}

const NO_ENGINE: OutboxEngine = { deliveriesEnded: () => {}, worksAgain: () => {}, isSettling: () => false };

/** Makes the outbox. Its calls throw when storage fails. The log names deliveries that cannot be read or stored. */
export function createOutbox(database: Database, log: Log, engine: OutboxEngine = NO_ENGINE): Outbox {
  const statements = prepareClaims(database);
  const parts = {
    statements,
    readClaimed: createReadClaimed(statements),
    deliveries: prepareDeliveries(database),
    destinations: destinationRows(database),
    log,
  };

  let seenAt: Instant = 0;
  // True when some deliveries may be due much too late, because a clock that was ahead has set their next attempt.
  // Nothing is known at a start, so the first claim checks.
  let isPutOff = true;

  function done(job: readonly Ending[] | Wanted): Claims {
    if (!("now" in job)) {
      storeEndings(statements, job);
      return NOTHING;
    }
    // A clock that was ahead may have put deliveries off too far. They are made due before the claim, so that the claim
    // finds them.
    isPutOff = (isPutOff || job.now < seenAt - MINUTE) && makePutOffDue(statements, job.now);
    seenAt = job.now;
    const { unforwarded, isAnyOwed } = takeNews(parts, job);
    if (isAnyOwed) engine.worksAgain();
    return { ...claimDue(parts, job), unforwarded };
  }

  /**
   * Called when a job threw. If one single ending cannot be stored, only the log says so. Later messages of that
   * delivery's lane then wait until the next start, which sends the delivery again. Every other error is thrown on.
   */
  function thrown(job: readonly Ending[] | Wanted, error: unknown): Claims {
    if ("now" in job || job.length > 1) throw error;
    log("error", "ending_not_stored", { delivery: job[0]!.id, ending: job[0]!.ending, error });
    return NOTHING;
  }

  /**
   * Stores the endings, in groups, then claims. If a group cannot be stored, the call is repeated with a group for each
   * ending, so that only the ending that cannot be stored is lost.
   */
  function exchange(endings: readonly Ending[], wanted: Wanted, groups = byDigest(endings)): Claims {
    try {
      return runBatch(database, [...groups, wanted], done, thrown).at(-1)!;
    } catch (error) {
      if (groups.length === endings.length) throw error;
      return exchange(
        endings,
        wanted,
        endings.map((one) => [one]),
      );
    }
  }

  return {
    releaseClaims: () => database.transaction(() => releaseClaims(statements)).immediate(),
    reconfigured: (...asked) => database.transaction(() => reconfigured(parts, ...asked)).immediate(),
    knownDestinations: () => ({
      failing: parts.destinations.failing(),
      recentRecipients: parts.destinations.recentRecipients(),
    }),
    sentOf: (incidentId) => sentOf(parts, incidentId),
    noteTakenBack: (incidentId, destination) => void statements.markTakenBack.run({ incidentId, destination }),
    gather: (claim, now, alone) => {
      const mayWait = now < claim.createdAt + SETTLED_WITHIN;
      if (claim.more === null || (mayWait && engine.isSettling())) return { claim, added: [] };
      const { more } = claim;
      // All reads of this call share one transaction, because a transaction for each would mostly wait for locks.
      return database
        .transaction(() => gatherDigestDeliveries(statements, parts.readClaimed, claim, more, now, alone))
        .deferred();
    },
    exchange: (endings, wanted) => {
      const claims = exchange(endings, wanted);
      if (endings.length > 0) engine.deliveriesEnded();
      return claims;
    },
  };
}

/** Returns the sent messages about an incident that can be edited: for each receiver the first and the newest. */
function sentOf({ statements, readClaimed }: OutboxParts, incidentId: number): SentDelivery[] {
  const all = statements.sent.all({ incidentId }).flatMap(({ id, sentAs, sentAt }) => {
    const delivery = readClaimed(id);
    return delivery !== null && tellsTrouble(delivery.message) ? [{ ...delivery, sentAs, sentAt }] : [];
  });
  const byRoute = Map.groupBy(all, receiverKey);
  return [...byRoute.values()].flatMap((own) => (own.length === 1 ? own : [own[0]!, own.at(-1)!]));
}

/**
 * No attempt after a failed one is set further ahead than this, in milliseconds. So an attempt that lies further ahead
 * was set by a wrong clock, unless it is the first one: its time comes from the plan.
 */
const POSTPONED_MAX = 2 * HOUR;

/**
 * Makes deliveries due whose next attempt lies too far ahead, unless their plan holds them back that long. Returns true
 * when there may be more.
 */
const makePutOffDue = ({ forwardPutOff }: ClaimStatements, now: Instant): boolean =>
  forwardPutOff.run({ now, farOff: now + POSTPONED_MAX, limit: FORWARDED_AT_ONCE }).changes === FORWARDED_AT_ONCE;

const NOTHING: Claims = { claimed: [], nextAttemptAt: null, unforwarded: [] };

type TakenNews = Readonly<{
  /**
   * The requests to send waiting messages of a destination sooner that one transaction could not finish, because too
   * many messages wait there.
   */
  unforwarded: Sooner[];
  /**
   * True when a destination takes messages again after messages to it were given up. Receivers there may then miss
   * messages that they should have.
   */
  isAnyOwed: boolean;
}>;

/**
 * Stores what the notifier learned of destinations. When a destination takes messages again, its waiting deliveries are
 * made due.
 */
function takeNews(parts: OutboxParts, { written, news, sooner, now }: Wanted): TakenNews {
  const { statements, deliveries, destinations } = parts;
  for (const id of written) statements.markPerhapsTaken.run({ id, answer: NO_ANSWER_YET });
  const working = [...news].flatMap(([destination, failure]) => (failure === null ? destination : []));
  const failing = working.length === 0 ? null : destinations.failing();
  const isAnyOwed = working.some((destination) => {
    const since = failing?.get(destination)?.since ?? null;
    return since !== null && deliveries.anyGivenUp.get({ destination, since }) !== null;
  });
  for (const [destination, failure] of news) destinations.setFailing(destination, failure, now);
  const all = [...working.map((destination): Sooner => ({ destination, what: "all" })), ...sooner];
  return { unforwarded: all.filter((one) => !isForwarded(statements, one, now)), isAnyOwed };
}

/**
 * Makes the deliveries due now that one entry of `Wanted.sooner` names, as many as one transaction may. Returns false
 * when there may be more.
 */
function isForwarded({ firstWaiting, forward }: ClaimStatements, { destination, what }: Sooner, now: Instant): boolean {
  if (what === "first") {
    const first = firstWaiting.get({ destination });
    if (first !== null && first.nextAttemptAt > now) forward.run({ destination, recipient: null, now, limit: 1 });
    return true;
  }
  const recipient = what === "all" ? null : what.recipient;
  return forward.run({ destination, recipient, now, limit: FORWARDED_AT_ONCE }).changes < FORWARDED_AT_ONCE;
}

function reconfigured(
  { statements, deliveries, destinations }: OutboxParts,
  ...[fingerprints, now, goesTo]: Parameters<Outbox["reconfigured"]>
): string[] {
  destinations.forgetOthers([...fingerprints.keys()]);
  const failing = destinations.failing();
  return [...fingerprints].flatMap(([destination, fingerprint]) => {
    const known = destinations.fingerprint(destination);
    if (known === fingerprint) return [];
    destinations.setFingerprint(destination, fingerprint, now);
    statements.forward.run({ destination, recipient: null, now, limit: ALL });
    if (known === null) return [];
    const since = failing.get(destination)?.since ?? null;
    if (since !== null) sendGivenUp(deliveries, destination, Math.max(since, now - DAY), goesTo, now);
    return [destination];
  });
}

/**
 * Sends again the messages that were given up at the destination since `since`, behind what waits there already. The
 * destination's former settings may have been why it failed.
 */
function sendGivenUp(
  deliveries: DeliveryStatements,
  destination: string,
  since: Instant,
  goesTo: GoesTo,
  now: Instant,
): void {
  for (const { application, recipient, ...message } of deliveries.givenUpAt.all({ destination, since })) {
    if (!goesTo(destination, recipient, application)) continue;
    insertDueDeliveries(deliveries, { ...message, routes: [{ destination, recipient }], at: now });
  }
}

// Below: claims deliveries to send now. A destination gets several, or one digest (R39). Must be called in a
// transaction.

interface OutboxParts {
  readonly statements: ClaimStatements;
  readonly readClaimed: ReadClaimed;
  readonly deliveries: DeliveryStatements;
  readonly destinations: DestinationRows;
  readonly log: Log;
}

const UNREADABLE = "unreadable";

/**
 * Once a transaction has claimed this many deliveries, it claims no more; the next call of `exchange` claims the rest.
 * More would hold up reports.
 */
const CLAIMED_AT_ONCE = 400;

/**
 * Claims deliveries for the destinations that have waited longest. Also returns when the next delivery is due at the
 * destinations that get nothing in this call.
 */
function claimDue(parts: OutboxParts, wanted: Wanted): Omit<Claims, "unforwarded"> {
  const { statements } = parts;
  const { now, busy, limit } = wanted;
  const waiting = firstWaiting(statements, busy);
  const due = waiting
    .filter((first) => first.nextAttemptAt <= now)
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
  const left = waiting.filter(({ destination }) => !taken.has(destination)).map(({ nextAttemptAt }) => nextAttemptAt);
  return { claimed, nextAttemptAt: left.length === 0 ? null : Math.min(...left) };
}

/**
 * Claims what is sent now at the destination of `first`, the delivery that is due first there. If the destination takes
 * digests, this is a digest, or `first` alone when a digest would have too few deliveries. Otherwise it is several
 * deliveries, each sent by itself.
 */
function claimAt(parts: OutboxParts, first: Head, { now, each, digests, alone }: Wanted): Claim[] {
  const { statements } = parts;
  const most = alone.has(first.id) ? 1 : digests.get(first.destination);
  const digest = most === undefined ? null : digestFrom(statements, parts.readClaimed, first, now, most, alone);
  if (digest !== null) return claimTogether(parts, digest, now);
  const rows = most === undefined ? dueDeliveriesFrom(statements, first, now, each) : [first];
  return rows
    .flatMap((row) => readableDelivery(parts, row, now) ?? [])
    .map((delivery) => claimAlone(parts, delivery, now));
}

function claimAlone({ statements }: OutboxParts, delivery: ClaimedDelivery, at: Instant): Claim {
  statements.claim.run({ id: delivery.id, at, digestId: null });
  const message = withKeptOutput(statements, delivery.message);
  return { ...delivery, message, members: [delivery], more: null };
}

function claimTogether(parts: OutboxParts, digest: Digest, at: Instant): Claim[] {
  const members = digest.rows.flatMap((row) => readableDelivery(parts, row, at) ?? []);
  const [first, ...others] = members;
  if (first === undefined) return [];
  if (others.length === 0) return [claimAlone(parts, first, at)];
  for (const { id } of members) parts.statements.claim.run({ id, at, digestId: first.id });
  return [digestClaim(parts.statements, digest, first, members)];
}

/** Gives up an unreadable delivery and returns `null`, so that later messages of its monitor are sent. */
function readableDelivery(
  { statements, readClaimed, log }: OutboxParts,
  { id, destination }: Head,
  now: Instant,
): ClaimedDelivery | null {
  const delivery = readClaimed(id);
  if (delivery !== null) return delivery;
  finish(statements, { id, at: now, ending: "given_up", answer: UNREADABLE });
  log("error", "delivery_given_up", { delivery: id, destination, answer: UNREADABLE });
  return null;
}

// Below: stores how attempts ended, and lets the next message of the same monitor to the same receiver go. Must be
// called in a transaction.

/**
 * Groups endings that are stored together. A vast digest names some of its alerts and gives a number for the others;
 * the endings of those others are one group, because they may be very many. Every other ending is a group by itself.
 */
const byDigest = (endings: readonly Ending[]): (readonly Ending[])[] => [
  ...Map.groupBy(endings, (one) => (one.ending === "sent" ? (one.digestId ?? one) : one)).values(),
];

function storeEndings(statements: ClaimStatements, endings: readonly Ending[]): void {
  const [first] = endings;
  if (endings.length === 1 || first?.ending !== "sent") return storeEnding(statements, first!);
  const { at, answer, digestId } = first;
  const ids = JSON.stringify(endings.map(({ id }) => id));
  statements.finishCounted.run({ ids, at, answer, digestId: digestId! });
  if (statements.anyOtherInLanes.get({ ids }) === null) return;
  statements.clearStandsCounted.run({ ids });
  statements.promoteCounted.run({ ids, at });
}

function storeEnding(statements: ClaimStatements, ending: Ending): void {
  switch (ending.ending) {
    case "sent":
    case "given_up":
      return finish(statements, ending);
    case "retry": {
      const { id, nextAttemptAt: at, answer, digestId = null, perhapsTakenAt = null } = ending;
      const lane = statements.postpone.get({ id, at, answer, digestId, perhapsTaken: perhapsTakenAt !== null });
      if (perhapsTakenAt !== null && lane !== null) statements.promote.run({ ...lane, at: perhapsTakenAt });
      return;
    }
    case "untried":
      return void statements.unclaim.run({ id: ending.id });
    default:
      return ending satisfies never;
  }
}

function finish(
  statements: ClaimStatements,
  { id, at, ending: outcome, answer, digestId, sentAs }: Extract<Ending, { readonly at: Instant }>,
): void {
  const lane = statements.finish.get({ id, at, outcome, answer, digestId: digestId ?? null, sentAs: sentAs ?? null });
  if (lane === null) return;
  if (outcome === "sent") statements.endOvertaken.run({ ...lane, id, at, answer: OVERTAKEN });
  if (statements.anyOlderStands.get({ ...lane, id }) !== null) statements.clearStands.run({ ...lane, id });
  statements.promote.run({ ...lane, at });
}

const NO_ANSWER_YET = "sent, no answer yet";
const OVERTAKEN = "sent, never answered: perhaps taken; a later message was taken";

function releaseClaims(statements: ClaimStatements): void {
  for (const { perhapsTaken, nextAttemptAt, ...lane } of statements.releaseClaims.all({ afterMs: HOUR }))
    if (perhapsTaken === 1) statements.promote.run({ ...lane, at: nextAttemptAt - HOUR });
}
