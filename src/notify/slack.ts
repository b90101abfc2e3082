// Slack's incoming webhooks, and those of Mattermost and Rocket.Chat, which take the same payload (R37). Uses
// attachments, because only these show in all three; Slack's blocks do not.

import type { Message } from "../domain/message/message.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { Channel, Verdict } from "./channel.ts";
import {
  type ChatForm,
  COLOURS,
  chatText,
  linkAddress,
  listed,
  plainText,
  slackMarkdown,
  slackText,
} from "./chat-layout.ts";
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

export function createSlackChannel(settings: AddressOf<"slack">, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url);
  const form = formFor(url);
  const send = postsJson({ url, timeoutMs, judge }, ({ message }, { sentAt, plain }) =>
    slackBody(message, sentAt, plain, form),
  );
  return { digests: DIGEST_MAX, restMs: SECOND, send };
}

/** Slack formats nothing when the message asks it not to. */
const SLACK: ChatForm = {
  inert: slackText,
  link: (label, address) => `<${slackText(linkAddress(address))}|${slackText(label)}>`,
  quoteMark: "│ ",
};

/** The others have no such option. */
const MARKDOWN: ChatForm = {
  inert: slackMarkdown,
  link: (label, address) => `[${slackMarkdown(label)}](${linkAddress(address)})`,
  quoteMark: "│ ",
};

/** Only this tells the three apart: Slack's webhooks are all at its own hosts, the others' never are. */
export const formFor = (url: URL): ChatForm => (/(^|\.)slack(-gov)?\.com$/.test(url.hostname) ? SLACK : MARKDOWN);

/** Older Mattermost servers keep 8,000 characters of a message's attachments and refuse more; no one reads more. */
const BODY_LENGTH = 7_500;
const TEXT_LENGTH = 600;
const PLAIN_LENGTH = 3_000;
/** For a field's value and for the footer, which Slack cuts at 300. */
const VALUE_LENGTH = 1_000;
const FOOTER_LENGTH = 300;
const DIGEST_MAX = 30;

export function slackBody(message: Message, sentAt: Instant, plain: boolean, form: ChatForm): string {
  const wording = wordingOf(message, sentAt);
  if (plain) return JSON.stringify({ ...BARE, text: cutTo(plainText(wording), PLAIN_LENGTH, form.inert) });
  return fullestThatFits(
    wording,
    (words) => JSON.stringify(payloadOf(words, form)),
    (body) => body.length <= BODY_LENGTH,
  );
}

/** No formatting, no names as mentions, no previews of links. */
const BARE = { mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false };

function payloadOf(words: Wording, form: ChatForm): object {
  const { inert } = form;
  const text = cutTo(words.subject, TEXT_LENGTH, inert);
  const attachment = {
    color: COLOURS[words.tone],
    fallback: text,
    mrkdwn_in: [],
    text: chatText(words, form),
    fields: listed(words).map(({ label, value, isShort }) => ({
      title: cutTo(label, VALUE_LENGTH, inert),
      value: cutTo(value, VALUE_LENGTH, inert),
      short: isShort,
    })),
    footer: cutTo(words.signature, FOOTER_LENGTH, inert),
  };
  return { ...BARE, text, attachments: [attachment] };
}

/** All three confirm in the body. */
const judge = (answer: HttpAnswer): Verdict | null =>
  unlessConfirmed(answer, answer.body.trim() === "ok" || factsIn(answer.body).success === true, "not from a chat");
