// The notices that nothing can be stored, so that no job is watched (R36), and that rollcall stores reports again.

import type { NoticeData, NoticeMessage, StorageDetails } from "../message/notice.ts";
import type { StorageFault } from "../storage-fault.ts";
import { commandTo } from "./advice-words.ts";
import { jobsInWords } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { refusedItems } from "./refused.ts";
import type { NoticeWords } from "./types.ts";

/** The words for each reason why nothing can be stored. `over` says how that ends. */
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

export function storageWords({ data }: NoticeMessage, details: StorageDetails, times: Times): NoticeWords {
  const { fault, since, until, database } = details;
  if (until !== null) return overWords(data, details, until, times);
  const { subject, happened, toDo, over } = FAULTS[fault];
  return {
    subject: `${subject}: rollcall watches nothing`,
    story: [
      `${happened}: rollcall stores no report and raises no alarm.`,
      `This began at ${times.say(since, data.timezone)}. The database is ${database}.`,
    ],
    toDo,
    advice: [
      ...over,
      "Reports are refused with 503 meanwhile. Reports that do not come meanwhile count as unheard afterwards, not as missed.",
      "This message was not stored either: it comes once for this trouble, and another says when it is over.",
    ],
  };
}

/**
 * The notice that storing works again. Failures that rollcall refused meanwhile come first. Their clients may have
 * given up, so perhaps no other message tells of them (R26).
 */
function overWords(data: NoticeData, details: StorageDetails, until: string, times: Times): NoticeWords {
  const { since, failingTotal, monitors } = details;
  const failing = jobsInWords(monitors, failingTotal, data);
  const failed = failingTotal > 0;
  const over = [
    "rollcall stores reports again.",
    `It could not from ${times.say(since, data.timezone)} to ${times.say(until, data.timezone)}.`,
  ];
  const others =
    "Jobs whose reports may have been lost meanwhile are named in a message of their own, once it is clear which.";
  return {
    subject: failed ? `Failed: ${failing}, report not stored` : "rollcall stores reports again",
    story: [
      ...(failed
        ? [`${failing} reported a failure while rollcall could store nothing. It opened no incident.`, ...over]
        : [...over, others]),
    ],
    toDo: failed ? `Read the log of ${failingTotal === 1 ? "that job" : "each job"}.` : "There is nothing to do.",
    items: refusedItems(monitors, failingTotal, data, times),
    advice: failed ? [others] : [],
    commands: failed ? [commandTo("List all that was refused", "rollcall monitor refused", data)] : [],
  };
}
