// The generic webhook: Standard Webhooks 1.0 (R37). For programs: the facts as they are, no words.

import { Webhook } from "standardwebhooks";
import { isAlert, type Message } from "../domain/message/message.ts";
import { plainForm } from "../domain/message/plain-form.ts";
import { DAY, type Instant, SECOND, toIso } from "../domain/time.ts";
import type { Channel } from "./channel.ts";
import { destinationUrl, post, SEND_TIMEOUT } from "./post.ts";

export interface WebhookSettings {
  readonly type: "webhook";
  /** A secret. */
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** Its receiver may be down for a weekend, and a program still wants what it missed. */
const PATIENCE = 3 * DAY;

export function createWebhookChannel(settings: WebhookSettings, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url);
  const signer = new Webhook(settings.secret);

  function headersFor(reference: string, sentAt: Instant, body: string): Record<string, string> {
    return {
      "content-type": "application/json",
      "webhook-id": reference,
      "webhook-timestamp": String(Math.floor(sentAt / SECOND)),
      "webhook-signature": signer.sign(reference, new Date(sentAt), body),
    };
  }

  return {
    patienceMs: PATIENCE,
    takesOutput: true,
    send: async ({ reference, message }, { sentAt, plain }) => {
      const body = bodyOf(message, plain);
      return post({ url, headers: headersFor(reference, sentAt, body), body, sentAt, timeoutMs });
    },
  };
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
