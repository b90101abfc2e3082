// Finds right-to-left text inside left-to-right text. Unmarked, it pulls neighbouring numbers and brackets to its own
// side, and `(123), for 6 hours` reads as something else.

/** Hebrew, Arabic and all neighbouring scripts that run this way, with their marks and digits. */
const LETTER = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";

/** From the first such letter to the last before another kind or the line's end; includes a number after it. */
const RUN = new RegExp(`(${LETTER}+(?:(?:(?!${LETTER})[^\\p{L}\\n])+${LETTER}+)*(?: ?[0-9]+)?)`, "u");

/** The text, with each right-to-left run passed through `wrap` and everything else through `other`. */
export const aroundRightToLeft = (
  text: string,
  wrap: (run: string) => string,
  other: (rest: string) => string = (rest) => rest,
): string =>
  text
    .split(RUN)
    .map((part, index) => (index % 2 === 1 ? wrap(part) : other(part)))
    .join("");
