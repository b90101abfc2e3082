// Runs other programs to their end, within a time limit. At that limit, or when the service stops, each program is
// killed with all programs that it started.

import { readdirSync, readFileSync } from "node:fs";
import { orElse } from "../domain/unless-missing.ts";
import type { Copying, CopySending, Work } from "./making.ts";

export type AfterEnd = (milliseconds: number, run: () => void) => () => void;

type ProgramEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * How a program ended. `exitCode` is `null` when a signal ended the program, for example our own at the time limit.
 * `said` tells in words how it ended, with the last line that it wrote.
 */
export interface EndedChild {
  readonly exitCode: number | null;
  readonly out: string;
  /** The last line of the program's standard error, or else of its standard output; empty when it wrote nothing. */
  readonly lastLine: string;
  readonly said: string;
  /** True when the program was killed at the time limit. */
  readonly isTimedOut: boolean;
}

/** How many characters of each output are kept: the last ones. */
const OUTPUT_KEPT = 4_096;
const LINE_SHOWN = 200;

interface ProgramRules {
  readonly environment: ProgramEnvironment;
  /** The time limit in milliseconds. */
  readonly limit: number;
  /** The program's standard input; absent when it reads nothing there. */
  readonly input?: string;
}

/**
 * An environment variable that each program gets. All programs that it starts inherit it, so that we can kill them too.
 */
const MARK = "STARTED_BY_ROLLCALL";
let started = 0;

/**
 * Starts a program. The returned `kill` kills the program and all programs that it has started, even those in another
 * session. Throws an error with the system's code when the program cannot start.
 */
function runProgram(command: string[], { environment, limit, input }: ProgramRules, after: AfterEnd): Work<EndedChild> {
  const mark = `${process.pid}-${++started}`;
  const child = Bun.spawn(command, {
    env: { ...environment, [MARK]: mark },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    // The program gets its own process group, so that one signal reaches it and the programs that it starts.
    detached: true,
  });
  const [out, err] = [child.stdout, child.stderr].map(lastTextOf) as [OutputEnd, OutputEnd];
  let late = false;
  const kill = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The program has already ended, so there is nothing to kill.
    }
    killMarked(`${MARK}=${mark}`);
    // A process that we could not find and kill may keep these streams open, so we stop reading them.
    out.leave();
    err.leave();
  };
  const cancel = after(limit, () => {
    late = true;
    kill();
  });
  const wait = async (): Promise<EndedChild> => {
    const [written, faults, code] = await Promise.all([out.text, err.text, child.exited]);
    cancel();
    const exitCode = child.signalCode === null ? code : null;
    const lastLine = lastLineOfTexts(faults, written);
    const how =
      exitCode !== null ? `exit code ${exitCode}` : late ? `it had not ended after ${limit / 1_000} s` : SIGNAL;
    return { exitCode, out: written, lastLine, said: lastLine === "" ? how : `${how}: ${lastLine}`, isTimedOut: late };
  };
  return { ended: wait(), kill };
}

const SIGNAL = "a signal ended it";
/**
 * How many times we list the processes at most, to kill those we find. After each list, a program not yet killed may
 * start another one.
 */
const LOOKS_MOST = 5;

/** Kills all processes of this machine with this mark in their environment; none where there is no /proc. */
function killMarked(mark: string): void {
  for (let looks = 0; looks < LOOKS_MOST && marked(mark).filter(killed).length > 0; looks++);
}

const marked = (mark: string): readonly number[] =>
  orElse([], () => readdirSync("/proc"))
    .filter((name) => /^\d+$/.test(name))
    .filter((name) =>
      orElse("", () => readFileSync(`/proc/${name}/environ`, "latin1"))
        .split("\0")
        .includes(mark),
    )
    .map(Number);

const killed = (pid: number): boolean => orElse(false, () => process.kill(pid, "SIGKILL"));

type OutputEnd = ReturnType<typeof lastTextOf>;

/** Keeps the end of what a program writes, until its stream ends or we call `leave`. */
function lastTextOf(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const read = async (): Promise<string> => {
    let kept = "";
    const decoder = new TextDecoder();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      kept = (kept + decoder.decode(piece.value, { stream: true })).slice(-OUTPUT_KEPT);
    return kept;
  };
  return { text: read(), leave: (): void => void reader.cancel().catch(() => {}) };
}

function lastLineOfTexts(...texts: readonly string[]): string {
  const lines = texts.map((text) => text.trimEnd().split("\n").at(-1) ?? "");
  return (lines.find((line) => line !== "") ?? "").slice(0, LINE_SHOWN);
}

const LIMIT = 6 * 60 * 60_000;

export const COPY_COMMAND = "copy-database";

/**
 * Returns a function that copies the database in another process, so that reports need not wait. `ourselves` is the
 * command that starts rollcall again: the executable, or the runtime with its script.
 */
export const backupCopier =
  (ourselves: readonly string[], after: AfterEnd) =>
  (from: string, to: string): Copying => {
    const rules = { environment: {}, limit: LIMIT };
    const { kill, ended } = runProgram([...ourselves, COPY_COMMAND, from, to], rules, after);
    const copied = ended.then(({ exitCode, lastLine, out }) =>
      exitCode === 0 ? JSON.parse(out) : { fault: lastLine || "the process that made the copy was ended" },
    );
    return { kill, ended: copied };
  };

/**
 * Returns a function that runs the operator's command with a new backup, for example to copy it to another machine. A
 * shell runs `command`, with the file as `$1`, for `limit` milliseconds at most.
 */
export const backupSender =
  (
    { command, limit }: { readonly command: string; readonly limit: number },
    environment: ProgramEnvironment,
    after: AfterEnd,
  ) =>
  (file: string): CopySending => {
    const { kill, ended } = runProgram(["/bin/sh", "-c", command, "rollcall", file], { environment, limit }, after);
    return { kill, ended: ended.then(({ exitCode, said }) => (exitCode === 0 ? null : said)) };
  };

/**
 * Runs programs of the operator, such as one that takes alerts. Each gets a text on its standard input and may run for
 * `limit` milliseconds. `stop` kills all that still run.
 */
export function createProgramRunner(environment: ProgramEnvironment, limit: number, after: AfterEnd) {
  const running = new Set<() => void>();
  return {
    run: async (program: string, input: string, more: ProgramEnvironment): Promise<EndedChild> => {
      const { kill, ended } = runProgram([program], { environment: { ...environment, ...more }, limit, input }, after);
      running.add(kill);
      return ended.finally(() => running.delete(kill));
    },
    stop: (): void => {
      for (const kill of running) kill();
    },
  };
}
