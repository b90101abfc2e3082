// Copies the database before a migration, so that the version before can go on with it. Keeps a few of these copies, beside
// the backups and not counted with them.

import type { Database } from "bun:sqlite";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { PARTIAL } from "../domain/backup.ts";
import { syncFile } from "./files.ts";

/** How many stay. */
const KEPT = 3;
const NAME = /^before-.+\.db$/;

/**
 * Copies the file to `backups/before-<first migration>.db` beside it, mode 0600, deletes all but the newest few of these copies and
 * answers its path. Overwrites none. Throws, with a sentence for the operator, where there is too little room; then nothing was
 * changed.
 */
export function copyBefore(database: Database, migration: string): string {
  const directory = join(dirname(database.filename), "backups");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  assertRoom(database.filename, directory);
  const path = unusedName(join(directory, `before-${migration}`));
  const partial = path + PARTIAL;
  rmSync(partial, { force: true });
  try {
    database.query("VACUUM INTO ?").run(partial);
    chmodSync(partial, 0o600);
    syncFile(partial);
    renameSync(partial, path);
    syncFile(directory);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  prune(directory);
  return path;
}

/** A migration may write every table anew, so it needs as much again as the copy. */
function assertRoom(file: string, directory: string): void {
  const { bavail, bsize } = statfsSync(directory);
  const size = statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  if (bavail * bsize >= 2 * size) return;
  const [free, wanted] = [bavail * bsize, 2 * size].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`);
  throw new Error(
    `${file} must be changed for this version, which copies it first: ${directory} has ${free} free, and ${wanted} are ` +
      "needed. Free some space, or go on with the version before; nothing was changed",
  );
}

function unusedName(path: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${path}.db` : `${path}-${number}.db`;
    if (!existsSync(name)) return name;
  }
}

function prune(directory: string): void {
  const copies = readdirSync(directory)
    .filter((name) => NAME.test(name))
    .map((name) => ({ name, at: statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at || b.name.localeCompare(a.name, "en", { numeric: true }));
  for (const { name } of copies.slice(KEPT)) rmSync(join(directory, name), { force: true });
}
