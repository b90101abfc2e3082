// How a time in which rollcall itself could not hear is put in words (R26), for alerts and for notices about it.

import type { AlertData } from "./alert.ts";
import { SHORT_GAP } from "./limits.ts";
import { durationInWords, momentInWords } from "./spoken-time.ts";
import { SECOND } from "./time.ts";

/** `20 seconds` for what lasted 19.9: to the nearest second, since a gap begins a moment after the last look before it. */
const lengthInWords = (milliseconds: number): string =>
  durationInWords(milliseconds < SECOND ? milliseconds : Math.round(milliseconds / SECOND) * SECOND);

/** R26: what is told although we could not hear all the time says so: whoever reads it can judge by it. */
export function gapOf({ gap, cause, timezone }: AlertData): string[] {
  if (gap === null) return [];
  const [from, to] = [Date.parse(gap.from), Date.parse(gap.to)];
  const report = cause === "unfinished" ? "the end" : "the report";
  if (to - from > SHORT_GAP) {
    const span = `between ${momentInWords(from, timezone)} and ${momentInWords(to, timezone)}`;
    return [`rollcall itself could not always hear ${span}: if ${report} was sent when it could not, it is lost.`];
  }
  return [
    `rollcall itself could not hear for ${lengthInWords(to - from)} at ${momentInWords(from, timezone)}: if ${report} was sent just then, it is lost.`,
  ];
}
