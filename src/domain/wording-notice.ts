// What a notice tells: something about rollcall itself, and what that means for the jobs it watches. Neither good nor bad
// news of a job, so nothing here may read like an alert. The lists of jobs are wording-items.ts.

import type { NoticeMessage } from "./notice.ts";
import type { Wording } from "./wording.ts";
import { clockWords } from "./wording-clock.ts";
import { signatureOf } from "./wording-details.ts";
import { drillWords } from "./wording-drill.ts";
import { failingWords } from "./wording-failing.ts";
import { refusedWords } from "./wording-refused.ts";
import { rejectedWords } from "./wording-rejected.ts";
import { storageWords } from "./wording-storage.ts";
import { latenessOf } from "./wording-subject.ts";
import { undeliveredWords } from "./wording-undelivered.ts";
import { unheardWords } from "./wording-unheard.ts";

/** What the kinds of notices differ in. */
export type NoticeWords = Pick<Wording, "subject" | "story" | "items" | "advice" | "facts">;

/** The words of a notice; `late`: how late it is, in milliseconds, when it is late. */
export function noticeWording(message: NoticeMessage, late: number | null): Wording {
  const words = wordsOf(message);
  return {
    ...words,
    subject: `${words.subject}${latenessOf(late)}`,
    quote: null,
    commands: [],
    links: [],
    signature: signatureOf(message.data, "your jobs"),
    tone: "neutral",
  };
}

function wordsOf(message: NoticeMessage): NoticeWords {
  const { notice } = message.data;
  switch (notice.kind) {
    case "unheard":
      return unheardWords(message, notice);
    case "refused":
      return refusedWords(message, notice);
    case "rejected":
      return rejectedWords(notice);
    case "clock":
      return clockWords(message, notice);
    case "storage":
      return storageWords(message, notice);
    case "drill":
      return drillWords(notice);
    case "undelivered":
      return undeliveredWords(message, notice);
    case "failing":
      return failingWords(message, notice);
    default:
      return notice satisfies never;
  }
}
