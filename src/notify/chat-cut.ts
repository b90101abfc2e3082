// Cuts text to what a receiver takes, never inside a visible character: a surrogate pair, a letter with its accents and
// an emoji of several parts stay whole or go.

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The text after `inert`, at most `length` UTF-16 code units long; a receiver never counts more characters than that.
 * `…` marks a cut end.
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
