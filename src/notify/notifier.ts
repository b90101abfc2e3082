// Empties the outbox. One bundle of deliveries per destination is sent at a time, and 16 in all. Once started it never
// throws.

import { type Instant, MINUTE, SECOND } from "../domain/time.ts";
import type { Claim, Clock, Outbox } from "../engine/api.ts";
import type { SendingParts } from "./channel.ts";
import { createDeliver, SLOW_AFTER, untried } from "./deliver.ts";
import { createExchange } from "./exchange.ts";
import { createHolds } from "./holds.ts";
import { createMessageEdits } from "./message-edits.ts";

export type Notifier = ReturnType<typeof createNotifier>;

const BUNDLES_AT_ONCE = 16;
/** How many attempts are under way at once at a destination that answers slowly. */
const SLOW_MOST = 8;
/** How long, in milliseconds, an ending waits for others to be stored with, while its destination has more to send. */
const STORED_WITHIN = 10;
/**
 * After how many milliseconds the outbox is read even with nothing to do: a wrong clock may have set the alarm, and
 * while the machine slept the alarm's clock stood still.
 */
const SLEEP_MAX = MINUTE;
const STORAGE_RETRY = 10 * SECOND;
/** Within how many milliseconds the notifier stops, because a stop of the whole service takes 5 s at most. */
const STOP_MAX = 3 * SECOND;

/**
 * A notifier that does nothing until it is started. The way of a delivery, file by file:
 * 1. `engine/outbox/outbox.ts` claims what may be sent; `exchange.ts` asks it, and stores how the last ones ended.
 * 2. `notifier.ts` sends each bundle one after another, unless `holds.ts` leaves its destination alone.
 * 3. `deliver.ts` makes one attempt: without output where it may not go, in full, then plainly. It
 *    draws from the response how each delivery ends; `retry.ts` decides how often it is tried.
 * 4. `registry.ts` takes keys out of the message, and frees descriptors for its connection.
 * 5. `email.ts` sends it, or `http-service.ts` by the row of its channel, with `chat-*.ts` and `post.ts`.
 * 6. `delivery-log.ts` logs how it ended, once that is stored.
 */
export function createNotifier(parts: SendingParts & { readonly outbox: Outbox }) {
  const { outbox, clock, log, after } = parts;
  const holds = createHolds(clock.monotonic);
  holds.remember(outbox.knownDestinations());
  const living = createMessageEdits(parts);
  const exchange = createExchange({ ...parts, stored: living.stored });
  const deliver = createDeliver({ ...parts, holds, exchange });
  const alarm = createAlarm(clock.monotonic, after, wake);
  const underWay = new Map<string, Promise<void>>();
  const attempts = createAttempts(after, (claim) => deliver(claim).then((endings) => ended(claim, endings)));
  let running = false;

  function wake(): void {
    try {
      // The holds are read once, because a hold that ends meanwhile got no claim and must still wake the loop.
      const held = holds.held();
      const limit = running ? BUNDLES_AT_ONCE - underWay.size : 0;
      const { claimed, nextAttemptAt } = exchange.run(new Set([...underWay.keys(), ...held.keys()]), limit);
      for (const [destination, bundle] of Map.groupBy(claimed, (claim) => claim.destination))
        underWay.set(destination, sendAll(destination, bundle));
      if (exchange.hasNews() || exchange.unstored() > 0) alarm.within(0);
      // Deliveries that wait for a bundle under way need no alarm: the end of the bundle wakes the loop.
      const next = underWay.size === BUNDLES_AT_ONCE ? null : nextAttemptAt;
      if (running) alarm.within(untilDue(next, held, clock));
    } catch (error) {
      log("error", "outbox_failed", { error });
      alarm.within(STORAGE_RETRY);
    }
  }

  function ended(claim: Claim, endings: ReturnType<typeof untried>): void {
    exchange.ended(claim, endings);
    alarm.within(STORED_WITHIN);
  }

  /**
   * Sends one delivery after another, without waiting until each result is stored. After a crash the unstored ones are
   * sent twice, which are only those that ended just now. Deliveries that may not go out any more are handed back.
   */
  async function sendAll(destination: string, bundle: readonly Claim[]): Promise<void> {
    for (const claim of bundle) {
      const mayGo = (): boolean => running && !exchange.isStuck() && !holds.isHeld(destination);
      const whole = claim.more === null ? claim : await exchange.gathered(claim, mayGo);
      if (mayGo() && whole.more === null) await attempts.make(destination, whole);
      else ended(whole, untried(whole));
    }
    underWay.delete(destination);
    alarm.within(0);
  }

  /** Claims nothing more; resolves once all results are stored, or after 3 s: the next start repeats the rest. */
  async function stop(): Promise<void> {
    running = false;
    await settledWithin(STOP_MAX, [...underWay.values(), ...attempts.underWay()], after);
    // The last results are not stored yet. Deliveries whose results storage refuses are repeated at the next start.
    for (let left = Number.POSITIVE_INFINITY; exchange.unstored() > 0 && exchange.unstored() < left; ) {
      left = exchange.unstored();
      wake();
    }
    alarm.close();
  }

  return {
    /**
     * Looks for deliveries to send. Cheap; to be called after commits. `urgent` names a destination to try at once,
     * because a person waits.
     */
    nudge: (urgent?: string): void => {
      if (urgent !== undefined) holds.lift(urgent);
      if (running) alarm.within(0);
    },
    start: (): void => {
      running = true;
      outbox.releaseClaims();
      alarm.within(0);
    },
    stop,
    /** Forgets what was learned from failures of these destinations, which are new or have other settings. */
    reconfigured: (destinations: readonly string[]): void => {
      for (const destination of destinations) holds.forget(destination);
      if (running) alarm.within(0);
    },
    /**
     * `changed` is for an incident that is acknowledged, over or got a reply, `silence` for a destination whose replies
     * are no longer read.
     */
    ...living,
    /**
     * The destinations whose last attempt failed for all recipients (R36), with how it ended and since when they fail.
     */
    failing: () => holds.failures,
    /** How attempts have ended since the start, as far as their results are stored. */
    ended: () => exchange.counts,
  };
}

