// Finds text that runs from right to left in a text that runs from left to right. Left as it is, it pulls numbers and
// brackets beside it to its own side: `(123), for 6 hours` is read as something else.

/** Hebrew, Arabic and all scripts beside them that run this way, with their marks and digits. */
const LETTER = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";

/** From the first such letter to the last before a letter of another kind or the end of the line; a number that follows it belongs to it. */
const RUN = new RegExp(`(${LETTER}+(?:(?:(?!${LETTER})[^\\p{L}\\n])+${LETTER}+)*(?: ?[0-9]+)?)`, "u");

/** The text with each run from right to left made into what `wrap` says, and all else into what `other` says. */
export const aroundRightToLeft = (
  text: string,
  wrap: (run: string) => string,
  other: (rest: string) => string = (rest) => rest,
): string =>
  text
    .split(RUN)
    .map((part, index) => (index % 2 === 1 ? wrap(part) : other(part)))
    .join("");
