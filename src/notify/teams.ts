// Microsoft Teams (R37) through the Workflows app's "When a Teams webhook request is received": a message with one
// Adaptive Card. The flow answers before it posts the card, so we cannot know what happens to it afterwards.

import type { Message } from "../domain/message/message.ts";
import type { Instant } from "../domain/time.ts";
import type { Item, Wording } from "../domain/wording/types.ts";
import { leadOf, wordingOf } from "../domain/wording/wording.ts";
import type { Channel, Verdict } from "./channel.ts";
import { cardText, linkAddress } from "./chat-layout.ts";
import { cutTo, fullestThatFits } from "./chat-shorten.ts";
import { destinationUrl, type HttpAnswer, post, SEND_TIMEOUT } from "./post.ts";

export interface TeamsSettings {
  readonly type: "teams";
  readonly url: string;
}

/** Throws when the URL is invalid, without repeating it. */
export function createTeamsChannel(settings: TeamsSettings, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url);
  const headers = { "content-type": "application/json" };
  return {
    digests: DIGEST_MAX,
    restMs: REST,
    send: async ({ message }, { sentAt, plain }) => {
      const body = teamsBody(message, sentAt, plain);
      return post({ url, headers, body, sentAt, timeoutMs, judge });
    },
  };
}

/** Teams refuses 28 KB, and a flow wraps the card before it posts it. Bytes. */
const BODY_BYTES = 20_000;
const PARAGRAPH_LENGTH = 2_000;
/** This number of jobs with ordinary names fits, each with a sentence. */
const DIGEST_MAX = 30;
/** Teams takes four messages in a second. */
const REST = 250;

/** The request's body. */
export function teamsBody(message: Message, sentAt: Instant, plain: boolean): string {
  const wording = wordingOf(message, sentAt);
  const render = plain ? plainElements : elementsOf;
  return fullestThatFits(
    wording,
    (words) => JSON.stringify(payloadOf(render(words))),
    (body) => Buffer.byteLength(body) <= BODY_BYTES,
  );
}

const payloadOf = (body: readonly object[]): object => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        msteams: { width: "Full" },
        body,
      },
    },
  ],
});

const COLOURS: Readonly<Record<Wording["tone"], string>> = { good: "Good", bad: "Attention", neutral: "Accent" };

/** In a card, two line feeds end a line. */
const paragraph = (text: string): string => cutTo(text, PARAGRAPH_LENGTH, cardText).replace(/\n+/g, "\n\n");

const textBlock = (text: string, more: object = {}): object => ({ type: "TextBlock", text, wrap: true, ...more });

function elementsOf(wording: Wording): object[] {
  const { subject, story, quote, items, advice, commands, facts, links, signature, tone } = wording;
  const linked = links.map(({ label, url }) => `[${cardText(label)}](${linkAddress(url)})`).join(" · ");
  return [
    textBlock(paragraph(subject), { size: "Medium", weight: "Bolder", color: COLOURS[tone] }),
    textBlock(paragraph(leadOf(wording))),
    ...story.slice(1).map((text) => textBlock(paragraph(text))),
    ...(quote === null ? [] : [textBlock(`${cardText(quote.label)}:`), quotation(quote.value)]),
    ...items.flatMap(itemOf),
    ...advice.map((text) => textBlock(paragraph(text))),
    ...(facts.length === 0 ? [] : [{ type: "FactSet", facts: facts.map(factOf) }]),
    ...(linked === "" ? [] : [textBlock(linked)]),
    ...commands.map(({ label, value }) => textBlock(paragraph(`${label}:\n${value}`))),
    textBlock(paragraph(signature), { size: "Small", isSubtle: true }),
  ];
}

const factOf = ({ label, value }: Wording["facts"][number]): object => ({
  title: paragraph(label),
  value: paragraph(value),
});

function itemOf({ name, details, quote }: Item): object[] {
  const lines = [`• ${paragraph(name)}`, ...details.map(paragraph)].join("\n\n");
  return [textBlock(lines), ...(quote === null ? [] : [quotation(quote)])];
}

const quotation = (text: string): object => ({
  type: "Container",
  style: "emphasis",
  items: [textBlock(paragraph(text), { fontType: "Monospace" })],
});

const plainElements = (wording: Wording): object[] => [
  textBlock(paragraph(wording.subject)),
  textBlock(paragraph(leadOf(wording))),
  ...wording.story.slice(1).map((text) => textBlock(paragraph(text))),
];

/** A flow answers nothing or JSON. A page comes from something in between, as a network's login: that passes. */
function judge({ status, headers, body }: HttpAnswer): Verdict | null {
  const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "") || body.trimStart().startsWith("<");
  const isGood = status >= 200 && status < 300;
  return isGood && isPage ? { verdict: "retry", answer: `HTTP ${status}, but not from Teams` } : null;
}
