// Reads a delivery for the notifier: its message, what has happened since the message was written, and the names under
// which other systems know the message.

import { type AlertMessage, isOpening } from "../../domain/message/alert.ts";
import { isAlert, type Message, messageFrom, tellsTrouble } from "../../domain/message/message.ts";
import { sinceAlert } from "../../domain/message/since.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { ClaimStatements, DeliveryRow } from "../../store/claims.ts";
import type { ClaimedDelivery } from "../api.ts";

/** Reads a delivery by its id; `null` when its alert is missing or cannot be read. */
export type ReadClaimed = (id: number) => ClaimedDelivery | null;

/**
 * How many alerts stay in memory after they were read: those of two pieces of a large digest. Several destinations may
 * get the same digest, and then they read the same alerts by turns.
 */
const READ_LAST = 500;

export function createReadClaimed(statements: ClaimStatements): ReadClaimed {
  // The alerts that were read last, by id. An alert never changes once it is written, so these stay valid.
  const lastRead = new Map<number, Message | null>();

  function messageIn({ alertId: id }: DeliveryRow): Message | null {
    const known = lastRead.get(id);
    if (known !== undefined) return known;
    if (lastRead.size >= READ_LAST) lastRead.delete(lastRead.keys().next().value!);
    const alert = statements.alert.get({ id });
    const message = alert === null ? null : messageFrom(alert.type, alert.at, alert.data);
    lastRead.set(id, message);
    return message;
  }

  return (id) => {
    const row = statements.read.get({ id });
    const stored = row === null ? null : messageIn(row);
    if (row === null || stored === null) return null;
    const message = isAlert(stored) ? withSince(statements, row, stored) : stored;
    const repliesTo = isAlert(stored) && stored.data.kind === "Recovered" ? firstSent(statements, row) : undefined;
    return {
      id,
      destination: row.destination,
      recipient: row.recipient,
      // The reference is made from when the message was written. The instants of the delivery's row change when the
      // delivery is planned again or the clock is set back.
      reference: referenceOf("delivery", id, stored.at),
      thread: threadOf(statements, row, stored),
      createdAt: row.createdAt,
      ...(row.heldUntil !== null && { heldUntil: row.heldUntil }),
      attempts: row.attempts,
      ...(repliesTo !== undefined && { repliesTo }),
      message,
    };
  };
}

/**
 * Makes the name under which other systems know a delivery, a notice or an incident. The time of creation is part of
 * the name, because a new database counts from 1 again. Without the time, a mail could have the name of an old mail,
 * and its receiver would drop it as a copy.
 */
const referenceOf = (kind: string, id: number, madeAt: Instant): string => `${kind}-${id}-${madeAt.toString(36)}`;

/**
 * Returns the id that the destination's service, such as Telegram, gave to the first message about the incident to this
 * receiver. Undefined when the id is unknown.
 */
const firstSent = (
  { sent }: ClaimStatements,
  { incidentId, destination, recipient }: DeliveryRow,
): string | undefined =>
  incidentId === null
    ? undefined
    : sent.all({ incidentId }).find((one) => one.destination === destination && one.recipient === recipient)?.sentAs;

/** Adds to an alert what has happened since it was written, such as the end of its incident or the next incident. */
function withSince(statements: ClaimStatements, row: DeliveryRow, message: AlertMessage): AlertMessage {
  const { monitorId, incidentNumber: number } = row;
  if (monitorId === null || number === null) return message;
  const later = row.closedAt === null ? null : statements.laterIncident.get({ monitorId, number });
  const since = sinceAlert(message.data, { ...row, number }, later);
  return since === null ? message : { ...message, data: { ...message.data, since } };
}

/**
 * Adds to a message of trouble what the job wrote last (R46). The output is read when the message is sent, so that it
 * is stored only once.
 */
export function withKeptOutput(statements: ClaimStatements, message: Message): Message {
  if (!tellsTrouble(message)) return message;
  const found = statements.output.get({ incidentId: Number(message.data.incidentId), until: message.at });
  if (found === null) return message;
  return { ...message, data: { ...message.data, output: found.text, outputAt: toIso(found.at) } };
}

/**
 * Returns the thread of a message (`ClaimedDelivery.thread`). Its name is made from what the first alert said, because
 * it must not change when the clock is set back.
 */
function threadOf(statements: ClaimStatements, row: DeliveryRow, message: Message): string {
  const { incidentId, incidentNumber, alertId, destination, recipient } = row;
  if (!isAlert(message)) return referenceOf("notice", alertId, message.at);
  const { kind, openedAt } = message.data;
  // An alert without an incident tells the end of an incident that a restore has removed from the database (R26).
  if (incidentId === null) return referenceOf("incident", Number(message.data.incidentId), Date.parse(openedAt));
  if (isOpening(kind)) return referenceOf("incident", incidentId, Date.parse(openedAt));
  const known =
    (incidentNumber ?? 1) > 1 ? statements.coveringIncident.get({ incidentId, destination, recipient }) : null;
  const id = known?.id ?? incidentId;
  return referenceOf(
    "incident",
    id,
    Date.parse(statements.openedAtAsTold.get({ incidentId: id })?.openedAt ?? openedAt),
  );
}
