// How backups stand, in sentences that `rollcall backups` and the page of rollcall's own health share. Pure.

import { sizeInWords } from "../../domain/wording/size.ts";
import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { BackupList } from "../schemas/status-schemas.ts";
import type { RowPart } from "./rows.ts";

/** When and why the last backup failed; `null` when it did not. */
export function failedBackupInWords({ lastFailure }: Pick<BackupList, "lastFailure">): RowPart[] | null {
  if (lastFailure === null) return null;
  const { step, at, reason } = lastFailure;
  const what = step === "copy" ? "one" : "run of storage.backup_command";
  return [`the last ${what} failed at `, { at, as: "exact" }, ": ", { wrote: reason }];
}

/** The words for the backup that is being made now, if any, and for when the next one is due. */
export function comingBackupsInWords({
  underWay,
  nextAt,
  everySeconds,
  keep,
}: Omit<BackupList, "backups">): RowPart[][] {
  const now = underWay === null ? [] : [[`one is being made: ${underWay.file}, ${sizeInWords(underWay.bytes)} so far`]];
  if (nextAt === null) return [...now, ["none is made by itself: storage.backup_every is 0"]];
  const rule = `: one ${intervalInWords(everySeconds)}, and the newest ${keep} stay`;
  return [...now, ["the next is due at ", { at: nextAt, as: "exact" }, rule]];
}