/** Makes attempts one after another at each destination, and beside an attempt that is slow. */
function createAttempts(after: SendingParts["after"], attempt: (claim: Claim) => Promise<void>) {
  const underWay = new Map<string, Set<Promise<void>>>();

  /**
   * Makes one attempt. Resolves when the claim has ended, or takes so long that other messages may be sent to its
   * destination at the same time.
   */
  async function make(destination: string, claim: Claim): Promise<void> {
    const here = underWay.get(destination) ?? new Set();
    underWay.set(destination, here);
    if (here.size >= SLOW_MOST) await Promise.race(here);
    const ending = attempt(claim).finally(() => here.delete(ending));
    here.add(ending);
    // Deliveries that a vast digest only counts are not claimed, so they could be claimed while it is being sent.
    if (untried(claim).length < claim.members.length) await ending;
    else await settledWithin(SLOW_AFTER, [ending], after);
  }

  return { make, underWay: () => [...underWay.values()].flatMap((here) => [...here]) };
}

function untilDue(nextAttemptAt: Instant | null, held: ReadonlyMap<string, number>, clock: Clock): number {
  const due = nextAttemptAt === null ? SLEEP_MAX : nextAttemptAt - clock.now();
  const holdsEnd = [...held.values()].map((at) => at - clock.monotonic());
  return Math.max(Math.min(SLEEP_MAX, due, ...holdsEnd), 0);
}

async function settledWithin(
  milliseconds: number,
  promises: readonly Promise<void>[],
  after: SendingParts["after"],
): Promise<void> {
  let cancel = () => {};
  const enough = new Promise<void>((resolve) => {
    cancel = after(milliseconds, resolve);
  });
  await Promise.race([Promise.all(promises), enough]);
  cancel();
}

// One alarm at a time, at the earliest requested instant. It must not use a clock of dates, because people may set
// that.

const NONE = { at: Number.POSITIVE_INFINITY, cancel: () => {} };

function createAlarm(monotonic: () => number, after: SendingParts["after"], ring: () => void) {
  let next = NONE;
  let closed = false;

  function cancel(): void {
    next.cancel();
    next = NONE;
  }

  function rings(): void {
    next = NONE;
    ring();
  }

  return {
    /** Rings after these milliseconds, in a later turn of the event loop. An earlier alarm replaces a later one. */
    within: (milliseconds: number): void => {
      const at = monotonic() + milliseconds;
      if (closed || next.at <= at) return;
      cancel();
      next = { at, cancel: after(milliseconds, rings) };
    },
    /** Stops the alarm for good. */
    close: (): void => {
      closed = true;
      cancel();
    },
  };
}
