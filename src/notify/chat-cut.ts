// Cuts text to what a receiver takes, never through a character as people see it: a surrogate pair, a letter with its
// accents and an emoji of several parts stay whole or go.

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * What `inert` makes of the text, at most `length` long in UTF-16 code units, which are never fewer than what a receiver
 * counts as characters. An end that was cut off shows as `…`.
 */
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
