// Makes text that callers chose fit for people's eyes: names, keys and messages reach subjects, mails and logs. It must
// not escape for any format; the writers of HTML, headers and JSON do that.

/** Controls, and the two separators that some programs take for line ends. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** As above without the line feed. */
const BREAKING_WITHIN_LINES = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** What turns the direction of text, or cannot be seen: it makes a text read as something it is not. */
const MISLEADING = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/**
 * The text on one line of at most `length` code points: breaks become spaces, direction overrides and invisible
 * characters go, an end that was cut off shows as `…`. May be empty.
 */
export function cleanLine(text: string, length: number): string {
  const line = text.toWellFormed().replace(MISLEADING, "").replace(BREAKING, " ").replace(/ {2,}/g, " ").trim();
  return cut(line, length);
}

/** As `cleanLine`, but the text keeps its lines, each ended by a line feed alone. */
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
