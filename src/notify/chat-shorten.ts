// Shortens a message's words until a receiver takes them: drops the least important parts first and keeps what happened
// to the end. Knows no receiver's limits; the channel says what fits.

import type { Item, Wording } from "../domain/wording/types.ts";

/** The fullest form of the words, made by `render`, that `fits`; the shortest if none does. */
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

/** Steps applied one after the other, each to the result of the last. Every receiver takes what is left at the end. */
const SHORTENINGS: readonly Shortening[] = [
  quotesOfItemsTo(200),
  quotesOfItemsTo(0),
  itemsTo(30),
  detailsOfItemsTo(1),
  detailsOfItemsTo(0),
  itemsTo(20),
  itemsTo(10),
  itemsTo(5),
  factsTo(12),
  factsTo(6),
  quoteTo(500),
  quoteTo(200),
  factsTo(0),
  linksTo(300),
  linksTo(0),
  itemsTo(1),
  quoteTo(0),
  (wording) => ({ ...wording, commands: [] }),
  (wording) => ({ ...wording, advice: [] }),
  (wording) => ({ ...wording, story: wording.story.map((paragraph) => cut(paragraph, 300)) }),
];

/** At most so many UTF-16 code units of a text that nothing escapes. */
export const cut = (text: string, length: number): string => cutTo(text, length, (whole) => whole);

/** `length` 0: without them. */
function quotesOfItemsTo(length: number): Shortening {
  const ofItem = (item: Item): Item => ({
    ...item,
    quote: item.quote === null || length === 0 ? null : cut(item.quote, length),
  });
  return (wording) => ({ ...wording, items: wording.items.map(ofItem) });
}

/** Naming the jobs says more than details about fewer of them (R39). */
function detailsOfItemsTo(count: number): Shortening {
  const ofItem = (item: Item): Item => ({ ...item, details: item.details.slice(0, count) });
  return (wording) => ({ ...wording, items: wording.items.map(ofItem) });
}

function quoteTo(length: number): Shortening {
  return (wording) => {
    const { quote } = wording;
    if (quote === null) return wording;
    return { ...wording, quote: length === 0 ? null : { ...quote, value: cut(quote.value, length) } };
  };
}

function factsTo(count: number): Shortening {
  return (wording) => ({ ...wording, facts: wording.facts.slice(0, count) });
}

/** Without links whose address is longer. */
function linksTo(length: number): Shortening {
  return (wording) => ({ ...wording, links: wording.links.filter(({ url }) => url.length <= length) });
}

/** The list may already end with a count of the rest; then that number grows. */
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

// Cuts text to what a receiver takes, never inside a visible character: a surrogate pair, a letter with its accents and
// an emoji of several parts stay whole or go.

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The text after `inert`, at most `length` UTF-16 units long, the most that a receiver counts. `…` marks a cut end. */
export function cutTo(text: string, length: number, inert: (text: string) => string): string {
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
