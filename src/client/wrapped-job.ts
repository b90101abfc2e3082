// Runs the command of a job for `rollcall run`: with the same streams, environment and directory as if our parent had
// started it. Signals that we get are passed on to the job.

import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { codeOf, orElse } from "../domain/unless-missing.ts";
import type { After } from "./client-moment.ts";

export type JobEnding =
  | { readonly by: "exit"; readonly code: number }
  /** `signal` is a number when the signal has no name. */
  | { readonly by: "signal"; readonly signal: NodeJS.Signals | number }
  /** The command did not start. `code` is the exit code that a shell gives then, and `why` a sentence. */
  | { readonly by: "fault"; readonly code: number; readonly why: string };

export interface RunningJob {
  readonly ended: Promise<JobEnding>;
  signal(signal: NodeJS.Signals): void;
  /**
   * Sends the signal to the job and to all processes that it has started. A later call also reaches processes that have
   * lost their parent since.
   */
  stop(signal: NodeJS.Signals): void;
}

export interface JobParts {
  readonly command: readonly string[];
  readonly ignored: readonly NodeJS.Signals[];
  /** Must pass on what the job writes to stderr; `null` when the job writes to our stderr directly. */
  readonly onError: ((piece: Uint8Array) => Promise<void>) | null;
  /** Files that are open for the job under the same numbers as for us, besides the three standard ones. */
  readonly files: readonly number[];
  /** The open lock file, which the job gets under any free number; `null` without a lock. */
  readonly held: number | null;
  readonly after: After;
}

const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/**
 * The limits of reading a job's stderr after the job has ended. A process that the job left running may keep stderr
 * open for ever. What the job itself wrote is in the pipe when the job ends. We have read all of it when `SILENT_TURNS`
 * turns of `TURN` milliseconds have brought nothing, or when more bytes have come than `LARGEST_PIPE`. A process that
 * keeps writing a little leaves no turn silent, so `WAITING_TURNS` turns in which nothing was being passed on suffice.
 */
const TURN = 20;
const SILENT_TURNS = 5;
const WAITING_TURNS = 25;
const LARGEST_PIPE = 1024 * 1024;

/** Starts the command of a job. It never throws, and the promise `ended` never rejects. */
export function startJob(parts: JobParts): RunningJob {
  const command = withItsBytes(parts.command);
  try {
    return started(parts, command);
  } catch (error) {
    if (codeOf(error) !== "ENOEXEC" || isBinary(parts.command[0]!)) return notStarted(parts.command[0]!, error);
  }
  try {
    // Like a shell, /bin/sh runs a script without `#!`.
    return started(parts, ["/bin/sh", ...command]);
  } catch (error) {
    return notStarted(parts.command[0]!, error);
  }
}

function started({ ignored, onError, files, held, after }: JobParts, command: readonly string[]): RunningJob {
  const child = Bun.spawn({
    cmd: ignored.length === 0 ? [...command] : [...ignoring(ignored), ...command],
    stdio: ["inherit", "inherit", onError === null ? "inherit" : "pipe", ...beyondStandard(files, held)],
  });
  const passing = onError === null ? null : passOn(child.stderr as ReadableStream<Uint8Array>, onError);
  const ended = child.exited.then(async (): Promise<JobEnding> => {
    if (passing !== null) await Promise.race([passing.whole, untilSilent(passing, after)]);
    const { signalCode, exitCode } = child;
    return signalCode === null ? { by: "exit", code: exitCode! } : { by: "signal", signal: signalCode };
  });
  let known: readonly Process[] = [];
  const stop = (signal: NodeJS.Signals): void => {
    // Once the job has ended, another process may have its number, so the job's descendants are no longer looked for.
    if (child.exitCode === null && child.signalCode === null) known = [...known, ...descendantsOf(child.pid)];
    child.kill(signal);
    signalAll(known, signal);
  };
  return { ended, signal: (signal) => child.kill(signal), stop };
}

const FIRST_BEYOND = 3;

/** Lists the files that the job has open, from number 3 on. A `null` means that the job has no file of that number. */
function beyondStandard(files: readonly number[], held: number | null): (number | null)[] {
  const open: (number | null)[] = Array.from(
    { length: Math.max(FIRST_BEYOND - 1, ...files) - FIRST_BEYOND + 1 },
    () => null,
  );
  for (const file of files) open[file - FIRST_BEYOND] = file;
  if (held === null) return open;
  const free = open.indexOf(null);
  return free === -1 ? [...open, held] : open.with(free, held);
}

interface Passing {
  /**
   * Resolves at the end of stderr, or when our stderr has no reader any more. In the second case the job finds its pipe
   * closed, as it would without us.
   */
  readonly whole: Promise<void>;
  /** How many bytes have come and were passed on; `null` while the last of them are still being passed on. */
  passed(): number | null;
}

/**
 * Passes on the job's stderr. The next piece is read only after the last one was written, so a slow reader delays the
 * job, as it would without us.
 */
function passOn(stream: ReadableStream<Uint8Array>, onError: (piece: Uint8Array) => Promise<void>): Passing {
  let bytes = 0;
  let isWriting = false;
  const write = async (piece: Uint8Array): Promise<void> => {
    isWriting = true;
    await onError(piece);
    bytes += piece.length;
    isWriting = false;
  };
  const whole = (async () => {
    for await (const piece of stream) await write(piece);
  })();
  return { whole: whole.catch(() => {}), passed: () => (isWriting ? null : bytes) };
}

