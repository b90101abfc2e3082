// Sends notices that cannot be stored, because storage fails (R36). They go straight through the channels, until each
// arrives, is given up or is replaced by a newer one.

import type { NoticeMessage } from "../domain/message/notice.ts";
import type { TestMessage } from "../domain/message/test-message.ts";
import type { Route } from "../domain/settings/policy.ts";
import { cleanLine } from "../domain/text.ts";
import type { Claim, TellUnstored } from "../engine/api.ts";
import type { Channel, SendingParts, Verdict } from "./channel.ts";
import { ANSWER_LENGTH, attemptOnce } from "./deliver.ts";
import { decideRetry, patienceOf, sendingGivenUpAt } from "./retry.ts";

export function createUnstored(parts: SendingParts): TellUnstored {
  const { channels, clock, steadySince, random, log, after } = parts;
  /** Functions that cancel waiting attempts; a newer notice calls them. */
  let waiting: (() => void)[] = [];
  let newest: NoticeMessage | null = null;

  async function send(route: Route, message: NoticeMessage, attempts: number): Promise<void> {
    const channel = channels.get(route.destination);
    if (channel === undefined || !isNeeded(message)) return;
    const verdict = await attemptOnce(channel, claimOf(route, message, attempts), parts);
    const now = clock.now();
    const giveUpAt = sendingGivenUpAt(message.at, patienceOf(channel, message), steadySince());
    const decision = decideRetry(verdict, attempts, giveUpAt, now, random);
    const { destination, recipient } = route;
    const answer = cleanLine(verdict.answer, ANSWER_LENGTH);
    const level = decision.decision === "sent" ? "info" : "warn";
    log(level, "unstored_notice", { destination, recipient, attempt: attempts + 1, ended: decision.decision, answer });
    if (decision.decision !== "retry") return;
    const cancel = after(Math.max(decision.at - now, 0), () => void send(route, message, attempts + 1));
    if (!namesFailures(message)) waiting.push(cancel);
  }

  const isNeeded = (message: NoticeMessage): boolean => message === newest || namesFailures(message);

  return (message, routes) => {
    for (const cancel of waiting) cancel();
    waiting = [];
    newest = message;
    log("warn", "notice", { notice: message.data.notice.kind, deliveries: routes.length, stored: false });
    for (const route of routes) void send(route, message, 0);
  };
}

/** Whether the notice names jobs that failed. Only this notice tells of them, so a newer notice does not cancel it. */
const namesFailures = ({ data: { notice } }: NoticeMessage): boolean =>
  notice.kind === "storage" && notice.failingTotal > 0;

export const sendOnce = (channel: Channel, route: Route, message: TestMessage, parts: SendingParts): Promise<Verdict> =>
  attemptOnce(channel, claimOf(route, message, 0), parts);

/**
 * A claim for a message that is not stored. The claim's ids come from the message's time, so a receiver recognizes a
 * message that is sent again.
 */
function claimOf({ destination, recipient }: Route, message: NoticeMessage | TestMessage, attempts: number): Claim {
  const { at } = message;
  const thread = `unstored-${at}`;
  const reference = `${thread}-${destination}`;
  const delivery = { id: 0, destination, recipient, reference, thread, createdAt: at, attempts, message };
  return { ...delivery, members: [delivery], more: null };
}
