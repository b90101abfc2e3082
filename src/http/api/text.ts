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

/** A header reaches us one letter per byte; if these are UTF-8, it has the text and length a query would give. */
export function fromBytes(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** The text, or its first code points when it is longer than this. */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text].slice(0, codePoints).join("") : text;
