// Finds right-to-left text, so that it can be isolated. Otherwise it reorders numbers and brackets beside it, as in
// `(123), for 6 hours`.

/** Letters of Hebrew, Arabic and other scripts written from right to left, with their marks and digits. */
const LETTER = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";

/**
 * Matches a run of right-to-left text: from its first letter to its last one before another script or the end of the
 * line, with a number right after it.
 */
const RUN = new RegExp(`(${LETTER}+(?:(?:(?!${LETTER})[^\\p{L}\\n])+${LETTER}+)*(?: ?[0-9]+)?)`, "u");

/** Replaces each run of right-to-left text by `wrap(run)`, and all text between by `other(rest)`. */
export const aroundRightToLeft = (
  text: string,
  wrap: (run: string) => string,
  other: (rest: string) => string = (rest) => rest,
): string =>
  text
    .split(RUN)
    .map((part, index) => (index % 2 === 1 ? wrap(part) : other(part)))
    .join("");
