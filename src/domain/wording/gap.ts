// How alerts and notices describe a time in which rollcall itself could not hear (R26).

import { SHORT_GAP } from "../limits.ts";
import type { AlertData } from "../message/alert.ts";
import { durationInWords } from "./spoken-time.ts";
import type { Times } from "./told-times.ts";

/** R26: an alert raised although we could not hear all the time says so, and people can judge. */
export function gapOf({ gap, cause, timezone }: AlertData, times: Times): string[] {
  if ((gap ?? null) === null) return [];
  const [from, to] = [Date.parse(gap!.from), Date.parse(gap!.to)];
  const report = cause === "unfinished" ? "the end" : "the report";
  if (to - from > SHORT_GAP) {
    const span = `between ${times.say(from, timezone)} and ${times.say(to, timezone)}`;
    return [`rollcall itself could not always hear ${span}: if ${report} was sent when it could not, it is lost.`];
  }
  return [
    `rollcall itself could not hear for ${durationInWords(to - from)} at ${times.say(from, timezone)}: if ${report} was sent just then, it is lost.`,
  ];
}
