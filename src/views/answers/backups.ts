// What operations answer of backups: one that was asked for, and those that are there.

import { COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

const COPIED = object({ bytes: COUNT, monitors: COUNT });

const BACKUP_FIELDS = {
  id: ID,
  file: TEXT,
  /** When it began. */
  at: INSTANT,
  /** `sending`: the copy is whole, and the operator's command has it. */
  state: wordOf("copying", "sending", "done", "failed"),
  /** Null: the copy is not whole. */
  copied: orNull(COPIED),
  /** A sentence; null unless it failed. */
  fault: orNull(TEXT),
};

export const BACKUP = object(BACKUP_FIELDS);

export const BACKUPS = object({
  /** When it was so. */
  at: INSTANT,
  /** Where those go that are made by themselves. */
  directory: TEXT,
  /** 0: none is made by itself. */
  everySeconds: COUNT,
  /** How many of them stay. */
  keep: COUNT,
  /** When the next is due; null: never. */
  nextAt: orNull(INSTANT),
  /** `bytes`: what is written by now. */
  underWay: orNull(object({ ...BACKUP_FIELDS, bytes: COUNT })),
  /** Why the last one failed; null: it did not. */
  lastFailure: orNull(object({ step: wordOf("copy", "command"), file: TEXT, at: INSTANT, reason: TEXT })),
  /** Newest first. */
  backups: listOf(object({ file: TEXT, at: INSTANT, bytes: COUNT })),
});

export type BackupList = Held<typeof BACKUPS>;
