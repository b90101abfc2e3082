// The notice that a backup failed. Jobs are watched all the same, so it opens with what is at stake: the next backup.

import type { BackupDetails } from "../message/notice-details.ts";
import type { NoticeMessage } from "../message/notice-message.ts";
import { commandTo } from "./advice.ts";
import type { Times } from "./told-times.ts";
import type { NoticeWords } from "./types.ts";

/** The words of such a notice. */
export function backupWords(
  { data }: NoticeMessage,
  { step, file, failedAt, reason }: BackupDetails,
  times: Times,
): NoticeWords {
  const at = times.say(failedAt, data.timezone);
  const isCopy = step === "copy";
  return {
    subject: isCopy ? "rollcall's backup failed" : "rollcall's backup was made, but its command failed",
    story: [
      isCopy
        ? `rollcall could not back up its database: ${reason}.`
        : `rollcall backed up its database, but storage.backup_command failed: ${reason}.`,
      `That was at ${at}. Your jobs are watched as before.`,
    ],
    toDo: isCopy
      ? "Mend that; rollcall tries again within an hour."
      : "Mend the command; it runs again with the next backup.",
    items: [],
    commands: [commandTo("See which backups there are", "rollcall backups", data)],
    advice: ["This comes once, and again only after a backup that went well."],
    facts: [{ label: "File", value: file }],
  };
}
