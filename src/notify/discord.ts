// Discord's webhooks (R37): one embed per message. It must not call anybody or exceed any of Discord's limits, or
// Discord answers 400 to the whole message.

import type { Message } from "../domain/message/message.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { Channel, Verdict } from "./channel.ts";
import { type ChatForm, COLOURS, chatText, discordText, linkAddress, listed, plainText } from "./chat-layout.ts";
import { cutTo, fullestThatFits } from "./chat-shorten.ts";
import {
  type AddressOf,
  destinationUrl,
  factsIn,
  type HttpAnswer,
  postsJson,
  SEND_TIMEOUT,
  unlessConfirmed,
} from "./post.ts";
import { retryAfterMs } from "./retry.ts";

export function createDiscordChannel(settings: AddressOf<"discord">, timeoutMs = SEND_TIMEOUT): Channel {
  const url = webhookAddress(destinationUrl(settings.url));
  const send = postsJson({ url, timeoutMs, judge }, ({ message }, { sentAt, plain }) =>
    discordBody(message, sentAt, plain),
  );
  return { digests: DIGEST_MAX, restMs: REST, send };
}

/**
 * The address to post to. With `wait` Discord answers only after it has stored the message. Without a version in its
 * path, the address means version 6 of Discord's interface, which gives the requested pause in milliseconds.
 */
export function webhookAddress(url: URL): URL {
  const address = new URL(url);
  address.searchParams.set("wait", "true");
  if (/(^|\.)discord(app)?\.com$/.test(address.hostname)) {
    address.pathname = address.pathname.replace(/^\/api\/(?=webhooks\/)/, "/api/v10/");
  }
  return address;
}

const CONTENT_LENGTH = 2_000;
const TITLE_LENGTH = 256;
const DESCRIPTION_LENGTH = 4_096;
const FIELDS_MAX = 25;
const FIELD_NAME_LENGTH = 256;
const FIELD_VALUE_LENGTH = 1_024;
const FOOTER_LENGTH = 2_048;
/** For all of these together. */
const EMBED_LENGTH = 6_000;
const DIGEST_MAX = 20;
/** Discord takes five messages in two seconds. */
const REST = 400;

const FORM: ChatForm = {
  inert: discordText,
  link: (label, address) => `[${discordText(label)}](${linkAddress(address)})`,
  quoteMark: "> ",
};

const CALLING_NOBODY = { allowed_mentions: { parse: [] } };

export function discordBody(message: Message, sentAt: Instant, plain: boolean): string {
  const wording = wordingOf(message, sentAt);
  if (plain) {
    return JSON.stringify({ content: cutTo(plainText(wording), CONTENT_LENGTH, discordText), ...CALLING_NOBODY });
  }
  const embed = fullestThatFits(wording, (words) => embedOf(words, message.at), isTaken);
  return JSON.stringify({ embeds: [embed], ...CALLING_NOBODY });
}

const embedOf = (words: Wording, at: Instant) => ({
  title: cutTo(words.subject, TITLE_LENGTH, discordText),
  description: chatText(words, FORM),
  color: Number.parseInt(COLOURS[words.tone].slice(1), 16),
  fields: listed(words).map(({ label, value, isShort }) => ({
    name: cutTo(label, FIELD_NAME_LENGTH, discordText),
    value: cutTo(value, FIELD_VALUE_LENGTH, discordText),
    inline: isShort,
  })),
  // Shown without any markup.
  footer: { text: cutTo(words.signature, FOOTER_LENGTH, (text) => text) },
  timestamp: toIso(at),
});

function isTaken({ title, description, fields, footer }: ReturnType<typeof embedOf>): boolean {
  const inFields = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  const total = title.length + description.length + footer.text.length + inFields;
  return description.length <= DESCRIPTION_LENGTH && fields.length <= FIELDS_MAX && total <= EMBED_LENGTH;
}

/** Discord answers a delivered message with the message; only a receiver that does not know `wait` answers 204. */
function judge(answer: HttpAnswer, sentAt: Instant): Verdict | null {
  const { id, retry_after: seconds } = factsIn(answer.body);
  if (answer.status === 429 && typeof seconds === "number") {
    // The body gives the pause to the millisecond, the header in whole seconds.
    const asked = [String(seconds), answer.headers.get("retry-after")].map((wish) => retryAfterMs(wish, sentAt) ?? 0);
    return { verdict: "retry", answer: "HTTP 429 Too Many Requests", afterMs: Math.max(...asked) };
  }
  return unlessConfirmed(answer, answer.status === 204 || typeof id === "string", "not from Discord");
}
