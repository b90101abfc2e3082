// Failed authentication as the log tells it (R33): who tries keys is seen, and cannot fill the disk with it. It must not
// decide who is let in, and is never told a key.

import type { Log } from "../domain/log.ts";
import { MINUTE } from "../domain/time.ts";
import type { Clock } from "../engine/contract.ts";

/** Counts one request that was answered 401; `client` is its address. */
export type NoteFailure = (client: string) => void;

/** Addresses that have a line of their own within one minute; those beyond share one. */
const ADDRESSES_KEPT = 1_000;
const OTHERS = "others";

interface AddressMemory {
  /** On the monotonic clock. */
  readonly saidAt: number;
  /** Failures since the line that was written then. */
  unsaid: number;
}

/**
 * A log of failures that has seen none. Each line tells the failures from its address since the line before
 * (`failedBefore`) and all since the start of the process (`failedInAll`), so that none is lost when an address is
 * forgotten; that is at the earliest a minute after its last line.
 */
export function createFailureLog(clock: Clock, log: Log): NoteFailure {
  /** In the order of their last line, the oldest first. */
  const addresses = new Map<string, AddressMemory>();
  let failedInAll = 0;

  /** Whose line a failure of this client is told in. */
  function lineOf(client: string, now: number): string {
    if (addresses.has(client) || addresses.size < ADDRESSES_KEPT) return client;
    for (const [oldest, { saidAt }] of addresses) {
      if (now - saidAt < MINUTE) break;
      addresses.delete(oldest);
      return client;
    }
    return OTHERS;
  }

  return (client) => {
    failedInAll++;
    const now = clock.monotonic();
    const line = lineOf(client, now);
    const known = addresses.get(line);
    if (known !== undefined && now - known.saidAt < MINUTE) {
      known.unsaid++;
      return;
    }
    log("warn", "authentication_failed", { client: line, failedBefore: known?.unsaid ?? 0, failedInAll });
    addresses.delete(line);
    addresses.set(line, { saidAt: now, unsaid: 0 });
  };
}
