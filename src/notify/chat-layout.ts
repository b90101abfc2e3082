// A message's words as one text, for chats that take a text, a list of facts and a colour. The form passed in escapes
// for the chat; every name or message of a job must go through it.

import type { Fact, Item, Wording } from "../domain/wording/types.ts";
import { leadOf } from "../domain/wording/wording.ts";

/** How a chat writes. */
export interface ChatForm {
  /** Makes text inert. */
  readonly inert: (text: string) => string;
  readonly link: (label: string, address: string) => string;
  /** The prefix of each line of what a job said. */
  readonly quoteMark: string;
}

/** Everything except the subject, the facts, the commands and the signature. */
export function chatText(wording: Wording, form: ChatForm): string {
  const { story, quote, items, advice, links } = wording;
  const blocks = [
    form.inert(leadOf(wording)),
    ...story.slice(1).map(form.inert),
    ...(quote === null ? [] : [`${form.inert(quote.label)}:\n${quoted(quote.value, form)}`]),
    items.map((item) => itemText(item, form)).join("\n"),
    ...advice.map(form.inert),
    links.map(({ label, url }) => form.link(label, url)).join(" · "),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function itemText({ name, details, quote }: Item, form: ChatForm): string {
  const lines = [`• ${form.inert(name)}`, ...details.map((detail) => `   ${form.inert(detail)}`)];
  return [...lines, ...(quote === null ? [] : [quoted(quote, form)])].join("\n");
}

const quoted = (text: string, { inert, quoteMark }: ChatForm): string => inert(text).replace(/^/gm, quoteMark);

/** The plainest text: what happened, without what jobs reported. */
export const plainText = (wording: Wording): string =>
  [wording.subject, leadOf(wording), ...wording.story.slice(1)].join("\n\n");

/** As CSS writes them. */
export const COLOURS: Readonly<Record<Wording["tone"], string>> = {
  good: "#1a7f37",
  bad: "#b42318",
  neutral: "#44546f",
};

/** What a chat shows as a list under the text: commands last, each on lines of its own. */
export const listed = ({ facts, commands }: Wording): (Fact & { readonly isShort: boolean })[] => [
  ...facts.map((fact) => ({ ...fact, isShort: fact.value.length <= SHORT })),
  ...commands.map((command) => ({ ...command, isShort: false })),
];

/** Facts this short can stand beside each other. */
const SHORT = 40;
