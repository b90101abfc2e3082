// Defines the channels to the chats Slack, Discord, Teams and Google Chat, one row each: how each shows a message, its
// limits, and what its responses mean (R37).

import { REPLIES, type Reply } from "../domain/people/reply.ts";
import { type Instant, SECOND, toIso } from "../domain/time.ts";
import type { Item, Wording } from "../domain/wording/types.ts";
import { leadSentences, quoteAfterLead, storyAfterLead } from "../domain/wording/wording.ts";
import {
  type ChatForm,
  COLOURS,
  cardText,
  chatLinkAddress,
  chatText,
  discordText,
  listedFacts,
  slackMarkdown,
  slackText,
  textAfterLead,
} from "./chat-layout.ts";
import { cutChatText, cutPlainChatText } from "./chat-shorten.ts";
import { httpServiceChannel } from "./http-service.ts";
import { isReceiverResponse } from "./post.ts";

/** How a text is written for Slack, which shows markup only where a message asks for it. */
const SLACK: ChatForm = {
  inert: slackText,
  link: (label, address) => `<${slackText(chatLinkAddress(address))}|${slackText(label)}>`,
  quoteMark: "│ ",
};

const markdownLink = (inert: ChatForm["inert"]): ChatForm["link"] => {
  return (label, address) => `[${inert(label)}](${chatLinkAddress(address)})`;
};

/**
 * How a text is written for Mattermost and Rocket.Chat. They take Slack's payload, but cannot be told to leave Markdown
 * in a text as it is.
 */
const MARKDOWN: ChatForm = { inert: slackMarkdown, link: markdownLink(slackMarkdown), quoteMark: "│ " };

/**
 * Chooses by the host how to write for a webhook: Slack's webhooks are always at Slack's hosts, those of other services
 * never.
 */
const formFor = (url: URL): ChatForm => (/(^|\.)slack(-gov)?\.com$/.test(url.hostname) ? SLACK : MARKDOWN);

/** Fields of a Slack message that switch off formatting, mentions and previews of links. */
export const BARE_SLACK = { mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false };

/**
 * Returns the message as Slack's payload. The words are in attachments, because Slack, Mattermost and Rocket.Chat all
 * show these; only Slack shows blocks. The `text` is what a locked phone shows.
 */
function slackPayload(words: Wording, { inert, ...form }: ChatForm) {
  const text = `${cutChatText(words.subject, 600, inert)}\n${cutChatText(leadSentences(words), 600, inert)}`;
  const attachment = {
    color: COLOURS[words.tone],
    fallback: text,
    mrkdwn_in: [],
    text: textAfterLead(words, { inert, ...form }),
    fields: listedFacts(words).map(({ label, value, isShort }) => ({
      title: cutChatText(label, 1_000, inert),
      value: cutChatText(value, 1_000, inert),
      short: isShort,
    })),
    // Slack cuts a footer after 300 characters.
    footer: cutChatText(words.signature, 300, inert),
  };
  return { ...BARE_SLACK, text, attachments: [attachment] };
}

/**
 * Returns a button for each reply that is allowed. Only Slack shows buttons; when a person presses one, Slack posts the
 * reply to an address of ours.
 */
export const slackButtons = (token: string, allowed: readonly Reply[]): object[] => {
  const elements = allowed.map((reply) => {
    const text = { type: "plain_text", text: REPLIES[reply] };
    return { type: "button", action_id: reply, value: token, text };
  });
  return elements.length === 0 ? [] : [{ blocks: [{ type: "actions", elements }] }];
};

/**
 * Returns the address to post to. With `wait` Discord answers only after it has stored the message. Without a version
 * in its path, Discord would use version 6, which states its pauses in milliseconds instead of seconds.
 */
function webhookAddress({ url }: { readonly url: string }): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  address.searchParams.set("wait", "true");
  if (/(^|\.)discord(app)?\.com$/.test(address.hostname)) {
    address.pathname = address.pathname.replace(/^\/api\/(?=webhooks\/)/, "/api/v10/");
  }
  return address.href;
}

const DISCORD: ChatForm = { inert: discordText, link: markdownLink(discordText), quoteMark: "> " };

const embedOf = (words: Wording, at: Instant) => ({
  title: cutChatText(words.subject, 256, discordText),
  description: chatText(words, DISCORD),
  color: Number.parseInt(COLOURS[words.tone].slice(1), 16),
  fields: listedFacts(words).map(({ label, value, isShort }) => ({
    name: cutChatText(label, 256, discordText),
    value: cutChatText(value, 1_024, discordText),
    inline: isShort,
  })),
  // Discord shows a footer without any markup, so nothing in it is escaped.
  footer: { text: cutPlainChatText(words.signature, 2_048) },
  timestamp: toIso(at),
});

/**
 * Whether Discord takes this embed: above one of these limits it answers 400. 6,000 characters is the limit for all
 * texts together.
 */
function isWithinDiscord({ title, description, fields, footer }: ReturnType<typeof embedOf>): boolean {
  const inFields = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  const total = title.length + description.length + footer.text.length + inFields;
  return description.length <= 4_096 && fields.length <= 25 && total <= 6_000;
}

const TEAMS_COLOURS: Readonly<Record<Wording["tone"], string>> = { good: "Good", bad: "Attention", neutral: "Accent" };

/** Escapes a paragraph of a Teams card, in which only two line feeds end a line. */
const paragraph = (text: string): string => cutChatText(text, 2_000, cardText).replace(/\n+/g, "\n\n");

const textBlock = (text: string, more: object = {}): object => ({ type: "TextBlock", text, wrap: true, ...more });

const textBlocks = (texts: readonly string[]): object[] => texts.map((text) => textBlock(paragraph(text)));

