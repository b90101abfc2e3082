// `rollcall discover` on a tree of files in place of this machine. The command has no option for that, because links in
// a tree lead out of it. Run as a program it is that command, for tests that kill it or type at its terminal: `bun
// below.ts DIRECTORY [OPTION...]`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newProgram, runParsed } from "../../src/cli/command-shell.ts";
import { addDiscover } from "../../src/cli/discover/discover-command.ts";
import type { SystemManager } from "../../src/cli/discover/machine.ts";
import type { Io } from "../../src/cli/io.ts";
import { personInput } from "../../src/cli/io.ts";
import { NO_INPUT, type Ran } from "../support/command-line.ts";
import type { Tree } from "./trees.ts";

type Environment = Readonly<Record<string, string | undefined>>;

function systemIn(root: string): SystemManager {
  const here = (path: string): boolean => existsSync(join(root, path));
  return {
    root,
    hostname: here("/etc/hostname") ? readFileSync(join(root, "/etc/hostname"), "utf8").trim() : "",
    executable: here("/usr/bin/rollcall") ? "/usr/bin/rollcall" : "/usr/local/bin/rollcall",
    isRunning: false,
  };
}

async function runBelow(root: string, options: readonly string[], environment: Environment, io: Io): Promise<number> {
  let exitCode = 0;
  const args = ["discover", ...options];
  const program = newProgram({ io });
  const finish = (code: number): void => {
    exitCode = code;
  };
  addDiscover(program, { args, environment, io, finish }, systemIn(root));
  return (await runParsed(program, args)) ?? exitCode;
}

/** With no environment but the one given. */
export async function discoverBelow(
  { root }: Tree,
  options: readonly string[],
  environment: Environment = {},
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    width: null,
    color: false,
    input: NO_INPUT,
  };
  const exitCode = await runBelow(root, options, environment, io);
  return { exitCode, out: out.join("\n"), err: err.join("\n") };
}

export const PROGRAM = import.meta.path;

/** The command line of that program. Bun's cache would lie in the home, which is the tree in some tests. */
export const below = ({ root }: Tree, ...options: readonly string[]): string[] => [
  "env",
  "BUN_RUNTIME_TRANSPILER_CACHE_PATH=0",
  process.execPath,
  PROGRAM,
  root,
  ...options,
];

if (import.meta.main) {
  const [root, ...options] = process.argv.slice(2);
  process.exitCode = await runBelow(root!, options, process.env, {
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    width: null,
    color: false,
    input: personInput(() => process.stdin),
  });
}
