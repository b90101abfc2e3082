// Lengths and letters of texts that come from outside: one sentence everywhere says what a one-line text may contain.
// Does not know what a text means.

import { type Refusal, refuse } from "./errors.ts";

/** Whether a text has a C0 or C1 control character or DEL. */
export const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether a text has more than this number of code points. Most texts are so short that we need not count. */
export function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > codePoints;
}

/** Null when the text has at most this number of code points; else 400, naming the field (R1, R10). */
export const checkLength = (field: string, text: string, codePoints: number): Refusal | null =>
  isLongerThan(text, codePoints)
    ? refuse("INVALID_REQUEST", `${field}: it is longer than ${codePoints} characters, the most it may have`)
    : null;

/** The same for a text on one line that people read and compare; it must not be empty. */
export function checkLine(field: string, text: string, codePoints: number): Refusal | null {
  if (text === "") return refuse("INVALID_REQUEST", `${field}: it is empty, 1 to ${codePoints} characters are needed`);
  if (hasControl(text)) return refuse("INVALID_REQUEST", `${field}: it has a control character, which it may not have`);
  // Half a surrogate pair cannot be sent in a path, and replacing it would name another monitor.
  if (!text.isWellFormed()) return refuse("INVALID_REQUEST", `${field}: it is not Unicode text`);
  return checkLength(field, text, codePoints);
}
