// `rollcall init`: writes the commented configuration file. It never overwrites one.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleToml } from "../config/example-file.ts";
import { DONE, type Io, REFUSED } from "./io.ts";

const NAME = "rollcall.toml";
/** The file may hold secrets. */
const OWNER_ONLY = 0o600;

/**
 * Writes `rollcall.toml` into the directory, and creates that if it is missing. `timezone`: this machine's, which
 * becomes the server's (R13); null: not known. Exit code 0, or 1 when it cannot.
 */
export function runInit(directory: string, timezone: string | null, io: Io): number {
  const file = join(directory, NAME);
  if (existsSync(file)) return refuse(io, `${file} exists already; nothing was written`);
  try {
    mkdirSync(directory, { recursive: true });
    // `wx` also protects a file that has appeared since.
    writeFileSync(file, exampleToml(timezone), { mode: OWNER_ONLY, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return refuse(io, `${file} cannot be written (${error.code})`);
  }
  io.out(`wrote ${file}`);
  io.out(
    timezone === null
      ? "schedules are read in UTC: this machine does not say its time zone, server.timezone sets another"
      : `schedules are read in ${timezone}, the time zone of this machine: server.timezone sets another`,
  );
  io.out(`next: edit it, then run rollcall config check --config ${file}`);
  return DONE;
}

function refuse(io: Io, line: string): number {
  io.err(line);
  return REFUSED;
}
