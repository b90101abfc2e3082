// Runs one command line in this process and keeps what it wrote, so that tests see what a person at a terminal sees.

import { runCli } from "../../src/cli/cli.ts";
import type { PersonInput } from "../../src/cli/io.ts";
import { wantsColor } from "../../src/cli/screens/color.ts";

/** An input on which no text is typed. */
export const NO_INPUT = {
  isTerminal: false,
  read: () => Promise.resolve(null),
  readShown: () => Promise.resolve(null),
};

/** An input with these lines, from a person at a terminal or from a script. */
export function typing(isTerminal: boolean, ...lines: string[]): PersonInput {
  const left = [...lines];
  const read = () => Promise.resolve(left.shift() ?? null);
  return { isTerminal, read, readShown: read };
}

export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `rollcall` with these arguments and only the given environment. `width` is that of the terminal, or `null` when
 * there is none.
 */
export async function rollcall(
  args: readonly string[],
  environment: Record<string, string> = {},
  width: number | null = null,
  input: PersonInput = NO_INPUT,
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = await runCli(args, environment, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    width,
    color: wantsColor(width !== null, environment),
    input,
  });
  return { exitCode, out: out.join("\n"), err: err.join("\n") };
}
