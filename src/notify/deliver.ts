// Sends one claim: one delivery, or a digest of several. The verdict on the attempt shows whether the destination
// works, and decides how each delivery of the claim ends. The notifier calls this.

import { isAlert, type Message } from "../domain/message/message.ts";
import { notAfter } from "../domain/message/not-after.ts";
import { plainForm } from "../domain/message/plain-form.ts";
import { NOT_CONFIGURED } from "../domain/telling/owed.ts";
import { cleanLine } from "../domain/text.ts";
import { type Instant, MINUTE, SECOND } from "../domain/time.ts";
import type { Claim, Ending } from "../engine/api.ts";
import type { Channel, SendContext, SendingParts, Verdict } from "./channel.ts";
import { logRejected, logThrown } from "./delivery-log.ts";
import type { Exchange } from "./exchange.ts";
import type { Holds } from "./holds.ts";
import { type Decision, decideRetry, patienceOf, sendingGivenUpAt } from "./retry.ts";

interface DeliverParts extends SendingParts {
  readonly holds: Holds;
  readonly exchange: Pick<Exchange, "setFailing" | "setAlone" | "setWritten" | "bringForward">;
}

/**
 * When a delivery is claimed more than this many milliseconds after its final attempt was due, it has missed that
 * attempt.
 */
const TURN_MISSED = MINUTE;

const UNKNOWN_DESTINATION: Verdict = { verdict: "hopeless", answer: NOT_CONFIGURED };

export function createDeliver(parts: DeliverParts): (claim: Claim) => Promise<readonly Ending[]> {
  const { channels, clock, steadySince, random, log, holds, exchange, after } = parts;
  const { note, noteRecipient } = createNotes(parts);

  async function deliver(claim: Claim): Promise<readonly Ending[]> {
    const { destination, message, members, attempts } = claim;
    const channel = channels.get(destination);
    const given = await (channel === undefined ? UNKNOWN_DESTINATION : verdictOf(channel, claim));
    // A reload gave the destination other settings during this attempt. The failure says nothing about them, so the
    // deliveries wait to be tried with the new settings.
    if (given.verdict !== "delivered" && channels.get(destination) !== channel) return untriedEndings(claim);
    const answer = cleanLine(given.answer, ANSWER_LENGTH);
    if (channel?.restMs !== undefined) holds.rest(destination, channel.restMs);
    if (mayBeAboutContent(given) && members.length > 1) return singly(claim, answer);
    const verdict = judged(claim, { ...given, answer }, holds);
    const now = clock.now();
    const patience = patienceOf(channel ?? {}, message);
    const since = steadySince();
    // The deliveries of a digest share one random number, so that all of them are tried again at the same time.
    const chance = random();
    const tries = destinationWorks(verdict) ? attempts : Math.min(attempts, holds.triesSince(destination) ?? attempts);
    const decided = members.map(({ id, createdAt }) => ({
      id,
      decision: decideRetry(verdict, tries, sendingGivenUpAt(createdAt, patience, since), now, () => chance),
    }));
    note(claim, verdict, decided, now);
    const over = decided.flatMap(({ id, decision }) => (decision.decision === "retry" ? [] : [id]));
    holds.ended(destination, over);
    noteRecipient(claim, given);
    const claimed = claimedOf(claim).length;
    return decided.map(({ id, decision }, place) => {
      const ending = endingOf(id, decision, answer, now, given);
      return place < claimed ? ending : { ...ending, digestId: claim.id };
    });
  }

  /**
   * Notes that the alerts of this digest go out one by one from now on, until a restart (R39). The receiver refused the
   * digest, and one alert or the form of a digest may be the reason.
   */
  function singly(claim: Claim, answer: string): readonly Ending[] {
    logRejected(log, claim, answer);
    exchange.setAlone(claimedOf(claim));
    return untriedEndings(claim);
  }

  async function verdictOf(channel: Channel, claim: Claim): Promise<Verdict> {
    const known = holds.failures.get(claim.destination);
    const lastTurnAt = sendingGivenUpAt(claim.createdAt, patienceOf(channel, claim.message), steadySince());
    // `lastTurnAt` is when the delivery's last attempt was due. If that is long ago, and the destination has failed
    // after that, the delivery is given up without an attempt. If the destination has not failed after that, one more
    // attempt is made: the computer may have slept for days, and the destination may work again.
    if (known !== undefined && !known.remembered && known.at >= lastTurnAt && clock.now() > lastTurnAt + TURN_MISSED) {
      return { verdict: "hopeless", answer: known.answer };
    }
    const late = createLateness(() => exchange.setWritten(claimedOf(claim)), after);
    return attemptOnce(channel, claim, { ...parts, written: late.written }).finally(late.ended);
  }

  return deliver;
}

