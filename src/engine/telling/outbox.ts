// The outbox: how attempts ended, and which deliveries may be attempted now, by themselves or as a digest. Every call is
// one short transaction. How long to wait and when to give up is decided by the caller; nothing is sent here.

import type { Database } from "bun:sqlite";
import type { Log } from "../../domain/log.ts";
import type { AlertMessage } from "../../domain/message/alert.ts";
import { isAlert, type Message } from "../../domain/message/message.ts";
import { sinceOf } from "../../domain/message/since.ts";
import { HOUR, type Instant } from "../../domain/time.ts";
import {
  type DeliveryRow,
  type DeliveryStatements,
  prepareDeliveries,
  type WaitingRow,
} from "../../store/deliveries.ts";
import { destinationRows } from "../../store/destinations.ts";
import type { Claim, ClaimedDelivery, Claims, Ending, Outbox, Wanted } from "../api.ts";
import { runBatch } from "../transaction.ts";
import { type Digest, digestClaim, digestFrom } from "./digests.ts";

/**
 * No attempt is ever put off further than this. One that stands further ahead was written by a clock that was wrong
 * then, and would wait until the right one gets there.
 */
const POSTPONED_MAX = 2 * HOUR;

/** So many are brought forward in one transaction, since pings wait for it. */
const FORWARDED_AT_ONCE = 1_000;

/** As SQLite says it. */
const ALL = -1;

/** In place of an answer. */
const UNREADABLE = "unreadable";

/** What may be attempted at a destination. */
export interface Head extends WaitingRow {
  readonly destination: string;
}

/** The outbox over the migrated database. Its calls throw what SQLite throws. `log` hears of what cannot be read or kept. */
export function createOutbox(database: Database, log: Log): Outbox {
  const statements = prepareDeliveries(database);
  const destinations = destinationRows(database);

  function store(ending: Ending): void {
    const { id } = ending;
    switch (ending.ending) {
      case "sent":
      case "given_up":
        return finish(id, ending.at, ending.ending, ending.answer);
      case "retry":
        return void statements.postpone.run({ id, at: ending.nextAttemptAt, answer: ending.answer });
      case "untried":
        return void statements.unclaim.run({ id });
      default:
        return ending satisfies never;
    }
  }

  function finish(id: number, at: Instant, outcome: "sent" | "given_up", answer: string): void {
    const lane = statements.finish.get({ id, at, outcome, answer });
    if (lane !== null) statements.promote.run({ ...lane, at });
  }

  /** Answers where more than that waits for a later time. */
  function takeNews({ news, now }: Wanted): string[] {
    return [...news].flatMap(([destination, failingSince]) => {
      destinations.setFailing(destination, failingSince);
      if (failingSince !== null) return [];
      const { changes } = statements.forward.run({ destination, now, limit: FORWARDED_AT_ONCE });
      return changes < FORWARDED_AT_ONCE ? [] : [destination];
    });
  }

  function claimDue(wanted: Wanted): Claims {
    const { now, busy, limit, each, digests, alone } = wanted;
    const unforwarded = takeNews(wanted);
    const waiting = heads(statements, busy);
    const claimed = waiting
      .flatMap((head) => dueAt(statements, head, now) ?? [])
      .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.id - b.id)
      .slice(0, limit)
      .flatMap((first) => claimFrom(first, now, each, alone.has(first.id) ? 1 : digests.get(first.destination), alone));
    const taken = new Set(claimed.map(({ destination }) => destination));
    const nextAttemptAt = earliest(waiting.filter(({ destination }) => !taken.has(destination)));
    return { claimed, nextAttemptAt, unforwarded };
  }

  function reconfigured(fingerprints: ReadonlyMap<string, string>, now: Instant): string[] {
    destinations.keep([...fingerprints.keys()]);
    return [...fingerprints].flatMap(([destination, fingerprint]) => {
      const known = destinations.fingerprint(destination);
      if (known === fingerprint) return [];
      destinations.setFingerprint(destination, fingerprint);
      statements.forward.run({ destination, now, limit: ALL });
      return known === null ? [] : [destination];
    });
  }

  /** `most`: how many one digest tells; undefined: the destination takes none. */
  function claimFrom(
    first: Head,
    now: Instant,
    each: number,
    most: number | undefined,
    alone: ReadonlySet<number>,
  ): Claim[] {
    const digest = most === undefined ? null : digestFrom(statements, first, now, most, alone);
    if (digest !== null) return claimTogether(digest, now);
    const rows = most === undefined ? followedBy(statements, first, now, each) : [first];
    return rows.flatMap((row) => readable(row, now) ?? []).map((delivery) => claimAlone(delivery, now));
  }

  function claimAlone(delivery: ClaimedDelivery, at: Instant): Claim {
    statements.claim.run({ id: delivery.id, at, digestId: null });
    return { ...delivery, members: [delivery] };
  }

  function claimTogether({ kind, rows }: Digest, at: Instant): Claim[] {
    const members = rows.flatMap((row) => readable(row, at) ?? []);
    const [first, ...others] = members;
    if (first === undefined) return [];
    if (others.length === 0) return [claimAlone(first, at)];
    for (const { id } of members) statements.claim.run({ id, at, digestId: first.id });
    return [digestClaim(kind, first, members)];
  }

  /** One that cannot be read is given up here: it must not keep what waits behind it, or elsewhere, from going out. */
  function readable({ id, destination }: Head, now: Instant): ClaimedDelivery | null {
    const delivery = read(statements, id);
    if (delivery !== null) return delivery;
    finish(id, now, "given_up", UNREADABLE);
    log("error", "delivery_given_up", { delivery: id, destination, answer: UNREADABLE });
    return null;
  }

  /** An ending that alone cannot be stored holds up its lane, and that until the next start, which sends it again. */
  function thrown(job: Ending | Wanted, error: unknown): Claims {
    if (!("ending" in job)) throw error;
    log("error", "ending_not_stored", { delivery: job.id, ending: job.ending, error });
    return NOTHING;
  }

  function done(job: Ending | Wanted): Claims {
    if (!("ending" in job)) return claimDue(job);
    store(job);
    return NOTHING;
  }

  return {
    releaseClaims: () => void statements.releaseClaims.run(),
    reconfigured: (fingerprints, now) => database.transaction(() => reconfigured(fingerprints, now)).immediate(),
    failingSince: destinations.failingSince,
    exchange: (endings, wanted) => runBatch(database, [...endings, wanted], done, thrown).at(-1)!,
  };
}

