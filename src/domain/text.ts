// Texts from outside: their checks, the nearest known name, cleaning and quotes, and the grammar of mail addresses.

import { closestMatch } from "leven";
import { type NamedField, type Refusal, refuseField } from "./errors.ts";

/** Whether a text has a C0 or C1 control character or DEL. */
export const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether a text has more than this number of code points. Most texts are too short to need counting. */
export function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > codePoints;
}

/** Refuses (400) a text with more than this number of code points, and names the field (R1, R10). */
export const checkLength = (field: NamedField, text: string, codePoints: number): Refusal | null =>
  isLongerThan(text, codePoints)
    ? refuseField(field, `it is longer than ${codePoints} characters, the most it may have`)
    : null;

/** Checks a text of one line, such as a key: Unicode, not empty, not too long and without control characters. */
export function checkLine(field: NamedField, text: string, codePoints: number): Refusal | null {
  if (text === "") return refuseField(field, `it is empty, 1 to ${codePoints} characters are needed`);
  if (hasControl(text)) return refuseField(field, `it has a control character, which it may not have`);
  // Half a surrogate pair cannot be sent in a path. Replacing it would make the name of another monitor.
  if (!text.isWellFormed()) return refuseField(field, "it is not Unicode text");
  return checkLength(field, text, codePoints);
}

/**
 * Returns the nearest candidate within two edits of `word`, or within one edit if `word` has under four letters;
 * otherwise `null`.
 */
export const nearestKnownName = (word: string, candidates: Iterable<string>): string | null =>
  closestMatch(word, [...candidates], { maxDistance: word.length < 4 ? 1 : 2 }) ?? null;

/** Says which known name is near an unknown one. When none is near, it lists all known names. */
export function nearestOrAll(name: string, known: Iterable<string>): string {
  const near = nearestKnownName(name, known);
  return near === null ? `must be one of ${[...known].join(", ")}` : `did you mean "${near}"?`;
}

// Cleans texts that callers chose, before they reach subjects, mails and logs. Nothing is escaped here: the writers of
// HTML, headers and JSON do that.

/** Control characters, and the two separators that some programs take for line ends. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** The text without the mark of UTF-8, with which some editors and Windows begin a file. */
export const withoutUtf8Mark = (text: string): string => text.replace(/^\ufeff/, "");

/**
 * Which line of a text that was read from a file is the first with bytes that are not UTF-8, from 1; `null` when none
 * is. Whoever decodes a file puts U+FFFD in place of such bytes.
 */
export function lineNotUtf8(text: string): number | null {
  const at = text.indexOf("\ufffd");
  return at < 0 ? null : text.slice(0, at).split("\n").length;
}

const BREAKING_WITHIN_LINES = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/gu;

/**
 * Invisible characters and those that change the text's direction. They are removed, because they make a text look like
 * another one.
 */
export const MISLEADING = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/**
 * Returns the text on one line of at most `length` code points. Breaks become spaces; invisible characters and those
 * that change the direction are removed; `…` marks a cut end. The result may be empty.
 */
export function cleanLine(text: string, length: number): string {
  const line = text.toWellFormed().replace(MISLEADING, "").replace(BREAKING, " ").replace(/ {2,}/g, " ").trim();
  return cut(line, length);
}

/** Like `cleanLine`, but the text keeps its lines, each ended by a single line feed. */
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

/**
 * Cuts a text to this many code points; a shorter text is returned as it is. One code point has at most two UTF-16
 * units, so the rest of a long text need not be looked at.
 */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text.slice(0, 2 * codePoints)].slice(0, codePoints).join("") : text;

/**
 * Shows control characters, and those that change the text's direction, as codes such as `\u001b`. Otherwise a caller's
 * name could move a terminal's cursor.
 */
export const visibleText = (cell: string): string =>
  cell.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

// The one grammar of mail addresses. An address reaches SMTP commands and header lines, so only the plain form is
// accepted. Quotes, comments, lists and display names are not, because a library could read them as a second recipient.

const LOCAL_PART = /^[A-Za-z0-9_][A-Za-z0-9_+'=&~#-]*(?:\.[A-Za-z0-9_+'=&~#-]+)*$/;
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
const LOCAL_PART_LENGTH = 64;
const ADDRESS_LENGTH = 254;

/** Converts a domain such as `müller.example` to the `xn--` form of mail servers; other texts stay as they are. */
export function asciiMailAddress(text: string): string {
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  if (at < 1 || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || !/[^ -~]/.test(domain)) return text;
  return text.slice(0, at + 1) + (URL.parse(`http://${domain}`)?.hostname ?? domain);
}

/**
 * Whether the text is one bare mail address, `local@domain` in ASCII. Commas, double quotes, angle brackets, spaces and
 * control characters are refused; a domain in another script must be in its `xn--` form. A one-label domain
 * (`root@localhost`) passes, because local mail servers use it.
 */
export function isMailAddress(text: string): boolean {
  if (text.length > ADDRESS_LENGTH) return false;
  const at = text.indexOf("@");
  if (at < 1 || at > LOCAL_PART_LENGTH) return false;
  return LOCAL_PART.test(text.slice(0, at)) && DOMAIN.test(text.slice(at + 1));
}

/** Makes `text` the beginning of a sentence. The product's name keeps its small first letter: `rollcall was down`. */
export const capitalized = (text: string): string =>
  /^rollcall\b/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const QUOTED_LENGTH = 40;

/** The text in double quotes, for a message. It is cut after 40 characters, and control characters are escaped. */
export function quote(text: string): string {
  const shown = [...text].slice(0, QUOTED_LENGTH).join("");
  return visibleText(JSON.stringify(shown === text ? text : `${shown}…`));
}

/** The lines of a text that are not blank, without the blanks around them. */
export const filledLines = (text: string): string[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));

/** The text as one word of a shell, in quotes only where it needs them. */
export const shellQuoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : alwaysShellQuoted(text));

/** The text as one word of a shell, always in quotes. */
export const alwaysShellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
