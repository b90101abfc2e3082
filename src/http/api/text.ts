// Reads text from outside, for paths, queries and headers. No rule of the contract lives here.

import { isLongerThan } from "../../domain/text.ts";

/** The text behind percent-encoding, or null when an escape is broken or the bytes are not UTF-8. */
export function decode(encoded: string): string | null {
  if (!encoded.includes("%")) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Spaces in place of plus signs. `replaceAll` makes a text for each of them: 15,000 would cost as much as ten reports.
 */
export function spacesForPluses(text: string): string {
  if (!text.includes("+") || !isAscii(text)) return text.replaceAll("+", " ");
  const bytes = Buffer.from(text, "latin1");
  for (let place = 0; place < bytes.length; place++) if (bytes[place] === PLUS) bytes[place] = SPACE;
  return bytes.toString("latin1");
}

/** A header reaches us one letter per byte; if these are UTF-8, it has the text and length a query would give. */
export function fromBytes(value: string): string {
  if (isAscii(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** The text, or its first code points when it is longer than this. One code point has at most two letters. */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text.slice(0, 2 * codePoints)].slice(0, codePoints).join("") : text;

/** What stands before the parameters of a header such as `Content-Type`, in lower case. */
export const beforeParameters = (value: string): string => value.split(";", 1)[0]!.trim().toLowerCase();
