// Empties the outbox: claims what may be sent, has its channel send it, stores how that ended, and sleeps until the next.
// At most one attempt per destination and 16 in all; how often to try is retry.ts. Once started it never throws.

import { cleanLine } from "../domain/clean-text.ts";
import type { Log, LogFields } from "../domain/log.ts";
import type { Message } from "../domain/message.ts";
import { HOUR, type Instant, MINUTE, SECOND, toIso } from "../domain/time.ts";
import type { ClaimedDelivery, Claims, Clock, Ending, Outbox } from "../engine/contract.ts";
import type { Failing } from "../engine/reach.ts";
import type { Channel, Verdict } from "./channel.ts";
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

/** An attempt that is over, or came to nothing. */
interface Ended {
  readonly delivery: ClaimedDelivery;
  readonly ending: Ending;
}

interface Trouble {
  readonly answer: string;
  /** When the first attempt failed since one was good, and when the last did. */
  readonly since: Instant;
  readonly at: Instant;
  /** On the monotonic clock: one of dates that is set back would hold the destination until the old date returns. */
  readonly heldUntil: number;
}

/** A notifier that does nothing until it is started. */
export function createNotifier({ outbox, channels, clock, random, log, after }: NotifierParts): Notifier {
  /** Bundles by destination. */
  const underWay = new Map<string, Promise<void>>();
  /** How attempts ended, as long as it is not stored. */
  let ended: Ended[] = [];
  const troubles = new Map<string, Trouble>();
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
      const { claimed, nextAttemptAt } = exchange();
      const bundles = Map.groupBy(claimed, ({ destination }) => destination);
      for (const [destination, bundle] of bundles) underWay.set(destination, sendAll(destination, bundle));
      sleep(nextAttemptAt);
    } catch (error) {
      unstored = ended.length > 0;
      log("error", "outbox_failed", { error });
      wakeIn(STORAGE_RETRY);
    }
  }

  /** What ended by this turn is stored and what comes next is claimed, in one transaction: ten thousand alerts share few. */
  function exchange(): Claims {
    const endings = ended.map(({ ending }) => ending);
    const limit = running ? ATTEMPTS_AT_ONCE - underWay.size : 0;
    const claims = outbox.exchange(endings, { now: clock.now(), busy: unavailable(), limit, each: BUNDLE });
    ended.forEach(logEnding);
    ended = [];
    unstored = false;
    return claims;
  }

  const unavailable = (): Set<string> => new Set([...underWay.keys(), ...[...troubles.keys()].filter(isHeld)]);

  const isHeld = (destination: string): boolean => (troubles.get(destination)?.heldUntil ?? 0) > clock.monotonic();

  /** Until something may be due. What waits for an attempt under way needs no alarm: its end wakes. */
  function sleep(nextAttemptAt: Instant | null): void {
    if (!running) return;
    const now = clock.monotonic();
    const holds = [...troubles.values()].map(({ heldUntil }) => heldUntil - now).filter((wait) => wait > 0);
    const next = underWay.size === ATTEMPTS_AT_ONCE ? null : nextAttemptAt;
    const wait = next === null ? SLEEP_MAX : Math.max(next - clock.now(), 0);
    wakeIn(Math.min(wait, SLEEP_MAX, ...holds));
  }

  /**
   * One after another, without waiting until it is stored how each ended: what a crash finds unstored comes twice, and that
   * is no more than what ended just now. What may not go out any more is handed back.
   */
  async function sendAll(destination: string, bundle: readonly ClaimedDelivery[]): Promise<void> {
    for (const delivery of bundle) {
      const mayGo = running && !unstored && !isHeld(destination);
      const ending: Ending = mayGo ? await attempt(delivery) : { id: delivery.id, ending: "untried" };
      ended.push({ delivery, ending });
      wakeIn(STORED_WITHIN);
    }
    underWay.delete(destination);
    wakeIn(0);
  }

  async function attempt(delivery: ClaimedDelivery): Promise<Ending> {
    const { id, destination } = delivery;
    const channel = channels.get(destination);
    const verdict = await (channel === undefined ? NOT_CONFIGURED : verdictOf(channel, delivery));
    const patience = patienceOf(channel?.type ?? "", delivery.message);
    const now = clock.now();
    const decision = decide(verdict, delivery, patience, now, random);
    const answer = cleanLine(verdict.answer, ANSWER_LENGTH);
    noteTrouble(destination, verdict, decision, answer, now);
    return endingOf(id, decision, answer, now);
  }

  /** The channel's verdict, after its plain form where the full one was rejected. Never rejects. */
  async function verdictOf(channel: Channel, delivery: ClaimedDelivery): Promise<Verdict> {
    const known = troubles.get(delivery.destination);
    const lastTurnAt = delivery.createdAt + patienceOf(channel.type, delivery.message);
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
      return await Promise.race([sendOnceOrPlain(channel, delivery), stuck]);
    } catch (error) {
      // The message of the error may hold what the channel must keep to itself.
      log("error", "channel_threw", { ...about(delivery), ...whereThrown(error) });
      return { verdict: "retry", answer: "internal error while sending" };
    } finally {
      cancel();
    }
  }

  async function sendOnceOrPlain(channel: Channel, delivery: ClaimedDelivery): Promise<Verdict> {
    const verdict = await channel.send(delivery, { sentAt: clock.now(), plain: false });
    if (verdict.verdict !== "rejected") return verdict;
    log("warn", "delivery_rejected", { ...about(delivery), answer: cleanLine(verdict.answer, ANSWER_LENGTH) });
    return channel.send(delivery, { sentAt: clock.now(), plain: true });
  }

  function noteTrouble(destination: string, verdict: Verdict, decision: Decision, answer: string, at: Instant): void {
    if (verdict.verdict === "hopeless") return;
    if (destinationWorks(verdict)) {
      troubles.delete(destination);
      return;
    }
    const holdMs = decision.decision === "retry" ? decision.holdMs : 0;
    const since = troubles.get(destination)?.since ?? at;
    troubles.set(destination, { answer, since, at, heldUntil: clock.monotonic() + holdMs });
  }

  function logEnding({ delivery, ending }: Ended): void {
    if (ending.ending === "untried") return;
    const [level, event] = LOGGED_AS[ending.ending];
    const next = ending.ending === "retry" ? { nextAttemptAt: toIso(ending.nextAttemptAt) } : {};
    log(level, event, { ...about(delivery), answer: ending.answer, ...next });
  }

  return {
    nudge: (urgent) => {
      const known = urgent === undefined ? undefined : troubles.get(urgent);
      if (urgent !== undefined && known !== undefined) troubles.set(urgent, { ...known, heldUntil: 0 });
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
    failing: () => troubles,
  };
}

const NOT_CONFIGURED: Verdict = { verdict: "hopeless", answer: "the destination is not configured any more" };

const LOGGED_AS = {
  sent: ["info", "delivery_sent"],
  retry: ["warn", "delivery_failed"],
  given_up: ["error", "delivery_given_up"],
} as const;

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

const about = ({ id, destination, recipient, attempts, message }: ClaimedDelivery) => ({
  delivery: id,
  destination,
  recipient,
  attempt: attempts + 1,
  type: message.type,
  ...concernOf(message),
});

function concernOf(message: Message): LogFields {
  if (message.type === "service.notice") return { notice: message.data.notice.kind };
  const { applicationId: application, monitorKey: monitor } = message.data;
  return application === null ? {} : { application, monitor };
}

function whereThrown(error: unknown): { name: string; stack: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: frames.slice(0, 3).map((line) => line.trim()) };
}
