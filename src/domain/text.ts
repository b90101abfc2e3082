// Lengths and letters of texts that come from outside: what a text on one line may be, said in one sentence everywhere.
// What a text means is not known here.

import { type Refusal, refuse } from "./errors.ts";

/** Whether a text has a control character of C0 or C1, or DEL. */
export const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** Whether a text has more than this number of code points. Most texts are too short to need counting. */
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

/** The same of a text that must not be empty and that people read and compare on one line. */
export function checkLine(field: string, text: string, codePoints: number): Refusal | null {
  if (text === "") return refuse("INVALID_REQUEST", `${field}: it is empty, 1 to ${codePoints} characters are needed`);
  if (hasControl(text)) return refuse("INVALID_REQUEST", `${field}: it has a control character, which it may not have`);
  // Half of a surrogate pair cannot be sent in a path; as another letter it would be another monitor's name.
  if (!text.isWellFormed()) return refuse("INVALID_REQUEST", `${field}: it is not Unicode text`);
  return checkLength(field, text, codePoints);
}
