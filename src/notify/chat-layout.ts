// Joins a message's words into one text for chats that take a text, a list of facts and a colour, escaped for the chat.

import type { Fact, Item, Wording } from "../domain/wording/types.ts";
import { leadSentences, quoteAfterLead, storyAfterLead } from "../domain/wording/wording.ts";

export interface ChatForm {
  readonly inert: (text: string) => string;
  readonly link: (label: string, address: string) => string;
  readonly quoteMark: string;
}

/** The text of a message with everything except the subject, the facts, the commands and the signature. */
export function chatText(wording: Wording, form: ChatForm): string {
  return [form.inert(leadSentences(wording)), textAfterLead(wording, form)]
    .filter((block) => block !== "")
    .join("\n\n");
}

/** The same text without the lead, for a chat that shows the lead elsewhere. */
export function textAfterLead(wording: Wording, form: ChatForm): string {
  const { items, advice, links } = wording;
  const quote = quoteAfterLead(wording);
  const blocks = [
    ...storyAfterLead(wording).map(form.inert),
    ...(quote === null ? [] : [`${form.inert(quote.label)}:\n${quotedForChat(quote.value, form)}`]),
    items.map((item) => itemText(item, form)).join("\n"),
    ...advice.map(form.inert),
    links.map(({ label, url }) => form.link(label, url)).join(" · "),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function itemText({ name, details, quote }: Item, form: ChatForm): string {
  const said = quote === null ? [] : [quotedForChat(quote, form)];
  return [`• ${form.inert(name)}`, ...said, ...details.map((detail) => `   ${form.inert(detail)}`)].join("\n");
}

const quotedForChat = (text: string, { inert, quoteMark }: ChatForm): string => inert(text).replace(/^/gm, quoteMark);

/** The whole message for a service in which no character is markup; each fact and command has lines by itself. */
export const chatMessageText = (wording: Wording, withSubject: boolean): string =>
  [
    [...(withSubject ? [wording.subject] : []), chatText(wording, PLAIN)].join("\n"),
    wording.facts.map(({ label, value }) => `${label}: ${value}`).join("\n"),
    ...wording.commands.map(({ label, value }) => `${label}:\n${value}`),
  ]
    .filter((block) => block !== "")
    .join("\n\n");

const PLAIN: ChatForm = { inert: (text) => text, link: (label, address) => `${label}: ${address}`, quoteMark: "" };

export const COLOURS: Readonly<Record<Wording["tone"], string>> = {
  good: "#1a7f37",
  bad: "#b42318",
  neutral: "#44546f",
};

/** The facts that a chat shows as a list under the text. Commands come last, each on lines by itself. */
export const listedFacts = ({ facts, commands }: Wording): (Fact & { readonly isShort: boolean })[] => [
  ...facts.map((fact) => ({ ...fact, isShort: fact.value.length <= SHORT })),
  ...commands.map((command) => ({ ...command, isShort: false })),
];

/** How many characters a fact may have to be shown beside another one. */
const SHORT = 40;

// Makes text inert in chats, with one function for each dialect: the chat shows it as it is, mentions no one and reads
// no markup. Some servers still turn an address in a text into a link, but each link leads where it says.

/**
 * U+200B, a space without width. It separates characters that must not meet, because no escape works on all servers.
 */
const GAP = "\u200b";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes for Slack, where only these three characters mean something in unformatted text. */
export const slackText = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character]!);

/**
 * Escapes for Mattermost and Rocket.Chat, which understand Slack's payload and show it as Markdown. Both know only
 * these backslash escapes; Rocket.Chat reads a backslash before a bracket as a formula. No escape prevents that they
 * call `@all`.
 */
export function slackMarkdown(text: string): string {
  const parted = partLinks(partLineStarts(text)).replace(/[@#]|\|(?=\|)/g, `$&${GAP}`);
  return slackText(parted.replace(/[\\*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&"));
}

/**
 * Escapes for Discord, which reads an address or `:name:` in a text as a link or a picture, but not inside times of
 * day.
 */
export const discordText = (text: string): string =>
  partLineStarts(text)
    .replace(/@/g, `@${GAP}`)
    .replace(/[\\*_~`|<>[\]()#]|:(?=[\w+/-])(?!(?<=\d:)\d\d(?!\d))/g, "\\$&");

/** Escapes for Adaptive Cards, which read a part of CommonMark, and functions in `{{` and `}}`. */
export const cardText = (text: string): string => partLinks(partLineStarts(text)).replace(/[\\`*_~<>&{}|#]/g, "\\$&");

/** Separates the halves of `[text](address)` and similar forms, which are links only while nothing stands between. */
const partLinks = (text: string): string => text.replace(/\](?=[([:])/g, `]${GAP}`);

/**
 * Separates the beginning of a line from its first character where a list, a horizontal rule, an underlined heading or
 * indented code would begin.
 */
const partLineStarts = (text: string): string => text.replace(/^(?=[ \t]|[-+=]|\d+[.)])/gm, GAP);

/**
 * Makes an address from our configuration safe in any dialect's link: it encodes the characters that would end the
 * link.
 */
export const linkAddress = (address: string): string =>
  address.replace(/[\s<>|()\\"`]/g, (character) => encodeURIComponent(character).replace(/[()]/, hexadecimal));

const hexadecimal = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
