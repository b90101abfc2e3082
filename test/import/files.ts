// The databases that test/import/made/README.md tells of, unpacked where a test may use them.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const HEALTHCHECKS = [
  "healthchecks.sqlite",
  "healthchecks.pg_dump.sql",
  "healthchecks.pg_dump-inserts.sql",
  "healthchecks.mysqldump.sql",
  "healthchecks.dumpdata.json",
] as const;

export interface Folder extends Disposable {
  readonly path: string;
  /** Unpacks one of them and returns its path. */
  made(name: string): string;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): string;
}

export function newFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "rollcall-import-test-"));
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(path, name), content);
    return join(path, name);
  };
  return {
    path,
    write,
    made: (name) => write(name, Bun.gunzipSync(readFileSync(join(import.meta.dir, "made", `${name}.gz`)))),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}
