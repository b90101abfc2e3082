// Sends what cannot be stored (R36): straight through the channels; only this process remembers it. We try it like any
// delivery until it arrives, is given up, or newer news replaces it. No news replaces a message that names failures.

import type { Log } from "../domain/log.ts";
import type { NoticeMessage } from "../domain/message/notice-message.ts";
import type { Route } from "../domain/settings/policy.ts";
import { cleanLine } from "../domain/text.ts";
import type { ClaimedDelivery, Clock, TellUnstored } from "../engine/api.ts";
import { ANSWER_LENGTH } from "./attempt.ts";
import type { Channel, Verdict } from "./channel.ts";
import { decide, patienceOf } from "./retry.ts";

export interface UnstoredParts {
  /** By the destination's name. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Like the notifier's. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

/** A function that starts sending such a message on each route at once. */
export function createUnstored({ channels, clock, random, log, after }: UnstoredParts): TellUnstored {
  /** The waiting attempts that a newer message cancels. */
  let waiting: (() => void)[] = [];
  let newest: NoticeMessage | null = null;

  async function send(route: Route, message: NoticeMessage, attempts: number): Promise<void> {
    const channel = channels.get(route.destination);
    if (channel === undefined || !isNeeded(message)) return;
    const delivery = deliveryOf(route, message, attempts);
    const verdict = await attempt(channel, delivery);
    const now = clock.now();
    const patience = patienceOf(channel, message);
    const decision = decide(verdict, { createdAt: message.at, attempts }, patience, now, random);
    const { destination, recipient } = route;
    const answer = cleanLine(verdict.answer, ANSWER_LENGTH);
    const level = decision.decision === "sent" ? "info" : "warn";
    log(level, "unstored_notice", { destination, recipient, attempt: attempts + 1, ended: decision.decision, answer });
    if (decision.decision !== "retry") return;
    const cancel = after(Math.max(decision.at - now, 0), () => void send(route, message, attempts + 1));
    if (!namesFailures(message)) waiting.push(cancel);
  }

  const isNeeded = (message: NoticeMessage): boolean => message === newest || namesFailures(message);

  async function attempt(channel: Channel, delivery: ClaimedDelivery): Promise<Verdict> {
    try {
      const verdict = await channel.send(delivery, { sentAt: clock.now(), plain: false });
      if (verdict.verdict !== "rejected") return verdict;
      return await channel.send(delivery, { sentAt: clock.now(), plain: true });
    } catch (error) {
      log("error", "unstored_notice_failed", { destination: delivery.destination, error });
      return { verdict: "retry", answer: "internal error while sending" };
    }
  }

  return (message, routes) => {
    for (const cancel of waiting) cancel();
    waiting = [];
    newest = message;
    log("warn", "notice", { notice: message.data.notice.kind, deliveries: routes.length, stored: false });
    for (const route of routes) void send(route, message, 0);
  };
}

/** No other message tells of them for certain. */
const namesFailures = ({ data: { notice } }: NoticeMessage): boolean =>
  notice.kind === "storage" && notice.failingTotal > 0;

/** As if it came from the outbox. Its ids come from its time, so that receivers recognize a copy. */
const deliveryOf = ({ destination, recipient }: Route, message: NoticeMessage, attempts: number): ClaimedDelivery => ({
  id: 0,
  destination,
  recipient,
  reference: `unstored-${message.at}-${destination}`,
  thread: `unstored-${message.at}`,
  createdAt: message.at,
  attempts,
  message,
});
