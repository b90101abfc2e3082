// What a notice says about messages that did not arrive (R36): those that we gave up at a destination, and those that
// wait at one that fails.

import { toIso } from "../time.ts";
import type { AlertKind } from "./alert.ts";
import type { LostMessage, Notice } from "./notice.ts";
import { byIdentity, LISTED_MAX, type ListedMonitor, shareOf } from "./notice-lists.ts";

/** Instants are ISO 8601 strings. */
interface HeldMessages {
  readonly destination: string;
  /** Since when we have tried in vain to send messages there. */
  readonly since: string;
  /** How the last attempt ended. */
  readonly answer: string | null;
  readonly messagesTotal: number;
  readonly monitorsTotal: number;
  /** By application and key; may be cut short. */
  readonly monitors: readonly ListedLost[];
}

/** They were given up. */
export interface UndeliveredDetails extends HeldMessages {
  readonly kind: "undelivered";
  /** The destination was taken out of the configuration while they waited. Notices of earlier versions lack it. */
  readonly removed: boolean;
}

/** They wait. */
export interface FailingDetails extends HeldMessages {
  readonly kind: "failing";
  /** When the destination took messages again; null: it does not yet. */
  readonly until: string | null;
}

export interface ListedLost extends ListedMonitor {
  readonly messagesTotal: number;
  /** Oldest first; may be cut short. */
  readonly messages: readonly {
    readonly deliveryId: string;
    readonly recipient: string | null;
    readonly kind: AlertKind;
    readonly at: string;
  }[];
}

type KnownLost = LostMessage & { readonly monitor: NonNullable<LostMessage["monitor"]> };

export function heldMessages(notice: Notice & { kind: "undelivered" | "failing" }): HeldMessages {
  const { destination, total, monitors, since, answer, messages } = notice;
  const known = messages.flatMap(({ monitor, ...message }) => (monitor === null ? [] : [{ ...message, monitor }]));
  const ofEach = [...Map.groupBy(known, ({ monitor }) => JSON.stringify([monitor.application, monitor.key])).values()];
  const listed = ofEach.toSorted(([a], [b]) => byIdentity(a!.monitor, b!.monitor)).slice(0, LISTED_MAX);
  return {
    destination,
    since: toIso(since),
    answer,
    messagesTotal: total,
    monitorsTotal: monitors,
    monitors: listed.map((of) => listedLost(of, shareOf(listed.length))),
  };
}

/** `messages`: the messages of one monitor, at least one. */
function listedLost(messages: readonly KnownLost[], most: number): ListedLost {
  const { application, key, name, timezone } = messages.at(-1)!.monitor;
  return {
    applicationId: application,
    monitorKey: key,
    name,
    timezone,
    messagesTotal: messages.length,
    messages: messages.slice(0, most).map(({ delivery, recipient, at, monitor }) => ({
      deliveryId: String(delivery),
      recipient,
      kind: monitor.kind,
      at: toIso(at),
    })),
  };
}
