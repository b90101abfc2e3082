// The verdict on copies: a message may come to a receiver again only when rollcall could not write down that it was
// sent.

import { Contradiction } from "./failure.ts";
import type { Reception } from "./receivers.ts";
import { DAY, type Instant } from "./units.ts";

export interface CopyVerdict {
  /** Rollcall begins to send this delivery: not one that it has written down as sent. */
  sending(id: number): void;
  /** A message has arrived; whether it is a copy of one that had. */
  received(reception: Readonly<Record<"receiver", string>> & Omit<Reception, "receiver">, now: Instant): boolean;
  /** It was written down that this delivery was sent. */
  marked(id: number, now: Instant): void;
  /** Whether this delivery has arrived at least once. */
  hasArrived(id: number): boolean;
  /** The database is as it was at this time: what was marked since is not. */
  putBack(madeAt: Instant): void;
  count(): number;
}

interface Arrived {
  readonly reference: string;
  at: Instant;
  markedAt: Instant | null;
}

const KEPT = 30 * DAY;

export function copyVerdict(): CopyVerdict {
  /** By the delivery's number. */
  const arrived = new Map<number, Arrived>();
  let copies = 0;
  let sweptAt = 0;

  function received(
    { reference, delivery, receiver, recipient }: Parameters<CopyVerdict["received"]>[0],
    now: Instant,
  ): boolean {
    if (now - sweptAt > DAY) sweep(now);
    const known = arrived.get(delivery.id);
    if (known === undefined) {
      arrived.set(delivery.id, { reference, at: now, markedAt: null });
      return false;
    }
    const details = { receiver, recipient, reference, known, createdAt: delivery.createdAt, message: delivery.message };
    if (known.reference !== reference) throw new Contradiction("a copy bears another reference", null, details, []);
    known.at = now;
    copies += 1;
    return true;
  }

  function sweep(now: Instant): void {
    sweptAt = now;
    for (const [id, { at }] of arrived) if (now - at > KEPT) arrived.delete(id);
  }

  return {
    sending: (id) => {
      if ((arrived.get(id)?.markedAt ?? null) !== null)
        throw new Contradiction("a message was sent again although it was marked", null, { id }, []);
    },
    received,
    marked: (id, now) => {
      const known = arrived.get(id);
      if (known !== undefined) known.markedAt = now;
    },
    hasArrived: (id) => arrived.has(id),
    putBack: (madeAt) => {
      for (const known of arrived.values()) if ((known.markedAt ?? 0) >= madeAt) known.markedAt = null;
    },
    count: () => copies,
  };
}
