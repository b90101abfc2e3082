// Functions of the C library that `rollcall run` needs and Bun does not offer. On systems other than Linux and macOS
// they do nothing. The numbers below mean the same on both, except RLIMIT_NOFILE, which is used on Linux alone.

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

/** Takes back that this process ignores SIGCHLD. */
export const hearOfChildren = (): void => void library()?.signal(constants.signals.SIGCHLD, DEFAULT_ACTION);

export const lockFile: LockFile = (file) => (library()?.flock(file, LOCK_EXCLUSIVE_AT_ONCE) ?? 0) === 0;

/**
 * Whether this file descriptor is a terminal. Asking the runtime instead would load its streams, which takes
 * milliseconds and changes how the job can write.
 */
export const isTerminal: IsTerminal = (file) => library()?.isatty(file) === 1;

/**
 * Ends this process as the job ended: with the same exit code, or by the same signal. If the job's signal makes a core
 * dump, this process makes no second one.
 */
export function endAs(ending: JobEnding): never {
  if (ending.by !== "signal") process.exit(ending.code);
  const number = typeof ending.signal === "number" ? ending.signal : constants.signals[ending.signal];
  limited(RLIMIT_CORE, 0, 0);
  const found = library();
  // Bun handles some of these signals itself and would report a crash of Bun. With the default action, the signal ends
  // this process instead.
  found?.signal(number, DEFAULT_ACTION);
  found?.raise(number);
  // `raise` reaches only this thread, and another one may have to take the signal, so it is sent to the process too.
  process.kill(process.pid, number);
  process.exit(SIGNALLED + number);
}

const SIGNALLED = 128;
