// A message's words as one text for chats that take a text, a list of facts and a colour. What is markup there comes from
// the form that is handed in; no name or message of a job may pass it by.

import type { Item, Wording } from "../domain/wording.ts";

/** How a chat writes. */
export interface ChatForm {
  /** Makes text inert. */
  readonly inert: (text: string) => string;
  readonly link: (label: string, address: string) => string;
  /** What stands before each line of what a job said. */
  readonly quoteMark: string;
}

/** All but the subject, the facts and the signature. */
export function chatText({ story, quote, items, advice, commands, links }: Wording, form: ChatForm): string {
  const blocks = [
    ...story.map(form.inert),
    ...(quote === null ? [] : [`${form.inert(quote.label)}:\n${quoted(quote.value, form)}`]),
    items.map((item) => itemText(item, form)).join("\n"),
    ...advice.map(form.inert),
    commands.map(({ label, value }) => form.inert(`${label}, on rollcall's computer: ${value}`)).join("\n"),
    links.map(({ label, url }) => form.link(label, url)).join(" · "),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function itemText({ name, details, quote }: Item, form: ChatForm): string {
  const lines = [`• ${form.inert(name)}`, ...details.map((detail) => `   ${form.inert(detail)}`)];
  return [...lines, ...(quote === null ? [] : [quoted(quote, form)])].join("\n");
}

const quoted = (text: string, { inert, quoteMark }: ChatForm): string => inert(text).replace(/^/gm, quoteMark);

/** The plainest text there is: what happened, without what jobs reported. */
export const plainText = ({ subject, story }: Wording): string => [subject, ...story].join("\n\n");

/** As CSS writes them. */
export const COLOURS: Readonly<Record<Wording["tone"], string>> = {
  good: "#1a7f37",
  bad: "#b42318",
  neutral: "#44546f",
};

/** Facts that are so short can stand beside each other. */
export const isShort = (value: string): boolean => value.length <= 40;
