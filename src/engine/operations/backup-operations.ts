// The operations on backups. An edge makes them; here they are asked for.

import { refuse } from "../../domain/errors.ts";
import { SECOND } from "../../domain/time.ts";
import { BACKUP, BACKUPS } from "../../views/answers/status.ts";
import { optionalPath, rowNumber } from "./fields.ts";
import { acts, looks, unchanged } from "./operation.ts";

/** Who may write files on the host has an account there. */
const NOT_FROM_AFAR = refuse("ACCESS_DENIED", "file: only the command on rollcall's own host may name one");

/** It has only begun when it is answered. */
const make = acts({
  summary: "copy the database while the service runs, and prove the copy",
  notes: `The copy is checked row by row and on disk before it bears its name, and the
exit code is 0 only then. It holds everything that was answered before it
began. Nobody waits for it: reports are taken meanwhile. \`rollcall restore\`
puts it back.

Without a file it goes to backups/ in the data directory, beside those that
are made by themselves (storage.backup_every), and storage.backup_command runs.`,
  examples: ["", "/mnt/nas/rollcall.db"],
  input: {
    file: optionalPath({ description: "where to; a file that exists is never replaced", argument: "file" }),
  },
  answer: BACKUP,
  role: "admin",
  inAudit: "began a backup",
  run: ({ backups }, { file }, _now, by) =>
    unchanged(file !== null && by.kind !== "system" ? NOT_FROM_AFAR : backups.begin(file)),
});

const show = looks({
  summary: "show how far a backup is",
  noCommand: "`backup` asks it until the backup has ended",
  examples: [],
  input: { id: rowNumber({ description: "the backup's number, as `backup` answers it" }) },
  answer: BACKUP,
  role: "admin",
  run: ({ backups }, { id }) =>
    backups.find(id) ?? refuse("NOT_FOUND", `id: there is no backup ${id}, or it was made long ago`),
});

const list = looks({
  summary: "list the backups in the data directory, when the next is due and whether one failed",
  examples: ["", "--json"],
  input: {},
  answer: BACKUPS,
  role: "admin",
  run: ({ backups }, _input, now) => {
    const { every, kept, ...health } = backups.health();
    return { at: now, ...health, everySeconds: every / SECOND, backups: kept };
  },
});

export const BACKUP_OPERATIONS = { backup: make, "backup show": show, backups: list };