/** Returns the elements of a Teams card; in the plain form these are only the subject and the story. */
function teamsElements(wording: Wording, plain: boolean): object[] {
  const { subject, items, advice, commands, facts, links, signature, tone } = wording;
  const texts = [leadSentences(wording), ...storyAfterLead(wording)];
  const quote = quoteAfterLead(wording);
  if (plain) return textBlocks([subject, ...texts]);
  const linked = links.map(({ label, url }) => markdownLink(cardText)(label, url)).join(" · ");
  const shown = facts.map(({ label, value }) => ({ title: paragraph(label), value: paragraph(value) }));
  return [
    textBlock(paragraph(subject), { size: "Medium", weight: "Bolder", color: TEAMS_COLOURS[tone] }),
    ...textBlocks(texts),
    ...(quote === null ? [] : [textBlock(`${cardText(quote.label)}:`), ...quotation(quote.value)]),
    ...items.flatMap(teamsItem),
    ...textBlocks(advice),
    ...(shown.length === 0 ? [] : [{ type: "FactSet", facts: shown }]),
    ...(linked === "" ? [] : [textBlock(linked)]),
    ...textBlocks(commands.map(({ label, value }) => `${label}:\n${value}`)),
    textBlock(paragraph(signature), { size: "Small", isSubtle: true }),
  ];
}

const teamsItem = ({ name, details, quote }: Item): object[] => [
  textBlock(`• ${paragraph(name)}`),
  ...quotation(quote),
  ...textBlocks(details.length === 0 ? [] : [details.join("\n")]),
];

function quotation(text: string | null): object[] {
  if (text === null) return [];
  return [{ type: "Container", style: "emphasis", items: [textBlock(paragraph(text), { fontType: "Monospace" })] }];
}

const CARD = {
  $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
  type: "AdaptiveCard",
  version: "1.4",
  msteams: { width: "Full" },
};

/** Returns the message as the Workflows app of Teams takes it ("When a Teams webhook request is received"). */
const cardMessage = (body: readonly object[]): object => {
  const content = { ...CARD, body };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
};

/** `signingSecret` is the secret with which Slack signs the replies that it posts; without it there are no buttons. */
type SlackSettings = Readonly<{ signingSecret?: string | null }>;

export const CHATS = {
  slack: httpServiceChannel({
    name: "a chat",
    limits: { digests: 30, restMs: SECOND },
    write: ({ signingSecret }: SlackSettings, { words, plain, text, to, replyOptions }) => {
      const form = formFor(to);
      if (plain) return { body: { ...BARE_SLACK, text: cutChatText(text, 3_000, form.inert) } };
      const { attachments, ...payload } = slackPayload(words, form);
      const buttons =
        signingSecret != null && replyOptions ? slackButtons(replyOptions.token, replyOptions.allowed) : [];
      return { body: { ...payload, attachments: [...attachments, ...buttons] } };
    },
    // Older Mattermost servers keep at most 8,000 characters of a message's attachments and refuse more.
    fits: (body) => JSON.stringify(body).length <= 7_500,
    // Slack and Mattermost answer `ok`, Rocket.Chat answers JSON with `success`.
    took: ({ success }, { body }) => body.trim() === "ok" || success === true,
  }),
  /** A message is one embed (Discord's box with fields). Discord takes five messages in two seconds. */
  discord: httpServiceChannel({
    name: "Discord",
    limits: { digests: 20, restMs: 400 },
    at: webhookAddress,
    write: (_: { readonly url: string }, { message, words, plain, text }) => {
      const shown = plain
        ? { content: cutChatText(text, 2_000, discordText) }
        : { embeds: [embedOf(words, message.at)] };
      return { body: { ...shown, allowed_mentions: { parse: [] } } };
    },
    fits: (body) => !("embeds" in body) || body.embeds.every(isWithinDiscord),
    // Discord answers with the stored message, because the address asks for it with `wait=true`. A service that only
    // speaks as Discord does may ignore `wait` and answer 204.
    took: ({ id }, { status }) => status === 204 || typeof id === "string",
    blocked: [[/^400 .*"code":220001\b/, "the channel is a forum: its address needs ?thread_id= at the end"]],
  }),
  /** A message is an Adaptive Card, which the flow in Teams posts after it has answered. Teams takes four a second. */
  teams: httpServiceChannel({
    name: "Teams",
    limits: { digests: 30, restMs: 250 },
    write: (_: object, { words, plain }) => ({ body: cardMessage(teamsElements(words, plain)) }),
    // Teams refuses a message of 28 KB, and the flow adds some KB around the card before it posts it.
    fits: (body) => Buffer.byteLength(JSON.stringify(body)) <= 20_000,
    took: (_, response) => isReceiverResponse(response),
  }),
  /** A card with HTML, in which only `&`, `<` and `>` mean something. A space (a chat) takes 60 messages a minute. */
  googlechat: httpServiceChannel({
    name: "Google Chat",
    limits: { digests: 30, restMs: SECOND },
    title: 250,
    most: 6_000,
    write: (_: object, { title, text, words }) => {
      const widgets = [{ textParagraph: { text: slackText(text).replaceAll("\n", "<br>") } }];
      const card = { header: { title }, sections: [{ widgets }] };
      // A locked phone shows this text.
      const fallbackText = `${title}\n${leadSentences(words)}`;
      return { body: { fallbackText, cardsV2: [{ cardId: "rollcall", card }] } };
    },
    took: ({ name }) => typeof name === "string" && name.startsWith("spaces/"),
    blocked: [[/^40[0134] .*(?:API key|PERMISSION_DENIED|NOT_FOUND|UNAUTHENTICATED)/i, "the address is not taken"]],
  }),
};
