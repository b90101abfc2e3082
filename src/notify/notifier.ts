// Empties the outbox: claims what may be sent, has its channel send it, stores how that ended, and sleeps until the next.
// At most one attempt per destination and 16 in all; how often to try is retry.ts, whom to leave alone holds.ts. Once
// started it never throws.

import { cleanLine } from "../domain/clean-text.ts";
import type { Log } from "../domain/log.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../domain/time.ts";
import type { Claim, Claims, Clock, Ending, Outbox } from "../engine/api.ts";
import type { Failing } from "../engine/telling/reach.ts";
import { ANSWER_LENGTH, attemptOnce, mayBeAboutContent } from "./attempt.ts";
import type { Channel, Verdict } from "./channel.ts";
import { logEndings, logRejected } from "./delivery-log.ts";
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
const STORAGE_RETRY = 10 * SECOND;
/** A stop of the whole service takes 5 s at most. */
const STOP_MAX = 3 * SECOND;
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
  /** What is not stored yet of destinations: since when one fails; null: it has begun to take messages, or was tested. */
  const news = new Map<string, Instant | null>();
  /** Deliveries that go by themselves since a digest they were in was refused (R39). */
  const alone = new Set<number>();
  /** Destinations that take digests, with how many alerts fit in one. */
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
    const claims = outbox.exchange(endings, { now: clock.now(), busy, limit, each: BUNDLE, digests, alone, news });
    for (const one of ended) logEndings(log, one.claim, one.endings);
    for (const { id, ending } of endings) if (ending === "sent" || ending === "given_up") alone.delete(id);
    ended = [];
    unstored = false;
    news.clear();
    // So many at once that pings would wait: the rest comes with the next exchange.
    for (const destination of claims.unforwarded) news.set(destination, null);
    if (news.size > 0) wakeIn(0);
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
    const given = await (channel === undefined ? NOT_CONFIGURED : verdictOf(channel, claim));
    const answer = cleanLine(given.answer, ANSWER_LENGTH);
    if (channel?.restMs !== undefined) holds.rest(destination, channel.restMs);
    if (mayBeAboutContent(given) && members.length > 1) return singly(claim, answer);
    const verdict = judged(claim, { ...given, answer });
    const now = clock.now();
    const patience = patienceOf(channel?.type ?? "", message);
    // Once for all of a digest, so that it stays together.
    const chance = random();
    const decided = members.map(({ id, createdAt }) => ({
      id,
      decision: decide(verdict, { createdAt, attempts }, patience, now, () => chance),
    }));
    note(claim, verdict, decided, now);
    return decided.map(({ id, decision }) => endingOf(id, decision, answer, now));
  }

  /** What is wrong with a digest may be one of its alerts, or that it is one: they go by themselves (R39), until a restart. */
  function singly(claim: Claim, answer: string): readonly Ending[] {
    logRejected(log, claim, answer);
    for (const { id } of claim.members) alone.add(id);
    return untried(claim);
  }

  /**
   * Refused in both its forms: where others were taken lately, that is about this message, and nobody else waits for it.
   * Where so many are refused in a row, it is about none of them (R36).
   */
  function judged({ destination, id }: Claim, verdict: Verdict): Verdict {
    if (verdict.verdict !== "blocked" || !verdict.perhapsContent) return verdict;
    const { answer } = verdict;
    holds.refused(destination, id);
    if (holds.refusesMessages(destination)) return { verdict: "blocked", answer, recipientOnly: true };
    return holds.refusesAll(destination) ? { verdict: "blocked", answer } : verdict;
  }

  async function verdictOf(channel: Channel, claim: Claim): Promise<Verdict> {
    const known = holds.troubles.get(claim.destination);
    const lastTurnAt = claim.createdAt + patienceOf(channel.type, claim.message);
    // Its last turn has passed unused. The destination need not be asked once more for each of those, but only when it
    // has failed since: after days in which the computer slept, it may long be well again.
    if (known !== undefined && known.at >= lastTurnAt && clock.now() > lastTurnAt + TURN_MISSED) {
      return { verdict: "hopeless", answer: known.answer };
    }
    return attemptOnce(channel, claim, { clock, log, after });
  }

  /** What an attempt shows of its destination. */
  function note({ destination, message }: Claim, verdict: Verdict, decided: readonly Decided[], at: Instant): void {
    if (verdict.verdict === "hopeless") return;
    if (verdict.verdict === "delivered") {
      // Whoever has mended a destination tests it, and must not wait for what waits there.
      if (holds.took(destination) || message.type === "destination.test") news.set(destination, null);
      return;
    }
    if (destinationWorks(verdict)) return holds.answered(destination);
    const wishes = decided.flatMap(({ decision }) => (decision.decision === "retry" ? [decision.holdMs] : []));
    const isNews = holds.failed(destination, verdict.answer, at, wishes.length === 0 ? 0 : Math.min(...wishes));
    if (isNews) news.set(destination, holds.troubles.get(destination)!.since);
  }

  return {
    nudge: (urgent) => {
      if (urgent !== undefined) holds.lift(urgent);
      if (running) wakeIn(0);
    },
    start: () => {
      running = true;
      outbox.releaseClaims();
      holds.remember(outbox.failingSince());
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
