// What a notice says when nothing can be stored (R36), and when something can again. The first goes out while nobody is
// watched, so it says that before anything else.

import type { NoticeMessage } from "./notice.ts";
import type { StorageDetails } from "./notice-details.ts";
import { momentOf } from "./wording-details.ts";
import type { NoticeWords } from "./wording-notice.ts";

/** The words of such a notice. */
export function storageWords({ data: { timezone } }: NoticeMessage, details: StorageDetails): NoticeWords {
  const { fault, since, until, database } = details;
  const from = momentOf(since, timezone);
  if (until !== null) {
    return {
      subject: "rollcall stores reports again",
      story: [
        `rollcall stores reports again since ${momentOf(until, timezone)}. From ${from} on it could not.`,
        "Jobs whose reports may have been lost meanwhile are named in a message of their own, once it is clear which.",
      ],
      items: [],
      advice: [],
      facts: [],
    };
  }
  const full = fault === "full";
  return {
    subject: full ? "Disk full: rollcall watches nothing" : "Database not writable: rollcall watches nothing",
    story: [
      `${full ? "The disk is full" : "The database cannot be written"}, so rollcall stores no report and raises no alarm since ${from}.`,
      full
        ? `Free space on the disk of ${database}: rollcall then goes on by itself.`
        : `See rollcall's log, and check ${database}.`,
    ],
    items: [],
    advice: [
      "Reports are refused with 503 meanwhile. Missing ones are counted as unheard afterwards, not as missed.",
      "This message was not stored either: it comes once for this trouble, and another says when it is over.",
    ],
    facts: [],
  };
}
