// Microsoft Teams (R37) through the Workflows app's "When a Teams webhook request is received": a message with one
// Adaptive Card. The flow answers before it posts the card, so we cannot know what happens to it afterwards.

import type { Message } from "../domain/message/message.ts";
import type { Instant } from "../domain/time.ts";
import type { Item, Wording } from "../domain/wording/types.ts";
import { leadOf, wordingOf } from "../domain/wording/wording.ts";
import type { Channel, Verdict } from "./channel.ts";
import { cardText, linkAddress } from "./chat-layout.ts";
import { cutTo, fullestThatFits } from "./chat-shorten.ts";
import { type AddressOf, destinationUrl, type HttpAnswer, postsJson, SEND_TIMEOUT, unlessConfirmed } from "./post.ts";

export function createTeamsChannel(settings: AddressOf<"teams">, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url);
  const send = postsJson({ url, timeoutMs, judge }, ({ message }, { sentAt, plain }) =>
    teamsBody(message, sentAt, plain),
  );
  return { digests: DIGEST_MAX, restMs: REST, send };
}

/** Teams refuses 28 KB, and a flow wraps the card before it posts it. Bytes. */
const BODY_BYTES = 20_000;
const PARAGRAPH_LENGTH = 2_000;
const DIGEST_MAX = 30;
/** Teams takes four messages in a second. */
const REST = 250;

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

/** A flow answers nothing or JSON. */
function judge(answer: HttpAnswer): Verdict | null {
  const { headers, body } = answer;
  const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "") || body.trimStart().startsWith("<");
  return unlessConfirmed(answer, !isPage, "not from Teams");
}
