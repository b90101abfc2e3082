// Shortens the words of a message until a receiver takes them; the least important parts go first.

import { ownWordsIn } from "../domain/wording/own-words.ts";
import type { Item, Wording } from "../domain/wording/types.ts";

/** Shortens the words until the form `fits`, and returns that form; the shortest form even if it does not fit. */
export function fullestThatFits<Form>(
  wording: Wording,
  render: (wording: Wording) => Form,
  fits: (form: Form) => boolean,
): Form {
  let shorter = wording;
  let form = render(shorter);
  for (const shorten of SHORTENINGS) {
    if (fits(form)) return form;
    shorter = shorten(shorter);
    form = render(shorter);
  }
  return form;
}

type Shortening = (wording: Wording) => Wording;

const shortening =
  (changed: (wording: Wording) => Partial<Wording>): Shortening =>
  (wording) => ({ ...wording, ...changed(wording) });

const ofItems = (changed: (item: Item) => Partial<Item>): Shortening =>
  shortening(({ items }) => ({ items: items.map((item) => ({ ...item, ...changed(item) })) }));

const factsTo = (count: number): Shortening => shortening(({ facts }) => ({ facts: facts.slice(0, count) }));

const quoteTo = (length: number): Shortening =>
  shortening(({ quote }) => ({ quote: quote && { ...quote, value: cutPlainChatText(quote.value, length) } }));

/** The steps that shorten a message, one after another. After the last one the message fits every receiver. */
const SHORTENINGS: readonly Shortening[] = [
  // Commands are dropped before quotes: the reason that a job gave says more than a command that readers can type.
  shortening(() => ({ commands: [] })),
  ofItems(({ quote }) => ({ quote: quote && cutPlainChatText(quote, 200) })),
  itemsTo(30),
  ofItems(({ details }) => ({ details: details.slice(0, 1) })),
  ofItems(() => ({ details: [] })),
  ofItems(({ quote }) => ({ quote: ownWordsIn(quote)?.line ?? quote })),
  ofItems(({ quote }) => ({ quote: quote && cutPlainChatText(quote, 80) })),
  // Quotes are dropped before items: the names of all jobs say more than quotes of fewer jobs (R39).
  ofItems(() => ({ quote: null })),
  itemsTo(20),
  itemsTo(10),
  itemsTo(5),
  factsTo(12),
  factsTo(6),
  quoteTo(500),
  quoteTo(200),
  factsTo(0),
  // A long link is left out as a whole, because a link that is cut leads to another place.
  shortening(({ links }) => ({ links: links.filter(({ url }) => url.length <= 300) })),
  shortening(() => ({ links: [] })),
  itemsTo(1),
  shortening(() => ({ quote: null })),
  shortening(() => ({ advice: [] })),
  shortening(({ story }) => ({ story: story.map((paragraph) => cutPlainChatText(paragraph, 300)) })),
];

/** Keeps the first `count` items, and ends the list with the number of all others: "and 5 more". */
function itemsTo(count: number): Shortening {
  return (wording) => {
    const { items } = wording;
    const unnamed = items.at(-1)?.unnamed ?? 0;
    const named = unnamed === 0 ? items : items.slice(0, -1);
    if (named.length <= count) return wording;
    const left = named.length - count + unnamed;
    return {
      ...wording,
      items: [...named.slice(0, count), { name: `and ${left} more`, details: [], quote: null, unnamed: left }],
    };
  };
}

// Cuts a text to the length that a receiver takes. A cut never splits a letter from its accents, nor an emoji.

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Escapes the text with `inert` and returns at most `length` UTF-16 units of it; `…` marks a cut end. Receivers that
 * count characters never count more than these units; limits in bytes need a check of their own.
 */
export function cutChatText(text: string, length: number, inert: (text: string) => string): string {
  const whole = inert(text);
  if (whole.length <= length) return whole;
  const characters = Array.from(CHARACTERS.segment(text), ({ segment }) => segment);
  const cutAfter = (count: number): string => inert(`${characters.slice(0, count).join("").trimEnd()}…`);
  let fits = 0;
  let tooMany = characters.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (cutAfter(middle).length <= length) fits = middle;
    else tooMany = middle;
  }
  return cutAfter(fits);
}

export const cutPlainChatText = (text: string, length: number): string => cutChatText(text, length, (whole) => whole);
