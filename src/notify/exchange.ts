// The notifier's exchange with the outbox: it stores how deliveries ended and what was learned, and claims the next
// deliveries in the same transaction.

import type { DestinationFailure } from "../domain/settings/reach.ts";
import type { Claim, Claims, Ending, Outbox, Sooner } from "../engine/api.ts";
import type { SendingParts } from "./channel.ts";
import { logEndings } from "./delivery-log.ts";

export type Exchange = ReturnType<typeof createExchange>;

export const COUNTED_ENDINGS = ["sent", "retry", "given_up"] as const;

/** How many endings one transaction stores, because pings wait for it. */
const STORED_AT_ONCE = 500;

interface EndedClaim {
  readonly claim: Claim;
  readonly endings: readonly Ending[];
  stored: number;
}

/** How many deliveries a destination gets with one claim. They are sent one after another. */
const BUNDLE = 16;

interface ExchangeParts extends SendingParts {
  readonly outbox: Outbox;
  /** Called once a delivered message is stored, if its service can edit messages. */
  readonly stored: (claim: Claim) => void;
}

export function createExchange(parts: ExchangeParts) {
  const { outbox, channels, clock, log, stored } = parts;
  let ended: EndedClaim[] = [];
  const news = new Map<string, DestinationFailure | null>();
  let sooner: Sooner[] = [];
  let written: number[] = [];
  const alone = new Set<number>();
  let isStuck = false;
  const counts = new Map<string, Record<(typeof COUNTED_ENDINGS)[number], number>>();

  /**
   * Stores the endings up to this turn and claims again, in one transaction: ten thousand alerts share few
   * transactions. Nothing is claimed for a destination whose endings are not all stored, so that the messages that
   * waited behind them go out together.
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
    // More at once would make pings wait, so the rest comes with the next exchange.
    sooner = [...claims.unforwarded];
    return claims;
  }

  function count(destination: string, piece: readonly Ending[]): void {
    const known = counts.get(destination) ?? { sent: 0, retry: 0, given_up: 0 };
    for (const { ending } of piece) if (ending !== "untried") known[ending]++;
    counts.set(destination, known);
  }

  return {
    /** Takes the result of an attempt that is over or was not made: one ending for each of the claim's deliveries. */
    ended: (claim: Claim, endings: readonly Ending[]) => void ended.push({ claim, endings, stored: 0 }),
    gathered: createGathered(parts, alone),
    /**
     * Notes how a destination fails; `null` when it takes messages again or was tested, so that its messages need not
     * wait.
     */
    setFailing: (destination: string, failure: DestinationFailure | null): void => {
      news.set(destination, failure);
      // If the destination fails again, the messages there that are not yet brought forward, perhaps thousands, need
      // not be.
      if (failure?.answer != null) sooner = sooner.filter((one) => one.destination !== destination);
    },
    /** Notes deliveries that were sent a while ago and are not answered yet. */
    setWritten: (deliveries: readonly { readonly id: number }[]): void => {
      written = [...written, ...deliveries.map(({ id }) => id)];
    },
    /** Notes that a message may arrive sooner than its last attempt said. */
    bringForward: (what: Sooner) => void sooner.push(what),
    /** Notes deliveries that go out singly because a digest with them was refused (R39). */
    setAlone: (deliveries: readonly { readonly id: number }[]): void => {
      for (const { id } of deliveries) alone.add(id);
    },
    unstored: () => ended.reduce((sum, { endings, stored }) => sum + endings.length - stored, 0),
    isStuck: () => isStuck,
    /** Whether there is news that is not yet stored or not yet fully acted on. */
    hasNews: () => news.size > 0 || sooner.length > 0 || written.length > 0,
    /**
     * Stores the endings, and claims for at most `limit` destinations that are not `busy`. If it throws, nothing is
     * lost.
     */
    run,
    counts,
  };
}

/**
 * Adds all deliveries that belong to a claim's digest, reading a part in each turn while `mayGoOn` says so. If this
 * ends early, or storage fails, the result's `more` is not `null`.
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
 * Takes the first endings that are stored next: a part of each claim, which reaches to `upTo` in the claim's endings.
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
