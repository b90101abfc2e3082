// What the parts of the command table share: how a command reaches its configuration and the service, and how help
// shows examples. Knows no single command.

import type { Command } from "commander";
import type { ConfigFlags } from "../config/load.ts";
import type { Io } from "./io.ts";
import type { SocketCaller } from "./socket-client.ts";

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
  flags: flagsOf(command),
  environment,
  io,
});

export const flagsOf = (command: Command): ConfigFlags => {
  const { config, envFile } = command.optsWithGlobals<ConfigFlags>();
  return { ...(config === undefined ? {} : { config }), ...(envFile === undefined ? {} : { envFile }) };
};

export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
