// The notice that a destination has taken nothing for an hour, or takes messages again (R36). It goes to another
// destination, because people who read the first one hear nothing there.

import { cleanLine } from "../clean-text.ts";
import { SCHEDULE_LENGTH } from "../limits.ts";
import type { FailingDetails } from "../message/held-messages.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import { commandTo } from "./advice.ts";
import { jobsInWords } from "./items.ts";
import { counted, durationInWords } from "./spoken-time.ts";
import type { Times } from "./told-times.ts";
import type { NoticeWords } from "./types.ts";
import { lostItems } from "./undelivered.ts";

/** The words of such a notice. */
export function failingWords({ at, data }: NoticeMessage, details: FailingDetails, times: Times): NoticeWords {
  const { destination, since, until } = details;
  if (until !== null) return worksAgain(details, data.timezone, times);
  const { messagesTotal, monitorsTotal, monitors } = details;
  const span = durationInWords(at - Date.parse(since));
  const about = monitorsTotal === 0 ? "" : ` about ${jobsInWords(monitors, monitorsTotal, data)}`;
  const waiting = `${counted(messagesTotal, "message")}${about} ${messagesTotal === 1 ? "waits" : "wait"} there`;
  const answer = cleanLine(details.answer ?? "", SCHEDULE_LENGTH);
  const first = times.say(since, data.timezone);
  return {
    subject: `${destination} has taken no messages for ${span}: ${waiting}`,
    story: [
      `The destination ${destination} has taken no messages for ${span}.`,
      `It has taken none since ${first}. ${waiting}; the people there do not know.`,
      ...(answer === "" ? [] : [`The last answer was: ${answer}`]),
    ],
    toDo: `Repair ${destination}, then send it a test.`,
    items: lostItems(monitors, monitorsTotal, data, times),
    advice: [
      "A test that arrives sends all that waits there. Until then rollcall tries by itself, at least once an hour.",
      "You hear of this once, and again when it takes messages.",
    ],
    commands: [commandTo(`Send ${destination} a test`, `rollcall notify test ${destination}`, data)],
    facts: [],
  };
}

function worksAgain({ destination, since, until }: FailingDetails, timezone: string, times: Times): NoticeWords {
  const span = durationInWords(Date.parse(until!) - Date.parse(since));
  return {
    subject: `${destination} takes messages again, after ${span}`,
    story: [
      `The destination ${destination} takes messages again.`,
      `It had taken none from ${times.say(since, timezone)} on. The messages that waited there go out now. Each one says what has happened since.`,
    ],
    toDo: "There is nothing to do.",
    items: [],
    advice: [],
    commands: [],
    facts: [],
  };
}
