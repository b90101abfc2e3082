// Idempotency keys (R11): the transaction that applies the first ping with a key also keeps its answer, and every
// repeat gets that answer. The edge writes the text; nothing here reads it.

import { IDEMPOTENCY_SPAN } from "../../domain/limits.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { Idempotency, KeptAnswer, Ping, Receipt } from "../api.ts";

/** The answer to the ping that this one, arrived at `at`, repeats; null: it repeats none. */
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

/** Keeps the answer to a ping of this monitor. Its first sender gets the very text that is kept. */
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
