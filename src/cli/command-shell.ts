// What the parts of the command table share: how a command reaches its configuration and the service, and how help
// shows examples. Knows no single command.

import type { Command } from "commander";
import type { ConfigFlags } from "../config/load.ts";
import type { SocketCaller } from "./asking/ask-service.ts";
import type { Io } from "./io.ts";
import { say } from "./screens/table.ts";
import type { CallFlags } from "./typed.ts";

/** What commands are given, and where the exit code goes. */
export interface Shell {
  /** The arguments as typed, without the executable. */
  readonly args: readonly string[];
  readonly environment: SocketCaller["environment"];
  readonly io: Io;
  readonly finish: (exitCode: number) => void;
}

export const callerOf = (command: Command, { args, environment, io }: Shell): SocketCaller => ({
  args,
  flags: { ...flagsOf(command), ...whereOf(command) },
  environment,
  io,
});

export const flagsOf = (command: Command): ConfigFlags => {
  const { config, envFile } = command.optsWithGlobals<ConfigFlags>();
  return { ...(config === undefined ? {} : { config }), ...(envFile === undefined ? {} : { envFile }) };
};

function whereOf(command: Command): Pick<CallFlags, "remote" | "keyFile"> {
  const { remote, keyFile } = command.optsWithGlobals<CallFlags>();
  return { ...(remote === undefined ? {} : { remote }), ...(keyFile === undefined ? {} : { keyFile }) };
}

const asking = new WeakSet<Command>();

/** Marks a command as one that asks a service, so that it may be one elsewhere. */
export const asksService = (command: Command): void => void asking.add(command);

/** Ends a command that is given an option about services elsewhere and asks none, or that is told of two places. */
export function refuseElsewhere(command: Command): void {
  const { remote, keyFile, config, envFile } = command.optsWithGlobals<CallFlags>();
  if (remote === undefined) {
    if (keyFile !== undefined) command.error("error: --key-file has the key for --remote, which is missing");
    return;
  }
  if (!asking.has(command)) command.error(`error: ${command.name()} works on this machine, without --remote`);
  if (config !== undefined || envFile !== undefined)
    command.error("error: --remote names another service than that of --config and --env-file, leave one out");
}

/** Asks a person at the terminal a question with yes or no; without one, nobody is there to ask: yes. */
export async function agrees(io: Io, question: string): Promise<boolean> {
  if (!io.secret.isTerminal) return true;
  say(io, `${question} [y/N]`);
  const typed = await io.secret.readShown();
  if (/^y(es)?$/i.test(typed?.trim() ?? "")) return true;
  say(io, "nothing was done");
  return false;
}

export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
