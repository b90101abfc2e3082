// The calls of the C library that `rollcall run` needs, where Bun has no words for them. macOS has the same, with the
// same numbers but for RLIMIT_NOFILE, which only Linux asks for. Elsewhere they do nothing.

import { constants } from "node:os";
import type { LockFile } from "../../client/spool-files.ts";
import type { FileLimit, IsTerminal } from "../../client/surroundings.ts";
import type { JobEnding } from "../../client/wrapped-job.ts";
import { loadLibrary } from "../../http/c-library.ts";

const LIBRARY = {
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  signal: { args: ["i32", "usize"], returns: "usize" },
  isatty: { args: ["i32"], returns: "i32" },
  raise: { args: ["i32"], returns: "i32" },
} as const;

const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;
const LOCK_EXCLUSIVE_AT_ONCE = 6;
const DEFAULT_ACTION = 0;

const library = () => loadLibrary(LIBRARY, ["linux", "darwin"]);

const limited = (resource: number, soft: number, hard: number): void =>
  void library()?.setrlimit(resource, new BigUint64Array([BigInt(soft), BigInt(hard)]));

export const limitFiles = ({ soft, hard }: FileLimit): void => limited(RLIMIT_NOFILE, soft, hard);

export const lockFile: LockFile = (file) => (library()?.flock(file, LOCK_EXCLUSIVE_AT_ONCE) ?? 0) === 0;

/** The runtime would load its streams to answer this: that takes milliseconds, and changes how the job can write. */
export const isTerminal: IsTerminal = (file) => library()?.isatty(file) === 1;

/** Ends this process as the job ended, without another core dump. */
export function endAs(ending: JobEnding): never {
  if (ending.by !== "signal") process.exit(ending.code);
  const number = typeof ending.signal === "number" ? ending.signal : constants.signals[ending.signal];
  limited(RLIMIT_CORE, 0, 0);
  const found = library();
  // Our runtime hears some of them itself, and would say that it had crashed.
  found?.signal(number, DEFAULT_ACTION);
  found?.raise(number);
  // Another thread may have to take it.
  process.kill(process.pid, number);
  process.exit(SIGNALLED + number);
}

const SIGNALLED = 128;
