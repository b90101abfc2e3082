// Empties the outbox: claims what may be sent, has its channel send it, stores how that ended, and sleeps until the next.
// At most one attempt per destination and 16 in all; how often to try is retry.ts, whom to leave alone holds.ts. Once
// started it never throws.

import { cleanLine } from "../domain/clean-text.ts";
import type { Log } from "../domain/log.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../domain/time.ts";
import type { Claim, Claims, Clock, Ending, Outbox } from "../engine/contract.ts";
import type { Failing } from "../engine/reach.ts";
import type { Channel, Verdict } from "./channel.ts";
import { logEndings, logRejected, logThrown } from "./delivery-log.ts";
import { createHolds } from "./holds.ts";
import { type Decision, decide, patienceOf } from "./retry.ts";

export interface NotifierParts {
  readonly outbox: Outbox;
  /** By the destination's name. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Calls `run` once after so many milliseconds, in a later turn of the event loop; the answer calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export interface Notifier {
  /**
   * Something may have been added to the outbox. Cheap; to be called after commits. `urgent`: a destination at which a
   * person waits for what was added, so that it is tried though it has just failed.
   */
  nudge(urgent?: string): void;
  /** Throws what the outbox throws. */
  start(): void;
  /** Claims no more and settles when the attempts under way are stored, or after 3 s: they are repeated at the next start. */
  stop(): Promise<void>;
  /** For `/readyz`: destinations whose last attempt failed for all (R36), with what it ended, and since when they fail. */
  failing(): Failing;
}

const ATTEMPTS_AT_ONCE = 16;
/** So many deliveries a destination is handed with one claim, to be sent one after another. */
const BUNDLE = 16;
/** How long an ending may wait for others to be stored with, while its destination still has something to send. Milliseconds. */
const STORED_WITHIN = 10;
/** Even with nothing to do the outbox is looked at this often: a wrong clock may have set the alarm. */
const SLEEP_MAX = HOUR;
/** A channel limits itself to 15 s a message; one that is stuck all the same must not silence its destination. */
const ATTEMPT_MAX = 60 * SECOND;
const STORAGE_RETRY = 10 * SECOND;
/** A stop of the whole service takes 5 s at most. */
const STOP_MAX = 3 * SECOND;
const ANSWER_LENGTH = 300;
/** A delivery's last attempt falls on the end of its patience; so much later it has not had it. */
const TURN_MISSED = MINUTE;

/** An attempt that is over, or came to nothing: one ending for each of the deliveries. */
interface Ended {
  readonly claim: Claim;
  readonly endings: readonly Ending[];
}

/** What becomes of one delivery. */
interface Decided {
  readonly id: number;
  readonly decision: Decision;
}

