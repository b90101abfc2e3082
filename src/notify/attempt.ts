// One attempt to send a message: in full, and once more in its plainest form if the receiver may have refused the
// content (R36). Returns the result; the caller acts on it. Never rejects.

import { isAlert, type Message } from "../domain/message/message.ts";
import { plainForm } from "../domain/message/plain-form.ts";
import { cleanLine } from "../domain/text.ts";
import { MINUTE } from "../domain/time.ts";
import type { Claim } from "../engine/api.ts";
import type { Channel, SendingParts, Verdict } from "./channel.ts";
import { logRejected, logThrown } from "./delivery-log.ts";

type AttemptParts = Pick<SendingParts, "clock" | "log" | "after">;

/** A channel limits itself to 15 s per message; a stuck one must not silence its destination. */
const ATTEMPT_MAX = MINUTE;

export const ANSWER_LENGTH = 300;

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
    // One of a digest's alerts may be to blame: the others must not wait for it.
    return { verdict: claim.members.length > 1 ? "rejected" : "retry", answer };
  } finally {
    cancel();
  }
}

/** A plain digest would not name the jobs. */
async function sendOnceOrPlain(channel: Channel, claimed: Claim, { clock, log }: AttemptParts): Promise<Verdict> {
  const claim = channel.takesOutput === true ? claimed : { ...claimed, message: withoutOutput(claimed.message) };
  const verdict = await channel.send(claim, { sentAt: clock.now(), plain: false });
  if (!mayBeAboutContent(verdict) || claim.members.length > 1) return verdict;
  logRejected(log, claim, cleanLine(verdict.answer, ANSWER_LENGTH));
  return channel.send({ ...claim, message: plainForm(claim.message) }, { sentAt: clock.now(), plain: true });
}

/** Chats and phones get the message alone: they keep what they were sent, and who reads there is unknown (R46). */
const withoutOutput = (message: Message): Message =>
  isAlert(message) ? { ...message, data: { ...message.data, output: null, outputAt: null } } : message;

/** Whether the message's content may be why it was not taken. */
export const mayBeAboutContent = (verdict: Verdict): boolean =>
  verdict.verdict === "rejected" || (verdict.verdict === "blocked" && verdict.perhapsContent === true);
