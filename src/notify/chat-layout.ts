// Joins the words of a message into one text for chats, escaped for the chat. Some chats also take a list of facts and
// a colour.

import type { Fact, Item, Wording } from "../domain/wording/types.ts";
import { leadSentences, quoteAfterLead, storyAfterLead } from "../domain/wording/wording.ts";

export interface ChatForm {
  readonly inert: (text: string) => string;
  readonly link: (label: string, address: string) => string;
  readonly quoteMark: string;
}

/** Returns the text of a message without its subject, facts, commands and signature, which the chat shows elsewhere. */
export function chatText(wording: Wording, form: ChatForm): string {
  return [form.inert(leadSentences(wording)), textAfterLead(wording, form)]
    .filter((block) => block !== "")
    .join("\n\n");
}

/** Returns the text as `chatText` does, but without the first sentences, for a chat that shows these elsewhere. */
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

/** Returns the whole message for a service that shows plain text without markup. Each fact is on a line by itself. */
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

/** Returns the facts that a chat shows as a list under the text. Commands come last, each on lines of its own. */
export const listedFacts = ({ facts, commands }: Wording): (Fact & { readonly isShort: boolean })[] => [
  ...facts.map((fact) => ({ ...fact, isShort: fact.value.length <= SHORT })),
  ...commands.map((command) => ({ ...command, isShort: false })),
];

/** A fact of at most this many characters may stand beside another one in the same line. */
const SHORT = 40;

// Escapes text for chats, with one function for each dialect: the chat shows the text as it is, mentions no one and
// reads no markup in it. Some servers still turn an address in the text into a link, but that link leads where it says.

/** U+200B, a space without width. It separates characters that together mean something: no escape works everywhere. */
const GAP = "\u200b";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes for Slack, which in a text without markup gives a meaning to these three characters only. */
export const slackText = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character]!);

/**
 * Escapes for Mattermost and Rocket.Chat, which take Slack's payload but show it as Markdown. Both know only these
 * backslash escapes, and Rocket.Chat reads `\[` as a formula. A backslash does not keep `@all` from notifying every
 * member, so a space without width does that.
 */
export function slackMarkdown(text: string): string {
  const parted = partLinks(partLineStarts(text)).replace(/[@#]|\|(?=\|)/g, `$&${GAP}`);
  return slackText(parted.replace(/[\\*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&"));
}

/** Escapes for Discord, where an address is a link and `:name:` a picture. The colon in 12:30 needs no escape. */
export const discordText = (text: string): string =>
  partLineStarts(text)
    .replace(/@/g, `@${GAP}`)
    .replace(/[\\*_~`|<>[\]()#]|:(?=[\w+/-])(?!(?<=\d:)\d\d(?!\d))/g, "\\$&");

/** Escapes for Adaptive Cards, which read a part of CommonMark, and functions between `{{` and `}}`. */
export const cardText = (text: string): string => partLinks(partLineStarts(text)).replace(/[\\`*_~<>&{}|#]/g, "\\$&");

/** Separates `[text]` from a following `(address)`, because the two form a link only while they are adjacent. */
const partLinks = (text: string): string => text.replace(/\](?=[([:])/g, `]${GAP}`);

/**
 * Puts `GAP` at the start of each line that the chat would read as a list, a rule, an underlined heading or indented
 * code.
 */
const partLineStarts = (text: string): string => text.replace(/^(?=[ \t]|[-+=]|\d+[.)])/gm, GAP);

/** Makes an address safe in a link of any dialect: it encodes the characters that would end the link. */
export const chatLinkAddress = (address: string): string =>
  address.replace(/[\s<>|()\\"`]/g, (character) => encodeURIComponent(character).replace(/[()]/, hexadecimal));

const hexadecimal = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