async function untilSilent({ passed }: Passing, after: After): Promise<void> {
  const first = passed() ?? 0;
  let last: number | null = first;
  let [silent, waiting] = [0, 0];
  while (silent < SILENT_TURNS && waiting < WAITING_TURNS && (last ?? first) - first <= LARGEST_PIPE) {
    await new Promise<void>((resolve) => after(TURN, resolve));
    const now = passed();
    silent = now !== null && now === last ? silent + 1 : 0;
    if (now !== null) waiting++;
    last = now;
  }
}

/** The character by which Bun has replaced each byte of our arguments that is not UTF-8. */
const REPLACED = "\uFFFD";

/**
 * Returns a shell that becomes the command, if a word of the command is not UTF-8; otherwise the command. Bun cannot
 * give such a word to a process, so the shell makes it from the numbers of its bytes.
 */
function withItsBytes(command: readonly string[]): readonly string[] {
  if (!command.some((word) => word.includes(REPLACED))) return command;
  const ours = orElse("", () => readFileSync("/proc/self/cmdline", "latin1"))
    .split("\0")
    .slice(0, -1);
  const words = ours.slice(-command.length).map((word) => Buffer.from(word, "latin1"));
  if (words.every((word) => isUtf8(word))) return command;
  const written = (word: Buffer): string => [...word].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
  const quoted = words.map((word, place) =>
    isUtf8(word) ? `"\${${place + 1}}"` : `"$(printf %b '${written(word)}')"`,
  );
  return ["/bin/sh", "-c", `exec ${quoted.join(" ")}`, "sh", ...command];
}

/**
 * The words to put before a command, so that a shell ignores these signals and then becomes the command. Bun has no
 * other way to start a process that ignores signals.
 */
const ignoring = (signals: readonly NodeJS.Signals[]): readonly string[] => {
  const names = signals.map((signal) => signal.slice("SIG".length)).join(" ");
  return ["/bin/sh", "-c", `trap '' ${names}; exec "$@"`, "sh"];
};

/**
 * Whether the file of a command is no text, such as a program of another kind of machine. Like shells, it looks for a
 * zero byte in the first line.
 */
const isBinary = (name: string): boolean =>
  orElse(false, () =>
    readFileSync(Bun.which(name) ?? name, "latin1")
      .split("\n", 1)[0]!
      .includes("\0"),
  );

/** Says for a code of the system why a command did not start. Other codes are shown as they are. */
const NOT_STARTED: Readonly<Record<string, string>> = {
  EACCES: "no permission, or no program",
  EPERM: "no permission, or no program",
  ENOEXEC: "it is no program of this kind of machine",
  ETXTBSY: "its file is open for writing",
  E2BIG: "its arguments and environment are too long",
  EAGAIN: "its user may start no more processes now",
  ENOMEM: "there is not enough memory",
  ELOOP: "its links lead in a circle",
};

function notStarted(name: string, error: unknown): RunningJob {
  const said = codeOf(error) ?? "unknown error";
  const isMissing = said === "ENOENT" || said === "ENOTDIR";
  const code = isMissing ? NOT_FOUND : NOT_RUNNABLE;
  const why = isMissing ? missing(name) : `it cannot be run: ${NOT_STARTED[said] ?? said}`;
  return { ended: Promise.resolve({ by: "fault", code, why: `${name}: ${why}` }), signal: () => {}, stop: () => {} };
}

/** The system gives one code for a missing command and for a script whose interpreter is missing; this tells which. */
const missing = (name: string): string =>
  name !== "" && orElse(null, () => Bun.which(name)) !== null
    ? "it is there, but the interpreter that it names is not"
    : "no such command";

// The following finds the processes that a job has started, because a signal to end the job is for them too. Only Linux
// lists them; on other systems none are found.

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** When the process started, in clock ticks since the boot. A later process with the same pid has another time. */
  readonly startedAt: string;
}

function descendantsOf(ancestor: number): readonly Process[] {
  const children = Map.groupBy(running(), ({ parent }) => parent);
  const found: Process[] = [];
  for (let next = children.get(ancestor) ?? []; next.length > 0; ) {
    found.push(...next);
    next = next.flatMap(({ pid }) => children.get(pid) ?? []);
  }
  return found;
}

function signalAll(processes: readonly Process[], signal: NodeJS.Signals): void {
  for (const { pid, startedAt } of processes) {
    if (processAt(`${pid}`)?.startedAt !== startedAt) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended, or belongs to another user.
    }
  }
}

const running = (): readonly Process[] =>
  orElse([], () => readdirSync("/proc")).flatMap((name) => processAt(name) ?? []);

function processAt(pid: string): Process | null {
  const stat = /^\d+$/.test(pid) ? orElse(null, () => readFileSync(`/proc/${pid}/stat`, "latin1")) : null;
  if (stat === null) return null;
  // The second field is the name of the program, which may hold any character and ends with the last `)`. Behind it
  // come the state and the parent; the twentieth field behind it is the time of the start.
  const facts = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { pid: Number(pid), parent: Number(facts[1]), startedAt: facts[19]! };
}
