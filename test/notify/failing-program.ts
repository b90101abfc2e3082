// Every way in which a program that gets alerts can end, or not start, and what becomes of the alert then.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgramRunner } from "../../src/backup/programs.ts";
import { after } from "../../src/cli/clock.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { toHook } from "../support/alerts.ts";
import { AGAIN, HOURLY, outcomesThrough, PERHAPS_TAKEN, SENT, SENT_PLAIN } from "./delivery-outcome.ts";

export interface ProgramRow {
  readonly situation: string;
  /** Their texts; null: there is none. All of them must come to the same. */
  readonly programs: readonly (string | null)[];
  readonly outcome: string;
  readonly mode?: number;
  /** Milliseconds: short where it is what ends the program, else longer than anything takes. */
  readonly limit?: number;
}

const exits = (...codes: readonly number[]): string[] => codes.map((code) => `#!/bin/sh\nexit ${code}\n`);

export const PROGRAM_ROWS: readonly ProgramRow[] = [
  { situation: "ends with 0", programs: exits(0), outcome: SENT },
  { situation: "ends with 65: it does not take the data", programs: exits(65), outcome: HOURLY },
  {
    situation: "ends with 65 for the full form alone",
    programs: ["#!/bin/sh\n! grep -q wiki.example.org || exit 65\n"],
    outcome: SENT_PLAIN,
  },
  {
    situation: "ends with 64, 66, 67, 68, 70, 72, 73, 76, 77 or 78, or as a shell with 126 or 127",
    programs: exits(64, 66, 67, 68, 70, 72, 73, 76, 77, 78, 126, 127),
    outcome: HOURLY,
  },
  {
    situation: "ends with 75, or any other number",
    programs: exits(1, 2, 69, 71, 74, 75, 79, 125, 128, 255),
    outcome: AGAIN,
  },
  {
    situation: "is ended by a signal",
    programs: ["#!/bin/sh\nkill -TERM $$\n", "#!/bin/sh\nkill -KILL $$\n"],
    outcome: AGAIN,
  },
  {
    situation: "has not ended after 60 s",
    programs: ["#!/bin/sh\nexec sleep 300\n"],
    outcome: PERHAPS_TAKEN,
    limit: 500,
  },
  { situation: "is not there", programs: [null], outcome: HOURLY },
  { situation: "may not be executed", programs: exits(0), outcome: HOURLY, mode: 0o644 },
  { situation: "has no interpreter", programs: ["#!/no/such/shell\n", "no program\n"], outcome: HOURLY },
];

/** One alert to each of the programs. */
export async function outcomesOfPrograms({ programs, mode = 0o755, limit = 15_000 }: ProgramRow): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-programs-"));
  try {
    const channels = programs.map((text, place) => {
      const program = join(folder, `program-${place}`);
      if (text !== null) writeFileSync(program, text);
      if (text !== null) chmodSync(program, mode);
      const { run } = createProgramRunner({ PATH: process.env["PATH"] }, limit, after);
      return [`program-${place}`, CHANNELS.command({ program, run })] as const;
    });
    const { byRoute } = await outcomesThrough(
      Object.fromEntries(channels),
      channels.map(([name]) => toHook(name)),
    );
    return [...byRoute.values()].map(({ outcome }) => outcome);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
