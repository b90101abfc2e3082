// The notifier's side of its exchange with the outbox: collects endings and news about destinations, stores them, and
// claims the next deliveries in the same transaction. Decides nothing about an attempt.

import type { Log } from "../domain/log.ts";
import type { Instant } from "../domain/time.ts";
import type { Claim, Claims, Clock, Ending, Outbox } from "../engine/api.ts";
import type { Channel } from "./channel.ts";
import { logEndings } from "./delivery-log.ts";

export interface Exchange {
  /** An attempt is over or was not made: one ending for each of the claim's deliveries. */
  ended(claim: Claim, endings: readonly Ending[]): void;
  /** It fails since then; null: it takes messages again or was tested, so what waits there need not wait. */
  setFailing(destination: string, since: Instant | null): void;
  /** These go out singly because a digest with them was refused (R39). */
  setAlone(deliveries: readonly { readonly id: number }[]): void;
  /** Whether endings wait to be stored. */
  hasEndings(): boolean;
  /** Whether the last endings could not be stored. */
  isStuck(): boolean;
  /** Whether there is news that we have not fully acted on. */
  hasNews(): boolean;
  /** Stores, and claims for at most `limit` destinations that are not `busy`. If the outbox throws, nothing is lost. */
  run(busy: ReadonlySet<string>, limit: number): Claims;
}

interface ExchangeParts {
  readonly outbox: Outbox;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How many deliveries a destination gets with one claim, to send one after another. */
const BUNDLE = 16;

export function createExchange({ outbox, channels, clock, log }: ExchangeParts): Exchange {
  let ended: { readonly claim: Claim; readonly endings: readonly Ending[] }[] = [];
  const news = new Map<string, Instant | null>();
  const alone = new Set<number>();
  /** Destinations that take digests, with the most alerts in one. */
  const digests = new Map(
    [...channels].flatMap(([name, { digests: most }]) => (most === undefined ? [] : [[name, most] as const])),
  );
  let isStuck = false;

  /** One transaction stores endings up to this turn and claims again: ten thousand alerts share few transactions. */
  function run(busy: ReadonlySet<string>, limit: number): Claims {
    const endings = ended.flatMap((one) => one.endings);
    isStuck = endings.length > 0;
    const claims = outbox.exchange(endings, { now: clock.now(), busy, limit, each: BUNDLE, digests, alone, news });
    for (const { claim, endings } of ended) logEndings(log, claim, endings);
    for (const { id, ending } of endings) if (ending === "sent" || ending === "given_up") alone.delete(id);
    ended = [];
    isStuck = false;
    news.clear();
    // More at once would make pings wait: the rest comes with the next exchange.
    for (const destination of claims.unforwarded) news.set(destination, null);
    return claims;
  }

  return {
    ended: (claim, endings) => void ended.push({ claim, endings }),
    setFailing: (destination, since) => void news.set(destination, since),
    setAlone: (deliveries) => {
      for (const { id } of deliveries) alone.add(id);
    },
    hasEndings: () => ended.length > 0,
    isStuck: () => isStuck,
    hasNews: () => news.size > 0,
    run,
  };
}
