// Reads text from outside, for paths and queries. No rule of the contract lives here.

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

/** The text, or its first code points up to this number when it is longer. */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text].slice(0, codePoints).join("") : text;
