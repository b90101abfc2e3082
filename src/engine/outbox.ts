// The outbox: which delivery may be attempted now, and how its attempts ended. Every call is one short transaction. How
// long to wait and when to give up is decided by the caller; nothing is sent here.

import type { Database } from "bun:sqlite";
import type { MessageType } from "../domain/alert.ts";
import { HOUR, type Instant } from "../domain/time.ts";
import { type DeliveryRow, type DeliveryStatements, prepareDeliveries, type WaitingRow } from "../store/deliveries.ts";
import type { ClaimedDelivery, Outbox } from "./contract.ts";

/**
 * No attempt is ever put off further than this. One that stands further ahead was written by a clock that was wrong
 * then, and would wait until the right one gets there.
 */
const POSTPONED_MAX = 2 * HOUR;

interface Head extends WaitingRow {
  readonly destination: string;
}

/** The outbox over the migrated database. Its calls throw what SQLite throws. */
export function createOutbox(database: Database): Outbox {
  const statements = prepareDeliveries(database);
  const inTransaction = <Result>(run: () => Result): Result => database.transaction(run).immediate();

  const finish = (id: number, at: Instant, outcome: "sent" | "given_up", answer: string): void =>
    inTransaction(() => {
      const lane = statements.finish.get({ id, at, outcome, answer });
      if (lane !== null) statements.promote.run({ ...lane, at });
    });

  return {
    releaseClaims: () => inTransaction(() => void statements.releaseClaims.run()),
    claim: (now, busy, limit) =>
      inTransaction(() =>
        heads(statements, busy)
          .flatMap((head) => dueAt(statements, head, now) ?? [])
          .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.id - b.id)
          .slice(0, limit)
          .map(({ id }) => claim(statements, id, now)),
      ),
    sent: (id, at, answer) => finish(id, at, "sent", answer),
    giveUp: (id, at, answer) => finish(id, at, "given_up", answer),
    retry: (id, nextAttemptAt, answer) =>
      inTransaction(() => void statements.postpone.run({ id, at: nextAttemptAt, answer })),
    nextAttemptAt: (busy = new Set()) =>
      heads(statements, busy).reduce<Instant | null>(
        (earliest, head) => (earliest === null ? head.nextAttemptAt : Math.min(earliest, head.nextAttemptAt)),
        null,
      ),
  };
}

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

function dueAt(statements: DeliveryStatements, head: Head, now: Instant): WaitingRow | null {
  if (head.nextAttemptAt <= now) return head;
  const last = statements.lastWaiting.get({ destination: head.destination });
  return last !== null && last.nextAttemptAt > now + POSTPONED_MAX ? last : null;
}

function claim(statements: DeliveryStatements, id: number, now: Instant): ClaimedDelivery {
  statements.claim.run({ id, at: now });
  const row = statements.read.get({ id });
  if (row === null) throw new Error(`delivery ${id} has no alert or no incident`);
  return {
    id,
    destination: row.destination,
    recipient: row.recipient,
    reference: referenceOf("delivery", id, row.createdAt),
    incidentReference: referenceOf("incident", row.incidentId, row.incidentOpenedAt),
    createdAt: row.createdAt,
    attempts: row.attempts - 1,
    message: messageOf(row),
  };
}

/**
 * Names a row for other systems. A new database counts from 1 again, and a mail that bears the id of an old one is
 * taken for a copy and dropped; the moment it was made tells them apart.
 */
const referenceOf = (kind: string, id: number, madeAt: Instant): string => `${kind}-${id}-${madeAt.toString(36)}`;

/** Both were written by ourselves as the engine made them, from the types named here. */
const messageOf = (row: DeliveryRow): ClaimedDelivery["message"] => ({
  type: row.type as MessageType,
  at: row.at,
  data: JSON.parse(row.data),
});