/** A notifier that does nothing until it is started. */
export function createNotifier({ outbox, channels, clock, random, log, after }: NotifierParts): Notifier {
  /** Bundles by destination. */
  const underWay = new Map<string, Promise<void>>();
  /** How attempts ended, as long as it is not stored. */
  let ended: Ended[] = [];
  const holds = createHolds(clock.monotonic);
  /** Destinations that take digests, with how many alerts fit in one; 1 once they have shown that they take none. */
  const digests = new Map(
    [...channels].flatMap(([name, { digests: most }]) => (most === undefined ? [] : [[name, most] as const])),
  );
  let running = false;
  let closed = false;
  /** What ended last could not be stored. */
  let unstored = false;
  let alarm = { at: Number.POSITIVE_INFINITY, cancel: () => {} };

  /** One alarm at a time; an earlier one replaces a later one. */
  function wakeIn(milliseconds: number): void {
    const at = clock.monotonic() + milliseconds;
    if (closed || alarm.at <= at) return;
    alarm.cancel();
    alarm = { at, cancel: after(milliseconds, wake) };
  }

  function wake(): void {
    alarm = { at: Number.POSITIVE_INFINITY, cancel: () => {} };
    try {
      // Asked once: of a hold that ends meanwhile nothing was claimed, and it must wake all the same.
      const held = holds.held();
      const { claimed, nextAttemptAt } = exchange([...held.keys()]);
      const bundles = Map.groupBy(claimed, ({ destination }) => destination);
      for (const [destination, bundle] of bundles) underWay.set(destination, sendAll(destination, bundle));
      sleep(nextAttemptAt, [...held.values()]);
    } catch (error) {
      unstored = ended.length > 0;
      log("error", "outbox_failed", { error });
      wakeIn(STORAGE_RETRY);
    }
  }

  /** What ended by this turn is stored and what comes next is claimed, in one transaction: ten thousand alerts share few. */
  function exchange(held: readonly string[]): Claims {
    const endings = ended.flatMap((one) => one.endings);
    const limit = running ? ATTEMPTS_AT_ONCE - underWay.size : 0;
    const busy = new Set([...underWay.keys(), ...held]);
    const claims = outbox.exchange(endings, { now: clock.now(), busy, limit, each: BUNDLE, digests });
    for (const one of ended) logEndings(log, one.claim, one.endings);
    ended = [];
    unstored = false;
    return claims;
  }

  /** Until something may be due, or a hold ends. What waits for an attempt under way needs no alarm: its end wakes. */
  function sleep(nextAttemptAt: Instant | null, holdsEnd: readonly number[]): void {
    if (!running) return;
    const next = underWay.size === ATTEMPTS_AT_ONCE ? null : nextAttemptAt;
    const wait = next === null ? SLEEP_MAX : Math.max(next - clock.now(), 0);
    const now = clock.monotonic();
    wakeIn(Math.min(wait, SLEEP_MAX, ...holdsEnd.map((at) => Math.max(at - now, 0))));
  }

  /**
   * One after another, without waiting until it is stored how each ended: what a crash finds unstored comes twice, and that
   * is no more than what ended just now. What may not go out any more is handed back.
   */
  async function sendAll(destination: string, bundle: readonly Claim[]): Promise<void> {
    for (const claim of bundle) {
      const mayGo = running && !unstored && !holds.isHeld(destination);
      const endings = mayGo ? await attempt(claim) : untried(claim);
      ended.push({ claim, endings });
      wakeIn(STORED_WITHIN);
    }
    underWay.delete(destination);
    wakeIn(0);
  }

  async function attempt(claim: Claim): Promise<readonly Ending[]> {
    const { destination, message, members, attempts } = claim;
    const channel = channels.get(destination);
    const verdict = await (channel === undefined ? NOT_CONFIGURED : verdictOf(channel, claim));
    const now = clock.now();
    const answer = cleanLine(verdict.answer, ANSWER_LENGTH);
    const patience = patienceOf(channel?.type ?? "", message);
    // Once for all of a digest, so that it stays together.
    const chance = random();
    const decided = members.map(({ id, createdAt }) => ({
      id,
      decision: decide(verdict, { createdAt, attempts }, patience, now, () => chance),
    }));
    noteTrouble(destination, { ...verdict, answer }, decided, now);
    if (channel?.restMs !== undefined) holds.rest(destination, channel.restMs);
    if (verdict.verdict === "rejected" && members.length > 1) return singly(claim, answer);
    return decided.map(({ id, decision }) => endingOf(id, decision, answer, now));
  }

  /** What is wrong with a digest may be one of its alerts, or that it is one: all go by themselves (R39), until a restart. */
  function singly(claim: Claim, answer: string): readonly Ending[] {
    logRejected(log, claim, answer);
    digests.set(claim.destination, 1);
    return untried(claim);
  }

  /** The channel's verdict, after its plain form where the full one was rejected. Never rejects. */
  async function verdictOf(channel: Channel, claim: Claim): Promise<Verdict> {
    const known = holds.troubles.get(claim.destination);
    const lastTurnAt = claim.createdAt + patienceOf(channel.type, claim.message);
    // Its last turn has passed unused. The destination need not be asked once more for each of those, but only when it
    // has failed since: after days in which the computer slept, it may long be well again.
    if (known !== undefined && known.at >= lastTurnAt && clock.now() > lastTurnAt + TURN_MISSED) {
      return { verdict: "hopeless", answer: known.answer };
    }
    let cancel = () => {};
    const stuck = new Promise<Verdict>((resolve) => {
      cancel = after(ATTEMPT_MAX, () => resolve({ verdict: "retry", answer: "the channel did not come to an end" }));
    });
    try {
      return await Promise.race([sendOnceOrPlain(channel, claim), stuck]);
    } catch (error) {
      logThrown(log, claim, error);
      const answer = "internal error while sending";
      // One of a digest's alerts may be to blame: the others must not wait for it.
      return { verdict: claim.members.length > 1 ? "rejected" : "retry", answer };
    } finally {
      cancel();
    }
  }

  /** A plain digest would not name the jobs. */
  async function sendOnceOrPlain(channel: Channel, claim: Claim): Promise<Verdict> {
    const verdict = await channel.send(claim, { sentAt: clock.now(), plain: false });
    if (verdict.verdict !== "rejected" || claim.members.length > 1) return verdict;
    logRejected(log, claim, cleanLine(verdict.answer, ANSWER_LENGTH));
    return channel.send(claim, { sentAt: clock.now(), plain: true });
  }

  function noteTrouble(destination: string, verdict: Verdict, decided: readonly Decided[], at: Instant): void {
    if (verdict.verdict === "hopeless") return;
    if (destinationWorks(verdict)) return holds.works(destination);
    const wishes = decided.flatMap(({ decision }) => (decision.decision === "retry" ? [decision.holdMs] : []));
    holds.failed(destination, verdict.answer, at, wishes.length === 0 ? 0 : Math.min(...wishes));
  }

  return {
    nudge: (urgent) => {
      if (urgent !== undefined) holds.lift(urgent);
      if (running) wakeIn(0);
    },
    start: () => {
      running = true;
      outbox.releaseClaims();
      wakeIn(0);
    },
    stop: async () => {
      running = false;
      let cancel = () => {};
      const enough = new Promise<void>((resolve) => {
        cancel = after(STOP_MAX, resolve);
      });
      await Promise.race([Promise.all(underWay.values()), enough]);
      cancel();
      // The last that ended have not had their turn.
      if (ended.length > 0) wake();
      closed = true;
      alarm.cancel();
    },
    failing: () => holds.troubles,
  };
}

const NOT_CONFIGURED: Verdict = { verdict: "hopeless", answer: "the destination is not configured any more" };

const destinationWorks = (verdict: Verdict): boolean =>
  verdict.verdict === "delivered" ||
  verdict.verdict === "rejected" ||
  ((verdict.verdict === "retry" || verdict.verdict === "blocked") && verdict.recipientOnly === true);

function endingOf(id: number, decision: Decision, answer: string, at: Instant): Ending {
  switch (decision.decision) {
    case "sent":
      return { id, ending: "sent", at, answer };
    case "retry":
      return { id, ending: "retry", nextAttemptAt: decision.at, answer };
    case "give_up":
      return { id, ending: "given_up", at, answer };
  }
}

const untried = ({ members }: Claim): readonly Ending[] => members.map(({ id }) => ({ id, ending: "untried" }));
