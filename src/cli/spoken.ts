// Times and durations of the service's answers as people read them in a terminal. Reads no clock.

import { counted, durationInWords, momentInWords } from "../domain/spoken-time.ts";
import { SECOND } from "../domain/time.ts";

/** `2026-03-01 02:00:00Z`: short and the same everywhere, for columns; a dash for none. */
export const shortTime = (iso: string | null): string =>
  iso === null ? "-" : `${iso.slice(0, 19).replace("T", " ")}Z`;

/** `2026-03-01 03:00:00 Europe/Berlin (02:00:00 UTC)`: where the job lives, and everywhere. */
export const moment = (iso: string, timezone: string): string => momentInWords(Date.parse(iso), timezone);

/** `1 hour 30 minutes`. */
export const seconds = (count: number): string =>
  count === 0 ? counted(0, "second") : durationInWords(count * SECOND);

/** The text, or its beginning where it is longer than a column should be. */
export function shortText(text: string, characters: number): string {
  const all = [...text];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}…`;
}
