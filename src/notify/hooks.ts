// Receivers that are programs. The webhook is Standard Webhooks 1.0 (R37): the facts as they are, no words.

import { Webhook } from "standardwebhooks";
import { isAlert, type Message } from "../domain/message/message.ts";
import { plainForm } from "../domain/message/plain-form.ts";
import { DAY, SECOND, toIso } from "../domain/time.ts";
import { service } from "./service.ts";

interface Hook {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** `{type, timestamp, data}`; the timestamp says when it became true, the header's says when we sent it. */
function bodyOf(message: Message, plain: boolean): string {
  const { type, at, data } = plain ? withoutContent(plainForm(message)) : message;
  return JSON.stringify({ type, timestamp: toIso(at), data });
}

/** The plain shape: without what callers wrote or measured, because that most likely upset the receiver. */
const withoutContent = (message: Message): Message =>
  isAlert(message)
    ? { ...message, data: { ...message.data, failureMessage: null, outcomes: null, links: {} } }
    : message;

export const HOOKS = {
  webhook: service({
    name: "a receiver of webhooks",
    // It may be down for a weekend, and a program still wants what it missed.
    limits: { patienceMs: 3 * DAY, takesOutput: true },
    write: ({ secret }: Hook, { message, reference, sentAt, plain }) => {
      const body = bodyOf(message, plain);
      const headers = {
        "content-type": "application/json",
        "webhook-id": reference,
        "webhook-timestamp": String(Math.floor(sentAt / SECOND)),
        "webhook-signature": new Webhook(secret).sign(reference, new Date(sentAt), body),
      };
      return { headers, body };
    },
    took: () => true,
  }),
};
