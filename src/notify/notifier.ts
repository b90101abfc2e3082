// Empties the outbox: it sends the deliveries that wait in the database. It sends to 16 destinations at a time, and to
// each one bundle of deliveries at a time. Once started it never throws.

import { type Instant, MINUTE, SECOND } from "../domain/time.ts";
import type { Claim, Clock, Outbox } from "../engine/api.ts";
import type { SendingParts } from "./channel.ts";
import { createDeliver, SLOW_AFTER, untriedEndings } from "./deliver.ts";
import { createNotifierExchange } from "./exchange.ts";
import { createHolds } from "./holds.ts";
import { createMessageEdits } from "./message-edits.ts";

export type Notifier = ReturnType<typeof createNotifier>;

const BUNDLES_AT_ONCE = 16;
/** The most attempts that run at the same time at a destination that answers slowly. */
const SLOW_MOST = 8;
/** For how many milliseconds endings are gathered to be stored together, while a destination has more to send. */
const STORED_WITHIN = 10;
/**
 * The outbox is read after this many milliseconds at the latest, even if no delivery seems due. A wrong clock may have
 * put the next reading too late, and the wait for it stands still while the machine sleeps.
 */
const SLEEP_MAX = MINUTE;
const STORAGE_RETRY = 10 * SECOND;
/** How many milliseconds the notifier may take to stop, because the whole service must stop within 5 s. */
const STOP_MAX = 3 * SECOND;

/**
 * Makes a notifier, which does nothing until it is started. A delivery goes through these files:
 * 1. `exchange.ts` claims deliveries from `engine/outbox/outbox.ts`, and stores there how the last ones ended.
 * 2. `notifier.ts` sends each bundle one after another, unless `holds.ts` says to leave its destination alone.
 * 3. `deliver.ts` makes one attempt: in full, and again in the plain form if the receiver may have refused the content.
 *    It leaves the job's output out where it may not go. It concludes how each delivery ends; `retry.ts` decides when
 *    it is tried again.
 * 4. `registry.ts` hides API keys in the message, and frees file descriptors for its connection.
 * 5. `email.ts` sends mail; `http-service.ts` sends by the row of its channel, with `chat-*.ts` and `post.ts`.
 * 6. `delivery-log.ts` logs how the delivery ended, once that is stored.
 */
