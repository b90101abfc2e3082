// The outbox: how attempts ended, and which deliveries may be attempted now, by themselves or as a digest. Every call is
// one short transaction. How long to wait and when to give up is decided by the caller; nothing is sent here.

import type { Database } from "bun:sqlite";
import type { Log } from "../../domain/log.ts";
import type { Instant } from "../../domain/time.ts";
import { type ClaimStatements, prepareClaims } from "../../store/claims.ts";
import { destinationRows } from "../../store/destinations.ts";
import type { Claims, Ending, Outbox, Sooner, Wanted } from "../api.ts";
import { runBatch } from "../transaction.ts";
import { claimDue, type OutboxParts } from "./claiming.ts";
import { gatherMore } from "./digests.ts";
import { storeEnding } from "./endings.ts";

/** How many are brought forward in one transaction: pings wait for it. */
const FORWARDED_AT_ONCE = 1_000;

/** As SQLite says it. */
const ALL = -1;

/**
 * The outbox over the migrated database. Its calls throw what SQLite throws. `log` hears of what cannot be read or kept,
 * `ended` that attempts have ended.
 */
export function createOutbox(database: Database, log: Log, ended: () => void = () => {}): Outbox {
  const parts: OutboxParts = { statements: prepareClaims(database), destinations: destinationRows(database), log };

  function done(job: Ending | Wanted): Claims {
    if ("ending" in job) {
      storeEnding(parts.statements, job);
      return NOTHING;
    }
    // Before the claim, which takes what was brought forward.
    const unforwarded = takeNews(parts, job);
    return { ...claimDue(parts, job), unforwarded };
  }

  /** An ending that cannot be stored by itself holds up its lane until the next start, which sends the delivery again. */
  function thrown(job: Ending | Wanted, error: unknown): Claims {
    if (!("ending" in job)) throw error;
    log("error", "ending_not_stored", { delivery: job.id, ending: job.ending, error });
    return NOTHING;
  }

  return {
    releaseClaims: () => void parts.statements.releaseClaims.run(),
    reconfigured: (fingerprints, now) => database.transaction(() => reconfigured(parts, fingerprints, now)).immediate(),
    failingSince: parts.destinations.failingSince,
    gather: (claim, now, alone) =>
      claim.more === null ? claim : gatherMore(parts.statements, claim, claim.more, now, alone),
    exchange: (endings, wanted) => {
      const claims = runBatch(database, [...endings, wanted], done, thrown).at(-1)!;
      if (endings.length > 0) ended();
      return claims;
    },
  };
}

const NOTHING: Claims = { claimed: [], nextAttemptAt: null, unforwarded: [] };

/** Remembers what is new of destinations, brings forward, and answers where more waits for a later time than that. */
function takeNews({ statements, destinations }: OutboxParts, { news, sooner, now }: Wanted): Sooner[] {
  for (const [destination, failingSince] of news) destinations.setFailing(destination, failingSince);
  const working = [...news].filter(([, failingSince]) => failingSince === null);
  const all = [...working.map(([destination]): Sooner => ({ destination, what: "all" })), ...sooner];
  return all.filter((one) => !isForwarded(statements, one, now));
}

/** Brings it forward, as much as at once may be; whether that was all. */
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
  { statements, destinations }: OutboxParts,
  fingerprints: ReadonlyMap<string, string>,
  now: Instant,
): string[] {
  destinations.keep([...fingerprints.keys()]);
  return [...fingerprints].flatMap(([destination, fingerprint]) => {
    const known = destinations.fingerprint(destination);
    if (known === fingerprint) return [];
    destinations.setFingerprint(destination, fingerprint);
    statements.forward.run({ destination, recipient: null, now, limit: ALL });
    return known === null ? [] : [destination];
  });
}
