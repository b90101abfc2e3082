// Logs failed authentications (R33), so that people see clients that try keys, and revoked keys that are still used.

import type { Log } from "../../domain/log.ts";
import { MINUTE } from "../../domain/time.ts";
import type { Clock, RevokedKey } from "../../engine/api.ts";
import { createFailureLog } from "../failure-log.ts";

/**
 * Counts one request that was answered 401. `client` is the address that sent it; `revoked` is the revoked key that it
 * carried, `null` when it carried none.
 */
export type NoteFailure = (client: string, revoked: Revoked | null) => void;

type Revoked = Pick<RevokedKey, "keyId"> & Partial<Pick<RevokedKey, "application">>;

/**
 * Makes a log of failures as `createFailureLog` does. It also logs each revoked key that is still used, at most once a
 * minute, by the key's number and never by its text.
 */
export function createKeyFailureLog(
  clock: Clock,
  log: Log,
  events = { failed: "authentication_failed", revoked: "revoked_key_used" },
): NoteFailure {
  const noteFailure = createFailureLog(clock, log, events.failed);
  /**
   * When each key was last logged, in milliseconds of the monotonic clock. The map has at most as many entries as keys
   * were ever made.
   */
  const saidAt = new Map<number, number>();
  return (client, revoked) => {
    noteFailure(client);
    if (revoked === null) return;
    const { keyId: key, application } = revoked;
    const now = clock.monotonic();
    if (now - (saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE) return;
    saidAt.set(key, now);
    log("warn", events.revoked, { key, ...(application === undefined ? {} : { application }), client });
  };
}