export function createNotifier(parts: SendingParts & { readonly outbox: Outbox }) {
  const { outbox, clock, log, after } = parts;
  const holds = createHolds(clock.monotonic);
  holds.remember(outbox.knownDestinations());
  const living = createMessageEdits(parts);
  const exchange = createNotifierExchange({ ...parts, stored: living.stored });
  const deliver = createDeliver({ ...parts, holds, exchange });
  const alarm = createAlarm(clock.monotonic, after, wake);
  const underWay = new Map<string, Promise<void>>();
  const attempts = createAttempts(after, (claim) => deliver(claim).then((endings) => ended(claim, endings)));
  let running = false;

  function wake(): void {
    try {
      // The holds are read once. A hold that ends after the claims were made must still set the alarm below.
      const held = holds.held();
      const limit = running ? BUNDLES_AT_ONCE - underWay.size : 0;
      const { claimed, nextAttemptAt } = exchange.run(new Set([...underWay.keys(), ...held.keys()]), limit);
      for (const [destination, bundle] of Map.groupBy(claimed, (claim) => claim.destination))
        underWay.set(destination, sendAll(destination, bundle));
      if (exchange.hasNews() || exchange.unstored() > 0) alarm.within(0);
      // While 16 bundles are under way no alarm is needed: the end of a bundle calls `wake`.
      const next = underWay.size === BUNDLES_AT_ONCE ? null : nextAttemptAt;
      if (running) alarm.within(untilDue(next, held, clock));
    } catch (error) {
      log("error", "outbox_failed", { error });
      alarm.within(STORAGE_RETRY);
    }
  }

  function ended(claim: Claim, endings: ReturnType<typeof untriedEndings>): void {
    exchange.ended(claim, endings);
    alarm.within(STORED_WITHIN);
  }

  /**
   * Sends the claims one after another, without waiting until each ending is stored. A crash loses the endings of the
   * last milliseconds, and only those messages are sent twice. The remaining claims are handed back when the notifier
   * stops, the destination is to be left alone, or the database takes no endings.
   */
  async function sendAll(destination: string, bundle: readonly Claim[]): Promise<void> {
    for (const claim of bundle) {
      const mayGo = (): boolean => running && !exchange.isStuck() && !holds.isHeld(destination);
      const whole = claim.more === null ? claim : await exchange.gathered(claim, mayGo);
      if (mayGo() && whole.more === null) await attempts.make(destination, whole);
      else ended(whole, untriedEndings(whole));
    }
    underWay.delete(destination);
    alarm.within(0);
  }

  /** Waits up to 3 s for attempts under way. A delivery without a stored ending is sent again after the next start. */
  async function stop(): Promise<void> {
    running = false;
    await settledWithin(STOP_MAX, [...underWay.values(), ...attempts.underWay()], after);
    // Each `wake` stores some of the last endings. What the database does not take now is sent again by the next start.
    for (let left = Number.POSITIVE_INFINITY; exchange.unstored() > 0 && exchange.unstored() < left; ) {
      left = exchange.unstored();
      wake();
    }
    alarm.close();
  }

  return {
    /**
     * Looks for deliveries to send in a later turn. It is cheap, so it is called after each commit. `urgent` names a
     * destination that is tried at once, because a person waits for the message.
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
    /** Forgets the failures of these destinations, which are new or have other settings now. */
    reconfigured: (destinations: readonly string[]): void => {
      for (const destination of destinations) holds.forget(destination);
      if (running) alarm.within(0);
    },
    /**
     * `changed` edits the sent messages of an incident that was acknowledged, is over or got a reply. `silence` removes
     * the offer to reply from the messages of a destination whose replies are no longer read. `takeBack` closes the
     * incidents that a removed destination keeps open at its service.
     */
    ...living,
    /**
     * Returns each destination whose last attempt failed for all recipients (R36), with what it answered and since when
     * it fails.
     */
    failing: () => holds.failures,
    /** Returns how many attempts ended in each way since the start, for each destination. Only stored endings count. */
    ended: () => exchange.counts,
  };
}

/**
 * Makes attempts one after another at each destination. The next attempt begins when the one before it has ended or has
 * taken 20 s. After a digest that also counts further alerts without naming them, the next one begins only when that
 * has ended.
 */
function createAttempts(after: SendingParts["after"], attempt: (claim: Claim) => Promise<void>) {
  const underWay = new Map<string, Set<Promise<void>>>();

  async function make(destination: string, claim: Claim): Promise<void> {
    const here = underWay.get(destination) ?? new Set();
    underWay.set(destination, here);
    if (here.size >= SLOW_MOST) await Promise.race(here);
    const ending = attempt(claim).finally(() => here.delete(ending));
    here.add(ending);
    // A digest of very many alerts has members that it only counts, and these are not claimed. Another claim could take
    // them while the digest is being sent, so we wait for its end here.
    if (untriedEndings(claim).length < claim.members.length) await ending;
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

const NONE = { at: Number.POSITIVE_INFINITY, cancel: () => {} };

/** Makes an alarm that calls `ring` once, at the earliest time asked for. It does not depend on the wall clock. */
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
    /**
     * Lets the alarm ring (call `ring`) after these milliseconds, in a later turn of the event loop. Changes nothing if
     * the alarm is already set to an earlier time.
     */
    within: (milliseconds: number): void => {
      const at = monotonic() + milliseconds;
      if (closed || next.at <= at) return;
      cancel();
      next = { at, cancel: after(milliseconds, rings) };
    },
    close: (): void => {
      closed = true;
      cancel();
    },
  };
}
