// Everything that touches the database is done on a disk that fails at every call of it in turn; the actions are done
// by storage-child.ts, a process of its own that was started on such a disk.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDisk } from "./disk.ts";
import type { Part } from "./part.ts";

/** A line that the child writes. */
export type NotifiedAlert =
  | { readonly progress: string }
  | { readonly fault: string }
  | { readonly figure: string; readonly value: number };

export const storage: Part<"oneIn"> = {
  name: "storage",
  what: "whatever storage call fails, everything is done whole or not at all, says which, and goes on when the disk does",
  // Of so many actions and ways to fail one is tried; which, chance decides.
  counts: { oneIn: { full: 1, sample: 12 } },
  run: async ({ oneIn, seed }, report) => {
    const root = mkdtempSync(join(tmpdir(), "rollcall-storage-"));
    using disk = openDisk(root);
    const { TORTURE_JOURNAL: _, ...environment } = disk.environment;
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "storage-child.ts"), String(oneIn), String(seed)],
      {
        env: { ...process.env, ...environment, TMPDIR: root },
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    let unread = "";
    for await (const bytes of child.stdout) {
      const lines = (unread + Buffer.from(bytes).toString()).split("\n");
      unread = lines.pop()!;
      for (const line of lines) {
        const told = JSON.parse(line) as NotifiedAlert;
        if ("progress" in told) report.progress(told.progress);
        else if ("fault" in told) report.fault(told.fault);
        else report.figure(told.figure, told.value);
      }
    }
    const exitCode = await child.exited;
    if (exitCode !== 0) report.fault(`the process on the failing disk ended with ${exitCode}`);
    rmSync(root, { recursive: true, force: true });
  },
};
