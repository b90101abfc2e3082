// The notice that stored times lay in the future and were pulled back (R26): what happened to the monitors, and what
// went unreported meanwhile.

import type { ClockDetails } from "../message/notice-details.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import { SECOND } from "../time.ts";
import { counted, durationInWords } from "./spoken-time.ts";
import type { Times } from "./told-times.ts";
import type { NoticeWords } from "./types.ts";

/** The words of such a notice. */
export function clockWords(
  { at, data: { timezone } }: NoticeMessage,
  details: ClockDetails,
  times: Times,
): NoticeWords {
  const step = `${details.exact ? "" : "at least "}${durationInWords(details.aheadSeconds * SECOND)}`;
  const since = times.say(details.since, timezone);
  const now = times.say(at, timezone);
  return {
    subject: `rollcall's clock was set back by ${step}: missing reports went unnoticed`,
    story: [
      `rollcall could not notice missing reports, because its clock was set back by ${step}.`,
      `It noticed that at ${since}. From then on the times that it had stored lay in the future.`,
      `At ${now} those times were set right, for ${counted(details.monitorsTotal, "job")}. The next report is expected at the first scheduled time after that, runs under way have their full time again, and open incidents stay open.`,
    ],
    toDo: "Check whether the jobs that were due meanwhile ran.",
    items: [],
    commands: [],
    advice: [
      "No other message tells of those that did not run.",
      `Check that the clock is right now, and that something keeps it right. Times in earlier messages are ${step} too late.`,
    ],
    facts: [],
  };
}
