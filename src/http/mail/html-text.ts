// Returns the words that a person would read in an HTML mail, without tags (R47). Outsiders write these mails, so the
// time that one takes must grow only with its length. So each step goes over the text once, each search ends at the
// next `<` or `>`, and a search that fails is not repeated.

import { decodeHTML } from "entities";

/**
 * The beginning and the end of texts that a browser never shows. If the end is missing, such a text goes to the end of
 * the mail.
 */
const HIDDEN = [
  [/<!--/g, "-->"],
  [/<style\b/gi, "</style"],
  [/<script\b/gi, "</script"],
] as const;

export function textOfHtml(html: string): string {
  const shown = HIDDEN.reduce((left, [begin, end]) => without(left, begin, end), html);
  const lines = shown
    .replaceAll(/[\r\n\t ]+/g, " ")
    .replaceAll(/<br\b[^<>]*>|<\/(?:tr|p|div|li|h\d)\b[^<>]*>/gi, "\n")
    .replaceAll(/<\/?(?:b|i|u|em|strong|span|a|font|small|code)\b[^<>]*>/gi, "")
    .replaceAll(/<[^<>]*>/g, " ");
  return decodeHTML(lines)
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}

function without(html: string, begin: RegExp, end: string): string {
  // Only ASCII letters are put in lower case. Some other letters become longer in lower case, and then the places found
  // in `lower` would be wrong in `html`.
  const lower = html.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const kept: string[] = [];
  let from = 0;
  for (const { index } of html.matchAll(begin)) {
    if (index < from) continue;
    kept.push(html.slice(from, index));
    const ends = lower.indexOf(end, index);
    const closed = ends < 0 ? -1 : html.indexOf(">", ends);
    from = closed < 0 ? html.length : closed + 1;
  }
  kept.push(html.slice(from));
  return kept.join(" ");
}
