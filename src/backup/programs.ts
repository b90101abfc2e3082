// Runs other programs to their end, within a time limit; no process of theirs outlives that limit, or a stop of the
// service.

import { readdirSync, readFileSync } from "node:fs";
import { orElse } from "../domain/unless-missing.ts";
import type { Copying, CopySending, Work } from "./making.ts";

export type AfterEnd = (milliseconds: number, run: () => void) => () => void;

type ProgramEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * How a program ended. `exitCode` is `null` when a signal ended it, ours at the limit or another's. `said` tells it in
 * words.
 */
export interface EndedChild {
  readonly exitCode: number | null;
  readonly out: string;
  /** The last line that it wrote to standard error, else to standard output; empty when it wrote nothing. */
  readonly lastLine: string;
  readonly said: string;
  /** True when we ended it at the limit. */
  readonly isLate: boolean;
}

/** How many characters of an output are kept. */
const OUTPUT_KEPT = 4_096;
const LINE_SHOWN = 200;

interface ProgramRules {
  readonly environment: ProgramEnvironment;
  /** The time limit in milliseconds. */
  readonly limit: number;
  /** The text for its standard input; absent when there is none. */
  readonly input?: string;
}

/** The name of a variable in the environment of a program and all that it starts, by which we find them again. */
const MARK = "STARTED_BY_ROLLCALL";
let started = 0;

/**
 * Runs a program. `kill` ends it with all programs that it has started, also those in another session. It throws, with
 * the system's code, when the program cannot start.
 */
function runProgram(command: string[], { environment, limit, input }: ProgramRules, after: AfterEnd): Work<EndedChild> {
  const mark = `${process.pid}-${++started}`;
  const child = Bun.spawn(command, {
    env: { ...environment, [MARK]: mark },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    // The program gets a process group for itself, so that a signal reaches the programs that it starts.
    detached: true,
  });
  const [out, err] = [child.stdout, child.stderr].map(lastTextOf) as [OutputEnd, OutputEnd];
  let late = false;
  const kill = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended by itself.
    }
    killMarked(`${MARK}=${mark}`);
    // We stop reading the streams, because a process that hides even its environment may keep them open.
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
    return { exitCode, out: written, lastLine, said: lastLine === "" ? how : `${how}: ${lastLine}`, isLate: late };
  };
  return { ended: wait(), kill };
}

const SIGNAL = "a signal ended it";
/** How often the processes are listed at most, because a program may start another one between two lists. */
const LOOKS_MOST = 5;

/** Ends the processes of this machine that have this mark in their environment. Without /proc, none is found. */
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

/** The end of what a program writes, until we call `leave`. */
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
 * Makes the function that copies the database in another process, so that no report waits. `ourselves` is the
 * executable, or the runtime and its script.
 */
export const copierOf =
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
 * Makes the function that runs the operator's command with each backup that was made at an interval, to copy it to
 * another machine. A shell reads `command`, and the file is its `$1`; `limit` is in milliseconds. The promise resolves
 * with a text that says what went wrong, or with `null`.
 */
export const sendingOf =
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
 * Runs an operator's programs, each with a text on its input, for `limit` milliseconds at most; `stop` ends them all.
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
