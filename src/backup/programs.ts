// Runs other programs to their end, within a time limit; nothing of one outlives that, or a stop of the service.

import type { Copying, CopySending, Work } from "./making.ts";

export type AfterEnd = (milliseconds: number, run: () => void) => () => void;

type ProgramEnvironment = Readonly<Record<string, string | undefined>>;

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

/** `kill` ends it with all the programs it has started. `limit`: in milliseconds. Throws for no such program. */
function runProgram(
  command: string[],
  environment: ProgramEnvironment,
  limit: number,
  after: AfterEnd,
): Work<EndedChild> {
  const child = Bun.spawn(command, {
    env: { ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // Another group of processes, so that a signal reaches the programs that it starts.
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

const LIMIT = 6 * 60 * 60_000;

export const COPY_COMMAND = "copy-database";

/** Copies by another process, so that no report waits. `ourselves`: the executable, or the runtime and its script. */
export const copierOf =
  (ourselves: readonly string[], after: AfterEnd) =>
  (from: string, to: string): Copying => {
    const { kill, ended } = runProgram([...ourselves, COPY_COMMAND, from, to], {}, LIMIT, after);
    const copied = ended.then(({ exitCode, lastLine, out }) =>
      exitCode === 0 ? JSON.parse(out) : { fault: lastLine || "the process that made the copy was ended" },
    );
    return { kill, ended: copied };
  };

/**
 * The operator's command, run with each backup that we make by ourselves: to copy it to another machine. A shell reads
 * `command`, and the file is its `$1`; `limit` is in milliseconds. Settles with what went wrong; null: nothing did.
 */
export const sendingOf =
  (
    { command, limit }: { readonly command: string; readonly limit: number },
    environment: ProgramEnvironment,
    after: AfterEnd,
  ) =>
  (file: string): CopySending => {
    const { kill, ended } = runProgram(["/bin/sh", "-c", command, "rollcall", file], environment, limit, after);
    const fault = ended.then(({ exitCode, late, lastLine }) => {
      if (exitCode === 0) return null;
      const how = exitCode === null ? "a signal ended it" : `exit code ${exitCode}`;
      const said = late ? `it had not ended after ${limit / 1_000} s` : how;
      return lastLine === "" ? said : `${said}: ${lastLine}`;
    });
    return { kill, ended: fault };
  };
