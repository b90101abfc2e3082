// Runs one command line in this process and keeps what it wrote, so that tests see what a person at a terminal sees.

import { runCli } from "../../src/cli/cli.ts";

export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `rollcall` with these arguments and no environment but the one given. */
export async function rollcall(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = await runCli(args, environment, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { exitCode, out: out.join("\n"), err: err.join("\n") };
}
