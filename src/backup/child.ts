// Runs another program to its end, within a time limit: the copying of a database, and what the operator wants done
// with a copy. Nothing of it outlives the limit, or a stop of the service.

import type { Work } from "./making.ts";

/** Calls back once, after so many milliseconds; the returned function cancels it. */
export type AfterEnd = (milliseconds: number, run: () => void) => () => void;

export interface Program {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds. */
  readonly limit: number;
}

/** How it ended. `exitCode` null: a signal ended it, ours at the limit (`late`) or another's. */
export interface EndedChild {
  readonly exitCode: number | null;
  readonly late: boolean;
  readonly out: string;
  /** The last line of what it wrote to standard error, else to standard output; empty: it wrote nothing. */
  readonly lastLine: string;
}

/** More of an output is not kept. Characters. */
const OUTPUT_KEPT = 4_096;
const LINE_SHOWN = 200;

/** `kill` ends it with all the programs it has started. Throws when there is no such program. */
export function runProgram({ command, environment, limit }: Program, after: AfterEnd): Work<EndedChild> {
  const child = Bun.spawn([...command], {
    env: { ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // A group of its own, so that a signal reaches the programs that it starts.
    detached: true,
  });
  let late = false;
  const kill = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const cancel = after(limit, () => {
    late = true;
    kill();
  });
  const wait = async (): Promise<EndedChild> => {
    const [out, err] = await Promise.all([endOf(child.stdout), endOf(child.stderr)]);
    const exitCode = await child.exited;
    cancel();
    return { exitCode: child.signalCode === null ? exitCode : null, late, out, lastLine: lastLineOf(err, out) };
  };
  return { ended: wait(), kill };
}

/** The end of what comes, in characters. */
async function endOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let kept = "";
  const decoder = new TextDecoder();
  for await (const piece of stream) kept = (kept + decoder.decode(piece, { stream: true })).slice(-OUTPUT_KEPT);
  return kept;
}

function lastLineOf(...texts: readonly string[]): string {
  const lines = texts.map((text) => text.trimEnd().split("\n").at(-1) ?? "");
  return (lines.find((line) => line !== "") ?? "").slice(0, LINE_SHOWN);
}
