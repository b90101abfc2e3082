// The notices that nothing can be stored (R36), and that storage works again. While nothing can be stored no job is
// watched; the first notice opens with that.

import type { StorageDetails } from "../message/notice-details.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import type { StorageFault } from "../storage-fault.ts";
import type { Times } from "./told-times.ts";
import type { NoticeWords } from "./types.ts";

/** Why nothing can be stored; `over`: what ends it. */
const FAULTS: Readonly<
  Record<StorageFault, Readonly<Record<"subject" | "happened" | "toDo", string>> & { over: string[] }>
> = {
  full: {
    subject: "Disk full",
    happened: "The disk is full",
    toDo: "Free space on the disk of its database.",
    over: ["Once there is space, rollcall goes on by itself."],
  },
  gone: {
    subject: "Database gone",
    happened: "The file of the database was deleted or replaced",
    toDo: "Put the file back where it was; or stop rollcall, restore a backup, and start it.",
    over: ["Once the same file is back, rollcall goes on by itself."],
  },
  other: {
    subject: "Database not writable",
    happened: "The database cannot be written",
    toDo: "Read rollcall's log, and check the database.",
    over: [],
  },
};

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
  const { subject, happened, toDo, over } = FAULTS[fault];
  return {
    subject: `${subject}: rollcall watches nothing`,
    story: [
      `${happened}: rollcall stores no report and raises no alarm.`,
      `This began at ${times.say(since, timezone)}. The database is ${database}.`,
    ],
    toDo,
    items: [],
    commands: [],
    advice: [
      ...over,
      "Reports are refused with 503 meanwhile. Reports that do not come meanwhile count as unheard afterwards, not as missed.",
      "This message was not stored either: it comes once for this trouble, and another says when it is over.",
    ],
    facts: [],
  };
}
