// The notices that nothing can be stored (R36), and that storage works again. While nothing can be stored no job is
// watched; the first notice opens with that.

import type { StorageDetails } from "../message/notice-details.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import type { Times } from "./told-times.ts";
import type { NoticeWords } from "./types.ts";

/** The words of such a notice. */
export function storageWords(
  { data: { timezone } }: NoticeMessage,
  details: StorageDetails,
  times: Times,
): NoticeWords {
  const { fault, since, until, database } = details;
  if (until !== null) {
    return {
      subject: "rollcall stores reports again",
      story: [
        "rollcall stores reports again.",
        `It could not from ${times.say(since, timezone)} to ${times.say(until, timezone)}.`,
        "Jobs whose reports may have been lost meanwhile are named in a message of their own, once it is clear which.",
      ],
      toDo: "There is nothing to do.",
      items: [],
      advice: [],
      commands: [],
      facts: [],
    };
  }
  const full = fault === "full";
  return {
    subject: full ? "Disk full: rollcall watches nothing" : "Database not writable: rollcall watches nothing",
    story: [
      `${full ? "The disk is full" : "The database cannot be written"}: rollcall stores no report and raises no alarm.`,
      `This began at ${times.say(since, timezone)}. The database is ${database}.`,
    ],
    toDo: full ? "Free space on the disk of its database." : "Read rollcall's log, and check the database.",
    items: [],
    commands: [],
    advice: [
      ...(full ? ["Once there is space, rollcall goes on by itself."] : []),
      "Reports are refused with 503 meanwhile. Reports that do not come meanwhile count as unheard afterwards, not as missed.",
      "This message was not stored either: it comes once for this trouble, and another says when it is over.",
    ],
    facts: [],
  };
}