/** Calls `unanswered` once the whole message is written and the attempt has taken longer than `SLOW_AFTER`. */
function createLateness(unanswered: () => void, after: SendingParts["after"]) {
  let isWritten = false;
  let isLate = false;
  const told = (): void => {
    if (isWritten && isLate) unanswered();
  };
  const ended = after(SLOW_AFTER, () => {
    isLate = true;
    told();
  });
  return {
    written: (): void => {
      if (isWritten) return;
      isWritten = true;
      told();
    },
    ended,
  };
}

function createNotes({ holds, exchange }: Pick<DeliverParts, "holds" | "exchange">) {
  function note(
    claim: Claim,
    verdict: Verdict,
    decided: readonly Readonly<{ id: number; decision: Decision }>[],
    at: Instant,
  ): void {
    const { destination, message } = claim;
    if (verdict.verdict === "hopeless") return;
    if (verdict.verdict === "delivered") {
      // Two events end the failure of a destination: the first message that it takes again, and a test that it takes.
      // Then the messages that wait for it go out at once.
      const isAgain = holds.took(destination);
      if (isAgain || message.type === "destination.test") exchange.setFailing(destination, null);
      if (isAgain) tryOthers(destination);
      return;
    }
    if (destinationWorks(verdict) && judgesWell(verdict, claim, holds)) {
      const since = holds.answered(destination);
      if (since === null) return;
      exchange.setFailing(destination, { since, answer: null, blocked: false });
      exchange.bringForward({ destination, what: "all" });
      return tryOthers(destination);
    }
    const before = holds.failures.get(destination);
    let hold = Number.POSITIVE_INFINITY;
    for (const { decision } of decided) if (decision.decision === "retry") hold = Math.min(hold, decision.holdMs);
    const isNews = holds.failed(destination, verdict, at, Number.isFinite(hold) ? hold : 0);
    if (isNews) exchange.setFailing(destination, holds.failures.get(destination)!);
    // The destination had failed in another way, such as by a timeout, and now it refuses this message. The next
    // waiting message is tried at once: it shows whether this message or the destination is to blame.
    if (mayBeAboutContent(verdict) && before?.blocked === false) exchange.bringForward({ destination, what: "first" });
  }

  /** Tries one message at each other failed destination: the network may have been down, and they may work again. */
  function tryOthers(destination: string): void {
    for (const other of holds.mayWork(destination)) exchange.bringForward({ destination: other, what: "first" });
  }

  function noteRecipient({ destination, recipient }: Claim, verdict: Verdict): void {
    if (recipient === null) return;
    if ("recipientOnly" in verdict) holds.putOff(destination, recipient);
    if (verdict.verdict === "delivered" && holds.tookFor(destination, recipient))
      exchange.bringForward({ destination, what: { recipient } });
  }

  return { note, noteRecipient };
}

/**
 * Decides whether a refusal is about the message or about the destination, and returns the verdict that fits. A refusal
 * is about the message only if the destination took another message after it first refused this one. Otherwise the
 * destination counts as failing, and the next messages show whether it refuses all. When it has refused 16 different
 * messages in a row, it is left alone for a while after each further refusal.
 */
function judged({ destination, recipient, id }: Claim, verdict: Verdict, holds: Holds): Verdict {
  // A mail server that has taken no mail for another recipient may be the wrong server. So an unknown recipient does
  // not end the delivery yet.
  if (verdict.verdict === "hopeless" && verdict.recipientOnly && !holds.takesForOthers(destination, recipient))
    return { verdict: "blocked", answer: verdict.answer, recipientOnly: true };
  if (!mayBeAboutContent(verdict)) return verdict;
  const { answer } = verdict;
  holds.refused(destination, id);
  if (!holds.refusesMessage(destination, id))
    return { verdict: "blocked", answer, ...(!holds.refusesAll(destination) && { perhapsContent: true }) };
  return verdict.verdict === "rejected" ? verdict : { verdict: "blocked", answer, recipientOnly: true };
}

const destinationWorks = (verdict: Verdict): boolean =>
  verdict.verdict === "rejected" ||
  ((verdict.verdict === "retry" || verdict.verdict === "blocked") && verdict.recipientOnly === true);

