// The words of a notice: something about rollcall itself, and what that means for the jobs it watches. A notice is
// neither good nor bad news of a job, so it must not read like an alert. items.ts lists the jobs.

import type { NoticeMessage } from "../message/notice-message.ts";
import { backupWords } from "./backup.ts";
import { clockWords } from "./clock.ts";
import { signatureOf } from "./details.ts";
import { drillWords } from "./drill.ts";
import { failingWords } from "./failing.ts";
import { refusedWords } from "./refused.ts";
import { rejectedWords } from "./rejected.ts";
import { storageWords } from "./storage.ts";
import { latenessOf } from "./subject.ts";
import type { Times } from "./told-times.ts";
import type { NoticeWords, Sending, Wording } from "./types.ts";
import { undeliveredWords } from "./undelivered.ts";
import { unheardWords } from "./unheard.ts";

/** The words of a notice. */
export function noticeWording(message: NoticeMessage, { late, times }: Sending): Wording {
  const words = wordsOf(message, times);
  return {
    ...words,
    subject: `${words.subject}${latenessOf(late)}`,
    quote: null,
    output: null,
    links: [],
    signature: signatureOf(message.data, "your jobs"),
    tone: "neutral",
  };
}

function wordsOf(message: NoticeMessage, times: Times): NoticeWords {
  const { notice } = message.data;
  switch (notice.kind) {
    case "unheard":
      return unheardWords(message, notice, times);
    case "refused":
      return refusedWords(message, notice, times);
    case "rejected":
      return rejectedWords(message, notice, times);
    case "storage":
      return storageWords(message, notice, times);
    case "backup":
      return backupWords(message, notice, times);
    case "clock":
      return clockWords(message, notice, times);
    case "drill":
      return drillWords(message, notice, times);
    case "undelivered":
      return undeliveredWords(message, notice, times);
    case "failing":
      return failingWords(message, notice, times);
    default:
      return notice satisfies never;
  }
}
