// Idempotency keys (R11): the answer to the first ping that carried one is kept in the transaction that applied it, and goes
// out again to every repeat. The text is the edge's; nothing here reads it.

import { IDEMPOTENCY_SPAN } from "../../domain/limits.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { Idempotency, KeptAnswer, Ping, Receipt } from "../api.ts";

/** What a ping that arrived at `at` repeats, as it was answered; null: nothing. */
export function recallAnswer({ idempotency }: Store, ping: Ping, at: Instant): KeptAnswer | null {
  if (ping.idempotency === null) return null;
  const { monitorKey, caller } = ping;
  const { key } = ping.idempotency;
  const text = idempotency.recall({
    applicationId: caller.applicationId,
    monitorKey,
    key,
    since: at - IDEMPOTENCY_SPAN,
  });
  return text === null ? null : { text };
}

/** Keeps what a ping of this monitor is answered. Its first sender gets the very text that is kept. */
export function keepAnswer(
  store: Store,
  monitorId: number,
  { key, textOf }: Idempotency,
  receipt: Receipt,
): KeptAnswer {
  const text = textOf(receipt);
  store.idempotency.keep({ monitorId, key, at: receipt.at, answer: text });
  return { text };
}
