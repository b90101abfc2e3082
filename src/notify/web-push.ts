// Sends alerts to the browsers of a person by Web Push. Each message is encrypted for one browser and goes through the
// push service that this browser named.

import { createHash } from "node:crypto";
import { isAlert, type Message } from "../domain/message/message.ts";
import { DAY, SECOND } from "../domain/time.ts";
import { BARE, type Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { Browsers, KnownBrowser, Subscription } from "../engine/people/browsers.ts";
import type { SendContext, ShownChannel, Verdict } from "./channel.ts";
import { chatMessageText } from "./chat-layout.ts";
import { cutPlainChatText, fullestThatFits } from "./chat-shorten.ts";
import { urgencyOf } from "./http-service.ts";
import { type HttpResponse, requestDestination, SEND_TIMEOUT } from "./post.ts";

export interface WebPushSettings {
  readonly browsers: () => Pick<Browsers, "of" | "maySee" | "knownKeys" | "noteMessageTaken" | "gone">;
  /** An https or mailto URL by which push services can reach the operator of this rollcall. */
  readonly contact: string;
}

/** Matches the names of hosts that mean nothing outside a network of one's own, or that are set apart for examples. */
const PRIVATE_NAME =
  /(?:^|\.)(?:local|localhost|localdomain|internal|lan|home|arpa|intranet|corp|private|test|example|invalid|onion)$/i;

/** Whether a host may be known to a push service: by a name with a dot, which is no number. */
const isKnownOutside = (host: string): boolean => /\.[a-z][a-z\d-]*$/i.test(host) && !PRIVATE_NAME.test(host);

/**
 * Returns an https or mailto URL by which push services can reach the operator (RFC 8292). Apple refuses every message
 * whose contact is at a host that is not known outside, so such a host counts only when there is no other.
 */
export function contactFor({ server: { publicUrl }, smtp }: ContactSource): string {
  const address = smtp?.from.address ?? "rollcall@localhost";
  const isWeb = publicUrl !== null && /^https:\/\/(?!localhost\b)/.test(publicUrl);
  const isPreferred =
    isWeb && (isKnownOutside(new URL(publicUrl).hostname) || !isKnownOutside(address.replace(/.*@/, "")));
  return isPreferred ? publicUrl : `mailto:${address}`;
}

type ContactSource = Readonly<{
  server: { readonly publicUrl: string | null };
  smtp: { readonly from: { readonly address: string } } | null;
}>;

/** How many bytes a message may have. Push services take 4,096, including what the encryption adds. */
const PAYLOAD_MAX = 3_000;

function compose({ message, thread, heldUntil }: ClaimedDelivery, { sentAt, plain }: SendContext) {
  const whole = wordingOf(message, sentAt, heldUntil);
  const urgency = urgencyOf(message, whole);
  // All messages of an incident have the same tag. So its next message replaces the last one in the browser, or at the
  // push service if the last one still waits for the browser.
  const tag = createHash("sha256").update(thread).digest("base64url").slice(0, 32);
  // The link opens the dashboard under the address that the browser knows. It is never the address for replies, because
  // not every person may reply.
  const url = isAlert(message) ? `/incidents/${message.data.incidentId}` : "/";
  const render = (words: Wording): string => {
    const body = cutPlainChatText(chatMessageText({ ...words, links: [], facts: [], commands: [] }, false), 700);
    return JSON.stringify({ title: cutPlainChatText(words.subject, 200), body, tag, url });
  };
  const isShort = (payload: string): boolean => Buffer.byteLength(payload) <= PAYLOAD_MAX;
  const payload = fullestThatFits(plain ? { ...whole, ...BARE } : whole, render, isShort);
  return {
    payload,
    tag,
    urgency: urgency > 3 ? "high" : urgency === 2 && whole.tone === "bad" ? "low" : "normal",
  } as const;
}

type PushKeys = Readonly<Record<"publicKey" | "privateKey", string>>;
type Composed = ReturnType<typeof compose>;

/** The order in which the verdicts on a person's browsers count: one browser that takes the message is enough. */
const COUNTS: readonly Verdict["verdict"][] = ["delivered", "retry", "rejected", "blocked"];

const GONE: Verdict = { verdict: "hopeless", answer: "no browser of theirs takes messages any more" };

/** The verdict when Apple refuses the signed part of a message. It does not say whether for the contact or the time. */
const UNKNOWN_TO_APPLE: Verdict = {
  verdict: "blocked",
  answer: "HTTP 403 Forbidden, no server.public_url or smtp.from is known outside, or the clock is wrong",
};

/** The verdict when the person may not see an application in the message. A digest is then sent as single alerts. */
const NOT_TO_SEE: Verdict = { verdict: "rejected", answer: "the person may not see that application any more" };

const slugsIn = (message: Message): string[] =>
  message.type === "monitor.digest"
    ? message.data.alerts.map(({ data }) => data.applicationId)
    : [isAlert(message) ? message.data.applicationId : []].flat();

export function createWebPushChannel({ browsers, contact }: WebPushSettings, timeoutMs = SEND_TIMEOUT): ShownChannel {
  async function sendTo(
    person: string,
    browser: KnownBrowser,
    composed: Composed,
    context: SendContext,
  ): Promise<Verdict> {
    const { sentAt } = context;
    const { payload, tag: topic, urgency } = composed;
    // The library is loaded only when it is needed. We do not use its `sendNotification`, with which the runtime writes
    // a warning to the log.
    const { encrypt, getVapidHeaders } = await import("web-push");
    const { p256dh, auth }: Subscription["keys"] = JSON.parse(browser.keys);
    const { publicKey, privateKey }: PushKeys = JSON.parse(browsers().knownKeys());
    const url = new URL(browser.endpoint);
    const { cipherText } = encrypt(p256dh, auth, payload, "aes128gcm");
    const { Authorization } = getVapidHeaders(url.origin, contact, publicKey, privateKey, "aes128gcm");
    const headers = {
      authorization: Authorization,
      ttl: String(DAY / SECOND),
      urgency,
      topic,
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
    };
    const judge = ({ status, body }: HttpResponse) =>
      status === 404 || status === 410 ? GONE : /BadJwtToken/.test(body) ? UNKNOWN_TO_APPLE : null;
    const sent = { method: "POST", url, headers, body: new Uint8Array(cipherText) };
    const verdict = await requestDestination(sent, { ...context, timeoutMs, judge });
    if (verdict === GONE) browsers().gone(browser, person);
    if (verdict.verdict === "delivered") browsers().noteMessageTaken(browser, sentAt);
    return verdict;
  }

  return {
    digests: 20,
    preview: (delivery, context) => compose(delivery, context).payload,
    send: async (delivery, context) => {
      const person = delivery.recipient ?? "";
      if (!slugsIn(delivery.message).every((slug) => browsers().maySee(person, slug))) return NOT_TO_SEE;
      const composed = compose(delivery, context);
      const sending = browsers()
        .of(person)
        .map((browser) => sendTo(person, browser, composed, context));
      const verdicts = await Promise.all(sending);
      const counted = COUNTS.flatMap((word) => verdicts.find(({ verdict }) => verdict === word) ?? [])[0] ?? GONE;
      if (counted.verdict === "blocked") return { verdict: "blocked", answer: counted.answer, recipientOnly: true };
      return counted.verdict === "retry" ? { ...counted, recipientOnly: true } : counted;
    },
  };
}