/**
 * Whether the verdict proves that the destination works. A refusal of one recipient proves that only if the destination
 * takes messages for another recipient (R36).
 */
const judgesWell = (verdict: Verdict, { destination, recipient }: Claim, holds: Holds): boolean =>
  !("recipientOnly" in verdict) || recipient === null || holds.takesForOthers(destination, recipient);

function endingOf(id: number, decision: Decision, answer: string, at: Instant, verdict: Verdict): Ending {
  const sentAs = "sentAs" in verdict ? verdict.sentAs : undefined;
  const isDoubtful = verdict.verdict === "retry" && verdict.perhapsTaken === true;
  switch (decision.decision) {
    case "sent":
      return { id, ending: "sent", at, answer, ...(sentAs !== undefined && { sentAs }) };
    case "retry":
      return { id, ending: "retry", nextAttemptAt: decision.at, answer, ...(isDoubtful && { perhapsTakenAt: at }) };
    case "give_up":
      return { id, ending: "given_up", at, answer };
    default:
      return decision satisfies never;
  }
}

/** The endings of a claim without an attempt: its deliveries wait again, as before they were claimed. */
export const untriedEndings = (claim: Claim): readonly Ending[] =>
  claimedOf(claim).map(({ id }) => ({ id, ending: "untried" }));

/** The deliveries that are marked as claimed: in a digest those that it names, not those that it only counts. */
const claimedOf = ({ message, members }: Claim): Claim["members"] =>
  message.type === "monitor.digest" ? members.slice(0, message.data.alerts.length) : members;

type AttemptParts = Pick<SendingParts, "clock" | "log" | "after"> & Pick<SendContext, "written">;

/**
 * When an attempt has taken this many milliseconds, the destination's next message no longer waits for the attempt's
 * end.
 */
export const SLOW_AFTER = 20 * SECOND;
/**
 * The longest time of an attempt in milliseconds, including its repetition in the plain form. It is a last resort: each
 * channel has a shorter limit of its own, and the longest of these, that of mail, is about 15 minutes.
 */
const ATTEMPT_MAX = 40 * MINUTE;

export const ANSWER_LENGTH = 300;

/** Makes one attempt: in full, and again in the plainest form if the receiver may have refused the content (R36). */
export async function attemptOnce(channel: Channel, claim: Claim, parts: AttemptParts): Promise<Verdict> {
  const { log, after } = parts;
  let cancel = () => {};
  const stuck = new Promise<Verdict>((resolve) => {
    cancel = after(ATTEMPT_MAX, () => resolve({ verdict: "retry", answer: "the channel did not come to an end" }));
  });
  try {
    return await Promise.race([sendOnceOrPlain(channel, claim, parts), stuck]);
  } catch (error) {
    logThrown(log, claim, error);
    const answer = "internal error while sending";
    // One alert of a digest may have caused the error. `rejected` lets the alerts go out one by one, so that no alert
    // waits for the one with the error.
    return { verdict: claim.members.length > 1 ? "rejected" : "retry", answer };
  } finally {
    cancel();
  }
}

/**
 * Sends once, and again in the plain form if the receiver may have refused the content. A digest is not sent again,
 * because in the plain form it could not name the jobs.
 */
async function sendOnceOrPlain(
  channel: Channel,
  claimed: Claim,
  { clock, log, written }: AttemptParts,
): Promise<Verdict> {
  const context = (plain: boolean): SendContext => ({ sentAt: clock.now(), plain, ...(written && { written }) });
  const message = notAfter(claimed.message, clock.now());
  const claim = { ...claimed, message: channel.takesOutput === true ? message : withoutOutput(message) };
  const verdict = await channel.send(claim, context(false));
  if (!mayBeAboutContent(verdict) || claim.members.length > 1) return verdict;
  logRejected(log, claim, cleanLine(verdict.answer, ANSWER_LENGTH));
  return channel.send({ ...claim, message: plainForm(claim.message) }, context(true));
}

/** Removes the job's output from messages to chats and phones, because we cannot know who reads it there (R46). */
const withoutOutput = (message: Message): Message =>
  isAlert(message) ? { ...message, data: { ...message.data, output: null, outputAt: null } } : message;

const mayBeAboutContent = (verdict: Verdict): boolean =>
  verdict.verdict === "rejected" || (verdict.verdict === "blocked" && verdict.perhapsContent === true);