const NOTHING: Claims = { claimed: [], nextAttemptAt: null, unforwarded: [] };

const earliest = (waiting: readonly WaitingRow[]): Instant | null =>
  waiting.length === 0 ? null : Math.min(...waiting.map(({ nextAttemptAt }) => nextAttemptAt));

/**
 * For each destination not in `busy` the delivery that may be attempted first. One step in the index per destination,
 * so it costs the same whether ten or ten thousand wait.
 */
function heads(statements: DeliveryStatements, busy: ReadonlySet<string>): Head[] {
  const found: Head[] = [];
  let destination = statements.destinationAfter.get({ destination: "" })?.destination ?? null;
  while (destination !== null) {
    const first = busy.has(destination) ? null : statements.firstWaiting.get({ destination });
    if (first !== null) found.push({ destination, ...first });
    destination = statements.destinationAfter.get({ destination })?.destination ?? null;
  }
  return found;
}

function dueAt(statements: DeliveryStatements, head: Head, now: Instant): Head | null {
  if (head.nextAttemptAt <= now) return head;
  const last = statements.lastWaiting.get({ destination: head.destination });
  return last !== null && last.nextAttemptAt > now + POSTPONED_MAX ? { ...head, ...last } : null;
}

/** The first at its destination, and what is due behind it; one that a wrong clock put off stands alone. */
const followedBy = (statements: DeliveryStatements, first: Head, now: Instant, each: number): Head[] =>
  first.nextAttemptAt > now
    ? [first]
    : statements.due
        .all({ destination: first.destination, now, limit: each })
        .map((row) => ({ destination: first.destination, ...row }));

/** Null when the delivery has no alert, or one that cannot be read. */
function read(statements: DeliveryStatements, id: number): ClaimedDelivery | null {
  const row = statements.read.get({ id });
  const stored = row === null ? null : messageOf(row);
  if (row === null || stored === null) return null;
  const message = isAlert(stored) ? withSince(statements, row, stored) : stored;
  return {
    id,
    destination: row.destination,
    recipient: row.recipient,
    reference: referenceOf("delivery", id, row.createdAt),
    thread: threadOf(row),
    createdAt: row.createdAt,
    attempts: row.attempts,
    message,
  };
}

/**
 * Names a row for other systems. A new database counts from 1 again, and a mail that bears the id of an old one is
 * taken for a copy and dropped; the moment it was made tells them apart.
 */
const referenceOf = (kind: string, id: number, madeAt: Instant): string => `${kind}-${id}-${madeAt.toString(36)}`;

/** Only what is closed can have been followed by another. */
function withSince(statements: DeliveryStatements, row: DeliveryRow, message: AlertMessage): AlertMessage {
  const { monitorId, incidentNumber: number } = row;
  if (monitorId === null || number === null) return message;
  const later = row.closedAt === null ? null : statements.laterIncident.get({ monitorId, number });
  return { ...message, data: { ...message.data, since: sinceOf(message.data, { ...row, number }, later) } };
}

/** All of an incident's messages are one thread; each notice is one by itself. */
const threadOf = ({ incidentId, incidentOpenedAt, alertId, at }: DeliveryRow): string =>
  incidentId === null || incidentOpenedAt === null
    ? referenceOf("notice", alertId, at)
    : referenceOf("incident", incidentId, incidentOpenedAt);

/** Written by ourselves from the type named here; null when the file was damaged since. */
function messageOf({ type, at, data }: DeliveryRow): Message | null {
  try {
    const parsed: unknown = JSON.parse(data);
    return typeof parsed === "object" && parsed !== null ? ({ type, at, data: parsed } as Message) : null;
  } catch {
    return null;
  }
}
