// Cleans text that callers chose, before it reaches subjects, mails and logs. Does not escape it for any format; the
// writers of HTML, headers and JSON do that.

/** Control characters, and the two separators that some programs take for line ends. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** The same without the line feed. */
const BREAKING_WITHIN_LINES = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** Invisible characters and those that change the text's direction: they make a text read as something else. */
export const MISLEADING = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/**
 * The text on one line of at most `length` code points. Breaks become spaces; direction overrides and invisible
 * characters are removed; `…` marks a cut end. May be empty.
 */
export function cleanLine(text: string, length: number): string {
  const line = text.toWellFormed().replace(MISLEADING, "").replace(BREAKING, " ").replace(/ {2,}/g, " ").trim();
  return cut(line, length);
}

/** Like `cleanLine`, but keeps the lines and ends each with a single line feed. */
export function cleanLines(text: string, length: number): string {
  const lines = text
    .toWellFormed()
    .replace(MISLEADING, "")
    .replace(/\r\n?/g, "\n")
    .replace(BREAKING_WITHIN_LINES, " ")
    .replace(/[ ]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return cut(lines, length);
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
