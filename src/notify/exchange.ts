// The notifier's exchange with the outbox. In one transaction it stores how deliveries ended and what was learned about
// destinations, and claims the next deliveries.

import type { DestinationFailure } from "../domain/telling/reach.ts";
import type { Claim, Claims, Ending, Outbox, Sooner } from "../engine/api.ts";
import type { SendingParts } from "./channel.ts";
import { logEndings } from "./delivery-log.ts";

export type Exchange = ReturnType<typeof createNotifierExchange>;

export const COUNTED_ENDINGS = ["sent", "retry", "given_up"] as const;

/** How many endings one transaction stores at most, because pings wait while it runs. */
const STORED_AT_ONCE = 500;

interface EndedClaim {
  readonly claim: Claim;
  readonly endings: readonly Ending[];
  stored: number;
}

/** How many deliveries of one destination are claimed together at most. They are then sent one after another. */
const BUNDLE = 16;

interface ExchangeParts extends SendingParts {
  readonly outbox: Outbox;
  /** Called after it is stored that a message was delivered, if the service gave that message an id (`sentAs`). */
  readonly stored: (claim: Claim) => void;
}

export function createNotifierExchange(parts: ExchangeParts) {
  const { outbox, channels, clock, log, stored } = parts;
  let ended: EndedClaim[] = [];
  const news = new Map<string, DestinationFailure | null>();
  let sooner: Sooner[] = [];
  let written: number[] = [];
  const alone = new Set<number>();
  let isStuck = false;
  const counts = new Map<string, Record<(typeof COUNTED_ENDINGS)[number], number>>();

  /**
   * Stores the endings that have gathered, and claims deliveries for at most `limit` destinations that are not `busy`.
   * One transaction does both, so that ten thousand alerts need few transactions. Nothing is claimed for a destination
   * until all its endings are stored. Only then may its next messages go, as many as possible together. If the call
   * throws, nothing is lost: the next call stores the same endings again.
   */
  function run(busy: ReadonlySet<string>, limit: number): Claims {
    const pieces = firstPieces(ended);
    const endings = pieces.flatMap(({ piece }) => piece);
    const left = ended.filter(({ endings }, place) => endings.length > (pieces[place]?.upTo ?? 0));
    const untouched = new Set([...busy, ...left.map(({ claim }) => claim.destination)]);
    isStuck = endings.length > 0;
    const digests = digestsOf(channels);
    const wanted = { now: clock.now(), busy: untouched, limit, each: BUNDLE, digests, alone, written, news, sooner };
    const claims = outbox.exchange(endings, wanted);
    for (const { one, piece, upTo } of pieces) {
      one.stored = upTo;
      count(one.claim.destination, piece);
      if (upTo === one.endings.length) logEndings(log, one.claim, one.endings);
      if (piece.some((ending) => "sentAs" in ending)) stored(one.claim);
    }
    for (const { id, ending } of endings) if (ending === "sent" || ending === "given_up") alone.delete(id);
    ended = left;
    isStuck = false;
    news.clear();
    written = [];
    // `unforwarded` names the waiting messages that could not all be made due in this transaction, because pings wait
    // for it. The next exchange makes more of them due.
    sooner = [...claims.unforwarded];
    return claims;
  }

  function count(destination: string, piece: readonly Ending[]): void {
    const known = counts.get(destination) ?? { sent: 0, retry: 0, given_up: 0 };
    for (const { ending } of piece) if (ending !== "untried") known[ending]++;
    counts.set(destination, known);
  }

  return {
    /**
     * Notes how the deliveries of a claim ended. `run` stores the endings later. After an attempt there is an ending
     * for each delivery that the sent message told of. Without an attempt there is an ending for each delivery that is
     * marked as claimed.
     */
    ended: (claim: Claim, endings: readonly Ending[]) => void ended.push({ claim, endings, stored: 0 }),
    gathered: createGathered(parts, alone),
    /**
     * Notes how a destination fails. `failure` is `null` when it takes messages again or has taken a test; then its
     * waiting messages go out at once.
     */
    setFailing: (destination: string, failure: DestinationFailure | null): void => {
      news.set(destination, failure);
      // The destination has failed again. So its waiting messages, perhaps thousands, are no longer made due early.
      if (failure?.answer != null) sooner = sooner.filter((one) => one.destination !== destination);
    },
    /**
     * Notes deliveries whose whole message was sent and got no response for 20 s. The list of deliveries then shows
     * people that the message may have arrived.
     */
    setWritten: (deliveries: readonly { readonly id: number }[]): void => {
      written = [...written, ...deliveries.map(({ id }) => id)];
    },
    /**
     * Notes that waiting messages of a destination may be tried now, earlier than was decided after their last attempt.
     */
    bringForward: (what: Sooner) => void sooner.push(what),
    /** Notes deliveries that must go out one by one, because a digest with them was refused (R39). */
    setAlone: (deliveries: readonly { readonly id: number }[]): void => {
      for (const { id } of deliveries) alone.add(id);
    },
    unstored: () => ended.reduce((sum, { endings, stored }) => sum + endings.length - stored, 0),
    isStuck: () => isStuck,
    /**
     * Whether `run` has something to do besides storing endings. It may have to store how destinations fail, or which
     * deliveries got no response for long, or to make messages due earlier.
     */
    hasNews: () => news.size > 0 || sooner.length > 0 || written.length > 0,
    run,
    counts,
  };
}

/**
 * Reads the deliveries of a digest (one message about several alerts) that its claim still lacks, and returns the claim
 * with them. It reads some in each turn of the event loop, while `mayGoOn` returns true. In the result, `more` is
 * `null` when the digest is complete. Otherwise `mayGoOn` or an error of the database ended the reading early.
 */
const createGathered =
  ({ outbox, clock, log, after }: ExchangeParts, alone: ReadonlySet<number>) =>
  async (claim: Claim, mayGoOn: () => boolean): Promise<Claim> => {
    const members = [...claim.members];
    let whole = claim;
    while (whole.more !== null && mayGoOn()) {
      await new Promise<void>((resume) => after(0, resume));
      try {
        const piece = outbox.gather(whole, clock.now(), alone);
        whole = piece.claim;
        members.push(...piece.added);
      } catch (error) {
        log("error", "outbox_failed", { error });
        break;
      }
    }
    return { ...whole, members };
  };

const digestsOf = (channels: SendingParts["channels"]): ReadonlyMap<string, number> =>
  new Map([...channels].flatMap(([name, { digests: most }]) => (most === undefined ? [] : [[name, most] as const])));

/**
 * Returns the endings to store next, 500 at most: from each claim a `piece` of its endings. `upTo` is how many endings
 * of the claim will be stored after that: those stored earlier and the piece.
 */
function firstPieces(ended: readonly EndedClaim[]) {
  let room = STORED_AT_ONCE;
  const pieces: { readonly one: EndedClaim; readonly piece: readonly Ending[]; readonly upTo: number }[] = [];
  for (const one of ended) {
    if (room === 0) break;
    const piece = one.endings.slice(one.stored, one.stored + room);
    room -= piece.length;
    pieces.push({ one, piece, upTo: one.stored + piece.length });
  }
  return pieces;
}
