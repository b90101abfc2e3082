// Small readings of text from outside, shared by paths and queries. No rule of the contract lives here.

/** The text behind percent-encoding, or null when an escape is broken or the bytes are not UTF-8. */
export function decode(encoded: string): string | null {
  if (!encoded.includes("%")) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** Whether a text has a control character of C0 or C1, or DEL. */
export const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether a text has more than so many code points. Most texts are too short to need counting. */
export function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > codePoints;
}

/** The text, or its first so many code points when it is longer. */
export const cutTo = (text: string, codePoints: number): string =>
  isLongerThan(text, codePoints) ? [...text].slice(0, codePoints).join("") : text;
