// What a notice says when a destination has taken nothing for an hour, and when it takes messages again (R36). It comes
// another way, to people who wait in vain at the first.

import { cleanLine } from "./clean-text.ts";
import { SCHEDULE_LENGTH } from "./limits.ts";
import type { NoticeMessage } from "./notice.ts";
import type { FailingDetails } from "./notice-messages.ts";
import { counted, durationInWords } from "./spoken-time.ts";
import { momentOf } from "./wording-details.ts";
import { jobsInWords } from "./wording-items.ts";
import type { NoticeWords } from "./wording-notice.ts";
import { lostItems } from "./wording-undelivered.ts";

/** The words of such a notice. */
export function failingWords({ at, data: { timezone } }: NoticeMessage, details: FailingDetails): NoticeWords {
  const { destination, since, until } = details;
  if (until !== null) return worksAgain(details, timezone);
  const { messagesTotal, monitorsTotal, monitors } = details;
  const lasted = durationInWords(at - Date.parse(since));
  const about = monitorsTotal === 0 ? "" : ` about ${jobsInWords(monitors, monitorsTotal)}`;
  const waiting = `${counted(messagesTotal, "message")}${about} ${messagesTotal === 1 ? "waits" : "wait"} there`;
  const answer = cleanLine(details.answer ?? "", SCHEDULE_LENGTH);
  return {
    subject: `${destination} has taken no messages for ${lasted}: ${waiting}`,
    story: [
      `${destination} has taken no messages since ${momentOf(since, timezone)}. ${waiting}; people there do not know.`,
      ...(answer === "" ? [] : [`The last answer was: ${answer}`]),
    ],
    items: lostItems(monitors, monitorsTotal),
    advice: [
      `Repair ${destination}, then run: rollcall notify test ${destination}`,
      "A test that arrives sends all that waits there. Until then rollcall tries by itself, at least once an hour.",
      "You hear of this once, and again when it takes messages.",
    ],
    facts: [],
  };
}

function worksAgain({ destination, since, until }: FailingDetails, timezone: string): NoticeWords {
  const lasted = durationInWords(Date.parse(until!) - Date.parse(since));
  return {
    subject: `${destination} takes messages again, after ${lasted}`,
    story: [
      `${destination} takes messages again. It had taken none from ${momentOf(since, timezone)} on.`,
      "What waited there goes out now. Each message says what has happened since.",
    ],
    items: [],
    advice: ["There is nothing to do."],
    facts: [],
  };
}
