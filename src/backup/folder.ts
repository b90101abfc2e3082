// What is in the folder of backups. It may be anything by now, and nothing here throws for that: the next backup fails
// then, and says why.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupTime, PARTIAL } from "../domain/backup.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { KeptBackup } from "../engine/api.ts";

/** The backups that we made by ourselves, newest first; none where it cannot be read. */
export function keptIn(directory: string): KeptBackup[] {
  return namesIn(directory).flatMap((name) => {
    const at = backupTime(name);
    const file = join(directory, name);
    return at === null ? [] : [{ file, at, bytes: bytesOf(file) }];
  });
}

/** Descending. */
const namesIn = (directory: string): string[] => orElse([], () => readdirSync(directory).sort().toReversed());

/** Bytes of what is there of a copy, finished or not. */
export const bytesOf = (file: string): number =>
  orElse(
    orElse(0, () => statSync(file + PARTIAL).size),
    () => statSync(file).size,
  );

/** Removes what is there of a copy that was not finished. */
export const discardPartial = (file: string): void => orElse(undefined, () => rmSync(file + PARTIAL));
